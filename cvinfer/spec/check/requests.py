"""The tests and intervals that a spec asks for, and which test decides."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import Path as Place
from cvinfer.errors import listed
from cvinfer.inference import Procedure, intervals, tests
from cvinfer.inference.recommended import recommended_by, recommended_on
from cvinfer.inference.takes import COUNTS, fits, takes
from cvinfer.names import close_match
from cvinfer.spec import options as option_checks
from cvinfer.spec.check.common import Available, Context
from cvinfer.spec.check.validity import lacking_there, where_missed
from cvinfer.spec.model import DEFAULTS, RECOMMENDED_BY_VALUES, MeasureRequest, TestRequest
from cvinfer.spec.shape import describe, quoted

if TYPE_CHECKING:
    from cvinfer.engines.base import LearnerSpec


def requests_of(
    here: Context,
    key: str,
    known: Mapping[str, Procedure],
    recommended: Sequence[str],
    available: Optional[list[Available]],
    measures: Sequence[MeasureRequest],
) -> Optional[list[tuple[TestRequest, Place]]]:
    """The tests (or intervals) asked for, with the places of their names.

    `measures` are what they are made by; where they are not known, nothing is chosen by them.
    """
    if (key,) in here.bad:
        return None
    given = _given_requests(here, key)
    if given in ("recommended", "all"):
        if given == "recommended" and key == "tests":
            return _recommended_tests(here, recommended, available, measures)
        # What is recommended comes first, and so decides where the spec does not say which.
        by = _recommended_by(measures, recommended) if key == "tests" else {}
        first = list(dict.fromkeys(by.values())) or list(recommended)
        names = [*first, *(name for name in known if name not in first)]
        names = names if given == "all" else list(recommended)
        if given == "all":
            names = [name for name in names if _fits_one(known[name], measures)]
        if given == "all" and available is not None:
            names = [
                name
                for name in names
                if lacking_there(here, known[name], available) is None
                and _is_meant_for(known[name], available)
            ]
            if not names:
                offered = listed(available)
                here.fault((key,), f"no {key[:-1]} is valid on the partition {offered}")
        if given == "all" and key == "tests" and available is not None:
            by_measure = measures[0].name if measures else None
            best = recommended_on(available, [known[name] for name in names], by_measure)
            names.sort(key=lambda name: best is None or name != best.name)
        return [(TestRequest(name), (key,)) for name in names]
    found: list[tuple[TestRequest, Place]] = []
    for index, entry in enumerate(given):
        place: Place = (key, index)
        if not here.fine(place):
            continue
        request = _request(here, key[:-1], known, entry, place, measures)
        if request is None:
            continue
        if any(request == other for other, _ in found):
            here.fault(place, f"{request.name} is there twice with the same options")
        else:
            found.append((request, place))
    return found


def _fits_one(declared: Procedure, measures: Sequence[MeasureRequest]) -> bool:
    return not measures or any(fits(declared, each.declared) for each in measures)


def _recommended_by(
    measures: Sequence[MeasureRequest], recommended: Sequence[str]
) -> dict[str, str]:
    """The test that is recommended for each measure where every scheme can be drawn."""
    choice = [*recommended, *RECOMMENDED_BY_VALUES]
    found = {}
    for each in measures:
        held = recommended_by(each.name)
        first = choice if held is None else [held, *choice]
        found[each.name] = next(name for name in first if fits(tests()[name], each.declared))
    return found


def _recommended_tests(
    here: Context,
    recommended: Sequence[str],
    available: Optional[list[Available]],
    measures: Sequence[MeasureRequest],
) -> list[tuple[TestRequest, Place]]:
    """One test for each measure; one test may be that of several."""
    chosen = _recommended_by(measures, recommended) or {"": recommended[0]}
    for each in measures if available is not None else ():
        assert available is not None
        valid = [test for test in _valid(here, available) if fits(test, each.declared)]
        best = recommended_on(available, valid, each.name)
        if best is not None:
            chosen[each.name] = best.name
    found: list[tuple[TestRequest, Place]] = []
    for name in dict.fromkeys(chosen.values()):
        by = tuple(measure for measure, test in chosen.items() if test == name)
        all_that_fit = tuple(e.name for e in measures if fits(tests()[name], e.declared))
        only = () if by == all_that_fit or not measures else by
        found.append((TestRequest(name, measures=only), ("tests",)))
    return found


def _valid(here: Context, available: list[Available]) -> list[Procedure]:
    """The tests that can be done on the partitions that are there."""
    return [test for test in tests().values() if lacking_there(here, test, available) is None]


def _given_requests(here: Context, key: str) -> Any:
    given = here.value.get(key)
    return DEFAULTS[key] if given is None else given


def _request(
    here: Context,
    kind: str,
    known: Mapping[str, Procedure],
    entry: Any,
    place: Place,
    measures: Sequence[MeasureRequest],
) -> Optional[TestRequest]:
    name, inside = entry, place
    options: dict[str, Any] = {}
    if isinstance(entry, dict):
        ((name, given),) = entry.items()
        options, inside = dict(given or {}), place + (name,)
    if name not in known:
        other = "interval" if kind == "test" else "test"
        other_names = intervals() if kind == "test" else tests()
        message = f"there is no {kind} {quoted(name)}"
        meant = close_match(name, known)
        if name in other_names:
            message, meant = f"{name} is an {other}; it goes under {other}s", None
            message = message if other == "interval" else message.replace("an test", "a test")
        here.fault(inside, message, listed(known), meant, key=inside != place)
        return None
    only = options.pop("measures", None)
    fine = _only(here, known[name], only, inside + ("measures",), measures)
    fine = _options(here, known[name], options, inside) and fine
    given = option_checks.beyond_defaults(known[name], options) if fine else {}
    return TestRequest(name, MappingProxyType(given), tuple(only or ())) if fine else None


def _only(
    here: Context,
    declared: Procedure,
    only: Any,
    place: Place,
    measures: Sequence[MeasureRequest],
) -> bool:
    """Whether `measures` of a test names some of the spec's that it can be made by."""
    if only is None or not measures:
        return True
    known = [each.name for each in measures if fits(declared, each.declared)]
    names = only if isinstance(only, list) and all(isinstance(e, str) for e in only) else []
    if not names:
        here.fault(place, f"{describe(only)} is of the wrong type", "a list of measures", key=True)
        return False
    for index, name in enumerate(names):
        if name not in known:
            there = name in (each.name for each in measures)
            said = f"{declared.name} is not made by {name}" if there else "it is no measure here"
            allowed = listed(known) if known else None
            here.fault(place + (index,), said, allowed, close_match(name, known))
            return False
    return True


