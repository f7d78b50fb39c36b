"""What a paper says of a comparison: a paragraph on methods and one on results, in plain English.

They are made of the finished document and nothing else. What is said of a test is what the test
declares: nothing here knows one by its name.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.analysis import verdicts
from cvinfer.analysis.words import (
    margin_of,
    correction_word,
    count_text,
    is_higher_better,
    is_rate,
    listed,
    mean_name,
    measure_of,
    number,
    p_equation,
    percent,
    scheme_title,
    split_sizes,
    title,
)
from cvinfer.report.tables.entries import scheme_of, training_note
from cvinfer.report.tables.model import Cite, Words

#: What the manifest has that is no software.
NOT_SOFTWARE = "cvinfer encoding"

Entry = Mapping[str, Any]


class Paragraph(NamedTuple):
    """A heading and sentences under it."""

    heading: str
    sentences: Sequence[Words]


def paragraphs(document: Mapping[str, Any]) -> list[Paragraph]:
    """Methods, then results."""
    return [
        Paragraph("Methods", list(_methods(document))),
        Paragraph("Results", list(_results(document))),
    ]


# --- methods --------------------------------------------------------------------------------------


def _methods(document: Mapping[str, Any]) -> Iterator[Words]:
    yield (f"We compared {_learners(document)} on {_data(document)}.",)
    yield from _fits(document)
    primary = _primary(document)
    if primary:
        yield from _deciding(document, primary)
        yield from _others(document)
    versions = document["manifest"]["versions"]
    software = [f"{name} {value}" for name, value in versions.items() if name != NOT_SOFTWARE]
    yield (f"Software: {listed(software)}; seed {document['manifest']['seed']}.",)


def _learners(document: Mapping[str, Any]) -> str:
    named = [_learner(each) for each in document["learners"]]
    if not named:
        losses = document["losses"]
        named = list(dict.fromkeys(each["learner"] for each in losses))
    return listed(named) if named else "two learners"


def _learner(each: Mapping[str, Any]) -> str:
    settings = each.get("settings") or {}
    if settings.get("learner"):
        what = str(settings["learner"])
    else:
        what = " and ".join(next(iter(step)) for step in settings.get("steps") or ())
    params = settings.get("params")
    chosen = ""
    if isinstance(params, Mapping) and params:
        chosen = f" with {', '.join(f'{key}={value}' for key, value in params.items())}"
    elif params:
        chosen = f" with {params if isinstance(params, str) else ' '.join(map(str, params))}"
    about = f"{what}{chosen}, engine {each['engine']}" if what else f"engine {each['engine']}"
    return f"{each['name']} ({about})"


def _data(document: Mapping[str, Any]) -> str:
    sets = [
        f"{data['name']} ({count_text(data['n'], 'record')}, {len(data['classes'])} classes)"
        for data in document["data"]
    ]
    return listed(sets)


def _fits(document: Mapping[str, Any]) -> Iterator[Words]:
    partitions = document["partitions"]
    by_data: dict[str, list[Mapping[str, Any]]] = {}
    for each in partitions:
        by_data.setdefault(each["data"], []).append(each)
    for names, schemes, fits in _alike(by_data):
        where = "" if len(by_data) == 1 else f" On {listed(names)}:"
        trained = "was trained and tested on" if document["learners"] else "was tested on"
        # A split that two schemes have in common is fitted once; a document has no splits to tell.
        most = "at most " * (len(schemes) > 1)
        yield (
            f"{where.strip()}{' e' if where else 'E'}ach learner {trained} the splits of"
            f" {listed(schemes)} ({most}{count_text(fits, 'fit')} of each learner, the same splits"
            " for all).",
        )
    note = training_note(document["comparisons"], document)
    if note:
        yield (note,)


def _alike(
    by_data: Mapping[str, Sequence[Mapping[str, Any]]],
) -> list[tuple[list[str], list[str], int]]:
    """Data sets with the same schemes and numbers of splits, told together."""
    found: dict[tuple[tuple[str, ...], int], list[str]] = {}
    for name, partitions in by_data.items():
        schemes = tuple(dict.fromkeys(scheme_title(each) for each in partitions))
        fits = sum(len(split_sizes(each["sizes"])) for each in partitions)
        found.setdefault((schemes, fits), []).append(name)
    return [(names, list(schemes), fits) for (schemes, fits), names in found.items()]


def _primary(document: Mapping[str, Any]) -> list[Entry]:
    """The entries of the tests that decide."""
    return [each for each in document["comparisons"] if each["sentence"] is not None]


def _deciding(document: Mapping[str, Any], primary: Sequence[Entry]) -> Iterator[Words]:
    from cvinfer.inference import tests

    spec = document["spec"]
    for name in dict.fromkeys(entry["test"] for entry in primary):
        entries = [entry for entry in primary if entry["test"] == name]
        declared = tests().get(name)
        scheme = scheme_of(entries, document["partitions"])
        cite = _cite(entries, None if declared is None else declared.cite)
        alphas = sorted({e["inference"]["alpha"] for e in entries if e["inference"]})
        level = listed([f"{alpha:g}" for alpha in alphas or [spec.get("alpha", 0.05)]])
        said: list[Union[str, Cite]] = [f"The test that decides is {title(name)}", *cite]
        said.append(
            f", made for {scheme}, two-sided at α = {level}"
            f"{_null(entries)}{_corrected(document, entries)}."
        )
        yield tuple(said)
        if declared is not None:
            yield (f"Its documentation says: “{declared.use}”",)
        caution = next((entry["caution"] for entry in entries if entry["caution"]), None)
        if caution:
            yield (f"It {caution}.",)
    measure = measure_of(primary[0], document)
    margin = margin_of(document, measure)
    if margin is not None:
        size = _amount(float(margin), measure)
        yield (
            "Learners are called equivalent where the interval of level 1 − 2α of their"
            f" difference lies within ±{size}.",
        )


def _cite(entries: Sequence[Entry], declared: Optional[str]) -> tuple[Union[str, Cite], ...]:
    key = next((e["inference"]["cite"] for e in entries if e["inference"]), declared)
    if not key:
        return ()
    return " ", Cite(key)


def _null(entries: Sequence[Entry]) -> str:
    nulls = list(dict.fromkeys(_distribution(e["inference"]) for e in entries if e["inference"]))
    return f", its statistic referred to {nulls[0]}" if len(nulls) == 1 else ""


def _distribution(inference: Mapping[str, Any]) -> str:
    from cvinfer.inference.nulls import Null

    null = inference["null"]
    return str(Null(null["family"], tuple(null["parameters"])))


def _corrected(document: Mapping[str, Any], entries: Sequence[Entry]) -> str:
    from cvinfer.inference import correction as corrections

    correction = corrections.read(document["spec"].get("correction", "none"))
    # A family has one measure.
    families: dict[str, int] = {}
    for entry in entries:
        measure = measure_of(entry, document)
        families[measure] = families.get(measure, 0) + (entry["inference"] is not None)
    counted = max(families.values(), default=0)
    if correction.method == "none" or counted < 2:
        return ", not corrected for the number of comparisons" if counted > 1 else ""
    within = " within each data set" if correction.by_data else f" over {counted} comparisons"
    return f", with {correction_word(correction.method)}'s correction{within}"


def _others(document: Mapping[str, Any]) -> Iterator[Words]:
    others = [each for each in document["comparisons"] if each["sentence"] is None]
    if not others:
        return
    said: list[Union[str, Cite]] = ["Beside it "]
    names = list(dict.fromkeys(entry["test"] for entry in others))
    for at, name in enumerate(names):
        said += [", " if 0 < at < len(names) - 1 else " and " if at else "", title(name)]
        said += _cite([entry for entry in others if entry["test"] == name], None)
    yield (
        *said,
        f" {'was' if len(names) == 1 else 'were'} made, uncorrected, to show how much depends on"
        " the choice of the test.",
    )


# --- results --------------------------------------------------------------------------------------


def _results(document: Mapping[str, Any]) -> Iterator[Words]:
    decided = {_pair(entry, document): entry for entry in _primary(document)}
    for verdict in document["verdicts"]:
        entry = decided.get(_pair(verdict, document))
        if entry is not None:
            yield (_result(verdict, entry, measure_of(verdict, document)),)


def _pair(entry: Entry, document: Mapping[str, Any]) -> tuple[str, ...]:
    return entry["data"], entry["a"], entry["b"], measure_of(entry, document)


def _result(verdict: Entry, entry: Entry, measure: str) -> str:
    a, b, inference = entry["a"], entry["b"], entry["inference"]
    if inference is None:
        return f"On {entry['data']}, {a} and {b} could not be compared: {entry['failed']}."
    facts = "; ".join(text for text in (_statistic(entry), _agreement(verdict)) if text)
    ends = f" ({facts})" if facts else ""
    return f"On {entry['data']}, {_finding(verdict, entry, measure)}{ends}."


def _finding(verdict: Entry, entry: Entry, measure: str) -> str:
    a, b, extra = entry["a"], entry["b"], entry["inference"]["extra"]
    what = mean_name(measure)
    values = [_value(extra[f"loss_{side}"], measure) for side in "ab"]
    turn = -1.0 if verdict["verdict"] == verdicts.A_BETTER else 1.0
    winner = {verdicts.A_BETTER: 0, verdicts.B_BETTER: 1}.get(verdict["verdict"])
    size = _size(verdict, measure, turn)
    if winner is not None:
        best, other = (a, b)[winner], (a, b)[1 - winner]
        than = "higher" if is_higher_better(measure) else "lower"
        said = (
            f"{best} had a significantly {than} {what} than {other} ({values[winner]} against"
            f" {values[1 - winner]}; difference {size})"
        )
    else:
        minus = f"{b} minus {a}" if is_higher_better(measure) else f"{a} minus {b}"
        said = (
            f"no significant difference was found between {a} and {b} ({what} {values[0]} and"
            f" {values[1]}; {minus}: {size})"
        )
    if verdict["equivalent"]:
        said += "; they are equivalent within the margin"
    elif winner is None and verdict["verdict"] != verdicts.NO_RESULT:
        said += ", which does not show that they are equal"
    return said


def _value(value: float, measure: str) -> str:
    return number(value, measure) + (" %" if is_rate(measure) else "")


def _amount(value: float, measure: str) -> str:
    return number(value, measure) + (" percentage points" if is_rate(measure) else "")


def _size(verdict: Entry, measure: str, turn: float) -> str:
    if verdict["estimate"] is None:
        return "none"
    size = _amount(turn * verdict["estimate"], measure)
    if verdict["interval"] is None:
        return size
    lower, upper = sorted(turn * end for end in verdict["interval"])
    level = percent(verdict["level"])
    return f"{size}, {level} interval {number(lower, measure)} to {number(upper, measure)}"


def _statistic(entry: Entry) -> str:
    inference = entry["inference"]
    if inference["degenerate"] or inference["statistic"] is None:
        return str(inference["note"])
    alpha = inference["alpha"]
    said = (
        f"{_distribution(inference).replace('N(0, 1)', 'z')} = {inference['statistic']:.4g},"
        f" p {p_equation(inference['p_value'], alpha)}"
    )
    if entry["p_corrected"] != inference["p_value"]:
        said += f", corrected p {p_equation(entry['p_corrected'], alpha)}"
    return said.replace("-", "\N{MINUS SIGN}")


def _agreement(verdict: Entry) -> str:
    if not verdict["of"]:
        return ""
    tests = "further test agrees" if verdict["of"] == 1 else "further tests agree"
    return f"{verdict['agree']} of {verdict['of']} {tests}"
