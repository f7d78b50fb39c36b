"""`cvinfer calibrate`: do the tests hold on these data with these learners?"""

from __future__ import annotations

from typing import Optional

import click

from cvinfer.commands._resume import Remembering
from cvinfer.commands._said import show_finished
from cvinfer.commands._work import Work, working


@click.command("calibrate", cls=Remembering, short_help="Whether the tests hold on your data.")
@working(stop="Stop when a block of replications is lost.")
@click.option(
    "--replications",
    type=click.IntRange(min=2, max=100_000),
    default=200,
    show_default=True,
    help="How many sets are drawn; stored ones are reused.",
)
@click.option(
    "--n",
    type=click.IntRange(min=10, max=10**9),
    help="Records of each set, at most half of those there are (default: half).",
)
def command(ctx: click.Context, work: Work, replications: int, n: Optional[int]) -> None:
    """Measure how often the tests claim what is not so, on your data with your learners.

    The records are taken for the population: sets of at most half of them are drawn, every test of
    the spec is made on each, and what it claims of the difference is held against the true one,
    measured on records not trained on. A learner that is random is also compared with itself, with
    two seeds. Recommends the test to take as primary, or says that none held. Replications are
    stored as they finish; an interrupted command goes on where it stopped. The result is
    calibrate.json in results/NAME, with tables and a plot beside it. Exit code 3 means that some
    fits failed; they are counted.

    \b
      cvinfer calibrate spec.yaml
      cvinfer calibrate spec.yaml --set tests=all
      cvinfer calibrate spec.yaml --n 100 --replications 1000 --jobs 4
    """
    from cvinfer.studies.calibrate import calibrate

    found = calibrate(work.spec, replications, n, **work.begin(ctx))
    show_finished(ctx, found, "Blocks of replications", work.verbose)
