"""Whether a test or interval fits the partitions that are there: decided here, and only here."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Protocol, Sequence, TypeVar

from cvinfer.inference.registry import Need, Procedure


class Offered(Protocol):
    """What is asked of a partition: its scheme, and what that was asked for."""

    @property
    def scheme(self) -> str:
        """Name of the scheme."""

    @property
    def options(self) -> Mapping[str, Any]:
        """The resolved options of the scheme."""


class Described(NamedTuple):
    """A partition that is not at hand, only described: by a spec, or in a result."""

    scheme: str
    options: Mapping[str, Any]


AnyOffered = TypeVar("AnyOffered", bound=Offered)


def suitable(need: Need, offered: Sequence[AnyOffered]) -> list[AnyOffered]:
    """Those that a need takes."""
    return [each for each in offered if need.accepts(each.scheme, each.options)]


def lacking(
    declared: Procedure, offered: Sequence[Offered], drawn: bool = True
) -> Optional[list[Need]]:
    """The schemes that a test lacks there, None if it can be made.

    Most intervals are content with any one of their own. A test that needs a scheme twice needs two
    such partitions, unless the second can be `drawn`.
    """
    missing = []
    left = list(offered)
    for need in declared.needs:
        found = suitable(need, offered if drawn else left)
        if not found:
            missing.append(need)
        elif declared.kind == "test" and not drawn:
            left.remove(found[0])
    if not declared.together and len(missing) < len(declared.needs):
        return None
    return missing or None


def taken(declared: Procedure, given: Sequence[Offered]) -> bool:
    """Whether a test takes exactly these, each for the need at its place."""
    return len(given) == len(declared.needs) and all(
        bool(suitable(need, [each])) for need, each in zip(declared.needs, given)
    )
