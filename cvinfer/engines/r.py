"""The engine `r`: classifiers of R's packages, in worker processes.

Ready-made learners know how their functions want to be called and what their predict() returns;
any other function of an installed package can be named with --allow-code. Whatever a spec says
reaches R as a value, never as source text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Collection, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.engines._r.installation import (
    NoR,
    is_package_name,
    named_versions,
    remedy,
    why_no_r,
)
from cvinfer.engines.base import (
    KNOWS_CATEGORIES,
    ByLearner,
    InR,
    LearnerInfo,
    LearnerSpec,
    Fit,
    OneOfMany,
    Prediction,
    Session,
)
from cvinfer.engines.registry import engines
from cvinfer.errors import CvinferError, LearnerError, Refusal, UserError
from cvinfer.losses.kinds import CODES, PROBABILITIES
from cvinfer.names import close_match

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset
    from cvinfer.engines._r.frames import Call

NA_ACTIONS = ("omit", "pass")
#: R's functions have their own ways with missing values.
NA_ACTION = "pass"
#: The keys of the general form.
PACKAGE, FUNCTION, TYPE = "package", "function", "predict_type"
#: Arguments that cvinfer itself gives.
OURS = ("formula", "data", "x", "y", "cl", "train", "test", "newdata", "object", "subset")


class Code(NamedTuple):
    """A function of any package, and the `type` that its predictions are asked for with."""

    package: str
    function: str
    predict_type: Optional[str]


class NeedsR:
    """A learner needs the R package that it is of: `learners.R` or the entry itself says which."""

    software = "R"
    java = False

    def packages(self, learner: str, options: Mapping[str, Any]) -> Collection[str]:
        named = options.get(PACKAGE) or learner.rpartition("::")[0]
        return (str(named),) if named else (self.declared() or {}).get(learner, ())

    def declared(self) -> Optional[Mapping[str, Collection[str]]]:
        from cvinfer.engines._r.declared import learner_packages

        found = learner_packages()
        return None if found is None else {name: (each,) for name, each in found.items()}


class REngine:
    name = "r"
    takes_missing = True
    takes_flags = False
    #: As R's factors.
    encodes = KNOWS_CATEGORIES
    trial: Optional[str] = "rpart"
    in_r: Optional[InR] = NeedsR()

    def reason(self) -> Optional[str]:
        return why_no_r()

    def open(self, dataset: Dataset) -> Session:
        return RSession(dataset)

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        why = why_no_r()
        if why is not None:
            message = f"the engine r cannot be used here: {why}"
            return [Refusal(message, ("engine",), f"a machine with R: {remedy()}")]
        problems = _of_form(learner)
        if problems:
            return problems
        try:
            code = code_of(learner)
            if code is None:
                return _of_ready_made(learner, dataset)
            return _of_code(learner, code, allow_code)
        except NoR as error:
            return [Refusal(f"the engine r cannot be used here: {error}", ("engine",))]

    def learners(self) -> list[LearnerInfo]:
        from cvinfer.engines._r.client import known

        try:
            found = known("learners")
        except CvinferError as error:
            return [LearnerInfo(self.name, f"the whole engine {self.name}", False, str(error))]
        return [
            LearnerInfo(name, each["title"], each["available"], each.get("reason") or None)
            for name, each in sorted(found.items(), key=lambda pair: str(pair[0]).lower())
        ]

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        from cvinfer.engines._r.client import known

        try:
            packages = () if learner is None else (_package_of(learner),)
            return named_versions(known("versions", packages))
        except CvinferError:
            return {}

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return na_action(learner)

    def gives(self, learner: LearnerSpec) -> Optional[str]:
        from cvinfer.engines._r.client import known

        if code_of(learner) is not None:
            return None
        try:
            told = known("learners")[str(learner.learner)]["probabilities"]
        except (CvinferError, KeyError):
            return None
        return {"all": PROBABILITIES, "none": CODES}.get(told)


class RSession(OneOfMany):
    """One data set as R's data frame."""

    def __init__(self, dataset: Dataset) -> None:
        from cvinfer.engines._r import embedded, frames

        embedded.bridge()
        self._frame = frames.frame_of(dataset)

    def predict_all(
        self, learner: LearnerSpec, fits: Sequence[Fit]
    ) -> list[Union[Prediction, LearnerError]]:
        call = _ready.of(learner)
        return self._frame.predictions(
            call._replace(leading=(self._frame.value, *call.leading)), fits
        )


