"""`cvinfer plot`: a picture of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import MAX_BYTES, PATH, RESULT


class Kinds(click.ParamType):
    """Kinds of pictures, looked up when they are needed: `cvinfer --help` asks no plug-in."""

    name = "kind"

    def get_metavar(self, param: click.Parameter, ctx: Optional[click.Context] = None) -> str:
        from cvinfer.report.pictures import pictures

        return f"[{'|'.join(pictures)}]"

    def convert(
        self, value: object, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> str:
        from cvinfer.report.pictures import pictures

        return pictures.find(str(value)).name


@click.command("plot", short_help="Draw a picture of a finished run.")
@RESULT
@click.option("--kind", type=Kinds(), required=True, help="What to draw.")
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    required=True,
    help="Where it goes; the ending says as what: .pdf, .png or .svg.",
)
@click.option(
    "--columns",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="As wide as one column of a paper that has two, or as both.",
)
@click.option("--measure", metavar="NAME", help="Of which measure, where there are several.")
@MAX_BYTES
def command(result: Path, kind: str, output: Path, columns: str, measure: Optional[str]) -> None:
    """Draw a picture of a finished run, with matplotlib.

    \b
      cvinfer plot results/many/result.json --kind ranks -o ranks.pdf
      cvinfer plot results/many/result.json --kind ranks --columns 2 -o ranks.svg
    """
    from cvinfer.errors import UserError
    from cvinfer.foreign import say
    from cvinfer.report.pictures import WIDTHS, Paper, drawn, form_of
    from cvinfer.spec.finished import read_as_result, read_result
    from cvinfer.whole import whole

    form = form_of(output)
    document = read_result(result)
    with read_as_result(result):
        content = drawn(document, kind, form, Paper(WIDTHS[int(columns)], measure))
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with whole(output) as stream:
            stream.write(content)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror or error}") from None
    say(f"written: {output}")
