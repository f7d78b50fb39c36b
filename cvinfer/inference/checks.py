"""Checks of what a test is given: clear `ValueError`s instead of NaN in silence."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import Refusal

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Section 6 of the statistical contract: a variance this far below the squared size of the
#: data is rounding noise (ten copies of 0.3 have a sample variance of 3e-33).
ZERO_VARIANCE = 1e-24


class InputError(Refusal, ValueError):
    """Data or an option that a procedure cannot use; the message says what it needs.

    procedure: the name of the test or interval that refuses, where one does. scheme: the scheme
    that its data has to come from, where it is of the wrong shape.
    """

    def __init__(
        self, message: str, *, scheme: Optional[str] = None, procedure: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.scheme, self.procedure = scheme, procedure

    @property
    def fault(self) -> str:
        """What is wrong, without who says so."""
        needs = f"; it needs the scheme {self.scheme}" if self.scheme else ""
        return super().__str__() + needs

    def __str__(self) -> str:
        return self.fault if self.procedure is None else f"{self.procedure}: {self.fault}"


class ShapeError(InputError):
    """Data of a shape that the procedure is not valid for."""


def floats(values: Any, name: str) -> Floats:
    """`values` as a float array, refusing what is not a finite number."""
    # numpy would cast these in silence: text is parsed, a complex number loses a part, a date
    # becomes a count of days, a masked entry loses its mask.
    try:
        given = np.asarray(values)
        castable = given.dtype.kind in "biuf" or (given.dtype.kind == "O" and not _any_text(given))
        if not castable or np.any(getattr(values, "mask", False)):
            raise TypeError
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {_brief(values)}") from None
    finite = np.isfinite(array)
    if not finite.all() and array.ndim == 0:
        raise InputError(f"{name} must be a finite number, got {values!r}")
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise InputError(
            f"{name} must be finite; entry {place} is {array[place]!r}"
            " (a failed or missing split cannot be imputed: leave the whole comparison out)"
        )
    return array


def shaped(array: Floats, name: str, axes: Sequence[tuple[str, Optional[int]]]) -> Floats:
    """Check the trailing axes: (name, exact length) or (name, None) for "at least 2"."""
    wanted = "(..., " + ", ".join(str(n) if n else a for a, n in axes) + ")"
    trailing = array.shape[-len(axes) :] if array.ndim >= len(axes) else None
    if trailing is None:
        raise ShapeError(f"{name} must have shape {wanted}, got {array.shape}")
    for (axis, length), got in zip(axes, trailing):
        if length is None and got < 2:
            raise ShapeError(
                f"{name} must have shape {wanted} with {axis} at least 2, got {array.shape}"
            )
        if length is not None and got != length:
            raise ShapeError(f"{name} must have shape {wanted}, got {array.shape}")
    return array


def differences(d: Any, *axes: tuple[str, Optional[int]], name: str = "d") -> Floats:
    """Split differences loss_A - loss_B with the trailing axes of a scheme."""
    return shaped(floats(d, name), name, axes)


def counts(values: Any, name: str) -> Floats:
    """Whole, non-negative numbers (as floats, so that means of them stay cheap)."""
    array = floats(values, name)
    if (array < 0).any():
        raise InputError(f"{name} must be counts; the smallest entry is {array.min():g}")
    whole = array == np.floor(array)
    if not whole.all():
        raise InputError(f"{name} must be whole counts; one entry is {array[~whole].flat[0]:g}")
    return array


def tables(values: Any, *axes: tuple[str, Optional[int]], name: str = "tables") -> Floats:
    """Contingency tables (n00, n01, n10, n11) on the last axis, with at least one record each."""
    array = shaped(counts(values, name), name, (*axes, ("4", 4)))
    if (array.sum(axis=-1) == 0).any():
        raise InputError(f"{name} must each hold at least one record; one table is all zeros")
    return array


def rates(values: Any, name: str) -> Floats:
    """Error rates in [0, 1]."""
    array = floats(values, name)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise InputError(
            f"{name} must be error rates between 0 and 1; one entry is {array[outside].flat[0]:g}"
        )
    return array


def losses(values: Any, name: str, bounds: Optional[tuple[float, float]]) -> Floats:
    """Per-record losses inside `bounds`; `None` for a loss without known bounds."""
    array = floats(values, name)
    if bounds is None:
        return array
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        raise InputError(f"bounds must be (low, high), got {bounds!r}") from None
    if not low < high:
        raise InputError(f"bounds must be (low, high) with low < high, got {bounds!r}")
    outside = (array < low) | (array > high)
    if outside.any():
        raise InputError(
            f"{name} must lie in [{low:g}, {high:g}]; one entry is {array[outside].flat[0]:g}"
            " (give bounds=(low, high) for another bounded loss)"
        )
    return array


def at_most(
    values: Floats,
    limit: Floats,
    name: str,
    limit_name: str,
    what: tuple[str, str] = ("errors", "records"),
) -> None:
    """Counts cannot exceed the number of records they were counted on."""
    too_many = values > limit
    if too_many.any():
        high = float(np.broadcast_to(values, too_many.shape)[too_many].flat[0])
        of = float(np.broadcast_to(limit, too_many.shape)[too_many].flat[0])
        raise InputError(
            f"{name} cannot exceed {limit_name}: {high:g} {what[0]} of {of:g} {what[1]}"
        )


def sizes(values: Any, name: str) -> Floats:
    """Numbers of records: whole and at least one."""
    array = counts(values, name)
    if (array < 1).any():
        raise InputError(f"{name} must be at least 1, got {array.min():g}")
    return array


def broadcastable(name: str, other: str, *arrays: Floats) -> None:
    try:
        np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        shapes = " and ".join(str(a.shape) for a in arrays)
        raise ShapeError(f"{name} and {other} must have the same shape, got {shapes}") from None


def alpha_level(alpha: Any) -> float:
    """A significance level strictly between 0 and 1."""
    value = number(alpha, "alpha")
    if not 0.0 < value < 1.0:
        raise InputError(f"alpha must lie strictly between 0 and 1, got {value:g}")
    return value


def confidence_level(alpha: Any, level: Any) -> float:
    """`level` where it is given, 1 - alpha otherwise; strictly between 0 and 1."""
    if level is None:
        return 1.0 - alpha_level(alpha)
    try:
        value = number(level, "level")
    except InputError:
        value = np.nan
    if not 0.0 < value < 1.0:
        raise InputError(f"level must lie strictly between 0 and 1, got {level!r}")
    return value


def number(value: Any, name: str) -> float:
    """One finite number."""
    array = floats(value, name)
    if array.ndim != 0:
        raise InputError(f"{name} must be one number, got an array of shape {array.shape}")
    return float(array)


def correlation(value: Any, name: str, below: float = 1.0) -> float:
    """A correlation in [-1, below)."""
    rho = number(value, name)
    if not -1.0 <= rho < below:
        raise InputError(f"{name} must lie in [-1, {below:g}), got {rho:g}")
    return rho


def choice(value: Any, name: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}; got {value!r}")
    return str(value)


def quotient(numerator: Any, denominator: Any, exists: Any, otherwise: Any) -> Floats:
    """numerator / denominator where the quotient `exists`, `otherwise` elsewhere."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found: Floats = np.where(exists, np.divide(numerator, denominator), otherwise)
    return found


def _any_text(given: NDArray[Any]) -> bool:
    return any(isinstance(item, (str, bytes)) for item in given.flat)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
