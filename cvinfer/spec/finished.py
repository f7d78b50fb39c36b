"""A result.json as a file and as a spec: what it was made from stands in it; it can be run again.

Its keys are sorted, so the order of the learners is taken from its list of them. It holds no
directory of this machine: `base_of` finds the files that it was made from.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NoReturn, Optional, Sequence

from cvinfer import limits
from cvinfer.documents import JsonObject
from cvinfer.errors import CvinferError, UserError
from cvinfer.foreign import cut, shown
from cvinfer.schemas import document_kind, documents, schema
from cvinfer.spec.faults import Fault, path_text

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike

RESULT_NAME = "result.json"
#: Facts of a run that are no part of its result; written beside it.
FACTS_NAME = "run.json"


def is_result(content: bytes) -> bool:
    """Whether a file holds a result and no spec; a spec may be JSON too."""
    return result_in(content) is not None


def is_result_file(path: object) -> bool:
    """Whether a path leads to a result; False for whatever cannot be read."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    try:
        file = Path(path)
        return file.is_file() and is_result(limits.read_file(file, limits.RESULT_BYTES))
    except (OSError, ValueError):
        return False


def result_in(content: bytes) -> Optional[JsonObject]:
    """The document in the content of a result.json; None for anything else."""
    if not content.lstrip()[:1] == b"{" or b'"manifest"' not in content:
        return None
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    parts = {"spec": dict, "manifest": dict, "learners": list}
    whole = isinstance(found, dict) and all(
        isinstance(found.get(part), kind) for part, kind in parts.items()
    )
    return found if whole else None


def spec_in(document: JsonObject) -> JsonObject:
    """The spec that a result was made from, with the learners in their order."""
    spec = document["spec"]
    learners = spec.get("learners")
    if not isinstance(learners, dict):
        return dict(spec)
    listed = [str(each.get("name")) for each in document["learners"] if isinstance(each, dict)]
    order = [*(name for name in listed if name in learners), *learners]
    return {**spec, "learners": {name: learners[name] for name in order}}


def base_of(file: Path, spec: object) -> tuple[Path, list[Fault]]:
    """The directory that the relative paths of a result start from, and what is not found there.

    The first of these that has every file: where they were when the result was made, as run.json
    beside it says (by a path from there to there); the result's own directory; the working
    directory.
    """
    wanted = dict(_relative_paths(spec))
    places = _places(file.absolute().parent)
    for place in places:
        if all((place / path).exists() for path in wanted.values()):
            return place, []
    tried = ", ".join(dict.fromkeys(os.path.relpath(place) for place in places))
    remedy = "say where it is with --base DIR, the directory that its path starts from"
    lost = {
        path: at
        for at, path in wanted.items()
        if not any((place / path).exists() for place in places)
    }
    # Each may be somewhere, but not all in one place.
    lost = lost or {path: at for at, path in wanted.items()}
    return places[0], [
        Fault(str(file), 0, 0, f"spec.{at}", f"{path!r} is not in {tried}; {remedy}")
        for path, at in lost.items()
    ]


def _places(beside: Path) -> list[Path]:
    """Where the files of a result may be."""
    known = None
    try:
        facts = json.loads(limits.read_file(beside / FACTS_NAME, limits.SPEC_BYTES))
        known = facts.get("base") if isinstance(facts, dict) else None
    except (OSError, ValueError, RecursionError):
        pass
    first = [Path(os.path.normpath(beside / known))] if isinstance(known, str) else []
    return list(dict.fromkeys([*first, beside, Path.cwd()]))


def _relative_paths(spec: object) -> Iterator[tuple[str, str]]:
    """Where a spec names a file relative to itself, and how."""
    if not isinstance(spec, Mapping):
        return
    for key in ("data", "partition"):
        entries = spec.get(key)
        for at, entry in enumerate(entries if isinstance(entries, list) else [entries]):
            path = entry.get("path") if isinstance(entry, Mapping) else None
            if not isinstance(path, str) or path == limits.STANDARD_INPUT:
                continue
            if not path.startswith("~") and not Path(path).is_absolute():
                yield path_text((key, at, "path")), path


# --- a result that is there -----------------------------------------------------------------------


class OtherData(CvinferError):
    """The data is not that of the result: it cannot come out again."""

    exit_code = 4


def read_result(path: Path) -> dict[str, Any]:
    """The document of a result.json, checked against its schema."""
    path = _inside(path, "result")
    return _result(path, _read_json(path, "result"))


