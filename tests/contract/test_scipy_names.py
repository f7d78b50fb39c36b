"""What users of scipy.stats look for in a result is there under their names."""

from __future__ import annotations

import numpy as np
import pytest

from cvinfer.inference import infer, tests
from tests.contract.examples import EXAMPLES

SEED = 15


@pytest.mark.parametrize("name", sorted(set(tests()) & set(EXAMPLES)))
def test_pvalue_and_confidence_interval(name: str) -> None:
    found = infer(name, *EXAMPLES[name].draw(np.random.default_rng(SEED)))
    assert found.pvalue == found.p_value
    ours, theirs = found.interval(0.9), found.confidence_interval(confidence_level=0.9)
    assert (ours is None) is (theirs is None) is not tests()[name].has_interval
    if ours is not None and theirs is not None:
        assert (theirs.low, theirs.high) == ours
    assert found.confidence_interval() == found.interval()
