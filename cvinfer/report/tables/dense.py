"""A table of comparisons that takes less room: short headings, intervals below their estimates."""

from __future__ import annotations

from dataclasses import replace

from cvinfer.report.tables.model import BREAK, Cell, Column, Group, Note, Table

#: Numbers of tests in headings, where there are several.
DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def dense(table: Table) -> Table:
    """p₁, p₂ ... as headings, told in the notes with the partition, which has no heading here."""
    several = sum(bool(column.notes) for group in table.groups for column in group.own) > 1
    titles: dict[str, str] = {}
    own: list[Column] = []
    number = 0
    for group in table.groups:
        for column in group.own:
            title = column.title
            if column.notes:
                number += 1
                title = "p" + str(number).translate(DIGITS) if several else "p"
                column = replace(
                    column, notes=(title, " ", *column.notes) if several else column.notes
                )
            titles[column.title] = title
            own.append(
                replace(column, title=title, cells=tuple(_in_lines(c) for c in column.cells))
            )
    shared = tuple(column for group in table.groups for column in group.shared)
    notes = tuple(_beside(note, titles) for note in table.notes)
    return replace(table, groups=(Group("", shared, tuple(own)),), notes=notes)


def _in_lines(cell: Cell) -> Cell:
    """An interval stands below its estimate."""
    return replace(cell, text=cell.text.replace(" [", f"{BREAK}["))


def _beside(note: Note, titles: dict[str, str]) -> Note:
    return (
        note if note.beside is None else note._replace(beside=titles.get(note.beside, note.beside))
    )
