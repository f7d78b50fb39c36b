"""The t-test over interleaved folds against a derivation by hand."""

import pytest

from cvinfer.inference import infer


# d = 1/10, 2/10, 3/10, 0, -1/10: mean 1/10, S² = 1/40, so that t² = (1/100) / (1/200) = 2.
def test_interleaved_t() -> None:
    found = infer("interleaved_t", [0.1, 0.2, 0.3, 0.0, -0.1])
    assert found.statistic == pytest.approx(2**0.5, rel=1e-12)
    assert found.cite == "student1908"
