"""Names that a page takes for granted in a block of Python."""

from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
A = DecisionTreeClassifier(random_state=0)
B = KNeighborsClassifier(n_neighbors=1)


def fit_predict(learner: Any, X: Any, y: Any, train: Any, test: Any) -> Any:
    return learner.fit(X[train], y[train]).predict(X[test])
