"""Which column of a file of predictions is what: records, truth, splits, and the learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections import Counter
from typing import Any, NamedTuple

from cvinfer.errors import UserError
from cvinfer.losses.kinds import PROBABILITIES, SCORES
from cvinfer.names import close_match

from .files import absent, listed
from .table import choose

__all__ = ["Columns", "find_columns", "in_order"]

_SPLITS = ("split", "fold")
#: How columns begin that hold a learner's probabilities or scores, one for each class.
BESIDE = {PROBABILITIES: "p", SCORES: "s"}
#: How near a name must be to one of these to be taken for it misspelt and not for a learner.
_MISSPELT = 0.8


class Columns(NamedTuple):
    """Positions in the header: of the fixed columns by what they are, and of the learners' by name.

    A file without `record` has a record in each row; one without `split` and `fold` is one split.
    """

    fixed: Mapping[str, int]
    learners: Mapping[str, int]

    @property
    def one_split(self) -> bool:
        return not any(key in self.fixed for key in _SPLITS)


def beside_column(kind: str, learner: str, label: str) -> str:
    """The name of the column with a learner's probabilities, or scores, of a class."""
    return f"{BESIDE[kind]}_{learner}_{label}"


def told_apart(
    where: str,
    header: Sequence[str],
    columns: Columns,
    labels: Sequence[str],
    learners: Any = None,
    drop: Sequence[object] = (),
) -> tuple[dict[str, int], dict[str, tuple[str, list[int]]]]:
    """The columns of classes by learner, and those beside them: kind and positions, by class.

    A column is of the latter if it is called after a learner and a class, unless `learners` names
    it; of all classes there must be one, or of none.
    """
    named = set(columns.learners) if learners is not None else set()
    # There may be thousands of columns: none is looked for along the header.
    free: dict[str, list[int]] = {
        name: [] for name in header if name not in named and name not in drop
    }
    for at, name in enumerate(header):
        if name in free:
            free[name].append(at)
    beside: dict[str, tuple[str, list[int]]] = {}
    for learner, at in columns.learners.items():
        for kind in BESIDE:
            found = _beside_of(where, free, kind, {learner, header[at]}, labels)
            if found and learner not in beside:
                beside[learner] = (kind, found)
    taken = {at for _, found in beside.values() for at in found}
    own = {name: at for name, at in columns.learners.items() if at not in taken}
    return own, {name: each for name, each in beside.items() if name in own}


def _beside_of(
    where: str,
    free: Mapping[str, Sequence[int]],
    kind: str,
    called: set[str],
    labels: Sequence[str],
) -> list[int]:
    """Positions of a learner's columns, in the order of the classes; `free` has all by name."""
    found: dict[str, int] = {}
    for name in sorted(called):
        for label in labels:
            column = beside_column(kind, name, label)
            places = free.get(column, ())
            if len(places) > 1:
                raise UserError(f"{where} names column {column!r} more than once", ("path",))
            if places:
                found.setdefault(label, places[0])
    lacking = [label for label in labels if label not in found]
    if found and lacking:
        position = next(iter(found.values()))
        there = next(name for name, places in free.items() if position in places)
        absent_one = beside_column(kind, sorted(called)[0], lacking[0])
        raise UserError(
            f"{where} has column {there!r} and no column {absent_one!r}: {kind} are needed of every"
            " class; if it is a learner's, name the learners: learners: [...]",
            ("path",),
        )
    return [found[label] for label in labels] if found else []


def listed_learners(given: Any) -> Any:
    """The option `learners` as a list, whose order a sorted file keeps."""
    if isinstance(given, Mapping):
        return [{name: column} for name, column in given.items()]
    return given


