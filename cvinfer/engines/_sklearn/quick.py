"""Classifiers for studies: textbook rules with probabilities that are fitted by the thousand.

Each may be told which features it sees, so that two learners can follow one rule on features that
are exchangeable: whatever is measured, neither is better then. scikit-learn's `GaussianNB`,
`LinearDiscriminantAnalysis` and `KNeighborsClassifier` give the same on those features; they take
several times as long, most of it to check their input.
"""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from cvinfer.engines._sklearn import declared
from cvinfer.engines._sklearn.classifiers import AtOnce, Codes, Halves, Matrix, _Classifier

#: No variance counts as smaller than this share of the largest of all features.
LEAST_VARIANCE = 1e-9


class Moments(NamedTuple):
    """Of each fit and class: how many training records it has, their means (fits, C, features)."""

    counts: Matrix
    means: Matrix


@declared.parameters(features=["array-like", None])
class Seeing(AtOnce, _Classifier):
    """What they share: they see some of the features, counted from 1, and give probabilities."""

    def __init__(self, features: Optional[Sequence[int]] = None) -> None:
        self.features = features

    @classmethod
    def check_width(
        cls, n_features: int, features: Optional[Sequence[int]] = None, **given: object
    ) -> None:
        seen_features(n_features, features)

    def probabilities(self, halves: Halves, classes: int) -> Matrix:
        seen = seen_features(halves.train.shape[1], self.features)
        if seen is not None:
            train, test = (np.take(each, seen, axis=1) for each in (halves.train, halves.test))
            halves = halves._replace(train=train, test=test)
        return self._probabilities(halves, classes)

    def predict_proba(self, X: Matrix) -> Matrix:
        """Of each class for each test record."""
        tested = self._tested(X)
        start = np.zeros(1, dtype=np.int64)
        of = np.zeros(len(tested), dtype=np.int64)
        halves = Halves(self.records_, self.codes_, start, tested, start, of)
        return self.probabilities(halves, self.classes_.size)

    def _learn(self, X: Matrix, codes: Codes) -> None:
        seen_features(X.shape[1], self.features)
        self.records_, self.codes_ = X, codes

    def _codes(self, X: Matrix) -> Codes:
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def _probabilities(self, halves: Halves, classes: int) -> Matrix:
        raise TypeError(f"{type(self).__name__} does not say how it predicts")


class NaiveBayes(Seeing):
    """Gaussian naive Bayes: every class has its own mean and variance of each feature.

    Variances have the divisor n of the class, and the priors are the shares of the classes.

    features : list of the features that it sees, counted from 1; all where it is left out.
    """

    def _probabilities(self, halves: Halves, classes: int) -> Matrix:
        counts, means = _moments(halves, classes)
        inside = _inside(halves, means)
        variances = _by_class(inside**2, halves, classes) / counts[..., None]
        variances = np.maximum(variances, _least(halves)[:, None, None])
        constant = np.log(counts) - 0.5 * np.log(variances).sum(axis=2)
        away = (halves.test[:, None, :] - means[halves.of]) ** 2 / variances[halves.of]
        return _shared(constant[halves.of] - 0.5 * away.sum(axis=2))


class LinearDiscriminant(Seeing):
    """Linear discriminant analysis: the classes have one covariance matrix, of divisor n.

    features : list of the features that it sees, counted from 1; all where it is left out.
    """

    def _probabilities(self, halves: Halves, classes: int) -> Matrix:
        counts, means = _moments(halves, classes)
        inside = _inside(halves, means)
        size = counts.sum(axis=1)
        products = inside[:, :, None] * inside[:, None, :]
        covariance = np.add.reduceat(products, halves.trains) / size[:, None, None]
        width = inside.shape[1]
        # Where features determine each other there are many solutions; this makes it one.
        covariance += _least(halves)[:, None, None] * np.eye(width)
        # About the middle of all records: large offsets do no harm.
        centre = (means * counts[..., None]).sum(axis=1) / size[:, None]
        apart = means - centre[:, None, :]
        slopes = np.linalg.solve(covariance, apart.swapaxes(1, 2))
        constant = np.log(counts) - 0.5 * (apart * slopes.swapaxes(1, 2)).sum(axis=2)
        from_centre = (halves.test - centre[halves.of])[:, :, None]
        return _shared((from_centre * slopes[halves.of]).sum(axis=1) + constant[halves.of])


