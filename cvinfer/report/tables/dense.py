"""A table of comparisons that takes less room: short headings, intervals below their estimates."""

from __future__ import annotations

from dataclasses import replace

from cvinfer.analysis.words import abbreviated
from cvinfer.report.tables.model import BREAK, Cell, Column, Group, Note, Table


def dense(table: Table) -> Table:
    """Short names of tests in headings, told in the notes with the partition, which has no heading
    here."""
    titles: dict[str, str] = {}
    own: list[Column] = []
    for group in table.groups:
        for column in group.own:
            title = abbreviated(column.title)
            if column.notes and title != column.title:
                # The name itself begins the notes of a test.
                short = abbreviated(str(column.notes[0]))
                column = replace(column, notes=(f"{short}:", " ", *column.notes))
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
