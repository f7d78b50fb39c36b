"""`cvinfer write`: paragraphs for a paper, from a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Optional

import click

from cvinfer.commands._formats import Formats
from cvinfer.commands._options import MAX_BYTES, PATH, RESULT
from cvinfer.commands._said import write_out


class ProseFormats(Formats):
    """Those that can write paragraphs."""

    def names(self) -> Iterable[str]:
        from cvinfer.report.formats import prose_names

        return prose_names()

    def found(self, name: str) -> str:
        from cvinfer.report.formats import prose_format

        return prose_format(name)[0].name


@click.command("write", short_help="Write paragraphs for a paper from a finished run.")
@RESULT
@click.option("--format", "form", type=ProseFormats(), default="markdown", show_default=True)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Where they go.")
@MAX_BYTES
def command(result: Path, form: str, output: Optional[Path]) -> None:
    """Write what a paper says of a finished run: methods and results, with citations.

    It says what was compared, on which splits, which test decided and why it may, and what came
    out with statistic, degrees of freedom, p-value and interval. Read it before you use it: why you
    made the comparison, and what it means, is yours to say.

    \b
      cvinfer write results/letter/result.json
      cvinfer write results/letter/result.json --format latex -o methods.tex
    """
    from cvinfer.report import write_prose
    from cvinfer.spec.finished import read_as_result, read_result

    document = read_result(result)
    with read_as_result(result):
        text = write_prose(document, form)
    write_out(text, output)
