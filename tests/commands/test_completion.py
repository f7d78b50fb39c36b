"""Completion by shells, and what editors are told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RC = {"bash": ".bashrc", "zsh": ".zshrc", "fish": None}


def cvinfer(home: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ZDOTDIR"))},
        "HOME": str(home),
        **more,
    }
    # As the installed command starts: completion goes by the name of the program.
    command = [sys.executable, "-c", "from cvinfer.cli import main; main()", *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, cwd=home)


@pytest.mark.parametrize("shell", sorted(RC))
def test_it_is_set_up_once(shell: str, tmp_path: Path) -> None:
    rc = tmp_path / str(RC[shell] or "nothing")
    rc.write_text("alias a=b")
    for _ in range(2):
        done = cvinfer(tmp_path, "completion", shell, "--install")
        assert done.returncode == 0, done.stderr
    (file,) = (p for p in tmp_path.rglob("*") if p.is_file() and p != rc)
    assert "_CVINFER_COMPLETE" in file.read_text()
    if RC[shell]:
        first, line = rc.read_text().splitlines()
        assert first == "alias a=b" and line.startswith(f"[ -f {file} ] && . {file}")
    else:
        assert rc.read_text() == "alias a=b"


def test_bash_completes_commands(tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    script = cvinfer(tmp_path, "completion", "bash").stdout
    assert "complete" in script
    words = {"COMP_WORDS": "cvinfer val", "COMP_CWORD": "1"}
    done = cvinfer(tmp_path, _CVINFER_COMPLETE="bash_complete", **words)
    assert "plain,validate" in done.stdout.splitlines()


def test_a_spec_that_was_written_names_its_schema(tmp_path: Path) -> None:
    done = cvinfer(tmp_path, "init", "-o", "-")
    first, text = done.stdout.split("\n", 1)
    assert first.startswith("# yaml-language-server: $schema=file://")
    path = unquote(urlparse(first.partition("=")[2]).path)
    assert Path(path).resolve() == (ROOT / "schemas" / "spec.schema.json").resolve()
    assert yaml.safe_load(text)["cvinfer"] == 1
