"""`cvinfer simulate`: a study of error rates, power, coverage and replicability."""

from __future__ import annotations

import re
from typing import Optional

import click

from cvinfer.commands._resume import Remembering
from cvinfer.commands._said import show_finished
from cvinfer.commands._work import Work, working


class Replications(click.ParamType):
    """A range of replications, such as 501-1000."""

    name = "range"

    def convert(
        self, value: object, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return int(value[0]), int(value[1])
        found = re.fullmatch(r"\s*(\d{1,9})\s*-\s*(\d{1,9})\s*", str(value))
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            self.fail(f"{value!r} is no range of replications, such as 501-1000", param, ctx)
        return int(found[1]), int(found[2])


@click.command("simulate", cls=Remembering, short_help="Run a study: error rates, power, coverage.")
@working(stop="Stop when a block of replications is lost.")
@click.option(
    "--replications",
    type=click.IntRange(min=1, max=10**8),
    help="As many as this in the place of the study's own number; stored ones are reused.",
)
@click.option(
    "--range",
    "range_",
    type=Replications(),
    metavar="FIRST-LAST",
    help="These replications only, to be added to others by cvinfer merge.",
)
def command(
    ctx: click.Context, work: Work, replications: Optional[int], range_: Optional[tuple[int, int]]
) -> None:
    """Run a study: the same comparison on many data sets drawn from one population.

    Every test gets its rate of rejection with its standard error, every interval its coverage, at
    every point of the study's grid. Replications are stored as they finish: an interrupted study
    goes on where it stopped, and more replications cost what is new. The result is study.json in
    results/NAME, with tables and plots beside it. Exit code 3 means that some fits failed; they are
    counted.

    \b
      cvinfer simulate study.yaml
      cvinfer simulate study.yaml --replications 5000
      cvinfer simulate study.yaml --range 501-1000 --output second
      cvinfer simulate study.yaml --set study.draw.n=100 --jobs 4
      cvinfer simulate study.yaml --cluster tcp://host:8786
    """
    from cvinfer.studies import simulate

    found = simulate(work.spec, replications=replications, range_=range_, **work.begin(ctx))
    show_finished(ctx, found, "Blocks of replications", work.verbose)
