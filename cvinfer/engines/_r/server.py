"""The helper process that answers `client`: R is here, and never in who asks."""

from __future__ import annotations

import os
import pickle
import queue
import resource
import shutil
import struct
import threading
from typing import Any, BinaryIO, Callable, Mapping, NoReturn, Optional, Sequence

from cvinfer.engines._r import embedded
from cvinfer.engines._r.installation import DATA_PACKAGES, PACKAGE, WEKA_PACKAGES
from cvinfer.engines._r.installation import NoR, library, too_old
from cvinfer.worker.captured import one_line
from cvinfer.worker.workplace import SCRATCH

_SIZE = struct.Struct("<Q")


class Fault(Exception):
    """What R has against a question: for the user."""


def serve() -> None:
    """Answer until the other side closes the pipe."""
    # What R or Java print goes nowhere; the answers keep a descriptor of their own.
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    questions = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # A crash leaves no core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    asked: "queue.SimpleQueue[tuple[str, Sequence[Any]]]" = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(questions, asked), daemon=True).start()
    try:
        while True:
            _send(answers, _answer(*asked.get()))
    finally:
        _leave()


def _listen(questions: BinaryIO, asked: "queue.SimpleQueue[tuple[str, Sequence[Any]]]") -> None:
    """Take questions; once nobody can ask any more, end this process, whatever R is at."""
    try:
        while True:
            head = questions.read(_SIZE.size)
            if len(head) < _SIZE.size:
                break
            (size,) = _SIZE.unpack(head)
            asked.put(pickle.loads(questions.read(size)))
    finally:
        _leave()


def _leave() -> NoReturn:
    # R's own way out would remove its temporary directory, but rpy2 may hang there.
    shutil.rmtree(os.environ.get(SCRATCH, ""), ignore_errors=True)
    os._exit(0)


def _send(answers: BinaryIO, answer: tuple[str, Any]) -> None:
    message = pickle.dumps(answer)
    answers.write(_SIZE.pack(len(message)) + message)
    answers.flush()


def _answer(question: str, arguments: Sequence[Any]) -> tuple[str, Any]:
    try:
        embedded.bridge()  # values for R can only be made once R is there
        return "answer", QUESTIONS[question](*arguments)
    except NoR as error:
        return "nor", str(error)
    except Fault as error:
        return "fault", str(error)
    except Exception as error:  # an error of R that the bridge did not catch
        return "fault", f"{type(error).__name__}: {one_line(error)}"


def _call(function: str, *arguments: Any) -> Any:
    answer = embedded.bridge().call(function, *arguments)
    said = embedded.fault_of(answer)
    if said is not None:
        raise Fault(said)
    return answer


def learners() -> dict[str, dict[str, Any]]:
    """The ready-made learners of R by name."""
    found = _call("bridge_learners")
    entries = found.values() if isinstance(found, Mapping) else found
    try:
        return {each["name"][0]: _learner(each) for each in entries}
    except KeyError as error:
        raise NoR(too_old(f"word on the {error.args[0]} of learners")) from None


def _learner(entry: Mapping[str, Any]) -> dict[str, Any]:
    texts = {key: entry[key][0] for key in ("package", "title", "probabilities")}
    lists = {key: [str(each) for each in entry[key] or ()] for key in ("arguments", "required")}
    truths = {key: bool(entry[key][0]) for key in ("numeric_only", "two_classes", "available")}
    words = {
        ours: {name: list(each) for name, each in (entry.get(theirs) or {}).items()}
        for ours, theirs in (("choices", "values"), ("two_classes_if", "two_classes_if"))
    }
    reason = entry.get("reason")
    return {**texts, **lists, **truths, **words, "reason": reason[0] if reason else None}


def check(learner: str, given: Mapping[str, Any], classes: Sequence[str]) -> Optional[str]:
    """What a ready-made learner has against values of its arguments; None if nothing."""
    known = embedded.text(classes) if classes else embedded.to_r(None)
    found = embedded.bridge().call(
        "bridge_check", embedded.text([learner]), embedded.to_r(dict(given)), known
    )
    return embedded.fault_of(found)


def arguments(package: str, function: str) -> list[str]:
    """The names of the arguments of any function."""
    return list(_call("bridge_arguments", embedded.text([package]), embedded.text([function])))


def data(package: str, dataset: str) -> dict[str, Any]:
    """A data set of a package: names, types, columns and levels."""
    found: dict[str, Any] = _call("bridge_data", embedded.text([package]), embedded.text([dataset]))
    return found


def versions(packages: Sequence[str]) -> dict[str, Optional[str]]:
    """Versions of R and of these packages; None for what is not there."""
    found: dict[str, Optional[str]] = _call("bridge_versions", embedded.text([*packages, PACKAGE]))
    return found


def weka_versions() -> dict[str, Optional[str]]:
    """Versions of Weka and Java, as they run, and of the packages between them and R."""
    embedded.weka()
    return {**versions(WEKA_PACKAGES), **_call("bridge_weka_versions")}


def weka_resolve(name: str) -> list[str]:
    """The full names of the Weka classifiers of that short name."""
    embedded.weka()
    return list(_call("bridge_weka_resolve", embedded.text([name])) or [])


def weka_check(name: str, options: Sequence[str]) -> Optional[dict[str, Any]]:
    """What Weka has against these options of a classifier: message, allowed; None if nothing."""
    embedded.weka()
    found = _call("bridge_weka_check", embedded.text([name]), embedded.text(options))
    if not found:
        return None
    return {"message": found["message"][0], "allowed": list(found.get("allowed") or ())}


def weka_outside(name: str, options: Sequence[str]) -> list[str]:
    """Words of these options that lead to files or to the network; none of them is set."""
    embedded.weka()
    found = _call("bridge_weka_outside", embedded.text([name]), embedded.text(options))
    return list(found or [])


def inventory() -> dict[str, Any]:
    """What is there of R, Java, Weka and the learners' packages, with what is wrong."""
    from importlib.metadata import version

    bridge = embedded.bridge()
    base = bridge.interface.baseenv
    faults: dict[str, str] = {}
    packages = dict.fromkeys(each["package"] for each in learners().values())
    found = versions([*packages, *WEKA_PACKAGES, *DATA_PACKAGES])
    weka: Mapping[str, Optional[str]] = {}
    libjvm: Optional[str] = None
    try:
        there = embedded.libjvm_candidates()
        libjvm = str(there[0]) if there else None
        weka = weka_versions()
    except (NoR, Fault, OSError) as error:
        faults["Weka"] = str(error)
    return {
        "R": found.get("R"),
        "R home": embedded.to_python(base["R.home"]())[0],
        "libraries": embedded.to_python(base[".libPaths"]()),
        "library": str(library() or ""),
        "rpy2": version("rpy2"),
        "packages": {name: each for name, each in found.items() if name != "R"},
        "java": weka.get("Java"),
        "libjvm": libjvm,
        "weka": weka.get("Weka"),
        "heap_mb": embedded.heap_mb(),
        "faults": faults,
    }


QUESTIONS: Mapping[str, Callable[..., Any]] = {
    "learners": learners,
    "check": check,
    "arguments": arguments,
    "data": data,
    "versions": versions,
    "weka_versions": weka_versions,
    "weka_resolve": weka_resolve,
    "weka_check": weka_check,
    "weka_outside": weka_outside,
    "inventory": inventory,
}
