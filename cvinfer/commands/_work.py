"""Options of the commands that fit learners: run, simulate, stability, calibrate.

`working` gives a command all of them; it gets them as one `Work`, beside options of its own.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, TypedDict

import click

from cvinfer.commands._cluster import backend_of, cluster_options
from cvinfer.commands._options import (
    BASE,
    JOBS,
    QUIET,
    SPEC,
    VERBOSE,
    place_options,
    spec_options,
)
from cvinfer.commands._resume import resume_with

if TYPE_CHECKING:
    from cvinfer.execute.backends.base import Opener
    from cvinfer.progress import Progress


class Keywords(TypedDict):
    """What `cvinfer.run` and the studies take by name."""

    overrides: tuple[str, ...]
    base: Optional[Path]
    jobs: Optional[int]
    output: Optional[Path]
    store: Optional[Path]
    progress: Progress
    backend: Optional[Opener]
    fail_fast: bool
    allow_code: bool
    write: bool


@dataclass(frozen=True)
class Work:
    """The options as they were given; each is named as its parameter of the command."""

    spec: Path
    overrides: tuple[str, ...]
    allow_code: bool
    base: Optional[Path]
    output: Optional[Path]
    store: Optional[Path]
    jobs: Optional[int]
    cluster: Optional[str]
    quiet: bool
    verbose: bool
    fail_fast: bool

    def begin(self, ctx: click.Context) -> Keywords:
        """Opens the cluster where one is named; from here on an interrupted command can go on."""
        from cvinfer.progress import progress_for

        resume_with(ctx)
        progress = progress_for(self.quiet)
        return {
            "overrides": self.overrides,
            "base": self.base,
            "jobs": self.jobs,
            "output": self.output,
            "store": self.store,
            "progress": progress,
            "backend": backend_of(ctx, self.cluster, progress.tell),
            "fail_fast": self.fail_fast,
            "allow_code": self.allow_code,
            "write": True,
        }


def working(stop: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Below `click.command`: hands on the context, a `Work`, and the options declared below it.

    stop: help of --fail-fast.
    """
    names = [each.name for each in fields(Work)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def called(ctx: click.Context, **options: Any) -> None:
            work = Work(**{name: options.pop(name) for name in names})
            command(ctx, work, **options)

        # Stubs of click differ in what they make of a function that was wrapped.
        with_context: Callable[..., None] = called
        fail_fast = click.option("--fail-fast", is_flag=True, help=stop)
        joined = QUIET(VERBOSE(fail_fast(click.pass_context(with_context))))
        return SPEC(spec_options(BASE(place_options(JOBS(cluster_options(joined))))))

    return decorate
