"""Each comparison by itself: splits in pairs, the contingency table, its posterior, all tests."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from cvinfer.analysis.words import NONE, scheme_title
from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.densities import beta_density, curve, span_of
from cvinfer.report.page.figures.strips import dumbbells
from cvinfer.report.page.markup import Content, Element, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, badge, framed, table
from cvinfer.report.page.reading import Pair, Reading, p_cell
from cvinfer.report.page.scale import decimals, scale
from cvinfer.report.page.sections import section
from cvinfer.report.page.sections.splits import values

#: So many comparisons stand open; of more, a click shows one.
OPEN = 3
#: Splits that are shown in pairs.
MOST_SPLITS = 60

POSTERIORS = (
    ("e", "that the two disagree on a record"),
    ("r", "that it is A who errs where they disagree"),
    ("q_a", "that A errs where B is right"),
    ("q_b", "that A errs where B errs"),
)


@section("evidence", "Each comparison", of=("result",), place=60)
def evidence(reading: Reading) -> Content:
    verdicts = {reading.pair(each): each for each in reading.document["verdicts"]}
    made = [
        _one(reading, pair, tests, verdicts.get(pair), len(verdicts) <= OPEN)
        for pair, tests in reading.tests.items()
    ]
    if not made:
        return None
    words = "The splits of the test that decides, the tables that it rests on, and every test."
    return [tag("p", words), made]


def _one(
    reading: Reading,
    pair: Pair,
    tests: Sequence[JsonObject],
    verdict: Optional[JsonObject],
    open_: bool,
) -> Element:
    where = [tag("span", [" on ", bdi(pair.data)], class_="muted")] * (len(reading.data_names) > 1)
    by = f" by {pair.measure}" if len(reading.measures) > 1 else ""
    head = tag(
        "summary",
        tag("strong", bdi(pair.a), " and ", bdi(pair.b)),
        where,
        by,
        [" ", badge(verdict["verdict"])] if verdict else None,
    )
    parts: list[Content] = [
        [_pairs(reading, pair, tests[0]), _tests(reading, pair, tests)],
        _contingency(pair, tests),
    ]
    shown = [tag("div", part, class_="panel") for part in parts if part]
    return tag(
        "details",
        head,
        tag("div", shown, class_="panels"),
        open=open_,
        data_row=pair.data,
        class_="pair",
    )


# --- splits ---------------------------------------------------------------------------------------


def _pairs(reading: Reading, pair: Pair, test: JsonObject) -> Content:
    if not test["partitions"]:
        return None
    at = test["partitions"][0]
    found = {
        each["learner"]: list(values(each["per_split"]))
        for each in reading.by(pair.measure, "losses")
        if each["partition"] == at and each["learner"] in (pair.a, pair.b)
    }
    both = list(zip(found.get(pair.a, []), found.get(pair.b, [])))
    known = [value for each in both for value in each if value is not None]
    if not known or len(both) > MOST_SPLITS:
        return None
    partition = reading.document["partitions"][at]
    axis = scale(known, 5)
    places = decimals(axis.ticks)
    names = _split_names(partition["shape"])
    worse = sum(a > b for a, b in both if a is not None and b is not None)
    better = sum(a < b for a, b in both if a is not None and b is not None)
    what = reading.called(pair.measure)
    words = (
        f"{pair.a} has the larger {what} on {worse} of {len(both)} splits, {pair.b} on {better}."
    )
    title = f"{what} of both learners on every split"
    picture = dumbbells(axis, both, names, title, words)
    ticks = numbers(axis, lambda value: reading.tick(value, pair.measure, places))
    return [
        tag("h3", f"Splits: {scheme_title(partition, [partition])}"),
        tag(
            "figure",
            drawing(16, ticks),
            picture,
            tag("figcaption", f"{_capital(what)}{reading.share(pair.measure)}. {words}"),
        ),
        _legend(pair),
    ]


def _legend(pair: Pair) -> Element:
    return tag(
        "ul",
        tag("li", tag("span", class_="key a-key", aria_hidden="true"), "A: ", bdi(pair.a)),
        tag("li", tag("span", class_="key b-key", aria_hidden="true"), "B: ", bdi(pair.b)),
        class_="legend",
    )


def _split_names(shape: Sequence[int]) -> list[str]:
    names = [""]
    for size in shape:
        names = [f"{name}{'.' if name else ''}{at + 1}" for name in names for at in range(size)]
    return [f"split {name}".strip() for name in names]


# --- contingency tables ---------------------------------------------------------------------------


def _contingency(pair: Pair, tests: Sequence[JsonObject]) -> Content:
    """Of the first test that reports its table, which is the one that decides if it has one."""
    for test in tests:
        extra = (test["inference"] or {}).get("extra", {})
        if extra.get("effective_table"):
            return _effective(pair, extra, test["test"])
    return None


def _effective(pair: Pair, extra: Mapping[str, Any], test: str) -> Content:
    effective, factor = extra["effective_table"], extra.get("factor") or 1.0
    mean = [value / factor for value in effective]
    made: list[Content] = [
        tag("h3", "Contingency table"),
        _square(pair, mean, effective),
        tag(
            "p",
            f"Mean number of records over the splits; in brackets the effective table, {factor:.4g}"
            f" times that, as if {extra['n_effective']:,.0f} records were independent ({test}).",
            class_="muted",
        ),
    ]
    posteriors = extra.get("posteriors")
    return [*made, *_posteriors(pair, posteriors)] if posteriors else made


def _square(pair: Pair, mean: Sequence[float], effective: Sequence[float]) -> Element:
    cells = [
        tag("td", f"{m:,.1f}", tag("span", f" ({e:,.1f})", class_="muted"), class_="number")
        for m, e in zip(mean, effective)
    ]
    made = tag(
        "table",
        tag("caption", "Records by who is wrong", class_="hidden"),
        tag(
            "thead",
            tag(
                "tr",
                tag("td"),
                tag("th", bdi(pair.b), " wrong", scope="col"),
                tag("th", bdi(pair.b), " right", scope="col"),
            ),
        ),
        tag(
            "tbody",
            tag("tr", tag("th", bdi(pair.a), " wrong", scope="row"), cells[0], cells[1]),
            tag("tr", tag("th", bdi(pair.a), " right", scope="row"), cells[2], cells[3]),
        ),
        class_="square",
    )
    return framed(made, f"Contingency table of {pair.a} and {pair.b}")


def _posteriors(pair: Pair, found: Mapping[str, Any]) -> list[Content]:
    r, worse = found["r"], found["p_a_worse"]
    density = beta_density(r["a"], r["b"])
    low, high = span_of([density])
    axis = scale([low, high, 0.5], 5)
    places = decimals(axis.ticks)
    ticks = numbers(axis, lambda value: f"{value:.{places}f}")
    words = f"A posteriori {pair.a} is the worse one with probability {_probability(worse)}."
    title = f"Posterior of r, the probability {POSTERIORS[1][1]}"
    rows = [
        Row(
            [tag("i", name.split("_")[0]), tag("sub", name.split("_")[1]) if "_" in name else None],
            [
                Data(meaning),
                Data(_share(found[name]["mode"]), "number"),
                Data(_share(found[name]["mean"]), "number"),
            ],
        )
        for name, meaning in POSTERIORS
    ]
    heads = [Head("Symbol"), Head("Probability"), Head("Mode", "number"), Head("Mean", "number")]
    return [
        tag("h3", "Posterior"),
        tag("p", tag("strong", words)),
        tag(
            "figure",
            drawing(16, ticks),
            curve(axis, density, (), r["mode"], 0.5, title=title, words=words),
            tag("figcaption", f"{title}; at ½ both err alike."),
        ),
        table(
            "Posterior probabilities",
            heads,
            [("", rows)],
            class_="small",
            label=f"Posteriors of {pair.a} and {pair.b}",
        ),
    ]


def _share(value: Optional[float]) -> str:
    return NONE if value is None else f"{value:.3f}"


def _probability(value: float) -> str:
    return "> 0.999" if value > 0.999 else "< 0.001" if value < 0.001 else f"{value:.3f}"


# --- tests ----------------------------------------------------------------------------------------


def _tests(reading: Reading, pair: Pair, tests: Sequence[JsonObject]) -> Content:
    heads = [
        Head("Test"),
        Head("Partition"),
        Head("Statistic", "number"),
        Head("p", "number"),
        Head("Interval", "number"),
    ]
    rows = [Row(_test_name(reading, each), _test_cells(reading, pair, each)) for each in tests]
    caption = f"Every test of {pair.a} and {pair.b}; the first decides"
    return [
        tag("h3", "Tests"),
        table(
            caption,
            heads,
            [("", rows)],
            class_="small",
            label=f"{caption} on {pair.data} by {pair.measure}",
        ),
    ]


def _test_name(reading: Reading, test: JsonObject) -> Content:
    name = reading.test_name(test)
    return tag("strong", name) if test["sentence"] is not None else name


def _test_cells(reading: Reading, pair: Pair, test: JsonObject) -> list[Data]:
    inference = test["inference"]
    scheme = Data(reading.scheme(test))
    if inference is None:
        return [
            scheme,
            Data(tag("span", test["failed"], class_="muted")),
            *[Data(NONE, "number")] * 2,
        ]
    if inference["degenerate"]:
        return [
            scheme,
            Data(tag("span", inference["note"], class_="muted")),
            *[Data(NONE, "number")] * 2,
        ]
    ends = inference["interval"]
    inside = NONE
    if ends is not None and None not in ends:
        inside = (
            f"{reading.number(ends[0], pair.measure)} to {reading.number(ends[1], pair.measure)}"
        )
    return [
        scheme,
        Data(_statistic(inference), "number"),
        Data(p_cell(test), "number"),
        Data(inside, "number"),
    ]


def _statistic(inference: JsonObject) -> str:
    value, null = inference["statistic"], inference["null"]
    if value is None:
        return NONE
    symbol = {"t": "t", "normal": "z", "F": "F", "chi2": "χ²"}.get(null["family"], null["family"])
    df = ", ".join(f"{each:.4g}" for each in null["parameters"])
    text = f"{value:.3f}".replace("-", "−")
    return f"{symbol}({df}) = {text}" if df else f"{symbol} = {text}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
