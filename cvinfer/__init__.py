"""cvinfer: honest inference for cross-validated comparisons of classifiers.

`cvinfer.run(spec)` runs a whole comparison from a spec, `cvinfer.compare(X, y, learners)` one of
estimators in a notebook. `cvinfer.partitions` makes the splits, `cvinfer.inference` holds the tests
and intervals, and every scheme is a splitter for scikit-learn, such as `cvinfer.BlockedMx2`. All
need numpy only until a p-value is asked for; scipy is loaded then, and whatever a run needs is
loaded by the run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cvinfer.api import compare
    from cvinfer.runner import Result, run
    from cvinfer.splitters import from_cross_validate

__all__ = ["Result", "compare", "from_cross_validate", "run"]
__version__ = "0.1.0"

#: Where the names of this package are, which are imported when they are first asked for.
_PLACES = {
    "Result": "cvinfer.runner",
    "compare": "cvinfer.api",
    "from_cross_validate": "cvinfer.splitters",
    "run": "cvinfer.runner",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES and not name[:1].isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Every scheme is a splitter there.
    place = importlib.import_module(_PLACES.get(name, "cvinfer.splitters"))
    return getattr(place, name)


def __dir__() -> list[str]:
    from cvinfer.splitters import splitters

    return sorted({"__version__", *_PLACES, *splitters()})
