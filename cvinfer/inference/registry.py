"""The registry of tests and intervals: filled by decorators, found by folder, edited by nobody."""

from __future__ import annotations

import functools
import inspect
import sys
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Callable, Mapping, Optional, TypeVar, Union

import numpy as np

from cvinfer.errors import Refusal
from cvinfer.inference.cautions import Caution
from cvinfer.inference.checks import InputError, ShapeError
from cvinfer.inference.result import Estimated, Finding, Inference, Interval, unwrap
from cvinfer.names import close_match
from cvinfer.registry import Registry

Numbers = TypeVar("Numbers", Finding, Estimated)
Result = TypeVar("Result", Inference, Interval)


class UnknownNameError(Refusal, KeyError, ValueError):
    """A name that no registered procedure has."""


@dataclass(frozen=True)
class Need:
    """A partition scheme that a procedure is valid on.

    `options` are the settings to plan with; those named in `fixed` must hold exactly, the others
    may be changed by the user without making the procedure invalid. Schemes named in `also` are
    taken too when the user asks for one of them; they are never planned.
    """

    scheme: str
    options: Mapping[str, Any] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def accepts(self, scheme: str, options: Mapping[str, Any]) -> bool:
        return (scheme == self.scheme or scheme in self.also) and all(
            options.get(name) == self.options[name] for name in self.fixed
        )

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.scheme}({settings})" if settings else self.scheme


@dataclass(frozen=True)
class Procedure:
    """One test or interval with everything it declares about itself.

    Tests: `has_interval` says whether `Inference.interval()` gives one for the difference,
    `interval_cite` is its source where that is not `cite`, `discordant` whether the test looks at
    discordant records alone, those that just one of the learners gets wrong.
    Intervals for one learner: `interval_kind` is "confidence" or "credible", `measure` what it is
    an interval for. Both are None for tests. `together` says whether it needs all of its schemes
    at once, as every test does; other intervals are valid on any of theirs.
    """

    name: str
    kind: str
    function: Callable[..., Any]
    needs: tuple[Need, ...]
    data: str
    formula: str
    null: str
    cite: str
    use: str
    has_interval: bool = True
    interval_kind: Optional[str] = None
    measure: Optional[str] = None
    caution: Optional[Caution] = None
    interval_cite: Optional[str] = None
    discordant: bool = False
    together: bool = True

    @property
    def ignores_overlap(self) -> bool:
        """Whether it takes for independent what overlapping training sets make dependent."""
        return self.caution is not None and self.caution.overlap

    @property
    def of_one_mean(self) -> bool:
        """Whether it can set one learner's mean loss against `mu0`, the other's being 0.

        Not where the learners have folds of their own, so that it needs a scheme twice.
        """
        schemes = [need.scheme for need in self.needs]
        twice = self.kind == "test" and len(set(schemes)) < len(schemes)
        return "mu0" in inspect.signature(self.function).parameters and not twice

    @property
    def scheme(self) -> str:
        """What it is made on, in words: all of its schemes, or any of them."""
        return (" + " if self.together else " or ").join(str(need) for need in self.needs)

    @property
    def planned(self) -> tuple[Need, ...]:
        """The schemes that it gets where none is given."""
        return self.needs if self.together else self.needs[:1]


class _Procedures(Registry[Procedure]):
    """The tests, or the intervals; a name is given once, to one of either."""

    def add(self, name: str, entry: Procedure, module: str) -> Procedure:
        if not module.startswith(f"{_FOLDER}."):
            self.discover_own()  # imports the files of both
        if any(name in each._entries for each in (_TESTS, _INTERVALS)):
            raise RuntimeError(f"two procedures are called {name!r}")
        return super().add(name, entry, module)


_FOLDER = "cvinfer.inference"
_TESTS = _Procedures("test", _FOLDER, refusal=UnknownNameError)
_INTERVALS = _Procedures("interval", _FOLDER, refusal=UnknownNameError)


#: What an interval for one learner can be, and what it can be for.
INTERVAL_KINDS = ("confidence", "credible")
#: `ANY_MEASURE` is for the mean of whatever a run measures.
ANY_MEASURE = "any"
MEASURES = ("F1", "precision", "recall", "error rate", ANY_MEASURE)


def needs(
    scheme: str, fixed: tuple[str, ...] = (), also: tuple[str, ...] = (), **options: Any
) -> Need:
    return Need(scheme, MappingProxyType(options), fixed, also)


def test(
    name: str,
    *,
    scheme: Union[Need, tuple[Need, ...]],
    data: str,
    formula: str,
    null: str,
    cite: str,
    use: str,
    has_interval: bool = True,
    caution: Optional[Caution] = None,
    interval_cite: Optional[str] = None,
    discordant: bool = False,
) -> Callable[[Callable[..., Finding]], Callable[..., Inference]]:
    """Register a test: a pure function from arrays and options to a `Finding`.

    `data` names how its arguments are made from records (see `cvinfer.inference.records`),
    `cite` is a key of references.bib, `use` one sentence on when to use it, `caution` what the
    reader of its results has to know (see `cvinfer.inference.cautions`). `has_interval` says
    whether the test gives an interval for the difference, `interval_cite` where that one comes
    from if not from `cite`, `discordant` whether it looks at discordant records alone.
    """
    about = Procedure(
        name,
        "test",
        _undefined,
        _several(scheme),
        data,
        formula,
        null,
        cite,
        use,
        has_interval=has_interval,
        caution=caution,
        interval_cite=interval_cite,
        discordant=discordant,
    )
    return _registering(about, _TESTS, _inference)


test.__test__ = False  # type: ignore[attr-defined]  # a decorator, not something pytest collects


