"""The papers' own classifiers as scikit-learn estimators.

Imported only when used: `cvinfer.engines.builtin` hands them out.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets

from cvinfer.engines._sklearn import declared

# S0 6.2 and S1 eq. 19: the letter data's sixteen features in three sets, counted from 1.
LETTER_SETS = (
    (1, 3, 9, 16),
    (2, 4, 6, 7, 8, 10, 12, 14, 15),
    (5, 11, 13),
)
LETTER_FEATURES = 16

# The one check of scikit-learn that no constant prediction can pass.
MAJORITY_CANNOT = {"check_classifiers_classes": "wants every class predicted at least once"}

# Distances held at a time: small enough for the processor's cache, large enough for speed.
CHUNK = 1 << 19

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


@declared.parameters()
class _Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all of them do: check the input, number the classes in order, answer with labels."""

    @classmethod
    def check_width(cls, n_features: int) -> None:
        """Raise a `ValueError` where its parameters do not fit so many features."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from the training records."""
        declared.check_parameters(self)
        X, y = _checked(self, X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._learn(X, codes)
        return self

    def predict(self, X: Any) -> Any:
        """The class of each test record."""
        codes = self._codes(self._tested(X))
        return self.classes_[codes]

    def _tested(self, X: Any) -> Matrix:
        """The test records, checked, of an estimator that is fitted."""
        validation.check_is_fitted(self, "classes_")
        found: Matrix = _checked(self, X)
        return found

    def _decision(self, scores: Matrix) -> Matrix:
        """Scores of the classes as scikit-learn has them: of two, by how much the second leads."""
        return scores[:, 1] - scores[:, 0] if self.classes_.size == 2 else scores

    def _learn(self, X: Matrix, codes: NDArray[np.int64]) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _codes(self, X: Matrix) -> NDArray[np.int64]:
        raise TypeError(f"{type(self).__name__} does not say how it predicts")


class Halves(NamedTuple):
    """Training and test records of some fits, one fit after the other.

    trains, tests: where each fit begins in them. of: the fit of each test record.
    """

    train: Matrix
    codes: Codes
    trains: Codes
    test: Matrix
    tests: Codes
    of: Codes


class AtOnce:
    """A classifier that makes any number of fits at once."""

    def probabilities(self, halves: Halves, classes: int) -> Matrix:
        """Of each class for each test record; every class is in every training set.

        What it makes of one fit does not hang on the others, to the last bit.
        """
        raise TypeError(f"{type(self).__name__} makes one fit at a time")


# That it ignores the features is its nature.
@declared.poor_by_nature(MAJORITY_CANNOT)
class MajorityClassifier(AtOnce, _Classifier):
    """The most frequent class of the training records, whatever the features.

    Section 5.1 of S1. Of equally frequent classes it is the smallest.
    """

    def predict_proba(self, X: Any) -> Matrix:
        """For every test record the shares of the classes among the training records."""
        tested = self._tested(X)
        return np.tile(self.shares_, (tested.shape[0], 1))

    def probabilities(self, halves: Halves, classes: int) -> Matrix:
        sizes = np.diff(np.append(halves.trains, len(halves.codes)))
        cells = np.repeat(np.arange(len(sizes)), sizes) * classes + halves.codes
        counts = np.bincount(cells, minlength=len(sizes) * classes).reshape(-1, classes)
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[halves.of])

    def _learn(self, X: Matrix, codes: NDArray[np.int64]) -> None:
        counts = np.bincount(codes)
        self.majority_ = int(counts.argmax())
        self.shares_ = counts / counts.sum()

    def _codes(self, X: Matrix) -> NDArray[np.int64]:
        return np.full(X.shape[0], self.majority_)


class MeanClassifier(_Classifier):
    """The class whose mean vector is nearest in Euclidean distance.

    Section 5.1 of S1. Of equally near classes it is the smallest.
    """

    def decision_function(self, X: Any) -> Matrix:
        """The squared distances from the means of the classes, the nearest with the most."""
        return self._decision(-self._distances(self._tested(X)))

    def _learn(self, X: Matrix, codes: NDArray[np.int64]) -> None:
        self.means_ = np.stack([X[codes == code].mean(axis=0) for code in np.unique(codes)])

    def _codes(self, X: Matrix) -> NDArray[np.int64]:
        return np.asarray(self._distances(X).argmin(axis=1))

    def _distances(self, X: Matrix) -> Matrix:
        return np.asarray(cdist(X, self.means_, "sqeuclidean"))


