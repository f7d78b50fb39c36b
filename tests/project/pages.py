"""The code blocks of the pages that people read, and running them as a reader would.

A page's blocks run one after the other in one working directory, which has the project's specs and
examples and what a page takes for a reader's own (`readers/`, beside this file):

- `sh` and `console` (the lines after `$ `) by bash; each command has to end well,
- `python` in one namespace a section, with the names of `readers/names.py`; `r` by Rscript,
- `yaml` is a spec, or a part of one, which goes on from the parts before it on the page: it has no
  fault. A line "`NAME`:" above a block makes it the file of that name,
- `output` is what the block before it printed, line by line; `...` stands for any lines. Numbers
  count where the packages are those of Debian 12, with which the pages were written,
- what comes below "(Not run here: REASON)" in its section is left out. That is for what no test
  machine has; what this machine lacks (R, Weka, LaTeX) is a reason to skip.

Blocks without a language are no code.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Optional

import yaml

from tests import r_parts

ROOT = Path(__file__).resolve().parents[2]
READERS = Path(__file__).resolve().parent / "readers"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_NOT_RUN = re.compile(r"\(Not run here: [^)]+\)")
_FILE = re.compile(r"^`([^`\n]+)`:$")
_NUMBER = re.compile(r"[-−]?\d+([.,]\d+)*(e[-−]?\d+)?")
#: What a page may show that is no code; a bibliography is checked where it is kept.
SHOWN = {"", "bibtex"}
#: Where a part of a spec does not say it.
PART = {
    "cvinfer": 1,
    "data": {"source": "sklearn", "dataset": "breast_cancer"},
    "learners": {
        "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
        "forest": {"engine": "sklearn", "learner": "RandomForestClassifier"},
        "Bayes": {"engine": "sklearn", "learner": "GaussianNB"},
    },
    "tests": "recommended",
    "positive": "malignant",
}


class Block(NamedTuple):
    """A block of code: where it is, in what language, and the file that it is, if it is one.

    section: where its section begins.
    """

    page: str
    line: int
    section: int
    language: str
    text: str
    file: Optional[str]
    run: bool

    def __str__(self) -> str:
        return f"{self.page}:{self.line} ({self.language})"


def pages() -> "list[str]":
    """All pages of the project, but for those that are generated from numbers alone."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    names = [str(path.relative_to(ROOT)) for path in found]
    outside = ["README.md", "CONTRIBUTING.md", "examples/plugin/README.md"]
    return outside + [name for name in names if not name.startswith("docs/reproduction/")]


def blocks(page: str, text: Optional[str] = None) -> "Iterator[Block]":
    text = (ROOT / page).read_text(encoding="utf-8") if text is None else text
    end = 0
    begun, section = 0, ""
    for found in _FENCE.finditer(text):
        before = text[end : found.start()]
        if _HEADING.search(before):
            begun = end
        section = _HEADING.split(section + before)[-1]
        end = found.end()
        named = _FILE.match(before.strip().rpartition("\n")[2])
        yield Block(
            page,
            text.count("\n", 0, found.start()) + 1,
            begun,
            found[1],
            found[2],
            named[1] if named else None,
            _NOT_RUN.search(section) is None,
        )


def lacking(block: Block, place: Path) -> Optional[str]:
    """Why this machine cannot run a block."""
    named = (
        re.findall(r"[\w./-]+\.ya?ml", block.text) if block.language in ("sh", "console") else []
    )
    texts = [
        block.text,
        *((place / each).read_text("utf-8") for each in named if (place / each).is_file()),
    ]
    for text in texts:
        why = r_parts.why_not(text)
        if why:
            return why
    if block.language == "r":
        packages = re.findall(r"(\w+)::|library\((\w+)", block.text)
        return r_parts.why_no_r() or next(
            filter(None, (r_parts.why_no_package(a or b) for a, b in packages)), None
        )
    for pattern, module in (
        ("cvinfer plot|stability|simulate", "matplotlib"),
        ("--cluster", "distributed"),
    ):
        if re.search(pattern, block.text) and importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    return None


