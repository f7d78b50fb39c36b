"""What a spec takes, told before the first fit: fits per learner and test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.planning import COUNTS, plan_summary

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike
    from cvinfer.planning import RunPlan
    from cvinfer.spec import Spec


def costs(
    spec: Spec, sets: Sequence[DataLike], plans: Sequence[Optional[RunPlan]], store: Path
) -> JsonObject:
    """Fits in total, per data set, and there per learner and test.

    A fit counts as distinct where it is needed first, so that the numbers add up.
    """
    summary = _summary(plans, store) if store.exists() else plan_summary(plans)
    data = [
        {
            "data": dataset.name,
            "n": dataset.n,
            "learners": (learners := _learners(summary, dataset.name)),
            "fits": _sum(each["fits"] for each in learners),
        }
        for dataset in sets
    ]
    return {"name": spec.name, "fits": summary["fits"], "data": data}


def _summary(plans: Sequence[Optional[RunPlan]], path: Path) -> JsonObject:
    from cvinfer.execute.store import Store

    with Store(path) as store:
        return plan_summary(plans, store)


def _learners(summary: JsonObject, data: str) -> list[dict[str, Any]]:
    """The learners that take fits on one data set; none for predictions made elsewhere."""
    return [
        {
            "learner": row["learner"],
            "fits": _counts(row),
            "tests": [
                _test(each)
                for each in summary["tests"]
                if (each["data"], each["learner"]) == (data, row["learner"])
            ],
        }
        for row in summary["learners"]
        if row["data"] == data
    ]


def _test(row: JsonObject) -> dict[str, Any]:
    kind = "test" if "test" in row else "interval"
    return {"kind": kind, "name": row[kind], "partitions": row["partitions"], **_counts(row)}


def _counts(row: JsonObject) -> dict[str, int]:
    return {name: row[name] for name in COUNTS}


def _sum(entries: Iterable[JsonObject]) -> dict[str, int]:
    total = dict.fromkeys(COUNTS, 0)
    for entry in entries:
        for name in COUNTS:
            total[name] += entry[name]
    return total


def costs_text(found: JsonObject) -> str:
    lines: list[str] = []
    for entry in found["data"]:
        lines.append(f"{entry['data']}, {entry['n']} records")
        if not entry["learners"]:
            lines += ["  predictions made elsewhere: nothing is fitted", ""]
            continue
        rows: list[Sequence[str]] = [("", "", *COUNTS)]
        for names, learner in _alike(entry["learners"]):
            for at, test in enumerate(learner["tests"]):
                numbers = [str(test[name]) for name in COUNTS]
                rows.append((names if at == 0 else "", test["name"], *numbers))
            rows.append(("", "each" if "," in names else "", *_numbers(learner["fits"])))
        lines += _aligned(rows)
        lines.append("")
    total = found["fits"]
    lines.append(
        f"Fits in all: {total['naive']} if every test made its own, {total['distinct']} distinct,"
        f" {total['stored']} of them stored already, {total['distinct'] - total['stored']} to do."
    )
    return "\n".join(lines)


def _numbers(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(str(counts[name]) for name in COUNTS)


def _alike(learners: Sequence[JsonObject]) -> list[tuple[str, JsonObject]]:
    """Learners that take the same fits are shown once."""
    groups: list[tuple[list[str], JsonObject]] = []
    for entry in learners:
        for names, first in groups:
            if first["tests"] == entry["tests"]:
                names.append(entry["learner"])
                break
        else:
            groups.append(([entry["learner"]], entry))
    return [(", ".join(names), first) for names, first in groups]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    from cvinfer.report.terminal import cells_wide

    widths = [max(cells_wide(cell) for cell in column) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = []
        for at, (cell, width) in enumerate(zip(row, widths)):
            space = " " * (width - cells_wide(cell))
            cells.append(cell + space if at < 2 else space + cell)
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines
