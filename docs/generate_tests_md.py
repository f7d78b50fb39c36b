"""Write docs/tests.md from the registry; `--check` only says whether it is up to date.

What is written there does not hang on what else is installed. `--plugins` prints a page on whatever
the plug-ins that are installed here add.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

from cvinfer.commands._listing import LISTS, entries
from cvinfer.inference import (
    MeasuredRate,
    MeasuredSetting,
    intervals,
    measured_by,
    measured_coverage,
    measured_level,
    measured_measures,
    measured_rates,
    measured_settings,
    tests,
)
from cvinfer.inference.measured import LIBERAL
from cvinfer.inference.recommended import held_by, recommended_by
from cvinfer.inference.references import own_bibliography
from cvinfer.inference.registry import Procedure, origin
from cvinfer.losses import loss
from cvinfer.spec.model import RECOMMENDED_TESTS

PAGE = Path(__file__).resolve().parent / "tests.md"
#: Studies of type I errors that are kept.
STUDIES = PAGE.parent / "reproduction" / "s1" / "table5"
HEAD = """# Tests and intervals

Generated from the registry by `make docs`; edit the declarations, not this page.

Differences are loss of A minus loss of B on the test records of a split: **positive means A is
worse**. `d̄` is the mean of all differences of a scheme, `S²` their sample variance, `s_j²` the sum
of squares about its mean inside replication j. A contingency table counts the records that both
learners get wrong (n00), only A gets wrong (n01), only B (n10) and both get right (n11). Sources
are keys of `cvinfer/inference/references.bib`.
"""


MEASURED_TESTS = """
How often each test rejects at {level} in simulations, with its defaults on the scheme it declares
(and where its caution names another scheme, on that too). In an exact null both learners have the
same expected error by construction: they follow the same rule and see different features that are
exchangeable given the class, or their losses are drawn so. Every rejection there is a false one.
All tests ran on the same {replications} data sets of each setting, so a rate near {level} has a
Monte Carlo standard error of {error}. **Bold** are rates of false rejections above {level} by more
than four standard errors. A degenerate result counts as not rejected.
"""
ROLES = {
    "null": "Exact nulls, by which the tests are judged:",
    "limit": "An exact null for learners that depend on few records:",
    "difference": "A true difference, where rejections are right (power):",
}
CONCLUSION = """
{count} of the {all} tests are in none of the {nulls} exact nulls above {level} by more than four
standard errors. With their highest rate there and how often they found the true difference: {safe}.
Most often of these did `{best}`{recommended}; it is no guarantee of {level}, since it rejected
{highest} of the true hypotheses in "{worst}".

No claim goes beyond these settings. Where a fit hangs on two records, `{best}` rejects {limit} of
the true hypotheses: most splits then share the records that matter, and differ less from each
other than from what another data set would give. {both} The choice of settings and what else is
known of them: [docs/decisions](decisions/measured-error-rates.md).