def _options(here: Context, declared: Procedure, options: JsonObject, place: Place) -> bool:
    known = option_checks.options_of(declared)
    before = len(here.document.faults)
    for name, value in options.items():
        at = place + (name,)
        if name not in known:
            if name == "alpha":
                message = "alpha is a key of the spec itself, the same for all"
            else:
                message = f"{declared.name} has no option {quoted(name)}"
            allowed = listed(known) if known else "no options"
            here.fault(at, message, allowed, close_match(name, known), key=True)
            continue
        wanted = option_checks.type_fault(known[name], value)
        if wanted is not None:
            here.fault(at, f"{describe(value)} is of the wrong type", wanted)
            continue
        refusal = option_checks.value_fault(declared, {name: value})
        if refusal is not None:
            here.fault(at, refusal)
    if options and len(here.document.faults) == before:
        refusal = option_checks.value_fault(declared, options)
        if refusal is not None:
            here.fault(place, refusal)
    return len(here.document.faults) == before


def primary_of(here: Context, chosen: Optional[list[tuple[TestRequest, Place]]]) -> Optional[str]:
    """The test that decides: the one that is named, else the first."""
    given = here.or_default("primary")
    if chosen is None or not here.fine(("primary",)):
        return None
    names = list(dict.fromkeys(request.name for request, _ in chosen))
    if given is None:
        return names[0] if names else None
    if given in names:
        return str(given)
    if given in map(_request_name, _given_requests(here, "tests")):
        return None  # it was asked for wrongly, which has its own fault
    message, meant = f"there is no test {quoted(given)}", close_match(given, names or tests())
    if given in tests():
        message, meant = f"{given} is not among the tests; add it there, or name another", None
    allowed = listed(names) if names else "no primary, where there are no tests"
    here.fault(("primary",), message, allowed, meant)
    return None


def margin_of(
    here: Context,
    primary: Optional[str],
    chosen: Sequence[tuple[TestRequest, Place]],
    measures: Sequence[MeasureRequest],
) -> Union[float, Mapping[str, float], None]:
    """The margin; of several measures each has its own, since their scales differ."""
    margin = here.or_default("margin")
    if margin is None or primary is None or not measures:
        return None
    names = [each.name for each in measures]
    if len(names) > 1 and not isinstance(margin, dict):
        example = f"{{{names[0]}: {margin}}}"
        here.fault(("margin",), "there are several measures", f"a margin by measure, as {example}")
        return None
    by = margin if isinstance(margin, dict) else {names[0]: margin}
    for name in by:
        place = ("margin", name) if isinstance(margin, dict) else ("margin",)
        if name not in names:
            message = f"{quoted(name)} is no measure of this spec"
            here.fault(place, message, listed(names), close_match(name, names), key=True)
            return None
        fitting = [request.name for request, _ in chosen if _made_by(request, name, measures)]
        deciding = primary if primary in fitting else next(iter(fitting), primary)
        if not tests()[deciding].has_interval:
            message = (
                f"equivalence is read off an interval, and {deciding}, which decides, has none"
            )
            others = [each for each, test in tests().items() if test.has_interval]
            here.fault(place, message, f"with one of {listed(others)} as primary")
        elif here.number("alpha") >= 0.5:
            message = "equivalence is read off the interval of level 1 - 2 alpha; there is none"
            here.fault(place, message, "with an alpha below 0.5")
    if isinstance(margin, dict):
        return MappingProxyType({name: float(value) for name, value in margin.items()})
    return here.number("margin")


