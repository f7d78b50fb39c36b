"""What a result document can be written as: one file for each format, found by its name.

A format declares itself above the function that makes its text:

    @output_format("markdown", file="result.md")
    def markdown(document: Mapping[str, Any]) -> str: ...

Whoever asks for the names imports all formats, so a format imports heavy things when it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, TypeVar

from cvinfer.foreign import shown_all
from cvinfer.registry import Registry

Write = Callable[[Mapping[str, Any]], str]
#: One may take more than the document, all of it optional.
Writer = TypeVar("Writer", bound=Write)


@dataclass(frozen=True)
class Format:
    """One way to write a document.

    write: from the document to the text. file: what a run writes beside result.json; None where a
    run does not. as_it_is: whether `write` has its own way to show characters that a terminal
    would obey; otherwise it is given a document without them. needs: modules to import before it
    can write.
    """

    name: str
    write: Write
    file: Optional[str] = None
    as_it_is: bool = False
    needs: tuple[str, ...] = ()

    def render(self, document: Mapping[str, Any]) -> str:
        return self.write(document if self.as_it_is else shown_all(document))


formats: Registry[Format] = Registry("format", folder="cvinfer.report.formats", ordered=True)


def output_format(
    name: str, *, file: Optional[str] = None, as_it_is: bool = False, needs: tuple[str, ...] = ()
) -> Callable[[Writer], Writer]:
    """Declare the function below to be a format."""

    def declared(write: Writer) -> Writer:
        formats.add(name, Format(name, write, file, as_it_is, needs), write.__module__)
        return write

    return declared
