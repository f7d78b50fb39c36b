"""`cvinfer store`: the stored fits, looked at or removed."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import JSON, PATH
from cvinfer.commands._said import DIFFERENT
from cvinfer.commands._store_file import open_store
from cvinfer.errors import UserError
from cvinfer.foreign import confirm, say, say_json


@click.group("store", short_help="Look at the stored fits, or remove some.")
def command() -> None:
    """The file of finished fits: what is in it, and how to make it smaller.

    \b
      cvinfer store info
      cvinfer store check
      cvinfer store prune --older-than 30
    """


STORE = click.option(
    "--store",
    "path",
    type=PATH,
    default=Path("results/store.sqlite"),
    show_default=True,
    metavar="FILE",
    help="The file of finished fits.",
)


@command.command(short_help="Show what is stored.")
@STORE
@JSON
def info(path: Path, as_json: bool) -> None:
    """Show how many fits are stored, and what they take and save.

    \b
      cvinfer store info
      cvinfer store info --store results/store.sqlite --json
    """
    with open_store(path) as opened:
        facts = opened.info()
    if as_json:
        say_json(facts)
        return
    say(f"file    {facts['path']}")
    say(f"fits    {facts['fits']}")
    say(f"size    {facts['bytes'] / 1e6:.1f} MB")
    say(f"saves   {facts['seconds']:.1f} s of fitting and predicting")
    if facts["fits"]:
        say(f"made    {facts['first']} to {facts['last']} (UTC)")


@command.command(short_help="Look whether all stored fits are sound.")
@STORE
@click.option("--mend", is_flag=True, help="Keep the sound fits and drop the damaged ones.")
@JSON
@click.pass_context
def check(ctx: click.Context, path: Path, mend: bool, as_json: bool) -> None:
    """Look whether every stored fit is what was put there, by its checksum, and the file is whole.

    A run leaves damaged fits aside and makes them again. Exit code 4 if there is damage that is
    not mended. Fits of versions that knew no checksums get theirs when the store is first opened.

    \b
      cvinfer store check
      cvinfer store check --store results/store.sqlite --json
      cvinfer store check --mend
    """
    with open_store(path) as opened:
        found = opened.check()
        if mend and not found.sound:
            opened.mend()
    if as_json:
        say_json({"path": str(path), **found._asdict(), "mended": mend and not found.sound})
    else:
        say(f"{found.fits} fits in {path} are sound, {len(found.damaged)} are damaged")
        for learner, count in Counter(found.damaged).items():
            say(f"  damaged: {count} of {learner}")
        for line in found.structure:
            say(f"  the file: {line}")
        if mend and not found.sound:
            say("The sound fits are kept, the damaged ones are gone; a run makes them again.")
    if not found.sound and not mend:
        ctx.exit(DIFFERENT)


@command.command(short_help="Remove stored fits.")
@STORE
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Remove only what is older.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def prune(path: Path, older_than: Optional[float], yes: bool) -> None:
    """Remove stored fits, all or the older ones; a later run makes again what it needs.

    \b
      cvinfer store prune --older-than 30
      cvinfer store prune --yes
    """
    with open_store(path) as opened:
        which = "all fits" if older_than is None else f"fits older than {older_than:g} days"
        if not yes:
            if not sys.stdin.isatty():
                raise UserError(f"this removes {which} from {path}; say --yes to do it")
            confirm(f"Remove {which} from {path}?")
        removed = opened.prune(older_than)
    say(f"{removed} fits removed from {path}")
