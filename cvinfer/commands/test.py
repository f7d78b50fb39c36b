"""`cvinfer test`: more tests on the predictions of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import JSON, MAX_BYTES, PATH, RESULT, VERBOSE
from cvinfer.commands._said import AFTER, FAILED_FITS, files_in, say_below, show_failures
from cvinfer.foreign import say_json


@click.command("test", short_help="Make more tests without fitting again.")
@RESULT
@click.option(
    "--tests",
    required=True,
    metavar="TESTS",
    help="Names with commas between; options as in a spec: 'corrected_kfold_t: {rho: 0.5}'.",
)
@JSON
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="DIR",
    help="Directory to write the result to.",
)
@VERBOSE
@MAX_BYTES
@click.pass_context
def command(
    ctx: click.Context,
    result: Path,
    tests: str,
    as_json: bool,
    output: Optional[Path],
    verbose: bool,
) -> None:
    """Run more tests on the predictions of a finished run; nothing is fitted again.

    The test that decided in the run decides here too, with the others beside it: one that is
    picked when the results are known names no winner. The partition that a test needs must be
    among those of the run. `cvinfer list tests` says what each needs.

    \b
      cvinfer test results/letter/result.json --tests kfold_t,cvci_z
      cvinfer test results/letter/result.json --tests combined_5x2_f -o results/more
    """
    from cvinfer.commands._more_tests import test_again

    found = test_again(result, tests, output)
    if as_json:
        say_json(found.document)
    else:
        from cvinfer.report.terminal import print_document

        print_document(found.document, verbose=verbose, after=AFTER)
        if output is not None:
            say_below(f"\nFiles: {', '.join(files_in(output))} in {output}")
    if found.failed:
        show_failures(found)
        ctx.exit(FAILED_FITS)
