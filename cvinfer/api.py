"""Comparisons in a notebook: estimators that are objects, on data in memory."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from cvinfer.errors import UserError
from cvinfer.progress import Progress
from cvinfer.runner import Loaded, Result, run

if TYPE_CHECKING:
    from cvinfer.data.memory import InMemory
    from cvinfer.engines._sklearn.objects import Handed

__all__ = ["compare"]


def compare(
    X: Any,
    y: Any,
    learners: Mapping[str, Any],
    *,
    seed: int = 0,
    groups: Any = None,
    compare: Any = "all",
    partition: Any = "auto",
    tests: Any = "recommended",
    primary: Optional[str] = None,
    margin: Optional[float] = None,
    intervals: Any = None,
    alpha: float = 0.05,
    correction: Any = None,
    positive: Any = None,
    name: str = "data",
    limits: Optional[Mapping[str, Any]] = None,
    jobs: Optional[int] = None,
    output: Optional[Union[str, "os.PathLike[str]"]] = None,
    store: Optional[Union[str, "os.PathLike[str]"]] = None,
    progress: Optional[Progress] = None,
    fail_fast: bool = False,
    **more: Any,
) -> Result:
    """Compare classifiers that are objects, and return the result, as `cvinfer.run` does.

    X: features, an array, a sparse matrix or a data frame (whose texts and categories are
    categories); y: a label for each record, of any type. learners: names with scikit-learn
    estimators, pipelines or searches, which are copied and never fitted themselves; an entry of a
    spec, such as {"engine": "rweka", "learner": "J48"}, may stand among them. groups: a label for
    each record, or a column of a data frame; no split parts records of one group.

    partition: "auto", a splitter such as `cvinfer.BlockedMx2(m=5)`, or what a spec has there; all
    other options, those of `more` too, mean what they mean in a spec, and `primary` alone names
    the one test. Fits are seeded by `seed`, wherever a random_state is None.

    The fits run in worker processes (`jobs`). What scikit-learn has itself goes there as the entry
    of a spec, so that it gives the numbers of that spec, and the result says all of it; any other
    object is pickled, with the classes and functions of a notebook inside it. Nothing is written
    without `output`, a directory, and nothing stored for other runs without `store`, a file.
    """
    from cvinfer.data.memory import in_memory, label_text

    data = in_memory(X, y, groups, name)
    entries, objects = _entries(learners, data)
    if primary is not None and tests == "recommended":
        tests = [primary]
    given = {
        "compare": compare,
        "partition": _partition(partition, seed),
        "tests": tests,
        "primary": primary,
        "margin": margin,
        "intervals": intervals,
        "alpha": alpha,
        "correction": correction,
        "positive": None if positive is None else label_text(positive),
        "limits": None if limits is None else dict(limits),
    }
    spec = {
        "cvinfer": 1,
        "name": name,
        "data": dict(data.source),
        "learners": entries,
        "seed": seed,
        **{key: value for key, value in {**given, **more}.items() if value is not None},
    }
    if not objects:
        data = replace(data, X=None)  # it need not travel
    return run(
        _loaded(spec, data, objects),
        jobs=jobs,
        output=None if output is None else Path(output),
        store=None if store is None else Path(store),
        progress=progress,
        fail_fast=fail_fast,
        write=output is not None,
    )


def _loaded(spec: Mapping[str, Any], data: InMemory, objects: Mapping[str, Handed]) -> Loaded:
    """The spec, checked on the data, with the objects in their places."""
    from cvinfer.spec import SpecError
    from cvinfer.spec.check import check
    from cvinfer.spec.load import open_document

    document, base, default = open_document(spec)
    if base is None:
        raise SpecError(document.faults)
    checked, _ = check(document, base, default, allow_code=False, ready=[data])
    if checked is None:
        raise SpecError(document.faults)
    learners = MappingProxyType({**checked.learners, **objects})
    return Loaded(replace(checked, learners=learners), [data])


def _entries(
    learners: Mapping[str, Any], data: InMemory
) -> tuple[dict[str, Any], dict[str, Handed]]:
    """Every learner as the entry of a spec, and the objects that no entry can name."""
    from cvinfer.engines._sklearn import objects

    if not isinstance(learners, Mapping):
        raise UserError(
            "learners must be a mapping of names to estimators, as {'my tree': "
            f"DecisionTreeClassifier()}}, not a {type(learners).__name__}",
            ("learners",),
        )
    entries: dict[str, Any] = {}
    handed: dict[str, Handed] = {}
    for name, estimator in learners.items():
        if isinstance(estimator, Mapping):
            entries[str(name)] = dict(estimator)
            continue
        objects.refuse_no_classifier(str(name), estimator)
        entry = objects.as_entry(estimator, data) if data.whole else None
        if entry is None:
            handed[str(name)] = objects.handed(str(name), estimator)
            entry = {"engine": objects.OBJECT_ENGINE, "learner": handed[str(name)].learner}
        entries[str(name)] = entry
    return entries, handed


def _partition(partition: Any, seed: int) -> Any:
    """What a spec says of a partition; a splitter says it by its scheme and options."""
    from cvinfer.partitions import Partition
    from cvinfer.splitters import Splitter

    if isinstance(partition, Partition):
        raise UserError(
            "a Partition is drawn already; give its scheme, as {'scheme': "
            f"{partition.scheme!r}, ...}} or a splitter, which is drawn with the seed of the whole",
            ("partition",),
        )
    if isinstance(partition, (list, tuple)):
        return [_partition(each, seed) for each in partition]
    if not isinstance(partition, Splitter):
        return partition
    options = {key: value for key, value in partition.get_params().items() if value is not None}
    if options.pop("random_state") not in (0, seed):
        raise UserError(
            f"random_state of {partition!r} is another seed than seed = {seed}; a comparison has "
            "one",
            ("partition", "random_state"),
        )
    return {"scheme": partition.scheme, **options}
