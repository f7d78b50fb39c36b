"""Do the claims hold? Specs run on learners that have the same error by construction.

The learners of benchmarks/exact_null.py see different features of an exchangeable law, so their
expected errors are equal at every training size and every claim that one of them is better is
false. Their predictions on the partition that the recommended test asks for go through a file, a
spec and `cvinfer.run`, and what counts is the verdict that a reader is told.
"""

from __future__ import annotations

import math
from pathlib import Path

import exact_null
import numpy as np
import pytest

import cvinfer
from cvinfer.partitions import blocked_mx2

N = 200
ALPHA = 0.05
RULES = {"mean rule": exact_null.mean_rule, "1-NN": exact_null.nearest_neighbour}
NAMES = ("A", "B", "C")


def write_predictions(
    path: Path, rule: exact_null.Rule, learners: int, seed: int, spoilt: float = 0.0
) -> None:
    """Predictions of so many learners on a blocked 5×2 of a fresh sample.

    The last learner's class is turned for a share `spoilt` of the records.
    """
    generator = np.random.default_rng(seed)
    x, y = exact_null.population(generator, N)
    places = exact_null.layout(blocked_mx2(N, m=5, seed=seed))
    columns = [rule(x[:, seen], y)(places) for seen in exact_null.SEEN[:learners]]
    turned = np.random.default_rng(seed).random(N)[places.record] < spoilt
    columns[-1] = np.where(turned, 1 - columns[-1], columns[-1])
    replication, fold = np.divmod(places.split, 2)
    table = np.column_stack([replication, fold, places.record, y[places.record], *columns])
    lines = [",".join(["scheme", "replication", "fold", "record", "truth", *NAMES[:learners]])]
    lines += [f"blocked_mx2,{','.join(map(str, row))}" for row in table.tolist()]
    path.write_text("\n".join(lines) + "\n")


def verdicts_of(
    folder: Path, rule: exact_null.Rule, learners: int, seed: int, spoilt: float = 0.0
) -> list[str]:
    path = folder / "predictions.csv"
    write_predictions(path, rule, learners, seed, spoilt)
    data = {"source": "predictions", "path": str(path)}
    spec = {"cvinfer": 1, "name": "null", "data": data, "compare": "all", "tests": "recommended"}
    return [verdict["verdict"] for verdict in cvinfer.run(spec).verdicts]


def share_of_false_claims(folder: Path, rule: exact_null.Rule, learners: int, runs: int) -> float:
    """How many runs claim at least once that a learner is better."""
    claims = [
        any(verdict.endswith("better") for verdict in verdicts_of(folder, rule, learners, seed))
        for seed in range(runs)
    ]
    return sum(claims) / runs


def bound(runs: int) -> float:
    """alpha plus four standard errors of a share over so many runs."""
    return ALPHA + 4.0 * math.sqrt(ALPHA * (1.0 - ALPHA) / runs)


@pytest.mark.parametrize("learners", [2, 3], ids=["one pair", "three pairs with Holm"])
@pytest.mark.parametrize("rule", RULES)
def test_recommended_makes_few_false_claims(rule: str, learners: int, tmp_path: Path) -> None:
    assert share_of_false_claims(tmp_path, RULES[rule], learners, 60) < bound(60)


@pytest.mark.long
@pytest.mark.parametrize("learners", [2, 3], ids=["one pair", "three pairs with Holm"])
@pytest.mark.parametrize("rule", RULES)
def test_recommended_makes_few_false_claims_in_many_runs(
    rule: str, learners: int, tmp_path: Path
) -> None:
    share = share_of_false_claims(tmp_path, RULES[rule], learners, 400)
    print(f"{rule}, {learners} learners: false claims in {100 * share:.2f} % of 400 runs")
    assert share < bound(400)


def test_a_difference_that_is_there_is_claimed(tmp_path: Path) -> None:
    """The bound above would hold for a test that never claims anything."""
    assert verdicts_of(tmp_path, exact_null.mean_rule, 2, seed=1, spoilt=0.25) == ["a_better"]
