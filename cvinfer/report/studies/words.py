"""A study in sentences: what was studied, how often, and what came out."""

from __future__ import annotations

from typing import Callable, Sequence

from cvinfer.analysis.words import count_text, listed, percent
from cvinfer.documents import JsonObject
from cvinfer.report.studies.read import (
    CHANCE,
    Study,
    beyond,
    rate_text,
    value_text,
    who,
)

#: Cells that a sentence names before it counts the others.
MOST_NAMED = 4
#: Values of a grid that are named.
MOST_VALUES = 8
#: Keys of a population that say what it is, the first that is there.
NAMES = ("name", "dataset", "path", "population", "url", "id")
TIES = {"rejected": "Ties count as rejections.", "papers": "Ties count as in the papers."}


def opening(study: Study) -> list[str]:
    """What a reader should know before any number."""
    said = [_what(study), *_grid(study), *findings(study), *_failures(study)]
    return [each for each in said if each]


def _what(study: Study) -> str:
    tests, intervals = _names(study.tests), _names(study.intervals)
    subjects = [count_text(len(each), noun) for each, noun in tests if each]
    subjects += [count_text(len(each), noun) for each, noun in intervals if each]
    of = f": {listed(subjects)}" if subjects else ""
    pairs = [f"{a} against {b}" if b is not None else str(a) for a, b in study.pairs]
    compared = f" of {listed(pairs)}" if 0 < len(pairs) <= 2 else ""
    compared = f" of {len(pairs)} pairs of learners" if len(pairs) > 2 else compared
    ties = TIES.get(str(study.document["study"].get("ties")), "")
    text = f"Study{of}{compared}, on {_population(study.document)}, {_replications(study)}."
    return f"{text} {ties}".strip()


def _names(cells: Sequence[JsonObject]) -> list[tuple[set[str], str]]:
    noun = cells[0]["kind"] if cells else ""
    return [({cell["name"] for cell in cells}, noun)]


def _population(document: JsonObject) -> str:
    population, draw = document["study"]["population"], document["study"].get("draw") or {}
    named = next((value_text(population[key]) for key in NAMES if key in population), None)
    source = population.get("source")
    text = named or str(source)
    if draw.get("n") is not None and "study.draw.n" not in (document["study"].get("grid") or {}):
        how = "with" if draw.get("replace") else "without"
        text += f" ({count_text(draw['n'], 'record')} drawn {how} replacement)"
    return text


def _replications(study: Study) -> str:
    counts = sorted({cell["replications"] for cell in study.cells})
    if not counts:
        return "no replications"
    least, most = counts[0], counts[-1]
    number = count_text(most, "replication")
    said = number if least == most else f"{least:,} to {number}"
    partitions = study.document["study"].get("partitions")
    if partitions and partitions > 1:
        said += f" of {partitions:,} partitions each"
    points = study.points(study.cells)
    return said if len(points) < 2 else f"{said} at each grid point"


def _grid(study: Study) -> list[str]:
    said = []
    for key in study.keys:
        values = [value_text(each) for each in study.values(key)]
        more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
        said.append(f"{key} = {', '.join(values[:MOST_VALUES])}{more}")
    return [f"Grid: {'; '.join(said)}."] if said else []


def findings(study: Study) -> list[str]:
    """Type I errors beyond alpha and degrees of confidence below the level, in words."""
    return [*_type_one(study), *_coverage(study)]


def too_often(study: Study, cell: JsonObject) -> bool:
    """Whether a test rejects a hypothesis that is true more often than alpha, beyond chance."""
    return study.null_holds(cell) is True and beyond(cell, cell["alpha"]) > CHANCE


def too_seldom(cell: JsonObject) -> bool:
    """Whether an interval holds the truth less often than its level, beyond chance."""
    return beyond(cell, 1 - cell.get("alpha", 0.05)) < -CHANCE


def _type_one(study: Study) -> list[str]:
    true = [cell for cell in study.tests if study.null_holds(cell)]
    if not true:
        above = [cell for cell in study.tests if beyond(cell, cell["alpha"]) > CHANCE]
        if any(study.null_holds(cell) is False for cell in study.tests) or not above:
            return []
        return [
            f"{len(above)} of {count_text(len(study.tests), 'rate')} lie above α by more than"
            " chance; whether H0 was true there, and so whether that is error or power, the study"
            " does not tell."
        ]
    alpha = listed(sorted({percent(cell["alpha"]) for cell in true}))
    wrong = [cell for cell in true if too_often(study, cell)]
    where = "H0 is true, as far as the true difference tells"
    if study.keys:
        where = f"Where {where} ({_share(study, true)})"
    if not wrong:
        return [
            f"{where}: no test rejects it more often than α = {alpha} by more than chance"
            f" ({CHANCE:g} standard errors)."
        ]
    named = _worst(study, wrong, lambda cell: -float(cell["rate"]))
    return [
        f"{where}: type I error beyond α = {alpha} by more than chance"
        f" ({CHANCE:g} standard errors): {named}."
    ]


def _share(study: Study, cells: Sequence[JsonObject]) -> str:
    points = study.points(cells)
    if len(points) <= 2:
        return listed([study.point_text(at) for at in points])
    return f"{len(points)} of {count_text(len(study.points(study.tests)), 'grid point')}"


def _coverage(study: Study) -> list[str]:
    wrong = [cell for cell in study.intervals if too_seldom(cell)]
    if not study.intervals:
        return []
    if not wrong:
        return [
            "Every interval holds the truth as often as its level says, within chance"
            f" ({CHANCE:g} standard errors)."
        ]
    named = _worst(study, wrong, lambda cell: float(cell["rate"]))
    return [f"Degree of confidence below the level by more than chance: {named}."]


def _worst(
    study: Study, cells: Sequence[JsonObject], badness: Callable[[JsonObject], float]
) -> str:
    """The worst cell of each test or interval, the worst first; few of them by name."""
    worst: dict[str, JsonObject] = {}
    for cell in sorted(cells, key=badness):
        worst.setdefault(f"{study.test_text(cell)} {who(cell)}", cell)
    several = len(study.pairs) > 1 or len({who(cell) for cell in cells}) > 1
    said = []
    for cell in list(worst.values())[:MOST_NAMED]:
        at = study.point_text(cell["at"])
        of = f" of {who(cell)}" if several else ""
        said.append(
            f"{study.test_text(cell)}{of} {rate_text(cell)} %" + (f" at {at}" if at else "")
        )
    more = len(worst) - len(said)
    return "; ".join(said) + (f"; and {more} more" if more else "")


def _failures(study: Study) -> list[str]:
    found = study.document["failures"]
    if not found:
        return []
    total = sum(each.get("count", 1) for each in found)
    reasons = list(dict.fromkeys(str(each["reason"]) for each in found))
    more = f"; and {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
    return [f"{count_text(total, 'failure')}, counted in no rate: {'; '.join(reasons[:2])}{more}."]
