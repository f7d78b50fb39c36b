"""Tests across data sets: what they are given, and where they are found.

They are no tests of section 3: they take one value for each data set and learner, whatever scheme
it came from, and need no partition. So they have a registry of their own, filled in the same way.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Callable, Mapping, Optional

from cvinfer.inference.checks import InputError
from cvinfer.inference.registry import UnknownNameError
from cvinfer.inference.result import jsonable
from cvinfer.registry import Registry

#: What a test is of: two learners where there are no more, each pair that is compared, all of
#: several learners, or all against one.
TWO, PAIR, SEVERAL, CONTROL = "two", "pair", "several", "control"


@dataclass(frozen=True)
class Across:
    """The outcome of a test across data sets.

    `df` is None, a number, or (for an F) two. A statistic that does not exist is None, with
    `degenerate` set and a note. `extra` is what this test has besides.
    """

    name: str
    statistic: Optional[float]
    df: Any
    p_value: Optional[float]
    cite: str = ""
    degenerate: bool = False
    note: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as results have them."""
        return {
            "name": self.name,
            "statistic": jsonable(self.statistic),
            "df": jsonable(self.df),
            "p_value": jsonable(self.p_value),
            "cite": self.cite,
            "degenerate": self.degenerate,
            "note": self.note,
            **{key: jsonable(value) for key, value in self.extra.items()},
        }


@dataclass(frozen=True)
class AcrossTest:
    """One test with what it declares.

    of: `two` learners, a `pair` of any number, `several`, or `control`: several against one.
    seeded: whether it draws, and takes `seed`. regional: whether it takes `margin`, the half width
    of a region of equivalence.
    """

    name: str
    function: Callable[..., Across]
    of: str
    formula: str
    cite: str
    use: str
    seeded: bool = False
    regional: bool = False


_TESTS: Registry[AcrossTest] = Registry(
    "test across data sets", "cvinfer.inference", refusal=UnknownNameError
)


def across_test(
    name: str,
    *,
    of: str,
    formula: str,
    cite: str,
    use: str,
    seeded: bool = False,
    regional: bool = False,
) -> Callable[[Callable[..., Across]], Callable[..., Across]]:
    """Register a test across data sets: a pure function from a matrix of values.

    Its first argument is `values`, data sets × learners; by keyword it takes `better`, `alpha` and
    `learners`, the names of the columns, and `control`, `seed` and `margin` where it declares that.
    """

    def register(function: Callable[..., Across]) -> Callable[..., Across]:
        @functools.wraps(function)
        def called(*args: Any, **options: Any) -> Across:
            try:
                return replace(function(*args, **options), name=name, cite=cite)
            except InputError as error:
                raise InputError(error.fault, procedure=name) from None

        declared = AcrossTest(name, called, of, formula, cite, use, seeded, regional)
        _TESTS.add(name, declared, function.__module__)
        return called

    return register


def across_tests() -> Mapping[str, AcrossTest]:
    """Every test across data sets by name."""
    return MappingProxyType(_TESTS)