@declared.parameters(features=["array-like", None], k=[declared.above(Integral, 0)])
class NearestNeighbours(Seeing):
    """The shares of the classes among the k nearest training records (Euclidean distance).

    Of fewer training records all are taken. Which of equally near records counts is not said; of
    equal shares the smallest class is predicted.

    features : list of the features that it sees, counted from 1; all where it is left out.
    k : how many records vote.
    """

    def __init__(self, features: Optional[Sequence[int]] = None, k: int = 5) -> None:
        super().__init__(features)
        self.k = k

    def _probabilities(self, halves: Halves, classes: int) -> Matrix:
        found = np.zeros((len(halves.test), classes))
        trains = [*halves.trains, len(halves.train)]
        tests = [*halves.tests, len(halves.test)]
        member = np.eye(classes)
        for at in range(len(halves.trains)):
            mine = slice(trains[at], trains[at + 1])
            asked = halves.test[tests[at] : tests[at + 1]]
            votes = min(self.k, mine.stop - mine.start)
            _, near = cKDTree(halves.train[mine]).query(asked, votes)
            shares = member[halves.codes[mine][near.reshape(len(asked), votes)]].mean(axis=1)
            found[tests[at] : tests[at + 1]] = shares
        return found


def seen_features(n_features: int, features: Optional[Sequence[int]]) -> Optional[NDArray[np.intp]]:
    """The places of the features that are seen, from 0; None for all of them."""
    if features is None:
        return None
    given = np.asarray(features)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
        raise ValueError("features must be a list of whole numbers, counted from 1")
    if given.min() < 1 or given.max() > n_features:
        wrong = given[(given < 1) | (given > n_features)][0]
        raise ValueError(f"features are counted from 1 to {n_features}, and {wrong} is none")
    if len(np.unique(given)) < len(given):
        raise ValueError("features has a number twice")
    return np.asarray(given - 1, dtype=np.intp)


def _moments(halves: Halves, classes: int) -> Moments:
    counts = _by_class(np.ones((len(halves.codes), 1)), halves, classes)[..., 0]
    return Moments(counts, _by_class(halves.train, halves, classes) / counts[..., None])


def _by_class(values: Matrix, halves: Halves, classes: int) -> Matrix:
    """Sums over the training records of each fit and class, (fits, C, features)."""
    sums = [
        np.add.reduceat(values * (halves.codes == code)[:, None], halves.trains)
        for code in range(classes)
    ]
    return np.stack(sums, axis=1)


def _inside(halves: Halves, means: Matrix) -> Matrix:
    """The training records from the mean of their class."""
    sizes = np.diff(np.append(halves.trains, len(halves.train)))
    fits = np.repeat(np.arange(len(sizes)), sizes)
    return np.asarray(halves.train - means[fits, halves.codes])


def _least(halves: Halves) -> Matrix:
    """The least variance that counts in each fit; some where nothing varies at all."""
    sizes = np.diff(np.append(halves.trains, len(halves.train)))[:, None]
    mean = np.add.reduceat(halves.train, halves.trains) / sizes
    away = (halves.train - np.repeat(mean, sizes[:, 0], axis=0)) ** 2
    most = (np.add.reduceat(away, halves.trains) / sizes).max(axis=1)
    return np.asarray(np.where(most > 0, LEAST_VARIANCE * most, LEAST_VARIANCE))


def _shared(logs: Matrix) -> Matrix:
    """Probabilities from their logarithms, up to a constant of each record."""
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))
