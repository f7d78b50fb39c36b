"""Markdown, CSV and the terminal."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping

import pytest
from tests.report import report_examples as examples
from tests.report.report_examples import LETTER, NASTY, made, reread

from cvinfer.errors import UserError
from cvinfer.inference import tests
from cvinfer.report import render, write_report
from cvinfer.report.formats import formats, output_format
from cvinfer.report.tables import title_lines, wrap
from cvinfer.report.warned import one_name
from cvinfer.report.terminal import cells_wide, plain_text, print_document
from cvinfer.analysis.words import MINUS, title


def test_render_needs_a_known_format() -> None:
    with pytest.raises(UserError, match="no format 'rtf'.*csv, html, latex, markdown, text"):
        render(examples.small(), "rtf")


def test_names_and_files_of_formats_load_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from cvinfer.report.formats import files_of, formats\n"
        "print(list(formats), list(files_of('result')))\n"
        "print([name for name in ('numpy', 'scipy', 'jinja2', 'rich') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, heavy = done.stdout.splitlines()
    assert names == (
        "['csv', 'html', 'latex', 'markdown', 'text'] ['report.html', 'result.tex', 'result.md']"
    )
    assert heavy == "[]"


def test_a_new_format_is_rendered_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(formats)
    monkeypatch.setattr(formats, "_entries", known)
    monkeypatch.setattr(formats, "_modules", {name: formats.module(name) for name in known})

    @output_format("names", of={"result": "result.names"})
    def names(document: Mapping[str, Any]) -> str:
        return f"{document['name']}\n"

    document = {**examples.small(), "name": "a\x1b[31mb"}
    assert list(formats) == ["csv", "html", "latex", "markdown", "names", "text"]
    assert "\x1b" not in render(document, "names")  # nothing that a terminal would obey
    written = write_report(tmp_path, document)
    assert tmp_path / "result.names" in written
    assert (tmp_path / "result.names").read_text() == render(document, "names")


@pytest.mark.parametrize("format_", formats)
def test_a_document_read_back_renders_the_same(format_: str) -> None:
    for document in (examples.troubled(), examples.breast_cancer()):
        assert render(reread(document), format_) == render(document, format_)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown_tables_have_the_same_columns_in_every_row() -> None:
    for document in (examples.small(), examples.every_test(), examples.troubled()):
        rows = [line for line in render(document, "markdown").splitlines() if line[:1] == "|"]
        widths = {len(cells(row)) for row in rows}
        assert len(widths) == 1
        assert len(rows) == 2 + len({(c["data"], c["a"], c["b"]) for c in document["comparisons"]})


def test_markdown_escapes_names() -> None:
    name = r"a|b*c_d`e<f>&\[x](y)"
    document = made({name: 0.4, "B": 0.1}, [(name, "B")], ["blocked_3x2_t"])
    text = render(document, "markdown")
    assert r"a\|b\*c\_d\`e&lt;f&gt;&amp;\\\[x\](y)" in text
    assert name not in text


@pytest.mark.parametrize(("format_", "heading"), [("markdown", "## Notes"), ("text", "Notes")])
def test_notes_on_the_data_are_shown(format_: str, heading: str) -> None:
    document = examples.small()
    assert "Notes on the data" not in render(document, format_)
    document["data"][0]["notes"] = ["5 records of 300 are gone"]
    lines = render(document, format_).splitlines()
    at = lines.index(f"{heading} on the data")
    shown = f"- {document['data'][0]['name']}: 5 records of 300 are gone"
    assert shown in lines[at + 1 : at + 3]


@pytest.mark.parametrize("format_", ["latex", "markdown", "text"])
def test_a_test_without_a_partition_names_none(format_: str) -> None:
    document = examples.small()
    for entry in document["comparisons"]:
        if entry["test"] == document["comparisons"][0]["test"]:
            entry.update(inference=None, failed="no folds", partitions=[], better=None)
    text = " ".join(render(document, format_).split())
    assert "failed" in text
    assert not re.search(r" on *[.;]", text)


def test_markdown_bold_sentences_and_warnings() -> None:
    document = examples.small()
    text = render(document, "markdown")
    (row,) = [line for line in text.splitlines() if line.startswith("| CART")]
    assert cells(row)[1] == "**SVM**"
    assert (
        cells(row)[3]
        == f"**{100 * document['comparisons'][0]['inference']['extra']['loss_b']:.2f}**"
    )
    lower, upper = (f"{100 * end:.2f}" for end in document["verdicts"][0]["interval"])
    assert cells(row)[4].endswith(rf" \[{lower}, {upper}\]")
    assert cells(row)[5] == r"**&lt; 0.001**"
    # The other tests stand beside it in plain type, however small their p-values.
    assert not any("**" in cell for cell in cells(row)[6:])
    assert text.count("\n- On letter, ") == len(document["verdicts"])
    assert "## Warnings" in text and "few discordant" in text


def test_csv_has_one_row_per_test_and_interval() -> None:
    document = examples.breast_cancer()
    rows = list(csv.DictReader(io.StringIO(render(document, "csv"))))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("comparison") == len(document["comparisons"])
    assert kinds.count("interval") == len(document["intervals"])
    for row, entry in zip(rows, document["comparisons"]):
        inference = entry["inference"]
        assert float(row["p_value"]) == inference["p_value"]
        assert float(row["p_corrected"]) == entry["p_corrected"]
        assert float(row["estimate"]) == inference["estimate"]
        assert row["significant"] == str(entry["reject_corrected"]).lower()
        assert row["better"] == (entry["better"] or "")
    for row, entry in zip(rows[len(document["comparisons"]) :], document["intervals"]):
        # As in the other tables: the median lies in its interval, the plain score may not.
        result = entry["result"]
        assert float(row["estimate"]) == result["extra"].get("median", result["point"])
        assert float(row["lower"]) <= float(row["estimate"]) <= float(row["upper"])
        assert float(row["point"]) == result["point"]
        assert row["averaging"] == (entry["averaging"] or "")


def test_csv_keeps_names_and_failures() -> None:
    document = examples.troubled()
    rows = list(csv.DictReader(io.StringIO(render(document, "csv"))))
    failed = [row for row in rows if row["failed"]]
    assert len(failed) == 6
    assert {row["p_value"] for row in failed} == {""}
    names = {row["a"] for row in csv.DictReader(io.StringIO(render(examples.every_test(), "csv")))}
    assert NASTY in names


@pytest.mark.parametrize("name", ["one", "small", "troubled", "every_test", "breast_cancer"])
def test_text_fits_80_columns(name: str) -> None:
    document = getattr(examples, name)()
    lines = render(document, "text").splitlines()
    assert max(cells_wide(line) for line in lines) <= 80
    flat = " ".join(" ".join(lines).split())
    for verdict in document["verdicts"]:
        assert " ".join(one_name(verdict["sentence"], document).split()) in flat


def test_text_shows_every_result() -> None:
    """Wide tables are split, never cut: every p-value stands somewhere."""
    document = made(LETTER, [("CART", "SVM")], ["bcv_5x2_mcnemar", "kfold_t", "cvci_z"])
    assert len(re.findall(r"Part \d of", plain_text(document, 60))) == 3
    for width in (60, 80, 200):
        text = plain_text(document, width).split("Starred")[0].split("Comparison", 1)[1]
        assert len(re.findall(r"< 0\.001|[01]\.\d{3}", text)) == 3


def test_wide_characters_keep_the_columns_in_line() -> None:
    rates = {"决策树": 0.3, "ä": 0.1, "plain": 0.3}
    document = made(rates, [("决策树", "ä"), ("plain", "ä")], ["blocked_3x2_t"])
    table = render(document, "text").split("─\n")[-1].split("\n\n")[0].splitlines()
    assert len(table) == 2
    places = set()
    for line in table:
        before = line[: line.index(".")]
        places.add(len(before) + sum(character in "决策树" for character in before))
    assert len(places) == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal_gets_bold_and_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="a terminal is written to through rich")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    print_document(examples.small(), stream, 80, verbose=True)
    shown = stream.getvalue()
    assert re.search(r"\x1b\[1;32mSVM", shown)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(cells_wide(line) for line in plain.splitlines()) <= 80
    assert "*" not in plain
    for verdict in examples.small()["verdicts"]:
        sentence = one_name(verdict["sentence"], examples.small())
        assert " ".join(sentence.split()) in " ".join(plain.split())


def test_a_pipe_gets_plain_text() -> None:
    stream = io.StringIO()
    print_document(examples.small(), stream, verbose=True)
    assert stream.getvalue() == plain_text(examples.small())
    assert "\x1b" not in stream.getvalue()


def test_wrap_loses_nothing() -> None:
    def measure(text: str) -> float:
        return float(len(text))

    for name in ("RandomForestClassifier(n_estimators=500)", "a b c", "", "x" * 50, "_" * 9):
        for limit in (0.5, 3.0, 8.0, 80.0):
            lines = wrap(name, limit, measure)
            assert "".join(lines).replace(" ", "") == name.replace(" ", "")
            assert all(len(line) <= max(limit, 1) for line in lines)
    assert wrap("RandomForestClassifier", 14, measure) == ["RandomForest", "Classifier"]
    assert title_lines("calibrated 5×2 BCV F", 11, measure) == ["calibrated", "5×2 BCV F"]
    assert title_lines("blocked 3×2 t", 11, measure) == ["blocked", "3×2 t"]


def test_error_rates_and_difference_are_those_of_the_test_that_decides() -> None:
    from cvinfer.report.tables import comparison_table

    # Folds of unequal size: the mean over records is not the mean over folds.
    names = ["kfold_t", "cvci_z", "blocked_3x2_t", "corrected_kfold_t"]
    pairs = [("CART", "SVM"), ("CART", "1-NN")]
    for primary in names:
        document: dict[str, Any] = made(LETTER, pairs, names, n=95, primary=primary)
        table = comparison_table(document)
        assert table is not None
        first, *others = table.groups
        assert [column.title for column in first.shared] == ["Err. A", "Err. B"]
        assert not any(group.shared for group in others)
        decisive = [c for c in document["comparisons"] if c["test"] == primary]
        for side, column in zip("ab", first.shared):
            shown = [cell.text for cell in column.cells]
            extra = [entry["inference"]["extra"][f"loss_{side}"] for entry in decisive]
            assert shown == [f"{100 * loss:.2f}" for loss in extra]
        assert first.own[0].title == f"A {MINUS} B [95%]"
        assert first.own[1].title == f"p {title(primary)}"
        own = [column.title for group in table.groups for column in group.own]
        assert len(own) == len(set(own)) == 1 + len(names)


def test_bold_stands_only_beside_the_p_value_that_decides() -> None:
    """A part of a split table has a bold name or error rate only with a bold p-value beside it."""
    from cvinfer.report.formats.latex import PAPER
    from cvinfer.report.tables import comparison_table, parts

    document = examples.sixty(("bcv_5x2_mcnemar", *(t for t in tests() if t != "bcv_5x2_mcnemar")))
    table = comparison_table(document)
    assert table is not None
    rows = range(table.rows)
    verdicts = document["verdicts"]
    bold = 0
    for part in parts(table, PAPER, lambda groups, limit: [rows])[0]:
        decisive = [c for g in part.groups for c in g.own if any(c.favours)]
        for row in part.rows:
            winner = verdicts[row]["verdict"] in ("a_better", "b_better") and bool(decisive)
            assert sum(key.cells[row].bold for key in part.keys if key.who) == winner
            for group in part.groups:
                here = winner and any(column in decisive for column in group.own)
                assert sum(column.cells[row].bold for column in group.shared) == here
                for column in group.own:
                    assert not column.cells[row].bold or column in decisive
                bold += here
    assert bold == sum(v["verdict"] in ("a_better", "b_better") for v in verdicts) > 5
