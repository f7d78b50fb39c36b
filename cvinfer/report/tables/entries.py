"""What tables ask of the entries of a document: schemes, sources and training sizes in words."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from cvinfer.analysis import judge
from cvinfer.analysis.words import (
    listed,
    scheme_title,
    split_sizes,
    trained_elsewhere,
    training_share,
    training_words,
)

LONGEST_FOOTNOTE = 220
#: Citations of data sets that a table has room for.
MOST_CITED = 8

Entries = list[Optional[Mapping[str, Any]]]
Verdicts = Sequence[Mapping[str, Any]]


def present(column: Entries) -> list[Mapping[str, Any]]:
    return [entry for entry in column if entry is not None]


def inference_of(entry: Optional[Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
    return None if entry is None else entry["inference"]


def inferences_of(column: Entries) -> list[Mapping[str, Any]]:
    return [i for i in (inference_of(entry) for entry in column) if i is not None]


def scheme_of(entries: Sequence[Mapping[str, Any]], partitions: Sequence[Mapping[str, Any]]) -> str:
    """The schemes of a test in words, over all data sets that it was run on."""
    named = []
    beside = [partitions[at] for entry in entries for at in entry["partitions"]]
    for entry in entries:
        titles = [scheme_title(partitions[at], beside) for at in entry["partitions"]]
        if len(titles) == 2 and titles[0] == titles[1]:
            titles = [titles[0], "own folds"]
        named.append(" + ".join(titles))
    return " / ".join(dict.fromkeys(named))


def cite_of(kind: str, name: str, results: Sequence[Optional[Mapping[str, Any]]]) -> Optional[str]:
    """The source that the results name; where all failed, the one that the registry has."""
    for result in results:
        if result is not None:
            return str(result["cite"])
    from cvinfer.inference import intervals, tests

    declared = (tests() if kind == "test" else intervals()).get(name)
    return None if declared is None else declared.cite


def caution_of(known: Sequence[Mapping[str, Any]]) -> Optional[str]:
    """What holds of the test itself, for a table that has no folder of documents beside it."""
    from cvinfer.inference.cautions import WHERE  # needs numpy

    said = (entry["caution"] for entry in known if entry["caution"])
    return next((text.removesuffix(f" ({WHERE})") for text in said), None)


def training_note(entries: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> str:
    """On how many records learners were trained, for each scheme that results rest on."""
    # The estimate comes from the first of several partitions.
    used = {at: document["partitions"][at] for entry in entries for at in entry["partitions"][:1]}
    by_scheme: dict[str, list[Mapping[str, Any]]] = {}
    for partition in used.values():
        by_scheme.setdefault(scheme_title(partition, list(used.values())), []).append(partition)
    by_words: dict[str, list[str]] = {}
    elsewhere = []
    for scheme, partitions in by_scheme.items():
        if trained_elsewhere([train for each in partitions for train, _ in _sizes(each)]):
            elsewhere.append(scheme)
        else:
            by_words.setdefault(_training_words(partitions, document), []).append(scheme)
    said = [f"{words} ({listed(schemes)})" for words, schemes in by_words.items() if words]
    notes = [f"Learners are trained on {'; '.join(said)}."] if said else []
    if elsewhere:
        notes.append(
            f"The learners were trained elsewhere ({listed(elsewhere)}); on which records, the"
            " predictions do not say."
        )
    return " ".join(notes)


def rights_note(document: Mapping[str, Any]) -> str:
    """Licence and citation of the data sets whose source tells them; nothing where none does.

    Of many data sets a table has their licences, and where the citations are.
    """
    known = {data["name"]: judge.rights_of(data) for data in document["data"]}
    by_licence: dict[str, list[str]] = {}
    for name, said in known.items():
        if "licence" in said:
            by_licence.setdefault(shortened(said["licence"]), []).append(name)
    licences = [f"{licence} ({listed(names)})" for licence, names in by_licence.items()]
    cited = {name: said["citation"] for name, said in known.items() if "citation" in said}
    notes = [f"Licence of the data: {'; '.join(licences)}."] if licences else []
    if len(cited) > MOST_CITED:
        notes.append(f"How {len(cited)} of the data sets are to be cited is in result.json.")
    elif cited:
        texts = [f"{name}: {shortened(said).rstrip('.')}" for name, said in cited.items()]
        notes.append(f"To be cited for the data: {'; '.join(texts)}.")
    return " ".join(notes)


def _sizes(partition: Mapping[str, Any]) -> list[tuple[int, int]]:
    return split_sizes(partition["sizes"])


def _training_words(partitions: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> str:
    """The number for one data set, the share of n for several that have it in common."""
    n_of = {data["name"]: data["n"] for data in document["data"]}
    sizes = [[train for train, _ in _sizes(each)] for each in partitions]
    of = [n_of[each["data"]] for each in partitions if each["data"] in n_of]
    if len(of) < len(partitions):
        return ""  # a document that was changed by hand
    if len(partitions) == 1:
        return training_words(sizes[0], of[0])
    shares = {training_share(each, n) for each, n in zip(sizes, of)}
    share = shares.pop() if len(shares) == 1 else None
    if share is not None:
        return f"{share} of the n records of a set"
    every = [size for each in sizes for size in each]
    return f"{min(every):,} to {max(every):,} records"


def shown_point(result: Mapping[str, Any]) -> Optional[float]:
    """The plain score can lie outside the interval of its own posterior; the median cannot."""
    shown: Optional[float] = result["extra"].get("median", result["point"])
    return shown


def duplicates(names: Sequence[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


def shortened(text: str) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= LONGEST_FOOTNOTE else flat[: LONGEST_FOOTNOTE - 1] + "…"
