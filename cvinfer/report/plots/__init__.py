"""Pictures of a study: one file for each plot, found by its name.

A plot declares above the function that draws it what cells of a study it needs:

    @plot("power", needs=Needs("test", numbers=True))
    def power(study: Study, cells: Cells) -> list[Figure]: ...

It is asked only where they are there, and may find nothing to draw in them. matplotlib is imported
by whoever draws, so that names and needs cost nothing and a machine without it can still be asked.
"""

from __future__ import annotations

import importlib.util
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterator, NamedTuple, Optional

from cvinfer.documents import JsonObject
from cvinfer.foreign import shown_all
from cvinfer.registry import Registry
from cvinfer.report.studies.read import Cells, Study, is_number
from cvinfer.whole import whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What each plot is written as, with what has to be told so that no date gets into the file.
FILES: dict[str, dict[str, Optional[str]]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
#: Dots per inch of a picture for screens.
DPI = 300


class Needs(NamedTuple):
    """The cells of a plot.

    kind: test, interval or quantity. names: those of them that must all be there; any without.
    fields: what each cell must have. numbers: whether some key of the grid must take two numbers
    or more.
    """

    kind: str
    names: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    numbers: bool = False

    def found_in(self, study: Study) -> Cells:
        """The cells, none unless all is there that is needed."""
        cells = [
            cell
            for cell in study.of_kind(self.kind)
            if (not self.names or cell["name"] in self.names)
            and all(cell.get(field) is not None for field in self.fields)
        ]
        if not set(self.names) <= {cell["name"] for cell in cells}:
            return []
        return cells if not self.numbers or number_keys(study, cells) else []


Draw = Callable[[Study, Cells], "list[Figure]"]


@dataclass(frozen=True)
class Plot:
    """One kind of picture; `draw` makes as many as its panels need."""

    name: str
    needs: Needs
    draw: Draw


plots: Registry[Plot] = Registry("plot", folder="cvinfer.report.plots", ordered=True)


def plot(name: str, *, needs: Needs) -> Callable[[Draw], Draw]:
    """Declare the function below to draw a plot."""

    def declared(draw: Draw) -> Draw:
        plots.add(name, Plot(name, needs, draw), draw.__module__)
        return draw

    return declared


def number_keys(study: Study, cells: Cells) -> list[str]:
    """Keys of the grid that take two numbers or more, that with most of them first."""
    found = {key: study.values(key, cells) for key in study.keys}
    keys = [key for key, values in found.items() if len(values) > 1 and all(map(is_number, values))]
    return sorted(keys, key=lambda key: -len(found[key]))


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


def left_out(document: JsonObject) -> Optional[str]:
    """What to tell where a study has plots that cannot be drawn; None where all is well."""
    names = wanted(document)
    if can_draw() or not names:
        return None
    return (
        f"Plots were left out ({', '.join(names)}): matplotlib is not installed. To add it: apt-get"
        " install python3-matplotlib, or pip install 'cvinfer[plot]'."
    )


def wanted(document: JsonObject) -> list[str]:
    """Names of the plots that have their cells in a document."""
    study = Study(document)
    return [name for name, each in plots.items() if each.needs.found_in(study)]


def drawn(document: JsonObject) -> "Iterator[tuple[str, Figure]]":
    """Every figure of a study with the name of its files, inside the style of this project."""
    from cvinfer.report.plots import _style

    study = Study(shown_all(document))
    for name, each in plots.items():
        cells = each.needs.found_in(study)
        if not cells:
            continue
        with _style.style():
            for number, figure in enumerate(each.draw(study, cells), start=1):
                _style.settle(figure)
                yield (name if number == 1 else f"{name}-{number}"), figure


def picture(figure: "Figure", form: str) -> bytes:
    """The content of a file: the same bytes for the same figure, with no date in it."""
    stream = io.BytesIO()
    figure.savefig(stream, format=form, dpi=DPI, metadata=FILES[form])
    return stream.getvalue()


def write_plots(directory: Path, document: JsonObject) -> list[Path]:
    """Write every plot of a study as PDF and PNG; none where matplotlib is missing."""
    if not can_draw():
        return []
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in drawn(document):
        for form in FILES:
            path = directory / f"{name}.{form}"
            content = picture(figure, form)
            with whole(path) as stream:
                stream.write(content)
            written.append(path)
    return written
