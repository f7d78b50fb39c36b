"""What must be the same on both sides for the same bytes to come out."""

from __future__ import annotations

import os
import platform
import sys
from typing import Collection, Mapping, NamedTuple, Optional, Sequence

from cvinfer.engines.base import LearnerSpec
from cvinfer.packages import own_versions

#: Set where whoever started the workers lets them run code of specs.
ALLOW_CODE = "CVINFER_ALLOW_CODE"
#: What is said for something that is not there.
NONE = "none"


class Greeting(NamedTuple):
    """What a worker says of itself.

    refusal: why it will not do this run. parts: the data sets it has, by name (`parcels`).
    """

    versions: Mapping[str, str]
    refusal: Optional[str]
    host: str
    pid: int
    parts: Sequence[str]


class Report(NamedTuple):
    """What `cvinfer doctor` wants to know of a worker.

    engines: why each cannot be used there; None where it can.
    """

    versions: Mapping[str, str]
    engines: Mapping[str, Optional[str]]
    host: str
    code: bool


class Difference(NamedTuple):
    """A package that is another one on a worker."""

    package: str
    here: str
    there: str

    def __str__(self) -> str:
        return f"{self.package} {self.there} there, {self.here} here"


def here(learners: Sequence[LearnerSpec]) -> dict[str, str]:
    """Versions that can move a result: our own, and those of the packages behind the learners.

    R and Java are asked only where a learner needs them.
    """
    from cvinfer.engines import engine

    found = own_versions()
    for learner in learners:
        found.update(engine(learner.engine).versions(learner))
    return found


def end_helper() -> None:
    """R was asked all there is to ask; its memory is for the fits."""
    client = sys.modules.get("cvinfer.engines._r.client")
    if client is not None:
        client.end()


def everything() -> Report:
    """All that there is: R and Java are started to say so."""
    from cvinfer.engines import engines

    reasons = {name: each.reason() for name, each in engines().items()}
    found = own_versions()
    for name, each in engines().items():
        if reasons[name] is None:
            found.update(each.versions())
    end_helper()
    return Report(found, reasons, platform.node(), bool(os.environ.get(ALLOW_CODE)))


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[Difference]:
    names = sorted({*ours, *theirs})
    every = [Difference(each, ours.get(each, NONE), theirs.get(each, NONE)) for each in names]
    return [each for each in every if each.here != each.there]


def refusal(learners: Sequence[LearnerSpec], foreign: Collection[str] = ()) -> Optional[str]:
    """Why one of these cannot be run here; None if all of them can.

    foreign: the names of those that are code of others. It is run, and looked at, where whoever
    started the workers allowed it.
    """
    from cvinfer.engines import engine

    allowed = bool(os.environ.get(ALLOW_CODE))
    for one in learners:
        faults = engine(one.engine).check(one, None, allow_code=allowed)
        if faults and one.name in foreign and not allowed:
            return (
                f"{one.name} is code of others, which these workers do not run:"
                " start them with cvinfer workers --allow-code"
            )
        if faults:
            return f"{one.name} cannot be run there: {faults[0]}"
    return None
