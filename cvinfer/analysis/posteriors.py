"""The correlated Bayesian t-test beside each verdict, where a spec asks for it.

It is a posterior of the mean difference, no error rate, and decides nothing. It takes the splits of
the primary test's partition, whatever their scheme, with ρ = n_test/n.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from cvinfer.analysis.together import decisive
from cvinfer.analysis.words import (
    is_higher_better,
    mean_name,
    number,
    split_sizes,
    trained_elsewhere,
)
from cvinfer.inference import InputError, bayes_correlated_t

Entry = Mapping[str, Any]
#: Of each split, in the shape of the partition; None where a learner failed.
Values = Sequence[Union[None, float, "Values"]]


def beside(document: Entry, loss: str, margin: Optional[float]) -> list[dict[str, Any]]:
    """`bayes` of a document: one entry for each verdict, in their order."""
    values = {
        (each["data"], each["learner"], each["partition"]): each["per_split"]
        for each in document["losses"]
    }
    places = decisive(document)
    made = []
    for verdict in document["verdicts"]:
        at = places.get(verdict["data"])
        partition = None if at is None else document["partitions"][at]
        both = [values.get((verdict["data"], verdict[side], at)) for side in ("a", "b")]
        found = posterior(verdict, partition, both, margin, -1.0 if is_higher_better(loss) else 1.0)
        made.append({**found, "sentence": sentence(found, loss)})
    return made


def posterior(
    verdict: Entry,
    partition: Optional[Entry],
    values: Sequence[Optional[Values]],
    margin: Optional[float],
    sign: float = 1.0,
) -> dict[str, Any]:
    """One entry of `bayes`; `values` are those of A and of B on each split.

    `sign` is -1 where higher is better.
    """
    made = {key: verdict[key] for key in ("data", "a", "b", "measure") if key in verdict}
    failed = _why_not(partition, values)
    found = None
    if failed is None and partition is not None:
        a, b = (np.array(each, dtype=np.float64).ravel() for each in values)
        sizes = np.array(split_sizes(partition["sizes"]), dtype=np.float64)
        train, test = sizes.mean(axis=0)
        try:
            found = bayes_correlated_t(sign * (a - b), train, test, margin or 0.0).as_dict()
        except InputError as error:
            failed = str(error)
    return {**made, "test": "bayes_correlated_t", "result": found, "failed": failed}


def _why_not(partition: Optional[Entry], values: Sequence[Optional[Values]]) -> Optional[str]:
    if partition is None or any(each is None for each in values):
        return "there are no values of both learners"
    flat = [one for each in values for one in np.array(each, dtype=object).ravel()]
    if None in flat:
        return "a learner failed on some splits"
    if len(flat) < 4:
        return "there is one split only"
    if trained_elsewhere([train for train, _ in split_sizes(partition["sizes"])]):
        return "the learners were trained elsewhere, on how many records is not known"
    return None


def sentence(entry: Entry, loss: str) -> str:
    """Three probabilities in words."""
    place, a, b = f"On {entry['data']}", entry["a"], entry["b"]
    found = entry["result"]
    if found is None:
        return f"{place}, no posterior of {a} against {b}: {entry['failed']}."
    parts = [f"{a} is better with {_share(found['p_a_better'])}"]
    if found["margin"]:
        within = f"equivalent within ±{number(found['margin'], loss)}"
        parts.append(f"they are {within} with {_share(found['p_equivalent'])}")
    parts.append(f"{b} with {_share(found['p_b_better'])}")
    still = "; the differences do not vary" if found["degenerate"] else ""
    return (
        f"{place}, posterior probabilities by {mean_name(loss)} (correlated Bayesian t,"
        f" ρ = {found['rho']:.3g}): {', '.join(parts)}{still}."
    )


def _share(probability: float) -> str:
    if 0.0 < probability < 0.001:
        return "< 0.001"
    return "> 0.999" if 0.999 < probability < 1.0 else f"{probability:.3f}"
