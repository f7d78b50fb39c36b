"""The parts of a page, one file for each, found by its name.

A part declares itself above the function that makes it:

    @section("differences", "Differences with intervals", of=("result",), place=20)
    def forest(reading: Reading) -> Content: ...

It is shown where it returns something, in the order of the places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

from cvinfer.registry import Registry
from cvinfer.report.page.markup import Content
from cvinfer.report.page.reading import Reading

Show = Callable[[Reading], Content]


@dataclass(frozen=True)
class Section:
    """A part of a page: its heading, the kinds of document that have it, and its place."""

    name: str
    title: str
    of: Sequence[str]
    place: int
    show: Show


sections: Registry[Section] = Registry(
    "section of a page", folder="cvinfer.report.page.sections", ordered=True
)


def section(name: str, title: str, *, of: Sequence[str], place: int) -> Callable[[Show], Show]:
    """Declare the function below to be a part of pages."""

    def declared(show: Show) -> Show:
        sections.add(name, Section(name, title, of, place, show), show.__module__)
        return show

    return declared
