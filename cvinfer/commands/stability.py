"""`cvinfer stability`: does a comparison say the same when its records are partitioned anew?"""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._cluster import backend_of, cluster_options
from cvinfer.commands._options import BASE, JOBS, QUIET, SPEC, place_options, spec_options
from cvinfer.commands._resume import Remembering, resume_with
from cvinfer.commands._said import show_finished


@click.command("stability", cls=Remembering, short_help="How much hangs on the partition.")
@SPEC
@spec_options
@BASE
@place_options
@JOBS
@cluster_options
@QUIET
@click.option(
    "--runs",
    type=click.IntRange(min=2, max=100_000),
    default=50,
    show_default=True,
    help="How often the records are partitioned; stored runs are reused.",
)
@click.option("--fail-fast", is_flag=True, help="Stop when a block of runs is lost.")
@click.pass_context
def command(
    ctx: click.Context,
    spec: Path,
    overrides: tuple[str, ...],
    allow_code: bool,
    base: Optional[Path],
    output: Optional[Path],
    store: Optional[Path],
    jobs: Optional[int],
    cluster: Optional[str],
    quiet: bool,
    runs: int,
    fail_fast: bool,
) -> None:
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
    from cvinfer.progress import progress_for
    from cvinfer.studies.stability import stability

    resume_with(ctx)
    progress = progress_for(quiet)
    found = stability(
        spec,
        runs,
        overrides=overrides,
        base=base,
        jobs=jobs,
        output=output,
        store=store,
        progress=progress,
        backend=backend_of(ctx, cluster, progress.tell),
        fail_fast=fail_fast,
        allow_code=allow_code,
        write=True,
    )
    show_finished(ctx, found, "Blocks of runs")
