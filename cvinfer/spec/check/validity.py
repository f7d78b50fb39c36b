"""Tests and intervals against the partitions and the data that they are to be done on."""

from __future__ import annotations

from typing import Any, Optional

from cvinfer.errors import Path as Place
from cvinfer.errors import listed
from cvinfer.inference import Need, Procedure, intervals, tests
from cvinfer.inference.needs import lacking, suitable
from cvinfer.spec.check.common import Available, Context
from cvinfer.spec.model import SchemeRequest, TestRequest
from cvinfer.spec.shape import quoted

#: A scheme that fits this many records fits any greater number of them.
_ENOUGH_RECORDS = 2000


def check_against_data(
    here: Context,
    chosen_tests: Optional[list[tuple[TestRequest, Place]]],
    chosen_intervals: Optional[list[tuple[TestRequest, Place]]],
    partition: Optional[tuple[SchemeRequest, ...]],
    available: Optional[list[Available]],
) -> None:
    every = [*(chosen_tests or []), *(chosen_intervals or [])]
    known = {**tests(), **intervals()}
    if available is not None:
        _valid_on(here, available, [(known[r.name], place) for r, place in every])
    elif partition is None and here.fine(("partition",)):
        chosen = [(known[request.name], place) for request, place in every]
        _groups_kept(here, chosen)
        for declared, place in chosen:
            _enough_records(here, declared, place)


def _valid_on(
    here: Context, available: list[Available], chosen: list[tuple[Procedure, Place]]
) -> None:
    unmet: dict[Place, list[Procedure]] = {}
    for declared, place in chosen:
        if lacking_there(here, declared, available) is not None:
            unmet.setdefault(place, []).append(declared)
    offered = listed(available) or "none"
    for place, declared_there in unmet.items():
        names = listed(each.name for each in declared_there)
        needs = [
            _need_text(need) + (" twice" if suitable(need, available) else "")
            for each in declared_there
            for need in lacking_there(here, each, available) or ()
        ]
        wanted = listed(dict.fromkeys(needs))
        verb = "needs" if len(declared_there) == 1 else "need"
        known = intervals() if declared_there[0].kind == "interval" else tests()
        valid = [n for n, p in known.items() if lacking_there(here, p, available) is None]
        where, shown = where_missed(here, place)
        message = f"{names} {verb} the scheme {wanted}; the partition has {offered}"
        allowed = f"on that partition {listed(valid)}" if valid else "partition: auto"
        here.fault(where, message, allowed, shown=shown)


def _groups_kept(here: Context, chosen: list[tuple[Procedure, Place]]) -> None:
    """Refuse procedures whose scheme would cut the groups of the data, by name."""
    from cvinfer.partitions import schemes

    grouped = [each for each in here.group_columns if each[1] is not None]
    refuses = {name: info.refuses.get("groups") for name, info in schemes().items()}
    places: dict[Place, list[Procedure]] = {}
    for declared, place in chosen if grouped else ():
        if any(refuses[need.scheme] for need in declared.planned):
            places.setdefault(place, []).append(declared)
    for place, cutting in places.items():
        names = listed(each.name for each in cutting)
        cut_by = dict.fromkeys(need.scheme for each in cutting for need in each.planned)
        reasons = [f"{name}, where {refuses[name]}" for name in cut_by if refuses[name]]
        known = intervals() if cutting[0].kind == "interval" else tests()
        valid = [
            name
            for name, each in known.items()
            if not any(refuses[need.scheme] for need in each.planned)
        ]
        needs = "it needs" if len(cutting) == 1 else "they need"
        name, column = grouped[0]
        where, shown = where_missed(here, place)
        message = (
            f"{names} cannot honour groups ({quoted(column)}): {needs} {', and '.join(reasons)}"
        )
        here.fault(where, here.on(name) + message, listed(valid), shown=shown)


def _enough_records(here: Context, declared: Procedure, place: Place) -> None:
    from cvinfer.partitions import PartitionError, make_partition, schemes

    known = schemes()
    for each in declared.planned:
        if not here.fits_at_most(each.scheme, each.options, where_missed(here, place)[0]):
            return
    for data in here.fitted:
        for need in dict.fromkeys(map(_hashable, declared.planned)):
            n, grouped = min(data.n, _ENOUGH_RECORDS), {}
            if data.groups is not None:
                n, grouped = data.n, {"groups": data.groups}
                if not known[need[0]].groups:
                    continue  # told already
            try:
                make_partition(need[0], n, seed=here.seed, **dict(need[1]), **grouped)
            except PartitionError as error:
                if here.goes_on_without(data.name, f"{declared.name} does not fit: {error}"):
                    break
                where, shown = where_missed(here, place)
                message = f"{here.on(data.name)}{declared.name} does not fit: {error}"
                here.fault(where, message, shown=shown)
                break


def lacking_there(
    here: Context, declared: Procedure, available: list[Available]
) -> Optional[list[Need]]:
    # Folds of its own for a learner can be drawn, but not where nothing is fitted.
    return lacking(declared, available, drawn=not here.predicted)


def where_missed(here: Context, place: Place) -> tuple[Place, Place]:
    """Where to point to and which path to name: what was left out is missed elsewhere."""
    if place[0] in here.value:
        return place, place
    return (("partition",) if "partition" in here.value else ("data",)), place


def _need_text(need: Need) -> str:
    """The scheme with the options that it must have."""
    fixed = ", ".join(f"{name}={need.options[name]}" for name in need.fixed)
    return f"{need.scheme}({fixed})" if fixed else need.scheme


def _hashable(need: Need) -> tuple[str, tuple[tuple[str, Any], ...]]:
    return need.scheme, tuple(need.options.items())
