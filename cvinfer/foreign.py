"""Text that others wrote, and the one door through which this program prints.

Names, labels, messages of learners, paths and whole result files may hold characters that a
terminal obeys instead of showing: escape sequences that move the cursor or set its title, marks
that turn the direction of writing. They are shown as what they are: \\x1b, \\u202e.

Every command prints by `say`; a test sees to it that nothing else does. Pages and logs pass their
text through `shown`, `shown_lines` or `shown_all`.
"""

from __future__ import annotations

import json
import re
from typing import IO, Any, Mapping

#: Characters of a cell, a name or a label that a message quotes.
LONGEST = 200
#: Characters of a line of a message, whatever made it.
LONGEST_LINE = 4000

# Controls of ASCII and Latin-1; marks of direction, invisible signs and separators of lines; tags;
# halves of characters. Joiners (U+200C, U+200D) stay: Persian and emoji are written with them.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
#: Characters of a message that cannot hold a long quotation.
_ORDINARY = 1000
_QUOTATION = re.compile(r"""(['"])((?:(?!\1).)*)\1""", re.DOTALL)
#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def shown(text: Any) -> str:
    """On one line, without anything that a terminal would obey."""
    return _OBEYED.sub(_escape, str(text))


def shown_lines(text: Any) -> str:
    """The same for several lines; the ends of lines and tabs stay."""
    flat = str(text).replace("\r\n", "\n")
    return _OBEYED.sub(lambda found: found[0] if found[0] in "\n\t" else _escape(found), flat)


def shown_all(value: Any) -> Any:
    """Every text inside lists and mappings, keys too, as `shown` has it."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Mapping):
        return {shown_all(key): shown_all(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown_all(each) for each in value]
    return value


def quoted(value: Any, longest: int = LONGEST) -> str:
    """A value in quotes, of a long one the beginning and how long it is."""
    if not isinstance(value, str):
        return cut(repr(value), longest)
    if len(value) <= longest:
        return repr(value)
    return f"{value[:longest]!r}... ({len(value):,} characters)"


def cut(text: str, longest: int = LONGEST) -> str:
    """A text, of a long one the beginning."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def short(message: str) -> str:
    """A message that quotes no more than the beginning of a cell, and has an end itself.

    Messages quote what they are about in many places; one of ordinary length is left alone.
    """
    if len(message) <= _ORDINARY:
        return message
    return cut(_QUOTATION.sub(_cut_quotation, message), LONGEST_LINE)


def _cut_quotation(found: "re.Match[str]") -> str:
    mark, inside = found[1], found[2]
    return found[0] if len(inside) <= LONGEST else f"{mark}{inside[:LONGEST]}...{mark}"


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers stay numbers."""
    if not isinstance(value, str) or not value.startswith(_FORMULA) or is_number(value):
        return value
    return "'" + value


def json_text(value: Any) -> str:
    """JSON for programs, which a terminal can show too."""
    plain = json.dumps(value, indent=1, ensure_ascii=False)
    return _OBEYED.sub(lambda found: found[0] if found[0] == "\n" else _json(found), plain)


def is_plain(text: str) -> bool:
    """Whether `shown` would leave a text as it is."""
    return _OBEYED.search(text) is None


# --- printing: nothing outside of these functions does --------------------------------------------


def say(text: Any, *, err: bool = False) -> None:
    """Print a message; lines that are too long for any reader are cut."""
    import click

    lines = shown_lines(text).split("\n")
    click.echo("\n".join(cut(line, LONGEST_LINE) for line in lines), err=err)


def say_whole(text: str) -> None:
    """Print a text for programs, a table or a spec: its lines are not cut."""
    import click

    click.echo(shown_lines(text), nl=not text.endswith("\n"))


def say_json(value: Any) -> None:
    """Print JSON."""
    import click

    click.echo(json_text(value))


def write_to(stream: IO[str], text: str) -> None:
    """Print to a stream that a caller chose."""
    stream.write(shown_lines(text))
    stream.flush()


def write_over(stream: IO[str], text: str) -> None:
    """Print to a stream, from the start of the line that stands there."""
    stream.write("\r" + shown(text))
    stream.flush()


def print_styled(console: Any, *pieces: tuple[str, str]) -> None:
    """Print pieces of a line, each with its style, on a console of rich."""
    from rich.text import Text

    console.print(Text.assemble(*((shown_lines(text), style) for text, style in pieces)))


def confirm(question: str) -> None:
    """Ask, and end the command where the answer is no."""
    import click

    click.confirm(shown(question), abort=True)


def _escape(found: "re.Match[str]") -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json(found: "re.Match[str]") -> str:
    return json.dumps(found[0])[1:-1]


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
