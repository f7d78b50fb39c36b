"""F1, precision and recall: densities of their posteriors, with every interval below."""

from __future__ import annotations

from typing import Optional, Sequence

from cvinfer.analysis.words import percent, title
from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.densities import Density, beta_density, curve, f1_density, span_of
from cvinfer.report.page.markup import Content, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, legend, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.scale import Scale, decimals, scale
from cvinfer.report.page.sections import section
from cvinfer.report.page.written import written
from cvinfer.report.tables import shown_point, tables

CREDIBLE, SYMMETRIC = "credible", "symmetric"


@section("intervals", "Intervals of each learner", of=("result",), place=70)
def intervals(reading: Reading) -> Content:
    entries = reading.document["intervals"]
    if not entries:
        return None
    made: list[Content] = []
    for measure in dict.fromkeys(each["measure"] for each in entries):
        here = [each for each in entries if each["measure"] == measure and each["result"]]
        if here:
            made += [tag("h3", _capital(measure)), _table(reading, measure, here)]
    made.append(
        legend(
            ("area-key", "posterior density"),
            ("credible-key", "interval of the posterior"),
            ("symmetric-key", "other intervals, symmetric ones mostly"),
        )
    )
    numbers_ = [table for table in tables(reading.document) if "intervals" in table.kind]
    return [
        *made,
        tag("details", tag("summary", "All numbers"), [written(each) for each in numbers_]),
    ]


def _table(reading: Reading, measure: str, entries: Sequence[JsonObject]) -> Content:
    keys = dict.fromkeys((e["data"], e["averaging"] or "", e["learner"]) for e in entries)
    groups_of = {key: [e for e in entries if _key(e) == key] for key in keys}
    axis = _axis(entries)
    places = decimals(axis.ticks)
    ticks = numbers(axis, lambda value: f"{value:.{places}f}".replace("-", "−"))
    heads = [
        Head("Learner", sort="text"),
        Head([tag("span", "Plot of the intervals", class_="hidden"), drawing(16, ticks)], "figure"),
        Head("Intervals"),
    ]
    groups = []
    for data, averaging in dict.fromkeys(key[:2] for key in keys):
        named = [data] * (len(reading.data_names) > 1) + [averaging] * bool(averaging)
        rows = [
            _row(axis, key[2], each)
            for key, each in groups_of.items()
            if key[:2] == (data, averaging)
        ]
        groups.append((", ".join(named), rows))
    caption = f"{_capital(measure)} of each learner"
    return table(caption, heads, groups, class_="plot", label=caption)


def _key(entry: JsonObject) -> tuple[str, str, str]:
    return entry["data"], entry["averaging"] or "", entry["learner"]


def _axis(entries: Sequence[JsonObject]) -> Scale:
    ends = [each["result"][key] for each in entries for key in ("lower", "upper")]
    known = [end for end in ends if end is not None]
    densities = [density for density in map(density_of, entries) if density]
    return scale([*known, *(span_of(densities) if densities else ())], 6)


def _row(axis: Scale, learner: str, entries: Sequence[JsonObject]) -> Row:
    density = next((found for found in map(density_of, entries) if found), None)
    bars, said = [], []
    for each in entries:
        result = each["result"]
        if result["lower"] is None or result["upper"] is None:
            continue
        class_ = CREDIBLE if result["kind"] == "credible" else SYMMETRIC
        bars.append((class_, result["lower"], result["upper"]))
        said.append(_words(each))
    mark = next((shown_point(each["result"]) for each in entries), None)
    picture = curve(axis, density, bars, mark)
    return Row(bdi(learner), [Data(picture, "figure"), Data(tag("ul", said, class_="plain"))])


def _words(entry: JsonObject) -> Content:
    result = entry["result"]
    shown = shown_point(result)
    ends = f"[{result['lower']:.3f}, {result['upper']:.3f}]".replace("-", "−")
    point = "" if shown is None else f"{shown:.3f} "
    name = f" {title(entry['interval'])}, {percent(result['level'])}"
    return tag("li", tag("strong", f"{point}{ends}"), tag("span", name, class_="muted"))


def density_of(entry: JsonObject) -> Optional[Density]:
    """Of an interval that has a posterior with its parameters."""
    result = entry["result"]
    extra = {} if result is None else result["extra"]
    a, b = extra.get("a"), extra.get("b")
    if not a or not b or result["kind"] != "credible":
        return None
    if entry["measure"] == "F1" and not extra.get("micro"):
        return f1_density(a, b)
    return beta_density(a, b)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
