"""Odd names of learners, data sets, directories, columns and classes."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from pathlib import Path
from random import Random
from typing import Any

from torture.cases import Case, Fault, Part, Tally
from torture.commands import clear, harmless, no_complaint, nothing_left, read
from torture.inside import Several
from torture.strange import CANARY, texts

#: Pieces that names are made of, besides the texts of `strange`.
PIECES = (
    *("\x1b[31m", "\x1b]0;t\x07", "\x9b1A", "\u202e", "\u2066", "\u200f", "\u2028", "\u200b"),
    *("'", '"', "`", "\\", "/", "|", "&", "<b>", "</td>", "&amp;", "$x$", "\\textbf{", "}", "{"),
    *("%", "#", "_", "^", "~", ",", ";", ":", "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "\0"),
    *(
        "ä",
        "ß",
        "名前",
        "नाम",
        "اسم",
        "\U0001f468\u200d\U0001f469",
        "e\u0301",
        "ﬁ",
        "\u00a0",
        "\ufeff",
    ),
    *("[link=http://x]", "**x**", "![x](y)", "| x |", "{{x}}", "%s", "CON", "null", "0", "1e5"),
)
MANY = 100


def name_of(draw: Random, place: Path, number: int) -> str:
    known = texts(place)
    if number < len(known):
        return known[number]
    kind = draw.random()
    if kind < 0.1:
        return draw.choice(PIECES) * draw.choice((100, 1000, 20_000))
    return "".join(
        draw.choice((draw.choice(PIECES), draw.choice("abc xyz")))
        for _ in range(draw.randint(1, 8))
    )


def as_directory(name: str) -> str:
    """What of a name can be one of a directory."""
    kept = name.replace("/", "_").replace("\0", "_").encode("utf-8", "replace")[:150]
    text = kept.decode("utf-8", "ignore")
    return text if text.strip(". ") else "d" + text


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def prepared(place: Path, tally: Tally) -> Several:
    return Several(place / "inside", 2)


def case(this: Case) -> None:
    name = name_of(this.draw, this.place, this.number)
    inside: Several = this.ground
    where = this.place / as_directory(name)
    where.mkdir(exist_ok=True)
    spec: dict[str, Any] = {
        "cvinfer": 1,
        "name": "x",
        "data": {"source": "csv", "path": "d.csv", "target": f"y{name}", "name": f"d{name}"},
        "learners": {
            f"a{name}": {"engine": "builtin", "learner": "mean"},
            f"b{name}": {"engine": "builtin", "learner": "majority"},
        },
        "tests": ["kfold_t"],
    }
    part = this.draw.choice(("all", "learners", "data", "columns", "classes"))
    plain = "_"
    column = name if part in ("all", "columns") else plain
    label = name if part in ("all", "classes") else plain
    spec["data"]["target"] = f"y{column}"
    if part not in ("all", "data"):
        spec["data"]["name"] = "d"
    if part not in ("all", "learners"):
        spec["learners"] = {key[0]: entry for key, entry in spec["learners"].items()}
    rows = [f"{quoted('x' + column)},{quoted('y' + column)}"]
    rows += [f"{i % 7},{quoted(f'{i % 2}{label}')}" for i in range(40)]
    (where / "d.csv").write_bytes("\n".join(rows).encode("utf-8", "surrogatepass"))
    (where / "spec.json").write_text(json.dumps(spec))
    answers = [inside.ask(where, "validate", "spec.json", alone=False)]
    run = inside.ask(where, "run", "spec.json", "--jobs", 1)
    answers += [run, inside.ask(where, "show", "spec.json")]
    if answers[0].code != run.code:
        raise Fault(f"{name!a}: validate ends in {answers[0].code}, run in {run.short()}")
    result = where / "results" / "x"
    if run.code == 0:
        _kept(name, spec, result)
        for form in ("text", "markdown", "latex", "csv"):
            answers.append(inside.ask(where, "table", result / "result.json", "--format", form))
        if this.number % 4 == 0:
            answers.append(inside.ask(where, "verify", result / "result.json", "--quiet"))
        answers.append(inside.ask(where, "test", result / "result.json", "--tests", "cvci_z"))
        harmless(read(result / "result.md"))
        nothing_left(where, result)
        _typeset(this, name, result)
    answers.append(
        inside.ask(this.place, "init", where / "d.csv", "-o", "made.yaml", "--target", "y")
    )
    for answer in answers:
        no_complaint(answer)
        harmless(answer.out, answer.err)
        if answer.code not in (0, 2):
            raise Fault(f"{name!a}: {answer.short()}")
    if (this.place / CANARY).exists():
        raise Fault(f"{name!a}: the canary was made")
    this.tally.count("names that run" if run.code == 0 else "names that are refused")
    clear(this.place)


def _kept(name: str, spec: Any, result: Path) -> None:
    """A name is in the result as it was given, whatever is shown of it."""
    document = json.loads((result / "result.json").read_text())
    given = {unicodedata.normalize("NFC", each) for each in spec["learners"]}
    found = {document["comparisons"][0]["a"], document["comparisons"][0]["b"]}
    if {unicodedata.normalize("NFC", each) for each in found} != given:
        raise Fault(f"{name!a}: the learners {sorted(given)!a} became {sorted(found)!a}")


def _typeset(this: Case, name: str, result: Path) -> None:
    """Some of the tables are typeset; LaTeX must get through, and write nothing of its own."""
    if this.number % 5 or not shutil.which("pdflatex") or len(name) > 500:
        return
    place = this.place / "latex"
    place.mkdir()
    shutil.copy(result / "result.tex", place / "result.tex")
    (place / "page.tex").write_text(
        "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{booktabs,amsmath}\n"
        "\\begin{document}\\input{result}\\end{document}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "page.tex"],
        cwd=place,
        capture_output=True,
        timeout=120,
    )
    log = done.stdout.decode("utf-8", "replace")
    if not (place / "page.pdf").exists():
        raise Fault(f"{name!a}: no page comes out of LaTeX: {log[-300:]}")
    this.tally.count("typeset")


PART = Part("names", "names", MANY, case, prepared)
