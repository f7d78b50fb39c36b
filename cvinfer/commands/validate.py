"""`cvinfer validate`: all faults of specs, told at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Iterator, Optional, Sequence

import click

from cvinfer.commands._options import JSON, PATH, spec_options
from cvinfer.commands._said import tell
from cvinfer.foreign import say, say_json

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike
    from cvinfer.spec.faults import Fault


@click.command("validate", short_help="Find all faults of specs.")
@click.argument("specs", nargs=-1, required=True, type=PATH, metavar="SPEC...")
@spec_options
@JSON
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[Path, ...],
    overrides: tuple[str, ...],
    allow_code: bool,
    as_json: bool,
) -> None:
    """Check specs without running them; all faults are told at once, with their places.

    What looks like a leak in the data is told as a note, and is no fault: docs/leaks.md.

    Exit code 2 if there is a fault. With --json the faults are a list of objects with file, line,
    column, path, message, allowed, suggestion, source_line and there (what the data has).

    \b
      cvinfer validate spec.yaml
      cvinfer validate specs/*.yaml --json
    """
    from cvinfer.spec import as_json as faults_as_json
    from cvinfer.spec import render_all

    every: list[Fault] = []
    for spec in specs:
        read, faults = _looked_at(spec, overrides, allow_code)
        every += faults
        if not as_json:
            say(render_all(faults) if faults else f"{spec}: ok")
            for note in [] if faults else _leaks(read):
                say(f"  note: {note}")
    if as_json:
        say_json(faults_as_json(every))
    elif every:
        tell(f"{len(every)} fault{'s' * (len(every) > 1)} found")
    if every:
        ctx.exit(2)


def _looked_at(
    spec: Path, overrides: tuple[str, ...], allow_code: bool
) -> tuple[Sequence[Optional[DataLike]], Sequence[Fault]]:
    """The data sets and the faults of a comparison, or of a study, which has no data of its own."""
    from cvinfer.spec import read_spec
    from cvinfer.spec.load import is_study_file

    if is_study_file(spec):
        from cvinfer.studies.load import read_study

        return (), read_study(spec, overrides, allow_code).faults
    _, read, faults = read_spec(spec, overrides, allow_code)
    return read, faults


def _leaks(sets: Sequence[Optional[DataLike]]) -> Iterator[str]:
    """What is noticed of leaks in data sets that were read."""
    from cvinfer.data import Dataset
    from cvinfer.data.leaks import data_notes

    for data in sets:
        if isinstance(data, Dataset):
            yield from (f"{data.name}: {note}" for note in data_notes(data))
