"""Build the documentation site from the pages of docs/ into build/site, with Sphinx and MyST.

The pages are plain Markdown whose links work in the repository, too. They are copied to
build/site-pages; there a link to a page of the site leads to it, one to another file of the project
to a copy of that file, and one to a directory becomes its name. Which page stands where in the list
of contents is what docs/index.md lists under its headings, and what those pages list of folders
below them. Whatever is wrong (a link that leads nowhere, a page that nothing lists, a warning of
Sphinx) ends it with a code other than 0.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Optional

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
#: Pages of the site that lie outside docs/, with their names there.
OUTSIDE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
FIRST = "index.md"
NEEDS = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser"}

CODE = re.compile(r"^(```.*?^```[^\n]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def sources(root: Path) -> "dict[str, Path]":
    """The pages of the site, by their place on it."""
    docs = root / "docs"
    found = {str(path.relative_to(docs)): path for path in sorted(docs.rglob("*.md"))}
    return {**found, **{name: root / path for path, name in OUTSIDE.items()}}


def outside_code(text: str) -> "Iterator[tuple[bool, str]]":
    """Pieces of a page, each with whether it is prose."""
    for at, piece in enumerate(CODE.split(text)):
        yield at % 2 == 0, piece


def links(text: str) -> "Iterator[re.Match[str]]":
    for prose, piece in outside_code(text):
        if prose:
            yield from LINK.finditer(piece)


def is_address(target: str) -> bool:
    return target.startswith("#") or re.match(r"[a-z]+:", target) is not None


class Pages:
    """All pages, and where their links lead."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths = sources(root)
        self.names = {path: name for name, path in self.paths.items()}
        self.files: "dict[str, Path]" = {}

    def text(self, name: str) -> str:
        return self.paths[name].read_text(encoding="utf-8")

    def page(self, name: str, target: str) -> Optional[str]:
        """The page that a link on another leads to; a directory stands for its README.md."""
        if is_address(target):
            return None
        path = Path(os.path.normpath(self.paths[name].parent / target.partition("#")[0]))
        return self.names.get(path / "README.md" if path.is_dir() else path)

    def linked(self, name: str, text: str) -> "dict[str, str]":
        """Pages that a text on a page leads to, each with the words of its first link."""
        found: "dict[str, str]" = {}
        for each in links(text):
            page = self.page(name, each["target"])
            if page is not None and page != name:
                found.setdefault(page, each["text"])
        return found

    def _link(self, name: str, found: "re.Match[str]") -> str:
        target = found["target"]
        if is_address(target):
            return found[0]
        page, anchor = self.page(name, target), target.partition("#")[2]
        above = "../" * name.count("/")
        if page is not None:
            return f"{found['image']}[{found['text']}]({above}{page}{anchor and '#' + anchor})"
        path = Path(os.path.normpath(self.paths[name].parent / target))
        if not path.exists() or self.root not in path.parents:
            raise SystemExit(f"{self.paths[name]}: {target} leads nowhere")
        if path.is_dir():
            return f"`{path.relative_to(self.root)}`"
        place = str(Path("files") / path.relative_to(self.root))
        self.files[place] = path
        return f"{found['image']}[{found['text']}]({above}{place})"

    def staged(self, name: str) -> str:
        """The page with its links as they are on the site, and its list of contents."""
        pieces = (
            LINK.sub(lambda found: self._link(name, found), piece) if prose else piece
            for prose, piece in outside_code(self.text(name))
        )
        return "".join(pieces) + "".join(self.contents(name))

    def contents(self, name: str) -> "Iterator[str]":
        """What Sphinx makes the list of contents of, on the first page in its own words."""
        text, above = self.text(name), "../" * name.count("/")
        if name == FIRST:
            parts = HEADING.split(text)
            for caption, part in zip(parts[1::2], parts[2::2]):
                found = self.linked(name, part)
                yield tree([f"{words} <{page[:-3]}>" for page, words in found.items()], caption)
        else:
            folder = name[: -len("README.md")] if name.endswith("README.md") else f"{name[:-3]}/"
            found = self.linked(name, text)
            yield tree([above + page[:-3] for page in found if page.startswith(folder)])


def tree(entries: "list[str]", caption: str = "") -> str:
    if not entries:
        return ""
    head = f":caption: {caption}\n" if caption else ""
    return "\n\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(entries) + "\n```\n"


def stage(root: Path, place: Path) -> None:
    """All that Sphinx reads."""
    shutil.rmtree(place, ignore_errors=True)
    pages = Pages(root)
    for name in pages.paths:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages.staged(name), encoding="utf-8")
    for name, path in pages.files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place / name)
    shutil.copytree(root / "docs" / "_site", place, dirs_exist_ok=True)


def missing() -> "list[str]":
    return [package for name, package in NEEDS.items() if importlib.util.find_spec(name) is None]


def build(root: Path, pages: Path, site: Path) -> int:
    """The code that Sphinx ends with; a warning is a fault."""
    stage(root, pages)
    words = ["-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-E", str(pages), str(site)]
    return subprocess.run([sys.executable, *words], check=False).returncode


def main() -> int:
    lacking = missing()
    if lacking:
        print(f"The site is not built: apt-get install {' '.join(lacking)}", file=sys.stderr)
        return 1
    site = ROOT / "build" / "site"
    shutil.rmtree(site, ignore_errors=True)
    code = build(ROOT, ROOT / "build" / "site-pages", site)
    if code == 0:
        print(f"The site begins at {(site / 'index.html').relative_to(ROOT)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
