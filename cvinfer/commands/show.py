"""`cvinfer show`: a spec with every default."""

from __future__ import annotations

from pathlib import Path

import click

from cvinfer.commands._options import SPEC, spec_options
from cvinfer.foreign import is_plain, say_whole


@click.command("show", short_help="Print a spec with every default.")
@SPEC
@spec_options
def command(spec: Path, overrides: tuple[str, ...], allow_code: bool) -> None:
    """Print a spec resolved, with every default spelled out; the output is a spec again.

    \b
      cvinfer show spec.yaml
      cvinfer show spec.yaml --set tests=all
    """
    import yaml

    from cvinfer.spec import load_spec

    resolved = load_spec(spec, overrides, allow_code=allow_code).resolved()
    text = yaml.safe_dump(resolved, sort_keys=False, allow_unicode=True, width=100)
    if not is_plain(
        text.replace("\n", "")
    ):  # then what a terminal would obey is escaped, as YAML has it
        text = yaml.safe_dump(resolved, sort_keys=False, allow_unicode=False, width=100)
    say_whole(text)
