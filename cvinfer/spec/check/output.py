"""Where results go, and how their tables are set in a paper."""

from __future__ import annotations

from cvinfer import paper
from cvinfer.errors import Refusal, listed
from cvinfer.foreign import shown
from cvinfer.inference import tests
from cvinfer.names import close_match
from cvinfer.spec.check.common import Context
from cvinfer.spec.shape import quoted

LATEX = ("output", "latex")


def check_output(here: Context) -> None:
    output = here.value.get("output")
    if not isinstance(output, dict):
        return
    given = output.get("directory")
    place = ("output", "directory")
    if here.fine(place) and isinstance(given, str) and "\0" in given:
        here.fault(place, f"{quoted(shown(given))} has a NUL character in it", "a directory")
    latex = output.get("latex")
    if isinstance(latex, dict) and here.fine(LATEX):
        _check_width(here, latex.get("width"))
        _check_tests(here, latex.get("tests"))


def _check_width(here: Context, width: object) -> None:
    if width is None:
        return
    try:
        paper.points(str(width))
    except Refusal as refusal:
        here.fault((*LATEX, "width"), refusal.message, refusal.allowed)


def _check_tests(here: Context, names: object) -> None:
    known = list(tests())
    for at, name in enumerate(names if isinstance(names, list) else ()):
        if name not in known:
            message = f"there is no test {quoted(name)}"
            suggestion = close_match(str(name), known)
            here.fault((*LATEX, "tests", at), message, listed(known), suggestion)