`make rates` measures again (about a quarter of an hour of computing); the counts are in
`cvinfer/inference/error_rates.json`, the settings in `benchmarks/exact_null.py`.
"""
STUDIED = """
The same on the populations of the paper on the 5×2 BCV McNemar test, with its learners, by
`cvinfer reproduce s1:table5`: {replications} data sets each, so that a rate near {level} has a
standard error of {error}. Nothing is to be found in epsilon (losses drawn with the same error rate)
and in simple (a feature that says nothing about the class); in exp6 and letter a parameter was set
so that both learners err about equally often. McNemar tests have the continuity correction as
printed. **Bold** are rates above {level} by more than four standard errors. How these compare with
the printed ones: [reproduction.md](reproduction.md).
"""
STUDIED_CONCLUSION = """
Above {level} by more than four standard errors nowhere here: {held}. The recommended test is
{recommended}.
"""
BY_MEASURE = """
How often tests on one value a split reject at {level} by {measures} in exact nulls, by study: A
and B follow the same rule and see different features that are exchangeable given the class, so
that every measure has the same expectation for both, and every rejection is a false one.
{replications} data sets of each setting, a standard error of {error} near {level}. Shares are in
%, in each cell those of {learners}. **Bold** are those whose Wilson interval (95 %) reaches
beyond {limit}: there {liberal} times alpha cannot be ruled out. A data set with a split on which
a measure does not exist (AUC with one class in the test part) has no result by it and is left
out; a degenerate result counts as not rejected. The last columns are true differences (B sees one
feature alone), where rejections are right: the mean of the learners.
"""
BY_MEASURE_HELD = """
By {measure} these held: in none of the {nulls} nulls {liberal} times alpha has to be feared. Each
with its highest rate: {held}. The one that finds most on average is recommended by {measure}:
`{best}`.
"""
BY_MEASURE_NONE = """
By {measure} no test held everywhere: each may reject more than {limit} of the true hypotheses in
some null.
"""
BY_MEASURE_LAST = """
No claim goes beyond these settings and measures, and where features are independent the linear
discriminant and naive Bayes are nearly one rule. Why {liberal} times alpha, and what is
recommended: [docs/decisions](decisions/recommended-by-measure.md). The studies are in
`specs/rates`, what came of them in `cvinfer/inference/rates`; `make rates` runs them again.
"""
COVERAGE_BY_MEASURE = """
The same for the intervals for any measure, by study (`specs/rates/coverage`): how often, in %,
they hold what the learner is worth that is trained on all n records of the same data set, on
10,000 fresh ones. In each cell those of {learners}; {replications} data sets each. **Bold** are
shares below {level} by more than four standard errors. A data set with a split on which the
measure does not exist has no interval and is left out.
"""
MEASURED_INTERVALS = """
How often intervals at {level} hold the true value in the same data sets, for learner A: its mean
error or F1 over fresh training sets as large as those of the scheme. **Bold** are shares below
{level} by more than four standard errors. A data set with a split in which F1 does not exist has no
interval and is left out. The posterior intervals of F1, precision and recall are not in this table.
"""


def entry(item: Procedure) -> str:
    return "\n".join(
        [
            f"### {item.name}",
            "",
            item.use,
            "",
            f"- formula: `{item.formula}`",
            f"- scheme: `{item.scheme}`",
            f"- {'null distribution' if item.kind == 'test' else 'distribution'}: {item.null}",
            f"- made from: {item.data.replace('_', ' ')}",
            f"- source: {item.cite}",
            *caution(item),
            "",
        ]
    )


def caution(item: Procedure) -> list[str]:
    if item.caution is None:
        return []
    where = f" ({item.caution.where})" if item.caution.where else ""
    # The page need not point to itself.
    text = item.caution.text(item.name).replace(" (docs/tests.md)", "")
    return [f"- caution{where}: {text}"]


def rates_table(
    rows: Mapping[str, Mapping[str, MeasuredRate]], bold: Callable[[str, MeasuredRate], bool]
) -> list[str]:
    """Names and their rates by setting; a setting without rates has no column."""
    settings = measured_settings()
    columns = [name for name in settings if any(name in rates for rates in rows.values())]
    titles = " | ".join(settings[name].title for name in columns)
    lines = [f"| name | {titles} |", "|---" * (len(columns) + 1) + "|"]
    for name, rates in rows.items():
        cells = []
        for column in columns:
            text = f"{rates[column].rate:.3f}" if column in rates else ""
            cells.append(f"**{text}**" if text and bold(column, rates[column]) else text)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, ""]


def measured_tests(items: list[Procedure]) -> str:
    """The table of rejection rates, what its columns are, and what follows from it."""
    alpha, settings = measured_level(), measured_settings()
    rows = {}
    for item in items:
        rows[f"[{item.name}](#{item.name})"] = measured_rates(item.name, *ROLES)
        other = item.caution.scheme if item.caution is not None else None
        if other is not None:
            rows[f"… on {other}"] = measured_rates(item.name, *ROLES, scheme=other)
    counts = {rate.replications for rates in rows.values() for rate in rates.values()}
    text = MEASURED_TESTS.format(
        level=_percent(alpha),
        replications=" to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)})),
        error=f"{math.sqrt(alpha * (1 - alpha) / min(counts)):.4f}",
    )

    def false_too_often(setting: str, rate: MeasuredRate) -> bool:
        return settings[setting].role != "difference" and rate.above(alpha)

    columns = [line for role in ROLES for line in _described(role)]
    table = rates_table(rows, false_too_often)
    title = "### Measured error rates\n"
    return "\n".join([title, *_filled(text), *table, *columns, *_filled(conclusion(items))])


def studied_tests() -> str:
    """Type I errors by study, from the files that are kept; nothing where there are none."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(STUDIES.glob("*"))}
    if not found:
        return ""
    cells = {
        name: {cell["name"]: cell for cell in each["cells"] if cell["kind"] == "test"}
        for name, each in found.items()
    }
    # Second settings, with which the ledger makes some tests again, are told there.
    most = max(map(len, cells.values()))
    cells = {name: each for name, each in cells.items() if len(each) == most}
    names = sorted({test for each in cells.values() for test in each})
    alpha = measured_level()
    counts = {cell["replications"] for each in cells.values() for cell in each.values()}
    above = {
        (test, name)
        for name, each in cells.items()
        for test, cell in each.items()
        if cell["rate"] > alpha + 4 * math.sqrt(alpha * (1 - alpha) / cell["replications"])
    }
    lines = [f"| name | {' | '.join(cells)} |", "|---" * (len(cells) + 1) + "|"]
    for test in names:
        texts = [f"{each[test]['rate']:.3f}" if test in each else "" for each in cells.values()]
        shown = [
            f"**{text}**" if (test, name) in above else text for name, text in zip(cells, texts)
        ]
        lines.append(f"| [{test}](#{test}) | {' | '.join(shown)} |")
    text = STUDIED.format(
        replications=" to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)})),
        level=_percent(alpha),
        error=f"{math.sqrt(alpha * (1 - alpha) / min(counts)):.4f}",
    )
    held = [test for test in names if not any(test == each for each, _ in above)]
    among = all(test in held for test in RECOMMENDED_TESTS)
    last = STUDIED_CONCLUSION.format(
        level=_percent(alpha),
        held=", ".join(f"`{test}`" for test in held) or "no test",
        recommended="among them" if among else "not among them",
    )
    title = "### Type I errors on the papers' populations\n"
    return "\n".join([title, *_filled(text), *lines, "", *_filled(last)])


