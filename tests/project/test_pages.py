"""Every code block of every page runs, as the page says (`tests/project/pages.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.pages import SHOWN, Reader, blocks, lacking, pages

PAGES = {page: list(blocks(page)) for page in pages()}


@pytest.mark.parametrize(
    "page", [page for page, found in PAGES.items() if {b.language for b in found} - SHOWN]
)
def test_every_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reader, left = Reader(tmp_path), []
    for block in PAGES[page]:
        if not block.run or block.language in SHOWN:
            continue
        why = lacking(block, tmp_path)
        if why is None:
            reader.follow(block)
        else:
            left.append(f"{block}: {why}")
    if left:
        pytest.skip("; ".join(left))


WRONG = {
    "a command that fails": "```sh\ncvinfer validate nowhere.yaml\n```\n",
    "python that fails": "```python\nassert 1 == 2\n```\n",
    "a misspelt key": "```yaml\ndata: {source: csv, path: things.csv, targte: kind}\n```\n",
    "no part of a spec": "```yaml\nlerners: {}\n```\n",
    "other output": "```python\nprint(1)\n```\n\n```output\ntwo\n```\n",
    "a language that nobody runs": "```cobol\nSTOP RUN\n```\n",
}


@pytest.mark.parametrize("page", WRONG.values(), ids=list(WRONG))
def test_what_does_not_run_is_found(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reader, found = Reader(tmp_path), list(blocks("page.md", page))
    for block in found[:-1]:
        reader.follow(block)
    with pytest.raises(AssertionError):
        reader.follow(found[-1])


def test_what_a_page_says_of_its_blocks() -> None:
    page = (
        "# One\n\n`a.yaml`:\n\n```yaml\nx: 1\n```\n\n(Not run here: there is no Slurm.) So:\n\n"
        "```sh\nsbatch\n```\n\n```sh\nsqueue\n```\n\n## Two\n\n```sh\nls\n```\n"
    )
    found = [(each.line, each.file, each.run) for each in blocks("page.md", page)]
    assert found == [(5, "a.yaml", True), (11, None, False), (15, None, False), (21, None, True)]
