"""What a file of the ledger says, once it was found right."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional

from cvinfer.documents import JsonObject

#: What becomes of a cell. `agrees` and `differs` are found, the others need a word in the file:
#: evidence for a reason, a misprint that was found in the paper, or why nothing was run.
VERDICTS = ("agrees", "differs", "explained", "misprint", "not run")
#: What becomes of a claim.
CLAIM_VERDICTS = ("holds", "fails", "explained", "misprint", "not run")
#: Items whose cells are those of the paper's tables; numbers of figures and of running text are
#: counted apart.
TABLES = ("table", "examples")


@dataclass(frozen=True)
class Cell:
    """One printed number. at: the grid point beyond the group's own, from `along`."""

    name: str
    printed: float
    at: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    misprint: Optional[str] = None
    explained: Optional[str] = None


@dataclass(frozen=True)
class Across:
    """A number over the cells of several studies."""

    rule: str
    studies: tuple[str, ...]


@dataclass(frozen=True)
class Otherwise:
    """What is asked where the first number differs, and the reason if that agrees.

    A second study, or for exact numbers a second entry of these: one of both is set.
    """

    because: str
    study: Optional[str] = None
    exact: Optional[str] = None


@dataclass(frozen=True)
class Group:
    """Printed cells that are found in the same way.

    Exactly one of study, exact, across and not_run is set. field: the number of a study's cell that
    is printed. scale: printed over ours. digits: behind the printed point. replications: the
    paper's. match: further fields of the study's cell. derived: how a name is made from several
    quantities.
    """

    label: str
    digits: int
    replications: int
    cells: tuple[Cell, ...]
    study: Optional[str] = None
    exact: Optional[str] = None
    across: Optional[Across] = None
    not_run: Optional[str] = None
    kind: str = "test"
    field: str = "rate"
    scale: float = 1.0
    at: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    match: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    derived: Mapping[str, JsonObject] = dataclasses.field(default_factory=dict)
    otherwise: Optional[Otherwise] = None


@dataclass(frozen=True)
class Claim:
    """What a text says about a figure. check: the kind of check; options: what it looks at."""

    text: str
    check: str
    options: JsonObject
    misprint: Optional[str] = None
    explained: Optional[str] = None


@dataclass(frozen=True)
class Source:
    """A study of the ledger: its own (a spec), or that of another item."""

    spec: JsonObject = dataclasses.field(default_factory=dict)
    paper: Optional[str] = None
    item: Optional[str] = None
    name: Optional[str] = None

    @property
    def borrowed(self) -> bool:
        return self.item is not None


@dataclass(frozen=True)
class Reach:
    """How many replications are run here, and why so many; a study may have its own number."""

    because: str
    replications: Optional[int] = None
    studies: Mapping[str, int] = dataclasses.field(default_factory=dict)

    def of(self, study: str) -> Optional[int]:
        return self.studies.get(study, self.replications)


@dataclass(frozen=True)
class DataFrom:
    """Where data lies that the project does not ship: `path` as written in the file."""

    path: str
    what: str


@dataclass(frozen=True)
class Item:
    """One table or figure of a paper."""

    file: Path
    paper: str
    name: str
    title: str
    says: str
    replications: int
    reach: Reach
    studies: Mapping[str, Source]
    exact: Mapping[str, JsonObject]
    groups: tuple[Group, ...]
    claims: tuple[Claim, ...]
    data_from: Optional[DataFrom] = None

    @property
    def key(self) -> str:
        return f"{self.paper}:{self.name}"

    @property
    def is_table(self) -> bool:
        """Whether its cells are cells of a table, and no numbers of a text."""
        return self.name.startswith(TABLES)

    @property
    def own_studies(self) -> tuple[str, ...]:
        return tuple(name for name, source in self.studies.items() if not source.borrowed)

    @property
    def cells(self) -> int:
        return sum(len(group.cells) for group in self.groups)
