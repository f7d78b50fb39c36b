"""The files of a result: each appears whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping

from cvinfer.whole import whole

#: The page that is written beside every document.
PAGE_NAME = "report.html"


def canonical(document: Mapping[str, Any]) -> str:
    """The one way to write a document: sorted keys, no NaN, a newline at the end."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def write_report(
    directory: Path, document: Mapping[str, Any], *, timed: bool = True
) -> tuple[Path, ...]:
    """Write result.json, the file of every format that has one, and references.bib.

    Those that tell times can be left to `write_timed`, where the times are still to come.
    """
    from cvinfer.inference import bibliography
    from cvinfer.report.formats import files_of

    formats = {file: each for file, each in files_of("result").items() if timed or not each.timed}
    # All texts are made before the first is written.
    texts = {file: each.render(document) for file, each in formats.items()}
    texts["references.bib"] = bibliography()
    written = [write_result(directory, document)]
    written += [write_text(Path(directory) / name, text) for name, text in texts.items()]
    return tuple(written)


def write_timed(directory: Path, document: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write the files that tell times, which are in `facts`."""
    from cvinfer.report.formats import files_of

    for file, each in files_of("result").items():
        if each.timed:
            write_text(Path(directory) / file, each.render(document, facts=facts))


def write_result(directory: Path, document: Mapping[str, Any]) -> Path:
    """Write `result.json` into `directory`."""
    from cvinfer.spec.finished import RESULT_NAME

    return write_text(Path(directory) / RESULT_NAME, canonical(document))


def write_text(path: Path, text: str) -> Path:
    """Write a file beside its place and move it there, so that nobody meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as stream:
        # Half a surrogate pair (from a broken file name) becomes its JSON escape.
        stream.write(text.encode("utf-8", errors="backslashreplace"))
    return path
