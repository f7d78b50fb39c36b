"""cvinfer: honest inference for cross-validated comparisons of classifiers.

`cvinfer.run(spec)` runs a whole comparison from a spec. `cvinfer.partitions` makes the splits,
`cvinfer.inference` holds the tests and intervals, and every scheme is a splitter for scikit-learn,
such as `cvinfer.BlockedMx2`. All need numpy only until a p-value is asked for; scipy is loaded
then, and whatever a run needs is loaded by the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cvinfer.runner import Result

__version__ = "0.1.0"


def run(*args: Any, **options: Any) -> Result:
    """Run a spec, a file or a mapping, and return its result; see `cvinfer.runner.run`."""
    from cvinfer import runner

    return runner.run(*args, **options)


def __getattr__(name: str) -> Any:
    if name == "from_cross_validate" or name[:1].isupper():
        from cvinfer import splitters

        return getattr(splitters, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from cvinfer.splitters import splitters

    return sorted({*globals(), "from_cross_validate", *splitters()})