@declared.parameters(
    weights=["array-like", None],
    omega=[declared.above(Real, 0), None],
    v=[declared.above(Real, 0), None],
)
class FirstNearestNeighbour(_Classifier):
    """The class of the nearest training record under a weighted squared Euclidean distance.

    d(a, b) = sum over features l of w_l (a_l - b_l)^2, with the weights given in one of these ways:

    weights : list of one number >= 0 for each feature.
    omega : number > 0, for two features: weights omega and 1/omega (S1 eq. 18).
    v : number > 0, for the letter data's sixteen features: weight v on features 1, 3, 9, 16,
        weight 1/v on 5, 11, 13 and weight 1 on the other nine (S0 6.2, S1 eq. 19).

    Without any of them all weights are 1. Of equally near records the first in the training set
    counts. To find ties as ties, squared differences are summed over features of equal weight
    first, and the weights of `omega` and `v` are taken times omega and times v, which alters no
    order: with whole numbers nothing is rounded.
    """

    def __init__(
        self,
        weights: Optional[Sequence[float]] = None,
        omega: Optional[float] = None,
        v: Optional[float] = None,
    ) -> None:
        self.weights = weights
        self.omega = omega
        self.v = v

    @classmethod
    def check_width(
        cls,
        n_features: int,
        weights: Optional[Sequence[float]] = None,
        omega: Optional[float] = None,
        v: Optional[float] = None,
    ) -> None:
        feature_weights(n_features, weights, omega, v)

    def predict_proba(self, X: Any) -> Matrix:
        """1 for the class of the nearest training record, 0 for the others."""
        codes = self._codes(self._tested(X))
        return np.eye(self.classes_.size)[codes]

    def _learn(self, X: Matrix, codes: NDArray[np.int64]) -> None:
        weights = feature_weights(X.shape[1], self.weights, self.omega, self.v)
        used = np.unique(weights[weights > 0])
        self.groups_ = [(float(weight), np.flatnonzero(weights == weight)) for weight in used]
        self.records_ = [np.ascontiguousarray(X[:, columns]) for _, columns in self.groups_]
        self.codes_ = codes

    def _codes(self, X: Matrix) -> NDArray[np.int64]:
        rows = max(1, CHUNK // self.codes_.size)
        nearest = [self._nearest(X[i : i + rows]) for i in range(0, X.shape[0], rows)]
        return np.asarray(self.codes_[np.concatenate(nearest)])

    def _nearest(self, X: Matrix) -> NDArray[np.int64]:
        total = np.zeros((X.shape[0], self.codes_.size))
        for (weight, columns), records in zip(self.groups_, self.records_):
            distance = cdist(X[:, columns], records, "sqeuclidean")
            if weight != 1.0:
                distance *= weight
            total += distance
        return np.asarray(total.argmin(axis=1))


@declared.parameters(fit_intercept=["boolean"])
class LeastSquaresClassifier(_Classifier):
    """Ordinary least squares regression on class membership, cut at 0.5.

    Section 6.1 of S0. Two classes: the second, coded 1 against 0, where the fitted value exceeds
    0.5. More classes: one regression for each against the rest, and the class with the largest
    fitted value, of equals the smallest. `fit_intercept=False` is the form that S0 prints, without
    a constant term. Where the features determine each other, the solution of least norm is taken.
    """

    def __init__(self, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def _learn(self, X: Matrix, codes: NDArray[np.int64]) -> None:
        count = self.classes_.size
        member = (codes[:, None] == np.arange(count)).astype(np.float64)
        # Centred, the constant term needs no column of ones and large offsets do no harm.
        centre = X.mean(axis=0) if self.fit_intercept else np.zeros(X.shape[1])
        constant = member.mean(axis=0) if self.fit_intercept else np.zeros(count)
        self.coef_ = np.linalg.lstsq(X - centre, member - constant, rcond=None)[0]
        self.intercept_ = constant - centre @ self.coef_

    def decision_function(self, X: Any) -> Matrix:
        """The fitted values; of two classes that of the second, by how much it exceeds 0.5."""
        fitted = self._fitted(self._tested(X))
        return fitted[:, 1] - 0.5 if self.classes_.size == 2 else fitted

    def _codes(self, X: Matrix) -> NDArray[np.int64]:
        fitted = self._fitted(X)
        if self.classes_.size == 2:
            return np.asarray(fitted[:, 1] > 0.5, dtype=np.int64)
        return np.asarray(fitted.argmax(axis=1))

    def _fitted(self, X: Matrix) -> Matrix:
        return np.asarray(X @ self.coef_ + self.intercept_)


def feature_weights(
    n_features: int,
    weights: Optional[Sequence[float]] = None,
    omega: Optional[float] = None,
    v: Optional[float] = None,
) -> Matrix:
    """Weights that order distances as the given ones do; see `FirstNearestNeighbour`."""
    given = {"weights": weights, "omega": omega, "v": v}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} are given together; give one of them at most")
    if weights is not None:
        found = np.asarray(weights, dtype=np.float64)
        if found.shape != (n_features,):
            shape = " x ".join(map(str, found.shape))
            raise ValueError(f"there are {shape} weights for {n_features} features")
        if not (np.isfinite(found).all() and (found >= 0).all() and found.any()):
            raise ValueError("weights must be finite, not negative and not all zero")
        return found
    if omega is not None:
        if n_features != 2:
            raise ValueError(f"omega is for two features, and there are {n_features}")
        return np.array([omega * omega, 1.0])
    if v is not None:
        if n_features != LETTER_FEATURES:
            raise ValueError(f"v is for {LETTER_FEATURES} features, and there are {n_features}")
        found = np.empty(LETTER_FEATURES)
        for columns, weight in zip(LETTER_SETS, (v * v, v, 1.0)):
            found[np.array(columns) - 1] = weight
        return found
    return np.ones(n_features)


def _checked(estimator: BaseEstimator, X: Any, y: Any = "no_validation") -> Any:
    """scikit-learn's own check of the input."""
    fitting = not isinstance(y, str)
    return declared.checked_data(estimator, X, y, dtype=np.float64, reset=fitting)
