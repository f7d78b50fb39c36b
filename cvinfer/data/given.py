"""Splits that are there already, in the place of a scheme that makes them: of a file, of a task.

Each is a word that a spec may have as `scheme`; what comes of it are partitions of schemes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cvinfer.errors import UserError
from cvinfer.partitions import Partition

from .dataset import Dataset
from .registry import Option, Request
from .splits_file import read_splits

__all__ = ["GIVEN", "Asked", "GivenSplits"]


@dataclass(frozen=True)
class Asked:
    """Splits that are wanted: the options beside `scheme`, and the folder of the spec."""

    options: Mapping[str, Any]
    base: Path


@dataclass(frozen=True)
class GivenSplits:
    """A word for splits that nobody draws.

    title: what they are called in the middle of a sentence. options: those that it has beside
    `groups`. read: the partitions of a data set; the path of a
    fault is relative to the options. ready: whether that needs no download. fetch: brings what a
    data mapping needs for it to where it is.
    """

    name: str
    title: str
    description: str
    options: Mapping[str, Option]
    read: Callable[[Asked, Dataset], Sequence[Partition]] = field(repr=False)
    ready: Callable[[Asked, Mapping[str, Any]], bool] = field(repr=False)
    fetch: Callable[[Asked, Mapping[str, Any]], None] = field(repr=False)


# --- a file ---------------------------------------------------------------------------------------


def _of_file(asked: Asked, dataset: Dataset) -> Sequence[Partition]:
    written = str(asked.options["path"])
    file = asked.base / written
    try:
        return read_splits(file, dataset.n)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", ("path",)) from None
    except UserError as error:
        # The message names the file as the spec does, not where it lies on this machine.
        message = error.message.replace(str(file), written)
        path = error.path if (error.path or ())[:1] == ("path",) else ("path",)
        told = error.allowed, error.suggestion, error.there
        raise UserError(message, path, *told) from None


def _at_hand(asked: Asked, entry: Mapping[str, Any]) -> bool:
    return True


def _nothing(asked: Asked, entry: Mapping[str, Any]) -> None:
    return


# --- a task of OpenML -----------------------------------------------------------------------------


def _of_task(asked: Asked, dataset: Dataset) -> Sequence[Partition]:
    from .sources.openml import official_splits

    entry = dataset.source
    if not _has_task(entry):
        raise UserError(
            f"the data set {dataset.name!r} is of no task of OpenML, and brings no splits",
            allowed="data: {source: openml, task: ...}, or another scheme",
        )
    if entry.get("sample") is not None:
        raise UserError(
            "the official splits are of all records, and sample draws some of them",
            allowed="no sample, or another scheme",
        )
    if dataset.left_out:
        raise UserError(
            f"the official splits are of all records, and {dataset.left_out} of them are left out",
            allowed="missing: impute or keep, or another scheme",
        )
    return [official_splits(Request(entry, asked.base, 0), dataset.n)]


def _has_task(entry: Mapping[str, Any]) -> bool:
    return entry.get("source") == "openml" and entry.get("task") is not None


def _task_ready(asked: Asked, entry: Mapping[str, Any]) -> bool:
    from .sources.openml import splits_ready

    return not _has_task(entry) or splits_ready(Request(entry, asked.base, 0))


def _fetch_task(asked: Asked, entry: Mapping[str, Any]) -> None:
    from .sources.openml import fetch_splits

    if _has_task(entry):
        fetch_splits(Request(entry, asked.base, 0))


GIVEN: Mapping[str, GivenSplits] = {
    each.name: each
    for each in (
        GivenSplits(
            "file",
            "splits of a file",
            "Splits from a csv file, as `cvinfer splits` writes it.",
            {"path": Option("string", True, "a path to a file of splits")},
            _of_file,
            _at_hand,
            _nothing,
        ),
        GivenSplits(
            "openml",
            "splits of a task",
            "The official splits of OpenML, where the data is a task of it.",
            {},
            _of_task,
            _task_ready,
            _fetch_task,
        ),
    )
}
