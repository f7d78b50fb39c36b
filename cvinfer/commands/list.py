"""`cvinfer list`: what a spec can name."""

from __future__ import annotations

import click

from cvinfer.commands._listing import LISTS, entries, entries_text
from cvinfer.commands._options import JSON
from cvinfer.foreign import say, say_json


@click.command("list", short_help="List what a spec can name.")
@click.argument("what", type=click.Choice(list(LISTS)))
@JSON
def command(what: str, as_json: bool) -> None:
    """List what a spec can name; what cannot be used here is listed with the reason.

    What a plug-in brings has the name of its distribution, and so has one that cannot be imported.

    \b
      cvinfer list tests
      cvinfer list learners --json
    """
    found = entries(what)
    if as_json:
        say_json(found)
    else:
        say(entries_text(found) or f"There are no {what} here.")
