"""Where a stratified partition would have helped: told with the partition to ask for."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.partitions import PartitionError, Plan, make_plan, schemes

Codes = NDArray[Any]


def lacking_in_training(plan: Plan, split: int, target: Codes, classes: tuple[str, ...]) -> str:
    """Which classes the training records of a split lack, with the remedy, in words.

    Empty where there is none, or where the same partition, stratified, would not help.
    """
    train = plan.splits[split].train
    lacking = _lacking(target, train, len(classes))
    if not lacking.size:
        return ""
    stratified = _stratified(plan, target)
    if stratified is None or any(
        _lacking(target, each.train, len(classes)).size for each in stratified.splits
    ):
        return ""
    names = ", ".join(repr(classes[each]) for each in lacking)
    return (
        f"its {len(train)} training records have none of class {names}; {_written(plan)} would"
        " avoid it"
    )


def tested_everywhere(plan: Plan, target: Codes, code: int) -> str:
    """The partition whose every test set has a class, as one asks for it; empty if none has."""
    stratified = _stratified(plan, target)
    if stratified is None or not all((target[s.test] == code).any() for s in stratified.splits):
        return ""
    return f"{_written(plan)} would avoid it"


def _lacking(target: Codes, records: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The classes that the data has and these records do not."""
    there, here = (np.bincount(codes, minlength=count) for codes in (target, target[records]))
    return np.flatnonzero((there > 0) & (here == 0))


def _stratified(plan: Plan, target: Codes) -> Optional[Plan]:
    """The same scheme with the classes shared out; None where it is so already, or cannot be."""
    info = schemes().get(plan.scheme)
    # A plan that was read from a file says nothing of classes, and grouped ones cannot share them.
    if info is None or not info.stratify or plan.options.get("stratify") is not False:
        return None
    if plan.options.get("groups"):
        return None
    try:
        return make_plan(plan.scheme, plan.n, seed=plan.seed, stratify=target, **_options(plan))
    except PartitionError:
        return None


def _options(plan: Plan) -> dict[str, Any]:
    """The options of a plan that a spec can give."""
    known = schemes()[plan.scheme].defaults
    given = {name: plan.options.get(name) for name in known if name != "blocks"}
    return {name: value for name, value in given.items() if value is not None}


def _written(plan: Plan) -> str:
    defaults = schemes()[plan.scheme].defaults
    given = {name: value for name, value in _options(plan).items() if value != defaults[name]}
    options = "".join(f", {name}: {value}" for name, value in given.items())
    return f"partition: {{scheme: {plan.scheme}{options}, stratify: true}}"
