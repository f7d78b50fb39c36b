"""What follows from the inferences: corrected p-values, who is better, sentences, warnings.

Everything here works on plain values (those of the result document), so that it can be checked
without a run. Differences are loss_A - loss_B: positive, A is worse.
"""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Sequence

from cvinfer.report.words import correction_word, is_rate, number, p_equation

CORRECTION_METHODS = ("none", "holm", "bonferroni", "benjamini-hochberg")

#: Fewer discordant records than this, and chi-squared is a poor approximation for McNemar.
FEW_DISCORDANT = 25

#: Tests whose variance takes the splits for independent, though their training sets overlap.
UNCORRECTED = frozenset(
    {
        "repeated_holdout_t",
        "kfold_t",
        "wong_matched_t",
        "wong_welch_t",
        "loo_matched_t",
        "combined_5x2_t",
        "naive_kfold_mcnemar",
    }
)

OVERLAP_WARNING = (
    "uncorrected test: its training sets overlap but it takes the splits for independent, so it"
    " rejects too often"
)


def corrected_p(p_values: Sequence[Optional[float]], method: str) -> list[Optional[float]]:
    """p-values corrected for their number; None (no result) stays None and is not counted.

    With m values in increasing order p_(1) <= ... <= p_(m):
    bonferroni min(1, m p); holm min(1, max_{j<=i} (m - j + 1) p_(j)) (Holm 1979);
    benjamini-hochberg min(1, min_{j>=i} (m / j) p_(j)) (Benjamini and Hochberg 1995), which
    controls the false discovery rate.
    """
    if method not in CORRECTION_METHODS:
        raise ValueError(
            f"there is no correction {method!r}; it is one of {', '.join(CORRECTION_METHODS)}"
        )
    import numpy as np

    known = [at for at, p in enumerate(p_values) if p is not None]
    p = np.array([p_values[at] for at in known], dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values lie between 0 and 1, got {p.tolist()}")
    m = len(p)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, m + 1)
    adjusted = p.copy()
    if method == "bonferroni":
        adjusted = p * m
    elif method == "holm":
        adjusted[order] = np.maximum.accumulate((m + 1 - rank) * p[order])
    elif method == "benjamini-hochberg":
        scaled = (m / rank) * p[order]
        adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    result: list[Optional[float]] = [None] * len(p_values)
    for at, value in zip(known, np.minimum(adjusted, 1.0).tolist()):
        result[at] = value
    return result


def p_for_correction(inference: Optional[Mapping[str, Any]]) -> Optional[float]:
    """The p-value that takes part in the correction.

    A degenerate result is never a rejection, so it counts as a comparison made with p = 1: were
    the p = 0 of a tie let in, it would make the thresholds of the others too easy.
    """
    if inference is None:
        return None
    return 1.0 if inference["degenerate"] else float(inference["p_value"])


def reject_corrected(inference: Optional[Mapping[str, Any]], p_corrected: Optional[float]) -> bool:
    """Whether H0 is rejected at the test's alpha after the correction; never if degenerate."""
    if inference is None or p_corrected is None or inference["degenerate"]:
        return False
    return bool(p_corrected < inference["alpha"])


def better(
    a: str, b: str, inference: Optional[Mapping[str, Any]], rejected: bool, mu0: float = 0.0
) -> Optional[str]:
    """The learner with the significantly lower loss; None where the test does not tell.

    It does not tell where H0 stands, where H0 is a difference other than zero, where the mean
    difference is zero (an F-test can reject then), and where the statistic points the other way
    than the mean difference (Dietterich's t rests on one of the ten differences).
    """
    if inference is None or not rejected or mu0 != 0.0 or not inference["estimate"]:
        return None
    a_is_worse = inference["estimate"] > 0
    signed = inference["null"]["family"] in ("t", "normal")
    statistic = inference["statistic"]
    if signed and statistic is not None and (statistic > 0) != a_is_worse:
        return None
    return b if a_is_worse else a


def one_test(comparison: Mapping[str, Any]) -> str:
    """What comparisons that are corrected together share: the test with its options."""
    options = json.dumps(comparison["options"], sort_keys=True, default=str)
    return f"{comparison['test']} {options}"


def sentence(
    comparison: Mapping[str, Any], correction: str = "none", loss: str = "zero_one"
) -> str:
    """One plain sentence: who is better, by how much, how sure."""
    a, b, test, inference = (comparison[key] for key in ("a", "b", "test", "inference"))
    place = f"On {comparison['data']}"
    if inference is None:
        return f"{place}, {test} could not compare {a} with {b}: {comparison['failed']}."
    errors, gap = _sizes(inference, loss, comparison["better"] == b)
    mu0 = _mu0(comparison)
    if inference["degenerate"]:
        return f"{place}, {test} cannot tell {a} from {b} ({errors}): {inference['note']}."
    sure = _how_sure(comparison, correction)
    if mu0:
        verdict = "differs" if comparison["reject_corrected"] else "does not differ"
        return (
            f"{place}, the loss of {a} minus that of {b} ({errors}) {verdict} significantly from"
            f" {_amount(mu0, loss)} ({sure})."
        )
    winner = comparison["better"]
    if winner is not None:
        loser = a if winner == b else b
        return f"{place}, {winner} is better than {loser} by {gap} ({errors}; {sure})."
    if comparison["reject_corrected"]:
        return (
            f"{place}, {a} and {b} differ significantly, but the mean difference does not show"
            f" which is better ({errors}; {sure})."
        )
    estimate = inference["estimate"]
    if not estimate:
        return f"{place}, {a} and {b} do not differ ({errors}; {sure})."
    lower = b if estimate > 0 else a
    return (
        f"{place}, {a} and {b} do not differ significantly; {lower} is ahead by {gap}"
        f" ({errors}; {sure})."
    )


