"""How much a spec asks for, counted from its numbers before anything is read or drawn.

A comparison is counted like a fit, and reading a data set like `FITS_PER_DATA_SET` of them: each of
the three alone can keep a machine busy without end.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional, Sequence

from cvinfer import limits
from cvinfer.documents import JsonObject
from cvinfer.inference import Need, intervals, tests
from cvinfer.limits import shown_count
from cvinfer.errors import Path as Place
from cvinfer.spec.model import DEFAULTS, RECOMMENDED_INTERVALS, RECOMMENDED_TESTS


class TooMuch(NamedTuple):
    """What goes beyond the limit, at the place that makes it so much."""

    place: Place
    message: str
    allowed: str


def too_much(value: JsonObject) -> Optional[TooMuch]:
    """The first thing in a spec, as it is written, that asks for more than the limit allows."""
    most = limits.max_fits()
    sets = len(value["data"]) if isinstance(value.get("data"), list) else 1
    learners = len(value["learners"]) if isinstance(value.get("learners"), dict) else 1
    placed = list(_splits(value))
    splits = sum(count for count, _ in placed)
    fits = sets * learners * splits
    for count, place in placed:
        if sets * learners * count > most:
            return _fits(place, fits, learners, splits, sets)
    found = too_many_comparisons(value, learners)
    if found is not None:
        return found._replace(message=f"{found.message}, and up to {shown_count(fits)} fits")
    if sets * limits.FITS_PER_DATA_SET > most:
        message = f"there are {sets:,} data sets, which take up to {shown_count(fits)} fits"
        allowed = f"at most {most // limits.FITS_PER_DATA_SET:,} data sets"
        return TooMuch(("data",), message, f"{allowed} (--max-fits raises that)")
    if fits > most:
        return _fits(("learners",), fits, learners, splits, sets)
    return None


def too_many_comparisons(value: JsonObject, learners: int) -> Optional[TooMuch]:
    """The same of the pairs of this many learners, each with every test."""
    sets = len(value["data"]) if isinstance(value.get("data"), list) else 1
    pairs = _pairs(value.get("compare"), learners)
    chosen = len(list(_names(value, "tests")))
    if sets * pairs * chosen <= limits.max_fits():
        return None
    where = next((key for key in ("compare", "learners", "data") if key in value), "data")
    message = (
        f"{learners:,} learners make {shown_count(pairs)} pairs,"
        f" with {chosen:,} test{'s' * (chosen != 1)}"
        f" {shown_count(sets * pairs * chosen)} comparisons"
    )
    return TooMuch((where,), message, _at_most())


def too_many_fits(counts: Sequence[int], learners: int, place: Place) -> Optional[TooMuch]:
    """The same of partitions whose data are known: the splits of each, on each data set."""
    if sum(counts) * learners <= limits.max_fits():
        return None
    return _fits(place, sum(counts) * learners, learners, sum(counts), 1)


def too_large(splits: int, n: int, place: Place) -> Optional[TooMuch]:
    """Partitions that memory would not hold: one mark for every record of every split."""
    most = limits.max_bytes()
    if splits * n <= most:
        return None
    message = f"{shown_count(splits)} splits of {n:,} records take {shown_count(splits * n)} bytes"
    return TooMuch(place, message, f"at most {most:,} (--max-bytes raises that)")


def _fits(place: Place, fits: int, learners: int, splits: int, sets: int) -> TooMuch:
    each = "" if sets == 1 else f" of {sets:,} data sets"
    message = (
        f"this takes up to {shown_count(fits)} fits: {learners:,} learner{'s' * (learners != 1)}"
        f" on {shown_count(splits)} splits{each}"
    )
    return TooMuch(place, message, _at_most())


def _at_most() -> str:
    return f"at most {limits.max_fits():,} (--max-fits raises that)"


def _pairs(compare: Any, learners: int) -> int:
    if compare is None or compare == "all":
        return learners * (learners - 1) // 2
    if isinstance(compare, dict):
        sides = [compare.get(side) for side in ("each", "against")]
        counts = [len(side) if isinstance(side, list) else 1 for side in sides]
        return counts[0] * counts[1]
    return len(compare) if isinstance(compare, list) else 1


def _splits(value: JsonObject) -> Iterator[tuple[int, Place]]:
    """The splits of each partition, with the place of what makes them many."""
    from cvinfer.partitions import schemes

    known = schemes()
    given = value.get("partition") or "auto"
    if given == "auto":
        for need in _needs(value):
            yield known[need.scheme].count(1, need.options), ("tests",)
        return
    many = isinstance(given, list)
    for at, entry in enumerate(given if many else [given]):
        place: Place = ("partition", at) if many else ("partition",)
        options = dict(entry) if isinstance(entry, dict) else {"scheme": entry}
        info = known.get(str(options.pop("scheme", "")))
        if info is None:
            continue
        counting = {key: options[key] for key in info.sizes if type(options.get(key)) is int}
        largest = max(counting, key=lambda key: int(counting[key]), default=None)
        yield info.count(1, options), place if largest is None else (*place, largest)


def _needs(value: JsonObject) -> list[Need]:
    """The schemes of all that is asked for, each once."""
    found: dict[str, Need] = {}
    for key, known in (("tests", tests()), ("intervals", intervals())):
        for name in _names(value, key):
            declared = known.get(name)
            if declared is not None:
                planned = declared.planned
                found.update({f"{n.scheme} {sorted(n.options.items())}": n for n in planned})
    return list(found.values())


def _names(value: JsonObject, key: str) -> Iterator[str]:
    given = value.get(key)
    given = DEFAULTS[key] if given is None else given
    if given == "all":
        yield from tests() if key == "tests" else intervals()
    elif given == "recommended":
        yield from RECOMMENDED_TESTS if key == "tests" else RECOMMENDED_INTERVALS
    elif isinstance(given, list):
        for entry in given:
            yield str(next(iter(entry), "")) if isinstance(entry, dict) else str(entry)
