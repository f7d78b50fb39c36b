"""Numbers of the papers that follow from a formula: one function for each, by its name in a file.

Every function takes the options of its entry under `exact` and returns cells. An option that is a
list runs along an axis: the cell is found by its value there. An identity returns one cell,
`deviation`: the largest relative difference between the two sides of what a paper says.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from scipy import stats

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.inference import F1Distribution, infer, political_ratio, theta_estimates
from cvinfer.registry import Registry
from cvinfer.studies.ledger.formulas import value_of
from cvinfer.studies.ledger.results import inside, said


class ExactCell(NamedTuple):
    """A number with its name and place. paper_se: the Monte-Carlo error of the paper, if any."""

    name: str
    value: float
    at: Mapping[str, Any]
    paper_se: Optional[float] = None


Computation = Callable[..., Sequence[ExactCell]]
computations: Registry[Computation] = Registry("computation", beyond=(__name__,))

#: Two sides of an identity are equal if they differ by no more than this share.
IDENTICAL = 1e-9
#: Correlations (ρ1, ρ2) at which identities are tried; all make a covariance matrix.
CORRELATIONS = ((0.0, 0.0), (0.1, 0.3), (0.3, 0.4), (0.5, 0.5), (-0.2, 0.1), (0.4, 0.45))


def computation(function: Computation) -> Computation:
    return computations.add(function.__name__, function, __name__)


def compute(entry: JsonObject) -> list[ExactCell]:
    """The cells of an entry under `exact`."""
    found = computations.find(str(entry["compute"]), ("compute",))
    options = {key: value for key, value in entry.items() if key != "compute"}
    return list(found(**options))


def option_fault(entry: JsonObject) -> Optional[UserError]:
    """What is wrong with the options of an entry, as far as their names go."""
    function = computations.get(str(entry.get("compute")))
    if function is None:
        return None
    taken = inspect.signature(function).parameters
    for key in entry:
        if key != "compute" and key not in taken:
            return UserError(f"{entry['compute']} has no option {key!r}", (key,), list(taken))
    for name, each in taken.items():
        if each.default is inspect.Parameter.empty and name not in entry:
            return UserError(f"{entry['compute']} needs the option {name!r}", ())
    return None


def the_exact_cell(cells: Sequence[ExactCell], name: str, at: Mapping[str, Any]) -> ExactCell:
    found = [cell for cell in cells if cell.name == name and inside(cell.at, at)]
    if len(found) != 1:
        there = ", ".join(sorted({cell.name for cell in cells}))
        raise UserError(f"there is no exact number {name!r}{said(at)}; there are {there}")
    return found[0]


# --- S3: skewness of F1 ---------------------------------------------------------------------------


def _skewness(a: float, b: float, at: Mapping[str, Any], draws: int) -> list[ExactCell]:
    """SK1 and SK2 with errors over `draws` as of normal data, √(6/draws) and √(1/draws)."""
    sk1, sk2 = F1Distribution(a, b).skewness()
    return [
        ExactCell("SK1", float(sk1), at, math.sqrt(6.0 / draws)),
        ExactCell("SK2", float(sk2), at, math.sqrt(1.0 / draws)),
    ]


@computation
def f1_skewness(
    precision: float, recall: float, accuracy: float, n: Sequence[int], draws: int
) -> list[ExactCell]:
    """Skewness of F1 for a confusion matrix of n records with these three scores, prior 1."""
    found = []
    for size in n:
        right, wrong = _counts(precision, recall, accuracy, size)
        found += _skewness(wrong + 2.0, right + 1.0, {"n": size}, draws)
    return found


@computation
def f1_skewness_of_samples(
    precision: float,
    recall: float,
    accuracy: float,
    n: Sequence[int],
    draws: int,
    matrices: int,
) -> list[ExactCell]:
    """Mean skewness of F1 for confusion matrices of n records drawn from one with these scores.

    (TP, FP + FN, TN) is multinomial, and both measures are functions of its first two. The mean is
    a sum over their lattice, on which steps of 1.25 standard deviations give more digits than are
    printed. The paper's error is that of so many matrices and of its draws.
    """
    found = []
    for size in n:
        shares = np.array(_counts(precision, recall, accuracy, size)) / size
        spread = np.sqrt(size * shares * (1.0 - shares))
        axes = [
            np.arange(
                max(0.0, math.floor(mean - 5.0 * sd)), mean + 5.0 * sd, max(1, int(1.25 * sd))
            )
            for mean, sd in zip(size * shares, spread)
        ]
        right, wrong = (each.ravel() for each in np.meshgrid(*axes))
        inside = right + wrong <= size
        right, wrong = right[inside], wrong[inside]
        counts = np.stack([right, wrong, size - right - wrong], axis=-1)
        weights = stats.multinomial.pmf(counts, size, [*shares, 1.0 - shares.sum()])
        weights /= weights.sum()
        for name, values, error in zip(
            ("SK1", "SK2"), F1Distribution(wrong + 2.0, right + 1.0).skewness(), (6.0, 1.0)
        ):
            mean = float(weights @ values)
            variance = float(weights @ (values - mean) ** 2)
            paper_se = math.sqrt(variance / matrices + error / draws)
            found.append(ExactCell(name, mean, {"n": size}, paper_se))
    return found


def _counts(precision: float, recall: float, accuracy: float, n: int) -> tuple[float, float]:
    """TP and FP + FN of n records with these scores, no whole numbers."""
    wrong = (1.0 - accuracy) * n
    return wrong / (1.0 / precision + 1.0 / recall - 2.0), wrong


@computation
def f1_skewness_at_mode(b: float, mode: Sequence[float], draws: int) -> list[ExactCell]:
    """Skewness of F1 with parameter b and this mode, from which a follows (corollary 1 of S3)."""
    found = []
    for top in mode:
        a = 5.0 - 2.0 * b - 2.0 * top + 2.0 * (b - 1.0) / top
        found += _skewness(a, b, {"mode": top}, draws)
    return found


# --- S2: its two examples -------------------------------------------------------------------------


@computation
def accuracy_of_records(right: Sequence[int], fold: int) -> list[ExactCell]:
    """Mean accuracy of all records with its variance and standard error."""
    n = fold * len(right)
    found = infer("error_dataset_z", n - sum(right), n)
    error = float(found.upper - found.lower) / 2.0 / stats.norm.ppf(0.5 + found.level / 2.0)
    return [
        ExactCell("mean", 1.0 - float(found.point), {}),
        ExactCell("variance", float(error) ** 2, {}),
        ExactCell("standard error", float(error), {}),
    ]


@computation
def accuracy_of_folds(right: Sequence[int], fold: int) -> list[ExactCell]:
    """Mean accuracy of the folds with their variance and the standard error of the mean."""
    errors = [fold - each for each in right]
    found = infer("error_kfold_t", errors, [fold] * len(right))
    quantile = stats.t.ppf(0.5 + found.level / 2.0, len(right) - 1)
    error = float(found.upper - found.lower) / 2.0 / float(quantile)
    return [
        ExactCell("mean", 1.0 - float(found.point), {}),
        ExactCell("variance of folds", error**2 * len(right), {}),
        ExactCell("standard error", error, {}),
    ]


@computation
def accuracy_difference(right: Sequence[int], n: int) -> list[ExactCell]:
    """z of two learners as independent samples; the paper's sign is that of accuracies."""
    errors = [n - each for each in right]
    found = infer("loo_independent_z", errors[0], errors[1], n)
    return [ExactCell("z", -float(found.statistic), {})]


