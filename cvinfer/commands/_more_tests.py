"""More tests on the predictions of a finished run: nothing is fitted again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.foreign import quoted
from cvinfer.places import numbered_predictions, predictions_files
from cvinfer.spec.finished import read_as_result, read_result

if TYPE_CHECKING:
    from cvinfer.runner import Result


def test_again(path: Path, tests: str, output: Optional[Path]) -> Result:
    """The result of these tests on the predictions beside a result.json."""
    from cvinfer.runner import run
    from cvinfer.spec import SpecError, load_spec

    document = read_result(path)
    directory = path if path.is_dir() else path.parent
    requests = _requests(tests)
    with read_as_result(path):
        files = _files(directory, document)
        _partitions_there(document, requests)
        spec = _spec(document, files, _with_primary(document, requests))
    try:
        checked = load_spec(spec, base=directory.absolute())
    except SpecError as error:
        # The user has written the tests only, and there.
        raise SpecError([each._replace(file="--tests") for each in error.faults]) from None
    return run(checked, output=output, write=output is not None)


test_again.__test__ = False  # type: ignore[attr-defined]  # nothing that pytest collects


def _requests(tests: str) -> list[Any]:
    """`a, b: {option: 1}` as a spec has them in a list."""
    from cvinfer.spec.text import parse

    document = parse(f"[{tests}]".encode("utf-8", "surrogateescape"), "--tests", mapping=False)
    if document.faults:
        said = document.faults[0].message
        raise UserError(
            f"--tests {quoted(tests)} cannot be read ({said}); write names with commas between, and"
            " options as in 'corrected_kfold_t: {rho: 0.5}'"
        )
    found = document.value
    if not found:
        raise UserError("--tests names no test; `cvinfer list tests` shows them")
    return list(found)


def _name(request: Any) -> str:
    if isinstance(request, Mapping) and len(request) == 1:
        return str(next(iter(request)))
    return str(request)


def _files(directory: Path, document: JsonObject) -> list[str]:
    """The file of predictions of each data set, beside the result."""
    sets = document["data"]
    for each in sets:
        if each["source"].get("source") == "predictions":
            raise UserError(
                f"{each['name']} are predictions made elsewhere; more tests on them are made by"
                " naming the tests in their spec, and nothing is fitted"
            )
    names = predictions_files([each["name"] for each in sets])
    before = numbered_predictions(len(sets))
    if not any((directory / name).exists() for name in names):
        names = before if all((directory / name).exists() for name in before) else names
    for name in names:
        if not (directory / name).exists():
            raise UserError(
                f"{name} is not beside {directory / 'result.json'}; it comes with every run and"
                " holds the predictions that tests are made on"
            )
    return names


def _partitions_there(document: JsonObject, requests: Sequence[Any]) -> None:
    """Refuse tests whose partition the run does not have, and say how to get it."""
    from cvinfer.inference import tests
    from cvinfer.inference.needs import Described, lacking

    known = tests()
    faults = []
    for data in document["data"]:
        there_are = [each for each in document["partitions"] if each["data"] == data["name"]]
        made = [Described(each["scheme"], each["options"]) for each in there_are]
        for name in map(_name, requests):
            absent = lacking(known[name], made) if name in known else None
            if absent:
                there = ", ".join(dict.fromkeys(each["label"] for each in there_are))
                faults.append(
                    f"{name} needs the scheme {' and '.join(map(str, absent))}, which the run on"
                    f" {data['name']} does not have (it has {there})"
                )
    if faults:
        names = ", ".join(dict.fromkeys(map(_name, requests)))
        raise UserError(
            "\n".join(faults)
            + "\nTo fit what is missing, run the spec with these tests (finished fits are reused):"
            + f"\n  cvinfer run SPEC --set 'tests=[{names}]'"
        )


def _with_primary(document: JsonObject, requests: Sequence[Any]) -> list[Any]:
    """The tests asked for, and the one that decided in the run.

    It goes on to decide: one that is picked when the results are known names no winner.
    """
    given = document["spec"]
    asked = list(map(_name, requests))
    decided = dict.fromkeys([given.get("primary"), *(v["primary"] for v in document["verdicts"])])
    # By each measure the one that decided; of one test with several options the first.
    kept = [
        next((each for each in given["tests"] if _name(each) == name), None)
        for name in decided
        if name not in asked
    ]
    return [*(each for each in kept if each is not None), *requests]


def _spec(document: JsonObject, files: Sequence[str], requests: Sequence[Any]) -> dict[str, Any]:
    given = document["spec"]
    data = [
        {
            "source": "predictions",
            "name": each["name"],
            "path": file,
            "n": each["n"],
            "classes": each["classes"],
        }
        for each, file in zip(document["data"], files)
    ]
    keys = ("alpha", "correction", "seed", "loss", "measures", "margin", "primary")
    kept = {key: given[key] for key in keys if given.get(key) is not None}
    return {
        "cvinfer": 1,
        "name": document["name"],
        "data": data,
        "compare": given["compare"],
        "tests": list(requests),
        **kept,
    }
