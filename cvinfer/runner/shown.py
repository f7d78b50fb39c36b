"""A result as notebooks show it: data frames, and a small page.

All of it reads the document and nothing else, as reports do.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Optional, Union

import numpy as np

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.foreign import shown_all
from cvinfer.names import close_match

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["FRAMES", "Drawn", "frame", "html"]

Row = Mapping[str, Any]


def _numbers(document: JsonObject, kind: str) -> Iterator[Row]:
    """What the csv table has, for one kind of row, under the same names."""
    from cvinfer.report.kinds import kind_of

    columns, rows = kind_of(document).rows(document)
    for row in rows:
        if row["kind"] == kind:
            yield {name: row.get(name) for name in columns if name != "kind"}


def _verdicts(document: JsonObject) -> Iterator[Row]:
    for verdict in document["verdicts"]:
        row = dict(verdict)
        row["lower"], row["upper"] = row.pop("interval") or (None, None)
        yield {key: value for key, value in row.items() if not isinstance(value, (list, dict))}


def _splits(document: JsonObject) -> Iterator[Row]:
    """The mean loss of every learner on every split, which counts as its partition does."""
    for entry in document["losses"]:
        partition = document["partitions"][entry["partition"]]
        sizes = np.array(partition["sizes"], dtype=np.int64).reshape(-1, 2)
        losses = np.array(entry["per_split"], dtype=np.float64).reshape(-1)
        facts = {key: value for key, value in entry.items() if key not in ("per_split", "mean")}
        for at, (loss, (train, test)) in enumerate(zip(losses.tolist(), sizes.tolist())):
            yield {
                **{key: value for key, value in facts.items() if not isinstance(value, dict)},
                "scheme": partition["label"],
                "split": at,
                "n_train": train,
                "n_test": test,
                "loss": loss,
            }


#: The frames there are, by what a row of each is.
FRAMES: Mapping[str, Callable[[JsonObject], Iterator[Row]]] = {
    "comparisons": lambda document: _numbers(document, "comparison"),
    "intervals": lambda document: _numbers(document, "interval"),
    "verdicts": _verdicts,
    "splits": _splits,
}


def frame(document: JsonObject, kind: str) -> "DataFrame":
    """The rows of that kind as a pandas data frame; columns that are empty are left out."""
    if kind not in FRAMES:
        raise UserError(
            f"there is no frame {kind!r}", ("kind",), list(FRAMES), close_match(kind, FRAMES)
        )
    try:
        import pandas
    except ImportError:
        raise UserError("data frames need the package pandas, which is not installed") from None
    made = pandas.DataFrame(list(FRAMES[kind](document)))
    return made.dropna(axis="columns", how="all")


class Drawn(NamedTuple):
    """A picture, which a notebook shows; `form` says what the content is."""

    content: bytes
    form: str

    def __repr__(self) -> str:
        return f"<picture, {self.form}, {len(self.content)} bytes; .save(file) writes it>"

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        Path(file).write_bytes(self.content)

    def _repr_png_(self) -> Optional[bytes]:
        return self.content if self.form == "png" else None

    def _repr_svg_(self) -> Optional[str]:
        return self.content.decode() if self.form == "svg" else None


def html(document: JsonObject) -> str:
    """A table of the verdicts and their sentences; whatever is foreign in it is only text."""
    document = shown_all(document)
    head = ("data", "A", "B", "verdict", "A − B", "interval", "p", "by")
    rows = [_cells(verdict) for verdict in document["verdicts"]]
    lines = [
        "<div>",
        "<table>",
        _line("th", head),
        *(_line("td", row) for row in rows),
        "</table>",
        *(f"<p>{escape(verdict['sentence'] or '')}</p>" for verdict in document["verdicts"]),
    ]
    warnings = len(document["warnings"])
    if warnings:
        lines.append(f"<p>{warnings} warning(s): print(result) shows all.</p>")
    return "\n".join([*lines, "</div>"])


def _cells(verdict: Row) -> list[str]:
    lower, upper = verdict["interval"] or (None, None)
    p = verdict["p_value"] if verdict["p_corrected"] is None else verdict["p_corrected"]
    return [
        *(str(verdict[key]) for key in ("data", "a", "b")),
        str(verdict["verdict"]).replace("_", " "),
        _number(verdict["estimate"]),
        "–" if lower is None else f"{_number(lower)} to {_number(upper)}",
        "–" if p is None else f"{p:.3g}",
        str(verdict["primary"]),
    ]


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:.4f}"


def _line(tag: str, cells: Any) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(each)}</{tag}>" for each in cells) + "</tr>"
