"""`cvinfer report`: a finished run or study as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._documents import read_facts
from cvinfer.commands._options import DOCUMENT, MAX_BYTES, PATH
from cvinfer.commands._said import write_out


@click.command("report", short_help="Write the page of a finished run or study.")
@DOCUMENT
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    help="Where the page goes (default: report.html beside the document; - is standard output).",
)
@MAX_BYTES
def command(document: Path, output: Optional[Path]) -> None:
    """Write a result, study, stability or calibrate.json as one HTML page.

    The page needs nothing beside it: no network, no script, no other file. It is for screens, light
    and dark, and for paper. Times are taken from run.json beside the document, if it is there.

    \b
      cvinfer report results/letter/result.json
      cvinfer report study.json -o study.html
    """
    from cvinfer.report.files import PAGE_NAME
    from cvinfer.report.formats import formats
    from cvinfer.spec.finished import read_as_result, read_document

    found = read_document(document)
    with read_as_result(document):
        text = formats.find("html").render(found, facts=read_facts(document))
    folder = document if document.is_dir() else document.parent
    write_out(text, folder / PAGE_NAME if output is None else output)