def interval(
    name: str,
    *,
    scheme: Union[Need, tuple[Need, ...]],
    data: str,
    formula: str,
    null: str,
    cite: str,
    use: str,
    kind: str,
    measure: str,
    caution: Optional[Caution] = None,
    together: bool = False,
) -> Callable[[Callable[..., Estimated]], Callable[..., Interval]]:
    """Register an interval for one learner: a pure function to an `Estimated`.

    The first of several `scheme`s is the one to partition with; the others are valid too, unless
    it needs all of them `together`. `kind` is
    "confidence", or "credible" for the quantiles of a posterior; `measure` what it is for, one of
    `MEASURES`. `data` names how its arguments are made (see `cvinfer.inference.one_learner`).
    """
    if kind not in INTERVAL_KINDS or measure not in MEASURES:
        raise RuntimeError(f"{name!r} is declared as a {kind!r} interval for {measure!r}")
    about = Procedure(
        name,
        "interval",
        _undefined,
        _several(scheme),
        data,
        formula,
        null,
        cite,
        use,
        interval_kind=kind,
        measure=measure,
        caution=caution,
        together=together,
    )
    return _registering(about, _INTERVALS, _interval)


def _several(scheme: Union[Need, tuple[Need, ...]]) -> tuple[Need, ...]:
    return scheme if isinstance(scheme, tuple) else (scheme,)


def _undefined(*args: Any, **options: Any) -> Any:
    raise RuntimeError("this procedure is declared, but nothing has been decorated with it yet")


def _registering(
    about: Procedure,
    registry: _Procedures,
    finished: Callable[[Procedure, Numbers], Result],
) -> Callable[[Callable[..., Numbers]], Callable[..., Result]]:
    """The decorator that registers a function as the procedure `about`.

    What the function finds is `finished` with what the procedure has declared.
    """

    def register(function: Callable[..., Numbers]) -> Callable[..., Result]:
        @functools.wraps(function)
        def called(*args: Any, **options: Any) -> Result:
            return finished(declared, _called(declared, function, args, options))

        declared = replace(about, function=called)
        returned = finished.__annotations__["return"]
        called.__annotations__ = {**function.__annotations__, "return": returned}
        registry.add(declared.name, declared, function.__module__)
        return called

    return register


def tests() -> Mapping[str, Procedure]:
    """Every registered test by name."""
    return MappingProxyType(_TESTS)


tests.__test__ = False  # type: ignore[attr-defined]


def intervals() -> Mapping[str, Procedure]:
    """Every registered interval by name."""
    return MappingProxyType(_INTERVALS)


def procedure(name: str) -> Procedure:
    """The test or interval called `name`."""
    found = tests().get(name) or intervals().get(name)
    if found is not None:
        return found
    known = [*tests(), *intervals()]
    raise UnknownNameError(
        f"there is no test or interval called {name!r}",
        allowed=known,
        suggestion=close_match(name, known),
    )


def packages_of_plugins() -> list[str]:
    """The packages of plug-ins that have tests or intervals here, each once."""
    brought = [
        each.module(name) for each in (_TESTS, _INTERVALS) for name in each if each.origin(name)
    ]
    packages = (sys.modules[module].__package__ for module in brought if module in sys.modules)
    return list(dict.fromkeys(package for package in packages if package))


def origin(name: str) -> Optional[str]:
    """The distribution that brings a test or interval; None for cvinfer's own."""
    return _TESTS.origin(name) or _INTERVALS.origin(name)


def infer(name: str, *data: Any, **options: Any) -> Any:
    """Call a test (giving an `Inference`) or an interval (an `Interval`) by its name."""
    return procedure(name).function(*data, **options)


def _called(
    declared: Procedure,
    function: Callable[..., Numbers],
    args: tuple[Any, ...],
    options: Mapping[str, Any],
) -> Numbers:
    """Call, putting the procedure's name (and for a wrong shape its scheme) to an error."""
    try:
        return function(*args, **options)
    except ShapeError as error:
        raise ShapeError(str(error), scheme=declared.scheme, procedure=declared.name) from None
    except InputError as error:
        raise InputError(str(error), procedure=declared.name) from None


def _inference(declared: Procedure, finding: Finding) -> Inference:
    shape = finding.extra.get("shape", ())
    extra = {key: unwrap(value) for key, value in finding.extra.items() if key != "shape"}
    return Inference(
        name=declared.name,
        estimate=unwrap(finding.estimate),
        variance=unwrap(finding.variance),
        statistic=unwrap(finding.statistic),
        null=finding.null,
        df=finding.null.df,
        p_value=unwrap(finding.p_value),
        reject=unwrap(np.asarray((finding.p_value < finding.alpha) & ~finding.degenerate)),
        degenerate=unwrap(finding.degenerate),
        note=unwrap(finding.note),
        cite=declared.cite,
        alpha=finding.alpha,
        scheme=" + ".join(need.scheme for need in declared.needs),
        shape=shape,
        standard_error=unwrap(finding.standard_error),
        extra=MappingProxyType(extra),
        _center=finding.center,
        _ends=finding.ends,
        _size=finding.size,
    )


def _interval(declared: Procedure, found: Estimated) -> Interval:
    return Interval(
        name=declared.name,
        point=unwrap(found.point),
        lower=unwrap(found.lower),
        upper=unwrap(found.upper),
        level=found.level,
        degenerate=unwrap(found.degenerate),
        note=unwrap(found.note),
        cite=declared.cite,
        scheme=declared.needs[0].scheme if found.scheme is None else found.scheme,
        extra=MappingProxyType({key: unwrap(value) for key, value in found.extra.items()}),
        kind=str(declared.interval_kind),
    )
