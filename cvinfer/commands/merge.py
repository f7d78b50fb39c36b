"""`cvinfer merge`: replications of one study that were made apart, added up."""

from __future__ import annotations

from pathlib import Path

import click

from cvinfer.commands._options import PATH, VERBOSE
from cvinfer.commands._said import AFTER, say_below
from cvinfer.foreign import say


@click.command("merge", short_help="Add replications of one study that were made apart.")
@click.argument("studies", nargs=-1, required=True, type=PATH, metavar="STUDY.JSON...")
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="DIR",
    default=Path("merged"),
    show_default=True,
    help="Directory of the result.",
)
@VERBOSE
def command(studies: tuple[Path, ...], output: Path, verbose: bool) -> None:
    """Add up replications of one study that were made at other times or places.

    The files must be of the same study and have no replication in common; what comes out is what
    one run of all of them would have given, to the last bit.

    \b
      cvinfer merge first/study.json second/study.json --output both
    """
    from cvinfer.report.terminal import print_document
    from cvinfer.runner.files import refuse_unwritable
    from cvinfer.studies.document import merge
    from cvinfer.spec.finished import read_kind
    from cvinfer.studies.files import write_study_files

    documents = [read_kind(path, "study") for path in studies]
    merged = merge(documents, [str(path) for path in studies])
    refuse_unwritable(output)
    files, remarks = write_study_files(output, merged)
    print_document(merged, verbose=verbose, after=AFTER)
    say_below(f"\nFiles: {', '.join(path.name for path in files)} in {output}")
    for remark in remarks:
        say(remark)
