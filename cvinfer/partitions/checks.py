"""Checks of what a user hands to a scheme; every message names the scheme and the numbers."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from cvinfer.errors import Path

from .errors import PartitionError

__all__ = ["integer", "whole", "records", "seed_of", "training_size", "refuse", "rounded"]


def integer(scheme: str, name: str, value: Any, path: Path | None = None) -> int:
    """`value` as an int; True and 3.0 are not whole numbers here.

    `path` is for a value that the message calls otherwise than the option it stands in.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise PartitionError(
            f"{name} must be a whole number, not {value!r}", path or (name,), who=scheme
        )
    return int(value)


def whole(scheme: str, name: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as an int within low..high."""
    number = integer(scheme, name, value)
    if number < low or (high is not None and number > high):
        allowed = f"at least {low}" if high is None else f"between {low} and {high}"
        raise PartitionError(f"{name} = {number}, but it must be {allowed}", (name,), who=scheme)
    return number


def records(scheme: str, n: Any, at_least: int = 2) -> int:
    """The number of records, refused when the scheme needs more of them."""
    number = whole(scheme, "n", n, 0)
    if number < at_least:
        raise PartitionError(
            f"n = {number} records, at least {at_least} are needed", ("n",), who=scheme
        )
    return number


def seed_of(scheme: str, seed: Any) -> int:
    """A seed is a whole number from 0 on."""
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, Integral) or int(seed) < 0:
        raise PartitionError(
            f"seed must be a whole number >= 0, not {seed!r}", ("seed",), who=scheme
        )
    return int(seed)


def rounded(share: Fraction, n: int) -> int:
    """share · n, rounded half up in exact arithmetic."""
    return (share * n + Fraction(1, 2)).__floor__()


def training_size(scheme: str, n1: Any, n: int) -> int:
    """n1 records for training: a count, a share of n in (0, 1), or None for round(2n/3).

    A float is read as it is printed, so that 0.9 is nine tenths exactly.
    """
    if n1 is None:
        n1 = Fraction(2, 3)
    is_float = isinstance(n1, (float, np.floating))
    if isinstance(n1, Fraction) or is_float:
        if not 0 < n1 < 1:
            raise PartitionError(
                f"n1 = {n1} is neither a whole number of records nor a share of n "
                "between 0 and 1",
                ("n1",),
                who=scheme,
            )
        share = n1 if isinstance(n1, Fraction) else Fraction(str(n1))
        size = rounded(share, n)
        if not 1 <= size <= n - 1:
            raise PartitionError(
                f"a share of {n1} of n = {n} records trains on {size} and leaves "
                f"{n - size} to test; both must be at least 1",
                ("n1",),
                who=scheme,
            )
        return size
    size = integer(scheme, "n1", n1)
    if not 1 <= size <= n - 1:
        raise PartitionError(
            f"n1 = {size} training records of n = {n}; it must be between 1 and {n - 1}",
            ("n1",),
            who=scheme,
        )
    return size


def refuse(scheme: str, option: str, value: Any, why: str) -> None:
    """Refuse an option the scheme cannot honour."""
    if value is not None:
        raise PartitionError(
            f"{scheme} cannot honour {option}: {why}; leave {option} out", (option,)
        )
