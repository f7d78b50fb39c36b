"""What a run writes into its directory: predictions, reports, and facts about the run."""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path
from typing import Mapping, Sequence

from cvinfer.data import Dataset
from cvinfer.data.dataset import DataLike
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute.work import Outcome
from cvinfer.places import predictions_files
from cvinfer.report.files import write_text
from cvinfer.runner.stages import Analysed
from cvinfer.spec.finished import FACTS_NAME
from cvinfer.whole import can_write


def refuse_unwritable(directory: Path) -> None:
    """Better refused now than after an hour of fits."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        can_write(directory)
    except OSError as error:
        raise no_place(directory, error) from None


def no_place(directory: Path, error: OSError) -> UserError:
    why = error.strerror or str(error)
    return UserError(f"the results cannot be written to {directory}: {why}; name another directory")


def write_result(directory: Path, analysed: Analysed, sets: Sequence[DataLike]) -> None:
    """The predictions of each data set that was fitted on, and the result in all its formats."""
    from cvinfer.data import write_predictions
    from cvinfer.report import write_report

    try:
        files = predictions_files([dataset.name for dataset in sets])
        for dataset, each, file in zip(sets, analysed.found, files):
            if not isinstance(dataset, Dataset):
                continue  # they are in the file that they came from
            predicted = each.predicted
            used = sorted({partition for _, partition in predicted.codes})
            write_predictions(
                directory / file,
                dataset,
                [predicted.partitions[partition] for partition in used],
                {
                    (learner, used.index(partition)): column
                    for (learner, partition), column in predicted.codes.items()
                },
                {
                    (learner, used.index(partition)): column
                    for (learner, partition), column in predicted.beside.items()
                },
                predicted.beside_kinds,
            )
        write_report(directory, analysed.document, timed=False)
    except OSError as error:
        raise no_place(directory, error) from None


def write_facts(
    directory: Path,
    outcome: Outcome,
    began: float,
    seconds: Mapping[str, float],
    jobs: int,
    base: Path,
) -> JsonObject:
    """What is no part of the result: when and where it was made, and how long that took."""
    facts = {
        # Where relative paths of the spec started, so that the result finds its data again.
        "base": base.as_posix(),
        "host": platform.node(),
        "platform": platform.platform(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(began)),
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "jobs": jobs if not outcome.place else outcome.place.get("workers"),
        **({"cluster": outcome.place} if outcome.place else {}),
        "fits": {
            "reused": outcome.reused,
            "fitted": outcome.fitted,
            "failed": len(outcome.failures),
            **({"damaged": outcome.damaged} if outcome.damaged else {}),
        },
    }
    try:
        write_text(directory / FACTS_NAME, json.dumps(facts, indent=1) + "\n")
    except OSError as error:
        raise no_place(directory, error) from None
    return facts


def write_pages(directory: Path, document: JsonObject, facts: JsonObject) -> None:
    """The files that tell what `write_facts` returns."""
    from cvinfer.report.files import write_timed

    try:
        write_timed(directory, document, facts)
    except OSError as error:
        raise no_place(directory, error) from None