class Reader:
    """Somebody who follows a page in a directory."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.section = -1
        self.names: "dict[str, Any]" = {}
        self.spec: "dict[str, Any]" = dict(PART)
        self.printed = ""
        for name in ("specs", "examples", "schemas"):
            shutil.copytree(ROOT / name, place / name)
        shutil.copytree(ROOT / "specs" / "data", place / "data")
        shutil.copytree(READERS, place, dirs_exist_ok=True)
        tools = place / ".venv" / "bin"
        tools.mkdir(parents=True)
        for name, words in (("python", ""), ("python3", ""), ("cvinfer", " -m cvinfer")):
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
            (tools / name).chmod(0o755)
        (tools / "activate").write_text(f'PATH="{tools}:$PATH"\n')
        self.environment = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "80",
        }

    def follow(self, block: Block) -> None:
        if block.file is not None:
            path = self.place / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        if block.language == "yaml":
            self._check(block)
        elif block.language == "output":
            self._compare(block)
        elif block.file is None and block.language == "python":
            if block.section != self.section:
                self.section = block.section
                self.names = {**runpy.run_path(str(READERS / "names.py")), "__name__": "__main__"}
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                exec(compile(block.text, str(block), "exec"), self.names)
            self.printed = told.getvalue()
        elif block.file is None and block.language == "r":
            self._run(block, ["Rscript", "--no-init-file", "-e", block.text])
        elif block.file is None and block.language in ("sh", "console"):
            lines = re.findall(r"^\$ (.*(?:\\\n.*)*)", block.text, re.MULTILINE)
            text = "\n".join(lines) if block.language == "console" else block.text
            self._run(block, ["bash", "-e", "-o", "pipefail", "-c", text])
        elif block.file is None:
            raise AssertionError(f"{block}: nobody knows how to run this language")

    def _run(self, block: Block, words: "list[str]") -> None:
        from cvinfer.engines._r.installation import library

        own = library()
        link = self.place / ".r-library"
        if own is not None and not link.exists():
            link.symlink_to(own)
        environment = {**self.environment, "R_LIBS": str(own)} if own else self.environment
        done = subprocess.run(
            words,
            cwd=self.place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{block} ended with {done.returncode}:\n{done.stdout}"
        self.printed = done.stdout

    def _check(self, block: Block) -> None:
        """A spec by itself, or a part that goes on from what stands before it."""
        from cvinfer.spec import read_spec, render_all
        from cvinfer.spec.load import is_study_file
        from cvinfer.studies.load import read_study

        part = yaml.safe_load(block.text)
        assert isinstance(part, dict), f"{block} is no mapping"
        if "cvinfer" in part:
            self.spec = part
        else:
            assert set(part) <= _parts(), f"{block}: {set(part) - _parts()} is no part of a spec"
            if len(part.get("learners", ())) == 1:
                part["learners"] = {**self.spec["learners"], **part["learners"]}
            self.spec = {**self.spec, **part}
            for key in _gone(self.spec) - set(part):
                self.spec.pop(key, None)
        path = self.place / "part.yaml"
        path.write_text(yaml.safe_dump(self.spec, allow_unicode=True, sort_keys=False), "utf-8")
        study = is_study_file(path)
        faults = (read_study if study else read_spec)(path, (), allow_code=True).faults
        assert not faults, f"{block}:\n{render_all(faults)}"

    def _compare(self, block: Block) -> None:
        pieces = [_words(each) for each in re.split(r"^\.\.\.$", block.text, flags=re.MULTILINE)]
        at, printed = 0, _words(self.printed)
        for piece in pieces:
            found = printed.find(piece, at)
            assert found >= 0, f"{block}: not printed there, but\n{self.printed}"
            at = found + len(piece)


def _parts() -> "set[str]":
    """The keys of a spec."""
    schema = yaml.safe_load((ROOT / "schemas" / "spec.schema.json").read_text("utf-8"))
    return set(schema["properties"])


def _gone(spec: "dict[str, Any]") -> "set[str]":
    """What was said of data that are others now."""
    from cvinfer.data.registry import sources

    if "study" in spec:
        return {"data", "positive"}
    data = spec["data"]
    gone = set() if data == PART["data"] else {"positive"}
    if isinstance(data, dict) and sources()[data["source"]].elsewhere:
        gone |= {"learners", "compare"}
    return gone


def _words(text: str) -> str:
    """Words with one space between them, without numbers where other packages compute them."""
    one = " ".join(text.split())
    return one if _of_debian_12() else _NUMBER.sub("#", one)


def _of_debian_12() -> bool:
    import sklearn

    return str(sklearn.__version__).startswith("1.2.")
