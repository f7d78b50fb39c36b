"""One run from a spec to its result, in four stages that can be called one by one, and in loops.

`load` reads the spec and its data, `plan` says what is to be fitted, `execute` makes the fits, and
`analyse` makes the document of what they tell. `run` puts them together, with the clock, the places
of files and what is written.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer import __version__
from cvinfer.data import Dataset, PredictionSet
from cvinfer.data.dataset import DataLike
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute import fits
from cvinfer.execute.backends.base import Opener
from cvinfer.execute.work import Limits, Outcome
from cvinfer.progress import Progress
from cvinfer.execute.store import Store, Stored
from cvinfer.limits import limited
from cvinfer.analysis.evaluate import Codes, Predicted, evaluate
from cvinfer.execute.places import find_store, output_directory
from cvinfer.places import predictions_files
from cvinfer.planning import RunPlan, allocate, plan_run
from cvinfer.analysis.remedies import lacking_in_training
from cvinfer.analysis.document import DataRun, build
from cvinfer.report.files import write_text
from cvinfer.spec.finished import FACTS_NAME
from cvinfer.spec.model import Spec
from cvinfer.whole import can_write

LOG_NAME = "run.log"

#: At most this many different warnings of one learner are told.
TOLD = 3

Source = Union[str, "os.PathLike[str]", JsonObject, Spec]


@dataclass(frozen=True)
class Result:
    """What a run found; `document` is the content of result.json.

    `failed` tells whether some fits failed (exit code 3 of the command), `directory` where the
    files are, None if nothing was written, `store` the file of finished fits, None if there was
    none, `store_remark` where it was found if not at its place. `seconds` tells where the time
    went.
    """

    document: JsonObject
    spec: Spec
    outcome: Outcome
    directory: Optional[Path] = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    store: Optional[Path] = None
    store_remark: str = ""

    @property
    def failed(self) -> bool:
        return bool(self.document["failures"])

    @property
    def verdicts(self) -> Sequence[JsonObject]:
        return self.document["verdicts"]  # type: ignore[no-any-return]

    @property
    def comparisons(self) -> Sequence[JsonObject]:
        return self.document["comparisons"]  # type: ignore[no-any-return]

    @property
    def intervals(self) -> Sequence[JsonObject]:
        return self.document["intervals"]  # type: ignore[no-any-return]

    def __str__(self) -> str:
        from cvinfer.report import render

        return render(self.document, "text")


def run(
    source: Source,
    *,
    overrides: Sequence[str] = (),
    base: Optional[Path] = None,
    jobs: Optional[int] = None,
    output: Optional[Union[str, Path]] = None,
    store: Optional[Union[str, Path]] = None,
    progress: Optional[Progress] = None,
    fail_fast: bool = False,
    allow_code: bool = False,
    write: bool = False,
    max_bytes: Optional[int] = None,
    max_fits: Optional[int] = None,
) -> Result:
    """Run a spec (a file, a mapping or a `Spec`) and return its result.

    `base` is the directory that relative paths start from, in the place of the file's own. A
    result.json is a spec too; its data sets must be those it was made from, unless `overrides`
    make another comparison of it.

    With `write` the result goes to `output` (default: results/<name>) and finished fits to a store
    (`cvinfer.places`), as the command does; without it nothing is written, but `store` may still
    name a store. A fit that fails is in the result; with `fail_fast` the first raises `FitError`.
    `max_bytes` and `max_fits` raise the limits on what is read and begun (docs/security.md).
    """
    clock = _Clock()
    if jobs is not None and jobs < 1:
        raise UserError(f"jobs = {jobs}: at least one worker is needed")
    with limited(max_bytes, max_fits):
        loaded = load(source, overrides, allow_code, base)
    spec = loaded.spec
    directory = output_directory(spec, output)
    if write:
        _writable(directory)
    clock.lap("loading")
    # Predictions made elsewhere need no fit, and so no store.
    place = find_store(spec, output, store) if (write or store) and spec.learners else None
    path = None if place is None else place.path
    if progress is not None:
        progress.store = None if place is None else str(place)
    with Store(path) as open_store:
        planned = plan(loaded)
        clock.lap("planning")
        outcome = execute(
            planned,
            open_store,
            jobs=jobs,
            fail_fast=fail_fast,
            progress=progress,
            log=directory / LOG_NAME if write else None,
        )
        clock.lap("fitting")
        if outcome.damaged and progress is None:  # the command says it with the result
            warnings.warn(outcome.warning(path), RuntimeWarning, stacklevel=2)
        analysed = analyse(planned, open_store, outcome)
    clock.lap("inference")
    if write:
        _write(directory, analysed, loaded.sets)
        clock.lap("writing")
    seconds = {
        **clock.laps,
        "startup": outcome.startup,
        "working": outcome.working,
        "in learners": outcome.seconds,
        "total": clock.total(),
    }
    if write:
        base = Path(os.path.relpath(spec.base, directory.absolute()))
        _write_facts(directory, outcome, clock.began, seconds, jobs or default_jobs(), base)
    remark = "" if place is None else place.remark
    made_in = directory if write else None
    return Result(analysed.document, spec, outcome, made_in, seconds, path, remark)


# --- the four stages ------------------------------------------------------------------------------


class Loaded(NamedTuple):
    """A spec, checked, and its data sets in its order."""

    spec: Spec
    sets: Sequence[DataLike]


class Planned(NamedTuple):
    """What is to be fitted.

    plans: one for each data set; None for predictions made elsewhere, which need no fit.
    versions: of the packages behind each learner; they are in the keys of the fits.
    """

    loaded: Loaded
    plans: Sequence[Optional[RunPlan]]
    versions: Mapping[str, Mapping[str, str]]


class Analysed(NamedTuple):
    """What was found: the result document, and what it was made from, for each data set."""

    document: JsonObject
    found: Sequence["Found"]


def load(
    source: Source,
    overrides: Sequence[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
) -> Loaded:
    """The first stage: the spec, checked, and its data sets."""
    if isinstance(source, Spec):
        return Loaded(source, datasets(source))
    from cvinfer.spec import SpecError, finished, read_spec

    spec, read, faults = read_spec(source, overrides, allow_code, base)
    if spec is None:
        raise SpecError(faults)
    sets = datasets(spec, read)
    if finished.is_result_file(source) and not overrides:
        finished.check_data(str(source), finished.read_result(Path(str(source))), sets)
    return Loaded(spec, sets)


def plan(loaded: Loaded) -> Planned:
    """The second: what is to be fitted, and under which keys."""
    versions = learner_versions(loaded.spec)
    return Planned(loaded, run_plans(*loaded, versions), versions)


def execute(
    planned: Planned,
    store: Store,
    *,
    jobs: Optional[int] = None,
    fail_fast: bool = False,
    progress: Optional[Progress] = None,
    log: Optional[Path] = None,
    backend: Optional[Opener] = None,
) -> Outcome:
    """The third: make whatever fits the store does not hold; `run` tells of the options.

    `backend` is where: without it on worker processes of this machine.
    """
    spec = planned.loaded.spec
    return fits.execute(
        [each for each in planned.plans if each is not None],
        spec.learners,
        store,
        jobs=jobs or default_jobs(),
        alone=foreign_learners(spec),
        limits=Limits(**spec.limits),
        fail_fast=fail_fast,
        progress=progress,
        meanwhile=_get_ready,
        log=log,
        backend=backend,
    )


def analyse(planned: Planned, store: Store, outcome: Outcome) -> Analysed:
    """The last: tests, intervals and verdicts on what the store holds now."""
    (spec, sets), plans, versions = planned
    found = [_found(spec, one, plan, store, outcome) for one, plan in zip(sets, plans)]
    missing, told = _missing(spec, plans)
    document = build(
        spec,
        [each.run for each in found],
        manifest(spec, sets, versions),
        warnings=[
            *unused_learners(spec),
            *leak_warnings(plans),
            *learner_warnings(found),
            *told,
        ],
        missing=missing,
    )
    return Analysed(document, found)


# --- what they are made of ------------------------------------------------------------------------


def datasets(spec: Spec, read: Sequence[Optional[DataLike]] = ()) -> list[DataLike]:
    """The data of a spec, loaded, but for what was `read` already."""
    from cvinfer import data

    loaded: list[DataLike] = []
    for index, entry in enumerate(spec.data):
        known = read[index] if index < len(read) else None
        if known is not None:
            loaded.append(known)
            continue
        try:
            loaded.append(data.load(entry, spec.base, spec.seed, spec.group_columns))
        except UserError as error:
            raise UserError(str(error), ("data", index, *(error.path or ()))) from None
    return loaded


def default_jobs() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def foreign_learners(spec: Spec) -> list[str]:
    """The learners that are code of others: what their engines refuse unless code is allowed."""
    from cvinfer.engines import engine

    return [
        name
        for name, one in spec.learners.items()
        if engine(one.engine).check(one, None, allow_code=False)
    ]


def learner_versions(spec: Spec) -> dict[str, Mapping[str, str]]:
    """Versions of the packages behind each learner."""
    from cvinfer.engines import engine

    return {name: engine(one.engine).versions(one) for name, one in spec.learners.items()}


def run_plans(
    spec: Spec,
    sets: Sequence[DataLike],
    versions: Optional[Mapping[str, Mapping[str, str]]] = None,
) -> list[Optional[RunPlan]]:
    """The plan of each data set; None for predictions made elsewhere, which need no fit."""
    if versions is None:
        versions = learner_versions(spec)
    return [plan_run(spec, one, versions) if isinstance(one, Dataset) else None for one in sets]


def manifest(
    spec: Spec, sets: Sequence[DataLike], of_learners: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """What made the result: versions, seed and hashes; nothing that changes on a rerun."""
    import numpy
    import scipy

    versions: dict[str, str] = {
        "cvinfer": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    for found in of_learners.values():
        versions.update(found)
    return {
        "versions": versions,
        "seed": spec.seed,
        "hashes": {one.name: one.sha256 for one in sets},
    }


@dataclass(frozen=True)
class Found:
    """One data set after its fits; `said` has the warnings of each learner's fits."""

    run: DataRun
    predicted: Predicted
    said: Mapping[str, Sequence[Sequence[str]]]


