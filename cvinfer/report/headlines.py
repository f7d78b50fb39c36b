"""What a result says of each comparison in one line: who won, by how much, how sure one may be.

The terminal, Markdown and the page have these lines first. They are made of the verdicts and never
of their sentences.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.analysis import verdicts
from cvinfer.analysis.words import (
    MINUS,
    count_text,
    is_higher_better,
    is_rate,
    listed,
    margin_of,
    mean_name,
    measure_of,
    measures_of,
    number,
    p_equation,
    percent,
    title,
)
from cvinfer.documents import JsonObject
from cvinfer.report.kinds import Headline
from cvinfer.report.tables.comparisons import together
from cvinfer.report.tables.entries import shortened

#: What a verdict is called, with a sign that says the same without colour.
SIGNS = {
    verdicts.A_BETTER: ("▲", "difference found"),
    verdicts.B_BETTER: ("▲", "difference found"),
    verdicts.EQUIVALENT: ("≈", "equivalent"),
    verdicts.UNDECIDED: ("?", "undecided"),
    verdicts.NO_RESULT: ("✕", "no result"),
}
WINS = (verdicts.A_BETTER, verdicts.B_BETTER)


class Told(NamedTuple):
    """A verdict in pieces: two learners in the order in which they are named, and the rest.

    `before`, `between`, `after` stand around the names.
    """

    first: str
    between: str
    second: str
    after: str
    won: bool


def told(verdict: JsonObject, entry: Optional[JsonObject], document: JsonObject) -> Told:
    """The verdict of a pair; `entry` is that of the test that decides."""
    a, b = str(verdict["a"]), str(verdict["b"])
    inference = None if entry is None else entry["inference"]
    if entry is None or inference is None:
        why = shortened(entry["failed"]) if entry is not None and entry["failed"] else ""
        return Told(a, " and ", b, f" could not be compared{': ' * bool(why)}{why}", False)
    measure = measure_of(verdict, document)
    facts = _facts(verdict, entry, measure)
    if inference["degenerate"]:
        alike = "" if verdict["verdict"] != verdicts.EQUIVALENT else "; equivalent"
        return Told(a, " and ", b, f": {shortened(inference['note'])}{alike}", False)
    if verdict["verdict"] in WINS:
        names = (a, b) if verdict["verdict"] == verdicts.A_BETTER else (b, a)
        alike = "; equivalent all the same" if verdict["equivalent"] else ""
        return Told(names[0], " is better than ", names[1], f" by {facts}{alike}", True)
    if entry["options"].get("mu0"):
        differs = "differs" if entry["reject_corrected"] else "does not differ"
        first, second = (b, a) if is_higher_better(measure) else (a, b)
        mu0 = number(float(entry["options"]["mu0"]), measure)
        return Told(first, f" {MINUS} ", second, f" {differs} from {mu0}: {facts}", False)
    _, said = SIGNS[verdicts.UNDECIDED]
    if verdict["verdict"] == verdicts.EQUIVALENT:
        margin = margin_of(document, measure)
        _, said = SIGNS[verdicts.EQUIVALENT]
        if margin is not None:
            said += f" within ±{number(float(margin), measure)}"
    elif entry["reject_corrected"]:
        said = "they differ, but not which is better"
    return Told(a, " and ", b, f": {said}, {facts}", False)


def _facts(verdict: JsonObject, entry: JsonObject, measure: str) -> str:
    """The difference with its interval and p, turned so that it fits whoever is named first."""
    turn = -1.0 if verdict["verdict"] == verdicts.A_BETTER else 1.0
    said = f"{number(turn * verdict['estimate'], measure)}"
    said += " points" * is_rate(measure)
    if verdict["interval"] is not None:
        ends = sorted(turn * end for end in verdict["interval"])
        said += f" [{', '.join(number(end, measure) for end in ends)}]"
    return f"{said}, p {p_equation(entry['p_corrected'], entry['inference']['alpha'])}"


def headlines(document: JsonObject) -> list[Headline]:
    """The data sets together first, then a line for each comparison."""
    made = [Headline(each["sentence"], False) for each in document.get("across", ())]
    decided = deciding(document)
    several = len({each["data"] for each in document["verdicts"]}) > 1
    measures = {measure_of(each, document) for each in document["verdicts"]}
    for verdict in document["verdicts"]:
        said = told(verdict, decided.get(_pair(verdict, document)), document)
        sign, _ = SIGNS.get(verdict["verdict"], ("?", ""))
        where = f"{verdict['data']}: " if several else ""
        by = f" ({mean_name(measure_of(verdict, document))})" if len(measures) > 1 else ""
        made.append(Headline(f"{sign} {where}{''.join(said[:4])}{by}", said.won))
    return made


def setting(document: JsonObject) -> list[str]:
    """Below them: what decided, what the numbers are, and for which learners it all holds."""
    found: Sequence[JsonObject] = document["verdicts"]
    if not found:
        return []
    decided = [entry for entry in document["comparisons"] if entry["sentence"] is not None]
    names = list(dict.fromkeys(entry["test"] for entry in decided))
    alphas = sorted({e["inference"]["alpha"] for e in decided if e["inference"]})
    level = listed([f"{each:g}" for each in alphas or [document["spec"].get("alpha", 0.05)]])
    verb = "decides" if len(names) == 1 else "decide"
    corrected = together(document, decided).words() if len(names) == 1 else ""
    said = f"{listed([title(name) for name in names])} {verb} at α = {level}{corrected}."
    return [" ".join((said, *_numbers(document), *_speaks_for(found)))]


def _numbers(document: JsonObject) -> list[str]:
    """What stands before and in the brackets."""
    found = document["verdicts"]
    rates = [name for name in measures_of(document) if is_rate(name)]
    levels = sorted({each["level"] for each in found if each["interval"] is not None})
    made = []
    if rates:
        made.append("Points are percentage points.")
    if levels:
        shares = listed([percent(each) for each in levels])
        each = ", each comparison by itself" if len(found) > 1 else ""
        made.append(f"In brackets: {shares} interval{each}.")
    return made


def _speaks_for(found: Sequence[JsonObject]) -> list[str]:
    sizes = list(dict.fromkeys(each["estimand"] for each in found if each["estimand"]))
    return [f"All of it speaks for {sizes[0]}."] if len(sizes) == 1 else []


def deciding(document: JsonObject) -> Mapping[tuple[str, ...], JsonObject]:
    """The entry of the test that decides, for every pair."""
    return {
        _pair(entry, document): entry
        for entry in document["comparisons"]
        if entry["sentence"] is not None
    }


def _pair(entry: Mapping[str, Any], document: JsonObject) -> tuple[str, ...]:
    return entry["data"], entry["a"], entry["b"], measure_of(entry, document)


def tally(document: JsonObject) -> str:
    """How many comparisons came out how."""
    counts: dict[str, int] = {}
    for each in document["verdicts"]:
        _, word = SIGNS.get(each["verdict"], ("?", each["verdict"].replace("_", " ")))
        counts[word] = counts.get(word, 0) + 1
    total = count_text(len(document["verdicts"]), "comparison")
    return f"{total}: {listed([f'{count} {word}' for word, count in counts.items()])}."
