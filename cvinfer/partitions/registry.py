"""The schemes by name. A scheme is one decorated function in a module of `schemes`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from cvinfer.names import close_match
from cvinfer.registry import Registry

from .deals import Dealt
from .errors import PartitionError
from .partition import Partition
from .told import Told

__all__ = ["SchemeInfo", "make_partition", "readable", "scheme", "schemes"]

SchemeFunction = TypeVar("SchemeFunction", bound=Callable[..., Partition])

#: What a partition is called in words: a text that its shape fills, or a function.
Label = str | Callable[[Partition], str]
FromRoles = Callable[[Told], Partition]

_COMMON = ("seed", "stratify", "groups")


@dataclass(frozen=True)
class SchemeInfo:
    """What the registry knows of a scheme.

    defaults: its own options with their defaults (None: derived from n); every scheme takes
    `seed`, `stratify` and `groups` besides. refuses: which of the last two it cannot honour, and
    why.
    sizes: the shape of its splits, each axis a number, an option that counts it, or `n`.
    label: what its partitions are called in words. title: the same over a column of a table, which
    data sets may share; `scheme` tells how it is filled.
    from_roles: makes the partition of splits that a file tells; None where they cannot be read
    back.
    dealt: of which deals of the records a partition of it is made (see `deals`); None where nobody
    has said.
    """

    name: str
    function: Callable[..., Partition]
    description: str
    defaults: Mapping[str, Any]
    refuses: Mapping[str, str]
    sizes: tuple[int | str, ...] = ()
    label: Label | None = None
    title: str | None = None
    from_roles: FromRoles | None = None
    dealt: Dealt | None = None
    splitter: str = ""

    @property
    def stratify(self) -> bool:
        """Whether it honours `stratify`."""
        return "stratify" not in self.refuses

    @property
    def groups(self) -> bool:
        """Whether it honours `groups`."""
        return "groups" not in self.refuses

    def words(self, partition: Partition) -> str | None:
        """What a partition of it is called; None where it declares no label."""
        if isinstance(self.label, str):
            return self.label.format(*partition.shape)
        return None if self.label is None else self.label(partition)

    def count(self, n: int, options: Mapping[str, Any]) -> int:
        """How many splits it has on n records, from numbers alone: nothing is drawn.

        An option that is no whole number counts as 1: what is wrong with it is told elsewhere.
        """
        known = {**self.defaults, **options, "n": n}
        given = [known.get(size) if isinstance(size, str) else size for size in self.sizes]
        return math.prod(max(size, 1) if type(size) is int else 1 for size in given)


#: Every partition scheme by its id. The folder of the same name is hidden by it for whoever imports
#: it from the package; the registry finds the folder by its full name.
schemes: Registry[SchemeInfo] = Registry(
    "scheme", "cvinfer.partitions.schemes", ordered=True, refusal=PartitionError
)


class _Readable(Collection[str]):
    """The schemes that splits can be read back as, asked anew each time: plug-ins come late."""

    def __iter__(self) -> Iterator[str]:
        return (name for name, info in schemes.items() if info.from_roles is not None)

    def __contains__(self, name: object) -> bool:
        return any(name == each for each in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


readable = _Readable()


def scheme(
    name: str,
    *,
    stratify: bool | str = True,
    groups: bool | str = True,
    sizes: tuple[int | str, ...] = (),
    label: Label | None = None,
    title: str | None = None,
    from_roles: FromRoles | None = None,
    dealt: Dealt | None = None,
    splitter: str | None = None,
) -> Callable[[SchemeFunction], SchemeFunction]:
    """Register a scheme under its id; its docstring's first line describes it.

    stratify, groups: the reason, or just False, where the scheme cannot honour them.
    sizes, from_roles, dealt: see `SchemeInfo`.
    label: a text with a {} for each axis of the shape that it names, such as "{}-fold", or a
    function of the partition; without it a partition is called by its name and shape.
    splitter: the name of its splitter, where that is not its own in capitals, as RandomMx2.
    title: such a text, in which {tested} is how much is tested and {share} the share that trains;
    without it a table has the label.
    """
    honours = {"stratify": stratify, "groups": groups}
    refuses = {
        option: value if isinstance(value, str) else "it has no use for them"
        for option, value in honours.items()
        if value is not True
    }

    def register(function: SchemeFunction) -> SchemeFunction:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        own = {p.name: p.default for p in parameters if p.name not in _COMMON}
        description = (inspect.getdoc(function) or "").partition("\n")[0]
        info = SchemeInfo(
            name,
            function,
            description,
            MappingProxyType(own),
            MappingProxyType(refuses),
            sizes,
            label,
            title,
            from_roles,
            dealt,
            splitter or "".join(word.capitalize() for word in name.split("_")),
        )
        schemes.add(name, info, function.__module__)
        return function

    return register


def make_partition(name: str, n: int, **options: Any) -> Partition:
    """The partition of the scheme called `name`, as if its function had been called."""
    known = schemes.find(name, ("scheme",))
    allowed = [*known.defaults, *_COMMON]
    for option in options:
        if option not in allowed:
            raise PartitionError(
                f"there is no option {option!r}",
                (option,),
                allowed,
                close_match(option, allowed),
                about_key=True,
                who=name,
            )
    return known.function(n, **options)
