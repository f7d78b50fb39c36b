"""`cvinfer write`: paragraphs for a paper, from a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import MAX_BYTES, PATH, RESULT
from cvinfer.commands._said import write_out


class ProseFormats(click.ParamType):
    """Names of the formats that can write paragraphs, looked up when they are needed."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: Optional[click.Context] = None) -> str:
        from cvinfer.report.formats import formats

        return f"[{'|'.join(name for name, each in formats.items() if each.prose)}]"

    def convert(
        self, value: object, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> str:
        from cvinfer.errors import UserError, listed
        from cvinfer.report.formats import formats

        found = formats.find(str(value))
        if found.prose is None:
            able = [name for name, each in formats.items() if each.prose]
            raise UserError(f"the format {value!r} has no paragraphs", (), listed(able))
        return found.name


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
