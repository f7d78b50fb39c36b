"""What a study writes into its directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.report.files import write_text
from cvinfer.report.studies import STUDY_NAME, write_study
from cvinfer.runner.files import no_place


def study_text(document: JsonObject) -> str:
    """A document of a study as text: one line for each entry, so that two can be compared."""
    lines = []
    for key, value in document.items():
        several = isinstance(value, list) and value and isinstance(value[0], dict)
        entries = ",\n  ".join(map(_line, value)) if several else ""
        text = f"[\n  {entries}\n ]" if several else _line(value)
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_study_files(
    directory: Path, document: JsonObject
) -> tuple[Sequence[Path], Sequence[str]]:
    """study.json, tables and plots; what could not be made is told in the second."""
    return _written(directory, STUDY_NAME, document)


def write_stability_files(
    directory: Path, document: JsonObject
) -> tuple[Sequence[Path], Sequence[str]]:
    """stability.json, tables and plots."""
    from cvinfer.report.kinds.stability import pictured

    return _written(directory, "stability.json", document, pictured(document))


def write_calibrate_files(
    directory: Path, document: JsonObject
) -> tuple[Sequence[Path], Sequence[str]]:
    """calibrate.json, tables and plots."""
    from cvinfer.report.kinds.calibrate import pictured

    return _written(directory, "calibrate.json", document, pictured(document))


def _written(
    directory: Path, name: str, document: JsonObject, pictured: Optional[JsonObject] = None
) -> tuple[Sequence[Path], Sequence[str]]:
    try:
        path = directory / name
        write_text(path, study_text(document))
        made, remarks = write_study(directory, document, pictured)
    except OSError as error:
        raise no_place(directory, error) from None
    return [path, *made], remarks