def _as_r_has_it(learner: LearnerSpec) -> Call:
    """How the bridge is called for a learner: values of R, made once and not for every fit."""
    from cvinfer.engines._r import embedded, frames

    code = code_of(learner)
    if code is None:
        function, title = "rows_of_predict", str(learner.learner)
        which: tuple[Any, ...] = (embedded.text([title]),)
    else:
        function, title = "rows_of_predict_code", f"{code.package}::{code.function}"
        which = tuple(map(embedded.to_r, code))
    params = embedded.to_r(dict(learner.params))
    how = embedded.text([na_action(learner)])
    return frames.Call(function, (*which, params, how), title)


_ready = ByLearner(_as_r_has_it)


def code_of(learner: LearnerSpec) -> Optional[Code]:
    """The general form of an entry: package and function, or learner as package::function."""
    kind = learner.options.get(TYPE)
    if learner.learner and "::" in learner.learner:
        package, _, function = learner.learner.partition("::")
        return Code(package, function, kind)
    if PACKAGE in learner.options or FUNCTION in learner.options:
        return Code(str(learner.options[PACKAGE]), str(learner.options[FUNCTION]), kind)
    return None


def na_action(learner: LearnerSpec) -> str:
    """What becomes of training records with missing values: `omit` or `pass`."""
    return str(learner.options.get("na_action") or NA_ACTION)


def _package_of(learner: LearnerSpec) -> str:
    from cvinfer.engines._r.client import known

    code = code_of(learner)
    if code is not None:
        return code.package
    return str(known("learners")[str(learner.learner)]["package"])


# --- checks ---------------------------------------------------------------------------------------


def _of_form(learner: LearnerSpec) -> list[Refusal]:
    if learner.steps is not None:
        return [
            Refusal("the engine r has no steps", ("steps",), "learner, or package and function")
        ]
    allowed = ("na_action", PACKAGE, FUNCTION, TYPE)
    problems = []
    for key, value in learner.options.items():
        if key not in allowed:
            meant = close_match(key, allowed)
            message = "unknown key for the engine r"
            problems.append(
                Refusal(message, ("options", key), ", ".join(allowed), meant, about_key=True)
            )
        elif key == "na_action" and value is not None and value not in NA_ACTIONS:
            meant = close_match(str(value), NA_ACTIONS)
            message = f"{value!r} is not known"
            problems.append(Refusal(message, ("options", key), " or ".join(NA_ACTIONS), meant))
        elif key != "na_action" and not isinstance(value, str):
            problems.append(
                Refusal(f"{value!r} is no text", ("options", key), f"the name of a {key}")
            )
    named = [key for key in (PACKAGE, FUNCTION) if key in learner.options]
    if len(named) == 1 and not learner.learner:
        message = f"{named[0]} is there, but not {FUNCTION if named[0] == PACKAGE else PACKAGE}"
        problems.append(Refusal(message, (), "both, for a function of any package"))
    elif named and learner.learner:
        message = f"learner is {learner.learner!r} already"
        problems.append(Refusal(message, ("options", named[0]), "learner, or package and function"))
    elif not named and not learner.learner:
        problems.append(Refusal("learner is missing", (), "a learner, or package and function"))
    if TYPE in learner.options and not named and "::" not in (learner.learner or ""):
        message = f"{TYPE} is for functions of any package; {learner.learner} knows its own"
        problems.append(Refusal(message, ("options", TYPE)))
    return problems