def in_order(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A data mapping whose learners are a list: the keys of a result are sorted."""
    learners = {"learners": listed_learners(entry["learners"])} if "learners" in entry else {}
    return {**entry, **learners}


def find_columns(
    where: str,
    header: Sequence[str],
    named: Mapping[str, str],
    learners: Any = None,
    keep: Sequence[object] = (),
    drop: Sequence[object] = (),
) -> Columns:
    """Where everything is. `named` are columns for record, truth and split with other names.

    `learners` says which columns are learners, by name or as {name: column}; without it all that
    are nothing else.
    """
    wanted = None if learners is None else _wanted(header, learners)
    fixed = _fixed(where, header, named, set(wanted.values()) if wanted else set())
    if wanted is None:
        return Columns(fixed, _rest(where, header, fixed, keep, drop))
    for key, given in (("keep", keep), ("drop", drop)):
        if given:
            raise UserError(f"learners says already which columns count; leave {key} out", (key,))
    at = {column: number for number, column in reversed(list(enumerate(header)))}
    found: dict[str, int] = {}
    for (name, column), place in zip(wanted.items(), _places(learners)):
        own = [number for number, each in enumerate(header) if each == column]
        own = [number for number in own if number not in fixed.values()]
        if not own:
            role = next(key for key, number in fixed.items() if number == at[column])
            raise UserError(f"column {column!r} holds the {role} and is no learner's", place)
        found[name] = own[0]
    if not found:
        raise UserError(
            f"{where} has no column of a learner's predictions: learners is empty", ("learners",)
        )
    return Columns(fixed, found)


def _places(learners: Any) -> list[tuple[Any, ...]]:
    keys = learners if isinstance(learners, Mapping) else range(len(learners))
    return [("learners", key) for key in keys]


def _wanted(header: Sequence[str], learners: Any) -> dict[str, str]:
    """The learners by name, each with its column."""
    found: dict[str, str] = {}
    for entry, place in zip(listed_learners(learners), _places(learners)):
        single = isinstance(entry, Mapping) and len(entry) == 1
        name, column = next(iter(entry.items())) if single else (entry, entry)
        if not isinstance(name, str) or not isinstance(column, str) or not name.strip():
            raise UserError(
                f"{entry!r} is no learner; give the name of a column, or {{name: column}}", place
            )
        if name in found:
            raise UserError(f"the learner {name!r} is there twice", place)
        if column not in header:
            raise absent(f"there is no column {column!r}", place, column, header)
        found[name] = column
    return found


def _fixed(
    where: str, header: Sequence[str], named: Mapping[str, str], taken: set[str]
) -> dict[str, int]:
    """Positions of what is no learner's; a name that is `taken` counts where it stands twice."""
    there = [name for name in dict.fromkeys(header) if name not in taken or header.count(name) > 1]
    position: dict[str, int] = {}
    for key, column in named.items():
        if column not in header:
            raise absent(f"there is no column {column!r}", (key,), column, header)
        position[key] = header.index(column)
    if "truth" not in position and "truth" not in there:
        fault = "say truth: and the name of the column with the true classes"
        raise absent(f"{where} has no column 'truth'; {fault}", ("path",), "truth", header)
    by_split: tuple[str, ...] = ("split",)
    if "split" not in position and "fold" in there:
        by_split = ("replication", "fold")
    for key in ("record", "truth", "scheme", *by_split, "role"):
        if key in there and key not in position:
            position[key] = header.index(key)
    split = any(key in position for key in _SPLITS)
    if split and "record" not in position:
        fault = (
            f"{where} has splits but no column 'record'; say record: and the name of the column "
            "that tells the records apart"
        )
        raise absent(fault, ("path",), "record", header)
    if not split and "scheme" in position:
        raise UserError(
            f"{where} has a column 'scheme' and says of no row to which split it belongs; it needs"
            " replication and fold as well",
            ("path",),
        )
    return position


def _rest(
    where: str,
    header: Sequence[str],
    fixed: Mapping[str, int],
    keep: Sequence[object],
    drop: Sequence[object],
) -> dict[str, int]:
    """The columns that are nothing else."""
    taken = set(fixed.values())
    rest = {at: name for at, name in enumerate(header) if at not in taken}
    for at, name in rest.items():
        if not name.strip():
            raise UserError(
                f"{where}: column {at + 1} has no name, and each learner needs one", ("path",)
            )
    names = list(rest.values())
    twice = {name for name, count in Counter(names).items() if count > 1}
    if twice:
        raise UserError(
            f"{where} names column {listed(sorted(twice))} more than once; every learner needs its "
            "own name",
            ("path",),
        )
    chosen = choose(names, None, keep, drop)
    if not chosen:
        raise UserError(f"{where} has no column of a learner's predictions", ("path",))
    if not any(key in fixed for key in _SPLITS):
        for name in chosen:
            if close_match(name, _SPLITS, _MISSPELT):
                raise UserError(
                    f"{where}: column {name!r} looks like that of the splits; say split: {name}, or"
                    " learners: [...] if it is a learner's",
                    ("path",),
                )
    kept = set(chosen)
    return {name: at for at, name in rest.items() if name in kept}
