"""`cvinfer run`: fit, test, write the results and show them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Optional

import click

from cvinfer.commands._cluster import backend_of, cluster_options
from cvinfer.commands._options import BASE, JOBS, QUIET, SPEC, place_options, spec_options
from cvinfer.commands._resume import Remembering, resume_with
from cvinfer.commands._said import FAILED_FITS, files_in, show_failures, tell, tell_verdict
from cvinfer.foreign import say

if TYPE_CHECKING:
    from cvinfer.runner import Result


@click.command("run", cls=Remembering, short_help="Fit, test, write the results and show them.")
@SPEC
@spec_options
@BASE
@place_options
@JOBS
@cluster_options
@QUIET
@click.option("--fail-fast", is_flag=True, help="Stop at the first fit that fails.")
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
    fail_fast: bool,
) -> None:
    """Run a spec: fit, test, write the results and show them.

    Finished fits are stored at once and reused by later runs. Exit code 3 means that some fits
    failed; tests that need them say so, all others have their results. So does a data set that
    cannot be read, where there are others: the run goes on without it.

    Data is looked for beside the spec. Results go to results/NAME in the working directory, and
    finished fits to the store that is there already: here, beside the spec or beside its
    directory, so that a run from elsewhere fits nothing twice. It says which it was.

    A result.json is run as the spec it was made from, on the data it was made from, and compared
    with what comes out: exit code 4 if that is another (cvinfer verify does it without writing).

    \b
      cvinfer run spec.yaml
      cvinfer run spec.yaml --jobs 4 --set alpha=0.01
      cvinfer run spec.yaml --output tables --quiet
      cvinfer run spec.yaml --cluster tcp://host:8786
      cvinfer run results/letter/result.json --output again
    """
    from cvinfer import runner
    from cvinfer.commands._made_again import compared
    from cvinfer.progress import progress_for
    from cvinfer.spec import finished

    resume_with(ctx)
    progress = progress_for(quiet)
    original = None
    if finished.is_result_file(spec) and not overrides:
        original = finished.read_result(spec)  # before it may be written over
    result = runner.run(
        spec,
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
    _show_result(result)
    if result.outcome.damaged:
        tell(f"warning: {result.outcome.warning(result.store)}")
    if result.failed:
        show_failures(result)
    if original is not None:
        tell_verdict(ctx, compared(str(spec), original, result.document))
    if result.failed:
        ctx.exit(FAILED_FITS)


def _show_result(result: Result) -> None:
    from cvinfer.report.terminal import print_result

    print_result(result.document)
    outcome = result.outcome
    store = ""
    if result.store is not None:
        store = f" The store is {result.store}{result.store_remark}."
    made = f"{outcome.reused} reused from the store, {outcome.fitted} made now"
    say(f"\nFits: {made}.{store}" if result.spec.learners else "\nNothing had to be fitted.")
    if result.directory is not None:
        say(f"Files: {', '.join(files_in(result.directory))} in {result.directory}")
