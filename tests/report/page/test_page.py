"""The page of a document, as text: whole, escaped, the same every time, for every kind."""

from __future__ import annotations

import base64
import copy
import hashlib
import html
import re
from html.parser import HTMLParser
from typing import Any, Optional

import pytest
from tests.report import report_examples as examples
from tests.report import study_examples

from cvinfer.report.files import canonical
from cvinfer.report.formats import formats
from cvinfer.report.page.markup import VOID, rendered, tag, text_of
from cvinfer.report.page.scale import decimals, scale
from cvinfer.report.page.sections import sections
from cvinfer.report.warned import one_name

HOSTILE = '</script><img src=x onerror="alert(1)"> & "שלום"'


def page(document: Any, **options: Any) -> str:
    return formats.find("html").render(document, **options)


class Read(HTMLParser):
    """Elements with their attributes, and whether every one is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, Optional[str]]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, name: str, attributes: Any) -> None:
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    def all(self, name: str) -> list[dict[str, Optional[str]]]:
        return [attributes for found, attributes in self.elements if found == name]


def named(document: Any, name: str, new: str) -> Any:
    """The document with another name in every place."""
    if isinstance(document, dict):
        return {key: named(each, name, new) for key, each in document.items()}
    if isinstance(document, list):
        return [named(each, name, new) for each in document]
    return new if document == name else document


DOCUMENTS = {
    "small": examples.small,
    "every test": examples.every_test,
    "troubled": examples.troubled,
    "intervals": examples.breast_cancer,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_page_is_whole_and_loads_nothing(name: str) -> None:
    text = page(DOCUMENTS[name]())
    read = Read(text)
    assert not read.open
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in read.all("a"):
        assert link["href"] is not None and link["href"][1:] in ids
    assert not read.all("img") and not read.all("link") and "http:" not in text
    assert not re.search(r'\s(?:style|on\w+)="', text)
    headings = [found for found, _ in read.elements if re.fullmatch("h[1-6]", found)]
    assert headings.count("h1") == 1
    levels = [int(each[1]) for each in headings]
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    for head in read.all("th"):
        assert head["scope"] in ("row", "col", "rowgroup", "colgroup")
    assert len(read.all("caption")) == len(read.all("table"))


def test_the_policy_lets_only_this_style_and_script_through() -> None:
    text = html.unescape(page(examples.small()))
    for name in ("style", "script"):
        (inside,) = re.findall(f"<{name}>(.*?)</{name}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text


def test_hostile_names_are_text() -> None:
    learners = {"CART": HOSTILE, "SVM": "x" * 300}
    document = examples.small()
    for name, new in learners.items():
        document = named(document, name, new)
    document = named(document, "letter", "<b>letter</b>")
    read = Read(page(document))
    assert not read.open and len(read.all("script")) == 1 and not read.all("img")
    assert HOSTILE in read.texts and "<b>letter</b>" in read.texts and "x" * 300 in read.texts


def test_what_a_terminal_would_obey_is_shown_as_what_it_is() -> None:
    text = page(named(examples.small(), "CART", "a\u202eb\x1b[2J"))
    assert "\u202e" not in text and "\x1b" not in text
    assert "a\\u202eb\\x1b[2J" in text


def test_verdicts_stand_first_in_words() -> None:
    document = examples.small()
    read = Read(page(document))
    text = " ".join(read.texts)
    for verdict in document["verdicts"]:
        assert one_name(verdict["sentence"], document) in text
    first = one_name(document["verdicts"][0]["sentence"], document)
    assert text.index(first) < text.index("Error rate of A")


def test_times_come_from_the_facts_alone() -> None:
    document = examples.small()
    facts = {"seconds": {"fitting": 12.5}, "jobs": 3, "fits": {"fitted": 7, "reused": 2}}
    without, with_ = page(document), page(document, facts=facts)
    assert without == page(examples.small())
    assert "12.5 s" not in without and "12.5 s" in with_ and "7 fitted" in with_


def test_the_foot_has_the_hash_of_the_document() -> None:
    document = named(examples.small(), "CART", "a\x1bb")
    assert hashlib.sha256(canonical(document).encode()).hexdigest() in page(document)


def test_several_measures_are_sections_of_their_own() -> None:
    document = copy.deepcopy(examples.small())
    for key in ("verdicts", "comparisons", "losses"):
        more = copy.deepcopy(document[key])
        for entry in document[key]:
            entry["measure"] = "zero_one"
        for entry in more:
            entry["measure"] = "brier"
        document[key] += more
    text = page(document)
    assert text.count("(brier)</h3>") >= 4 and text.count("(zero_one)</h3>") >= 4
    assert text.count("<details") == 2 * page(examples.small()).count("<details") - 1


@pytest.mark.parametrize("build", [study_examples.whole, study_examples.hostile])
def test_a_study_has_its_page(build: Any) -> None:
    document = build()
    read = Read(page(document))
    assert not read.open and len(read.all("table")) >= 1


def test_sections_have_places_of_their_own() -> None:
    for kind in ("result", "study"):
        places = [each.place for each in sections.values() if kind in each.of]
        assert len(places) == len(set(places)) > 2


def test_markup_escapes_and_leaves_out() -> None:
    made = tag("p", "a<b>&", None, [tag("br"), "c"], title='"<', hidden=False, open=True)
    assert rendered([made]) == '\n<p title="&quot;&lt;" open>a&lt;b&gt;&amp;<br>c</p>'
    assert text_of(made) == "a<b>&c"


def test_an_axis_has_round_ticks_around_its_values() -> None:
    assert list(scale([0.012, 0.047]).ticks) == [0.01, 0.02, 0.03, 0.04, 0.05]
    assert scale([0.2, 0.2]).low < 0.2 < scale([0.2, 0.2]).high
    assert decimals([0.01, 0.02]) == 2 and decimals([10, 20]) == 0 and decimals([0.025, 0.05]) == 3
