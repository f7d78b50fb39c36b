"""One run from a spec to its result, in four stages that can be called one by one, and in loops.

`load` reads the spec and its data, `plan` says what is to be fitted, `execute` makes the fits, and
`analyse` makes the document of what they tell: see `stages`. `run` puts them together, with the
clock, the places of files and what is written.
"""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute.backends.base import Opener
from cvinfer.execute.places import find_store, output_directory
from cvinfer.execute.store import Store
from cvinfer.execute.work import Outcome
from cvinfer.limits import limited
from cvinfer.progress import Progress
from cvinfer.runner.files import refuse_unwritable, write_facts, write_pages, write_result
from cvinfer.runner.stages import (
    Analysed,
    Loaded,
    Planned,
    Source,
    analyse,
    default_jobs,
    execute,
    load,
    plan,
    run_plans,
)
from cvinfer.spec.model import Spec

if TYPE_CHECKING:
    from pandas import DataFrame

    from cvinfer.runner.shown import Drawn

__all__ = [
    "Analysed",
    "Loaded",
    "Planned",
    "Result",
    "Source",
    "analyse",
    "default_jobs",
    "execute",
    "load",
    "plan",
    "run",
    "run_plans",
]

LOG_NAME = "run.log"


@dataclass(frozen=True, repr=False)
class Result:
    """What a run found; `document` is the content of result.json.

    `failed` tells whether some fits failed, or some data sets could not be read (exit code 3 of
    the command), `directory` where the files are, None if nothing was written, `store` the file of
    finished fits, None if there was none, `store_remark` where it was found if not at its place.
    `seconds` tells where the time went.
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
        return bool(self.document["failures"] or self.document.get("failed_data"))

    @property
    def verdicts(self) -> Sequence[JsonObject]:
        return self.document["verdicts"]  # type: ignore[no-any-return]

    @property
    def comparisons(self) -> Sequence[JsonObject]:
        return self.document["comparisons"]  # type: ignore[no-any-return]

    @property
    def intervals(self) -> Sequence[JsonObject]:
        return self.document["intervals"]  # type: ignore[no-any-return]

    def to_frame(self, kind: str = "comparisons") -> DataFrame:
        """A pandas data frame: a row for each of the comparisons, intervals, verdicts or splits.

        Differences are loss A - loss B: positive means that A is worse.
        """
        from cvinfer.runner.shown import frame

        return frame(self.document, kind)

    def table(self, format: str = "text", **options: object) -> str:
        """The tables in a format of `cvinfer table`: text, markdown, latex, csv."""
        from cvinfer.report import render

        return render(self.document, format, **options)

    def plot(self, kind: str = "forest", form: str = "png") -> Drawn:
        """A picture of `cvinfer plot`, as png, svg or pdf; a notebook shows the first two."""
        from cvinfer.report.pictures import drawn
        from cvinfer.runner.shown import Drawn

        return Drawn(drawn(self.document, kind, form), form)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        name, learners = self.document["name"], len(self.document["learners"])
        verdicts = [
            f"{each['a']} and {each['b']}: {str(each['verdict']).replace('_', ' ')}"
            for each in self.verdicts
        ]
        more = f" and {len(verdicts) - 2} more" if len(verdicts) > 2 else ""
        said = "; ".join(verdicts[:2]) or "no comparison"
        return f"<Result {name}: {learners} learners; {said}{more}>"

    def _repr_html_(self) -> str:
        from cvinfer.runner.shown import html

        return html(self.document)


def run(
    source: Union[Source, Loaded],
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
    backend: Optional[Opener] = None,
) -> Result:
    """Run a spec (a file, a mapping, a `Spec`, or what `load` made of one); return its result.

    `base` is the directory that relative paths start from, in the place of the file's own. A
    result.json is a spec too; its data sets must be those it was made from, unless `overrides`
    make another comparison of it.

    With `write` the result goes to `output` (default: results/<name>) and finished fits to a store
    (`cvinfer.places`), as the command does; without it nothing is written, but `store` may still
    name a store. A fit that fails is in the result; with `fail_fast` the first raises `FitError`.
    `max_bytes` and `max_fits` raise the limits on what is read and begun (docs/security.md).
    `backend` is where fits are made (`cvinfer.execute.backends`), in the place of this machine.
    """
    clock = _Clock()
    if jobs is not None and jobs < 1:
        raise UserError(f"jobs = {jobs}: at least one worker is needed")
    with limited(max_bytes, max_fits):
        loaded = (
            source
            if isinstance(source, Loaded)
            else load(source, overrides, allow_code, base, going_on=not fail_fast)
        )
    spec = loaded.spec
    directory = output_directory(spec, output)
    if write:
        refuse_unwritable(directory)
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
            backend=backend,
        )
        clock.lap("fitting")
        if outcome.damaged and progress is None:  # the command says it with the result
            warnings.warn(outcome.warning(path), RuntimeWarning, stacklevel=2)
        analysed = analyse(planned, open_store, outcome)
    clock.lap("inference")
    if write:
        write_result(directory, analysed, loaded.sets)
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
        workers = jobs or default_jobs()
        facts = write_facts(directory, outcome, clock.began, seconds, workers, base)
        write_pages(directory, analysed.document, facts)
    remark = "" if place is None else place.remark
    made_in = directory if write else None
    return Result(analysed.document, spec, outcome, made_in, seconds, path, remark)


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
