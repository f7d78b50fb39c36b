"""What a study takes, told before it is run: fits, what is stored, and about how many seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.execute import scheduler
from cvinfer.execute.places import store_path
from cvinfer.execute.store import Store
from cvinfer.studies.agenda import Replications
from cvinfer.studies.load import load_study
from cvinfer.studies.plan import Fitting, Piece, StudyPlan, piece, plan_study
from cvinfer.studies.work import block_limits, stored_pieces, wanted_range


def study_costs(
    source: Path,
    overrides: Sequence[str] = (),
    allow_code: bool = False,
    output: Optional[Path] = None,
    store: Optional[Path] = None,
) -> JsonObject:
    """Fits of a study in total and for each learner: all, stored, and seconds of those to do.

    Where nothing of a learner is stored its first replication is made, which is stored if there is
    a store.
    """
    study = load_study(source, overrides, allow_code)
    wanted = wanted_range(study)
    path = store_path(study.spec, output, store)
    plan = plan_study(study)
    with Store(path if path.exists() else None, at_hand=False) as open_store:
        blocks, known = stored_pieces(plan, wanted, open_store)
        pace = _pace(plan, blocks, known, open_store)
    rows: list[JsonObject] = []
    for number, label in enumerate(plan.labels):
        fittings = [each for each in plan.fittings.values() if each.learner == number]
        total = sum(each.fits * wanted.size for each in fittings)
        left = {each: _left(each, blocks[each], known) for each in fittings}
        rows.append(
            {
                "learner": label,
                "fits": total,
                "stored": total - sum(each.fits * left[each] for each in fittings),
                "seconds": round(sum(pace[each] * left[each] for each in fittings), 1),
            }
        )
    return {
        "name": study.name,
        "points": len(study.points),
        "replications": wanted.size,
        "fits": {
            "distinct": sum(row["fits"] for row in rows),
            "stored": sum(row["stored"] for row in rows),
        },
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "learners": rows,
    }


def _left(fitting: Fitting, blocks: Sequence[Piece], known: set[str]) -> int:
    """Replications that are not stored."""
    return sum(one.size for one in blocks if one.key not in known)


def _pace(
    plan: StudyPlan,
    blocks: Mapping[Fitting, Sequence[Piece]],
    known: set[str],
    store: Store,
) -> dict[Fitting, float]:
    """Seconds of a replication inside the learner, from one that is stored or made for it."""
    samples = {
        each: next((one for one in found if one.key in known), None)
        for each, found in blocks.items()
    }
    bare = {each: [piece(each.key, found[0].first, 1)] for each, found in blocks.items()}
    missing = {each: bare[each] for each, sample in samples.items() if sample is None}
    if missing:
        agenda = Replications(plan.recipes, plan.learners, missing)
        scheduler.work(agenda, store, jobs=1, limits=block_limits(plan))
        samples.update({each: found[0] for each, found in missing.items()})
    pace: dict[Fitting, float] = {}
    for each, sample in samples.items():
        assert sample is not None
        stored = store.get(sample.key)
        seconds = 0.0 if stored is None else stored.seconds_fit + stored.seconds_predict
        pace[each] = seconds / sample.size
    return pace


def study_costs_text(found: JsonObject) -> str:
    """The same in words, the most of it first."""
    points = "one point" if found["points"] == 1 else f"{found['points']} points"
    lines = [
        f"{found['name']}: {points}, {found['replications']:,} replications each",
        "",
        *_rows(found["learners"]),
        "",
    ]
    total = found["fits"]
    left = total["distinct"] - total["stored"]
    if not total["distinct"]:
        lines.append("Nothing is fitted: the population brings the losses of its learners.")
        return "\n".join(lines)
    lines.append(
        f"Fits in all: {total['distinct']:,}, {total['stored']:,} of them stored already,"
        f" {left:,} to do: about {_duration(found['seconds'])} inside the learners of one worker."
    )
    return "\n".join(lines)


def _rows(learners: Sequence[JsonObject]) -> list[str]:
    from cvinfer.report.terminal import cells_wide

    rows: list[Sequence[str]] = [("", "fits", "stored", "seconds")]
    for row in learners:
        numbers = (f"{row['fits']:,}", f"{row['stored']:,}", f"{row['seconds']:,.0f}")
        rows.append((str(row["learner"]), *numbers))
    widths = [max(cells_wide(cell) for cell in column) for column in zip(*rows)]
    lines = []
    for row_ in rows:
        cells: list[Any] = []
        for at, (cell, width) in enumerate(zip(row_, widths)):
            space = " " * (width - cells_wide(cell))
            cells.append(cell + space if at == 0 else space + cell)
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    if seconds < 6000:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
