"""Hypothesis strategies for the data of every registered procedure.

Values lie on coarse grids, so that ties, zero differences, empty folds and zero variances turn up
often; the axes of an example that may have any length get short ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.contract.examples import EXAMPLES, Argument, Data

moderate = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 2**32 - 1)

ENTRIES: dict[str, tuple[int, int, float]] = {
    # Smallest and largest numerator, and the denominator.
    "difference": (-20, 20, 20.0),
    "outcome": (-1, 1, 1.0),
    "score": (0, 20, 20.0),
    "loss": (0, 16, 16.0),
    "rate": (0, 20, 20.0),
    "count": (0, 20, 1.0),
    "size": (20, 30, 1.0),
    "table": (0, 6, 1.0),
    "matrix": (0, 6, 1.0),
}


@st.composite
def lengths_of(draw: Any, name: str) -> dict[str, int]:
    """A length for each named axis of the procedure's arguments."""
    found: dict[str, int] = {}
    loose = {
        axis.name: axis.least
        for argument in EXAMPLES[name].arguments
        for axis in argument.axes
        if not axis.fixed
    }
    for argument in EXAMPLES[name].arguments:
        for axis in argument.axes:
            if axis.name in found:
                continue
            if axis.name not in loose:
                found[axis.name] = axis.length
            else:
                # "half" must stay 2, or a batch of matrices would read as splits.
                least = {"n": 6, "half": 2}.get(axis.name, loose[axis.name])
                most = {"n": 20, "half": 2}.get(axis.name, 6)
                found[axis.name] = draw(st.integers(least, most))
    return found


@st.composite
def values_of(
    draw: Any, argument: Argument, lengths: dict[str, int], batch: tuple[int, ...]
) -> Any:
    shape = tuple(lengths[axis.name] for axis in argument.axes)
    if argument.batched:
        shape = (*batch, *shape)
    if argument.kind == "fold":
        rng = np.random.default_rng(draw(seeds))
        folds = np.broadcast_to(np.arange(shape[-1]) % draw(st.integers(2, 3)), shape)
        return rng.permuted(folds, axis=-1)
    low, high, denominator = ENTRIES[argument.kind]
    values = draw(hnp.arrays(np.int64, shape, elements=st.integers(low, high)))
    if argument.kind == "table":
        # A split without a single record is refused, not degenerate.
        values[..., 3] += values.sum(axis=-1) == 0
    return values / denominator


@st.composite
def data_of(draw: Any, name: str, batch: tuple[int, ...] = ()) -> Data:
    lengths = draw(lengths_of(name))
    return tuple(draw(values_of(a, lengths, batch)) for a in EXAMPLES[name].arguments)


def assert_close(got: Any, expected: Any, place: str = "") -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12, err_msg=place)


def assert_same_test(got: Any, expected: Any, *fields: str) -> None:
    """Two results agree in their statistic, p and decision, and in the further `fields`."""
    assert np.array_equal(got.degenerate, expected.degenerate)
    for field in ("statistic", "p_value", *fields):
        assert_close(getattr(got, field), getattr(expected, field), field)
    clear = np.abs(np.asarray(expected.p_value) - expected.alpha) > 1e-9
    assert np.array_equal(
        np.asarray(got.reject)[clear], np.asarray(expected.reject)[clear]
    ), "reject"
    assert np.array_equal(got.note, expected.note)
