"""The learners of a spec: their names here, their parameters by their engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import CvinferError, listed
from cvinfer.errors import Path as Place
from cvinfer.names import close_match
from cvinfer.spec.check.common import Context
from cvinfer.spec.check.data import is_predictions_entry
from cvinfer.spec.shape import alternatives, describe, misspelt, quoted

if TYPE_CHECKING:
    from cvinfer.data import Dataset
    from cvinfer.engines.base import LearnerSpec

#: Columns of predictions.csv that no learner may be called.
_RESERVED = ("scheme", "replication", "fold", "split", "record", "truth")

#: Keys of a learner that every engine has; others are options of its engine.
_LEARNER_KEYS = ("engine", "learner", "steps", "params", "encode")
#: Weka's word for parameters, which engines that take flags understand as well.
FLAGS_KEY = "options"

_LONGEST_NAME = 100


def learners_of(here: Context, entries: list[dict[str, Any]]) -> Optional[dict[str, LearnerSpec]]:
    from cvinfer.engines.base import LearnerSpec

    if entries and all(map(is_predictions_entry, entries)):
        return _predicted_learners(here)
    if "learners" not in here.value:
        if not misspelt("learners", here.value):
            allowed = "a mapping of names to learners"
            here.fault((), "is missing", allowed, shown=("learners",))
        return None
    given = here.value["learners"]
    if not isinstance(given, dict) or ("learners",) in here.bad:
        return None
    found: dict[str, LearnerSpec] = {}
    for name, entry in given.items():
        place = ("learners", name)
        _learner_name(here, name)
        if not here.fine(place) or not isinstance(entry, dict):
            # Its name still counts, so that `compare` does not call it unknown.
            found[name] = LearnerSpec(name, "")
            continue
        found[name] = _learner(name, entry)
        if _params_fit(here, entry, place):
            _check_learner(here, found[name], place)
    return found


def _predicted_learners(here: Context) -> Optional[dict[str, LearnerSpec]]:
    from cvinfer.engines.base import LearnerSpec

    if "learners" in here.value:
        message = "the data are predictions made elsewhere, and nothing is fitted"
        here.fault(("learners",), message, "no learners here; the file names them", key=True)
        return None
    sets = [data for data in here.data if data is not None]
    if not sets or len(sets) < len(here.data):
        return None
    common = [n for n in sets[0].learners if all(n in other.learners for other in sets)]
    return {name: LearnerSpec(name, "") for name in common}


def _learner_name(here: Context, name: str) -> None:
    place = ("learners", name)
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        allowed = f"printable text of 1 to {_LONGEST_NAME} characters"
        here.fault(place, "the name of a learner does not fit", allowed, key=True)
    elif name in _RESERVED:
        message = f"a learner cannot be called {name}: the file of predictions has that column"
        here.fault(place, message, key=True)


def _params_fit(here: Context, entry: JsonObject, place: Place) -> bool:
    """Whether the parameters are given once, and in a form that the engine takes."""
    if _takes_flags(entry) and "params" in entry and FLAGS_KEY in entry:
        message = f"both params and {FLAGS_KEY} are given"
        here.fault(place + (FLAGS_KEY,), message, "one of them", key=True)
        return False
    given = entry.get("params") or {}
    if _takes_flags(entry) or isinstance(given, dict):
        return True
    message = f"{describe(given)} is of the wrong type"
    here.fault(place + ("params",), message, "a mapping of parameters")
    return False


def _check_learner(here: Context, learner: LearnerSpec, place: Place) -> None:
    from cvinfer.engines import engines

    known = engines()
    if learner.engine not in known:
        message = f"there is no engine {quoted(learner.engine)}"
        meant = close_match(learner.engine, known)
        here.fault(place + ("engine",), message, listed(known), meant)
        return
    engine = known[learner.engine]
    if learner.encode is not None and learner.encode not in engine.encodes:
        message = (
            f"the engine {learner.engine} cannot encode categories: its learners are given"
            " them as they are"
        )
        here.fault(place + ("encode",), message, alternatives(list(engine.encodes)))
        return
    # Without data there is still much that an engine can say.
    nothing: Sequence[Optional[Dataset]] = (None,)
    for data in here.fitted or nothing:
        try:
            problems = engine.check(learner, data, here.allow_code)
        except CvinferError as error:  # R has something against it that nothing foresaw
            here.fault(place, str(error))
            return
        for problem in problems:
            inner = tuple(problem.path or ())
            inner = inner[1:] if inner[:1] == ("options",) else inner
            entry = here.value[place[0]][place[1]]
            if inner[:1] == ("params",) and "params" not in entry and FLAGS_KEY in entry:
                inner = (FLAGS_KEY, *inner[1:])
            meant = problem.suggestion
            if meant is None and problem.about_key and len(inner) == 1:
                meant = close_match(inner[-1], _LEARNER_KEYS)
            here.fault(
                place + inner,
                problem.message,
                problem.allowed,
                meant,
                key=problem.about_key,
            )


def _learner(name: str, entry: JsonObject) -> LearnerSpec:
    from cvinfer.engines import engines
    from cvinfer.engines.base import LearnerSpec, own_word, unnamed

    encode = entry.get("encode")
    if entry["engine"] in engines():
        encode = own_word(engines()[entry["engine"]], encode)
    steps = None
    if "steps" in entry:
        steps = tuple(
            (step, {}) if isinstance(step, str) else _only(unnamed(step)) for step in entry["steps"]
        )
    keys: tuple[str, ...] = _LEARNER_KEYS
    given = entry.get("params")
    if _takes_flags(entry):
        keys = (*keys, FLAGS_KEY)
        given = given if given is not None else entry.get(FLAGS_KEY)
    flags: Any = None
    if isinstance(given, (str, list)):
        flags = given if isinstance(given, str) else tuple(given)
        given = None
    return LearnerSpec(
        name=name,
        engine=entry["engine"],
        learner=entry.get("learner"),
        steps=steps,
        params=unnamed(given) if isinstance(given, dict) else given or {},
        options={key: value for key, value in entry.items() if key not in keys},
        flags=flags,
        encode=encode,
    )


def _takes_flags(entry: JsonObject) -> bool:
    from cvinfer.engines import engines

    engine = engines().get(str(entry.get("engine")))
    return engine is not None and engine.takes_flags


def _only(mapping: JsonObject) -> tuple[str, JsonObject]:
    ((name, params),) = mapping.items()
    return name, params or {}