def tests_by_measure() -> str:
    """Rejection rates by other measures than zero_one, and what is recommended by each."""
    alpha, grid = measured_level(), _grid("null")
    words = {
        "level": _percent(alpha),
        "limit": _percent(LIBERAL * alpha, 1),
        "liberal": f"{LIBERAL:g}",
        "measures": _listed(loss(name).unit for name in measured_measures()),
        "learners": _listed(_learners(grid)),
    }
    every = [
        rate.replications
        for measure, names in measured_measures().items()
        for name in names
        for rate in measured_by(measure, name).values()
    ]
    if not every:
        return ""
    words["replications"] = _from_to(every)
    words["error"] = f"{math.sqrt(alpha * (1 - alpha) / max(every)):.4f}"
    lines = ["### Measured error rates by measure\n", *_filled(BY_MEASURE.format(**words))]
    for measure in measured_measures():
        lines += [*_rates_by(measure, grid), *_filled(_held_by(measure, words))]
    for role, words_of in (("null", "Exact nulls"), ("difference", "True differences")):
        texts = dict.fromkeys(each.text for each in _settings(role).values())
        lines += [f"- {words_of}: {text}" for text in texts]
    return "\n".join([*lines, "", *_filled(BY_MEASURE_LAST.format(**words))])


#: The names of settings by their records and learners.
Grid = Mapping[str, Mapping[str, str]]


def _settings(role: str) -> Mapping[str, MeasuredSetting]:
    """Those of the studies: they are the same for all measures."""
    return measured_settings(role, measure=next(iter(measured_measures()), ""))


