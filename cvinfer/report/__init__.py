"""From a finished document to tables and files.

`render` turns it into one of the formats of the folder `formats`, `write_report` writes the files
of a run. All of it reads the document and nothing else, and never changes it.
"""

from __future__ import annotations

import importlib
from typing import Any, Mapping

from cvinfer.report.files import write_report

__all__ = ["get_ready", "render", "write_prose", "write_report"]


def render(document: Mapping[str, Any], name: str, **options: Any) -> str:
    """The tables of a result document as one text in the format of that name.

    `options` are the format's own.
    """
    from cvinfer.report.formats import formats

    return formats.find(name).render(document, **options)


def write_prose(document: Mapping[str, Any], name: str) -> str:
    """Paragraphs on a result for a paper, in the format of that name."""
    from cvinfer.foreign import shown_all
    from cvinfer.report.formats import prose_format
    from cvinfer.report.prose import paragraphs

    form, written = prose_format(name)
    return written(paragraphs(document if form.as_it_is else shown_all(document)))


def get_ready() -> None:
    """Load what writing a run's files needs, while there is time."""
    from cvinfer.report.formats import files_of

    for each in files_of("result").values():
        for module in each.needs:
            importlib.import_module(module)
