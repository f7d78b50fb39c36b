"""`cvinfer table`: the tables of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import click

from cvinfer.commands._options import MAX_BYTES, PATH, RESULT
from cvinfer.commands._said import write_out


class Formats(click.ParamType):
    """Names of the formats, looked up when they are needed: `cvinfer --help` asks no plug-in."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: Optional[click.Context] = None) -> str:
        from cvinfer.report.formats import formats

        return f"[{'|'.join(formats)}]"

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> str:
        from cvinfer.report.formats import formats

        return formats.find(value).name


@click.command("table", short_help="Print the tables of a finished run.")
@RESULT
@click.option(
    "--format",
    "form",
    type=Formats(),
    default="text",
    show_default=True,
    help="csv has every number in full precision.",
)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Where the table goes.")
@MAX_BYTES
def command(result: Path, form: str, output: Optional[Path]) -> None:
    """Print the tables of a finished run.

    \b
      cvinfer table results/letter/result.json --format latex
      cvinfer table results/letter/result.json --format csv -o letter.csv
    """
    from cvinfer.report import render
    from cvinfer.report.terminal import print_result
    from cvinfer.spec.finished import read_as_result, read_result

    document = read_result(result)
    with read_as_result(result):
        text = render(document, form)
    if form == "text" and output is None:
        print_result(document)
    else:
        write_out(text, output)
