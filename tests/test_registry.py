"""The one class of registry, and how plug-ins come in and stay out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from cvinfer import registry as module
from cvinfer.errors import Refusal, UserError
from cvinfer.registry import Registry


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_plugins", ())


@pytest.fixture()
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `pets` whose files add themselves to the registry in `kennel`."""
    (tmp_path / "kennel.py").write_text(
        "from cvinfer.registry import Registry\nPETS = Registry('pet', 'pets')\n"
    )
    package = tmp_path / "pets"
    package.mkdir()
    (package / "__init__.py").write_text("")
    add = "import kennel\nkennel.PETS.add({0!r}, {0!r}.upper(), __name__)\n"
    for name in ("dog", "cat"):
        (package / f"{name}.py").write_text(add.format(name))
    (package / "_helper.py").write_text("raise RuntimeError('a helper is not looked at')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield package
    for name in [each for each in sys.modules if each.split(".")[0] in ("kennel", "pets")]:
        del sys.modules[name]


def test_a_folder_is_found_when_it_is_asked_for(folder: Path) -> None:
    import kennel  # type: ignore[import]

    assert "pets.cat" not in sys.modules
    assert dict(kennel.PETS()) == {"cat": "CAT", "dog": "DOG"}
    assert kennel.PETS.module("cat") == "pets.cat" and kennel.PETS.origin("cat") is None


def test_a_name_that_is_not_there_is_refused_with_what_was_meant(folder: Path) -> None:
    import kennel

    with pytest.raises(UserError) as caught:
        kennel.PETS.find("dgo", ("data", "pet"))
    refusal = caught.value
    assert isinstance(refusal, Refusal)
    assert (refusal.message, refusal.allowed, refusal.suggestion, refusal.path) == (
        "there is no pet 'dgo'",
        "cat, dog",
        "dog",
        ("data", "pet"),
    )
    assert str(refusal) == "there is no pet 'dgo'; allowed: cat, dog; did you mean 'dog'?"


def test_two_files_cannot_share_a_name(folder: Path) -> None:
    import kennel

    assert len(kennel.PETS) == 2
    with pytest.raises(RuntimeError, match="pet 'dog' is defined in both pets.dog and elsewhere"):
        kennel.PETS.add("dog", "WOLF", "elsewhere")
    kennel.PETS.add("dog", "HOUND", "pets.dog")  # loaded again
    assert kennel.PETS["dog"] == "HOUND"


def test_a_file_that_cannot_be_imported(folder: Path) -> None:
    (folder / "fish.py").write_text("import no_such_package\n")
    plain: Registry[str] = Registry("pet", "pets")
    with pytest.raises(ImportError):
        list(plain)
    told: Registry[str] = Registry("pet", "pets", broken=lambda name, why: f"{name}: {why}")
    assert "no_such_package" in told["fish"]


PLUGIN = """\
import sys
sys.path.insert(0, {place!r})
import cvinfer.registry as registry
from cvinfer.registry import Registry
PETS = Registry("pet")
PETS.add("dog", "DOG", "here")
sys.modules["kennel"] = sys.modules["__main__"]
{check}
"""


def installed(place: Path, name: str, code: str) -> None:
    """A distribution with an entry point, as an installer leaves it."""
    (place / f"{name}_module.py").write_text(code)
    facts = place / f"{name}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[cvinfer]\nanything = {name}_module\n")


def run(place: Path, check: str) -> None:
    code = PLUGIN.format(place=str(place), check=check)
    subprocess.run([sys.executable, "-c", code], check=True)


ADD = "from kennel import PETS\nPETS.add({0!r}, 1, __name__)\n"


def test_a_plug_in_adds_its_entries(tmp_path: Path) -> None:
    installed(tmp_path, "zoo", ADD.format("yak"))
    run(
        tmp_path,
        "assert list(PETS) == ['dog', 'yak']\n"
        "assert PETS.origin('yak') == 'zoo' and PETS.origin('dog') is None\n"
        "assert [p.reason for p in registry.plugins() if p.distribution == 'zoo'] == [None]\n",
    )


@pytest.mark.parametrize(
    "code, reason",
    [
        (ADD.format("yak") + "import no_such_package\n", "no_such_package"),
        (ADD.format("yak") + "raise SystemExit(3)\n", "SystemExit: 3"),
        (ADD.format("yak") + ADD.format("dog"), "pet 'dog' is defined in both"),
        ("this is no python\n", "SyntaxError"),
    ],
    ids=["import", "exit", "taken", "syntax"],
)
def test_one_that_cannot_be_imported_breaks_nothing(tmp_path: Path, code: str, reason: str) -> None:
    installed(tmp_path, "bad", code)
    installed(tmp_path, "good", ADD.format("cow"))
    run(
        tmp_path,
        "assert list(PETS) == ['dog', 'cow'], list(PETS)\n"
        "found = {p.distribution: p.reason for p in registry.plugins()}\n"
        f"assert {reason!r} in found['bad'] and found['good'] is None, found\n",
    )
