"""What a document can be written as: one file for each format, found by its name.

A format declares itself above the function that makes its text:

    @output_format("markdown", of={"result": "result.md"})
    def markdown(document: Mapping[str, Any]) -> str: ...

Whoever asks for the names imports all formats, so a format imports heavy things when it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError, listed
from cvinfer.foreign import shown_all
from cvinfer.registry import Registry
from cvinfer.report.kinds import kind_of
from cvinfer.report.tables.model import Words

#: From the document to its text. One may take more than the document, all of it optional.
Write = Callable[..., str]
Writer = TypeVar("Writer", bound=Write)
Prose = Callable[[Sequence[tuple[str, Sequence[Words]]]], str]


@dataclass(frozen=True)
class Format:
    """One way to write a document.

    write: from the document to the text. of: the kinds of document that it can write, each with
    the file that is written beside the document, or None where it is written on demand only.
    as_it_is: whether `write` has its own way to show characters that a terminal would obey;
    otherwise it is given a document without them. needs: modules to import before it can write.
    prose: a text from paragraphs, each a heading with sentences; None where it has none.
    brief: whether it can be held to a screen (`most` lines).
    timed: whether it has a place for the facts of run.json (`facts`), which a run knows last.
    """

    name: str
    write: Write
    of: Mapping[str, Optional[str]]
    as_it_is: bool = False
    needs: tuple[str, ...] = ()
    timed: bool = False
    prose: Optional[Prose] = None
    brief: bool = False

    def render(self, document: JsonObject, **options: Any) -> str:
        kind = kind_of(document).name
        if kind not in self.of:
            raise UserError(f"the format {self.name!r} is not for a {kind}")
        return self.write(document if self.as_it_is else shown_all(document), **options)


formats: Registry[Format] = Registry("format", folder="cvinfer.report.formats", ordered=True)


def prose_names() -> list[str]:
    """The formats that paragraphs can be written in."""
    return [name for name, each in formats.items() if each.prose is not None]


def prose_format(name: str) -> tuple[Format, Prose]:
    """The format of that name with how it writes paragraphs; refused where it has no way to."""
    found = formats.find(name)
    if found.prose is None:
        raise UserError(f"the format {name!r} has no paragraphs", (), listed(prose_names()))
    return found, found.prose


def files_of(kind: str) -> dict[str, Format]:
    """The files that are written beside a document of that kind, with their formats."""
    named = ((each.of.get(kind), each) for each in formats.values())
    return {file: each for file, each in named if file is not None}


def output_format(
    name: str,
    *,
    of: Mapping[str, Optional[str]],
    as_it_is: bool = False,
    needs: tuple[str, ...] = (),
    timed: bool = False,
    prose: Optional[Prose] = None,
    brief: bool = False,
) -> Callable[[Writer], Writer]:
    """Declare the function below to be a format."""

    def declared(write: Writer) -> Writer:
        made = Format(name, write, of, as_it_is, needs, timed, prose, brief)
        formats.add(name, made, write.__module__)
        return write

    return declared
