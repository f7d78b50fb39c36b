"""Where results and finished fits go; docs/decisions/where-results-go.md says why."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence, Union

RESULTS, STORE_NAME = "results", "store.sqlite"
#: A file name is made of at most so many characters of a data set's name.
LONGEST = 80

Given = Optional[Union[str, "os.PathLike[str]"]]


class StorePlace(NamedTuple):
    """The store of a run; `remark` is what to say of it after its path."""

    path: Path
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.path}{self.remark}"


def store_of(results: Path, base: Path, output: Given = None, store: Given = None) -> StorePlace:
    """The store of a run: one that is there already, wherever the run was started from.

    The spec is in `base`, its results go below `results`. `store`; beside `output`, where that is
    given; else beside the results in the working directory, or as if these stood beside the spec,
    or beside the directory of the spec: the first that is there. If none is, it will be made beside
    the results. What lies beside a spec may have come with it, so that it is told, and another
    user's is not taken.
    """
    if store is not None:
        return StorePlace(Path(store))
    if output is not None:
        return StorePlace(Path(output).parent / STORE_NAME)
    here = results / STORE_NAME
    if here.is_file():
        others = "" if _is_mine(here) else ", which belongs to another user: its fits are believed"
        return StorePlace(here, others)
    beside = [place / here for place in (base, base.parent)]
    there = [each for each in dict.fromkeys(beside) if each.is_file()]
    mine = [each for each in there if _is_mine(each)]
    if mine:
        return StorePlace(mine[0], ", found beside the spec: its fits are believed")
    left = "".join(
        f" ({each} belongs to another user and is left alone; --store names it)" for each in there
    )
    return StorePlace(here, left)


def _user() -> Optional[int]:
    """The number of this user; None where files have no such owners."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def _is_mine(path: Path) -> bool:
    user = _user()
    return user is None or path.stat().st_uid == user


def readings_of(store: Path) -> Path:
    """The directory beside a store for what was read of large files of data."""
    return store.with_name(f"{store.stem}.data")


def file_names(names: Sequence[Any]) -> list[str]:
    """A piece of a file name for each data set: letters, digits, and no two the same.

    Not on file systems either that take capital letters for small ones. A name of digits alone gets
    a word before it: files used to be numbered.
    """
    found: list[str] = []
    for name in names:
        plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in str(name))[:LONGEST]
        piece = plain = f"data-{plain}" if plain.isdigit() or not plain.strip("_.") else plain
        taken = {each.casefold() for each in found}
        again = 2
        while piece.casefold() in taken:
            piece, again = f"{plain}-{again}", again + 1
        found.append(piece)
    return found


def predictions_files(names: Sequence[Any]) -> list[str]:
    """The files of predictions of a run's data sets; one alone needs no name."""
    if len(names) == 1:
        return ["predictions.csv.gz"]
    return [f"predictions-{piece}.csv.gz" for piece in file_names(names)]


def is_predictions(name: str) -> bool:
    """Whether a file is called as those of the predictions on one of several data sets."""
    return name.startswith("predictions-") and name.endswith(".csv.gz")


def numbered_predictions(count: int) -> list[str]:
    """What the same files were called before they had the names of their data sets."""
    return [f"predictions-{number}.csv.gz" for number in range(1, count + 1)]
