"""Which learners are compared with which."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any, Iterable, Optional

from cvinfer.errors import Path as Place
from cvinfer.errors import listed
from cvinfer.names import close_match
from cvinfer.spec import work
from cvinfer.spec.check.common import Context
from cvinfer.spec.model import Pair
from cvinfer.spec.shape import quoted


def pairs_of(here: Context, learners: Optional[list[str]]) -> Optional[list[Pair]]:
    """(A, B) of every comparison; B is None where one learner is compared with a number."""
    if learners is None or not here.fine(("compare",)):
        return None
    given = here.or_default("compare")
    if given == "all":
        if here.too_much(work.too_many_comparisons(here.value, len(learners))):
            return None
        return list(combinations(learners, 2))
    placed = _placed_pairs(given)
    before = len(here.document.faults)
    for name, place in _placed_names(given):
        if name not in learners:
            message = f"there is no learner {quoted(name)}"
            here.fault(place, message, listed(learners), close_match(name, learners))
    if len(here.document.faults) > before:
        return None
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], str):
        return _alone(here, given[0])
    seen: set[frozenset[str]] = set()
    for (a, b), place in placed:
        if a == b:
            message = f"{quoted(a)} cannot be compared with itself"
            here.fault(place, message, "pairs of two different learners")
        elif frozenset((a, b)) in seen:
            here.fault(place, f"{quoted(a)} and {quoted(b)} are compared twice")
        seen.add(frozenset((a, b)))
    return [pair for pair, _ in placed]


def _alone(here: Context, name: str) -> Optional[list[Pair]]:
    if not here.one_learner:
        message = f"{quoted(name)} alone is compared with nothing; a study can set it against mu0"
        here.fault(("compare",), message, "a pair of learner names")
        return None
    return [(name, None)]


def _placed_pairs(given: Any) -> list[tuple[tuple[str, str], Place]]:
    if isinstance(given, dict):
        return [
            ((a, b), ("compare", "against", index))
            for a, (index, b) in product(given["each"], enumerate(given["against"]))
        ]
    if isinstance(given[0], str):
        return [((given[0], given[1]), ("compare",))] if len(given) == 2 else []
    return [((pair[0], pair[1]), ("compare", index)) for index, pair in enumerate(given)]


def _placed_names(given: Any) -> Iterable[tuple[str, Place]]:
    if isinstance(given, dict):
        for side in ("each", "against"):
            yield from ((name, ("compare", side, i)) for i, name in enumerate(given[side]))
    elif isinstance(given[0], str):
        yield from ((name, ("compare", i)) for i, name in enumerate(given))
    else:
        for i, pair in enumerate(given):
            yield from ((name, ("compare", i, j)) for j, name in enumerate(pair))
