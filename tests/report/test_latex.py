"""result.tex: escaping, marks, and a real LaTeX that has to be content with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tests.report import report_examples as examples
from tests.report.report_examples import LETTER, NASTY, made

from cvinfer.errors import UserError
from cvinfer.inference import tests
from cvinfer.report import render, write_report
from cvinfer.report.for_paper import as_chosen
from cvinfer.report.formats.latex import TEXT_WIDTH
from cvinfer.paper import CHOICES, PaperOptions
from cvinfer.schemas import schema
from cvinfer.report.tex import escape, escape_breakable, label, width

MAIN = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
\input{result}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""

needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not on PATH: nothing is typeset"
)


def run(*command: str, cwd: Path) -> str:
    # LaTeX keeps the fonts it makes at home.
    environment = {"HOME": str(cwd), **os.environ}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True)
    output = done.stdout.decode("utf-8", errors="replace")
    assert done.returncode == 0, f"{command} failed:\n{output[-2000:]}"
    return output


def typeset(document: dict[str, Any], folder: Path) -> str:
    """The log of the last run of pdflatex; every earlier step has to succeed too."""
    write_report(folder, document)
    return typeset_main(MAIN, folder)


def typeset_main(main: str, folder: Path) -> str:
    (folder / "main.tex").write_text(main, encoding="utf-8")
    latex = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main")
    run(*latex, cwd=folder)
    if shutil.which("bibtex") and "\\bibliography" in main:
        run("bibtex", "main", cwd=folder)
    run(*latex, cwd=folder)
    run(*latex, cwd=folder)
    return (folder / "main.log").read_text(encoding="utf-8", errors="replace")


def faults(log: str) -> list[str]:
    """What a reader would see: lines that stick out by 5 pt, pages too high, broken references."""
    found = [
        f"overfull by {size} pt"
        for size in re.findall(r"Overfull \\[hv]box \((\d+\.?\d*)pt", log)
        if float(size) > 5
    ]
    words = ("Float too large", "undefined", "multiply defined", "Missing character")
    return found + [line for line in log.splitlines() if any(word in line for word in words)]


FOURTEEN_NASTY = {
    "plain": "CART",
    "issue": NASTY,
    "quotes": "\"a\" 'b' ``c'' <<d>> ,,e",
    "ligatures": "a--b---c ?` !`",
    "argument": "[2pt] * x",
    "accents": "naïve Bäyes ßœøłıĵ ő ǖ",
    "greek": "β-VAE α ≤ Ω ×2 ± ∞",
    "cjk": "决策树 дерево",
    "emoji": "tree \N{EVERGREEN TREE} \N{ZERO WIDTH JOINER}",
    "long": "StackingClassifier(estimators=[RandomForestClassifier(n_estimators=500),SVC(C=10)])",
    "unbroken": "x" * 120,
    "wide": "W" * 60,
    "macro": r"\input{/etc/passwd} \begin{x} $y$ %z",
    "controls": "tab\there\nnewline\x07",
}


@needs_latex
def test_nasty_names_compile(tmp_path: Path) -> None:
    names = list(FOURTEEN_NASTY.values())
    rates = {name: 0.1 + 0.02 * at for at, name in enumerate(names)}
    pairs = [(names[0], name) for name in names[1:]]
    data = ["a_b&c", "ein sehr langer Name eines Datensatzes, ä"]
    document = made(rates, pairs, ["bcv_5x2_mcnemar", "kfold_t"], data, name=NASTY, n=80)
    assert faults(typeset(document, tmp_path)) == []


@needs_latex
def test_nasty_names_at_the_start_of_a_row_compile(tmp_path: Path) -> None:
    names = ["[2pt]", "*", "[x", "-", "plain"]
    # Equally good, so that no name is hidden inside a \\textbf.
    rates = {name: 0.2 for name in names}
    document = made(rates, [(name, "plain") for name in names[:-1]], ["blocked_3x2_t"])
    assert faults(typeset(document, tmp_path)) == []
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not on PATH: the page cannot be read back")
    run("pdftotext", "-layout", "main.pdf", cwd=tmp_path)
    page = (tmp_path / "main.txt").read_text(encoding="utf-8", errors="replace")
    for name in names[:-1]:
        assert re.search(rf"^\s*{re.escape(name)}\s+plain\s", page, flags=re.MULTILINE), name


@needs_latex
@pytest.mark.parametrize(
    "name", ["one", "small", "troubled", "every_test", "sixty", "breast_cancer"]
)
def test_documents_compile(name: str, tmp_path: Path) -> None:
    document = getattr(examples, name)()
    assert faults(typeset(document, tmp_path)) == []


@needs_latex
def test_sixty_comparisons_by_all_tests_compile(tmp_path: Path) -> None:
    document = examples.sixty(tuple(tests()))
    assert len(document["comparisons"]) == 60 * 22
    assert faults(typeset(document, tmp_path)) == []


@needs_latex
def test_many_long_failures_compile(tmp_path: Path) -> None:
    rates = {f"learner {at}": 0.2 for at in range(13)}
    runs = [
        examples.simulated_run(
            f"set {at}",
            rates,
            [("learner 0", f"learner {at}")],
            [("blocked_3x2_t", {})],
            60,
            (f"learner {at}", f"learner {at} failed: " + "/very/long_path%" * 30),
        )
        for at in range(1, 13)
    ]
    spec = examples.Spec("failures", {name: examples.Learner() for name in rates})
    document = examples.documents.build(spec, runs, examples.MANIFEST)
    text = render(document, "latex")
    assert "further reasons" in text
    assert faults(typeset(document, tmp_path)) == []


@needs_latex
def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    """Typeset names, read back from the page, are the names."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not on PATH: the page cannot be read back")
    shown = [
        "C4.5_50%&#{}",
        "a--b",
        "[2pt] * x",
        "naïve Bäyes ø",
        r"back\slash",
        'say "x"',
        "a<b>|c",
    ]
    lines = "\n\n".join(escape(name) for name in shown)
    main = MAIN.replace(r"\input{result}", lines).replace(r"\bibliography{references}", "")
    main = main.replace(r"\bibliographystyle{plain}", "").replace(
        r"\begin{document}", r"\input{glyphtounicode}\pdfgentounicode=1 \begin{document}"
    )
    typeset_main(main, tmp_path)
    run("pdftotext", "-layout", "main.pdf", cwd=tmp_path)
    page = (tmp_path / "main.txt").read_text(encoding="utf-8")
    squeezed = re.sub(r"\s", "", unicodedata.normalize("NFC", page))
    for name in shown:
        assert re.sub(r"\s", "", name) in squeezed, name


