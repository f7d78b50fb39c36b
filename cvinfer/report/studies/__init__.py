"""What a study shows: tables and pictures of a study.json, from the document and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from cvinfer.documents import JsonObject

STUDY_NAME = "study.json"


def render_study(document: JsonObject, format: str, width: Optional[int] = None) -> str:
    """The tables of a study as one text; `width` is for formats that fit one."""
    from cvinfer.report.formats import formats

    options = {} if width is None else {"width": width}
    return formats.find(format).render(document, **options)


def write_study(
    directory: Path, document: JsonObject, pictured: Optional[JsonObject] = None
) -> tuple[list[Path], list[str]]:
    """Write the file of every format that has one for such a document, and the plots.

    Not the document itself. Plots are of cells; a document that has none is `pictured` as one that
    does. The second says in words what could not be made: without matplotlib there are no plots.
    """
    from cvinfer.report.files import write_text
    from cvinfer.report.formats import files_of
    from cvinfer.report.kinds import kind_of
    from cvinfer.report.plots import left_out, write_plots

    cells = document if pictured is None else pictured
    kind = kind_of(document).name
    # All texts are made before the first is written.
    texts = {file: each.render(document) for file, each in files_of(kind).items()}
    written = [write_text(Path(directory) / name, text) for name, text in texts.items()]
    missing = left_out(cells)
    return written + write_plots(Path(directory), cells), [missing] if missing else []
