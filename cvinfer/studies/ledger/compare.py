"""A printed cell beside ours: difference, its standard error, z and a verdict.

Both sides have a Monte-Carlo error. For a rate it follows from the pooled rate and both numbers of
replications. For a quantity or a length the paper's is ours, scaled to its number of replications.
A printed number is rounded; where its last digit does not resolve single replications the rounding
adds a twelfth of a unit squared to the variance. Exact numbers agree within half a unit.
The error of a mean over few replications is itself uncertain, so that z is read from Student's law.
"""

from __future__ import annotations

import math
from typing import Any, Mapping, NamedTuple, Optional

from scipy import stats

from cvinfer.documents import JsonObject
from cvinfer.studies.ledger.exact import ExactCell, compute, the_exact_cell
from cvinfer.studies.ledger.model import Cell, Group, Item, Otherwise
from cvinfer.studies.ledger.results import Results, the_cell
from cvinfer.studies.ledger.rules import Measured, measured, over_studies, rules

#: From here on a cell differs.
BEYOND = 3.0
#: A cell with a smaller share of the paper's replications than this rests on few.
TENTH = 0.1
#: From so many replications on a standard error is taken as known.
KNOWN = 100


class Compared(NamedTuple):
    """A cell with what was found. ours and se are in the units of print; z is None for exact ones.

    label: the group. note: the misprint, the reason, or why it was not run. other: whether the
    second study of the group agrees, whatever the first does; None where there is none.
    replications, of_print: how many ours rests on, and the printed number.
    """

    label: str
    name: str
    at: Mapping[str, Any]
    digits: int
    printed: float
    ours: Optional[float]
    se: Optional[float]
    z: Optional[float]
    verdict: str
    note: str = ""
    replications: Optional[int] = None
    other: Optional[bool] = None
    of_print: Optional[int] = None

    @property
    def few(self) -> bool:
        """Whether ours rests on fewer than a tenth of the printed replications.

        Its standard error is then at least three times the paper's: such a cell agrees easily.
        """
        return are_few(self.replications, self.of_print)


def are_few(ours: Optional[int], of_print: Optional[int]) -> bool:
    """Fewer than a tenth of the printed replications; exact numbers rest on none."""
    return ours is not None and of_print is not None and ours < TENTH * of_print


class Distance(NamedTuple):
    """How far ours is from print: se of the difference and z, or whether rounding explains it."""

    se: Optional[float]
    z: Optional[float]
    agrees: bool


def compare_item(item: Item, results: Results) -> list[Compared]:
    """Every cell of an item, in the order of the file."""
    exact = {name: compute(entry) for name, entry in item.exact.items()}
    found = []
    for group in item.groups:
        for cell in group.cells:
            found.append(_compared(item, group, cell, results, exact))
    return found


def distance(
    printed: float, digits: int, scale: float, ours: Measured, paper_runs: int
) -> Distance:
    """The difference of a printed number and ours in standard errors of both."""
    value, unit = printed / scale, 10.0 ** (-digits) / scale
    rounding = unit**2 / 12.0
    if ours.rate:
        if unit <= (1.0 + 1e-9) / paper_runs:
            rounding = 0.0
        variance = _pooled(ours.value, ours.replications, value, paper_runs) + rounding
    elif ours.paper_se is not None:
        variance = (ours.se or 0.0) ** 2 + ours.paper_se**2 + rounding
    elif ours.se is None:
        return Distance(None, None, False)
    else:
        variance = ours.se**2 * (1.0 + ours.replications / paper_runs) + rounding
    if variance == 0.0:
        return Distance(0.0, None, value == ours.value)
    se = math.sqrt(variance)
    z = (ours.value - value) / se
    if not ours.rate and ours.paper_se is None and ours.replications < KNOWN:
        z = _as_normal(z, ours.replications - 1)
    return Distance(se * scale, z, abs(z) < BEYOND)


def _as_normal(t: float, df: int) -> float:
    """The z that is as rare in the normal law as t in Student's."""
    if df < 1:
        return 0.0
    return math.copysign(float(stats.norm.isf(stats.t.sf(abs(t), df))), t)


def _pooled(ours: float, runs: int, papers: float, paper_runs: int) -> float:
    """Variance of the difference of two rates, at the pooled rate or half a count."""
    total = runs + paper_runs
    share = (ours * runs + papers * paper_runs) / total
    least = 0.5 / total
    share = min(max(share, least), 1.0 - least)
    return share * (1.0 - share) * (1.0 / runs + 1.0 / paper_runs)


