"""Hadamard matrices of every order that blocked m×2 can ask for."""

import numpy as np
import pytest

from cvinfer.partitions import PartitionError, hadamard


@pytest.mark.parametrize("h", [1, 2, *range(4, 89, 4), 96, 100, 128])
def test_orthogonal_and_normalised(h):
    matrix = hadamard(h)
    whole = matrix.astype(np.int64)
    assert matrix.shape == (h, h) and matrix.dtype == np.int8
    assert set(np.unique(whole)) <= {-1, 1}
    assert np.array_equal(whole @ whole.T, h * np.eye(h, dtype=np.int64))
    assert (whole[0] == 1).all() and (whole[:, 0] == 1).all()


def test_shared_and_read_only():
    assert hadamard(12) is hadamard(12)
    with pytest.raises(ValueError):
        hadamard(12)[0, 0] = -1


@pytest.mark.parametrize("h", [-4, 0, 3, 5, 6, 10, 90, 92])
def test_orders_that_are_not_at_hand(h):
    with pytest.raises(PartitionError, match=f"no matrix of order {h} at hand"):
        hadamard(h)
