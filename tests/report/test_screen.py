"""What a terminal shows first: a line for each comparison, and no more than a screen."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from tests.report import report_examples as examples
from tests.report.report_examples import LETTER, made

from cvinfer.analysis.words import title
from cvinfer.report import render
from cvinfer.report.headlines import headlines
from cvinfer.report.terminal import cells_wide, print_document
from cvinfer.report.warned import one_name, warned, warning_lines

MORE = "Not shown: "
NAMES = ["one", "small", "troubled", "every_test", "breast_cancer", "sixty"]


def shown(document: Any, width: int = 80, height: int = 40, **options: Any) -> list[str]:
    stream = io.StringIO()
    print_document(document, stream, width, height, **options)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 30), (120, 40), (200, 100)])
def test_a_screen_and_no_more(name: str, width: int, height: int) -> None:
    document = getattr(examples, name)()
    lines = shown(document, width, height, after=5)
    assert len(lines) + 5 <= height
    assert max(map(cells_wide, lines)) <= width
    whole = shown(document, width, height, verbose=True)
    assert (len(whole) > len(lines)) == any(line.startswith(MORE) for line in lines)
    assert len(whole) > len(lines) or whole == lines
    assert not any(line.startswith(MORE) for line in whole)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verbose", [False, True])
def test_verdicts_come_first(name: str, verbose: bool) -> None:
    """One line for each comparison, in the order of the document, before everything else."""
    document = getattr(examples, name)()
    lines = shown(document, 200, 100, verbose=verbose)
    expected = [each.text for each in headlines(document)]
    assert len(expected) == len(document["verdicts"])
    expected = [" ".join(line.split()) for line in expected]
    first = lines[: lines.index("")]
    assert first == expected[: len(first)]
    if verbose:
        assert len(first) == len(expected)
    for line, verdict in zip(expected, document["verdicts"]):
        assert all(" ".join(verdict[side].split()) in line for side in "ab")


def test_a_line_says_who_won_by_how_much_and_how_sure() -> None:
    document = examples.small()
    (verdict,) = [v for v in document["verdicts"] if (v["a"], v["b"]) == ("CART", "SVM")]
    assert verdict["verdict"] == "b_better"
    (line,) = [each for each in headlines(document) if "CART" in each.text and "SVM" in each.text]
    size = f"{100 * verdict['estimate']:.2f}"
    lower, upper = (f"{100 * end:.2f}" for end in verdict["interval"])
    assert line == (
        f"▲ SVM is better than CART by {size} points [{lower}, {upper}], p < 0.001",
        True,
    )


def test_a_winner_that_is_named_first_turns_the_interval() -> None:
    document = made(LETTER, [("SVM", "CART")], ["bcv_5x2_mcnemar"])
    (verdict,) = document["verdicts"]
    assert verdict["verdict"] == "a_better" and verdict["estimate"] < 0
    (line,) = headlines(document)
    lower, upper = (f"{-100 * end:.2f}" for end in reversed(verdict["interval"]))
    assert f"SVM is better than CART by {-100 * verdict['estimate']:.2f} points" in line.text
    assert f"[{lower}, {upper}]" in line.text


def test_without_room_the_rest_is_counted() -> None:
    document = examples.sixty()
    lines = shown(document, 80, 24)
    (more,) = [line for line in lines if line.startswith(MORE)]
    left = int(re.search(r"(\d+) of 60 findings", " ".join(lines))[1])
    assert len([line for line in lines if line.startswith(("▲", "≈", "?", "✕"))]) == 60 - left > 3
    assert "--verbose" in " ".join(lines[lines.index(more) :])


def test_identical_warnings_are_one_with_their_count() -> None:
    document = examples.small()
    text = "the same of all"
    for entry in document["comparisons"]:
        entry["warnings"] = [text]
    document["warnings"] = [
        f"{e['data']}, {e['a']} against {e['b']}, {e['test']}: {text}"
        for e in document["comparisons"]
    ]
    count = len(document["comparisons"])
    assert count > 1
    (each,) = warned(document)
    assert (each.text, len(each.places)) == (text, count)
    for form in ("text", "markdown"):
        assert " ".join(render(document, form).split()).count(text) == 1
        assert f"({count} comparisons, first letter, " in " ".join(render(document, form).split())


def test_warnings_on_the_page_say_what_to_do_once() -> None:
    document = examples.small()
    for at, entry in enumerate(document["comparisons"]):
        entry["warnings"] = [f"few discordant records: n01 + n10 = {at}, below 25, so poor"]
    document["warnings"] = []
    text = render(document, "html")
    section = text[text.index('id="warnings"') :].split("</section>")[0]
    assert section.count("few discordant records") == 1
    assert section.count("What to do: take the exact p-value") == 1
    assert all(title(each["test"]) in section for each in document["comparisons"])


def test_in_brief_warnings_that_differ_in_numbers_are_one() -> None:
    document = examples.small()
    for at, entry in enumerate(document["comparisons"]):
        entry["warnings"] = [f"only {at} records"]
    document["warnings"] = ["letter: 3 of 9 records", "letter: 4 of 10 records"]
    count = len(document["comparisons"])
    assert len(warning_lines(document)) == count + 2
    records, sets = warning_lines(document, brief=True)
    assert records.endswith(f": only 0 records; {count - 1} more like it")
    assert sets == "letter: 3 of 9 records; 1 more like it"


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("name", NAMES)
def test_a_test_has_one_name(name: str, form: str) -> None:
    document = getattr(examples, name)()
    used = {entry["test"] for entry in document["comparisons"]}
    text = render(document, form)
    assert any(title(each) in text for each in used)
    for each in used:
        assert not re.search(rf"\b{each}\b", text.replace("\\_", "_"))


def test_a_learner_called_like_a_test_keeps_its_name() -> None:
    document = made({"kfold_t": 0.4, "B": 0.1}, [("kfold_t", "B")], ["kfold_t"])
    assert one_name("kfold_t and B", document) == "kfold_t and B"
