"""A test on each replication by itself, with all that its result has: p, interval, direction.

`evaluate` runs a test once on a whole stretch and keeps counts; where a verdict is wanted, or
another hypothesis for each replication, every one needs its own result.
"""

from __future__ import annotations

import inspect
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.inference import Inference, InputError, Procedure, infer, procedure
from cvinfer.inference.tables import Batch, arguments, mean_losses
from cvinfer.planning import Use
from cvinfer.studies.evaluate import Parts, stacked
from cvinfer.studies.plan import Splits


class Decision(NamedTuple):
    """What a test found in one replication, and what it was made from."""

    inference: Inference
    declared: Procedure
    data: tuple[Any, ...]
    options: Mapping[str, Any]

    def rejects(self, mu0: float) -> bool:
        """Whether the test would reject that the difference is `mu0`; it must have that option."""
        found = infer(self.declared.name, *self.data, **{**self.options, "mu0": mu0})
        return bool(found.reject)

    @property
    def centre(self) -> float:
        """What the test takes for the difference: the mean, but for the one that picks a half."""
        picked = self.inference.extra.get("picked")
        return float(self.inference.estimate if picked is None else picked)


def takes(declared: Procedure, option: str) -> bool:
    """Whether a test has an option: mu0, to be asked about a difference; pick, to rest on one."""
    return option in inspect.signature(declared.function).parameters


def decisions(
    use: Use, alpha: float, used: Sequence[Splits], parts: Sequence[Parts]
) -> list[Optional[Decision]]:
    """A test on every replication; None where one of its fits failed."""
    declared = procedure(use.request.name)
    options: dict[str, Any] = {"alpha": alpha, **use.request.options}
    stack = stacked(used, parts)
    found: list[Optional[Decision]] = [None] * len(stack.failed)
    for rows, batches in stack.alike:
        for at, row in enumerate(map(int, rows)):
            single = [Batch(batch.tables[at], batch.train) for batch in batches]
            try:
                found[row] = _decision(declared, single, options)
            except InputError:
                continue
    return found


def _decision(
    declared: Procedure, batches: Sequence[Batch], options: Mapping[str, Any]
) -> Decision:
    data = arguments(declared, batches)
    result: Inference = infer(declared.name, *data, **options)
    means = dict(zip(("loss_a", "loss_b"), map(float, mean_losses(declared, batches))))
    known = {key: mean for key, mean in means.items() if key not in result.extra}
    return Decision(result.with_extra(**known), declared, data, options)
