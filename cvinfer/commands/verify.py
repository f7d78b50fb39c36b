"""`cvinfer verify`: a result run again from itself."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import ALLOW_CODE, BASE, JOBS, PATH, QUIET, RESULT
from cvinfer.commands._said import tell_verdict


@click.command("verify", short_help="Run a result again: does it come out?")
@RESULT
@BASE
@ALLOW_CODE
@JOBS
@click.option(
    "--store",
    type=PATH,
    metavar="FILE",
    help="Take finished fits from this store (default: every fit is made anew).",
)
@QUIET
@click.pass_context
def command(
    ctx: click.Context,
    result: Path,
    base: Optional[Path],
    allow_code: bool,
    jobs: Optional[int],
    store: Optional[Path],
    quiet: bool,
) -> None:
    """Run a result again from itself, and say SAME or the first difference; nothing is written.

    Its data is looked at first: other data than the result's is told with both hashes, before
    anything is fitted. Other versions of packages are told, but only the content decides.
    Exit code 0 for SAME, 4 for other data or another content.

    \b
      cvinfer verify results/letter/result.json
      cvinfer verify result.json --base data
    """
    from cvinfer.commands._made_again import verify
    from cvinfer.progress import progress_for

    found = verify(
        result,
        base=base,
        store=store,
        jobs=jobs,
        allow_code=allow_code,
        progress=progress_for(quiet),
    )
    tell_verdict(ctx, found)