@computation
def matched_accuracies(worse: int, same: int, better: int) -> list[ExactCell]:
    """t of two learners on matched records; the paper's sign is that of accuracies."""
    d = [1.0] * worse + [0.0] * same + [-1.0] * better
    found = infer("loo_matched_t", d)
    return [ExactCell("t", -float(found.statistic), {})]


# --- S0 table 5: political ratios -----------------------------------------------------------------


def _covariance(m: int, rho1: float, rho2: float) -> np.ndarray[Any, Any]:
    """Of the 2m differences of an m×2 cross-validation with variance 1."""
    replication = np.repeat(np.arange(m), 2)
    inner = replication[:, None] == replication[None, :]
    return np.where(np.eye(2 * m, dtype=bool), 1.0, np.where(inner, rho1, rho2))


@computation
def political_ratio_identity(test: str, printed: Any, lam: Any = "2/3") -> list[ExactCell]:
    """Printed political ratio against the test's own: Var(estimate) / E(variance estimate).

    Both are forms of the differences d: the estimate is linear, the variance estimate quadratic.
    With d = L z, cov(z) = I, their moments are sums over the columns of L, so that what the test
    really computes is put to the question, besides the closed form of `political_ratio`.
    """
    shapes = {"kfold_t": (1, 2), "corrected_2fold_t": (1, 2), "blocked_3x2_t": (3, 2)}
    shape = shapes.get(test, (5, 2))
    options: dict[str, Any] = {"lam": value_of(lam, {})} if test == "blocked_3x2_t" else {}
    worst = 0.0
    for rho1, rho2 in CORRELATIONS:
        columns = np.linalg.cholesky(_covariance(shape[0], rho1, rho2)).T
        d = columns.reshape(-1, *shape) if shape[0] > 1 else columns
        variances = np.asarray(infer(test, d, **options).variance)
        estimates = (
            d[..., 0, 0] if test == "dietterich_5x2_t" else d.mean(axis=tuple(range(1, d.ndim)))
        )
        found = float(np.sum(estimates**2) / np.sum(variances))
        expected = value_of(printed, {"r1": rho1, "r2": rho2})
        closed = float(political_ratio(test, rho1, rho2, **options))
        worst = max(worst, abs(found / expected - 1.0), abs(closed / found - 1.0))
    return [ExactCell("deviation", worst, {})]


