"""Warnings of a result, each once with the places where it holds."""

from __future__ import annotations

import re
from typing import Iterable, NamedTuple, Sequence

from cvinfer.analysis.words import count_text, title
from cvinfer.documents import JsonObject

#: Numbers, in which warnings that say the same may differ.
_NUMBERS = re.compile(r"\d[\d.,]*")


class Warned(NamedTuple):
    """A warning and where it holds; `of_test` where it is about a test itself, not a place."""

    text: str
    places: Sequence[str]
    of_test: bool


def warned(document: JsonObject) -> list[Warned]:
    """What comparisons and intervals warn of, then what is said of the whole."""
    places: dict[tuple[str, bool], list[str]] = {}
    told = set()
    several = len({entry.get("measure") for entry in document["comparisons"]}) > 1
    for entry in document["comparisons"]:
        by = f" by {entry['measure']}" if several else ""
        where = f"{entry['data']}, {entry['a']} against {entry['b']}, "
        for text in entry["warnings"]:
            own = text == entry["caution"]
            place = f"{'' if own else where}{title(entry['test'])}{by}"
            places.setdefault((text, own), []).append(place)
            told.add(f"{'' if own else where}{entry['test']}{by}: {text}")
    for entry in document["intervals"]:
        if entry["caution"]:
            places.setdefault((entry["caution"], True), []).append(title(entry["interval"]))
            told.add(f"{entry['interval']}: {entry['caution']}")
    made = [Warned(text, list(dict.fromkeys(at)), own) for (text, own), at in places.items()]
    others = [text for text in document["warnings"] if text not in told]
    return [*made, *(Warned(one_name(text, document), (), False) for text in others)]


def one_name(text: str, document: JsonObject) -> str:
    """A sentence of a document with its tests and intervals called as its tables call them."""
    names = {entry["test"] for entry in document["comparisons"]}
    names |= {entry["interval"] for entry in document["intervals"]}
    # Whoever calls a learner like a test is to find it again.
    names -= {each["name"] for kind in ("learners", "data") for each in document[kind]}
    if not names:
        return text
    of_any = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(rf"\b({of_any})\b", lambda found: title(found[0]), text)


def warning_lines(document: JsonObject, brief: bool = False) -> list[str]:
    """A line for each; in brief, those that differ in numbers and places only are one."""
    if not brief:
        return [_line(each) for each in warned(document)]
    return [_joined(group) for group in alike(document)]


def alike(document: JsonObject) -> list[list[Warned]]:
    """Warnings that differ in numbers and data sets only, together."""
    found: dict[str, list[Warned]] = {}
    for each in warned(document):
        found.setdefault(_without_particulars(each.text, document), []).append(each)
    return list(found.values())


def _line(each: Warned) -> str:
    if each.of_test:
        return f"{'; '.join(each.places)}: {each.text}"
    if len(each.places) > 1:
        return f"{each.text} ({count_text(len(each.places), 'comparison')}, first {each.places[0]})"
    return f"{each.places[0]}: {each.text}" if each.places else each.text


def _joined(group: Sequence[Warned]) -> str:
    if len(group) == 1:
        return _line(group[0])
    count = sum(max(len(each.places), 1) for each in group)
    first = group[0]._replace(places=group[0].places[:1])
    return f"{_line(first)}; {count - 1} more like it"


def _without_particulars(text: str, document: JsonObject) -> str:
    for name in _names(document):
        text = text.removeprefix(f"{name}: ")
    return _NUMBERS.sub("0", text)


def _names(document: JsonObject) -> Iterable[str]:
    return (str(each["name"]) for each in document["data"])
