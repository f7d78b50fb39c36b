"""Numbers of studies that are known from elsewhere: from the contract, by derivation, from R."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.golden.test_papers import TABLE_10
from tests.studies import study_examples
from tests.studies.study_examples import cell_of, changed

from cvinfer import inference
from cvinfer.studies import simulate
from cvinfer.studies.evaluate import _components
from cvinfer.studies.model import Range
from cvinfer.studies.states import GROUPS, IntervalState, TestState, binomial_error, wilson

#: Rejection rates at 0.05 for epsilon = 0.1 from 100,000 replications, with the papers' printed
#: correction for continuity.
EPSILON = {
    "repeated_holdout_t": 0.464,
    "kfold_t": 0.045,
    "dietterich_5x2_t": 0.026,
    "corrected_repeated_holdout_t": 0.047,
    "corrected_repeated_kfold_t": 0.036,
    "combined_5x2_t": 0.293,
    "blocked_3x2_t": 0.079,
    "combined_5x2_f": 0.031,
    "calibrated_5x2_bcv_f": 0.029,
    "proportion_z": 0.053,
    "cvci_z": 0.046,
    "holdout_mcnemar": 0.024,
    "naive_kfold_mcnemar": 0.0001,
    "bcv_5x2_mcnemar": 0.024,
}
REPLICATIONS = 4000


def test_epsilon_has_the_rates_of_the_contract() -> None:
    printed = {"continuity": "printed"}
    tests: list[Any] = [{n: printed} if n.endswith("mcnemar") else n for n in EPSILON]
    population = {"source": "synthetic", "population": "epsilon", "epsilon": 0.1}
    found = simulate(
        {
            "cvinfer": 1,
            "name": "epsilon",
            "study": {"population": population, "replications": REPLICATIONS},
            "tests": tests,
            "seed": 2014,
        },
        jobs=1,
    )
    for name, expected in EPSILON.items():
        cell = cell_of(found.document, name)
        error = math.sqrt(expected * (1 - expected) / REPLICATIONS)
        assert abs(cell["rate"] - expected) <= 4 * error, name
        assert cell["replications"] == REPLICATIONS and cell["failed"] == 0


@pytest.mark.parametrize("test", TABLE_10)
def test_table_10_of_s0_follows_from_its_counts(test: str) -> None:
    """Ten data sets of 50 partitions each: one state, k rejections in each set."""
    counts, printed = TABLE_10[test]
    settings = {"alpha": 0.05, "partitions": 50}
    state = TestState({"at": {}, "kind": "test", "name": test, "settings": settings})
    for k in counts:
        state.count(**{f"k={k}": 1}, replications=1, decisions=50, rejections=k)
    (cell,) = [each for each in state.cells() if each["name"] == "replicability"]
    assert f"{cell['value']:.3f}" == printed
    assert cell["value"] == pytest.approx(inference.replicability(counts, 50), rel=1e-14)


# Two rules that do not learn: A always says setosa, B always versicolor. Classes are drawn with
# replacement from 50 of each of three, so that they are independent and each is 1/3 likely.
#
# The loss of A on a record is then Bernoulli(p), p = 2/3, the same whatever A was trained on. An
# error on a half T of n/2 records has the variance σ1² = p(1 − p)/(n/2). The two halves of a
# replication have no record in common: ρ1 = 0. Halves of two replications of a blocked m×2 have
# n/4 in common where the blocks are of one size, and the covariance of two means is that share of
# records, (n/4)/(n/2)² · p(1 − p), so that ρ2 = 1/2. The mean of all halves is that over all
# records: p(1 − p)/n. Both sides of m×2: σ1²/(2m) · (1 + 0 + (m − 1)) = σ1²/2. The difference of A
# and B is 1, −1 or 0, each 1/3 likely: variance 2/3 in the place of p(1 − p).
#
# McNemar's test on n2 test records has n01 (only A wrong: versicolor) and n10 (setosa) from the
# multinomial (n2; 1/3, 1/3, 1/3), and rejects where (max(|n01 − n10| − 1, 0))²/(n01 + n10) is above
# the 0.95 quantile of χ²(1); its rate is the sum over all tables.
# No training set of 40 or more is without a class (chance 3 · (2/3)⁴⁰), which such a rule refuses.
N, N_TEST = 80, 27
RULES = 600


def exact_rate() -> float:
    most = stats.chi2.ppf(0.95, 1)
    total = 0.0
    for a in range(N_TEST + 1):
        for b in range(N_TEST + 1 - a):
            if a + b and max(abs(a - b) - 1, 0) ** 2 / (a + b) > most:
                ways = math.comb(N_TEST, a) * math.comb(N_TEST - a, b)
                total += ways / 3.0**N_TEST
    return total


@pytest.fixture(scope="module")
def rules() -> Any:
    def says(name: str) -> Any:
        params = {"strategy": "constant", "constant": name}
        return {"engine": "sklearn", "learner": "DummyClassifier", "params": params}

    return simulate(
        {
            "cvinfer": 1,
            "name": "rules",
            "study": {
                "population": {"source": "sklearn", "dataset": "iris"},
                "draw": {"n": N, "replace": True},
                "replications": RULES,
                "variances": True,
            },
            "learners": {"A": says("setosa"), "B": says("versicolor")},
            "compare": ["A", "B"],
            "tests": ["holdout_mcnemar", "bcv_5x2_mcnemar"],
            "seed": 11,
        },
        jobs=1,
    ).document


def test_rules_that_do_not_learn_reject_as_often_as_they_must(rules: Any) -> None:
    assert rules["failures"] == []
    cell = cell_of(rules, "holdout_mcnemar")
    rate = exact_rate()
    assert 0.005 < rate < 0.05
    assert abs(cell["rate"] - rate) <= 4 * math.sqrt(rate * (1 - rate) / RULES)
    assert cell["lower"] <= cell["rate"] <= cell["upper"]


@pytest.mark.parametrize("of, spread", [("loss", 2 / 9), ("difference", 2 / 3)])
def test_rules_that_do_not_learn_have_known_components(rules: Any, of: str, spread: float) -> None:
    found = {
        cell["name"]: cell
        for cell in rules["cells"]
        if cell["kind"] == "quantity" and cell["of"] == of and cell.get("learner", "A") == "A"
    }
    half = spread / (N / 2)
    expected = {
        "sigma1_sq": half,
        "sigma2_sq": 0.0,
        "sigma3_sq": half / 2,
        "rho1": 0.0,
        "rho2": 0.5,
        "variance": spread / N,
        # s_j² is σ1²(1 − ρ1) in the mean, so that L is σ1²/2: right without a bias here.
        "l": half / 2,
        "al": half / 2,
    }
    for name, value in expected.items():
        cell = found[name]
        assert cell["se"] > 0 and abs(cell["value"] - value) <= 4 * cell["se"], (name, cell)
    # The mean of all halves is that over all records: nothing is left of the partitions. AL is L
    # and what the means of replications differ by, which is nothing then.
    assert found["al"]["value"] == pytest.approx(found["l"]["value"], rel=1e-9)


# prop.test(x, n, correct = FALSE)$conf.int of R 4.2.2, and sqrt(p (1 - p) / n).
SHARES = [
    (13, 200, 0.038376354649153, 0.108019079299069, 0.0174320107847603),
    (0, 50, 0.0, 0.0713475991333587, 0.0),
    (50, 50, 0.928652400866641, 1.0, 0.0),
    (0, 12, 0.0, 0.242494006655241, 0.0),  # where the formula gives 2e-17 and 1 - 1e-16
    (12, 12, 0.757505993344759, 1.0, 0.0),
    (464, 1000, 0.433287331847884, 0.494988194763076, 0.0157703519301251),
]


@pytest.mark.parametrize("x, n, lower, upper, error", SHARES)
def test_shares_have_the_interval_of_r(
    x: int, n: int, lower: float, upper: float, error: float
) -> None:
    assert wilson(x, n) == pytest.approx((lower, upper), rel=1e-12, abs=1e-15)
    lowest, highest = wilson(x, n)
    assert lowest is not None and highest is not None and lowest <= x / n <= highest
    assert binomial_error(x, n) == pytest.approx(error, rel=1e-12)
    settings = {"alpha": 0.05, "partitions": 1, "level": 0.95}
    test = TestState({"at": {}, "kind": "test", "name": "t", "settings": settings})
    test.count(replications=n + 2, failed=2, decisions=n, rejections=x)
    interval = IntervalState({"at": {}, "kind": "interval", "name": "i", "settings": settings})
    interval.count(replications=n + 2, failed=2, covered=x)
    for state in (test, interval):
        (cell,) = state.cells()
        numbers = (cell["rate"], cell["lower"], cell["upper"], cell["se"])
        assert numbers == pytest.approx((x / n, lower, upper, error), rel=1e-12, abs=1e-15)


def test_components_are_those_of_the_stacked_differences() -> None:
    """Against `variance_components` on all, and the standard error against leaving out in full."""
    rng = np.random.default_rng(4)
    first, count, m = 8, 90, 3
    d = rng.normal(size=(count, 1, m, 2)) + rng.normal(size=(count, 1, 1, 1))
    failed = np.zeros((count, 1, 2 * m), dtype=bool)
    failed[17, 0, 2] = True
    about = {"at": {}, "kind": "quantity", "name": "", "of": "loss", "settings": {"m": m}}
    stretch = Range(first, first + count - 1)
    gathered: Any = SimpleNamespace(stretch=stretch, count=count)
    state = _components(about, d, failed, gathered)
    cells = {cell["name"]: cell for cell in state.cells()}
    fine = ~failed[:, 0].any(axis=-1)
    kept, numbers = d[fine, 0], np.arange(first, first + count)[fine]

    def derived(rows: Any) -> dict[str, float]:
        parts = inference.variance_components(rows)
        found = {name: float(getattr(parts, name)) for name in ("sigma1_sq", "rho1", "rho2")}
        found["variance"] = float(rows.mean(axis=(1, 2)).var(ddof=1))
        found["al"] = float(np.mean(inference.al_estimator(rows)))
        return found

    whole = derived(kept)
    without = [derived(kept[(numbers - 1) % GROUPS != group]) for group in range(GROUPS)]
    for name, value in whole.items():
        assert cells[name]["value"] == pytest.approx(value, rel=1e-9), name
        parts = np.array([each[name] for each in without])
        error = math.sqrt((GROUPS - 1) / GROUPS * ((parts - parts.mean()) ** 2).sum())
        assert cells[name]["se"] == pytest.approx(error, rel=1e-7), name


def test_the_ratio_of_a_test_that_picks_is_about_what_it_picks() -> None:
    """Losses that hang on no training set: two halves are independent, and Var(d[1,1]) = E(s²).

    S0 table 5: 1/(1 − ρ1) for the 5×2 t test, here with ρ1 = 0. The mean of all ten differences,
    which the test only tells as its estimate, varies far less.
    """
    study = changed(
        study_examples.EPSILON, replications=4000, tests=["dietterich_5x2_t", "combined_5x2_t"]
    )
    cells = simulate(study, jobs=1).document["cells"]
    ratio, other = (
        next(c for c in cells if c["name"] == "political_ratio" and c["of"] == name)
        for name in study["tests"]
    )
    assert abs(ratio["value"] - 1.0) < 4.0 * ratio["se"] < 0.2
    assert other["value"] > ratio["value"] + 4.0 * other["se"]
