"""A document as the sections of a page ask for it; nothing in it is changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.analysis.words import (
    MINUS,
    NONE,
    correction_word,
    is_rate,
    mean_name,
    number,
    p_text,
    percent,
    settings,
    title,
)
from cvinfer.documents import JsonObject
from cvinfer.report.kinds import kind_of
from cvinfer.report.tables import scheme_of

Entries = Sequence[JsonObject]


class Pair(NamedTuple):
    """What is compared: two learners on a data set, by one measure."""

    measure: str
    data: str
    a: str
    b: str


@dataclass(frozen=True)
class Reading:
    """A document, and what run.json beside it says of its making, if that is known."""

    document: JsonObject
    facts: JsonObject = field(default_factory=dict)

    @cached_property
    def kind(self) -> str:
        return kind_of(self.document).name

    # --- measures ---------------------------------------------------------------------------------

    @cached_property
    def measures(self) -> list[str]:
        """By what learners are compared, that of the spec first."""
        found = (self.measure(entry) for entry in self.document.get("verdicts", ()))
        return list(dict.fromkeys(found)) or [self.own_measure]

    @cached_property
    def own_measure(self) -> str:
        return str(self.document["spec"].get("loss", "zero_one"))

    def measure(self, entry: JsonObject) -> str:
        return str(entry.get("measure") or self.own_measure)

    def by(self, measure: str, key: str) -> list[JsonObject]:
        """The entries of the document under a key that are about a measure."""
        return [each for each in self.document[key] if self.measure(each) == measure]

    def number(self, value: Optional[float], measure: str) -> str:
        return NONE if value is None else number(value, measure)

    def tick(self, value: float, measure: str, places: int) -> str:
        """A number of an axis whose ticks take so many decimals."""
        shown = 100.0 * value if is_rate(measure) else value
        text = f"{shown:.{max(places - 2, 0) if is_rate(measure) else places}f}"
        return text.replace("-", MINUS) if text.strip("-0.") else "0"

    def unit(self, measure: str) -> str:
        return " in percentage points" if is_rate(measure) else ""

    def share(self, measure: str) -> str:
        return " in %" if is_rate(measure) else ""

    def called(self, measure: str, several: bool = False) -> str:
        return mean_name(measure, several)

    # --- comparisons ------------------------------------------------------------------------------

    @cached_property
    def tests(self) -> Mapping[Pair, Entries]:
        """The tests of every pair, the one that decides first."""
        found: dict[Pair, list[JsonObject]] = {}
        for entry in self.document["comparisons"]:
            found.setdefault(self.pair(entry), []).append(entry)
        for entries in found.values():
            entries.sort(key=lambda entry: entry["sentence"] is None)
        return found

    def pair(self, entry: JsonObject) -> Pair:
        return Pair(self.measure(entry), entry["data"], entry["a"], entry["b"])

    def primary(self, verdict: JsonObject) -> Optional[JsonObject]:
        """The entry of the test that decides a pair."""
        entries = self.tests.get(self.pair(verdict), ())
        return next((each for each in entries if each["sentence"] is not None), None)

    @cached_property
    def data_names(self) -> list[str]:
        return [str(each["name"]) for each in self.document["data"]]

    @cached_property
    def learner_names(self) -> list[str]:
        return [str(each["name"]) for each in self.document["learners"]]

    def test_name(self, entry: JsonObject) -> str:
        """A test in words, with its options where two share the name."""
        options = self._options.get(entry["test"], set())
        name = title(entry["test"])
        several = len(options) > 1 and entry["options"]
        return f"{name} ({settings(entry['options'])})" if several else name

    @cached_property
    def _options(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for entry in self.document["comparisons"]:
            found.setdefault(entry["test"], set()).add(settings(entry["options"]))
        return found

    def scheme(self, entry: JsonObject) -> str:
        return scheme_of([entry], self.document["partitions"])

    @property
    def alpha(self) -> float:
        return float(self.document["spec"].get("alpha", 0.05))

    @cached_property
    def correction(self) -> str:
        """The method by which p-values are corrected, in words; nothing where none is."""
        from cvinfer.inference import correction as corrections  # needs numpy

        method = corrections.read(self.document["spec"].get("correction", "none")).method
        return "" if method == "none" else correction_word(method)


def p_cell(entry: Optional[JsonObject], corrected: bool = False) -> str:
    """The p-value of a test as a cell has it."""
    inference = None if entry is None else entry["inference"]
    if entry is None or inference is None or inference["degenerate"]:
        return NONE
    p = entry["p_corrected"] if corrected else inference["p_value"]
    return NONE if p is None else p_text(p, inference["alpha"])


def interval_text(ends: Optional[Sequence[Any]], reading: Reading, measure: str) -> str:
    """−1.76 to 5.04; nothing where there is none."""
    if ends is None or None in ends:
        return ""
    return f"{reading.number(ends[0], measure)} to {reading.number(ends[1], measure)}"


def level_text(verdict: JsonObject) -> str:
    return "" if verdict["level"] is None else percent(verdict["level"])