# --- S4: biases of variance estimates, and the plain test under correlation -----------------------


@computation
def theta_bias(estimate: str, bias: Mapping[str, Any]) -> list[ExactCell]:
    """E(estimate) − Var(mean) against a printed linear form of μ², ω and γ.

    The estimates are quadratic forms of the losses e = μ + L z, so that the expectation is that of
    the constant μ plus the sum over the columns of L.
    """
    worst = 0.0
    for mu, omega, gamma in ((0.0, 0.0, 0.0), (0.3, 0.1, 0.05), (0.5, 0.2, 0.2), (0.2, 0.1, -0.01)):
        for folds, m in ((2, 3), (5, 2), (10, 4)):
            n = folds * m
            fold = np.repeat(np.arange(folds), m)
            inner = fold[:, None] == fold[None, :]
            covariance = np.where(np.eye(n, dtype=bool), 1.0, np.where(inner, omega, gamma))
            values, vectors = np.linalg.eigh(covariance)
            columns = (vectors * np.sqrt(np.maximum(values, 0.0))).T
            of_noise = getattr(theta_estimates(columns, fold), estimate)
            of_mean = getattr(theta_estimates(np.full(n, mu), fold), estimate)
            expected = float(np.sum(of_noise) + of_mean)
            names = {"mu_sq": mu**2, "omega": omega, "gamma": gamma}
            sizes = {"m": float(m), "n": float(n)}
            printed = sum(value_of(part, sizes) * names[key] for key, part in bias.items())
            found = expected - float(covariance.mean())
            worst = max(worst, abs(found - printed))
    return [ExactCell("deviation", worst, {})]


@computation
def uncorrected_kfold(k: int, rho: float, alpha: float) -> list[ExactCell]:
    """What the plain K-fold t test does when the folds are correlated by ρ (normal folds)."""
    critical, shrink = stats.t.ppf(1.0 - alpha / 2.0, k - 1), math.sqrt(1.0 - rho)
    return [
        ExactCell("type I error", float(2.0 * stats.t.sf(critical * shrink, k - 1)), {}),
        ExactCell("p-value of a true 5 %", float(2.0 * stats.t.sf(critical / shrink, k - 1)), {}),
    ]