@needs_latex
def test_widths_are_not_underestimated(tmp_path: Path) -> None:
    samples = [*FOURTEEN_NASTY.values(), "BCV 5×2", "< 0.001", "28.70", "0.933 [0.907, 0.950]"]
    body = "".join(
        rf"\settowidth{{\w}}{{\footnotesize {escape(text)}}}\typeout{{WIDTH \the\w}}" + "\n"
        for text in samples
    )
    main = (
        r"\documentclass{article}\usepackage[T1]{fontenc}\newlength{\w}\begin{document}"
        + f"\n{body}"
        + r"x\end{document}"
    )
    log = typeset_main(main, tmp_path)
    found = [float(size) for size in re.findall(r"^WIDTH ([\d.]+)pt", log, flags=re.MULTILINE)]
    assert len(found) == len(samples)
    for text, real in zip(samples, found):
        assert real <= width(text) * 1.02 + 0.5, text
        assert width(text) <= 1.6 * real + 20, text


def test_output_is_ascii_and_needs_no_package() -> None:
    document = examples.every_test()
    text = render(document, "latex")
    assert text.isascii()
    assert "\\usepackage{booktabs}" in text.splitlines()[0]
    assert not any(line.startswith("\\usepackage") for line in text.splitlines())


def test_escapes() -> None:
    assert escape(NASTY) == r"C4.5\_50\%\&\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
    assert escape("a--b") == "a-{}-b"
    assert escape("Holm-corrected, 1-NN's [95%] *") == r"Holm-corrected, 1-NN's [95\%] *"
    assert escape("[2pt] * x") == "{[}2pt] * x"
    assert escape("* x") == "{*} x"
    assert escape(",,a''") == ",{},a'{}'"
    assert escape("ä ñ ç") == '\\"{a} \\~{n} \\c{c}'
    assert escape("a\u0308") == escape("ä")
    assert escape("β×λ") == r"$\beta$$\times$$\lambda$"
    assert escape("决") == "U+51B3"
    assert escape("ﬁ") == "fi"
    assert escape("two\n lines\t") == "two lines"
    assert all(len(piece) < 60 for piece in escape_breakable("x" * 300).split("\\allowbreak{}"))


def test_labels() -> None:
    assert label("letter") == "letter"
    assert label(NASTY) == "C4.5-50"
    assert label("größe 2") == "groe-2"
    assert label("决") == "result"


