"""Stability: one comparison, partitioned anew many times, and how often it says the same.

Every run has all records, and splits of its own; it is what `cvinfer run` would say with another
seed of the partitions. A run is a replication of a study that draws nothing, so that its fits are
stored as they finish, and more runs cost what is new.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from cvinfer.analysis import verdicts
from cvinfer.analysis.document import ComparisonRun, DataRun, data_facts, judged, plain
from cvinfer.documents import JsonObject
from cvinfer.execute.work import Outcome
from cvinfer.inference import replicability
from cvinfer.limits import limited
from cvinfer.planning import Use
from cvinfer.spec.model import LANGUAGE_VERSION
from cvinfer.studies.comparison import Comparison, load_comparison, refuse_too_much, whole_number
from cvinfer.studies.decisions import decisions
from cvinfer.studies.document import failure_warnings, told_failures
from cvinfer.studies.files import write_stability_files
from cvinfer.studies.frame import Finished, Means, framed
from cvinfer.studies.gather import Gathered
from cvinfer.studies.gather import Source as Blocks
from cvinfer.studies.model import Range
from cvinfer.studies.plan import PlannedPoint, StudyPlan, plan_study
from cvinfer.studies.work import Worked, all_versions, make, stretches, told

if TYPE_CHECKING:
    from cvinfer.execute.backends.base import Opener
    from cvinfer.execute.store import Store
    from cvinfer.progress import Progress
    from cvinfer.spec.load import Source

#: Runs where nobody says how many, and the most that are taken: each has its p-value in the result.
RUNS, MOST_RUNS = 50, 100_000
#: What a verdict can be, in the order in which it is told.
VERDICTS = (
    verdicts.A_BETTER,
    verdicts.B_BETTER,
    verdicts.EQUIVALENT,
    verdicts.UNDECIDED,
    verdicts.NO_RESULT,
)


def stability(
    source: "Source",
    runs: int = RUNS,
    *,
    overrides: Sequence[str] = (),
    base: Optional[Path] = None,
    jobs: Optional[int] = None,
    output: Optional[Union[str, Path]] = None,
    store: Optional[Union[str, Path]] = None,
    progress: "Optional[Progress]" = None,
    fail_fast: bool = False,
    allow_code: bool = False,
    write: bool = False,
    max_bytes: Optional[int] = None,
    max_fits: Optional[int] = None,
    backend: "Optional[Opener]" = None,
) -> Finished:
    """Partition a comparison anew `runs` times; the options are those of `cvinfer.run`."""
    means = Means(jobs, output, store, progress, fail_fast, write, backend)
    runs = whole_number(runs, 2, MOST_RUNS, "runs")
    with limited(max_bytes, max_fits):
        comparison = load_comparison(source, overrides, allow_code, base, "partitioned anew")
        points = [comparison.point(number) for number in range(len(comparison.sets))]
        refuse_too_much(points, runs, f"{runs:,} runs")
    plan = plan_study(comparison.study(points, runs))
    wanted = Range(1, runs)

    def work(open_store: "Store", means: Means) -> tuple[JsonObject, Outcome]:
        worked = make(plan, wanted, open_store, means)
        return _document(comparison, plan, wanted, worked, open_store), worked.outcome

    return framed(comparison.spec, means, work, write_stability_files)


# --- what the runs said ---------------------------------------------------------------------------


@dataclass
class _Said:
    """What one test said of a pair, run by run; None where it could not be made."""

    about: JsonObject
    entries: list[Optional[Mapping[str, Any]]] = field(default_factory=list)
    corrected: list[bool] = field(default_factory=list)

    def told(self) -> JsonObject:
        made = [at for at, entry in enumerate(self.entries) if entry is not None]
        known = [entry for entry in self.entries if entry is not None]
        # A tie has p = 0 as a limit only: no p-value that a spread could be of.
        p_values = [
            None if entry is None or entry["degenerate"] else entry["p_value"]
            for entry in self.entries
        ]
        rejections = sum(bool(entry["reject"]) for entry in known)
        return {
            **self.about,
            "runs": len(self.entries),
            "failed": len(self.entries) - len(made),
            "degenerate": sum(bool(entry["degenerate"]) for entry in known),
            "rejections": rejections,
            "replicability": agreement([rejections, len(known) - rejections])[0],
            "flips": min(rejections, len(known) - rejections),
            "rejections_corrected": sum(self.corrected[at] for at in made),
            "p": spread(p for p in p_values if p is not None),
            "estimate": spread(float(entry["estimate"]) for entry in known),
            "p_values": p_values,
        }


@dataclass
class _Verdicts:
    """The verdict on a pair, run by run; None where the primary test could not be made."""

    about: JsonObject
    found: list[Optional[str]] = field(default_factory=list)

    def told(self) -> JsonObject:
        counts = {name: self.found.count(name) for name in VERDICTS}
        made = sum(counts.values())
        value, error = agreement(list(counts.values()))
        return {
            **self.about,
            "runs": len(self.found),
            "failed": len(self.found) - made,
            "counts": counts,
            "flips": made - max(counts.values()),
            "replicability": value,
            "se": error,
        }


def agreement(counts: Sequence[int]) -> tuple[Optional[float], Optional[float]]:
    """How probably two of the runs say the same, of answers given so often, with standard error.

    Of two answers it is R(k, n). Its variance is that of a mean over pairs, to first order.
    """
    made = sum(counts)
    if made < 2:
        return None, None
    if len(counts) == 2:
        value = float(replicability(counts[0], made))
    else:
        value = sum(math.comb(k, 2) for k in counts) / math.comb(made, 2)
    shares = [k / made for k in counts]
    square = math.fsum(share**2 for share in shares)
    cube = math.fsum(share**3 for share in shares)
    return value, 2.0 * math.sqrt(max(cube - square**2, 0.0) / made)


def spread(values: Iterator[float]) -> Optional[JsonObject]:
    """Least, quartiles and largest; None where there is nothing."""
    every = list(values)
    if not every:
        return None
    ends = np.percentile(np.array(every), [0, 25, 50, 75, 100]).tolist()
    return dict(zip(("min", "q1", "median", "q3", "max"), ends))


def _document(
    comparison: Comparison, plan: StudyPlan, wanted: Range, worked: Worked, store: "Store"
) -> JsonObject:
    spec = comparison.spec
    said: dict[tuple[int, int, tuple[str, str]], _Said] = {}
    found: dict[tuple[int, tuple[str, str]], _Verdicts] = {}
    sources = [
        Blocks(plan, planned, worked.blocks, store, {}, worked.outcome.failures)
        for planned in plan.points
    ]
    for stretch in stretches(wanted):
        gathered = [Gathered(source, stretch) for source in sources]
        for run in _runs(plan.points, gathered):
            _add(comparison, plan.points, run, said, found)
    rows = [row for source in sources for row in told(source.planned, source.messages)]
    failures = told_failures(rows, [planned.point.at for planned in plan.points])
    # Tests of one pair stand together.
    order = sorted(said, key=lambda key: (key[0], spec.of_two.index(key[2]), key[1]))
    return {
        "cvinfer": LANGUAGE_VERSION,
        "name": spec.name,
        "stability": {"runs": wanted.size},
        "spec": plain({**spec.resolved(), "intervals": []}),
        "data": [plain(data_facts(one)) for one in comparison.sets],
        "versions": dict(sorted(all_versions(plan.versions).items())),
        "verdicts": [plain(each.told()) for each in found.values()],
        "tests": [plain(said[key].told()) for key in order],
        "failures": failures,
        "warnings": failure_warnings(failures),
    }


def _runs(points: Sequence[PlannedPoint], gathered: Sequence[Gathered]) -> Iterator[list[DataRun]]:
    """What each run found on every data set, as `cvinfer.run` has it."""
    tested = [list(_tested(planned, each)) for planned, each in zip(points, gathered)]
    for at in range(gathered[0].count):
        yield [
            DataRun(
                data={"name": planned.point.example.name},
                partitions=tuple(one.partition for one in planned.splits),
                labels=tuple(one.partition.label for one in planned.splits),
                losses={},
                comparisons=tuple(column[at] for column in columns),
            )
            for planned, columns in zip(points, tested)
        ]


def _tested(planned: PlannedPoint, gathered: Gathered) -> Iterator[list[ComparisonRun]]:
    """One test of one pair in all runs of a stretch, test by test."""
    for use in planned.uses:
        for pair in planned.point.spec.of_two:
            yield _column(planned, gathered, use, pair)


def _column(
    planned: PlannedPoint, gathered: Gathered, use: Use, pair: tuple[str, str]
) -> list[ComparisonRun]:
    used = [planned.splits[at] for at in use.partitions]
    parts = [gathered.tables(*pair, one) for one in used]
    name, options = use.request.name, use.request.options
    column = []
    for each in decisions(use, planned.point.spec.alpha, used, parts):
        failed = "a fit of this run failed" if each is None else None
        inference = None if each is None else each.inference
        column.append(ComparisonRun(*pair, name, options, use.partitions, inference, failed))
    return column


def _add(
    comparison: Comparison,
    points: Sequence[PlannedPoint],
    run: Sequence[DataRun],
    said: dict[tuple[int, int, tuple[str, str]], _Said],
    found: dict[tuple[int, tuple[str, str]], _Verdicts],
) -> None:
    """One more run: every test of every pair, corrected over all data sets, and the verdicts."""
    tested, decided = judged(comparison.spec, run)
    keys = [
        (number, at, pair)
        for number, planned in enumerate(points)
        for at, _ in enumerate(planned.uses)
        for pair in planned.point.spec.of_two
    ]
    for key, each in zip(keys, tested):
        entry = each.entry
        if key not in said:
            planned = points[key[0]]
            use = planned.uses[key[1]]
            alpha = use.request.options.get("alpha", comparison.spec.alpha)
            about = {name: entry[name] for name in ("data", "a", "b", "test", "options")}
            labels = [planned.splits[part].partition.label for part in use.partitions]
            facts = {"scheme": " + ".join(labels), "trained_on": entry["trained_on"]}
            primary = entry["sentence"] is not None
            said[key] = _Said({**about, **facts, "alpha": alpha, "primary": primary})
        said[key].entries.append(entry["inference"])
        said[key].corrected.append(bool(entry["reject_corrected"]))
    pairs = dict.fromkeys((number, pair) for number, _, pair in keys)
    for place, verdict in zip(pairs, decided):
        if place not in found:
            about = {name: verdict[name] for name in ("data", "a", "b", "primary")}
            found[place] = _Verdicts(about)
        # Without a p-value the primary test was not made; that is no verdict.
        answer = None if verdict["p_value"] is None else verdict["verdict"]
        found[place].found.append(answer)
