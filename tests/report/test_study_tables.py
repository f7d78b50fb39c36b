"""The tables of a study in every format, and what its sentences say."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest
from tests.report import study_examples as examples
from tests.report.study_examples import N, V, document, quantity_cell, test_cell, with_study
from tests.report.test_latex import faults, needs_latex, run, typeset_main

from cvinfer.errors import UserError
from cvinfer.foreign import shown
from cvinfer.report.formats import formats, output_format
from cvinfer.report.kinds import kind_of
from cvinfer.report.studies import render_study, write_study
from cvinfer.report.studies.read import Study, value_se_text, value_text
from cvinfer.report.studies.words import opening
from cvinfer.report.terminal import cells_wide, print_document

EXAMPLES = (
    examples.small,
    examples.whole,
    examples.fourteen,
    examples.data_sets,
    examples.hostile,
)
by_name = pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: str(each.__name__))

TEXT = """\
Study: 2 tests of TREE against FNN, on letter.csv (300 records drawn with
  replacement), 1,000 replications.

H0 is true, as far as the true difference tells: type I error beyond α = 5 %
  by more than chance (3 standard errors): K-fold t 14.3 [12.2, 16.6] %.

Rejection rates in % at α = 5 %, TREE against FNN: 1,000 replications.

Test                       Rejected  A − B  Err. A  Err. B
──────────────────────────────────────────────────────────
BCV 5×2 McNemar     4.6 [3.5, 6.1]    0.00   20.00   20.00
K-fold t         14.3 [12.2, 16.6]*   0.00   20.00   20.00

In brackets: Wilson's interval at 95 %.
Starred: the true difference cannot be told from that of H0, and the rate is
  more than 3 standard errors above α: a type I error beyond chance.
Among all decisions: 6 ties, 2 degenerate, 4 failed.

Quantities of TREE − FNN, with standard errors: 1,000 replications.

Quantity                     Value
──────────────────────────────────
true difference  0.00000 ± 0.00040


"""

MARKDOWN = """\
| Test | Rejected | A − B | Err. A | Err. B |
| --- | ---: | ---: | ---: | ---: |
| BCV 5×2 McNemar | 4.6 \\[3.5, 6.1\\] | 0.00 | 20.00 | 20.00 |
| K-fold t | **14.3 \\[12.2, 16.6\\]** | 0.00 | 20.00 | 20.00 |
"""

LATEX = r"""\begin{tabular}{@{}lrrrr@{}}
\toprule
Test & Rejected & A $-$ B & Err. A & Err. B \\
\midrule
BCV 5$\times$2 McNemar & 4.6 [3.5, 6.1] & 0.00 & 20.00 & 20.00 \\
K-fold t & \textbf{14.3 [12.2, 16.6]} & 0.00 & 20.00 & 20.00 \\
\bottomrule
\end{tabular}
"""


def test_small_tables_are_these() -> None:
    found = examples.small()
    assert render_study(found, "text") == TEXT
    assert MARKDOWN in render_study(found, "markdown")
    assert LATEX in render_study(found, "latex")


def test_points_are_columns_while_they_are_few_and_rows_otherwise() -> None:
    few = render_study(examples.fourteen((1, 2, 4)), "markdown")
    assert "| Test | v = 1 | v = 2 | v = 4 |" in few
    many = render_study(examples.whole(), "markdown")
    assert "| v | n | BCV 5×2 McNemar | blocked 3×2 t |" in many


@by_name
@pytest.mark.parametrize("width", [60, 80, 132])
def test_no_line_is_wider_than_asked(example: Callable[[], dict[str, Any]], width: int) -> None:
    lines = render_study(example(), "text", width).splitlines()
    assert [line for line in lines if cells_wide(line) > width] == []


def rows_of(found: dict[str, Any]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_study(found, "csv"))))


def test_csv_has_a_row_a_cell_with_all_its_numbers() -> None:
    found = examples.whole()
    rows = rows_of(found)
    assert len(rows) == len(found["cells"])
    for row, cell in zip(rows, found["cells"]):
        numbers = {
            key: value
            for key, value in cell.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }
        assert numbers and {key: float(row[key]) for key in numbers} == numbers
        for key, value in cell["at"].items():
            assert float(row[f"at {key}"]) == value


@by_name
def test_every_format_shows_every_study(example: Callable[[], dict[str, Any]]) -> None:
    for name in formats:
        assert render_study(example(), name)
        assert "\x1b" not in render_study(example(), name)


def test_hostile_names_come_out_literally() -> None:
    found = examples.hostile()
    plain, tree, formula, macro = examples.HOSTILE
    text = " ".join(render_study(found, "text", 200).split())
    assert all(shown(each) in text for each in examples.HOSTILE)
    markdown = render_study(found, "markdown")
    assert r"\$x\_1\$ &amp; 50%" in markdown and r"&lt;b&gt;\_tree" in markdown
    latex = render_study(found, "latex")
    assert r"\$x\_1\$ \& 50\%" in latex and r"\input" not in latex
    assert r"\textbackslash{}input\{x\}" in latex
    cells = {value for row in rows_of(found) for value in row.values()}
    assert f"'{formula}" in cells and formula not in cells
    assert {plain, shown(tree), macro} <= cells


MAIN = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
\input{study}
\end{document}
"""


