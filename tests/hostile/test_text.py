"""Text of others is shown, not obeyed: by terminals, pages, logs and spreadsheets."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, strategies

from cvinfer import foreign

ROOT = Path(__file__).resolve().parents[2]
#: Sets the title of the window, turns the direction of writing, moves up a line, a C1 control.
HOSTILE = "\x1b]0;title\x07\u202eevil\u2066\x9b2Jx\u200f"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(*texts: str) -> None:
    for text in texts:
        found = OBEYED.search(text)
        assert found is None, (found, text[max(0, found.start() - 80) : found.end() + 40])


# --- the one function -----------------------------------------------------------------------------


def test_what_terminals_obey_is_shown():
    assert foreign.shown("a\x1b[31m") == "a\\x1b[31m"
    assert foreign.shown("\u202eabc") == "\\u202eabc"
    assert foreign.shown("a\nb\tc\rd") == "a\\x0ab\\x09c\\x0dd"
    assert foreign.shown_lines("a\r\nb\tc\rd") == "a\nb\tc\\x0dd"
    assert foreign.shown("\U000e0041\ud800") == "\\U000e0041\\ud800"


@given(strategies.text())
def test_nothing_else_is_changed(text):
    shown = foreign.shown(text)
    harmless(shown)
    assert foreign.shown(shown) == shown
    if text.isprintable():
        assert shown == text
    assert json.loads(foreign.json_text([text])) == [text]
    harmless(foreign.json_text([text]))


def test_words_of_other_scripts_stay():
    for text in ("né", "日本語", "می\u200cخواهم", "👩\u200d🔬", "שלום", "a\u0301"):
        assert foreign.shown(text) == text


@given(strategies.floats(allow_nan=False))
def test_numbers_stay_numbers_in_spreadsheets(number):
    assert foreign.csv_cell(number) is number
    assert foreign.csv_cell(repr(number)) == repr(number)


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_formulas_become_text_in_spreadsheets(text):
    assert foreign.csv_cell(text) == "'" + text


def test_long_quotations_are_cut():
    message = f"column {'z' * 5000!r} holds {'y' * 5000!r}; say 'drop'"
    short = foreign.short(message)
    assert "z" * 200 + "...'" in short and "z" * 201 not in short and short.endswith("say 'drop'")
    assert foreign.short("x" * 900) == "x" * 900
    assert len(foreign.short("x" * 90_000)) == foreign.LONGEST_LINE


# --- nothing else prints --------------------------------------------------------------------------

#: Who touches the streams of the process, and what for.
STREAMS = {
    "cvinfer/cli.py": "prepares them, empties them, drops what cannot be written",
    "cvinfer/commands/_listing.py": "asks whether it is a terminal",
    "cvinfer/commands/_said.py": "asks whether it is a terminal, and how wide",
    "cvinfer/commands/store.py": "asks whether there is somebody to answer",
    "cvinfer/report/terminal.py": "hands it to foreign.write_to, or to rich's console",
    "cvinfer/progress.py": "hands it to foreign.write_to",
    "cvinfer/execute/backends/worker.py": "turns them to the log of the worker",
    "cvinfer/limits.py": "reads standard input",
}
PRINTING = {"echo", "secho", "print", "pprint", "prompt", "confirm", "echo_via_pager", "log"}


def modules():
    for path in sorted((ROOT / "cvinfer").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name != "cvinfer/foreign.py":
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def test_nothing_but_foreign_prints():
    found = []
    for name, tree in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id in ("print", "pprint", "input"):
                found.append((name, node.lineno))
            if isinstance(called, ast.Attribute) and called.attr in PRINTING:
                receiver = ast.unparse(called.value)
                if receiver in ("click", "console", "rich", "sys.stdout", "sys.stderr"):
                    found.append((name, node.lineno, receiver))
            if isinstance(called, ast.Attribute) and called.attr in ("write", "writelines"):
                receiver = ast.unparse(called.value)
                if re.search(r"\bstd(out|err)\b", receiver) and "process" not in receiver:
                    found.append((name, node.lineno, receiver))
    assert not found, "print with cvinfer.foreign.say"


def test_nobody_else_touches_the_streams():
    found = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("stdin", "stdout", "stderr", "__stdout__", "__stderr__")
        and ast.unparse(node.value) == "sys"
    }
    assert found <= set(STREAMS), found - set(STREAMS)


# --- everywhere that text of others goes ----------------------------------------------------------


def predictions(place: Path, names: list[str], data_name: str = "d") -> Path:
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["split", "record", "truth", *names])
    for i in range(100):
        labels = [HOSTILE + "0", HOSTILE + "1"]
        row = [labels[(i * (at + 2) // 3) % 2] for at in range(len(names))]
        writer.writerow([i % 10, i, labels[i % 2], *row])
    (place / "p.csv").write_text(table.getvalue(), encoding="utf-8", newline="")
    spec = {
        "cvinfer": 1,
        "name": "x",
        "data": {"source": "predictions", "path": "p.csv", "name": data_name},
        "tests": ["kfold_t", "holdout_mcnemar"][:1],
        "intervals": [],
        "output": {"directory": f"out{HOSTILE}"},
    }
    path = place / f"spec{HOSTILE}.yaml"
    path.write_text(yaml.safe_dump(spec), encoding="utf-8")
    return path


def test_names_in_a_file_of_predictions(cvinfer, place):
    path = predictions(place, [f"a{HOSTILE}", f"=b{HOSTILE}"], data_name=f"d{HOSTILE}")
    answer = cvinfer("run", path)
    assert answer.code == 0, answer.err
    harmless(answer.out, answer.err)
    assert "\\x1b" in answer.out and "\\u202e" in answer.out
    directory = place / f"out{HOSTILE}" / "x"
    harmless((directory / "result.md").read_text(), (directory / "result.tex").read_text())
    for form in ("text", "markdown", "csv", "latex"):
        table = cvinfer("table", directory / "result.json", "--format", form)
        harmless(table.out, table.err)
    for words in (["validate", path], ["validate", "--json", path], ["plan", path], ["show", path]):
        answer = cvinfer(*words)
        assert answer.code == 0, answer
        harmless(answer.out, answer.err)
    (place / "again.yaml").write_text(cvinfer("show", path).out)
    assert yaml.safe_load(cvinfer("show", "again.yaml").out)["data"][0]["name"] == f"d{HOSTILE}"


def test_a_table_for_a_spreadsheet(cvinfer, place):
    path = predictions(place, ["=1+1", "@b"])
    assert cvinfer("run", path).code == 0
    result = place / f"out{HOSTILE}" / "x" / "result.json"
    rows = list(csv.DictReader(io.StringIO(cvinfer("table", result, "--format", "csv").out)))
    assert {row["a"] for row in rows} == {"'=1+1"} and {row["b"] for row in rows} == {"'@b"}
    for row in rows:
        assert all(cell[:1] not in "=+@" or not cell for cell in row.values())
        float(row["estimate"]), float(row["p_value"])


LEARNER = """
import os
import sys
import warnings