def _compared(
    item: Item,
    group: Group,
    cell: Cell,
    results: Results,
    exact: Mapping[str, list[ExactCell]],
) -> Compared:
    at = {**group.at, **cell.at}
    blank = Compared(
        group.label, cell.name, at, group.digits, cell.printed, None, None, None, "not run"
    )
    if group.not_run is not None:
        return blank._replace(note=group.not_run)
    if group.exact is not None:
        number = the_exact_cell(exact[group.exact], cell.name, at)
        return _with_exact(blank, group, cell, number, _other_exact(group, cell, at, exact))
    ours = _ours(item, group, cell, at, results, group.study)
    if ours is None or ours.replications < 1 or math.isnan(ours.value):
        return blank._replace(note="no stored result")
    away = distance(cell.printed, group.digits, group.scale, ours, group.replications)
    if away.se is None:
        return blank._replace(note="no standard error is known")
    verdict, note = _verdict(cell, away.agrees)
    agrees_there = None
    if group.otherwise is not None:
        other = _ours(item, group, cell, at, results, group.otherwise.study)
        if other is not None and not math.isnan(other.value):
            there = distance(cell.printed, group.digits, group.scale, other, group.replications)
            agrees_there = there.agrees
            verdict, note = _second(group, group.otherwise, verdict, note, other.value, there)
    return blank._replace(
        ours=ours.value * group.scale,
        se=away.se,
        z=away.z,
        verdict=verdict,
        note=note,
        replications=ours.replications,
        other=agrees_there,
        of_print=group.replications,
    )


def _second(
    group: Group, otherwise: Otherwise, verdict: str, note: str, value: float, there: Distance
) -> tuple[str, str]:
    """Verdict and note, once the second number is known too."""
    if verdict != "differs" or not there.agrees:
        return verdict, note
    return "explained", f"{otherwise.because} ({value * group.scale:.{group.digits}f})"


def _other_exact(
    group: Group, cell: Cell, at: Mapping[str, Any], exact: Mapping[str, list[ExactCell]]
) -> Optional[ExactCell]:
    if group.otherwise is None or group.otherwise.exact is None:
        return None
    return the_exact_cell(exact[group.otherwise.exact], cell.name, at)


def _with_exact(
    blank: Compared, group: Group, cell: Cell, number: ExactCell, second: Optional[ExactCell]
) -> Compared:
    away = _from_exact(group, cell, number)
    verdict, note = _verdict(cell, away.agrees)
    agrees_there = None
    if group.otherwise is not None and second is not None:
        there = _from_exact(group, cell, second)
        agrees_there = there.agrees
        verdict, note = _second(group, group.otherwise, verdict, note, second.value, there)
    value = number.value * group.scale
    return blank._replace(
        ours=value, se=away.se, z=away.z, verdict=verdict, note=note, other=agrees_there
    )


def _from_exact(group: Group, cell: Cell, number: ExactCell) -> Distance:
    if number.paper_se is None:
        half = 0.5 * 10.0 ** (-group.digits) * (1.0 + 1e-9)
        return Distance(None, None, abs(number.value * group.scale - cell.printed) <= half)
    ours = Measured(number.value, 0.0, 1, paper_se=number.paper_se)
    return distance(cell.printed, group.digits, group.scale, ours, group.replications)


def _verdict(cell: Cell, agrees: bool) -> tuple[str, str]:
    if cell.misprint is not None:
        return "misprint", cell.misprint
    if agrees:
        return "agrees", ""
    if cell.explained is not None:
        return "explained", cell.explained
    return "differs", ""


def _ours(
    item: Item,
    group: Group,
    cell: Cell,
    at: Mapping[str, Any],
    results: Results,
    study: Optional[str],
) -> Optional[Measured]:
    """Our number, or None where its studies were not run."""
    if group.across is not None:
        documents = [results.study(item, name) for name in group.across.studies]
        if any(document is None for document in documents):
            return None
        cells = [
            the_cell(document, group.kind, cell.name, at, group.match)
            for document in documents
            if document is not None
        ]
        rule = over_studies.find(group.across.rule, ("rule",))
        return rule(cells, group.replications)
    document = results.study(item, study) if study is not None else None
    if document is None:
        return None
    return number_at(document, group.kind, group.field, cell.name, at, group.match, group.derived)


def number_at(
    document: JsonObject,
    kind: str,
    field: str,
    name: str,
    at: Mapping[str, Any],
    match: Mapping[str, Any],
    derived: Mapping[str, JsonObject],
) -> Measured:
    """A number of a study at one point: of a cell, or made from several by a rule."""

    def quantity(each: str) -> Measured:
        return measured(the_cell(document, kind, each, at, match), field)

    if name in derived:
        entry = derived[name]
        return rules.find(str(entry["rule"]), ("rule",))(quantity, entry)
    return quantity(name)
