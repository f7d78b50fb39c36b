"""The four stages of a run: each can be called by itself, and in a loop.

`load` reads, `plan` says what is to be fitted, `execute` makes the fits, `analyse` tells what was
found. What one gives the next one takes. None changes what it is given, so that each may be called
again: with another seed from `plan` on, with another alpha from `analyse` on, without a new fit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.analysis.document import build
from cvinfer.data import Dataset
from cvinfer.data.dataset import DataLike
from cvinfer.documents import JsonObject
from cvinfer.errors import CvinferError, UserError
from cvinfer.execute import fits
from cvinfer.execute.backends.base import Opener
from cvinfer.execute.store import Store
from cvinfer.execute.work import Limits, Outcome
from cvinfer.losses import CODES
from cvinfer.packages import own_versions
from cvinfer.planning import RunPlan, plan_run
from cvinfer.progress import Progress, waiting
from cvinfer.runner.found import Found, found_on
from cvinfer.runner.remarks import leak_warnings, learner_warnings, missing_told, unused_learners
from cvinfer.spec.model import Spec

Source = Union[str, "os.PathLike[str]", JsonObject, Spec]


class _Pair(NamedTuple):
    spec: Spec
    sets: Sequence[DataLike]


class Loaded(_Pair):
    """A spec, checked, and its data sets in its order.

    lost: those of the spec that are not among them, because they could not be taken; each is its
    name as `data`, and a `message`.
    """

    lost: Sequence[JsonObject] = ()


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
    found: Sequence[Found]


def load(
    source: Source,
    overrides: Sequence[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
    going_on: bool = False,
) -> Loaded:
    """The first stage: the spec, checked, and its data sets.

    `going_on`: of several data sets those that cannot be read, have one class only, or cannot be
    split as asked, are left out, and told in `lost`; without it, or where none is left, they are
    faults.
    """
    if isinstance(source, Spec):
        if not any(map(_stands_for_several, source.data)):
            return _with_lost(source, (), going_on)
        base = source.base
        source = source.resolved()
    from cvinfer.spec import SpecError, finished, read_spec
    from cvinfer.spec.load import located

    while True:
        reading = read_spec(source, overrides, allow_code, base, going_on)
        spec, read, faults = reading
        if spec is None:
            raise SpecError(faults)
        try:
            if not _fetched(spec, going_on):
                break  # what was fetched is read and checked like all else, with its place
        except UserError as error:
            raise located(error, source, overrides, allow_code, base) from None
    loaded = _with_lost(spec, read, going_on, reading.lost)
    if not loaded.sets:
        return load(source, overrides, allow_code, base)  # each fault with its place
    sets = loaded.sets
    if finished.is_result_file(source) and not overrides:
        finished.check_data(str(source), finished.read_result(Path(str(source))), sets)
    return loaded


def _stands_for_several(entry: Mapping[str, object]) -> bool:
    from cvinfer.data import sources

    info = sources().get(str(entry.get("source")))
    return info is not None and info.stands_for_several(entry)


def _fetched(spec: Spec, going_on: bool) -> bool:
    """Fetch what data and their splits need from a server; whether something came of it."""
    from cvinfer.data import sources
    from cvinfer.data.given import GIVEN, Asked
    from cvinfer.data.registry import Request

    came = False
    asked = [
        (GIVEN[one.scheme], Asked(one.options, spec.base))
        for one in spec.partition or ()
        if one.scheme in GIVEN
    ]
    for index, entry in enumerate(spec.data):
        info, request = sources()[entry["source"]], Request(entry, spec.base, spec.seed)
        try:
            if not info.ready(request):
                with waiting(f"fetching {entry['name']}"):
                    info.fetch(request)
                came = came or info.ready(request)
            for given, wanted in asked:
                if info.stands_for_several(entry) or given.ready(wanted, entry):
                    continue
                with waiting(f"fetching the splits of {entry['name']}"):
                    given.fetch(wanted, entry)
                came = True
        except UserError as error:
            if not going_on or len(spec.data) < 2:
                place = ("data", index, *(error.path or ()))
                told = error.allowed, error.suggestion, error.there
                raise UserError(error.message, place, *told) from None
    return came


def _with_lost(
    spec: Spec,
    read: Sequence[Optional[DataLike]] = (),
    going_on: bool = False,
    known: Mapping[str, str] = MappingProxyType({}),
) -> Loaded:
    """The data sets of a spec; going on, what is wrong with one of several is told and no more.

    known: what is wrong with some of them already.
    """
    if not going_on or len(spec.data) < 2:
        return Loaded(spec, datasets(spec, read))
    sets: list[DataLike] = []
    lost: list[JsonObject] = []
    for index, entry in enumerate(spec.data):
        if entry["name"] in known:
            lost.append({"data": entry["name"], "message": known[entry["name"]]})
            continue
        try:
            one = _loaded(spec, index, read)
            if not one.made_elsewhere and len(one.classes) < 2:
                raise UserError(f"the target has one class only, {one.classes[0]!r}")
            sets.append(one)
        except (CvinferError, OSError) as error:
            said = (error.strerror or error) if isinstance(error, OSError) else error
            lost.append({"data": entry["name"], "message": " ".join(str(said).split())})
    loaded = Loaded(spec, sets)
    loaded.lost = lost
    return loaded


def plan(loaded: Loaded) -> Planned:
    """The second: what is to be fitted, and under which keys.

    For other seeds, learners or tests put another spec into `loaded`; the data are read already.
    """
    versions = learner_versions(loaded.spec)
    return Planned(loaded, run_plans(loaded.spec, loaded.sets, versions), versions)


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
    """The last: tests, intervals and verdicts on what the store holds now.

    Another alpha, correction or margin takes another spec in `planned`, and no new fit.
    """
    (spec, sets), plans, versions = planned
    found = [found_on(spec, one, plan, store, outcome) for one, plan in zip(sets, plans)]
    missing, told = missing_told(spec, plans)
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
        lost=planned.loaded.lost,
    )
    return Analysed(document, found)


# --- what they are made of ------------------------------------------------------------------------


def datasets(spec: Spec, read: Sequence[Optional[DataLike]] = ()) -> list[DataLike]:
    """The data of a spec, loaded, but for what was `read` already."""
    return [_loaded(spec, index, read) for index in range(len(spec.data))]


def _loaded(spec: Spec, index: int, read: Sequence[Optional[DataLike]]) -> DataLike:
    from cvinfer import data
    from cvinfer.data.parked import parked

    known = read[index] if index < len(read) else None
    if known is not None:
        return known
    try:
        found = data.load(spec.data[index], spec.base, spec.seed, spec.group_columns)
    except UserError as error:
        raise UserError(str(error), ("data", index, *(error.path or ()))) from None
    return parked(found) if isinstance(found, Dataset) and len(spec.data) > 1 else found


def default_jobs() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def foreign_learners(spec: Spec) -> list[str]:
    """The learners that are code of others."""
    from cvinfer.engines import foreign

    return foreign(spec.learners.values())


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
    wants = wanted(spec)
    return [
        plan_run(spec, one, versions, wants) if isinstance(one, Dataset) else None for one in sets
    ]


def wanted(spec: Spec) -> dict[str, str]:
    """What is wanted of each learner's predictions where that is more than class codes."""
    kind = spec.takes
    return {} if kind == CODES else dict.fromkeys(spec.learners, kind)


def manifest(
    spec: Spec, sets: Sequence[DataLike], of_learners: Mapping[str, Mapping[str, str]]
) -> JsonObject:
    """What made the result: versions, seed and hashes; nothing that changes on a rerun."""
    versions = own_versions()
    for found in of_learners.values():
        versions.update(found)
    return {
        "versions": versions,
        "seed": spec.seed,
        "hashes": {one.name: one.sha256 for one in sets},
    }


def _get_ready() -> None:
    """Load what inference and reports need while the workers load what learners need."""
    import importlib

    from cvinfer import report

    importlib.import_module("scipy.special")
    report.get_ready()
    client = sys.modules.get("cvinfer.engines._r.client")
    if client is not None:
        client.end()  # R was asked all there is to ask; its memory is for the workers
