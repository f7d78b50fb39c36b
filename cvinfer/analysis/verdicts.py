"""The verdict of a comparison: one test decides, and the others stand beside it.

The primary test, after the correction for the number of comparisons, says who is better. Its
interval shows how large the difference may be, and whether it lies inside a margin that the user
calls small. Differences are loss_A - loss_B: positive, A is worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.inference import Inference
from cvinfer.inference.result import jsonable

A_BETTER, B_BETTER = "a_better", "b_better"
EQUIVALENT, UNDECIDED, NO_RESULT = "equivalent", "undecided", "no_result"

#: A difference smaller than this share of the losses themselves is rounding noise.
NOISE = 1e-12

Ends = Optional[list[float]]


@dataclass(frozen=True)
class Tested:
    """One test of one pair: its entry of the document, and the inference it was made from.

    `estimand` says in words for which learners the result speaks.
    """

    entry: dict[str, Any]
    inference: Optional[Inference]
    estimand: str

    @property
    def mu0(self) -> float:
        return float(self.entry["options"].get("mu0", 0.0))


class Family(NamedTuple):
    """How many comparisons of a test are corrected together, and by which method."""

    size: int
    correction: str

    @property
    def corrected(self) -> bool:
        return self.correction != "none" and self.size > 1


def difference(inference: Mapping[str, Any]) -> float:
    """The mean difference; what is only rounding noise of the losses is zero."""
    return _without_noise(float(inference["estimate"]), inference)


def _without_noise(value: float, inference: Mapping[str, Any]) -> float:
    losses = (abs(inference["extra"].get(key) or 0.0) for key in ("loss_a", "loss_b"))
    return 0.0 if abs(value) <= NOISE * max(losses) else value


def direction(inference: Mapping[str, Any]) -> int:
    """1 where the test shows A to be the worse, -1 where it shows B, 0 where it does not tell.

    The sign of the mean difference, if nothing speaks against it: a t or z statistic that points
    the other way (Dietterich's t rests on one of the ten differences), or, for an F, which has no
    sign, replications whose mean differences do not all have the same one.
    """
    estimate = difference(inference)
    sign = (estimate > 0) - (estimate < 0)
    family, statistic = inference["null"]["family"], inference["statistic"]
    if family in ("t", "normal") and statistic is not None and statistic * sign <= 0:
        return 0
    if family == "F":
        means = inference["extra"].get("replication_means") or [0.0]
        if any(_without_noise(mean, inference) * sign <= 0 for mean in means):
            return 0
    return sign


def interval(tested: Tested, level: Optional[float] = None) -> Ends:
    """The test's interval for the difference; None where it has none, or one without a length.

    Its level is 1 - alpha unless another is said.
    A zero variance estimate gives an interval of length zero, which is no statement of certainty:
    the distribution behind it does not apply (docs/decisions/degenerate-policy.md).
    """
    found = None if tested.inference is None else tested.inference.interval(level)
    if found is None or tested.inference is None:
        return None
    lower, upper = (jsonable(end) for end in found)
    if lower is None or upper is None or (tested.inference.degenerate and lower == upper):
        return None
    return [float(lower), float(upper)]


def rejects(tested: Tested) -> bool:
    """Whether H0 is rejected after the correction."""
    return bool(tested.entry["reject_corrected"])


def inside_margin(tested: Tested, margin: Optional[float]) -> bool:
    """Two one-sided tests (Schuirmann 1987): the interval of level 1 - 2 alpha inside ±margin."""
    ends = margin_interval(tested) if margin is not None else None
    return margin is not None and ends is not None and -margin < ends[0] and ends[1] < margin


def margin_interval(tested: Tested) -> Ends:
    """The interval that equivalence is judged by, of level 1 - 2 alpha."""
    level = 0.0 if tested.inference is None else 1.0 - 2.0 * tested.inference.alpha
    return interval(tested, level) if level > 0 else None


def kind(tested: Tested, margin: Optional[float]) -> str:
    """The verdict that this test gives."""
    inference = tested.entry["inference"]
    if inference is None or (inference["statistic"] is None and inference["interval"] is None):
        return NO_RESULT
    if rejects(tested) and tested.mu0 == 0.0:
        worse = direction(inference)
        if worse:
            return B_BETTER if worse > 0 else A_BETTER
    return EQUIVALENT if inside_margin(tested, margin) else UNDECIDED


def verdict(
    primary: Tested, further: Sequence[Tested], family: Family, margin: Optional[float]
) -> dict[str, Any]:
    """One entry of `verdicts`: what the primary test says, and how many others would say it too.

    `interval` has the level 1 - alpha for this comparison alone; `interval_simultaneous` holds for
    all comparisons of the family together (Bonferroni: level 1 - alpha/size).
    """
    entry, found = primary.entry, kind(primary, margin)
    agree = sum(kind(other, margin) == found for other in further)
    made = {
        **{key: entry[key] for key in ("data", "a", "b", "measure", "p_corrected", "trained_on")},
        "primary": entry["test"],
        "verdict": found,
        "equivalent": inside_margin(primary, margin),
        "estimand": primary.estimand,
        "agree": 0 if found == NO_RESULT else agree,
        "of": len(further),
    }
    return {**made, **_numbers(primary, family, margin)}


def _numbers(primary: Tested, family: Family, margin: Optional[float]) -> dict[str, Any]:
    keys = ("estimate", "level", "interval", "interval_simultaneous", "interval_margin", "p_value")
    if primary.inference is None:
        return dict.fromkeys(keys)
    alpha = float(primary.inference.alpha)
    together = interval(primary, 1.0 - alpha / family.size) if family.corrected else None
    values = (
        difference(primary.entry["inference"]),
        1.0 - alpha,
        interval(primary),
        together,
        None if margin is None else margin_interval(primary),
        primary.entry["inference"]["p_value"],
    )
    return dict(zip(keys, values))
