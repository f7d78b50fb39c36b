"""What a form of score files is asked, and the registry of forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cvinfer.errors import UserError
from cvinfer.losses import Loss
from cvinfer.registry import Registry

from ..files import absent, listed, read_rows
from ..scores import ToldScores

__all__ = ["Asked", "Form", "Table", "forms"]


@dataclass(frozen=True)
class Table:
    """A file with a header: `columns` by name, all of one length."""

    where: str
    columns: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def column(self, name: str, form: str) -> Sequence[str]:
        """A column that the form cannot be without."""
        if name not in self.columns:
            fault = f"{self.where} has no column {name!r}, which the form {form} has"
            raise absent(fault, ("path",), name, self.columns)
        return self.columns[name]

    def value(self, names: Iterable[str], asked: Asked) -> Sequence[str]:
        """The column with the values: the one asked for, else the first of these that is there."""
        wanted = [asked.value] if asked.value is not None else list(dict.fromkeys(names))
        for name in wanted:
            if name in self.columns:
                return self.columns[name]
        message = f"{self.where} has no column {listed(wanted)} with values of {asked.measure.name}"
        if asked.value is not None:
            raise absent(message, ("value",), wanted[0], self.columns)
        raise UserError(f"{message}; say which it is by value: its name", ("path",))

    def of_data(self, name: str, asked: Asked) -> list[int]:
        """The rows of the data set that is asked for, by the column that names it, if there is one.

        Where a file holds several, one must be asked for.
        """
        every = list(range(len(self)))
        if name not in self.columns:
            if asked.dataset is not None:
                raise UserError(
                    f"{self.where} has no column {name!r} that names data sets; leave dataset out",
                    ("dataset",),
                )
            return every
        names = self.columns[name]
        there = list(dict.fromkeys(names))
        if asked.dataset is None:
            if len(there) > 1:
                raise UserError(
                    f"{self.where} has the data sets {listed(there)}; say which it is by dataset:"
                    " its name, in one entry of data for each",
                    ("path",),
                )
            return every
        if asked.dataset not in there:
            fault = f"{self.where} has no data set {asked.dataset!r}"
            raise absent(fault, ("dataset",), asked.dataset, there)
        return [row for row in every if names[row] == asked.dataset]


@dataclass(frozen=True)
class Asked:
    """What is read: a file, from a folder, and the values of one measure on one data set.

    value: the column or metric that has them, where it is not called as the measure would be.
    """

    path: str
    base: Path
    measure: Loss
    value: str | None = None
    dataset: str | None = None
    separator: str = ","
    encoding: str = "utf-8"

    def table(self) -> Table:
        """A csv file with a header."""
        header, rows = read_rows(self.path, self.base, self.separator, self.encoding)
        columns = list(zip(*rows)) if rows else [()] * len(header)
        return Table(repr(self.path), dict(zip(header, columns)))


@dataclass(frozen=True)
class Form:
    """A form of files, with one line on it."""

    name: str
    description: str
    read: Callable[[Asked], ToldScores]


forms: Registry[Form] = Registry("form", "cvinfer.data.score_forms")


def size(text: object, where: str, name: str) -> int | None:
    """A whole number of records; None for an empty cell. Weka writes 40.0."""
    if text is None or text == "":
        return None
    try:
        number = float(str(text))
    except ValueError:
        number = -1.0
    if number < 1 or number != int(number):
        raise UserError(f"{where}: {name} is {text!r}, no number of records", ("path",))
    return int(number)
