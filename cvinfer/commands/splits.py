"""`cvinfer splits`: the partitions of a spec, for any program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Sequence

import click

from cvinfer.commands._options import PATH, SPEC, spec_options
from cvinfer.errors import UserError
from cvinfer.foreign import say

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike
    from cvinfer.spec import Spec


@click.command("splits", short_help="Write the partitions to a csv file.")
@SPEC
@spec_options
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="FILE",
    help="Where the splits go; a name in .gz is packed.",
)
def command(spec: Path, overrides: tuple[str, ...], allow_code: bool, output: Path) -> None:
    """Write the partitions of a spec: scheme, replication, fold, role, record (from 0).

    Any program can run on these very splits, and `partition: {scheme: file, path: splits.csv}`
    reads them back. With several data sets each has a file of its own, named after it.

    \b
      cvinfer splits spec.yaml -o splits.csv
      cvinfer splits spec.yaml -o splits.csv.gz
    """
    from cvinfer import runner

    checked, sets = runner.load(spec, overrides, allow_code)
    for path in write_partitions(checked, sets, output):
        say(f"written: {path}")


def write_partitions(spec: Spec, sets: Sequence[DataLike], output: Path) -> list[Path]:
    """Write the partitions of each data set; the files, one for each."""
    from cvinfer.data import Dataset, write_splits
    from cvinfer.places import file_names
    from cvinfer.planning import plan_run

    written = []
    names = file_names([dataset.name for dataset in sets])
    for dataset, name in zip(sets, names):
        if isinstance(dataset, Dataset):
            made = plan_run(spec, dataset)
            used = {at for use in (*made.uses, *made.interval_uses) for at in use.partitions}
            partitions = [partition for at, partition in enumerate(made.partitions) if at in used]
        else:
            partitions = list(dataset.partitions)
        path = output if len(sets) == 1 else _named(output, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_splits(partitions, path)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}") from None
        written.append(path)
    return written


def _named(output: Path, name: str) -> Path:
    """splits-iris.csv.gz for splits.csv.gz and iris."""
    stem, dot, suffixes = output.name.partition(".")
    return output.with_name(f"{stem}-{name}{dot}{suffixes}")
