"""What follows from the inferences: corrected p-values and warnings.

Everything here works on plain values (those of the result document), so that it can be checked
without a run. Differences are loss_A - loss_B: positive, A is worse.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from cvinfer.analysis.words import correction_word, p_equation

if TYPE_CHECKING:
    from cvinfer.inference.correction import Correction

#: Fewer discordant records than this, and chi-squared is a poor approximation for McNemar.
FEW_DISCORDANT = 25

#: From so many tests on, a reader is told that they are for study: `all` on K folds gives seven.
MANY_TESTS = 7


#: How warnings begin that have a remedy, and the remedy.
FEW = "few discordant records"
LARGE_SAMPLE = "large-sample condition not met"
ONE_SIDE = "the test rejects, but not all of what it rests on points to the same learner"
REMEDIES = {
    FEW: "take the exact p-value where it is told, or compare on more records",
    LARGE_SAMPLE: "take an interval or a test that needs no such condition, or more records",
    ONE_SIDE: "read the difference with its interval, and claim no winner",
}


def remedy(warning: str) -> str:
    """What to do about a warning of one comparison; nothing where it says so itself."""
    return next((text for start, text in REMEDIES.items() if warning.startswith(start)), "")


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


def one_test(comparison: Mapping[str, Any]) -> str:
    """What comparisons of one column share: the test with its options."""
    options = json.dumps(comparison["options"], sort_keys=True, default=str)
    return f"{comparison['test']} {options}"


def family(comparison: Mapping[str, Any], correction: Correction) -> tuple[str, str]:
    """What comparisons that are corrected together share: measure, test, perhaps the data set."""
    shared = f"{comparison.get('measure', '')} {one_test(comparison)}"
    return shared, str(comparison["data"]) if correction.by_data else ""


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
    found = [comparison["caution"]] if comparison["caution"] else []
    if inference["extra"].get("large_sample") is False:
        found.append(
            f"{LARGE_SAMPLE}: it asks for at least 5 of each outcome (right and wrong; for matched"
            " leave-one-out each of -1, 0, 1)"
        )
    if inference["degenerate"]:
        found.append(str(inference["note"]))
    elif discordant is not None and discordant < FEW_DISCORDANT:
        exact = inference["extra"].get("p_exact")
        beside = (
            ""
            if exact is None
            else f"; the exact binomial p {p_equation(exact, inference['alpha'])}"
        )
        found.append(
            f"{FEW}: n01 + n10 = {discordant:.4g}, below {FEW_DISCORDANT}, so the"
            f" chi-squared approximation is poor{beside}"
        )
    decides = comparison["sentence"] is not None
    undecided = comparison["reject_corrected"] and comparison["better"] is None
    if decides and undecided and not _mu0(comparison):
        found.append(f"{ONE_SIDE}, so none is called better")
    return found


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
        found.append(f"{LARGE_SAMPLE}: it asks for at least 5 right and 5 wrong")
    if result["note"] and not is_accuracy(result):
        found.append(str(result["note"]))
    return found


def is_accuracy(result: Mapping[str, Any]) -> bool:
    """Whether an interval is of a micro average, and its note says nothing but that."""
    return bool(result["extra"].get("micro")) and not result["degenerate"]


def for_study(tests: int) -> str:
    """What a reader of so many tests has to know; nothing where they are few."""
    return f"{tests} tests on the same data are for study, not for claims" * (tests >= MANY_TESTS)


def data_notes(document: Mapping[str, Any]) -> list[str]:
    """What was found or done while the data sets were read, each with the name of its set.

    Licence and citation are not among them: they have a place of their own below the tables.
    """
    return [f"{data['name']}: {note}" for data in document["data"] for note in other_notes(data)]


def rights_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Licence and citation of a data set, as far as its source tells them."""
    return {key: data[key] for key in ("licence", "citation") if data.get(key)}


def other_notes(data: Mapping[str, Any]) -> list[str]:
    """The notes on a data set but for those that say its licence and citation once more."""
    told = tuple(f"{key}: {said}" for key, said in rights_of(data).items())
    return [note for note in data["notes"] if not told or not note.endswith(told)]


def warnings(
    comparisons: Sequence[Mapping[str, Any]],
    verdicts: Sequence[Mapping[str, Any]],
    intervals: Sequence[Mapping[str, Any]],
    interval_notes: Sequence[Sequence[str]],
    correction: Correction,
) -> list[str]:
    """The warnings of a whole document: each once, with the place it belongs to."""
    found: list[str] = []
    study = for_study(len({one_test(comparison) for comparison in comparisons}))
    if study:
        found.append(
            f"{study}: {verdicts[0]['primary']} alone decides; who picks the test after seeing the"
            " results will soon find a difference"
        )
    several = len({comparison.get("measure") for comparison in comparisons}) > 1
    for comparison in comparisons:
        a, b, data, test = (comparison[key] for key in ("a", "b", "data", "test"))
        test += f" by {comparison['measure']}" if several else ""
        for warning in comparison["warnings"]:
            # What holds of the test itself is the same for every pair and data set.
            everywhere = warning == comparison["caution"]
            place = test if everywhere else f"{data}, {a} against {b}, {test}"
            found.append(f"{place}: {warning}")
    for entry, notes in zip(intervals, interval_notes):
        if entry["caution"]:
            found.append(f"{entry['interval']}: {entry['caution']}")
        which = "" if entry["averaging"] is None else f" ({entry['averaging']})"
        place = f"{entry['data']}, {entry['learner']}, {entry['interval']}{which}"
        found += [f"{place}: {note}" for note in notes]
    if correction.method != "none":
        found += _uncounted(comparisons, correction)
    return list(dict.fromkeys(found))


def _uncounted(comparisons: Sequence[Mapping[str, Any]], correction: Correction) -> list[str]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for comparison in comparisons:
        groups.setdefault(family(comparison, correction), []).append(comparison)
    found = []
    for group in groups.values():
        where = f"{group[0]['data']}, " if correction.by_data else ""
        failed = sum(comparison["inference"] is None for comparison in group)
        if failed and len(group) > 1:  # one comparison is not corrected
            method, counted = correction_word(correction.method), len(group) - failed
            found.append(
                f"{where}{group[0]['test']}: {failed} of {len(group)} comparisons have no result,"
                f" so the {method} correction counts {counted} only"
            )
    return found


def _mu0(comparison: Mapping[str, Any]) -> float:
    return float(comparison["options"].get("mu0", 0.0))
