"""What a text says about a figure, as a check on cells of studies.

Every check looks at numbers point by point. Where it names no share, it holds if every point does
what the text says or misses it by less than three standard errors of the difference; with a share,
if at least that share of the points does it as the numbers stand.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.registry import Registry
from cvinfer.studies.ledger.compare import BEYOND, are_few, number_at
from cvinfer.studies.ledger.exact import IDENTICAL, compute
from cvinfer.studies.ledger.model import Claim, Item
from cvinfer.studies.ledger.results import Results, cells_of, inside, same
from cvinfer.studies.ledger.rules import Measured

#: Fields of a cell, besides its grid point, that say what it is about.
ABOUT = ("learner", "a", "b", "averaging", "scheme")


class ClaimFound(NamedTuple):
    """A claim with its verdict. right: points that do what it says. worst: the least of them.

    replications: what the points rest on at the least, of the paper's `of_print`.
    """

    text: str
    verdict: str
    right: int = 0
    points: int = 0
    worst: str = ""
    note: str = ""
    replications: Optional[int] = None
    of_print: Optional[int] = None

    @property
    def few(self) -> bool:
        """Whether it rests on fewer than a tenth of the printed replications."""
        return are_few(self.replications, self.of_print)


class Point(NamedTuple):
    """A number of a study, where it stands and what it is about."""

    at: Mapping[str, Any]
    about: Mapping[str, Any]
    number: Measured


class Finding(NamedTuple):
    """One point of a check. margin: above zero where it does what the text says. se: of that.

    replications: the fewest that one of its numbers rests on.
    """

    where: Mapping[str, Any]
    margin: float
    se: float
    replications: int


class Missing(Exception):
    """A study that a check needs has not been run."""


#: From the options of a check and a function that finds numbers to its points.
Check = Callable[[JsonObject, Callable[[JsonObject], Sequence[Point]]], list[Finding]]
checks: Registry[Check] = Registry("check", beyond=(__name__,))


def claims_of(item: Item, results: Results) -> list[ClaimFound]:
    """Every claim of an item, in the order of the file."""
    return [_claim(item, claim, results) for claim in item.claims]


def _claim(item: Item, claim: Claim, results: Results) -> ClaimFound:
    if claim.check == "identity":
        (cell,) = compute(item.exact[str(claim.options["exact"])])
        good = cell.value <= IDENTICAL
        worst = f"largest deviation {cell.value:.2g}"
        return _judged(claim, good, int(good), 1, worst)
    check = checks.find(claim.check, ("check",))
    try:
        found = check(claim.options, lambda where: points_of(item, where, results))
    except Missing:
        return ClaimFound(claim.text, "not run", note="no stored result")
    found = [each for each in found if inside(each.where, claim.options.get("where", {}))]
    if not found:
        raise UserError(f"{item.key}: the check of {claim.text!r} looks at no point")
    right = sum(each.margin >= 0.0 for each in found)
    share = claim.options.get("share")
    if share is not None:
        good = right >= float(share) * len(found)
    else:
        good = all(each.margin > -BEYOND * each.se for each in found if each.margin < 0.0)
    least = min(found, key=lambda each: each.margin)
    judged = _judged(claim, good, right, len(found), _said(least))
    rests = min(each.replications for each in found)
    return judged._replace(replications=rests, of_print=item.replications)


def _judged(claim: Claim, good: bool, right: int, points: int, worst: str) -> ClaimFound:
    if claim.misprint is not None and not good:
        return ClaimFound(claim.text, "misprint", right, points, worst, claim.misprint)
    if claim.explained is not None and not good:
        return ClaimFound(claim.text, "explained", right, points, worst, claim.explained)
    return ClaimFound(claim.text, "holds" if good else "fails", right, points, worst)


def _said(found: Finding) -> str:
    where = ", ".join(f"{path.split('.')[-1]} {value}" for path, value in found.where.items())
    z = f", {found.margin / found.se:+.1f} standard errors" if found.se > 0 else ""
    return f"least margin {found.margin:+.3g}{z}" + (f" at {where}" if where else "")


def points_of(item: Item, where: JsonObject, results: Results) -> list[Point]:
    """The numbers that a reference names, one for each grid point and each learner or pair."""
    document = results.study(item, str(where["study"]))
    if document is None:
        raise Missing(where["study"])
    kind = str(where["kind"])
    field = str(where.get("field", "rate" if kind != "quantity" else "value"))
    at, match = where.get("at", {}), where.get("match", {})
    name, derived = where.get("name"), where.get("derived")
    places: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
    for cell in cells_of(document, kind, name, at, match):
        about = {key: cell[key] for key in ABOUT if cell.get(key) is not None}
        place = (cell.get("at", {}), about)
        if derived is None or place not in places:
            places.append(place)
    found = []
    for here, about_it in places:
        if derived is not None and not _all_there(document, kind, derived, here, about_it, match):
            continue
        rule = {} if derived is None else {"derived": derived}
        wanted = name if derived is None else "derived"
        number = number_at(document, kind, field, str(wanted), here, {**match, **about_it}, rule)
        if not math.isnan(number.value):
            found.append(Point(here, about_it, number))
    return found


def _all_there(
    document: JsonObject,
    kind: str,
    derived: JsonObject,
    at: Mapping[str, Any],
    about: Mapping[str, Any],
    match: Mapping[str, Any],
) -> bool:
    """Whether a place has every quantity that a rule eats; others are about something else."""
    eaten = [derived[key] for key in ("of", "over") if key in derived] or [
        key for key in derived if key not in ("rule", "constant", "times")
    ]
    return all(cells_of(document, kind, str(name), at, {**match, **about}) for name in eaten)


def _error(*numbers: Optional[Measured]) -> float:
    return math.sqrt(sum((each.se or 0.0) ** 2 for each in numbers if each is not None))


def _fewest(*numbers: Measured) -> int:
    return min(each.replications for each in numbers)


def _pairs(
    left: Sequence[Point], right: Union[float, Sequence[Point]]
) -> Iterable[tuple[Point, Measured]]:
    """Every left point with the right one at the same place, about the same learners."""
    for point in left:
        if isinstance(right, float):
            yield point, Measured(right, 0.0, point.number.replications)
            continue
        partners = [each for each in right if _same_place(point, each)]
        if len(partners) != 1:
            raise UserError(f"{len(partners)} numbers to compare with at {dict(point.at)}")
        yield point, partners[0].number


def _same_place(one: Point, other: Point) -> bool:
    shared = [path for path in one.at if path in other.at]
    about = [key for key in ("learner", "a", "b") if key in one.about and key in other.about]
    return all(same(one.at[path], other.at[path]) for path in shared) and all(
        one.about[key] == other.about[key] for key in about
    )


def _compared(
    options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]], sign: float
) -> list[Finding]:
    right = options["right"]
    other: Union[float, Sequence[Point]]
    other = float(right) if isinstance(right, (int, float)) else numbers(right)
    return [
        Finding(
            {**point.at, **point.about},
            sign * (partner.value - point.number.value),
            _error(point.number, partner),
            _fewest(point.number, partner),
        )
        for point, partner in _pairs(numbers(options["left"]), other)
    ]


def less(options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]) -> list[Finding]:
    """left is at most right, a number or the numbers at the same points."""
    return _compared(options, numbers, 1.0)


def more(options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]) -> list[Finding]:
    """left is at least right."""
    return _compared(options, numbers, -1.0)


def between(options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]) -> list[Finding]:
    """of lies between low and high; one of them may be left out."""
    low, high = float(options.get("low", -math.inf)), float(options.get("high", math.inf))
    return [
        Finding(
            {**point.at, **point.about},
            min(point.number.value - low, high - point.number.value),
            _error(point.number),
            _fewest(point.number),
        )
        for point in numbers(options["of"])
    ]


def _along(
    options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]
) -> list[tuple[Any, Point]]:
    path = str(options["along"])
    found = [(point.at[path], point) for point in numbers(options["of"]) if path in point.at]
    return sorted(found, key=lambda pair: float(pair[0]))


def _steps(
    options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]], sign: float
) -> list[Finding]:
    found = _along(options, numbers)
    return [
        Finding(
            {**after.at, **after.about},
            sign * (after.number.value - before.number.value),
            _error(before.number, after.number),
            _fewest(before.number, after.number),
        )
        for (_, before), (_, after) in zip(found, found[1:])
    ]


def rises(options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]) -> list[Finding]:
    """of does not fall from one value of `along` to the next."""
    return _steps(options, numbers, 1.0)


def falls(options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]) -> list[Finding]:
    """of does not rise from one value of `along` to the next."""
    return _steps(options, numbers, -1.0)


def lowest(options: JsonObject, numbers: Callable[[JsonObject], Sequence[Point]]) -> list[Finding]:
    """of is nowhere lower than where `along` is `at`."""
    found = _along(options, numbers)
    here = [point for value, point in found if same(value, options["at"])]
    if len(here) != 1:
        raise UserError(f"the study has no point where {options['along']} is {options['at']}")
    return [
        Finding(
            {**point.at, **point.about},
            point.number.value - here[0].number.value,
            _error(point.number, here[0].number),
            _fewest(point.number, here[0].number),
        )
        for value, point in found
        if not same(value, options["at"])
    ]


for _check in (less, more, between, rises, falls, lowest):
    checks.add(_check.__name__, _check, __name__)