def _of_ready_made(learner: LearnerSpec, dataset: Optional[Dataset]) -> list[Refusal]:
    from cvinfer.engines._r.client import ask, known

    ready = known("learners")
    name = str(learner.learner)
    if name not in ready:
        message = f"the engine r has no learner {name!r}"
        allowed = f"{', '.join(sorted(ready))}, or package and function with --allow-code"
        return [Refusal(message, ("learner",), allowed, close_match(name, ready))]
    entry = ready[name]
    if not entry["available"]:
        message = f"{name} cannot be used here: {entry.get('reason')}"
        return [Refusal(message, ("learner",), remedy())]
    problems = _arguments(learner, entry["arguments"])
    for each, words in entry["choices"].items():
        value = learner.params.get(each)
        if value is not None and value not in words:
            meant = close_match(str(value), words)
            message = f"{name} takes no {each} {value!r}"
            problems.append(Refusal(message, ("params", each), " or ".join(words), meant))
    for each in entry["required"]:
        if each not in learner.params:
            problems.append(
                Refusal(f"{name} needs {each}", ("params",), f"params: {{{each}: ...}}")
            )
    if not problems:
        classes = () if dataset is None else dataset.class_levels or dataset.classes
        said = ask("check", name, dict(learner.params), classes)
        if said is not None:
            path = next((("params", key) for key in learner.params if key in said), ("params",))
            problems.append(Refusal(said, path))
    if dataset is None:
        return problems
    if entry["two_classes"] and len(dataset.classes) > 2:
        message = f"{name} is for two classes, and there are {len(dataset.classes)}"
        problems.append(Refusal(message, ("learner",), "binarize in data, or multinom"))
    for key, words in entry["two_classes_if"].items():
        if learner.params.get(key) in words and len(dataset.classes) > 2:
            others = [each for each in entry["choices"].get(key, ()) if each not in words]
            message = (
                f"{key} {learner.params[key]} is for two classes, and there are"
                f" {len(dataset.classes)}"
            )
            problems.append(Refusal(message, ("params", key), f"{key} {' or '.join(others)}"))
    text = [each.name for each in dataset.features if each.kind == "categorical"]
    if entry["numeric_only"] and text:
        shown = ", ".join(text[:5]) + (" and more" if len(text) > 5 else "")
        message = f"{name} needs numeric features, and {shown} is categorical"
        problems.append(Refusal(message, ("learner",), "drop in data, or kknn"))
    return problems


def _of_code(learner: LearnerSpec, code: Code, allow_code: bool) -> list[Refusal]:
    from cvinfer.engines._r.client import known

    inside = learner.learner is None
    if not allow_code:
        place: tuple[str, ...] = ("options", FUNCTION) if inside else ("learner",)
        message = f"{code.package}::{code.function} is code of an R package"
        return [Refusal(message, place, "a ready-made learner, or --allow-code to run it")]
    if not is_package_name(code.package):
        place = ("options", PACKAGE) if inside else ("learner",)
        return [Refusal(f"{code.package!r} is no name of an R package", place)]
    try:
        arguments = known("arguments", code.package, code.function)
    except UserError as error:
        return [Refusal(str(error), ("options", FUNCTION) if inside else ("learner",))]
    return _arguments(learner, arguments)


def _arguments(learner: LearnerSpec, takes: Sequence[str]) -> list[Refusal]:
    """Parameters that the function does not have, or that are not the user's to give."""
    name = learner.learner or learner.options.get(FUNCTION)
    free = "..." in takes
    problems = []
    for key in learner.params:
        if key in OURS:
            message = f"{name} has no parameter {key!r} to be set: cvinfer gives it"
            problems.append(Refusal(message, ("params", key), about_key=True))
        elif key not in takes and not free:
            others = [each for each in takes if each not in OURS and each != "..."]
            message = f"{name} has no parameter {key!r}"
            allowed = ", ".join(others) or "none"
            meant = close_match(key, others)
            problems.append(Refusal(message, ("params", key), allowed, meant, about_key=True))
    return problems


ENGINE = engines.add(REngine.name, REngine(), __name__)