def test_caption_label_notes() -> None:
    text = render(examples.small(), "latex")
    assert r"\label{tab:letter}" in text
    assert r"\caption{Comparison of learners A and B on letter: error rates in \%" in text
    for needed in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\cite{yang2023}",
        r"\cite{wang2014}",
        r"$\alpha$ = 0.05",
        "after Holm's correction over 2 comparisons",
        "lower error rate is better",
        "on blocked 5$\\times$2 CV",
        "Bold: the learner",
    ):
        assert needed in text, needed
    none = made(LETTER, [("CART", "SVM"), ("1-NN", "SVM")], ["kfold_t"], correction="none")
    assert "not corrected for the number of comparisons" in render(none, "latex")
    assert "training sets overlap" in render(none, "latex")


EIGHT = (
    "bcv_5x2_mcnemar",
    "blocked_3x2_t",
    "calibrated_5x2_bcv_f",
    "corrected_repeated_kfold_t",
    "corrected_repeated_holdout_t",
    "dietterich_5x2_t",
    "combined_5x2_f",
    "holdout_mcnemar",
)


def test_better_learner_is_bold_where_significant_only() -> None:
    text = render(examples.small(), "latex")
    (row,) = [line for line in text.splitlines() if line.startswith("CART &")]
    assert r"& \textbf{SVM} &" in row and r"\textbf{$<$ 0.001}" in row and "0.000" not in text
    # A part without the test that decides has nothing in bold.
    split = render(made(LETTER, [("CART", "SVM")], EIGHT, n=200), "latex")
    row, *others = [line for line in split.splitlines() if line.startswith("CART &")]
    assert r"& \textbf{SVM} &" in row
    assert others and not any("textbf" in other for other in others)
    plain = render(made(LETTER, [("CART", "SVM")], ["corrected_2fold_t"], n=40), "latex")
    (row,) = [line for line in plain.splitlines() if line.startswith("CART &")]
    assert "textbf" not in row


def test_degenerate_and_failed_cells_have_notes() -> None:
    text = render(examples.troubled(), "latex")
    assert r"failed\rlap{$^{\mathrm{a}}$}" in text
    assert r"---\rlap{$^{\mathrm{b}}$}" in text
    assert r"$^{\mathrm{a}}$~broken failed on split 9" in text
    assert "ties: the variance estimate is zero" in text


def test_nothing_is_cut_by_splitting() -> None:
    """Every p-value of every comparison is somewhere, once."""
    document = examples.sixty(tuple(tests()))
    text = render(document, "latex")
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") > 20
    # LaTeX before 2015 holds back 18 floats at most, and stops at the next.
    assert max(piece.count(r"\begin{table}") for piece in text.split(r"\clearpage")) <= 18
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels))
    body = [
        line for line in text.splitlines() if line.endswith(r"\\") and r"\multicolumn" not in line
    ]
    cells = [cell for line in body for cell in line.split(" & ")]
    values = [
        c
        for c in (re.sub(r"\\textbf\{(.*)\}$", r"\1", cell.removesuffix(r" \\")) for cell in cells)
        if re.fullmatch(r"(\$<\$ )?[01]\.\d{3}", c) or c.startswith(("---\\rlap", "failed\\rlap"))
    ]
    assert len(values) == len(document["comparisons"])


def test_the_text_width_is_that_of_article() -> None:
    assert TEXT_WIDTH == 345.0


def test_four_tests_on_one_data_set_are_one_float() -> None:
    text = render(made(LETTER, [("CART", "SVM"), ("1-NN", "SVM")], EIGHT[:4], n=200), "latex")
    assert text.count(r"\begin{table}") == 1
    (heading,) = [line for line in text.splitlines() if line.startswith("A & B &")]
    # Heads have short names of tests, which the notes tell in full.
    for lines in (("p BCV", r"5$\times$2", "McN."), ("p cal.", r"5$\times$2", "BCV F")):
        assert r" \\ ".join(lines) in heading
    for short, name in (
        (r"BCV 5$\times$2 McN.", r"BCV 5$\times$2 McNemar"),
        (r"cal. 5$\times$2 BCV F", r"calibrated 5$\times$2 BCV F"),
    ):
        assert f"{short}: {name}~\\cite" in text
    # The interval stands below its estimate.
    assert r"24.30 \\ {[}18.15, 31.61]\end{tabular}" in text


def test_source_is_pleasant_to_edit() -> None:
    text = render(examples.small(), "latex")
    assert "Holm's correction" in text and "p-values" in text and "1-NN" in text
    assert "{}" not in text.replace("@{}", "")


