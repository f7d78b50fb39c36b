"""The documentation site: built from the pages as they stand, without a warning."""

from __future__ import annotations

import html.parser
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Callable
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_site", ROOT / "docs/generate_site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate_site"] = module
    spec.loader.exec_module(module)
    return module


site = _generator()
needs_sphinx = pytest.mark.skipif(bool(site.missing()), reason="Sphinx or MyST is not installed")


class _Links(html.parser.HTMLParser):
    """What a page loads and where it leads, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads: "list[str]" = []
        self.loads: "list[str]" = []
        self.ids: "set[str]" = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: "list[tuple[str, str | None]]") -> None:
        found = dict(attributes)
        self.ids.add(found.get("id") or "")
        target = found.get("href") or found.get("src")
        if target:
            (self.leads if tag == "a" else self.loads).append(target)


@needs_sphinx
def test_the_site_has_every_page_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    assert site.build(ROOT, tmp_path / "pages", tmp_path / "site") == 0
    built = tmp_path / "site"
    pages = {path: _Links(path.read_text("utf-8")) for path in built.rglob("*.html")}
    for name in site.sources(ROOT):
        assert built / Path(name).with_suffix(".html") in pages, name
    for path, page in pages.items():
        # Nothing comes from elsewhere: the site is read without a network, too.
        assert not [each for each in page.loads if ":" in each], path
        for target in page.leads:
            if ":" in target:
                continue
            file, _, anchor = target.partition("#")
            to = Path(os.path.normpath(path.parent / unquote(file))) if file else path
            assert to.exists(), f"{path.name}: {target}"
            if anchor and to in pages:
                assert unquote(anchor) in pages[to].ids, f"{path.name}: {target}"


def _add(text: str) -> "Callable[[Path], None]":
    def change(docs: Path) -> None:
        with open(docs / "leaks.md", "a", encoding="utf-8") as stream:
            stream.write(text)

    return change


@needs_sphinx
@pytest.mark.parametrize(
    "change",
    [_add("\n[x](tests.md#nowhere)\n"), lambda docs: (docs / "lonely.md").write_text("# Lonely\n")],
    ids=["a heading that is not there", "a page that nothing lists"],
)
def test_what_is_wrong_ends_the_build(tmp_path: Path, change: "Callable[[Path], None]") -> None:
    copy = tmp_path / "copy"
    (copy / "docs").mkdir(parents=True)
    shutil.copytree(ROOT / "docs" / "_site", copy / "docs" / "_site")
    for name in site.OUTSIDE:
        (copy / name).write_text(f"# {name}\n")
    (copy / "docs" / "index.md").write_text(
        "# Site\n\n## Pages\n\n[a](leaks.md) [b](tests.md)\n"
        + " ".join(f"[{name}](../{name})" for name in site.OUTSIDE)
    )
    for name in ("leaks", "tests"):
        (copy / "docs" / f"{name}.md").write_text("# Page\n\n## Part\n\n[a part](#part)\n")
    assert site.build(copy, tmp_path / "pages", tmp_path / "site") == 0
    change(copy / "docs")
    assert site.build(copy, tmp_path / "pages", tmp_path / "site") != 0


def test_links_lead_somewhere_or_are_named() -> None:
    """Without Sphinx, too."""
    pages = site.Pages(ROOT)
    for name in pages.paths:
        pages.staged(name)
    pages.paths["index.md"] = ROOT / "docs" / "nowhere" / "index.md"
    with pytest.raises(SystemExit, match="leads nowhere"):
        pages._link("index.md", site.LINK.search("[x](tests.md)"))


def test_without_sphinx_it_says_what_is_missing() -> None:
    code = (
        "import importlib.util, runpy; importlib.util.find_spec = lambda name: None;"
        f"runpy.run_path({str(ROOT / 'docs/generate_site.py')!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "apt-get install python3-sphinx python3-myst-parser" in done.stderr
