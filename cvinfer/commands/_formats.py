"""Names of output formats as values of options."""

from __future__ import annotations

from typing import Iterable, Optional

import click


class Formats(click.ParamType):
    """Names of the formats, looked up when they are needed: `cvinfer --help` asks no plug-in."""

    name = "format"

    def names(self) -> Iterable[str]:
        from cvinfer.report.formats import formats

        return formats

    def found(self, name: str) -> str:
        from cvinfer.report.formats import formats

        return formats.find(name).name

    def get_metavar(self, param: click.Parameter, ctx: Optional[click.Context] = None) -> str:
        return f"[{'|'.join(self.names())}]"

    def convert(
        self, value: object, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> str:
        return self.found(str(value))
