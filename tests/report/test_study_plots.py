"""Pictures of studies: which are made, that they hold their data, and the same bytes twice."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from tests.report import study_examples as examples
from tests.report.study_examples import document, test_cell, with_study

from cvinfer.report import plots as package
from cvinfer.report.plots import Needs, _style, left_out, picture, plot, plots, power, wanted
from cvinfer.report.studies import write_study
from cvinfer.report.studies.read import Cells, Study

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None,
    reason="matplotlib is not installed: nothing is drawn",
)
EXAMPLES = (
    examples.small,
    examples.whole,
    examples.fourteen,
    examples.data_sets,
    examples.hostile,
)
NAMES = (
    "components",
    "correlations",
    "coverage",
    "power",
    "replicability",
    "type-one",
    "violins",
)


def drawn(found: dict[str, Any]) -> dict[str, Any]:
    return dict(package.drawn(found))


def test_names_and_needs_load_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from cvinfer.report.plots import plots\n"
        "print(list(plots))\n"
        "print([name for name in ('numpy', 'matplotlib') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, heavy = done.stdout.splitlines()
    # That of p-values is of a stability.json, which has no cells of its own.
    assert (names, heavy) == (str(sorted([*NAMES, "p-values"])), "[]")


def test_a_document_gets_the_plots_that_have_their_cells() -> None:
    assert wanted(examples.whole()) == list(NAMES)
    assert wanted(examples.small()) == ["type-one"]
    assert wanted(examples.data_sets()) == ["replicability", "type-one"]
    assert wanted(document([])) == []
    only = [examples.quantity_cell("rho1", {}, 0.1, 0.01)]
    assert wanted(document(only)) == []


@needs_matplotlib
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: str(each.__name__))
def test_files_are_made_without_a_date_in_them(
    example: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    tables = ("study", "report")
    pictures = [path for path in write_study(tmp_path, example())[0] if path.stem not in tables]
    assert {path.stem.split("-2")[0] for path in pictures} == set(wanted(example()))
    assert {path.suffix for path in pictures} == {".pdf", ".png"}
    for path in pictures:
        content = path.read_bytes()
        assert len(content) > 3000
        assert not re.search(rb"CreationDate|ModDate|20\d\d-\d\d|matplotlib v", content, re.I)


@needs_matplotlib
def test_pictures_are_the_same_bytes_twice() -> None:
    first = [(name, figure) for name, figure in package.drawn(examples.whole())]
    for (name, figure), (_, again) in zip(first, package.drawn(examples.whole())):
        assert picture(figure, "pdf") == picture(again, "pdf"), name
    assert picture(figure, "png") == picture(again, "png")


@needs_matplotlib
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: str(each.__name__))
def test_they_fit_a_column_and_can_be_read(example: Callable[[], dict[str, Any]]) -> None:
    from matplotlib.text import Text

    for name, figure in package.drawn(example()):
        width, height = figure.get_size_inches()
        assert width == pytest.approx(3.3) and height <= 9, name
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        for text in figure.findobj(Text):
            if text.get_text().strip() and text.get_visible():
                assert text.get_fontsize() >= 7, (name, text.get_text())
                # A tick outside of its axis is not drawn.
                box = text.get_window_extent(renderer)
                if text in [each for axes in figure.axes for each in ticks(axes)]:
                    continue
                edge = figure.bbox
                inside = box.x0 >= -2 and box.x1 <= edge.x1 + 2 and box.y1 <= edge.y1 + 2
                assert inside and box.y0 >= -2, (name, text.get_text())


def ticks(axes: Any) -> list[Any]:
    return [*axes.get_xticklabels(which="both"), *axes.get_yticklabels(which="both")]


@needs_matplotlib
def test_legends_cover_no_data() -> None:
    for name, figure in package.drawn(examples.whole()):
        figure.draw_without_rendering()
        legends = [axes.get_legend() for axes in figure.axes] + figure.legends
        boxes = [each.get_window_extent() for each in legends if each is not None]
        assert boxes, name
        for axes in figure.axes:
            if axes.axison:
                place = axes.get_window_extent()
                assert not any(place.overlaps(box) for box in boxes), name


@needs_matplotlib
def test_curves_are_the_rates() -> None:
    figure = drawn(examples.fourteen())["power"]
    assert len(figure.axes) == 3  # five, five and four tests
    found = {
        tuple(line.get_ydata()) for axes in figure.axes for line in axes.lines if line.get_marker()
    }
    cells = examples.fourteen()["cells"]
    for test in examples.FOURTEEN:
        rates = tuple(cell["rate"] for cell in cells if cell["name"] == test)
        assert rates in found, test


@needs_matplotlib
def test_curves_of_a_panel_are_told_apart_without_colour() -> None:
    for axes in drawn(examples.fourteen())["power"].axes:
        handles = axes.get_legend().get_lines()[:-1]
        assert len({line.get_marker() for line in handles}) == len(handles)
    assert len({str(each.line) for each in _style.LOOKS[: power.MOST_CURVES]}) == power.MOST_CURVES


@needs_matplotlib
def test_bars_are_the_rates_and_bad_ones_are_hatched() -> None:
    (axes,) = drawn(examples.small())["type-one"].axes
    assert [patch.get_width() for patch in axes.patches] == [46 / 1000, 142 / 996]
    assert [bool(patch.get_hatch()) for patch in axes.patches] == [False, True]
    assert axes.get_xlim()[1] > examples.wilson(142, 996)[1]


@needs_matplotlib
def test_components_add_up_to_the_variance() -> None:
    found = examples.document(examples.components({}, 0.3, of="loss", learner="TREE"))
    (axes,) = drawn(found)["components"].axes
    values = {cell["name"]: cell["value"] for cell in found["cells"]}
    scale = 1e-4
    assert sum(each.get_width() for each in axes.patches) * scale == pytest.approx(
        values["variance"]
    )


@needs_matplotlib
def test_hostile_names_are_written_as_they_are() -> None:
    from matplotlib.text import Text

    shown = set()
    for _, figure in package.drawn(examples.hostile()):
        figure.draw_without_rendering()
        for text in figure.findobj(Text):
            assert not text.get_parse_math()
            shown.add(text.get_text())
    assert any("$x_1$ & 50%" in each for each in shown)
    assert any(r"\input{x}^~#{" in each for each in shown)
    assert any(r"<b>_tree</b>\x1b" in each for each in shown)
    assert not any("\x1b" in each for each in shown)


@needs_matplotlib
def test_a_name_with_an_underscore_in_front_keeps_its_place_in_a_legend() -> None:
    cells = [test_cell(name, {examples.V: v}, 5) for name in ("_x", "y") for v in (1, 2)]
    named = with_study(document(cells), grid={examples.V: [1, 2]})
    (axes,) = drawn(named)["power"].axes
    assert len(axes.get_legend().get_texts()) == 3


@needs_matplotlib
def test_the_users_own_settings_change_nothing() -> None:
    import matplotlib

    before = picture(drawn(examples.small())["type-one"], "png")
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "red", "savefig.dpi": 30}):
        assert picture(drawn(examples.small())["type-one"], "png") == before
        assert matplotlib.rcParams["font.size"] == 20


@needs_matplotlib
def test_a_grid_of_hundreds_of_points_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_style, "MOST_FIGURES", 1)
    points = list(range(1, 301))
    cells = [test_cell("kfold_t", {examples.V: f"p{v}"}, 50) for v in points]
    found = with_study(document(cells), grid={examples.V: [f"p{v}" for v in points]})
    assert len(drawn(found)) == 1


def test_without_matplotlib_tables_are_written_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "can_draw", lambda: False)
    written, (remark,) = write_study(tmp_path, examples.whole())
    assert {path.suffix for path in written} == {".csv", ".html", ".md", ".tex"}
    assert "Plots were left out (components, " in remark and "python3-matplotlib" in remark


def test_nothing_is_left_out_where_matplotlib_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "can_draw", lambda: True)
    assert left_out(examples.whole()) is None
    monkeypatch.setattr(package, "can_draw", lambda: False)
    assert left_out(document([])) is None


def test_a_new_plot_is_one_declaration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(plots)
    monkeypatch.setattr(plots, "_entries", known)
    monkeypatch.setattr(plots, "_modules", {name: plots.module(name) for name in known})

    @plot("losses", needs=Needs("test", fields=("loss_a", "partitions")))
    def losses(study: Study, cells: Cells) -> list[Any]:
        return []

    assert "losses" in wanted(examples.whole())
    assert "losses" not in wanted(examples.small())


def test_matplotlib_is_imported_inside_functions_alone() -> None:
    folder = Path(package.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert not any("matplotlib" in ast.unparse(node) for node in top), path.name
