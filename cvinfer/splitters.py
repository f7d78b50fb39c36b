"""The schemes as scikit-learn's splitters, and what scikit-learn's scores say to the tests.

    cv = BlockedMx2(m=5, random_state=1)
    a, b = cross_validate(tree, X, y, cv=cv), cross_validate(forest, X, y, cv=cv)
    d = from_cross_validate(a, b, cv.partition(X, y))
    d.test("blocked_3x2_t")

There is one class for each scheme, made from its declaration when it is first asked for; its own
options come first, `stratify` and `random_state` after them. scikit-learn itself is not needed.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from cvinfer.inference import Inference, InputError, compare_differences
from cvinfer.partitions import Partition, PartitionError, SchemeInfo, schemes

__all__ = ["Differences", "Splitter", "from_cross_validate", "splitters"]

Indices = NDArray[np.int64]


class Splitter:
    """A partition scheme as scikit-learn's `cv`: `split` draws the same partition each time.

    So two calls of `cross_validate` with equal splitters are paired. `groups`, where they are
    given, stay together; `stratify=True` shares out the classes of y.
    """

    _info: SchemeInfo

    @property
    def scheme(self) -> str:
        """The id of the scheme."""
        return self._info.name

    def __init__(self, *args: Any, **options: Any) -> None:
        bound = inspect.signature(type(self)).bind(*args, **options)
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)

    def partition(self, X: Any, y: Any = None, groups: Any = None) -> Partition:
        """The partition of these records, with shape, sizes, overlaps and fingerprint."""
        options = self.get_params()
        seed = options.pop("random_state", 0)
        stratify = options.pop("stratify", False)
        if seed is None:
            raise PartitionError(
                "random_state = None would draw other splits at each call, and learners would not "
                "be compared on the same ones; give a whole number",
                ("random_state",),
                who=type(self).__name__,
            )
        if stratify and y is None:
            raise PartitionError(
                "stratify needs the classes y", ("stratify",), who=type(self).__name__
            )
        return self._info.function(
            _records(X),
            **options,
            seed=seed,
            stratify=np.asarray(y) if stratify else None,
            groups=None if groups is None else np.asarray(groups),
        )

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """(train, test) of every split."""
        return iter(self.partition(X, y, groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are; X is needed where that depends on the number of records."""
        if "n" not in self._info.sizes:
            return self._info.count(0, self.get_params())
        if X is None:
            raise PartitionError(
                "the number of splits is that of the records: give X", who=type(self).__name__
            )
        return self._info.count(_records(X), self.get_params())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, by scikit-learn's convention."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Splitter:
        """Other parameters, by scikit-learn's convention."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise PartitionError(
                    f"there is no parameter {name!r}", (name,), list(known), who=type(self).__name__
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        params = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({params})"


def _records(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _signature(info: SchemeInfo) -> inspect.Signature:
    """The options of the scheme, as its function has them, then what all splitters have."""
    own = [
        parameter
        for name, parameter in list(inspect.signature(info.function).parameters.items())[1:]
        if name in info.defaults
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    common = [inspect.Parameter("random_state", keyword, default=0, annotation="int")]
    if info.stratify:
        common.insert(0, inspect.Parameter("stratify", keyword, default=False, annotation="bool"))
    return inspect.Signature([*own, *common])


def _made(info: SchemeInfo) -> type[Splitter]:
    told = inspect.getdoc(info.function) or ""
    doc = f"{told}\n\nA splitter for scikit-learn of the scheme `{info.name}`; see `Splitter`."
    content = {"_info": info, "__doc__": doc, "__module__": __name__}
    made = type(info.splitter, (Splitter,), content)
    made.__signature__ = _signature(info)  # type: ignore[attr-defined]
    return made


_classes: dict[str, type[Splitter]] = {}


def splitters() -> Mapping[str, type[Splitter]]:
    """Every splitter by its name, one for each scheme."""
    for info in schemes.values():
        if info.splitter not in _classes:
            _classes[info.splitter] = _made(info)
    return _classes


def __getattr__(name: str) -> Any:
    found = splitters().get(name) if re.match("[A-Z]", name) else None
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *splitters()})


# --- scores ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Differences:
    """The difference of two learners on each split of a partition, for the tests.

    Positive: A is worse. `values` has the partition's shape; a test of `cvinfer.inference` takes
    the whole as its `d`. `test` looks whether the partition is one that the test is valid on.
    """

    values: NDArray[np.float64]
    partition: Partition
    metric: str

    def test(self, name: str, **options: Any) -> Inference:
        """The test of that name, on this partition or on one that it holds."""
        return compare_differences(name, self.partition, self.values, **options)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)


def from_cross_validate(
    results_a: Any, results_b: Any, partition: Partition, metric: str = "score"
) -> Differences:
    """score_B - score_A on each split, from what scikit-learn's `cross_validate` returned.

    scikit-learn's scorers are higher-is-better, so positive means that A is worse, as everywhere
    here. `results_a` and `results_b` may be scores themselves, as `cross_val_score` returns them;
    `metric` names one of several. `partition` is what `cv` was, or `cv.partition(X, y, groups)`.
    """
    if not isinstance(partition, Partition):
        raise InputError(
            f"partition must be a Partition, not {type(partition).__name__}; "
            "a splitter makes one with .partition(X, y)"
        )
    a, b = (
        _scores(results, metric, who, partition)
        for results, who in ((results_a, "results_a"), (results_b, "results_b"))
    )
    values = (b - a).reshape(partition.shape)
    values.setflags(write=False)
    return Differences(values, partition, metric)


def _scores(results: Any, metric: str, who: str, partition: Partition) -> NDArray[np.float64]:
    if isinstance(results, Mapping):
        key = metric if metric.startswith("test_") else f"test_{metric}"
        if key not in results:
            known = [str(name)[5:] for name in results if str(name).startswith("test_")]
            raise InputError(f"{who} has no metric {metric!r}; it has {', '.join(known)}")
        results = results[key]
    scores = np.asarray(results, dtype=np.float64)
    if scores.shape != (len(partition.splits),):
        raise InputError(
            f"{who} must hold one score for each of the {len(partition.splits)} splits of "
            f"{partition.label}, got shape {scores.shape}"
        )
    failed = np.flatnonzero(~np.isfinite(scores))
    if failed.size:
        raise InputError(
            f"{who} has no score on {failed.size} split(s), first on split {failed[0]}: a failed "
            "fit cannot be imputed; cross_validate(..., error_score='raise') shows why"
        )
    return scores
