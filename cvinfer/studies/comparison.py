"""An ordinary comparison as a study: its records drawn or partitioned anew, many times.

What a comparison may be and a study of it may not (predictions made elsewhere, splits of a file) is
refused here, at its place in the spec.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence

from cvinfer import limits
from cvinfer.data.dataset import Dataset
from cvinfer.data.given import GIVEN
from cvinfer.errors import Path as Place
from cvinfer.errors import UserError
from cvinfer.execute.replications.recipe import Recipe, Truth
from cvinfer.limits import shown_count
from cvinfer.spec import SpecError
from cvinfer.spec.load import Source, located
from cvinfer.spec.model import Spec
from cvinfer.studies.load import LOSS, first_drawn
from cvinfer.studies.model import Point, Study
from cvinfer.studies.plan import fits_of_replication


@dataclass(frozen=True)
class Comparison:
    """A spec with its data sets, all of records that learners can be fitted on."""

    spec: Spec
    sets: tuple[Dataset, ...]
    asked: "Asked"

    def point(
        self,
        number: int,
        n: Optional[int] = None,
        truth: bool = False,
        paired: bool = False,
    ) -> Point:
        """The comparison on one data set, or on n records that are drawn from it.

        truth: no test, but the error of each learner on the records that were not drawn. paired: of
        two sets after each other none has a record of the other.
        """
        population = self.sets[number]
        recipe = Recipe(population, n, False, self.spec.seed, 1, (), paired=paired)
        example = population if n is None else first_drawn(recipe, population)
        spec = replace(self.spec, data=(self.spec.data[number],), intervals=())
        if truth:
            spec = replace(spec, tests=(), partition=None)
        at = {"data": population.name}
        measured = Truth(None) if truth else None
        return Point(at, spec, population, n, False, measured, 1, example, paired=paired)

    def study(self, points: Sequence[Point], replications: int) -> Study:
        return Study(
            name=self.spec.name,
            written={},
            points=tuple(points),
            replications=replications,
            ties="not_rejected",
            variances=False,
            distributions=False,
            seed=self.spec.seed,
        )


@dataclass(frozen=True)
class Asked:
    """What a comparison was read from, to say where in it something stands."""

    source: Source
    overrides: tuple[str, ...]
    allow_code: bool
    base: Optional[Path]

    def refuse(self, path: Place, message: str, allowed: Optional[str] = None) -> SpecError:
        """The error that says so at the place in the spec."""
        about = UserError(message, path, allowed)
        return located(about, self.source, self.overrides, self.allow_code, self.base)


def load_comparison(
    source: Source,
    overrides: Iterable[str],
    allow_code: bool,
    base: Optional[Path],
    what: str,
) -> Comparison:
    """The comparison in a file or a mapping; `what` says in words what it is wanted for."""
    from cvinfer.runner import load

    asked = Asked(source, tuple(overrides), allow_code, base)
    spec, sets = load(source, asked.overrides, allow_code, base)
    found = []
    for number, one in enumerate(sets):
        if not isinstance(one, Dataset):
            message = f"{one.name} holds predictions made elsewhere, which cannot be {what}"
            allowed = "data that learners are fitted on"
            raise asked.refuse(("data", number), message, allowed)
        found.append(one)
    given = [request.scheme for request in spec.partition or () if request.scheme in GIVEN]
    if given:
        message = f"{GIVEN[given[0]].title} are there once, and cannot be {what}"
        raise asked.refuse(("partition",), message, "a scheme, or auto")
    if [each.name for each in spec.measures] != [LOSS]:
        raise asked.refuse(("loss",), "this takes 0/1 losses only", LOSS)
    return Comparison(spec, tuple(found), asked)


def refuse_too_much(points: Sequence[Point], times: int, option: str) -> None:
    """Refuse what takes more fits than the limit allows; nothing has been fitted yet."""
    most = limits.max_fits()
    total = times * sum(fits_of_replication(point) for point in points)
    if total > most:
        allowed = f"at most {most:,} (--max-fits raises that)"
        raise UserError(f"{option} takes {shown_count(total)} fits", allowed=allowed)


def whole_number(value: Any, least: int, most: int, option: str) -> int:
    """A number that an option may have."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        allowed = f"a whole number from {least} to {most:,}"
        raise UserError(f"{option} cannot be {value!r}", allowed=allowed)
    return int(value)
