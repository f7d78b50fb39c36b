"""What surrounds the work of a command on studies: where it writes, which store, how long."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Mapping, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute.work import Outcome

if TYPE_CHECKING:
    from cvinfer.execute.store import Store
    from cvinfer.progress import Progress
    from cvinfer.spec.model import Spec

#: From an open store and the file of what learners print to a document.
Work = Callable[["Store", Optional[Path]], tuple[JsonObject, Outcome]]
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


def framed(
    spec: "Spec",
    work: Work,
    write_files: Write,
    *,
    jobs: Optional[int] = None,
    output: Optional[Union[str, Path]] = None,
    store: Optional[Union[str, Path]] = None,
    progress: "Optional[Progress]" = None,
    write: bool = False,
) -> Finished:
    """Do some work inside its directory and store; with `write` its files are written."""
    from cvinfer.execute.places import find_store, output_directory
    from cvinfer.execute.store import Store
    from cvinfer.runner import LOG_NAME, default_jobs
    from cvinfer.runner.files import refuse_unwritable, write_facts

    began, clock = time.time(), time.monotonic()
    directory = output_directory(spec, output)
    if write:
        refuse_unwritable(directory)
    place = find_store(spec, output, store) if write or store else None
    path = None if place is None else place.path
    if progress is not None:
        progress.store = None if place is None else str(place)
    with Store(path, at_hand=False) as open_store:
        document, outcome = work(open_store, directory / LOG_NAME if write else None)
    files: Sequence[Path] = ()
    remarks: Sequence[str] = ()
    seconds = {"in learners": outcome.seconds, "total": time.monotonic() - clock}
    if write:
        files, remarks = write_files(directory, document)
        start = Path(os.path.relpath(spec.base, directory.absolute()))
        write_facts(directory, outcome, began, seconds, jobs or default_jobs(), start)
    remark = "" if place is None else place.remark
    made_in = directory if write else None
    return Finished(document, outcome, made_in, seconds, path, remark, files, remarks)


def refuse_no_workers(jobs: Optional[int]) -> None:
    if jobs is not None and jobs < 1:
        raise UserError(f"jobs = {jobs}: at least one worker is needed")