def unused_learners(spec: Spec) -> list[str]:
    """The learners that are in no comparison, where intervals do not ask for all of them."""
    compared = {name for pair in spec.pairs for name in pair}
    unused = [name for name in spec.learners if name not in compared]
    if spec.intervals:
        return []
    return [
        f"{name} is not used: it is in no comparison, and there are no intervals" for name in unused
    ]


def leak_warnings(plans: Sequence[Optional[RunPlan]]) -> list[str]:
    """What is noticed of leaks in the data and its splits, with the name of the data set."""
    from cvinfer.data.leaks import run_notes

    return [
        f"{plan.dataset.name}: {note}"
        for plan in plans
        if plan is not None
        for note in run_notes(plan.dataset, plan.partitions)
    ]


def learner_warnings(found: Sequence[Found]) -> list[str]:
    """What the learners warned of, each text once per learner, with how often it came."""
    fits: dict[str, list[Sequence[str]]] = {}
    for each in found:
        for learner, said in each.said.items():
            fits.setdefault(learner, []).extend(said)
    told = []
    for learner, every in fits.items():
        counts: dict[str, int] = {}
        for said in every:
            for text in dict.fromkeys(said):
                counts[text] = counts.get(text, 0) + 1
        for text in list(counts)[:TOLD]:
            told.append(f"{learner}: {text} (in {counts[text]} of {len(every)} fits)")
        if len(counts) > TOLD:
            told.append(f"{learner}: {len(counts) - TOLD} more warnings like these")
    return told


