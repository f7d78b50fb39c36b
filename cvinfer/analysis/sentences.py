"""The verdict of a comparison as one plain sentence: who, by how much, how sure, for what size."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from cvinfer.analysis import verdicts
from cvinfer.analysis.words import (
    MINUS,
    correction_word,
    count,
    is_higher_better,
    is_rate,
    mean_name,
    number,
    p_equation,
    percent,
    shown_as_nothing,
)


def sentence(
    verdict: Mapping[str, Any],
    comparison: Mapping[str, Any],
    *,
    loss: str,
    correction: Optional[str] = None,
    margin: Optional[float] = None,
) -> str:
    """What the primary test says of a pair. `comparison` is the primary test's entry.

    `correction` is None where nothing was corrected: without a method, or with one comparison only.
    """
    a, b, test, inference = (comparison[key] for key in ("a", "b", "test", "inference"))
    place = f"On {comparison['data']}"
    if inference is None:
        by = "" if is_rate(loss) else f" by {mean_name(loss)}"
        return f"{place}, {test} could not compare {a} with {b}{by}: {comparison['failed']}."
    winner = {verdicts.A_BETTER: a, verdicts.B_BETTER: b}.get(verdict["verdict"])
    facts = _facts(verdict, comparison, loss, correction, b_first=winner == b)
    words = _Words(verdict, comparison, loss, margin)
    if inference["degenerate"]:
        said = f"{test} cannot tell {a} from {b}: {inference['note']}{words.beside()}"
    elif winner is not None:
        loser = a if winner == b else b
        said = f"{winner} is better than {loser} by {words.gain()}"
    elif comparison["options"].get("mu0"):
        said = words.other_hypothesis()
    elif comparison["reject_corrected"]:
        said = (
            f"{a} and {b} differ significantly, but the mean difference does not show which is"
            f" better{words.beside()}"
        )
    else:
        said = f"{a} and {b} do not differ significantly; {words.gap()}"
    return f"{place}, {said}{words.equivalence()} ({facts})."


class _Words:
    """Pieces that several sentences share."""

    def __init__(
        self,
        verdict: Mapping[str, Any],
        comparison: Mapping[str, Any],
        loss: str,
        margin: Optional[float],
    ) -> None:
        self.verdict, self.comparison = verdict, comparison
        self.loss, self.margin = loss, margin

    def gain(self) -> str:
        """By how much the better learner is ahead."""
        size = _amount(abs(self.verdict["estimate"]), self.loss)
        by = "" if is_rate(self.loss) else f" in {mean_name(self.loss)}"
        return size + by + self._interval()

    def gap(self) -> str:
        first, second = self._order()
        what = mean_name(self.loss)
        size = _amount(self.verdict["estimate"], self.loss)
        return f"the {what} of {first} minus that of {second} is {size}{self._interval()}"

    def _order(self) -> tuple[str, str]:
        """Whose value comes first in the difference, so that a positive one means A is worse."""
        a, b = self.comparison["a"], self.comparison["b"]
        return (b, a) if is_higher_better(self.loss) else (a, b)

    def beside(self) -> str:
        """The difference after a sentence that says something else."""
        return f"; {self.gap()}"

    def other_hypothesis(self) -> str:
        differs = "differs" if self.comparison["reject_corrected"] else "does not differ"
        mu0 = _amount(float(self.comparison["options"]["mu0"]), self.loss)
        first, second = self._order()
        what = mean_name(self.loss) if is_higher_better(self.loss) else "loss"
        return (
            f"the {what} of {first} minus that of {second} {differs}"
            f" significantly from {mu0}{self.beside()}"
        )

    def equivalence(self) -> str:
        """What follows from the margin, if there is one and the interval lies inside it."""
        if self.margin is None or not self.verdict["equivalent"]:
            return ""
        margin = _amount(self.margin, self.loss)
        level = percent(2.0 * self.verdict["level"] - 1.0)
        ends = self._ends(self.verdict["interval_margin"])
        return f"; they are equivalent within ±{margin} (the {level} interval is {ends})"

    @property
    def _turn(self) -> float:
        """A sentence that names a winner turns every interval so that it fits."""
        return -1.0 if self.verdict["verdict"] == verdicts.A_BETTER else 1.0

    def _interval(self) -> str:
        ends = self.verdict["interval"]
        if ends is None:
            return ""
        level = percent(self.verdict["level"])
        return f", {level} interval {self._ends(ends)}{self._centre()}"

    def _ends(self, ends: Sequence[float]) -> str:
        lower, upper = sorted(self._turn * end for end in ends)
        return f"{number(lower, self.loss)} to {number(upper, self.loss)}"

    def _centre(self) -> str:
        """Where the interval is not about the mean difference that stands before it."""
        picked = self.comparison["inference"]["extra"].get("picked")
        if picked is None:
            return ""
        where = number(self._turn * picked, self.loss)
        return f", centred on the one difference that is tested, {where}"


def _facts(
    verdict: Mapping[str, Any],
    comparison: Mapping[str, Any],
    loss: str,
    correction: Optional[str],
    b_first: bool,
) -> str:
    parts = [
        _losses(comparison["inference"], loss, b_first),
        _how_sure(comparison, correction),
        str(verdict["estimand"]),
        _agreement(verdict),
    ]
    return "; ".join(part for part in parts if part)


def _how_sure(comparison: Mapping[str, Any], correction: Optional[str]) -> str:
    inference = comparison["inference"]
    if inference["degenerate"]:
        return ""
    alpha = inference["alpha"]
    words = f"{comparison['test']}, p {p_equation(inference['p_value'], alpha)}"
    if correction is not None:
        method = correction_word(correction)
        words += f", {method}-corrected p {p_equation(comparison['p_corrected'], alpha)}"
        if inference["reject"] and not comparison["reject_corrected"]:
            words += ", significant before the correction only"
    words += f", alpha {alpha:g}"
    return words if inference["interval"] is not None else f"{words}, a test without an interval"


def _agreement(verdict: Mapping[str, Any]) -> str:
    if not verdict["of"]:
        return ""
    verb = "agrees" if verdict["of"] == 1 else "agree"
    return f"{verdict['agree']} of {count(verdict['of'], 'further test')} {verb}"


def _losses(inference: Mapping[str, Any], loss: str, b_first: bool) -> str:
    """Both mean losses in the order in which the learners are named."""
    keys: Sequence[str] = ("loss_b", "loss_a") if b_first else ("loss_a", "loss_b")
    noun, unit = mean_name(loss, several=True), "%" if is_rate(loss) else ""
    first, second = (number(inference["extra"][key], loss) for key in keys)
    return f"{noun} {first}{unit} and {second}{unit}"


def _amount(value: float, loss: str) -> str:
    """A difference with its unit; one that would be shown as nothing is told by its bound."""
    text = number(value, loss)
    if shown_as_nothing(value, loss):
        text = "less than 0.005" if value > 0 else f"more than {MINUS}0.005"
    return text + (" percentage points" if is_rate(loss) else "")
