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
    tables = _that_fit(blocks.tables, room - kept, below=1)
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
    """All of them, or as many as fit; then the first table, which is denser, goes before most."""
    if _height(blocks.headlines) + 1 <= space:
        return blocks.headlines
    first = _height(blocks.tables[:1]) + 1
    if first + _height(blocks.headlines[:1]) < space:
        space -= first
    return _that_fit(blocks.headlines, space - 1)


def _that_fit(blocks: Sequence[Block[Line]], room: int, below: int = 0) -> Sequence[Block[Line]]:
    """From the first on; `below` are empty lines below each."""
    used = 0
    for at, block in enumerate(blocks):
        used += len(block) + below
        if used > room:
            return blocks[:at]
    return blocks


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