from sklearn.naive_bayes import GaussianNB

HOSTILE = "\\x1b]0;title\\x07\\u202eevil\\u2066\\x9b2Jx\\u200f"


class Talks(GaussianNB):
    def fit(self, X, y):
        print("printed", HOSTILE)
        os.write(2, HOSTILE.encode())
        warnings.warn("warned " + HOSTILE)
        if len(y) % 2:
            raise ValueError("raised " + HOSTILE)
        return super().fit(X, y)
"""


def test_what_learners_print_warn_of_and_raise(cvinfer, spec, place):
    (place / "theirs.py").write_text(LEARNER)
    path = spec(
        "{engine: sklearn, learner: 'theirs:Talks'}", data="{source: sklearn, dataset: iris}"
    )
    text = path.read_text().replace("[blocked_3x2_t]", "[blocked_3x2_t, kfold_t]")
    path.write_text(text.replace("dataset: iris", "dataset: iris, sample: 149"))
    environment = {"PYTHONPATH": f"{ROOT}:{place}"}
    answer = cvinfer("run", path, "--allow-code", **environment)
    assert answer.code in (0, 3), answer
    harmless(answer.out, answer.err)
    directory = place / "results" / "hostile"
    log = (directory / "run.log").read_text()
    harmless(log, (directory / "result.md").read_text())
    assert "printed \\x1b]0;title\\x07\\u202eevil" in log
    answer = cvinfer("table", directory / "result.json")
    harmless(answer.out, answer.err)


def test_a_foreign_result(cvinfer, finished, place):
    """Every text of a result, keys too, replaced by a hostile one where it stays a result."""
    document = json.loads((finished / "result.json").read_text())

    def hostile(value, key=""):
        if isinstance(value, dict):
            return {name: hostile(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [hostile(each, key) for each in value]
        free = key in (
            "name",
            "a",
            "b",
            "learner",
            "sentence",
            "note",
            "warnings",
            "label",
            "notes",
        )
        return value + HOSTILE if isinstance(value, str) and free else value

    (place / "result.json").write_text(json.dumps(hostile(document)))
    for form in ("text", "markdown", "csv", "latex"):
        answer = cvinfer("table", "result.json", "--format", form)
        assert answer.code == 0, answer
        harmless(answer.out, answer.err)
    answer = cvinfer("test", "result.json", "--tests", "kfold_t")
    harmless(answer.out, answer.err)


def test_faults_and_paths(cvinfer, place):
    odd = place / f"odd{HOSTILE}.csv"
    odd.write_text(f"x,y{HOSTILE}\n1,a\n")
    for words in (
        ["run", f"missing{HOSTILE}.yaml"],
        ["init", odd, "--target", f"z{HOSTILE}"],
        ["init", odd],
        ["table", odd],
        ["store", "info", "--store", odd],
        ["test", odd, "--tests", HOSTILE],
    ):
        answer = cvinfer(*words)
        assert answer.code == 2, answer
        harmless(answer.out, answer.err)
    (place / "spec.yaml").write_text(
        f'cvinfer: 1\nname: "{yaml_escaped(HOSTILE)}"\n"key{yaml_escaped(HOSTILE)}": 1\n'
        f"data: {{source: csv, path: 'odd\u202e', target: y}}\n"
    )
    for words in (
        ["validate", "spec.yaml"],
        ["validate", "--json", "spec.yaml"],
        ["doctor", "spec.yaml"],
    ):
        answer = cvinfer(*words)
        assert answer.code == 2
        harmless(answer.out, answer.err)


def yaml_escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def test_a_spec_made_for_data_of_others_is_plain(cvinfer, place):
    rows = "".join(f"{i},{i % 2},a{i % 3}\n" for i in range(60))
    (place / "d.csv").write_text(f"x\u202e,y\u202e,\x1bz\n{rows}", encoding="utf-8")
    answer = cvinfer("init", "d.csv", "--target", "y\u202e")
    assert answer.code == 0, answer.err
    harmless((place / "spec.yaml").read_text(), answer.out, answer.err)
    assert cvinfer("validate", "spec.yaml").code == 0


def test_progress_on_a_terminal_shows_names_as_they_are():
    from cvinfer.progress import BarProgress

    bar = BarProgress()
    output = io.StringIO()
    bar.bar.live.console.file = output
    bar.start(2, 0)
    bar.running([f"[red]a{HOSTILE}[/red] on [link=http://x]d[/link]"])
    bar.bar.refresh()
    rendered = "".join(str(column) for column in bar.bar.tasks[0].fields.values())
    bar.stop()
    harmless(rendered)
    assert "[red]a" in rendered


@pytest.mark.parametrize("verbose", [False, True])
def test_the_result_on_a_terminal(finished, verbose):
    import pty

    from cvinfer.report.terminal import print_document

    document = json.loads((finished / "result.json").read_text())
    document["warnings"] = [f"[bold]w{HOSTILE}[/bold]"]
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as terminal:
        print_document(document, file=terminal, width=100, verbose=verbose)
        terminal.flush()
        os.set_blocking(leader, False)
        text = b""
        try:
            while True:
                text += os.read(leader, 65536)
        except BlockingIOError:
            pass
    shown = text.decode()
    assert "[bold]w\\x1b]0;title\\x07\\u202eevil" in shown.replace("\r\n", "")
    # Colours are the program's own.
    harmless(re.sub("\x1b\\[[0-9;]*m", "", shown).replace("\r\n", "\n"))
