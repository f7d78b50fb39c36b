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
from typing import Any, Callable, Mapping

from cvinfer.commands._listing import LISTS, entries
from cvinfer.inference import (
    MeasuredRate,
    intervals,
    measured_by,
    measured_coverage,
    measured_level,
    measured_measures,
    measured_rates,
    measured_settings,
    tests,
)
from cvinfer.inference.recommended import held_by, recommended_by
from cvinfer.inference.references import own_bibliography
from cvinfer.inference.registry import Procedure, origin
from cvinfer.spec.model import RECOMMENDED_BY_VALUES, RECOMMENDED_TESTS

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
How often tests on one value a split reject at {level} by AUC, F1 (of one class) and log loss, on
the same kind of exact nulls: A and B follow the same rule and see different features that are
exchangeable given the class, so that every measure has the same expectation for both, and every
rejection is a false one. {replications} data sets of each setting, a standard error of {error}
near {level}. **Bold** are rates above {level} by more than four standard errors. A data set with
a split on which a measure does not exist (AUC with one class in the test part) has no result by
it and is left out; a degenerate result counts as not rejected. The last columns are true
differences (B sees x3 alone), where rejections are right.
"""
BY_MEASURE_HELD = """
By {measure} these are in none of the {nulls} nulls above {level} by more than four standard errors,
each with its highest rate there (in brackets the least share of true differences that it found,
where that was measured): {held}. Recommended by {measure}: `{best}`.
"""
BY_MEASURE_NONE = """
By {measure} no test held everywhere: each rejects in some null more than {level} of the true
hypotheses by more than four standard errors.
"""
BY_MEASURE_MISSING = """
On 1,000 records not all three learners were measured yet.
"""
BY_MEASURE_LAST = """
No claim goes beyond these settings and measures. `benchmarks/measure_rates.py` measures again
(about ten minutes of computing); the counts are in `cvinfer/inference/measure_rates.json`.
"""
COVERAGE_BY_MEASURE = """
The same for the intervals for any measure, on the exact nulls by measure above with 100 records.
The true value is the mean of the interval's own values over all data sets, for splits of that
size; for nested cross-validation, which speaks of all n records, the mean loss of fits on n
records on fresh ones. {replications} data sets each. **Bold** are shares below {level} by more than
four standard errors.
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
    alpha = measured_level()
    lines = ["### Measured error rates by measure\n"]
    every = [
        rate
        for measure, names in measured_measures().items()
        for name in names
        for rate in measured_by(measure, name, "null").values()
    ]
    counts = sorted({rate.replications for rate in every})
    text = BY_MEASURE.format(
        level=_percent(alpha),
        replications=" to ".join(f"{count:,}" for count in sorted({counts[0], counts[-1]})),
        error=f"{math.sqrt(alpha * (1 - alpha) / counts[-1]):.4f}",
    )
    lines += _filled(text)
    for measure, names in measured_measures().items():
        settings = measured_settings("null", "difference", measure=measure)
        order = sorted(settings, key=lambda name: settings[name].role != "null")
        titles = [
            settings[each].title + (", a difference" if settings[each].role != "null" else "")
            for each in order
        ]
        lines += [f"| {measure} | {' | '.join(titles)} |", "|---" * (len(order) + 1) + "|"]
        for name in names:
            rates = measured_by(measure, name, "null", "difference")
            cells = []
            for each in order:
                bold = settings[each].role == "null" and rates[each].above(alpha)
                cells.append(f"{'**' * bold}{rates[each].rate:.3f}{'**' * bold}")
            lines.append(f"| [{name}](#{name}) | {' | '.join(cells)} |")
        lines += ["", *_filled(_held_by(measure))]
    lines += [f"- {each.title}: {each.text}" for each in settings.values()]
    large = [name for name in settings if name.endswith("_1000")]
    missing = _filled(BY_MEASURE_MISSING) if len(large) < 3 else []
    return "\n".join([*lines, "", *missing, *_filled(BY_MEASURE_LAST)])


def _held_by(measure: str) -> str:
    alpha, best = measured_level(), recommended_by(measure, RECOMMENDED_BY_VALUES)
    held = []
    for name in held_by(measure):
        highest = max(rate.rate for rate in measured_by(measure, name).values())
        found = [rate.rate for rate in measured_by(measure, name, "difference").values()]
        least = f" ({_percent(min(found))})" if found else ""
        held.append(f"`{name}` {_percent(highest, 1)}{least}")
    if not held:
        return BY_MEASURE_NONE.format(measure=measure, level=_percent(alpha))
    return BY_MEASURE_HELD.format(
        measure=measure,
        nulls=len(measured_settings("null", measure=measure)),
        level=_percent(alpha),
        held="; ".join(held),
        best=best,
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
    """Shares of data sets whose interval holds the truth, by measure and learner."""
    level = 1.0 - measured_level()
    rows = {item.name: measured_coverage(item.name) for item in items}
    every = [each for row in rows.values() for rates in row.values() for each in rates.items()]
    if not every:
        return ""
    settings = list(dict.fromkeys(name for name, _ in every))
    about = measured_settings(measure="auc")
    titles = " | ".join(about[name].title for name in settings)
    counts = sorted({rate.replications for _, rate in every})
    lines = [f"| interval | measure | {titles} |", "|---" * (len(settings) + 2) + "|"]
    for name, row in rows.items():
        for measure, rates in row.items():
            bold = ["**" * rates[each].below(level) for each in settings]
            cells = [f"{b}{rates[each].rate:.3f}{b}" for b, each in zip(bold, settings)]
            lines.append(f"| [{name}](#{name}) | {measure} | {' | '.join(cells)} |")
    text = COVERAGE_BY_MEASURE.format(
        level=_percent(level),
        replications=" to ".join(f"{count:,}" for count in sorted({counts[0], counts[-1]})),
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
