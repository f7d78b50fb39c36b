"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, ContextManager, Optional, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

# Whether a file can be read is found out by reading it, and said in one form everywhere.
PATH = click.Path(path_type=Path, readable=False)
SPEC = click.argument("spec", type=PATH, metavar="SPEC")
RESULT = click.argument("result", type=PATH, metavar="RESULT.JSON")
DOCUMENT = click.argument("document", type=PATH, metavar="DOCUMENT.JSON")


class Amount(click.ParamType):
    """A whole number from 1 on, in digits or as 4e9 or 4G."""

    name = "amount"
    units = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}

    def convert(
        self, value: object, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> int:
        text = str(value).strip().lower().replace("_", "").replace(",", "")
        unit = self.units.get(text[-1:], 1)
        try:
            amount = float(text[:-1] if unit > 1 else text) * unit
            if 1 <= amount < 10**18:
                return int(amount)
        except ValueError:
            pass
        self.fail(f"{value!r} is no amount, such as 5000000, 5e6 or 5M", param, ctx)


def _during(ctx: click.Context, what: ContextManager[Any]) -> None:
    """Enter `what` until the command has ended; click never leaves the context of a command whose
    other arguments turn out wrong, but always that of the group."""
    ctx.find_root().with_resource(what)


def _raise_limit(ctx: click.Context, param: click.Parameter, value: Optional[int]) -> None:
    from cvinfer.limits import limited

    if value is not None:
        _during(ctx, limited(**{str(param.name): value}))


MAX_BYTES = click.option(
    "--max-bytes",
    type=Amount(),
    metavar="N",
    expose_value=False,
    callback=_raise_limit,
    help="Read files up to this size (default: data 1G unpacked, results 100M, specs 1M).",
)
MAX_FITS = click.option(
    "--max-fits",
    type=Amount(),
    metavar="N",
    expose_value=False,
    callback=_raise_limit,
    help="Accept specs that take up to this many fits or comparisons (default: 10M).",
)


def _keep_readings(ctx: click.Context, param: click.Parameter, without: bool) -> None:
    """Data is read for somebody who waits; what was read is kept beside the store."""
    from cvinfer.data.kept import Keeping, keeping
    from cvinfer.progress import telling

    given = ctx.params  # filled while the command line is read

    def place(option: str) -> Optional[Path]:
        # Elsewhere `output` is a file.
        return given.get(option) if "store" in given else None

    _during(ctx, telling(lambda: bool(given.get("quiet"))))
    if not without:
        _during(ctx, keeping(Keeping(lambda: place("output"), lambda: place("store"))))


NO_CACHE = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    callback=_keep_readings,
    help="Read data files anew, and keep nothing of them beside the store.",
)
ALLOW_CODE = click.option(
    "--allow-code",
    is_flag=True,
    help="Accept learners of other packages or of Python files beside the spec (module:Class),"
    " whose code is run, and options that lead to files: docs/security.md.",
)


def spec_options(command: Command) -> Command:
    command = ALLOW_CODE(MAX_FITS(MAX_BYTES(NO_CACHE(command))))
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change the spec, for example --set alpha=0.01; checked like the spec.",
    )(command)


JOBS = click.option(
    "--jobs", type=click.IntRange(min=1), help="Worker processes (default: the cores there are)."
)
VERBOSE = click.option(
    "--verbose",
    is_flag=True,
    help="Print all of it: every table with its notes, sentences, warnings (default: a screen).",
)
QUIET = click.option("--quiet", is_flag=True, help="No progress, only the result.")
BASE = click.option(
    "--base",
    type=PATH,
    metavar="DIR",
    help="Directory that relative paths start from (default: the spec's; for a result.json where"
    " its data was, then its own directory, then the working directory).",
)


def place_options(command: Command) -> Command:
    command = click.option(
        "--store",
        type=PATH,
        metavar="FILE",
        help="File of finished fits (default: the first that is there of results/store.sqlite"
        " here, beside the spec, and beside its directory, but for another user's; else a new one"
        " here; with --output the one beside that).",
    )(command)
    return click.option(
        "--output",
        type=PATH,
        metavar="DIR",
        help="Directory of the result (default: results/NAME in the working directory, or in"
        " output.directory of the spec in the place of results).",
    )(command)


JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
