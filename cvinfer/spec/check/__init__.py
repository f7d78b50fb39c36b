"""Names and parameters of a spec against the registries, and tests against the data.

Everything here runs before the first fit. Each check adds its faults and goes on, and leaves out
what an earlier fault has made meaningless, so that one cause gives one fault. Each part of a spec
has a module; what they share is the `Context`.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.inference import correction, intervals, tests
from cvinfer.spec import work
from cvinfer.spec.check.across import across_of, control_of
from cvinfer.spec.check.common import Context
from cvinfer.spec.check.compare import pairs_of
from cvinfer.spec.check.data import (
    check_positive,
    data_sets,
    expand,
    how_many,
    positive_of_all,
)
from cvinfer.spec.check.learners import learners_of
from cvinfer.spec.check.measures import check_served, measures_of
from cvinfer.spec.check.naming import name_of
from cvinfer.spec.check.output import check_output
from cvinfer.spec.check.partition import partition_of
from cvinfer.spec.check.requests import (
    check_fitting,
    check_one_learner,
    check_something_to_do,
    margin_of,
    primary_of,
    requests_of,
)
from cvinfer.spec.check.validity import check_against_data
from cvinfer.spec.model import RECOMMENDED_INTERVALS, RECOMMENDED_TESTS, Spec
from cvinfer.spec.text import Document, keep_as_written, refuse_infinite

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike

__all__ = ["Checked", "check"]

#: Where text is meant, the scalar counts as it was written: `NO`, `01`, `1e3` are labels or names.
AS_WRITTEN: tuple[tuple[str, ...], ...] = (
    ("positive",),
    ("compare", "**"),
    ("control",),
    *(
        (*head, *tail)
        for head in (("data",), ("data", "*"))
        for tail in (
            ("target",),
            ("groups",),
            ("drop", "*"),
            ("keep", "*"),
            ("na", "*"),
            ("classes", "*"),
            ("record",),
            ("truth",),
            ("split",),
            ("learners", "**"),
            ("binarize",),
            ("binarize", "**"),
            ("positive",),
        )
    ),
    ("partition", "groups"),
    ("partition", "*", "groups"),
    ("learners", "*", "params", "constant"),
)


class _Checked(NamedTuple):
    spec: Optional[Spec]
    data: tuple[Optional[DataLike], ...]


class Checked(_Checked):
    """A spec, if it has no faults, and its data sets as far as they could be read.

    lost: the names of those that are left out, where the run goes on, and what is wrong with them.
    """

    lost: Mapping[str, str] = MappingProxyType({})


def check(
    document: Document,
    base: Path,
    default_name: str,
    allow_code: bool,
    ready: Optional[Sequence[DataLike]] = None,
    idle: bool = False,
    one_learner: bool = False,
    going_on: bool = False,
) -> Checked:
    """Add every fault to the document; the spec comes out where there is none.

    `ready` are the data sets where they are there already. `idle`: without tests and intervals
    there is something to do all the same. one_learner: whether one learner alone may be compared,
    with the `mu0` of each test. going_on: one of several data sets that something is wrong with is
    no fault.
    """
    if isinstance(document.value, dict):
        found = work.too_much(document.value)
        if found is not None:
            # Nor is there any use in finding what else is wrong with it.
            document.add(*found[:3])
            return Checked(None, ())
    if ready is None:
        expand(document, base)
    keep_as_written(document, AS_WRITTEN)
    refuse_infinite(document, but_under="learners")
    here = Context(document, base, allow_code, ready=ready, one_learner=one_learner)
    here.going_on = going_on
    checked = Checked(_checked(here, default_name, idle), tuple(here.data))
    checked.lost = here.lost
    return checked


def read_data(document: Document, base: Path, allow_code: bool) -> tuple[Optional[DataLike], ...]:
    """The data sets of a spec and nothing else, with their faults."""
    keep_as_written(document, AS_WRITTEN)
    refuse_infinite(document, but_under="learners")
    here = Context(document, base, allow_code)
    data_sets(here)
    return tuple(here.data)


def _checked(here: Context, default_name: str, idle: bool = False) -> Optional[Spec]:
    from cvinfer.data.prediction_columns import in_order

    name = name_of(here, default_name)
    check_output(here)
    entries, places = data_sets(here)
    learners = learners_of(here, entries)
    pairs = pairs_of(here, list(learners) if learners is not None else None)
    partition, available = partition_of(here)
    placed = measures_of(here)
    measures = [each for each, _ in placed]
    chosen_tests = requests_of(here, "tests", tests(), RECOMMENDED_TESTS, available, measures)
    chosen_intervals = requests_of(
        here, "intervals", intervals(), RECOMMENDED_INTERVALS, available, measures
    )
    primary = primary_of(here, chosen_tests)
    check_fitting(here, measures, chosen_tests or (), chosen_intervals or ())
    margin = margin_of(here, primary, chosen_tests or (), measures)
    check_served(here, placed, learners)
    count = how_many(entries)
    across = across_of(here, count)
    names = list(learners) if learners is not None else None
    control = control_of(here, across, count, names)
    alone = any(b is None for _, b in pairs or ())
    if alone:
        check_one_learner(here, chosen_tests)
    two = learners if pairs is not None and not alone else None
    if not idle:
        check_something_to_do(here, two, chosen_tests, chosen_intervals)
    check_against_data(here, chosen_tests, chosen_intervals, partition, available)
    check_positive(here, entries, places)
    if here.document.faults or learners is None or pairs is None or name is None:
        return None
    assert chosen_tests is not None and chosen_intervals is not None
    return Spec(
        name=name,
        base=here.base,
        data=tuple(MappingProxyType(in_order(entry)) for entry in entries),
        learners=MappingProxyType({} if here.predicted else learners),
        pairs=tuple(pairs) if chosen_tests or (idle and "compare" in here.value) else (),
        partition=partition,
        tests=tuple(request for request, _ in chosen_tests),
        intervals=tuple(request for request, _ in chosen_intervals),
        primary=primary,
        margin=margin,
        across=across,
        control=control,
        bayes=bool(here.or_default("bayes")),
        alpha=here.number("alpha"),
        correction=correction.read(here.or_default("correction")).written(),
        seed=int(here.seed),
        measures=tuple(measures),
        positive=positive_of_all(here),
        limits=MappingProxyType(_given(here.value.get("limits"))),
        output=MappingProxyType({"directory": "results", **_given(here.value.get("output"))}),
    )


def _given(mapping: Optional[JsonObject]) -> dict[str, Any]:
    return {key: value for key, value in (mapping or {}).items() if value is not None}