def _grid(role: str) -> Grid:
    found: dict[str, dict[str, str]] = {}
    for name, setting in _settings(role).items():
        learner, _, records = setting.title.partition(", ")
        found.setdefault(records, {})[learner] = name
    return found


def _learners(grid: Grid) -> list[str]:
    return list(dict.fromkeys(learner for each in grid.values() for learner in each))


def _rates_by(measure: str, grid: Grid) -> list[str]:
    """The table of a measure: a row for each test, in a cell the rates of all learners."""
    limit, power = LIBERAL * measured_level(), _grid("difference")
    found = [f"finds, {records}" for records in power]
    heads = [measure, *grid, "highest [Wilson]", *found]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in measured_measures()[measure]:
        rates, differences = measured_by(measure, name), measured_by(measure, name, "difference")
        cells = [f"[{name}](#{name})"]
        cells += [
            _shares(rates, each.values(), lambda r: r.upper > limit) for each in grid.values()
        ]
        most = max(rates.values(), key=lambda each: each.rate)
        cells.append(f"{100 * most.rate:.1f} [to {100 * most.upper:.1f}]")
        for each in power.values():
            there = [
                differences[setting].rate for setting in each.values() if setting in differences
            ]
            cells.append(f"{100 * sum(there) / len(there):.0f}" if there else "")
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _shares(
    rates: Mapping[str, MeasuredRate],
    settings: Iterable[str],
    bold: Callable[[MeasuredRate], bool],
) -> str:
    """In per cent, those of all learners in a row."""
    there = [rates.get(setting) for setting in settings]
    told = ["–" if each is None else f"{100 * each.rate:.1f}" for each in there]
    marks = ["**" * (each is not None and bold(each)) for each in there]
    return " / ".join(f"{mark}{text}{mark}" for mark, text in zip(marks, told))


def _from_to(counts: Iterable[int]) -> str:
    return " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _held_by(measure: str, words: Mapping[str, str]) -> str:
    held = []
    for name in held_by(measure):
        highest = max(rate.rate for rate in measured_by(measure, name).values())
        held.append(f"`{name}` {_percent(highest, 1)}")
    if not held:
        return BY_MEASURE_NONE.format(measure=measure, **words)
    return BY_MEASURE_HELD.format(
        measure=measure,
        nulls=len(_settings("null")),
        held="; ".join(held),
        best=recommended_by(measure),
        **words,
    )


def _described(role: str) -> list[str]:
    settings = [f"- {each.title}: {each.text}" for each in measured_settings(role).values()]
    return [ROLES[role], "", *settings, ""]


def _filled(text: str) -> list[str]:
    """Paragraphs with lines of at most 100 characters, an empty line after each."""
    paragraphs = text.strip().split("\n\n")
    return [f"{textwrap.fill(each, 100, break_on_hyphens=False)}\n" for each in paragraphs]


def keeps_level(name: str, role: str) -> bool:
    """Whether no measured rate is above the level by more than four standard errors."""
    return not any(rate.above(measured_level()) for rate in measured_rates(name, role).values())


def power(name: str) -> float:
    (rate,) = measured_rates(name, "difference").values()
    return rate.rate


def _highest_and_power(name: str) -> str:
    highest = max(rate.rate for rate in measured_rates(name).values())
    return f"`{name}` {_percent(highest, 1)}, {_percent(power(name))}"


def conclusion(items: list[Procedure]) -> str:
    """Which tests keep their level in all exact nulls, and which of them finds most."""
    safe = [item.name for item in items if keeps_level(item.name, "null")]
    best = max(safe, key=power)
    (limit,) = measured_rates(best, "limit").values()
    recommended = [item.name for item in items if item.use.startswith("The recommended test")]
    both = [f"`{name}`" for name in safe if keeps_level(name, "limit")]
    there = f"Of the tests named above {' and '.join(both)} kept the level there too."
    rates = measured_rates(best)
    worst = max(rates, key=lambda setting: rates[setting].rate)
    return CONCLUSION.format(
        count=len(safe),
        all=len(items),
        nulls=len(measured_settings("null")),
        level=_percent(measured_level()),
        safe="; ".join(_highest_and_power(name) for name in safe),
        best=best,
        highest=_percent(rates[worst].rate, 1),
        worst=measured_settings()[worst].title,
        recommended=", the recommended test" if recommended == [best] else "",
        limit=_percent(limit.rate),
        both=there if both else "None of the tests named above kept the level there.",
    )


