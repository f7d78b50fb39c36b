"""What a table is: cells in columns, columns in groups, and the part of it that is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, NamedTuple, Optional, Union

from cvinfer.analysis.words import listed


#: Between the lines of a cell.
BREAK = "\N{LINE SEPARATOR}"


class Cite(NamedTuple):
    """A key of references.bib inside a note."""

    key: str


#: Text with citations in it.
Words = tuple[Union[str, Cite], ...]


class Note(NamedTuple):
    """A note on a table; one that explains a column stands only where that column does."""

    words: Words
    #: The title of the column.
    beside: Optional[str] = None


@dataclass(frozen=True)
class Cell:
    """What stands in one place; `footnote` is the text that a mark beside it refers to.

    A `sign` stands behind the text, outside of the column of numbers.
    """

    text: str
    bold: bool = False
    footnote: Optional[str] = None
    sign: str = ""


@dataclass(frozen=True)
class Column:
    """A column: `title` may be broken between its words; `notes` belong to this column.

    A column with a `warning` has notes, and the first of them names it.
    """

    title: str
    cells: tuple[Cell, ...]
    notes: Words = ()
    warning: Optional[str] = None
    # The learner that each row's result favours; None where it favours none.
    favours: tuple[Optional[str], ...] = ()
    # The learner that each cell is about, to be set in bold where the tests shown favour it.
    who: tuple[str, ...] = ()
    # Cells that have the same form in every row line up on the left, numbers on the right.
    left: bool = False


@dataclass(frozen=True)
class Group:
    """Columns under one heading: `shared` ones, repeated in every part, and `own` ones."""

    title: str
    shared: tuple[Column, ...]
    own: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """`keys` are the columns that name a row; `block` the rows that belong together."""

    kind: str
    caption: str
    keys: tuple[Column, ...]
    groups: tuple[Group, ...]
    notes: tuple[Note, ...]
    block: tuple[str, ...]
    notes_word: str

    @property
    def rows(self) -> int:
        return len(self.block)


@dataclass(frozen=True)
class Part:
    """As many columns and rows of a table as fit: what is really printed."""

    table: Table
    groups: tuple[Group, ...]
    keys: tuple[Column, ...]
    rows: range
    number: int = 1
    of: int = 1
    footnotes: Mapping[str, str] = field(default_factory=dict)  # text to mark

    @property
    def columns(self) -> tuple[Column, ...]:
        inside = (column for group in self.groups for column in (*group.shared, *group.own))
        return (*self.keys, *inside)

    def mark(self, cell: Cell) -> str:
        return "" if cell.footnote is None else self.footnotes[cell.footnote]

    @property
    def notes(self) -> tuple[Words, ...]:
        """The table's notes, then those of the columns that are here, then the footnotes."""
        own = [column for group in self.groups for column in group.own]
        here = {None, *(column.title for column in own)}
        parts = [column.notes for column in own if column.notes]
        listed_words: list[Union[str, Cite]] = [f"{self.table.notes_word}: "]
        for at, words in enumerate(parts):
            listed_words += ["; "] * (at > 0) + list(words)
        found = [note.words for note in self.table.notes if note.beside in here]
        found += [(*listed_words, ".")] if parts else []
        warned: dict[str, list[str]] = {}
        for column in own:
            if column.warning:
                warned.setdefault(column.warning, []).append(str(column.notes[0]))
        found += [(f"{listed(names)}: {text}.",) for text, names in warned.items()]
        return tuple(found)
