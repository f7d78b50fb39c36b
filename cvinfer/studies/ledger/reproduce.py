"""Running the studies of an item: where the ledger, its data and its results lie.

Results are study.json files in <place>/<paper>/<item>/<study>.json. The ledger's own place of them
is docs/reproduction beside specs/papers; a run writes where it is told.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Optional, Protocol

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.studies.document import merge, settings_hash
from cvinfer.studies.ledger.load import merged
from cvinfer.studies.ledger.model import Item
from cvinfer.studies.load import load_study

#: The ledger below a directory, and the results that are kept with it.
LEDGER = Path("specs", "papers")
KEPT = Path("docs", "reproduction")
#: --quick: this share of the replications, within these bounds.
QUICK_SHARE, QUICK_LEAST, QUICK_MOST = 0.05, 20, 200


class Simulate(Protocol):
    """`cvinfer.studies.simulate`, as far as it is used here."""

    def __call__(
        self,
        source: JsonObject,
        *,
        base: Optional[Path],
        replications: Optional[int],
        range_: Optional[tuple[int, int]],
        jobs: Optional[int],
        store: Optional[Path],
        progress: Any,
    ) -> Any:
        """What the study found, with its `document`."""


class Ran(NamedTuple):
    """A study that was run, and where it was written."""

    study: str
    replications: int
    file: Path
    document: JsonObject


def find_ledger(start: Path) -> Path:
    """specs/papers in a directory or above it, else beside the package."""
    package = Path(__file__).resolve().parents[3]
    for place in (start, *start.parents, package):
        if (place / LEDGER).is_dir():
            return place / LEDGER
    raise UserError(
        "there is no ledger (specs/papers) here or above; it lies in the project's repository",
        (),
        "a working directory inside the repository",
    )


def kept_results(ledger: Path) -> Path:
    """The results that are kept with a ledger."""
    return ledger.parents[1] / KEPT


def replications_for(item: Item, study: str, asked: Optional[int], quick: bool) -> int:
    """What is asked for, or what the item says it is run with here; a little of that if quick."""
    if asked is not None:
        return asked
    wanted = item.reach.of(study)
    if wanted is None:
        wanted = int(item.studies[study].spec["study"].get("replications", item.replications))
    if not quick:
        return wanted
    return min(wanted, max(QUICK_LEAST, min(QUICK_MOST, int(wanted * QUICK_SHARE))))


def study_spec(item: Item, study: str, data: Optional[Path] = None) -> JsonObject:
    """The spec of an item's own study; `data` is where data lies that the project does not ship."""
    spec = merged({}, item.studies[study].spec)
    if item.data_from is None:
        return spec
    if data is not None:
        spec = _moved(spec, item.data_from.path.rstrip("/"), str(data.absolute()))
    return spec


def _moved(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {key: _moved(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [_moved(each, old, new) for each in value]
    if isinstance(value, str) and value.startswith(old + "/"):
        return new + value[len(old) :]
    return value


def refuse_absent_data(item: Item, data: Optional[Path]) -> None:
    """Said before anything is run: where data was looked for, and what it is."""
    if item.data_from is None:
        return
    place = data if data is not None else item.file.parent / item.data_from.path
    if not place.is_dir():
        shown = os.path.normpath(place)
        message = f"{item.key} needs data that the project does not ship; {shown} is not there"
        raise UserError(message, (), f"--data DIR with {item.data_from.what}")


def run_item(
    item: Item,
    simulate: Simulate,
    *,
    output: Path,
    data: Optional[Path] = None,
    replications: Optional[int] = None,
    quick: bool = False,
    only: Optional[str] = None,
    jobs: Optional[int] = None,
    store: Optional[Path] = None,
    progress: Callable[[str, int], Any] = lambda study, replications: None,
) -> Iterator[Ran]:
    """Run the item's own studies one after the other, and write each as it is done."""
    refuse_absent_data(item, data)
    for study in item.own_studies:
        if only is not None and study != only:
            continue
        count = replications_for(item, study, replications, quick)
        spec, place = study_spec(item, study, data), _place(item, data)
        path = output / item.paper / item.name / f"{study}.json"
        kept = _kept(path, item, study, spec, place)
        first = 1 if kept is None else _replications(kept) + 1
        if kept is not None and first > count:
            yield Ran(study, first - 1, path, kept)
            continue
        done = simulate(
            spec,
            base=item.file.parent,
            replications=count,
            range_=None if kept is None else (first, count),
            jobs=jobs,
            store=store,
            progress=progress(study, count),
        )
        document = _told_of(done.document, *place)
        document = document if kept is None else merge([kept, document], [str(path), "the rest"])
        write_document(path, document)
        yield Ran(study, count, path, document)


def _place(item: Item, data: Optional[Path]) -> tuple[str, str]:
    """Where data is read from, and where the ledger says that it lies."""
    if item.data_from is None or data is None:
        return "", ""
    return str(data.absolute()), item.data_from.path.rstrip("/")


def _told_of(document: JsonObject, real: str, written: str) -> JsonObject:
    """The document as the ledger tells it: no path of this machine is in it."""
    if not real:
        return document
    told = _moved(dict(document), real, written)
    return {**told, "settings": settings_hash(told["study"], told["spec"])}


def _kept(
    path: Path, item: Item, study: str, spec: JsonObject, place: tuple[str, str]
) -> Optional[JsonObject]:
    """What an earlier run left there, if more replications can be added to it."""
    from cvinfer.spec.finished import read_kind

    for file in (path, kept_results(item.file.parents[1]) / path.relative_to(path.parents[2])):
        if not file.is_file():
            continue
        found = read_kind(file, "study")
        loaded = load_study(spec, base=item.file.parent)
        written = _told_of(
            {"study": loaded.written, "spec": loaded.resolved, "settings": ""}, *place
        )
        same = found["settings"] == settings_hash(written["study"], written["spec"])
        if same and not loaded.mu0_truth and [row[0] for row in found["ranges"]] == [1]:
            return found
    return None


def _replications(document: JsonObject) -> int:
    ((_, last),) = document["ranges"]
    return int(last)


def write_document(path: Path, document: JsonObject) -> None:
    """A study.json."""
    from cvinfer.report.files import write_text
    from cvinfer.studies.files import study_text

    write_text(path, study_text(document))
