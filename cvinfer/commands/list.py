"""`cvinfer list`: what a spec can name."""

from __future__ import annotations


import click

from cvinfer.commands._options import JSON
from cvinfer.foreign import say, say_json


@click.command("list", short_help="List what a spec can name.")
@click.argument("what", type=click.Choice(["tests", "intervals", "schemes", "learners", "data"]))
@JSON
def command(what: str, as_json: bool) -> None:
    """List what a spec can name; what cannot be used here is listed with the reason.

    \b
      cvinfer list tests
      cvinfer list learners --json
    """
    from cvinfer.commands._listing import entries, entries_text

    found = entries(what)
    if as_json:
        say_json(found)
    else:
        say(entries_text(found))
