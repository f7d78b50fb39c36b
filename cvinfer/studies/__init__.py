"""Studies: a comparison on many data sets that are drawn from one population.

`simulate` reads a study, lets workers draw, split, fit and reduce its replications, runs every test
once on all of them, and gives the content of study.json. Replications are stored as they finish, so
that an interrupted study goes on where it stopped, and more of them cost what is new.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.execute.work import Outcome
from cvinfer.studies.frame import Finished, Means, framed

if TYPE_CHECKING:
    from cvinfer.execute.backends.base import Opener
    from cvinfer.execute.store import Store
    from cvinfer.progress import Progress
    from cvinfer.spec.load import Source
    from cvinfer.studies.model import Study

__all__ = ["Simulated", "simulate"]


@dataclass(frozen=True, kw_only=True)
class Simulated(Finished):
    """What a study found; `document` is the content of study.json."""

    study: "Study"


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

    means = Means(jobs, output, store, progress, fail_fast, write, backend)
    if replications is not None:
        overrides = [*overrides, f"study.replications={replications}"]
    with limited(max_bytes, max_fits):
        study = (
            source if isinstance(source, Study) else load_study(source, overrides, allow_code, base)
        )
    from cvinfer.studies.files import write_study_files
    from cvinfer.studies.work import studied, wanted_range

    wanted = wanted_range(study, range_)

    def work(open_store: "Store", means: Means) -> tuple[JsonObject, Outcome]:
        return studied(study, wanted, open_store, means)

    found = framed(study.spec, means, work, write_study_files)
    return Simulated(**vars(found), study=study)