def measured_intervals(items: list[Procedure]) -> str:
    level = 1.0 - measured_level()
    rows = {}
    for item in items:
        rates = measured_rates(item.name, "null", "limit")
        if rates:
            rows[f"[{item.name}](#{item.name})"] = rates
    table = rates_table(rows, lambda setting, rate: rate.below(level))
    text = MEASURED_INTERVALS.format(level=_percent(level))
    return "\n".join(["### Measured coverage\n", *_filled(text), *table])


def coverage_by_measure(items: list[Procedure]) -> str:
    """Shares of data sets whose interval holds the truth, by measure, records and learner."""
    level, grid = 1.0 - measured_level(), _grid("null")
    rows = {item.name: measured_coverage(item.name) for item in items}
    every = [
        each.replications
        for row in rows.values()
        for rates in row.values()
        for each in rates.values()
    ]
    if not every:
        return ""
    there = {name for row in rows.values() for rates in row.values() for name in rates}
    grid = {n: each for n, each in grid.items() if there & set(each.values())}
    heads = ["interval", "measure", *grid]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, row in rows.items():
        for measure, rates in row.items():
            cells = [
                _shares(rates, each.values(), lambda r: r.below(level)) for each in grid.values()
            ]
            lines.append(f"| [{name}](#{name}) | {measure} | {' | '.join(cells)} |")
    text = COVERAGE_BY_MEASURE.format(
        level=_percent(level), replications=_from_to(every), learners=_listed(_learners(grid))
    )
    return "\n".join(["", *_filled(text), *lines, ""])


def _percent(share: float, digits: int = 0) -> str:
    # No line is broken between a number and its sign.
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def summary(items: list[Procedure]) -> str:
    rows = [f"| [{i.name}](#{i.name}) | `{i.scheme}` | {i.null} | {i.cite} |" for i in items]
    return "\n".join(["| name | scheme | distribution | source |", "|---|---|---|---|", *rows, ""])


def page() -> str:
    parts = [HEAD]
    for title, registry in (("Tests", tests()), ("Intervals for one learner", intervals())):
        items = [registry[name] for name in sorted(registry) if origin(name) is None]
        measured = measured_tests if title == "Tests" else measured_intervals
        more = [tests_by_measure(), studied_tests()]
        known = [item for item in items if measured_rates(item.name, *ROLES)]
        parts += [f"## {title}\n", summary(items), measured(known)]
        parts += more if title == "Tests" else [coverage_by_measure(items)]
        parts += [entry(item) for item in items]
    parts += ["## Sources\n", "```bibtex", own_bibliography().strip(), "```", ""]
    return "\n".join(parts)


def plugins_page() -> str:
    """What plug-ins add: each kind under a heading, tests and intervals as on the page above."""
    parts = ["# What plug-ins add here\n"]
    procedures = {**tests(), **intervals()}
    for what in LISTS:
        brought = [each for each in entries(what) if each["distribution"]]
        if brought:
            parts.append(f"## {what.capitalize()}\n")
        for each in brought:
            said = entry(procedures[each["name"]]) if each["name"] in procedures else _said(each)
            parts.append(f"{said.rstrip()}\n\nFrom {each['distribution']}.\n")
    return "\n".join(parts)


def _said(each: Mapping[str, Any]) -> str:
    lines = [f"### {each['name']}", "", each["reason"] or each["description"], ""]
    return "\n".join(lines + [f"- option `{key}`" for key in each.get("options") or ()])


def main(arguments: list[str]) -> int:
    if "--plugins" in arguments:
        print(plugins_page())
        return 0
    text = page()
    if "--check" in arguments:
        current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        if current != text:
            print("docs/tests.md is not what the registry says; run make docs", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
