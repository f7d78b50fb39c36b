"""Numbers that are made from cells of studies: functions of quantities, and sums over studies."""

from __future__ import annotations

import math
from typing import Callable, Mapping, NamedTuple, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.inference import replicability
from cvinfer.registry import Registry


class Measured(NamedTuple):
    """A number of ours. se: its Monte-Carlo standard error. replications: what it rests on.

    rate: whether it is a share of replications, whose error follows from the share itself.
    paper_se: the paper's standard error where it does not follow from ours.
    """

    value: float
    se: Optional[float]
    replications: int
    rate: bool = False
    paper_se: Optional[float] = None


#: From the quantities at a point, by name, and the rule's options to one number.
Rule = Callable[[Callable[[str], Measured], JsonObject], Measured]
#: From the cells of one test in several studies, and the paper's replications, to one number.
OverStudies = Callable[[Sequence[JsonObject], int], Measured]

rules: Registry[Rule] = Registry("rule", beyond=(__name__,))
over_studies: Registry[OverStudies] = Registry("rule over studies", beyond=(__name__,))


def linear(quantity: Callable[[str], Measured], options: JsonObject) -> Measured:
    """constant + Σ coefficient · quantity.

    The errors of several quantities are added as if they were independent. Those of one study
    mostly go together, so that the true error is larger: the comparison is the stricter for it.
    """
    value, square, count = float(options.get("constant", 0.0)), 0.0, 0
    names = [name for name in options if name not in ("rule", "constant")]
    if not names:
        raise UserError("the rule linear has no quantity")
    known = True
    for name in names:
        found = quantity(name)
        value += float(options[name]) * found.value
        known = known and found.se is not None
        square += (float(options[name]) * (found.se or 0.0)) ** 2
        count = found.replications
    return Measured(value, math.sqrt(square) if known else None, count)


def ratio(quantity: Callable[[str], Measured], options: JsonObject) -> Measured:
    """times · of / over, with the relative errors added as if they were independent."""
    of, over = quantity(str(options["of"])), quantity(str(options["over"]))
    value = float(options.get("times", 1.0)) * of.value / over.value
    se = None
    if of.se is not None and over.se is not None and of.value:
        se = abs(value) * math.hypot(of.se / of.value, over.se / over.value)
    return Measured(value, se, of.replications)


def replicability_over(cells: Sequence[JsonObject], paper_runs: int) -> Measured:
    """Mean over data sets of the chance that two partitions lead to the same decision.

    Conditional on the data sets R is a function of their rejection probabilities p; the error of
    each data set's part follows from that of p, var ≈ (4p − 2)² p(1 − p)/n and a part of second
    order, 8 (p(1 − p)/n)², which is what is left at p = 1/2.
    """
    total, ours, papers = 0.0, 0.0, 0.0
    smallest = min(int(cell["replications"]) - int(cell["failed"]) for cell in cells)
    for cell in cells:
        runs = int(cell["replications"]) - int(cell["failed"])
        total += float(replicability(int(cell["rejections"]), runs))
        share = (int(cell["rejections"]) + 0.5) / (runs + 1.0)
        ours += _variance(share, runs)
        papers += _variance(share, paper_runs)
    many = len(cells)
    return Measured(
        total / many, math.sqrt(ours) / many, smallest, paper_se=math.sqrt(papers) / many
    )


def _variance(share: float, runs: int) -> float:
    spread = share * (1.0 - share) / runs
    return (4.0 * share - 2.0) ** 2 * spread + 8.0 * spread**2


for _rule in (linear, ratio):
    rules.add(_rule.__name__, _rule, __name__)
over_studies.add("replicability", replicability_over, __name__)


def measured(cell: JsonObject, field: str) -> Measured:
    """The number of a study's cell that the ledger names."""
    count = int(cell["replications"]) - int(cell.get("failed") or 0)
    value = cell.get(field)
    if value is None:
        return Measured(math.nan, None, count)
    if field == "rate":
        return Measured(float(value), _number(cell, "se"), count, rate=True)
    error = "se" if field == "value" else f"{field}_se"
    return Measured(float(value), _number(cell, error), count)


def _number(cell: Mapping[str, object], key: str) -> Optional[float]:
    value = cell.get(key)
    return float(value) if isinstance(value, (int, float)) else None
