"""The words of a command, for the line that says how to go on after it was interrupted."""

from __future__ import annotations

import shlex

import click


class Remembering(click.Command):
    """Keeps its arguments as they were given, for the command to resume."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.find_root().meta["cvinfer.arguments"] = [str(ctx.info_name), *args]
        return super().parse_args(ctx, args)


def resume_with(ctx: click.Context) -> None:
    root = ctx.find_root()
    words = root.meta.get("cvinfer.arguments", [])
    ctx.meta["cvinfer.resume"] = f"{root.info_name} {shlex.join(words)}"
