"""`cvinfer doctor`: whether everything needed is there. Each part of the report has its file."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import PATH, place_options, spec_options
from cvinfer.foreign import say


@click.command("doctor", short_help="Look whether everything needed is there.")
@click.argument("spec", required=False, type=PATH, metavar="[SPEC]")
@spec_options
@place_options
@click.pass_context
def command(
    ctx: click.Context,
    spec: Optional[Path],
    overrides: tuple[str, ...],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
) -> None:
    """Look whether everything needed is there, and say how to add what is missing.

    Exit code 0 only if the spec can run, or without a spec if every engine and learner can.

    \b
      cvinfer doctor
      cvinfer doctor spec.yaml
    """
    from cvinfer.commands.doctor.examination import examine

    healthy = True
    for line in examine(spec, overrides, allow_code, output, store):
        say(line.text)
        healthy = healthy and line.fine
    if not healthy:
        ctx.exit(2)