@needs_latex
@by_name
def test_latex_compiles_and_fits(
    example: Callable[[], dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cvinfer.report.plots.can_draw", lambda: False)
    write_study(tmp_path, example())
    assert faults(typeset_main(MAIN, tmp_path)) == []


@needs_latex
def test_compiled_names_can_be_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not on PATH: the page cannot be read back")
    monkeypatch.setattr("cvinfer.report.plots.can_draw", lambda: False)
    write_study(tmp_path, examples.hostile())
    typeset_main(MAIN, tmp_path)
    run("pdftotext", "-layout", "main.pdf", cwd=tmp_path)
    page = (tmp_path / "main.txt").read_text(encoding="utf-8", errors="replace")
    assert "$x_1$ & 50%" in page and "=1+1" in page


# --- words ----------------------------------------------------------------------------------------


def said(found: dict[str, Any]) -> str:
    return " ".join(opening(Study(found)))


def equal(rejections: int, difference: float = 0.0, **more: Any) -> dict[str, Any]:
    pair = {"a": "TREE", "b": "FNN", "of": "difference"}
    truth = quantity_cell("true_difference", {}, difference, 0.0004, **pair)
    return document([test_cell("kfold_t", {}, rejections, **more), truth])


def test_type_one_errors_are_marked_beyond_chance_only() -> None:
    # Three standard errors of 1,000 decisions at 5 % are 2.07 %.
    assert "type I error beyond α = 5 %" in said(equal(71))
    assert "no test rejects it more often" in said(equal(70))
    assert "\\*\\*" not in render_study(equal(70), "markdown")
    assert "**14.2" in render_study(equal(142), "markdown")


def test_power_is_no_error() -> None:
    found = equal(900, difference=0.1)
    assert "type I" not in said(found) and "H0" not in said(found)
    assert "**90.0" not in render_study(found, "markdown")


def test_where_the_truth_is_not_known_nothing_is_claimed() -> None:
    found = document([test_cell("kfold_t", {}, 142)])
    assert "the study does not tell" in said(found)
    assert "**14.2" not in render_study(found, "markdown")


def test_a_hypothesis_about_the_truth_is_true() -> None:
    found = document([test_cell("kfold_t", {}, 142, pair=("TREE", None), mu0="truth")])
    assert "type I error beyond" in said(found)
    assert "tests of TREE," in said(found) or "test of TREE," in said(found)


def test_failures_and_coverage_are_told() -> None:
    text = said(examples.whole())
    assert "12 failures, counted in no rate: R: singular; R: cannot split." in text
    assert "K-fold t interval 86.1 [83.8, 88.1] % at v = 10, n = 20" in text
    assert "FNN never learned class Q." in render_study(examples.whole(), "markdown")


def test_nothing_reached_is_a_dash() -> None:
    found = document([test_cell("kfold_t", {}, 0, failed=1000, estimate=None, loss_a=None)])
    assert re.search(r"K-fold t +— +— +— +20\.00", render_study(found, "text"))


def test_quantities_without_any_value_are_a_note_and_no_rows() -> None:
    """McNemar's test estimates no variance, so that it has no political ratio at any point."""
    grid = ({V: 1}, {V: 2})
    of = dict(zip("ab", ("TREE", "FNN")))
    cells = [test_cell(name, at, 50) for name in ("kfold_t", "holdout_mcnemar") for at in grid]
    for at, value in zip(grid, (None, 0.5)):  # one value at one point is enough for a row
        cells.append(quantity_cell("political_ratio", at, value, value, of="kfold_t", **of))
        for name in ("political_ratio", "rho"):
            cells.append(quantity_cell(name, at, None, None, of="holdout_mcnemar", **of))
    text = render_study(document(cells), "markdown")
    assert "| political ratio | K-fold t | — | 0.50 ± 0.50 |" in text
    assert "| hold-out McNemar | — |" not in text and "| ρ |" not in text
    assert "- Without a value, so not shown: political ratio and ρ of hold-out McNemar." in text
    nothing = [cell for cell in cells if cell.get("of") != "kfold_t"]
    assert "Quantities" not in render_study(document(nothing), "markdown")


def test_a_study_without_a_cell_is_shown() -> None:
    assert "no replications" in render_study(document([]), "text")


@pytest.mark.parametrize(
    ("value", "se", "text"),
    [
        (0.12345, 0.0012, "0.1235 ± 0.0012"),
        (-0.5, 0.25, "−0.50 ± 0.25"),
        (-3.35e-5, 1.8e-6, "−3.35 ± 0.18 ·10⁻⁵"),
        (30.1, 0.4, "30.10 ± 0.40"),
        (1234.5, 12.0, "1234 ± 12"),
        (0.25, None, "0.25"),
        (0.25, 0.0, "0.25"),
        (None, None, "—"),
    ],
)
def test_numbers_have_the_digits_that_their_error_allows(
    value: float, se: float, text: str
) -> None:
    assert value_se_text(value, se) == text


def test_keys_are_as_short_as_they_can_be() -> None:
    study = Study(examples.whole())
    assert [study.short(key) for key in study.keys] == ["v", "n"]
    grid = {"learners.A.params.v": [1, 2], "learners.B.params.v": [1, 2]}
    cells = [test_cell("kfold_t", {key: at for key in grid}, 1) for at in (1, 2)]
    twice = Study(with_study(document(cells), grid=grid))
    assert [twice.short(key) for key in twice.keys] == ["A.params.v", "B.params.v"]
    listed = Study(with_study(document([test_cell("kfold_t", {"tests.0": at}, 1) for at in "ab"])))
    assert [listed.short(key) for key in listed.keys] == ["tests.0"]
    assert value_text({"a": [1, 2]}) == '{"a": [1, 2]}'


# --- files and terminal ---------------------------------------------------------------------------


def test_files_are_written_whole_and_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cvinfer.report.plots.can_draw", lambda: False)
    written, _ = write_study(tmp_path / "new", examples.whole())
    assert [path.name for path in written] == ["study.csv", "report.html", "study.tex", "study.md"]
    assert sorted(each.name for each in (tmp_path / "new").iterdir()) == sorted(
        path.name for path in written
    )
    for path in written:
        name = {"csv": "csv", "html": "html", "tex": "latex", "md": "markdown"}[path.suffix[1:]]
        assert path.read_text(encoding="utf-8") == render_study(examples.whole(), name)


def test_a_format_for_results_refuses_a_study(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(formats)
    monkeypatch.setattr(formats, "_entries", known)
    monkeypatch.setattr(formats, "_modules", {name: formats.module(name) for name in known})

    @output_format("names", of={"result": "result.names"})
    def names(found: dict[str, Any]) -> str:
        return str(found["comparisons"])

    with pytest.raises(UserError, match="'names' is not for a study"):
        render_study(examples.small(), "names")


def test_a_document_is_known_by_what_it_holds() -> None:
    assert kind_of(examples.small()).name == "study"
    with pytest.raises(UserError, match="neither calibrate nor result nor"):
        kind_of({"cvinfer": 1})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@by_name
@pytest.mark.parametrize("height", [30, 60])
def test_a_terminal_gets_a_screen(example: Callable[[], dict[str, Any]], height: int) -> None:
    stream = Terminal()
    print_document(example(), stream, 90, height)
    lines = re.sub("\x1b\\[[0-9;]*m", "", stream.getvalue()).splitlines()
    assert lines[0].startswith("Study: ")
    assert max(map(cells_wide, lines)) <= 90
    assert len(lines) < height
    if height == 60:
        assert any(line.startswith("Rejection rates") for line in lines)


def test_a_pipe_gets_everything_where_it_is_asked_for() -> None:
    stream = io.StringIO()
    print_document(examples.whole(), stream, verbose=True)
    assert stream.getvalue().startswith(render_study(examples.whole(), "text"))


def test_a_value_of_the_grid_may_be_anything() -> None:
    grid = {V: [[1, 2], {"a": None}, True], N: ["x", None]}
    cells = [test_cell("kfold_t", {V: v, N: n}, 5) for v in grid[V] for n in grid[N]]
    found = with_study(document(cells), grid=grid)
    for name in formats:
        assert render_study(found, name)
    assert "[1, 2]" in render_study(found, "text")
