"""The files of a result: each appears whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping

from cvinfer.report.formats import files_of
from cvinfer.whole import whole


def canonical(document: Mapping[str, Any]) -> str:
    """The one way to write a document: sorted keys, no NaN, a newline at the end."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def write_report(directory: Path, document: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write result.json, the file of every format that has one, and references.bib."""
    from cvinfer.inference import bibliography

    # All texts are made before the first is written.
    texts = {file: each.render(document) for file, each in files_of("result").items()}
    texts["references.bib"] = bibliography()
    written = [write_result(directory, document)]
    written += [write_text(Path(directory) / name, text) for name, text in texts.items()]
    return tuple(written)


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
