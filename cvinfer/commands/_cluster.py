"""Options of the commands whose work can be done on a Dask cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

import click

from cvinfer.commands._options import PATH, Command

if TYPE_CHECKING:
    from cvinfer.execute.backends._dask.line import Tls
    from cvinfer.execute.backends.dask import Cluster

_TLS = ("tls_ca", "tls_cert", "tls_key")


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    ctx.meta[f"cvinfer.{param.name}"] = value


def tls_options(command: Command) -> Command:
    """Files for a connection that is encrypted: see `tls_of`."""
    for name, what in (
        ("--tls-key", "Private key of this side, PEM."),
        ("--tls-cert", "Certificate of this side, PEM."),
        ("--tls-ca", "Certificate of the authority that both sides trust, PEM."),
    ):
        command = click.option(
            name, type=PATH, metavar="FILE", expose_value=False, callback=_remember, help=what
        )(command)
    return command


def cluster_options(command: Command) -> Command:
    """`cluster` is where the work is to be done: see `backend_of`."""
    command = click.option(
        "--allow-versions",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="Go on where workers of the cluster have other versions; run.json tells which.",
    )(tls_options(command))
    return CLUSTER(command)


CLUSTER = click.option(
    "--cluster",
    metavar="WHERE",
    help="Do the work on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or"
    " local:N for N workers of one's own; docs/clusters.md.",
)


def tls_of(ctx: click.Context) -> "Optional[Tls]":
    """The files that were given, all three or none."""
    from cvinfer.errors import UserError
    from cvinfer.execute.backends._dask.line import Tls

    given: list[Optional[Path]] = [ctx.meta.get(f"cvinfer.{name}") for name in _TLS]
    there = [str(each) for each in given if each is not None]
    if not there:
        return None
    if len(there) < len(_TLS):
        raise UserError("--tls-ca, --tls-cert and --tls-key are needed together")
    for each in there:
        if not Path(each).is_file():
            raise UserError(f"{each} is not there")
    return Tls(*there)


def backend_of(
    ctx: click.Context, where: Optional[str], tell: Callable[[str], None]
) -> "Optional[Cluster]":
    """The cluster, until the command has ended; None for this machine."""
    if where is None:
        return None
    if ctx.params.get("jobs") is not None:
        raise click.UsageError(
            "--jobs is for this machine; a cluster has the workers it has (--cluster local:N)", ctx
        )
    return cluster_of(ctx, where, tell)


def cluster_of(
    ctx: click.Context, where: Optional[str], tell: Callable[[str], None]
) -> "Optional[Cluster]":
    """The cluster, not for work; None where none is named."""
    if where is None:
        return None
    from cvinfer.execute.backends.dask import Cluster

    cluster = Cluster(
        where,
        tls=tls_of(ctx),
        allow_versions=bool(ctx.meta.get("cvinfer.allow_versions")),
        allow_code=bool(ctx.params.get("allow_code")),
        tell=tell,
    )
    ctx.find_root().with_resource(cluster)
    return cluster
