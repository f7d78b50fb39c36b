"""`cvinfer completion`: commands, options and files completed by the shell."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import NamedTuple, Optional

import click

from cvinfer.errors import UserError
from cvinfer.foreign import say, say_whole
from cvinfer.whole import whole


class Shell(NamedTuple):
    """Where a shell looks for it. rc: the file that has to name it, None where it is found."""

    place: str
    rc: Optional[str]


#: Below the directories for data and settings of the user.
SHELLS = {
    "bash": Shell("{data}/cvinfer/completion.bash", "~/.bashrc"),
    "zsh": Shell("{data}/cvinfer/completion.zsh", "{zsh}/.zshrc"),
    "fish": Shell("{settings}/fish/completions/cvinfer.fish", None),
}


@click.command("completion", short_help="Let the shell complete commands and options.")
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.option("--install", is_flag=True, help="Set it up for you, once and for all.")
def command(shell: str, install: bool) -> None:
    """Print what lets the shell complete, or set it up for good.

    \b
      cvinfer completion bash --install
      eval "$(cvinfer completion bash)"         # in this shell only
    """
    script = _script(shell)
    if not install:
        say_whole(script)
        return
    file, rc = _places(shell)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole(file) as stream:
            stream.write(script.encode())
        say(f"written: {file}")
        if rc is not None and _named_in(rc, file):
            say(f"named in: {rc}")
    except OSError as error:
        raise UserError(f"{error.filename or file}: {error.strerror or error}") from None
    say(f"It holds in every {shell} that starts from now on.")


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    root = click.get_current_context().find_root().command
    return made(root, {}, "cvinfer", "_CVINFER_COMPLETE").source()


def _places(shell: str) -> tuple[Path, Optional[Path]]:
    home = os.path.expanduser("~")
    known = {
        "data": os.environ.get("XDG_DATA_HOME") or f"{home}/.local/share",
        "settings": os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config",
        "zsh": os.environ.get("ZDOTDIR") or home,
    }
    place, rc = SHELLS[shell]
    file = Path(place.format(**known))
    return file, None if rc is None else Path(rc.format(**known)).expanduser()


def _named_in(rc: Path, file: Path) -> bool:
    """See that the shell reads the file when it starts; False where it does so already."""
    path = shlex.quote(str(file))
    line = f"[ -f {path} ] && . {path}  # cvinfer completion"
    before = rc.read_bytes() if rc.exists() else b""
    if line.encode() in before.splitlines():
        return False
    apart = b"" if not before or before.endswith(b"\n") else b"\n"
    with open(rc, "ab") as stream:
        stream.write(apart + line.encode() + b"\n")
    return True
