"""What kinds of document there are to be shown: one file for each, found by its name.

A kind says what a document of it holds, in tables, sentences and rows; a format says how those are
written. So neither knows the other, and a new one of either is one file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.registry import Registry
from cvinfer.report.tables.model import Table


class Headline(NamedTuple):
    """One line that comes before everything else; `won` where it names a winner."""

    text: str
    won: bool = False


class Section(NamedTuple):
    """Sentences below the tables; where they are `spoken`, a terminal needs no heading for them."""

    heading: str
    lines: Sequence[str]
    spoken: bool = False


class Rows(NamedTuple):
    """Every number as a row for programs: names of columns, and values under them."""

    columns: Sequence[str]
    values: Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of document.

    recognises: whether a document is one. tables: what is shown of it. opening: sentences above
    the tables. sections: what stands below them. rows: the same for programs. cites: whether
    tables refer to references.bib. headlines: lines above everything else, one for each finding.
    brief: the sections of a screen, where they are not those of the whole. bold: what bold means
    on a terminal, as a style of rich: good news or bad.
    """

    name: str
    recognises: Callable[[JsonObject], bool]
    tables: Callable[[JsonObject], Sequence[Table]]
    opening: Callable[[JsonObject], Sequence[str]]
    sections: Callable[[JsonObject], Sequence[Section]]
    rows: Callable[[JsonObject], Rows]
    cites: bool = False
    headlines: Callable[[JsonObject], Sequence[Headline]] = lambda document: ()
    brief: Optional[Callable[[JsonObject], Sequence[Section]]] = None
    bold: str = "bold red"


kinds: Registry[Kind] = Registry("kind of document", folder="cvinfer.report.kinds", ordered=True)


def kind_of(document: JsonObject) -> Kind:
    """The kind that knows a document."""
    for each in kinds.values():
        if each.recognises(document):
            return each
    raise UserError(f"this is no document of cvinfer: neither {' nor '.join(kinds)}")
