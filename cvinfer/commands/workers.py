"""`cvinfer workers`: workers of a Dask cluster on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._cluster import tls_of, tls_options
from cvinfer.commands._options import ALLOW_CODE, PATH
from cvinfer.foreign import say


@click.command("workers", short_help="Start workers of a Dask cluster on this machine.")
@click.argument("address", metavar="ADDRESS")
@click.option(
    "--processes",
    type=click.IntRange(min=1, max=4096),
    help="How many (default: the cores there are).",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address of this machine that the scheduler and other workers reach it by.",
)
@click.option(
    "--scratch",
    type=PATH,
    metavar="DIR",
    help="Where temporary files go (default: what TMPDIR says, else the system's place).",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0, max=1e7),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="End when there has been no scheduler for so long.",
)
@tls_options
@ALLOW_CODE
@click.pass_context
def command(
    ctx: click.Context,
    address: str,
    processes: Optional[int],
    host: str,
    scratch: Optional[Path],
    patience: float,
    allow_code: bool,
) -> None:
    """Start workers for the Dask scheduler at ADDRESS (tcp://HOST:PORT, tls://…, a scheduler file).

    Each is a process under Dask's nanny, with one thread, which makes the fits of commands that are
    given --cluster. They stay until they are told to end (Ctrl-C, SIGTERM) or the scheduler has
    been gone for long; this is what a batch system is to start. They listen on loopback unless
    --host says otherwise: whoever reaches them can run anything (docs/clusters.md).

    \b
      dask scheduler --host 127.0.0.1 --port 8786
      cvinfer workers tcp://127.0.0.1:8786 --processes 4
      cvinfer workers tcp://10.0.0.1:8786 --host 10.0.0.7
    """
    from cvinfer.execute.backends import dask
    from cvinfer.runner import default_jobs

    dask.serve(
        address,
        processes or default_jobs(),
        host=host,
        scratch=scratch,
        patience=patience,
        allow_code=allow_code,
        tls=tls_of(ctx),
        say=lambda text: say(text, err=True),
    )
