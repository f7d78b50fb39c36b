"""cvinfer: honest inference for cross-validated comparisons of classifiers.

`cvinfer.partitions` makes the splits, `cvinfer.inference` holds the tests and intervals.
Both need numpy only until a p-value is asked for; scipy is loaded then.
"""

__version__ = "0.1.0"
