"""`cvinfer stability`: does a comparison say the same when its records are partitioned anew?"""

from __future__ import annotations


import click

from cvinfer.commands._resume import Remembering
from cvinfer.commands._said import show_finished
from cvinfer.commands._work import Work, working


@click.command("stability", cls=Remembering, short_help="How much hangs on the partition.")
@working(stop="Stop when a block of runs is lost.")
@click.option(
    "--runs",
    type=click.IntRange(min=2, max=100_000),
    default=50,
    show_default=True,
    help="How often the records are partitioned; stored runs are reused.",
)
def command(ctx: click.Context, work: Work, runs: int) -> None:
    """Partition the records of a comparison anew, many times: does it say the same?

    Tells for every pair how often the verdict comes out which way, for every test how often it
    rejects and what p-values it has, and how probably two partitions agree (replicability). Runs
    are stored as they finish; an interrupted command goes on where it stopped, and more runs cost
    what is new. The result is stability.json in results/NAME, with tables and plots beside it. Exit
    code 3 means that some fits failed; they are counted.

    \b
      cvinfer stability spec.yaml
      cvinfer stability spec.yaml --runs 200 --jobs 4
      cvinfer stability spec.yaml --set tests=all --output partitions
    """
    from cvinfer.studies.stability import stability

    found = stability(work.spec, runs, **work.begin(ctx))
    show_finished(ctx, found, "Blocks of runs", work.verbose)
