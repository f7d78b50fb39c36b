"""`cvinfer init`: a spec that runs, for a file of data."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import MAX_BYTES, NO_CACHE, PATH
from cvinfer.commands._said import tell
from cvinfer.foreign import say, say_whole


@click.command("init", short_help="Write a spec that runs, for your data.")
@click.argument("data", required=False, type=PATH, metavar="[DATA]")
@click.option("--target", help="Column with the classes; needed where DATA is given.")
@click.option(
    "--learners",
    metavar="NAMES",
    help="Learners with commas between, as cvinfer list learners has them; ENGINE:NAME for one of"
    " another engine than scikit-learn, such as rweka:J48.",
)
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="Leave out a column; can be said again."
)
@click.option("--encoding", help="Encoding of the file (default: utf-8, or a guess that is told).")
@click.option("--separator", help="Character between fields of a csv file (default: it is found).")
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="Decimal mark of numbers in a csv file (default: it is found).",
)
@click.option(
    "-o",
    "--output",
    type=PATH,
    default=Path("spec.yaml"),
    show_default=True,
    metavar="FILE",
    help="Where the spec goes; - prints it.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@MAX_BYTES
@NO_CACHE
def command(
    data: Optional[Path],
    target: Optional[str],
    learners: Optional[str],
    drop: tuple[str, ...],
    encoding: Optional[str],
    separator: Optional[str],
    decimal: Optional[str],
    output: Path,
    force: bool,
) -> None:
    """Write a commented spec that runs: for DATA (csv, arff, parquet), or as a first example.

    \b
      cvinfer init
      cvinfer init data.csv --target class
      cvinfer init data.csv --target class -o comparison.yaml
      cvinfer init data.csv --target class --learners GaussianNB,SVC,rweka:J48 --drop id
    """
    from cvinfer.commands._scaffold import Wishes, spec_text, write_spec

    separator = {"tab": "\t", "\\t": "\t"}.get(str(separator), separator)
    wishes = Wishes(target, learners, drop, encoding, separator, decimal)

    if str(output) == "-":
        text, notes = spec_text(data, wishes, Path("spec.yaml"))
        say_whole(text)
    else:
        notes = write_spec(data, wishes, output, force)
    for note in notes:
        tell(f"note: {note}")
    if str(output) == "-":
        return
    say(f"written: {output}")
    say(f"Next: cvinfer run {shlex.quote(str(output))}")
