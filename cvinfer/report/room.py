"""What of a document is shown where there is room for so many lines, whatever a line is.

Room is given in this order: findings, the sentences that say what they are, some warnings, tables,
all warnings. What is not shown is told by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, Sequence, TypeVar

from cvinfer.analysis.words import count_text, listed

Line = TypeVar("Line")
#: What stays together, as lines.
Block = Sequence[Line]

#: Lines that sections get before tables do.
KEPT = 6


@dataclass(frozen=True)
class Blocks(Generic[Line]):
    """A document in pieces; there is an empty line below the headlines, and below each of the
    others. A section is the block of its heading, then one for each of its lines. `left` names what
    is not here.
    """

    headlines: Sequence[Block[Line]]
    sentences: Sequence[Block[Line]]
    tables: Sequence[Block[Line]]
    sections: Sequence[tuple[str, Sequence[Block[Line]]]]
    left: Sequence[str] = ()


def fitted(blocks: Blocks[Line], room: int) -> Blocks[Line]:
    """As much as there is room for."""
    wanted = sum(_height(lines) + 1 for _, lines in blocks.sections)
    kept = min(wanted, KEPT)
    sentences = _that_fit(blocks.sentences, room - kept, below=1)
    space = room - kept - _all(sentences, below=1)
    headlines = _headlines(blocks, space)
    room -= _all(sentences, below=1) + _height(headlines) + bool(headlines)
    tables = _those_that_fit(blocks.tables, room - kept)
    room -= _all(tables, below=1)
    sections = []
    for heading, lines in blocks.sections:
        shown = _that_fit(lines, room - 1)
        if len(shown) > 1:  # no heading stands alone
            sections.append((heading, shown))
            room -= _height(shown) + 1
    made = replace(
        blocks, headlines=headlines, sentences=sentences, tables=tables, sections=sections
    )
    return replace(made, left=_left(blocks, made))


def more(left: Sequence[str], name: str) -> str:
    """What is left out, and where it is."""
    what = listed([*left, "notes on the tables"])
    return f"Not shown: {what}. --verbose shows all; {name}.md and report.html have it too."


def _headlines(blocks: Blocks[Line], space: int) -> Sequence[Block[Line]]:
    """All of them, or as many as fit; then a table, which is denser, goes before most.

    It is the first for which there is room beside the first of them.
    """
    if _height(blocks.headlines) + 1 <= space:
        return blocks.headlines
    least = _height(blocks.headlines[:1])
    heights = (len(each) + 1 for each in blocks.tables)
    space -= next((height for height in heights if height + least < space), 0)
    return _that_fit(blocks.headlines, space - 1)


def _that_fit(blocks: Sequence[Block[Line]], room: int, below: int = 0) -> Sequence[Block[Line]]:
    """From the first on; `below` are empty lines below each."""
    used = 0
    for at, block in enumerate(blocks):
        used += len(block) + below
        if used > room:
            return blocks[:at]
    return blocks


def _those_that_fit(blocks: Sequence[Block[Line]], room: int) -> Sequence[Block[Line]]:
    """In their order, with an empty line below each; one that is too long keeps out no other."""
    made = []
    for block in blocks:
        if len(block) + 1 <= room:
            made.append(block)
            room -= len(block) + 1
    return made


def _height(blocks: Sequence[Block[Line]]) -> int:
    return _all(blocks, below=0)


def _all(blocks: Sequence[Block[Line]], below: int) -> int:
    return sum(len(block) + below for block in blocks)


def _left(whole: Blocks[Line], made: Blocks[Line]) -> list[str]:
    found = []
    for noun, before, after in (
        ("finding", whole.headlines, made.headlines),
        ("sentence", whole.sentences, made.sentences),
        ("table", whole.tables, made.tables),
    ):
        if len(after) < len(before):
            found.append(f"{len(before) - len(after)} of {count_text(len(before), noun)}")
    shown = {heading: len(lines) for heading, lines in made.sections}
    for heading, lines in whole.sections:
        lost = len(lines) - shown.get(heading, 1)
        if lost:
            found.append(f"{lost} of {count_text(len(lines) - 1, heading.lower().rstrip('s'))}")
    return found