def _made_by(request: TestRequest, name: str, measures: Sequence[MeasureRequest]) -> bool:
    return any(each.name == name for each in measures) and request.by(name)


def known_of(declared: Procedure) -> Mapping[str, Procedure]:
    """The tests, or the intervals, whichever a procedure is one of."""
    return tests() if declared.kind == "test" else intervals()


def check_fitting(
    here: Context,
    measures: Sequence[MeasureRequest],
    chosen_tests: Sequence[tuple[TestRequest, Place]],
    chosen_intervals: Sequence[tuple[TestRequest, Place]],
) -> None:
    """Refuse a test or interval that fits no measure, and a measure that fits no test."""
    names = [each.name for each in measures]
    if not names:
        return
    for request, place in (*chosen_tests, *chosen_intervals):
        declared = {**tests(), **intervals()}[request.name]
        if _fits_one(declared, measures):
            continue
        where, shown = where_missed(here, place)
        if measures[0].brought is not None:
            valid = [each for each in known_of(declared).values() if _fits_one(each, measures)]
            said = f"{request.name} needs {takes(declared)}, and scores made elsewhere have none"
            fitting_names = listed(each.name for each in valid)
            here.fault(where, said, f"values of splits suffice for {fitting_names}", shown=shown)
            continue
        such = f"{names[0]} is no such" if len(names) == 1 else f"none of {listed(names)} is such a"
        if takes(declared) == COUNTS:
            said = f"{request.name} counts wrong predictions, and {such} count"
            here.fault(where, said, "another test or interval, or loss: zero_one", shown=shown)
        else:
            said = f"{request.name} needs {takes(declared)}, and {such} loss"
            here.fault(where, said, "another test or interval", shown=shown)
    if not chosen_tests or here.document.faults:
        return
    for index, each in enumerate(measures):
        if any(request.by(each.name) for request, _ in chosen_tests):
            continue
        place = ("measures", index) if "measures" in here.value else ("loss",)
        asked = listed(dict.fromkeys(request.name for request, _ in chosen_tests))
        fitting = [name for name, test in tests().items() if fits(test, each.declared)]
        message = f"no test is made by {each.name}; {asked} cannot be"
        here.fault(place, message, f"with one of {listed(fitting)}, or tests: recommended")


def check_one_learner(here: Context, chosen: Optional[list[tuple[TestRequest, Place]]]) -> None:
    """Refuse what one learner alone cannot be tested by, and a test without its hypothesis."""
    for request, place in chosen or ():
        where, shown = where_missed(here, place)
        if not tests()[request.name].of_one_mean:
            message = f"{request.name} is of two learners, and compare names one"
            fitting = [name for name, test in tests().items() if test.of_one_mean]
            here.fault(where, message, listed(fitting), shown=shown)
        elif "mu0" not in _written_options(here, place):
            message = "is missing: one learner's mean loss is compared with it"
            inside = shown + ((request.name,) if len(shown) > 1 else ()) + ("mu0",)
            here.fault(where, message, "a number", shown=inside)


def _written_options(here: Context, place: Place) -> JsonObject:
    """The options of a test as the spec has them, with those that are defaults."""
    entry = _given_requests(here, "tests")[place[1]] if len(place) > 1 else None
    options = next(iter(entry.values())) if isinstance(entry, dict) else None
    return options or {}


def check_something_to_do(
    here: Context,
    learners: Optional[dict[str, LearnerSpec]],
    chosen_tests: Optional[list[tuple[TestRequest, Place]]],
    chosen_intervals: Optional[list[tuple[TestRequest, Place]]],
) -> None:
    if chosen_tests == [] and chosen_intervals == [] and not here.document.faults:
        message = "there are neither tests nor intervals"
        here.fault(("tests",), message, "at least one test or interval", key=True)
    # An empty mapping has its fault already.
    if learners is not None and len(learners) == 1 and chosen_tests:
        where: Place = ("learners",) if "learners" in here.value else ("data",)
        message = f"there is one learner only, {quoted(next(iter(learners)))}"
        here.fault(where, message, "at least two, to be compared", key=True)


def _request_name(entry: Any) -> Any:
    """The name in an entry of `tests`: the entry itself, or its key where it has options."""
    return next(iter(entry), None) if isinstance(entry, dict) else entry


def _is_meant_for(declared: Procedure, available: list[Available]) -> bool:
    """Whether the schemes are there that a test is made for, not only ones it takes when asked."""
    schemes = {each.scheme for each in available}
    return any(need.scheme in schemes for need in declared.needs)