def read_document(path: Path) -> JsonObject:
    """A finished document of any kind, checked against its schema."""
    if path.is_dir():
        files = [path / RESULT_NAME, *(path / f"{kind}.json" for kind in documents())]
        path = next((file for file in files if file.is_file()), files[0])
    found = _read_json(path, "document")
    kind = document_kind(found) or "result"
    return _result(path, found) if kind == "result" else _checked(path, found, kind)


def read_kind(path: Path, kind: str) -> JsonObject:
    """A finished document of that kind, checked against its schema; `path` may be its directory."""
    path = _inside(path, kind)
    return _checked(path, _read_json(path, kind), kind)


def _inside(path: Path, kind: str) -> Path:
    """The document of that kind in a directory; any other path is one itself."""
    inside = path / f"{kind}.json"
    return inside if path.is_dir() and inside.exists() else path


def _result(path: Path, found: Any) -> dict[str, Any]:
    document = _checked(path, found, "result")
    _fit_together(path, document)
    _tell_measures(path, document)
    return document


def _checked(path: Path, found: Any, kind: str) -> dict[str, Any]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    fault = best_match(Draft202012Validator(schema(kind)).iter_errors(found))
    if fault is not None:
        other = document_kind(found)
        if other not in (None, kind):
            raise UserError(
                f"{path} is a {other}.json, and this takes a {kind}.json; cvinfer table and cvinfer"
                " report show either"
            )
        place = path_text(tuple(fault.absolute_path)) if fault.absolute_path else "the whole"
        raise UserError(
            f"{path} is no {kind} of cvinfer: {place}: {shown(cut(fault.message, 200))}"
        )
    return dict(found)


def _read_json(path: Path, kind: str) -> Any:
    try:
        return json.loads(limits.read_file(path, limits.RESULT_BYTES), parse_constant=_no_number)
    except limits.Unreadable as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is no {kind} of cvinfer: it is not JSON ({error})") from None


def _tell_measures(path: Path, found: JsonObject) -> None:
    """Let measures be known of which the result has scores made elsewhere."""
    for each in found["data"]:
        source = each["source"]
        if source.get("source") == "scores" and isinstance(source.get("measure"), dict):
            # Most results have no such scores, and what reads them takes a while to import.
            from cvinfer.data.scores import measure_of

            try:
                measure_of(source["measure"])
            except UserError as error:
                raise UserError(f"{path} is no result of cvinfer: {error}") from None


def _fit_together(path: Path, found: JsonObject) -> None:
    """Entries name partitions by their numbers, which no schema can compare."""
    there = len(found["partitions"])
    for key in ("comparisons", "intervals", "failures"):
        for at, entry in enumerate(found[key]):
            named = entry.get("partitions", [entry.get("partition", 0)])
            if not all(isinstance(each, int) and 0 <= each < there for each in named):
                raise UserError(
                    f"{path} is no result of cvinfer: {key}[{at}] is on a partition that is not"
                    f" there (there are {there})"
                )


@contextlib.contextmanager
def read_as_result(path: Path) -> Iterator[None]:
    """Inside, a document is used that may have the right shape and yet make no sense."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if os.environ.get("CVINFER_DEBUG"):
            raise
        said = f"{type(error).__name__}: {cut(str(error))}"
        raise UserError(
            f"{path} is no result of cvinfer: its parts do not fit together ({said})"
        ) from None


def _no_number(text: str) -> NoReturn:
    """NaN and Infinity, which Python would read though JSON has no such numbers."""
    raise ValueError(f"{text} is no number of JSON")


def check_data(file: str, document: JsonObject, sets: Sequence[DataLike]) -> None:
    """Refuse data sets that are not those of a result, with both hashes of each."""
    wrong = [
        f"  {expected['name']}{_from(expected)}: expected sha256 {expected['sha256']},"
        f" found {found.sha256}"
        for expected, found in zip(document["data"], sets)
        if expected["sha256"] != found.sha256
    ]
    if wrong:
        raise OtherData(
            "\n".join(
                [
                    f"DIFFERENT: the data is not that of {file}, so nothing was fitted",
                    *wrong,
                    "It takes the data as it was; a new result on other data is made by the spec.",
                ]
            )
        )


def _from(entry: JsonObject) -> str:
    source = entry["source"]
    return f" ({source['path']})" if source.get("path") else f" (source {source.get('source')})"
