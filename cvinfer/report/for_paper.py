"""A finished document as a paper shows it: fewer tests, another family of comparisons.

The document itself stays as it is; what is changed here is shown and nothing more, and the notes of
the table say over which comparisons its p-values are corrected.
"""

from __future__ import annotations

from typing import Any, Collection, Mapping

from cvinfer.analysis import judge, verdicts
from cvinfer.errors import UserError
from cvinfer.names import close_match
from cvinfer.paper import PaperOptions

#: `correction` of the options, as `over` of a spec's correction.
OVER = {"per_data": "data", "all": "all"}


def as_chosen(
    document: Mapping[str, Any], options: PaperOptions, asked: Collection[str] = ()
) -> Mapping[str, Any]:
    """A document with the tests and the correction that are chosen for its tables.

    `asked` are tests that must be there; those of the spec may be recommended elsewhere only.
    """
    if not document.get("comparisons"):
        return document
    _refuse_absent(document, asked)
    if options.tests is not None:
        document = _with_tests(document, options.tests)
    if options.correction is not None:
        document = _corrected_over(document, OVER[options.correction])
    return document


def _refuse_absent(document: Mapping[str, Any], asked: Collection[str]) -> None:
    there = list(dict.fromkeys(entry["test"] for entry in document["comparisons"]))
    for name in asked:
        if name not in there:
            message = f"there is no test {name!r} in this result"
            raise UserError(message, ("tests",), ", ".join(there), close_match(name, there))


def _with_tests(document: Mapping[str, Any], wanted: Collection[str]) -> Mapping[str, Any]:
    """The test that decides, and of the others those that are wanted."""
    kept = [
        entry
        for entry in document["comparisons"]
        if entry["sentence"] is not None or entry["test"] in wanted
    ]
    return {**document, "comparisons": kept}


def _corrected_over(document: Mapping[str, Any], over: str) -> Mapping[str, Any]:
    """p-values corrected within each data set, or over all; who is better follows from them."""
    from cvinfer.inference import correction as corrections  # needs numpy

    spec = document["spec"]
    method = corrections.read(spec.get("correction", "none")).method
    correction = corrections.Correction(method, over)
    families: dict[tuple[str, ...], list[int]] = {}
    entries = [dict(entry) for entry in document["comparisons"]]
    for at, entry in enumerate(entries):
        families.setdefault(judge.family(entry, correction), []).append(at)
    for places in families.values():
        inferences = [entries[at]["inference"] for at in places]
        p_values = [judge.p_for_correction(inference) for inference in inferences]
        for at, p in zip(places, corrections.corrected_p(p_values, method)):
            entries[at].update(_decided(entries[at], p))
    return {
        **document,
        "comparisons": entries,
        "spec": {**spec, "correction": correction.written()},
    }


def _decided(entry: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """What follows from the corrected p of an entry; only the test that decides names a winner."""
    inference = entry["inference"]
    rejected = judge.reject_corrected(inference, p)
    better = None
    if rejected and entry["sentence"] is not None and not entry["options"].get("mu0"):
        worse = verdicts.direction(inference)
        better = {1: entry["b"], -1: entry["a"]}.get(worse)
    return {"p_corrected": p, "reject_corrected": rejected, "better": better}