def _missing(
    spec: Spec, plans: Sequence[Optional[RunPlan]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """What became of records with missing values, where learners deal with them; also in words."""
    from cvinfer.engines import engine
    from cvinfer.analysis.missing import missing_rows

    actions = {name: engine(one.engine).na_action(one) for name, one in spec.learners.items()}
    told = [missing_rows(plan, actions) for plan in plans if plan is not None]
    return [entry for each, _ in told for entry in each], [
        text for _, each in told for text in each
    ]


def _found(
    spec: Spec, dataset: DataLike, plan: Optional[RunPlan], store: Store, outcome: Outcome
) -> Found:
    if plan is None:
        assert isinstance(dataset, PredictionSet)
        return _elsewhere(spec, dataset)
    stored = store.get_many(fit.key for fit in plan.fits)
    predicted = _predicted(plan, stored, outcome)
    said: dict[str, list[Sequence[str]]] = {}
    for fit in plan.fits:
        if fit.key in stored:
            said.setdefault(fit.learner, []).append(stored[fit.key].warnings)
    run = evaluate(spec, dataset, predicted, plan.uses, plan.interval_uses, spec.pairs)
    return Found(run, predicted, said)


def _predicted(plan: RunPlan, stored: Mapping[str, Stored], outcome: Outcome) -> Predicted:
    keys, dataset = plan.fit_keys(), plan.dataset
    codes: dict[tuple[str, int], list[Optional[Codes]]] = {}
    failures: dict[tuple[str, int, int], str] = {}
    told: dict[str, str] = {}
    repeated: set[tuple[str, int, int]] = set()
    for learner, index in plan.needed:
        column: list[Optional[Codes]] = []
        for number, split in enumerate(plan.split_keys[index]):
            key = keys[learner, split]
            if key not in stored:
                if key in told:
                    repeated.add((learner, index, number))
                else:
                    told[key] = _told(plan, index, number, outcome.failures[key])
                failures[learner, index, number] = told[key]
                column.append(None)
                continue
            column.append(stored[key].codes)
        codes[learner, index] = column
    once = frozenset(repeated)
    return Predicted(dataset.target, dataset.classes, plan.partitions, codes, failures, once)


def _told(plan: RunPlan, index: int, split: int, message: str) -> str:
    """Why a fit failed, and what would have helped where that is a stratified partition."""
    dataset = plan.dataset
    lacks = lacking_in_training(plan.partitions[index], split, dataset.target, dataset.classes)
    return f"{message} ({lacks})" if lacks else message


def _elsewhere(spec: Spec, found: PredictionSet) -> Found:
    """Predictions made elsewhere: the partitions are those of the file, and nothing is fitted."""
    partitions, uses, interval_uses = allocate(spec, found, list(found.partitions), fixed=True)
    failures = {
        (learner, partition, number): "the file has no predictions of it there"
        for (learner, partition), column in found.predictions.items()
        for number, codes in enumerate(column)
        if codes is None
    }
    predicted = Predicted(
        found.truth, found.classes, tuple(partitions), dict(found.predictions), failures
    )
    names = list(found.learners)
    pairs = spec.pairs or tuple((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    return Found(evaluate(spec, found, predicted, uses, interval_uses, pairs), predicted, {})


def _get_ready() -> None:
    """Load what inference and reports need while the workers load what learners need."""
    import importlib

    from cvinfer import report

    importlib.import_module("scipy.special")
    report.get_ready()
    client = sys.modules.get("cvinfer.engines._r.client")
    if client is not None:
        client.end()  # R was asked all there is to ask; its memory is for the workers


class _Clock:
    """Seconds from lap to lap."""

    def __init__(self) -> None:
        self.began = time.time()
        self._first = self._last = time.monotonic()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = now - self._last
        self._last = now

    def total(self) -> float:
        return time.monotonic() - self._first


def _writable(directory: Path) -> None:
    """Better refused now than after an hour of fits."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        can_write(directory)
    except OSError as error:
        raise _no_place(directory, error) from None


def _no_place(directory: Path, error: OSError) -> UserError:
    why = error.strerror or str(error)
    return UserError(f"the results cannot be written to {directory}: {why}; name another directory")


def _write(directory: Path, analysed: Analysed, sets: Sequence[DataLike]) -> None:
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
            )
        write_report(directory, analysed.document)
    except OSError as error:
        raise _no_place(directory, error) from None


def _write_facts(
    directory: Path,
    outcome: Outcome,
    began: float,
    seconds: Mapping[str, float],
    jobs: int,
    base: Path,
) -> None:
    facts = {
        # Where relative paths of the spec started, so that the result finds its data again.
        "base": base.as_posix(),
        "host": platform.node(),
        "platform": platform.platform(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(began)),
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "jobs": jobs,
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
        raise _no_place(directory, error) from None
