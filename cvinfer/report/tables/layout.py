"""From a table to parts that fit: which columns and rows go together, and where lines break.

Splitting a wide table repeats the key columns, and the error rates beside whatever is left of
their group.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Callable, NamedTuple, Optional, Sequence

from cvinfer.report.tables.model import Column, Group, Part, Table

#: More distinct footnotes than this in one table, and the rest share one.
MOST_FOOTNOTES = 8

Measure = Callable[[str], float]


@dataclass(frozen=True)
class Paper:
    """How much fits, in any unit: `measure` gives the width of a text, `measure_bold` that of a
    bold one, `gap` that between columns.

    `widest_name` is what a name may take before it is broken when columns would have to go to
    another part; `narrowest_name` is what it is always given. `widest_title` is where the heading
    of a column is broken.
    """

    width: float
    gap: float
    measure: Measure
    measure_bold: Measure
    widest_name: float
    narrowest_name: float
    widest_title: float


def one_part(table: Table) -> Part:
    """The whole table, where nothing has to fit."""
    keys, groups = _emboldened(table, table.groups)
    whole = Part(table, groups, keys, range(table.rows))
    return replace(whole, footnotes=_footnotes(whole))


class Cut(NamedTuple):
    """A table in parts. limit: what a name may take before it is broken; whole: whether all columns
    stand side by side and none sticks out.
    """

    parts: list[Part]
    limit: float
    whole: bool


def parts(
    table: Table, paper: Paper, rows_for: Callable[[tuple[Group, ...], float], Sequence[range]]
) -> Cut:
    """The table as it fits; `rows_for` cuts the rows of some columns."""
    chosen, limit, whole = columns_that_fit(table, paper)
    cut = [(groups, rows) for groups in chosen for rows in rows_for(groups, limit)]
    made = []
    for at, (groups, rows) in enumerate(cut):
        keys, shown = _emboldened(table, groups)
        part = Part(table, shown, keys, rows, at + 1, len(cut))
        made.append(replace(part, footnotes=_footnotes(part)))
    return Cut(made, limit, whole)


def _emboldened(
    table: Table, groups: Sequence[Group]
) -> tuple[tuple[Column, ...], tuple[Group, ...]]:
    """Key columns and groups with the favoured learners in bold.

    Only what the same part of the table shows counts: a name is bold where all significant tests
    of these groups agree on it, an error rate where those of its own group do.
    """
    by_part = [_favoured(groups, row) for row in range(table.rows)]
    keys = tuple(_in_bold(key, by_part) for key in table.keys)
    made = []
    for group in groups:
        by_group = [_favoured([group], row) for row in range(table.rows)]
        shared = tuple(_in_bold(column, by_group) for column in group.shared)
        made.append(replace(group, shared=shared))
    return keys, tuple(made)


def _in_bold(column: Column, favoured: Sequence[Optional[str]]) -> Column:
    if not column.who:
        return column
    rows = zip(column.cells, column.who, favoured)
    return replace(column, cells=tuple(replace(c, bold=who == winner) for c, who, winner in rows))


def _favoured(groups: Sequence[Group], row: int) -> Optional[str]:
    """The learner that the significant tests of a row agree on."""
    named = {c.favours[row] for group in groups for c in group.own if c.favours} - {None}
    return named.pop() if len(named) == 1 else None


def _footnotes(part: Part) -> dict[str, str]:
    """A mark for each distinct footnote; too many of them share the last one."""
    texts = dict.fromkeys(
        column.cells[row].footnote
        for row in part.rows
        for column in part.columns
        if column.cells[row].footnote is not None
    )
    marks = "abcdefghijklmnopqrstuvwxyz"
    return {str(text): marks[min(at, MOST_FOOTNOTES)] for at, text in enumerate(texts)}


def footnotes(part: Part) -> list[tuple[str, str]]:
    """(mark, text) in order; the shared last mark gets a text of its own."""
    found: dict[str, str] = {}
    for text, mark in part.footnotes.items():
        shared = mark in found
        found[mark] = "further reasons, found in result.json" if shared else text
    return list(found.items())


def wrap(text: str, limit: float, measure: Measure) -> list[str]:
    """Lines of a name no wider than `limit`, broken at spaces or after punctuation if possible."""
    lines = []
    rest = " ".join(text.split())
    while len(rest) > 1 and measure(rest) > limit:
        end = 1
        while end < len(rest) and measure(rest[: end + 1]) <= limit:
            end += 1
        good = [at for at in range(end // 3 + 1, end + 1) if _breakable(rest[at - 1], rest[at])]
        # Where there is no place for it, not in such a way that a single letter is left.
        end = (
            good[-1] if good else min(end, math.ceil(len(rest) / math.ceil(measure(rest) / limit)))
        )
        lines.append(rest[:end].strip())
        rest = rest[end:].strip()
    return [*lines, rest] if rest or not lines else lines


def _breakable(before: str, after: str) -> bool:
    return before in " _-,;:/.=+)]|&" or after == " " or (before.islower() and after.isupper())


def title_lines(text: str, limit: float, measure: Measure) -> list[str]:
    """A heading broken between words, and inside one only if it is wider than `limit`.

    The lines are as even as their number allows, so that none holds a single letter.
    """
    return list(_title_lines(text, limit, measure))


@functools.lru_cache(maxsize=4096)
def _title_lines(text: str, limit: float, measure: Measure) -> tuple[str, ...]:
    """Tried for every way to deal columns to tables, so remembered."""
    greedy = filled_lines(text, limit, measure)
    words = text.split()
    widest = max((measure(word) for word in words), default=0.0)
    for narrower in sorted({measure(run) for run in _runs(words)}):
        if widest <= narrower <= limit and len(filled_lines(text, narrower, measure)) <= len(
            greedy
        ):
            return tuple(filled_lines(text, narrower, measure))
    return tuple(greedy)


def _runs(words: Sequence[str]) -> list[str]:
    """Every run of neighbouring words."""
    ends = range(1, len(words) + 1)
    return [" ".join(words[start:end]) for end in ends for start in range(end)]


def filled_lines(text: str, limit: float, measure: Measure) -> list[str]:
    """Lines of a text, each as full as `limit` allows; only longer words are broken."""
    lines: list[str] = []
    for word in text.split():
        for piece in wrap(word, limit, measure):
            if lines and measure(f"{lines[-1]} {piece}") <= limit:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
    return lines or [""]


def column_width(column: Column, paper: Paper) -> float:
    heads = [
        paper.measure(line) for line in title_lines(column.title, paper.widest_title, paper.measure)
    ]
    cells = [
        # What `who` names may be bold in one part and not in another.
        (paper.measure_bold if cell.bold or column.who else paper.measure)(
            cell.text + " a)" * bool(cell.footnote) + f" {cell.sign}" * bool(cell.sign)
        )
        for cell in column.cells
    ]
    return max([*heads, *cells])


def _key_widths(table: Table, paper: Paper) -> list[float]:
    # Which names are bold depends on the part.
    return [max(paper.measure_bold(cell.text) for cell in key.cells) for key in table.keys]


def name_limits(table: Table, room: float, paper: Paper) -> float:
    """The widest limit for a name at which all key columns fit into `room`."""
    natural = sorted(_key_widths(table, paper))
    left, columns = room, len(natural)
    for width in natural:
        if width > left / columns:
            return left / columns
        left, columns = left - width, columns - 1
    return natural[-1]


def columns_that_fit(table: Table, paper: Paper) -> tuple[list[tuple[Group, ...]], float, bool]:
    """Groups of columns for each part, the limit for the width of a name in all of them, and
    whether that is all columns on the paper.

    As few parts as possible, and names as wide as that allows.
    """
    natural = _key_widths(table, paper)
    # Every group's width ends with a gap; the last column of a table has none.
    room = paper.width - paper.gap * (len(table.keys) - 1)
    all_in_one = sum(_group_width(group, group.own, paper) for group in table.groups)
    wanted = name_limits(table, room - all_in_one, paper)
    if wanted >= min(paper.widest_name, max(natural)):
        return [table.groups], wanted, True
    steps = 12
    step = (paper.widest_name - paper.narrowest_name) / steps
    tried = []
    for at in range(steps + 1):
        limit = min(paper.widest_name - at * step, max(natural))
        left = room - sum(min(width, limit) for width in natural)
        dealt = _dealt(table, left, paper)
        too_wide = max(sum(_group_width(g, g.own, paper) for g in part) for part in dealt) > left
        tried.append((too_wide, len(dealt), -limit, dealt))
    too_wide, count, limit, chosen = min(tried, key=lambda one: one[:3])
    return chosen, -limit, count == 1 and not too_wide


def _dealt(table: Table, room: float, paper: Paper) -> list[tuple[Group, ...]]:
    """Columns dealt to as many parts as they need; a column that never fits has its own."""
    parts: list[list[Group]] = [[]]
    used = 0.0
    for group in table.groups:
        here: list[Column] = []
        for column in group.own:
            without = _group_width(group, here, paper) if here else 0.0
            more = _group_width(group, [*here, column], paper) - without
            if used + more > room and (parts[-1] or here):
                if here:
                    parts[-1].append(Group(group.title, group.shared, tuple(here)))
                parts.append([])
                here, used = [], 0.0
                more = _group_width(group, [column], paper)
            here.append(column)
            used += more
        parts[-1].append(Group(group.title, group.shared, tuple(here)))
    return [tuple(part) for part in parts]


def _group_width(group: Group, own: Sequence[Column], paper: Paper) -> float:
    columns = [*group.shared, *own]
    inside = sum(column_width(column, paper) + paper.gap for column in columns)
    return max(inside, paper.measure(group.title) + paper.gap)