def comparison_warnings(
    comparison: Mapping[str, Any], discordant: Optional[float] = None
) -> list[str]:
    """What the reader of one comparison has to know.

    `discordant` is n01 + n10, the number of records on which exactly one learner is wrong, in the
    table that a McNemar test rests on (the smallest one, if there are several).
    """
    inference = comparison["inference"]
    if inference is None:
        return []
    found = []
    if ignores_overlap(inference):
        found.append(OVERLAP_WARNING)
    if inference["extra"].get("large_sample") is False:
        found.append(
            "large-sample condition not met: it asks for at least 5 of each outcome (right and"
            " wrong; for matched leave-one-out each of -1, 0, 1)"
        )
    if inference["degenerate"]:
        found.append(str(inference["note"]))
    elif discordant is not None and discordant < FEW_DISCORDANT:
        exact = inference["extra"].get("p_exact")
        beside = "" if exact is None else f"; the exact binomial p {p_equation(exact)}"
        found.append(
            f"few discordant records: n01 + n10 = {discordant:.4g}, below {FEW_DISCORDANT}, so the"
            f" chi-squared approximation is poor{beside}"
        )
    undecided = comparison["reject_corrected"] and comparison["better"] is None
    if undecided and not _mu0(comparison):
        found.append(
            "the statistic and the mean difference do not point to the same learner, so none is"
            " called better"
        )
    return found


def ignores_overlap(inference: Mapping[str, Any]) -> bool:
    """Whether a test without correction met overlapping training sets."""
    if inference["scheme"] == "kfold" and list(inference["shape"]) == [2]:
        return False  # the two training sets of a 2-fold are disjoint
    uncorrected = inference["name"] in UNCORRECTED
    return uncorrected or inference["extra"].get("rho") == 0.0


def interval_warnings(result: Optional[Mapping[str, Any]]) -> list[str]:
    """What the reader of one interval has to know."""
    if result is None:
        return []
    found = []
    lower, upper = result["lower"], result["upper"]
    if lower is not None and upper is not None and (lower < 0 or upper > 1):
        found.append(
            f"the symmetric interval [{lower:.3f}, {upper:.3f}] reaches outside [0, 1], where the"
            " measure cannot lie"
        )
    if result["extra"].get("large_sample") is False:
        found.append("large-sample condition not met: it asks for at least 5 right and 5 wrong")
    if result["note"]:
        found.append(str(result["note"]))
    return found


def data_notes(document: Mapping[str, Any]) -> list[str]:
    """What was found or done while the data sets were read, each with the name of its set."""
    return [f"{data['name']}: {note}" for data in document["data"] for note in data["notes"]]


def warnings(
    comparisons: Sequence[Mapping[str, Any]],
    intervals: Sequence[Mapping[str, Any]],
    interval_notes: Sequence[Sequence[str]],
    correction: str,
) -> list[str]:
    """The warnings of a whole document: each once, with the place it belongs to."""
    found: list[str] = []
    for comparison in comparisons:
        a, b, data, test = (comparison[key] for key in ("a", "b", "data", "test"))
        for warning in comparison["warnings"]:
            # A fault of the test itself is the same for every pair and data set.
            everywhere = warning == OVERLAP_WARNING
            place = test if everywhere else f"{data}, {a} against {b}, {test}"
            found.append(f"{place}: {warning}")
    for entry, notes in zip(intervals, interval_notes):
        which = "" if entry["averaging"] is None else f" ({entry['averaging']})"
        place = f"{entry['data']}, {entry['learner']}, {entry['interval']}{which}"
        found += [f"{place}: {note}" for note in notes]
    if correction != "none":
        found += _uncounted(comparisons, correction)
    return list(dict.fromkeys(found))


def _uncounted(comparisons: Sequence[Mapping[str, Any]], correction: str) -> list[str]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for comparison in comparisons:
        groups.setdefault(one_test(comparison), []).append(comparison)
    found = []
    for group in groups.values():
        failed = sum(comparison["inference"] is None for comparison in group)
        if failed:
            found.append(
                f"{group[0]['test']}: {failed} of {len(group)} comparisons have no result, so the"
                f" {correction_word(correction)} correction counts {len(group) - failed} only"
            )
    return found


def _mu0(comparison: Mapping[str, Any]) -> float:
    return float(comparison["options"].get("mu0", 0.0))


def _how_sure(comparison: Mapping[str, Any], correction: str) -> str:
    inference = comparison["inference"]
    words = f"{comparison['test']}, p {p_equation(inference['p_value'])}"
    if correction != "none":
        method = correction_word(correction)
        words += f", {method}-corrected p {p_equation(comparison['p_corrected'])}"
        if inference["reject"] and not comparison["reject_corrected"]:
            words += ", significant before the correction only"
    return f"{words}, alpha {inference['alpha']:g}"


def _sizes(inference: Mapping[str, Any], loss: str, b_first: bool) -> tuple[str, str]:
    """Both mean losses in the order in which the learners are named, and their difference."""
    extra, estimate = inference["extra"], inference["estimate"]
    first, second = number(extra["loss_a"], loss), number(extra["loss_b"], loss)
    if b_first:
        first, second = second, first
    noun, unit = ("error rates", "%") if is_rate(loss) else ("mean losses", "")
    return f"{noun} {first}{unit} and {second}{unit}", _amount(abs(estimate), loss)


def _amount(value: float, loss: str) -> str:
    return number(value, loss) + (" percentage points" if is_rate(loss) else "")