CLASSES = {
    "article": (r"\documentclass{article}", {}),
    "two columns": (r"\documentclass[twocolumn]{article}", {"columns": "two"}),
    "column": (
        r"\documentclass[twocolumn]{article}",
        {"columns": "two", "width": "3.1in", "notes": "threeparttable"},
    ),
    "IEEEtran": (r"\documentclass[conference]{IEEEtran}", {"columns": "two"}),
    "IEEEtran column": (
        r"\documentclass[conference]{IEEEtran}",
        {"columns": "two", "width": "3.3in", "numbers": "siunitx"},
    ),
    "acmart": (r"\documentclass[sigconf]{acmart}", {"columns": "two"}),
    "wide": (
        r"\documentclass{article}\usepackage[margin=1in]{geometry}",
        {"width": "6.5in", "numbers": "siunitx", "notes": "threeparttable"},
    ),
}
WITH = r"""\usepackage{%s}
\begin{document}
Text.
\input{result}
\end{document}
"""


def lacking(main: str) -> list[str]:
    """Classes and packages that this machine's LaTeX has not got."""
    if shutil.which("kpsewhich") is None:
        return ["kpsewhich"]
    kinds = {"documentclass": "cls", "usepackage": "sty"}
    named = re.findall(r"\\(documentclass|usepackage)(?:\[.*?\])?\{(.*?)\}", main)
    files = [f"{each}.{kinds[command]}" for command, names in named for each in names.split(",")]
    return [file for file in files if subprocess.run(["kpsewhich", file]).returncode]


@needs_latex
@pytest.mark.parametrize("where", CLASSES)
def test_nothing_sticks_out_of_columns_and_pages(where: str, tmp_path: Path) -> None:
    """No overfull box at all, in the classes that papers are written in."""
    head, options = CLASSES[where]
    documents = {
        "two tests": made(LETTER, [("CART", "SVM"), ("1-NN", "SVM")], EIGHT[:2], n=200),
        "four tests": made(LETTER, [("CART", "SVM"), ("1-NN", "SVM")], EIGHT[:4], n=200),
        "troubled": examples.troubled(),
        "grid": examples.many(),
    }
    for what, document in documents.items():
        text = render(document, "latex", **options)
        needed = re.search(r"\\usepackage\{(.*?)\}", text)
        assert needed is not None
        # Fonts of any size, where a class wants to stretch them.
        fonts = r"\usepackage{lmodern}" * (where == "acmart")
        main = f"{head}{fonts}{WITH % needed.group(1)}"
        absent = lacking(main)
        if absent:
            pytest.skip(f"LaTeX has no {', '.join(absent)} here")
        (tmp_path / "result.tex").write_text(text, encoding="utf-8")
        log = typeset_main(main, tmp_path)
        assert re.findall(r"Overfull \\[hv]box.*", log) == [], what
        assert "Float too large" not in log
        if options.get("columns") == "two" and "width" not in options and what == "four tests":
            assert r"\begin{table*}" in text and text.count(r"\begin{table") == 1


def test_options_of_the_paper() -> None:
    document = examples.small()
    text = render(document, "latex", numbers="siunitx", notes="threeparttable")
    assert text.splitlines()[0].count("{booktabs,threeparttable,siunitx}") == 1
    assert r"\num{28.70}" in text and r"{[}\num{" in text and r"\begin{tablenotes}" in text
    one = render(document, "latex", tests=["blocked_3x2_t"])
    assert "blocked 3" in one and "calibrated" not in one and "BCV 5" in one
    spec = {**document["spec"], "output": {"latex": {"tests": []}}}
    alone = render({**document, "spec": spec}, "latex")
    assert "Tests: BCV 5" in alone and "blocked 3$" not in alone
    with pytest.raises(UserError, match="no test 'kfold_t'"):
        render(document, "latex", tests=["kfold_t"])
    with pytest.raises(UserError, match="no length"):
        render(document, "latex", width="wide")


def test_words_of_the_options_are_those_of_the_schema() -> None:
    keys = schema("spec")["properties"]["output"]["properties"]["latex"]["properties"]
    assert {key: tuple(each["enum"]) for key, each in keys.items() if "enum" in each} == CHOICES
    assert set(keys) == set(PaperOptions._fields)


def test_correction_of_the_paper_is_told_and_decides_what_is_bold() -> None:
    """Holm over two data sets of one pair each corrects; within each there is one comparison."""
    document = made(LETTER, [("CART", "1-NN")], ["corrected_2fold_t"], ["a", "b"], n=60)
    p_values = [entry["inference"]["p_value"] for entry in document["comparisons"]]
    found = as_chosen(document, PaperOptions(correction="per_data"))
    assert [entry["p_corrected"] for entry in found["comparisons"]] == p_values
    assert found["spec"]["correction"] == {"method": "holm", "over": "data"}
    again = as_chosen(found, PaperOptions(correction="all"))
    for key in ("p_corrected", "reject_corrected", "better"):
        assert [e[key] for e in again["comparisons"]] == [e[key] for e in document["comparisons"]]
    text = render(document, "latex", correction="per_data")
    assert "each data set is a family of its own" in text
