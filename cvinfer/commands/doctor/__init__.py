"""`cvinfer doctor`: whether everything needed is there. Each part of the report has its file."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._cluster import CLUSTER, cluster_of, tls_options
from cvinfer.commands._options import PATH, place_options, spec_options
from cvinfer.foreign import say


@click.command("doctor", short_help="Look whether everything needed is there.")
@click.argument("spec", required=False, type=PATH, metavar="[SPEC]")
@spec_options
@place_options
@CLUSTER
@tls_options
@click.pass_context
def command(
    ctx: click.Context,
    spec: Optional[Path],
    overrides: tuple[str, ...],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
    cluster: Optional[str],
) -> None:
    """Look whether everything needed is there, and say how to add what is missing.

    With --cluster, look at its workers instead: their versions, what each can run, the time of a
    round trip.

    Exit code 0 only if the spec can run, or without a spec if every engine and learner can.

    \b
      cvinfer doctor
      cvinfer doctor spec.yaml
      cvinfer doctor --cluster tcp://host:8786
    """
    from cvinfer.commands.doctor.examination import examine

    healthy = True
    with_cluster = cluster_of(ctx, cluster, lambda text: None)
    if with_cluster is not None:
        from cvinfer.commands.doctor.cluster import examine_cluster

        lines = examine_cluster(with_cluster)
    else:
        lines = examine(spec, overrides, allow_code, output, store)
    for line in lines:
        say(line.text)
        healthy = healthy and line.fine
    if not healthy:
        ctx.exit(2)
