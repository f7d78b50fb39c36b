"""The registry of tests and intervals: filled by decorators, found by folder, edited by nobody."""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Callable, Mapping, Optional, TypeVar, Union

import numpy as np

from cvinfer.inference.cautions import Caution
from cvinfer.inference.checks import InputError, ShapeError
from cvinfer.inference.result import Finding, Inference, Interval, unwrap

Function = TypeVar("Function", bound=Callable[..., Any])


class UnknownNameError(KeyError, ValueError):
    """A name that no registered procedure has."""

    def __str__(self) -> str:
        return str(self.args[0])


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
    `interval_cite` is its source where that is not `cite`.
    Intervals for one learner: `interval_kind` is "confidence" or "credible", `measure` what it is
    an interval for. Both are None for tests.
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

    @property
    def scheme(self) -> str:
        """A test needs all of its schemes; an interval is valid on any of them."""
        return (" + " if self.kind == "test" else " or ").join(str(need) for need in self.needs)


_TESTS: dict[str, Procedure] = {}
_INTERVALS: dict[str, Procedure] = {}


#: What an interval for one learner can be, and what it can be for.
INTERVAL_KINDS = ("confidence", "credible")
MEASURES = ("F1", "precision", "recall", "error rate")


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
) -> Callable[[Callable[..., Finding]], Callable[..., Inference]]:
    """Register a test: a pure function from arrays and options to a `Finding`.

    `data` names how its arguments are made from records (see `cvinfer.inference.records`),
    `cite` is a key of references.bib, `use` one sentence on when to use it, `caution` what the
    reader of its results has to know (see `cvinfer.inference.cautions`). `has_interval` says
    whether the test gives an interval for the difference, `interval_cite` where that one comes
    from if not from `cite`.
    """
    schemes = scheme if isinstance(scheme, tuple) else (scheme,)

    def register(function: Callable[..., Finding]) -> Callable[..., Inference]:
        @functools.wraps(function)
        def called(*args: Any, **options: Any) -> Inference:
            return _inference(declared, _called(declared, function, args, options))

        declared = Procedure(
            name,
            "test",
            called,
            schemes,
            data,
            formula,
            null,
            cite,
            use,
            has_interval=has_interval,
            caution=caution,
            interval_cite=interval_cite,
        )
        _add(_TESTS, declared)
        called.__annotations__ = {**function.__annotations__, "return": "Inference"}
        return called

    return register


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
) -> Callable[[Function], Function]:
    """Register an interval for one learner; the function returns an `Interval`.

    The first of several `scheme`s is the one to partition with; the others are valid too. `kind` is
    "confidence", or "credible" for the quantiles of a posterior; `measure` what it is for, one of
    `MEASURES`.
    """
    if kind not in INTERVAL_KINDS or measure not in MEASURES:
        raise RuntimeError(f"{name!r} is declared as a {kind!r} interval for {measure!r}")
    schemes = scheme if isinstance(scheme, tuple) else (scheme,)

    def register(function: Function) -> Function:
        @functools.wraps(function)
        def called(*args: Any, **options: Any) -> Interval:
            result: Interval = _called(declared, function, args, options)
            return replace(result, kind=kind)

        declared = Procedure(
            name,
            "interval",
            called,
            schemes,
            data,
            formula,
            null,
            cite,
            use,
            has_interval=True,
            interval_kind=kind,
            measure=measure,
            caution=caution,
        )
        _add(_INTERVALS, declared)
        return called  # type: ignore[return-value]

    return register


def tests() -> Mapping[str, Procedure]:
    """Every registered test by name."""
    discover()
    return MappingProxyType(_TESTS)


tests.__test__ = False  # type: ignore[attr-defined]


def intervals() -> Mapping[str, Procedure]:
    """Every registered interval by name."""
    discover()
    return MappingProxyType(_INTERVALS)


def procedure(name: str) -> Procedure:
    """The test or interval called `name`."""
    discover()
    found = _TESTS.get(name) or _INTERVALS.get(name)
    if found is not None:
        return found
    known = [*_TESTS, *_INTERVALS]
    close = difflib.get_close_matches(str(name), known, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(known)}"
    raise UnknownNameError(f"there is no test or interval called {name!r}; {hint}")


def infer(name: str, *data: Any, **options: Any) -> Any:
    """Call a test (giving an `Inference`) or an interval (an `Interval`) by its name."""
    return procedure(name).function(*data, **options)


@functools.lru_cache(maxsize=None)
def discover() -> None:
    """Import every module of the package once, so that its decorators run."""
    package = __name__.rpartition(".")[0]
    folder = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(folder):
        importlib.import_module(f"{package}.{module.name}")


def _add(registry: dict[str, Procedure], new: Procedure) -> None:
    if new.name in _TESTS or new.name in _INTERVALS:
        raise RuntimeError(f"two procedures are called {new.name!r}")
    registry[new.name] = new


def _called(
    declared: Procedure,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: Mapping[str, Any],
) -> Any:
    """Call, putting the procedure's name (and for a wrong shape its scheme) before an error."""
    try:
        return function(*args, **options)
    except ShapeError as error:
        raise ShapeError(
            f"{declared.name}: {error}; it needs the scheme {declared.scheme}"
        ) from None
    except InputError as error:
        raise InputError(f"{declared.name}: {error}") from None


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
