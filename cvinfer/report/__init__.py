"""From finished runs to the result document, and from the document to tables.

`document.build` makes the document, `document.write_result` writes it, `render` turns it into
LaTeX, Markdown, CSV or plain text. Rendering reads the document and nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

from cvinfer.errors import UserError
from cvinfer.foreign import shown_all

FORMATS = ("latex", "markdown", "csv", "text")

__all__ = ["FORMATS", "render", "write_report"]


def render(document: Mapping[str, Any], format: str) -> str:
    """The tables of a result document as one text in `format`, one of `FORMATS`."""
    if format == "latex":
        from cvinfer.report.latex import latex

        return latex(document)  # which has its own way to show what LaTeX cannot
    document = shown_all(document)
    if format == "markdown":
        from cvinfer.report.markdown import markdown

        return markdown(document)
    if format == "csv":
        from cvinfer.report.tables import csv_text

        return csv_text(document)
    if format == "text":
        from cvinfer.report.terminal import plain_text

        return plain_text(document)
    raise UserError(f"there is no format {format!r}; it is one of {', '.join(FORMATS)}")


def write_report(directory: Path, document: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write result.json, result.tex, references.bib and result.md; each appears whole or not."""
    from cvinfer.inference import bibliography
    from cvinfer.analysis.document import write_result, write_text

    texts = {
        "result.tex": render(document, "latex"),
        "references.bib": bibliography(),
        "result.md": render(document, "markdown"),
    }
    written = [write_result(directory, document)]
    written += [write_text(Path(directory) / name, text) for name, text in texts.items()]
    return tuple(written)
