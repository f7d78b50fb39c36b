"""A result as a notebook shows it."""

from __future__ import annotations

from typing import Any

import pytest

import cvinfer
from cvinfer.errors import UserError
from cvinfer.runner.shown import FRAMES, Drawn

pytest.importorskip("pandas")
pytest.importorskip("sklearn")

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def result() -> Any:
    return cvinfer.run(
        {
            "cvinfer": 1,
            "data": {"source": "sklearn", "dataset": "iris"},
            "learners": {
                HOSTILE: {"engine": "builtin", "learner": "mean"},
                "most": {"engine": "builtin", "learner": "majority"},
            },
            "partition": {"scheme": "repeated_kfold", "r": 2, "k": 5},
            "tests": ["corrected_repeated_kfold_t"],
            "intervals": [],
        },
        jobs=1,
    )


def test_frames(result: Any) -> None:
    (row,) = result.to_frame().to_dict("records")
    found = result.comparisons[0]["inference"]
    assert (row["a"], row["b"], row["p_value"]) == (HOSTILE, "most", found["p_value"])
    assert [row["lower"], row["upper"]] == found["interval"]
    assert result.to_frame("verdicts")["verdict"].tolist() == ["a_better"]
    splits = result.to_frame("splits")
    assert len(splits) == 2 * 10 and set(splits["split"]) == set(range(10))
    means = splits.groupby("learner")["loss"].mean()
    extra = found["extra"]
    assert means[HOSTILE] == pytest.approx(extra["loss_a"])
    assert means["most"] == pytest.approx(extra["loss_b"])
    assert (splits["n_train"] + splits["n_test"] == 150).all()
    assert len(result.to_frame("intervals")) == 0
    with pytest.raises(UserError, match="no frame 'verdict'.*did you mean 'verdicts'"):
        result.to_frame("verdict")
    assert set(FRAMES) == {"comparisons", "intervals", "verdicts", "splits"}


def test_words_and_tables(result: Any) -> None:
    assert repr(result) == f"<Result comparison: 2 learners; {HOSTILE} and most: a better>"
    assert str(result) == result.table("text")
    assert "\\begin{table" in result.table("latex") and "|" in result.table("markdown")


def test_names_are_only_text_in_a_page(result: Any) -> None:
    page = result._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert page.count("<tr>") == 2 and "a better" in page


def test_pictures(result: Any, tmp_path: Any) -> None:
    with pytest.raises(UserError, match="no kind of plot 'pie'"):
        result.plot("pie")
    made = Drawn(b"<svg/>", "svg")
    assert repr(made) == "<picture, svg, 6 bytes; .save(file) writes it>"
    assert made._repr_svg_() == "<svg/>" and made._repr_png_() is None
    made.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == b"<svg/>"
