"""Data sets for the engines' tests, made here so that nothing else has to work."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np

from cvinfer.data.dataset import Column, Dataset
from cvinfer.engines import LearnerSpec


def numeric(name: str, values: Any) -> Column:
    return Column(name, "numeric", np.asarray(values, dtype=np.float64))


def categorical(name: str, texts: Iterable[Optional[str]]) -> Column:
    texts = list(texts)
    levels = tuple(sorted({each for each in texts if each is not None}))
    codes = [-1 if each is None else levels.index(each) for each in texts]
    return Column(name, "categorical", np.array(codes, dtype=np.int32), levels)


def dataset(
    columns: Sequence[Column], labels: Iterable[Any], impute: bool = False, name: str = "made"
) -> Dataset:
    texts = [str(each) for each in labels]
    classes = tuple(sorted(set(texts)))
    target = np.array([classes.index(each) for each in texts], dtype=np.int32)
    return Dataset(
        name, tuple(columns), target, classes, "y", "0" * 64, {"source": "made"}, (), impute
    )


def matrix(x: Any, labels: Iterable[Any]) -> Dataset:
    x = np.asarray(x, dtype=np.float64)
    return dataset([numeric(f"x{j + 1}", x[:, j]) for j in range(x.shape[1])], labels)


def clouds(n: int = 120, features: int = 4, classes: int = 3, seed: int = 1) -> Dataset:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    x = rng.normal(size=(n, features)) + 1.5 * y[:, None] * (np.arange(features) % 2 + 1)
    return matrix(x, [f"class {code}" for code in y])


def halves(n: int, seed: int = 0) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(n).astype(np.int64)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


def learner(
    name: Optional[str] = None,
    params: Optional[Mapping[str, Any]] = None,
    engine: str = "sklearn",
    steps: Optional[Sequence[Any]] = None,
    **options: Any,
) -> LearnerSpec:
    made = None
    if steps is not None:
        made = tuple((s, {}) if isinstance(s, str) else next(iter(s.items())) for s in steps)
    return LearnerSpec("it", engine, name, made, dict(params or {}), options)
