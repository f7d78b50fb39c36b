"""Pictures of results: what they hold, the same bytes twice, and what cannot be drawn."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from tests.report import report_examples as examples

from cvinfer.analysis import together
from cvinfer.errors import UserError
from cvinfer.report.pictures import FORMS, WIDTHS, Paper, drawn, form_of
from cvinfer.report.pictures.ranks import alike

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None,
    reason="matplotlib is not installed: nothing is drawn",
)
BEGINS = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<?xml"}


def document(data_sets: int = 6, learners: int = 4) -> dict[str, Any]:
    """As much of a result as the picture reads."""
    names = [f"learner {at}" for at in range(learners)]
    table = [[0.1 + 0.1 * at + 0.01 * row for at in range(learners)] for row in range(data_sets)]
    data = [f"data {row}" for row in range(data_sets)]
    asked = together.Asked(0.05, 1)
    measured = together.Measured("zero_one", "lower", table)
    return {"across": [together.across(asked, measured, data, names, ())]}


@needs_matplotlib
@pytest.mark.parametrize("form", FORMS)
def test_the_same_bytes_twice(form: str) -> None:
    made = drawn(document(), "ranks", form)
    assert made == drawn(document(), "ranks", form) and made.startswith(BEGINS[form])
    assert b"20" + b"26-" not in made[:2000]


@needs_matplotlib
@pytest.mark.parametrize("data_sets, learners", [(3, 3), (6, 2), (6, 30)])
def test_few_and_many_learners_fit(data_sets: int, learners: int) -> None:
    from cvinfer.report.pictures import pictures
    from cvinfer.report.plots import _style

    for width in WIDTHS.values():
        with _style.style():
            figure = pictures["ranks"].draw(document(data_sets, learners), Paper(width))
        axes = figure.axes[0]
        box = figure.bbox
        for text in axes.texts:
            extent = text.get_window_extent()
            assert box.x0 - 1 <= extent.x0 and extent.x1 <= box.x1 + 1, text.get_text()
        said = " ".join(text.get_text() for text in axes.texts)
        assert ("too few to test" in said) == (data_sets < together.TESTED_FROM)
        assert all(f"learner {at} " in said for at in range(learners))


@needs_matplotlib
@pytest.mark.parametrize("name", ["logistic regression", "W" * 40, "i" * 40, "决策树" * 9])
def test_long_names_of_ranks_stay_on_the_paper(name: str) -> None:
    from cvinfer.report.pictures import pictures
    from cvinfer.report.plots import _style

    found = document()
    found["across"][0]["learners"] = [f"{name} {at}" for at in range(4)]
    for width in WIDTHS.values():
        with _style.style():
            figure = pictures["ranks"].draw(found, Paper(width))
        for text in figure.axes[0].texts:
            extent = text.get_window_extent()
            assert figure.bbox.x0 - 1 <= extent.x0 and extent.x1 <= figure.bbox.x1 + 1


@needs_matplotlib
def test_each_measure_has_its_margin_in_the_forest() -> None:
    """A spec with several measures has a margin for each; drawing one of them failed once."""
    from cvinfer.report.pictures import pictures
    from cvinfer.report.plots import _style

    found = examples.small()
    found["spec"] = {**found["spec"], "margin": {"zero_one": 0.02, "auc": 0.5}}
    with _style.style():
        figure = pictures["forest"].draw(found, Paper())
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert "margin" in labels
    ticks = [each.get_text() for each in figure.axes[0].get_xticklabels()]
    assert not any("-" in each for each in ticks)


def test_the_longer_name_takes_what_the_shorter_leaves() -> None:
    from cvinfer.report.pictures._rows import pair_text

    said = pair_text(Paper())({"a": "logistic regression with more", "b": "tree"})
    assert said.endswith(" − tree") and len(said) == 24 and said.startswith("logistic regr")
    assert pair_text(Paper())({"a": "x" * 40, "b": "y" * 40}).count(".") == 6


def test_bars_join_what_is_close() -> None:
    assert alike([1.0, 1.5, 2.2, 4.0], 1.0) == [(0, 1), (1, 2)]
    assert alike([1.0, 3.0], 1.0) == []
    assert alike([1.0, 1.1, 1.2], 1.0) == [(0, 2)]


@needs_matplotlib
def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(UserError, match="several data sets"):
        drawn(examples.made({"A": 0.1, "B": 0.2}, [("A", "B")], ["kfold_t"]), "ranks", "pdf")
    with pytest.raises(UserError, match="no measure 'auc'"):
        drawn(document(), "ranks", "pdf", Paper(measure="auc"))
    with pytest.raises(UserError, match="rank"):
        drawn(document(), "rank", "pdf")
    with pytest.raises(UserError, match=".pdf, .png, .svg"):
        form_of(Path("figure.jpeg"))


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cvinfer.report.pictures.can_draw", lambda: False)
    with pytest.raises(UserError, match="python3-matplotlib"):
        drawn(document(), "ranks", "pdf")


ROWS = {
    "forest": examples.sixty,
    "splits": examples.sixty,
    "pvalues": examples.every_test,
    "f1": examples.breast_cancer,
    "overlap": examples.breast_cancer,
}


@needs_matplotlib
@pytest.mark.parametrize("kind", ROWS)
def test_pictures_with_rows_fit_and_are_the_same_twice(kind: str) -> None:
    from cvinfer.report.pictures import pictures
    from cvinfer.report.plots import _style

    document = ROWS[kind]()
    assert drawn(document, kind, "svg") == drawn(document, kind, "svg")
    for width in WIDTHS.values():
        with _style.style():
            figure = pictures[kind].draw(document, Paper(width))
            figure.draw_without_rendering()
            box, axes = figure.bbox, figure.axes[0]
            assert figure.get_figheight() <= _style.TALLEST + 0.01
            for text in (*axes.get_yticklabels(), *axes.texts, axes.xaxis.label):
                extent = text.get_window_extent()
                assert box.x0 - 1 <= extent.x0 and extent.x1 <= box.x1 + 1, text.get_text()
            (legend,) = figure.legends
            under = axes.xaxis.label.get_window_extent().y0
            assert box.y0 <= legend.get_window_extent().y0
            assert legend.get_window_extent().y1 <= under + 1


@needs_matplotlib
def test_rows_that_do_not_fit_are_counted() -> None:
    from cvinfer.report.pictures import pictures
    from cvinfer.report.plots import _style

    with _style.style():
        figure = pictures["forest"].draw(examples.sixty(), Paper())
    shown = len(figure.axes[0].get_yticks())
    said = " ".join(text.get_text() for text in figure.texts)
    assert shown < 60 and f"{60 - shown} more rows are in result.json" in said


@pytest.mark.parametrize(
    ("kind", "said"), [("f1", "f1_beta_prime"), ("overlap", "no m×2"), ("forest", "nothing")]
)
@needs_matplotlib
def test_what_is_not_there_is_refused(kind: str, said: str) -> None:
    found = examples.made({"a": 0.3, "b": 0.1}, [("a", "b")], ["kfold_t"], n=60)
    if kind == "forest":
        found = {**found, "verdicts": []}
    with pytest.raises(UserError, match=said):
        drawn(found, kind, "png")
