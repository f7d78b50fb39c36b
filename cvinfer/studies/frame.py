"""What surrounds the work of a command on studies: where it writes, which store, how long."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Mapping, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute.work import Outcome

if TYPE_CHECKING:
    from cvinfer.execute.backends.base import Opener
    from cvinfer.execute.store import Store
    from cvinfer.progress import Progress
    from cvinfer.spec.model import Spec


@dataclass(frozen=True)
class Means:
    """By what means a study is made: options of `cvinfer.run`, and `log`, what learners print."""

    jobs: Optional[int] = None
    output: Optional[Union[str, Path]] = None
    store: Optional[Union[str, Path]] = None
    progress: "Optional[Progress]" = None
    fail_fast: bool = False
    write: bool = False
    backend: "Optional[Opener]" = None
    log: Optional[Path] = None

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UserError(f"jobs = {self.jobs}: at least one worker is needed")

    @property
    def workers(self) -> int:
        from cvinfer.runner import default_jobs

        return self.jobs or default_jobs()


#: From an open store and the means, with a log where files are written, to a document.
Work = Callable[["Store", Means], tuple[JsonObject, Outcome]]
#: From a directory and a document to the files written, and what could not be made, in words.
Write = Callable[[Path, JsonObject], tuple[Sequence[Path], Sequence[str]]]


@dataclass(frozen=True)
class Finished:
    """A document with what is no part of it: fits made, files written, seconds."""

    document: JsonObject
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


def framed(spec: "Spec", means: Means, work: Work, write_files: Write) -> Finished:
    """Do some work inside its directory and store; with `write` its files are written."""
    from cvinfer.execute.places import find_store, output_directory
    from cvinfer.execute.store import Store
    from cvinfer.runner import LOG_NAME
    from cvinfer.runner.files import refuse_unwritable, write_facts

    began, clock = time.time(), time.monotonic()
    directory = output_directory(spec, means.output)
    if means.write:
        refuse_unwritable(directory)
        means = replace(means, log=directory / LOG_NAME)
    wanted = means.write or means.store
    place = find_store(spec, means.output, means.store) if wanted else None
    path = None if place is None else place.path
    if means.progress is not None:
        means.progress.store = None if place is None else str(place)
    with Store(path, at_hand=False) as open_store:
        document, outcome = work(open_store, means)
    files: Sequence[Path] = ()
    remarks: Sequence[str] = ()
    seconds = {"in learners": outcome.seconds, "total": time.monotonic() - clock}
    if means.write:
        files, remarks = write_files(directory, document)
        start = Path(os.path.relpath(spec.base, directory.absolute()))
        write_facts(directory, outcome, began, seconds, means.workers, start)
    remark = "" if place is None else place.remark
    made_in = directory if means.write else None
    return Finished(document, outcome, made_in, seconds, path, remark, files, remarks)
