"""The schemes that a spec names: known, with options of theirs, and possible on the data."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Iterable, Optional, Sequence

import numpy as np

from cvinfer.errors import CvinferError, listed
from cvinfer.errors import Path as Place
from cvinfer.data.given import GIVEN, Asked
from cvinfer.names import close_match
from cvinfer.spec.check.common import Available, Context, is_off, placed_schemes, refusal_of
from cvinfer.spec.model import SchemeRequest
from cvinfer.spec.shape import alternatives, quoted
from cvinfer.spec.vocabulary import NOT_IN_SPECS

if TYPE_CHECKING:
    from cvinfer.partitions import Partition


def partition_of(
    here: Context,
) -> tuple[Optional[tuple[SchemeRequest, ...]], Optional[list[Available]]]:
    """The schemes that the spec names, and what tests find there; None and None for auto."""
    given = here.or_default("partition")
    if here.predicted:
        if given != "auto":
            message = "the data are predictions made elsewhere, with their own splits"
            here.fault(("partition",), message, "auto", key=True)
        return None, _common([_available_of(data.partitions) for data in here.predicted])
    if given == "auto":
        return None, None
    requests: list[SchemeRequest] = []
    available: list[Available] = []
    unknown = not here.fine(("partition",))
    for options, place in placed_schemes(given):
        if is_off(options.get("groups")):
            options["groups"] = False
        request = SchemeRequest(options.pop("scheme", ""), MappingProxyType(options))
        if not here.fine(place) or not _known_scheme(here, request, place):
            unknown = True
            continue
        requests.append(request)
        partitions = _partitions(here, request, place)
        available += partitions or []
        unknown = unknown or partitions is None
    # What a faulty scheme would have offered nobody knows: tests are then left alone.
    return tuple(requests), None if unknown else available


def _known_scheme(here: Context, request: SchemeRequest, place: Place) -> bool:
    from cvinfer.partitions import schemes

    known = schemes()
    at = place + ("scheme",) if place + ("scheme",) in here.document.places else place
    given = GIVEN.get(request.scheme)
    if given is not None:
        allowed: Sequence[str] = (*given.options, "groups")
        for name, wanted in given.options.items():
            if wanted.required and name not in request.options:
                here.fault(place, "is missing", wanted.description, shown=place + (name,))
                return False
    elif request.scheme in known:
        info = known[request.scheme]
        stratify = ("stratify",) if info.stratify else ()
        own = [option for option in info.defaults if option not in NOT_IN_SPECS]
        # A scheme that cannot keep groups together says so itself.
        allowed = (*own, *stratify, *(("groups",) if info.groups else ()))
    else:
        if request.scheme == "auto":
            message = "auto cannot stand beside schemes"
        else:
            message = f"there is no scheme {quoted(request.scheme)}"
        names = [*known, *GIVEN]
        here.fault(at, message, listed(names), close_match(request.scheme, names))
        return False
    wrong = [each for each in request.options if each not in (*allowed, "groups")]
    for option in wrong:
        here.fault(
            place + (option,),
            f"unknown option for the scheme {request.scheme}",
            listed(["scheme", *allowed]),
            close_match(option, allowed),
            key=True,
        )
    return not wrong


def _partitions(here: Context, request: SchemeRequest, place: Place) -> Optional[list[Available]]:
    """What the scheme offers; None where it cannot be made from the data."""
    from cvinfer.partitions import PartitionError, make_partition, schemes
    from cvinfer.data.groups import group_column

    if request.scheme in GIVEN:
        return _partitions_given(here, request, place)
    if _cuts_groups(here, request, place):
        return None
    if not here.fits_at_most(request.scheme, request.options, place):
        return None
    for data in here.fitted:
        options = dict(request.options)
        column = group_column(options.pop("groups", None), data.group_column)
        if options.pop("stratify", False):
            # Labels instead of codes, for the message.
            options["stratify"] = np.array(data.classes)[data.target]
        if column is not None:
            options["groups"] = data.groups_by(column)
        try:
            make_partition(request.scheme, data.n, seed=here.seed, **options)
        except PartitionError as error:
            if here.goes_on_without(data.name, error):
                continue
            # What stands in no option, such as the number of records, is the scheme's own fault.
            inner = tuple(error.path or ())
            at = place + inner if inner[:1] and inner[0] in request.options else place
            here.fault(at, f"{here.on(data.name)}{error.fault}")
            return None
    defaults = schemes()[request.scheme].defaults
    return [Available(request.scheme, {**defaults, **request.options})]


def _cuts_groups(here: Context, request: SchemeRequest, place: Place) -> bool:
    """Whether the scheme cannot keep groups together, or not beside what else it is asked."""
    from cvinfer.partitions import schemes
    from cvinfer.data.groups import group_column

    known = schemes()
    asked = request.options.get("groups")
    on, column = next(
        (
            (here.on(name), group_column(asked, of_data))
            for name, of_data in here.group_columns
            if group_column(asked, of_data) is not None
        ),
        ("", None),
    )
    if column is None:
        return False
    named = asked is not None
    on = "" if named else on
    why = known[request.scheme].refuses.get("groups")
    if why is not None:
        at = place + ("groups",) if named else place + ("scheme",)
        honour = [name for name, info in known.items() if info.groups]
        message = f"{request.scheme} cannot honour groups ({quoted(column)}): {why}"
        without = "no groups here" if named else "groups: false here"
        here.fault(at, on + message, f"{without}, or {alternatives(honour)}")
        return True
    if request.options.get("stratify"):
        message = (
            f"stratify cannot be combined with groups ({quoted(column)}): records of a group "
            "may belong to several classes"
        )
        remedy = "one of the two" if named else "no stratify, or groups: false here"
        here.fault(place + ("stratify",), on + message, remedy)
        return True
    return False


def _partitions_given(
    here: Context, request: SchemeRequest, place: Place
) -> Optional[list[Available]]:
    from cvinfer.partitions import PartitionError
    from cvinfer.data.groups import group_column, refuse_cut_groups

    given = GIVEN[request.scheme]
    asked = Asked(request.options, here.base)
    found: list[list[Available]] = []
    for data in here.fitted:
        column = group_column(request.options.get("groups"), data.group_column)
        try:
            if not given.ready(asked, data.source):
                return None
            partitions = given.read(asked, data)
            for partition in partitions:
                refuse_cut_groups(partition, data, column)
            found.append(_available_of(partitions))
        except PartitionError as error:
            if here.goes_on_without(data.name, error):
                continue
            remedy = "splits that keep them together, or groups: false here"
            at = next((place + (name,) for name in given.options), place)
            here.fault(at, here.on(data.name) + str(error), remedy)
            return None
        except CvinferError as error:
            if here.goes_on_without(data.name, error):
                continue
            refusal = refusal_of(error)
            inner = tuple(key for key in refusal.path or () if key in given.options)
            on = "" if given.options else here.on(data.name)
            there = f"the file has: {refusal.there}" if refusal.there else None
            told = refusal.allowed, refusal.suggestion
            here.fault(place + inner, on + refusal.message, *told, there=there)
            return None
    return _common(found) if found else None


def _available_of(partitions: Iterable[Partition]) -> list[Available]:
    return [Available(partition.scheme, dict(partition.options)) for partition in partitions]


def _common(per_data_set: list[list[Available]]) -> list[Available]:
    """The partitions that every data set has."""
    first, *others = per_data_set
    return [each for each in first if all(each in other for other in others)]
