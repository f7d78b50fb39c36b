"""Studies: a comparison on many data sets that are drawn from one population.

`simulate` reads a study, lets workers draw, split, fit and reduce its replications, runs every test
once on all of them, and gives the content of study.json. Replications are stored as they finish, so
that an interrupted study goes on where it stopped, and more of them cost what is new.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute.work import Outcome

if TYPE_CHECKING:
    from cvinfer.execute.backends.base import Opener
    from cvinfer.progress import Progress
    from cvinfer.spec.load import Source
    from cvinfer.studies.model import Study

__all__ = ["Simulated", "simulate"]

LOG_NAME = "run.log"


@dataclass(frozen=True)
class Simulated:
    """What a study found; `document` is the content of study.json."""

    document: JsonObject
    study: "Study"
    outcome: Outcome
    directory: Optional[Path] = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    store: Optional[Path] = None
    store_remark: str = ""
    files: Sequence[Path] = ()
    remarks: Sequence[str] = ()

    @property
    def failed(self) -> bool:
        return bool(self.document["failures"])


def simulate(
    source: "Union[Source, Study]",
    *,
    overrides: Sequence[str] = (),
    base: Optional[Path] = None,
    replications: Optional[int] = None,
    range_: Optional[tuple[int, int]] = None,
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
) -> Simulated:
    """Run a study (a file or a mapping) and return what it found.

    `replications` takes the place of the study's own number; `range_` makes some of them only,
    first and last counted from 1, to be added to others by `cvinfer.studies.document.merge`. The
    other options are those of `cvinfer.run`.
    """
    from cvinfer.limits import limited
    from cvinfer.studies.load import load_study
    from cvinfer.studies.model import Study

    began, clock = time.time(), time.monotonic()
    if jobs is not None and jobs < 1:
        raise UserError(f"jobs = {jobs}: at least one worker is needed")
    if replications is not None:
        overrides = [*overrides, f"study.replications={replications}"]
    with limited(max_bytes, max_fits):
        study = (
            source if isinstance(source, Study) else load_study(source, overrides, allow_code, base)
        )
    from cvinfer.execute.places import find_store, output_directory
    from cvinfer.execute.store import Store
    from cvinfer.runner.files import refuse_unwritable
    from cvinfer.studies.work import studied, wanted_range

    wanted = wanted_range(study, range_)
    directory = output_directory(study.spec, output)
    if write:
        refuse_unwritable(directory)
    place = find_store(study.spec, output, store) if write or store else None
    path = None if place is None else place.path
    if progress is not None:
        progress.store = None if place is None else str(place)
    with Store(path, at_hand=False) as open_store:
        document, outcome = studied(
            study,
            wanted,
            open_store,
            jobs=jobs,
            progress=progress,
            fail_fast=fail_fast,
            log=directory / LOG_NAME if write else None,
            backend=backend,
        )
    files: Sequence[Path] = ()
    remarks: Sequence[str] = ()
    seconds = {"in learners": outcome.seconds, "total": time.monotonic() - clock}
    if write:
        from cvinfer.runner.files import write_facts
        from cvinfer.studies.files import write_study_files

        files, remarks = write_study_files(directory, document)
        from cvinfer.runner import default_jobs

        start = Path(os.path.relpath(study.spec.base, directory.absolute()))
        write_facts(directory, outcome, began, seconds, jobs or default_jobs(), start)
    remark = "" if place is None else place.remark
    made_in = directory if write else None
    return Simulated(document, study, outcome, made_in, seconds, path, remark, files, remarks)
