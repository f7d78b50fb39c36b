"""Pictures of a result: one file for each kind, found by its name, drawn when they are asked for.

A kind declares itself above the function that draws it:

    @picture("ranks", "mean ranks over data sets with the critical difference")
    def ranks(document: JsonObject, paper: Paper) -> Figure: ...

It refuses a document that lacks what it shows, with the remedy. How pictures look is in
`cvinfer.report.plots._style`; matplotlib is imported by whoever draws.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, NamedTuple, Optional

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.foreign import shown_all
from cvinfer.registry import Registry
from cvinfer.report.plots import DPI, FILES, can_draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: By the ending of a file: what has to be told so that no date and no name gets into it.
FORMS: dict[str, dict[str, Optional[str]]] = {
    **FILES,
    "svg": {"Date": None, "Creator": None},
}
#: Inches of one column of a paper with two, and of both with the space between them.
WIDTHS = {1: 3.3, 2: 6.9}


class Paper(NamedTuple):
    """Where a picture goes. measure: which one, where a result has several; the first without."""

    width: float = WIDTHS[1]
    measure: Optional[str] = None


Draw = Callable[[JsonObject, Paper], "Figure"]


@dataclass(frozen=True)
class Picture:
    """One kind; `shows` says in a few words what of."""

    name: str
    shows: str
    draw: Draw


pictures: Registry[Picture] = Registry(
    "kind of plot", folder="cvinfer.report.pictures", ordered=True
)


def picture(name: str, shows: str) -> Callable[[Draw], Draw]:
    """Declare the function below to draw a kind of picture."""

    def declared(draw: Draw) -> Draw:
        pictures.add(name, Picture(name, shows, draw), draw.__module__)
        return draw

    return declared


def form_of(file: Path) -> str:
    """The form that a file's ending asks for."""
    form = file.suffix.lower().lstrip(".")
    if form not in FORMS:
        endings = ", ".join(f".{each}" for each in FORMS)
        raise UserError(f"{file} does not say as what to draw; its ending is one of {endings}")
    return form


def drawn(document: JsonObject, kind: str, form: str, paper: Paper = Paper()) -> bytes:
    """The content of a file: the same bytes for the same document, with no date in it."""
    wanted = pictures.find(kind)
    if not can_draw():
        raise UserError(
            "plots need matplotlib, which is not installed: apt-get install python3-matplotlib, or"
            " pip install 'cvinfer[plot]'"
        )
    import matplotlib

    from cvinfer.report.plots import _style

    with _style.style():
        matplotlib.rcParams["svg.hashsalt"] = "cvinfer"
        figure = wanted.draw(shown_all(document), paper)
        _style.settle(figure)
        stream = io.BytesIO()
        figure.savefig(stream, format=form, dpi=DPI, metadata=FORMS[form])
    return stream.getvalue()
