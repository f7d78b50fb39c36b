"""The data sets that come with scikit-learn."""

from __future__ import annotations

import numpy as np

from cvinfer.errors import UserError
from cvinfer.packages import SKLEARN

from ..registry import Option, Request, source
from ..table import Table, numeric

BUNDLED = ("breast_cancer", "digits", "iris", "wine")
OPTIONS = {"dataset": Option("string", True, f"one of {', '.join(BUNDLED)}")}


@source(
    "sklearn",
    "a data set bundled with scikit-learn",
    OPTIONS,
    choices={"dataset": BUNDLED},
    packages=(SKLEARN,),
)
def read_sklearn(request: Request) -> Table:
    """Classes are called by scikit-learn's target names."""
    try:
        from sklearn import datasets  # type: ignore[import]
    except ImportError:
        raise UserError(
            "these data sets need the package scikit-learn, which is not installed", ("source",)
        ) from None
    name = request["dataset"]
    bunch = getattr(datasets, f"load_{name}")()
    values = np.asarray(bunch.data, dtype=np.float64)
    features = {
        str(feature): numeric(str(feature), values[:, at])
        for at, feature in enumerate(bunch.feature_names)
    }
    words = [str(word) for word in bunch.target_names]
    return Table(name, features, [words[code] for code in bunch.target.tolist()], "target")
