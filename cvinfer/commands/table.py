"""`cvinfer table`: the tables of a finished run or study."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Mapping, Optional, TypeVar

import click

from cvinfer.commands._formats import Formats
from cvinfer.commands._options import DOCUMENT, MAX_BYTES, PATH, VERBOSE
from cvinfer.commands._said import write_out
from cvinfer.errors import UserError
from cvinfer.paper import CHOICES, points


Command = TypeVar("Command", bound=Callable[..., Any])


def _paper(name: str, what: str) -> Callable[[Command], Command]:
    """An option of `cvinfer.paper` that is one of a few words."""
    return click.option(f"--{name}", type=click.Choice(CHOICES[name]), help=what)


def _given(form: str, options: Mapping[str, Optional[str]]) -> dict[str, Any]:
    """What is said of the paper, which only one format can use."""
    given: dict[str, Any] = {key: each for key, each in options.items() if each is not None}
    if given and form != "latex":
        named = ", ".join(f"--{key}" for key in given)
        raise UserError(f"{named} has no meaning for the format {form}", (), "--format latex")
    if "tests" in given:
        given["tests"] = [name.strip() for name in given["tests"].split(",") if name.strip()]
    if "width" in given:
        points(given["width"])
    return given


@click.command("table", short_help="Print the tables of a finished run or study.")
@DOCUMENT
@click.option(
    "--format",
    "form",
    type=Formats(),
    default="text",
    show_default=True,
    help="csv has every number in full precision.",
)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Where the table goes.")
@_paper("columns", "Columns of the paper (latex).")
@click.option("--width", metavar="LENGTH", help="What a table may take, such as 3.3in (latex).")
@_paper("notes", "How notes are set (latex).")
@_paper("numbers", "How numbers are set (latex).")
@_paper("correction", "p-values corrected within each data set, or over all (latex).")
@click.option(
    "--tests", metavar="A,B", help="Tests with a column beside the one that decides (latex)."
)
@VERBOSE
@MAX_BYTES
def command(
    document: Path, form: str, output: Optional[Path], verbose: bool, **paper: Optional[str]
) -> None:
    """Print the tables of a finished run or study (result, study, stability or calibrate.json).

    Options of the paper are those of `output: {latex: ...}` in the spec, and go before them.

    \b
      cvinfer table results/letter/result.json --verbose
      cvinfer table results/letter/result.json --format latex
      cvinfer table results/letter/result.json --format latex --columns two --numbers siunitx
      cvinfer table results/letter/result.json --format csv -o letter.csv
    """
    from cvinfer.report import render
    from cvinfer.report.formats import formats
    from cvinfer.report.screen import LINES
    from cvinfer.report.terminal import print_document
    from cvinfer.spec.finished import read_as_result, read_document

    options = _given(form, paper)
    if formats.find(form).brief and output is None and not verbose:
        options["most"] = LINES
    found = read_document(document)
    with read_as_result(document):
        text = render(found, form, **options)
    if form == "text" and output is None:
        print_document(found, verbose=verbose)
    else:
        write_out(text, output)
