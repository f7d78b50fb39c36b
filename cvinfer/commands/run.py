"""`cvinfer run`: fit, test, write the results and show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cvinfer.commands._resume import Remembering
from cvinfer.commands._said import (
    AFTER,
    FAILED_FITS,
    files_in,
    reused_and_made,
    say_below,
    show_failures,
    tell,
    tell_verdict,
)
from cvinfer.commands._work import Work, working

if TYPE_CHECKING:
    from cvinfer.runner import Result


@click.command("run", cls=Remembering, short_help="Fit, test, write the results and show them.")
@working(stop="Stop at the first fit that fails.")
def command(ctx: click.Context, work: Work) -> None:
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
    from cvinfer.spec import finished

    original = None
    if finished.is_result_file(work.spec) and not work.overrides:
        original = finished.read_result(work.spec)  # before it may be written over
    result = runner.run(work.spec, **work.begin(ctx))
    _show_result(result, work.verbose)
    if result.outcome.damaged:
        tell(f"warning: {result.outcome.warning(result.store)}")
    if result.failed:
        show_failures(result)
    if original is not None:
        tell_verdict(ctx, compared(str(work.spec), original, result.document))
    if result.failed:
        ctx.exit(FAILED_FITS)


def _show_result(result: Result, verbose: bool) -> None:
    from cvinfer.report.terminal import print_document

    print_document(result.document, verbose=verbose, after=AFTER)
    fits = (
        f"Fits: {reused_and_made(result)}" if result.spec.learners else "Nothing had to be fitted."
    )
    say_below(f"\n{fits}")
    if result.directory is not None:
        say_below(f"Files: {', '.join(files_in(result.directory))} in {result.directory}")
