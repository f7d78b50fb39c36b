"""The engine `rweka`: Weka's classifiers, through R, in worker processes.

The data go to Weka once; a fit is one call that takes index arrays, builds the classifier and
classifies the test records in their order. Predictions are those of RWeka's own functions with
the same options on the same records (docs/decisions/weka-seeds.md has the one rule on seeds).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Collection, Mapping, Optional, Sequence, Union

from cvinfer.engines._r.flags import FlagError, flags
from cvinfer.engines._r.installation import WEKA_PACKAGES, NoR, named_versions, remedy, why_no_r
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
from cvinfer.errors import LearnerError, Refusal
from cvinfer.foreign import quoted
from cvinfer.losses.kinds import PROBABILITIES
from cvinfer.names import close_match

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset
    from cvinfer.engines._r.frames import Call

#: Weka's class and what it is, by the short name that RWeka or Weka gives it.
CLASSES: Mapping[str, tuple[str, str]] = {
    "AdaBoostM1": ("weka.classifiers.meta.AdaBoostM1", "boosting of a nominal class, AdaBoost M1"),
    "Bagging": ("weka.classifiers.meta.Bagging", "bagging of another classifier"),
    "DecisionStump": ("weka.classifiers.trees.DecisionStump", "a tree with one split"),
    "IBk": ("weka.classifiers.lazy.IBk", "k nearest neighbours"),
    "J48": ("weka.classifiers.trees.J48", "C4.5 decision tree"),
    "JRip": ("weka.classifiers.rules.JRip", "propositional rules, RIPPER"),
    "LMT": ("weka.classifiers.trees.LMT", "tree with logistic models in its leaves"),
    "Logistic": ("weka.classifiers.functions.Logistic", "multinomial logistic regression, ridge"),
    "LogitBoost": ("weka.classifiers.meta.LogitBoost", "additive logistic regression"),
    "MultilayerPerceptron": (
        "weka.classifiers.functions.MultilayerPerceptron",
        "neural network trained by backpropagation",
    ),
    "NaiveBayes": ("weka.classifiers.bayes.NaiveBayes", "naive Bayes"),
    "OneR": ("weka.classifiers.rules.OneR", "one rule on one feature"),
    "PART": ("weka.classifiers.rules.PART", "rules from partial C4.5 trees"),
    "RandomForest": ("weka.classifiers.trees.RandomForest", "random forest"),
    "SMO": ("weka.classifiers.functions.SMO", "support vector machine, sequential minimal steps"),
}
#: What stands in lists for all the others.
ANY_OTHER = "weka.classifiers..."
#: Keys of an entry besides engine, learner and params, with the words that each may have.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "na_action": ("omit", "pass"),
    "seeding": ("auto", "fit", "none"),
}
NA_ACTION, SEEDING = "omit", "auto"
HEAP_EXHAUSTED = "java.lang.OutOfMemoryError: Java heap space"
#: The flag at the beginning of Weka's text on an option, with what follows it in the command.
_FLAG = re.compile(r"-\S+(?: <[^>]*>)?")


class NeedsWeka:
    """Every learner needs all of Weka."""

    software = "Weka"
    java = True

    def packages(self, learner: str, options: Mapping[str, Any]) -> Collection[str]:
        return WEKA_PACKAGES

    def declared(self) -> Optional[Mapping[str, Collection[str]]]:
        return dict.fromkeys((*CLASSES, ANY_OTHER), WEKA_PACKAGES)


class RwekaEngine:
    name = "rweka"
    #: Missing values are Weka's business, or RWeka's way to leave such training records out.
    takes_missing = True
    #: `params` may be written as Weka's own flags.
    takes_flags = True
    #: As Weka's nominal attributes.
    encodes = KNOWS_CATEGORIES
    trial: Optional[str] = "J48"
    in_r: Optional[InR] = NeedsWeka()

    def reason(self) -> Optional[str]:
        return why_no_r()

    def open(self, dataset: Dataset) -> Session:
        return WekaSession(dataset)

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        problems = _of_form(learner)
        if problems:
            return problems
        try:
            return _of_weka(learner, allow_code)
        except NoR as error:
            return [Refusal(f"the engine {self.name} cannot be used here: {error}", ("engine",))]

    def learners(self) -> list[LearnerInfo]:
        why = why_no_weka()
        found = [
            LearnerInfo(name, text, why is None, why, (full,))
            for name, (full, text) in CLASSES.items()
        ]
        more = "any other classifier of Weka by its class name: weka.classifiers.bayes.BayesNet"
        return [*found, LearnerInfo(ANY_OTHER, more, why is None, why)]

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        from cvinfer.engines._r.client import known

        try:
            found = known("weka_versions")
        except NoR:
            return {}
        return named_versions(found)

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return na_action(learner)

    def gives(self, learner: LearnerSpec) -> Optional[str]:
        """Every classifier of Weka has a distribution over the classes."""
        return PROBABILITIES


class WekaSession(OneOfMany):
    """One data set as Weka's instances."""

    def __init__(self, dataset: Dataset) -> None:
        from cvinfer.engines._r import embedded, frames

        self._bridge = embedded.weka()
        self._frame = frames.frame_of(dataset)
        self._handle = self._bridge.raw("bridge_weka_load", self._frame.value)
        if not _is_handle(self._handle):
            frames.raise_fault(embedded.to_python(self._handle), "Weka cannot take the data")
        self._ready = ByLearner(self._as_r_has_it)

    def predict_all(
        self, learner: LearnerSpec, fits: Sequence[Fit]
    ) -> list[Union[Prediction, LearnerError]]:
        from cvinfer.engines._r import embedded, frames

        call = self._ready.of(learner)
        before = embedded.heap_exhausted()  # as by another data set that was too large
        try:
            return self._frame.predictions(call, fits)
        finally:
            if embedded.heap_exhausted() and not before:
                frames.raise_fault({"error": HEAP_EXHAUSTED, "kind": "heap"}, call.title)

    def _as_r_has_it(self, learner: LearnerSpec) -> Call:
        """How the bridge is called for a learner: data, class, flags, seeding and na_action."""
        from cvinfer.engines._r import embedded, frames

        full = self._resolve(str(learner.learner))
        leading = (
            self._handle,
            embedded.text([full]),
            embedded.text(flags(given_options(learner), self._resolve)),
            embedded.text([str(learner.options.get("seeding") or SEEDING)]),
            embedded.text([na_action(learner)]),
        )
        return frames.Call("rows_of_weka_predict", leading, str(learner.learner))

    def _resolve(self, name: str) -> str:
        from cvinfer.engines._r import embedded

        return full_name(
            name, lambda short: self._bridge.call("bridge_weka_resolve", embedded.text([short]))
        )


def given_options(learner: LearnerSpec) -> Any:
    """The classifier's options as the entry has them: a mapping, a text or a list."""
    return learner.params if learner.flags is None else learner.flags


def na_action(learner: LearnerSpec) -> str:
    """What becomes of training records with missing values: `omit` or `pass`."""
    return str(learner.options.get("na_action") or NA_ACTION)


def full_name(name: str, look_up: Any) -> str:
    """Weka's class for a name: one of ours, one with its packages, or one that Weka knows."""
    if name in CLASSES:
        return CLASSES[name][0]
    if "." in name:
        return name
    found = look_up(name) or []
    if len(found) == 1:
        return str(found[0])
    if found:
        raise LearnerError(f"{name} may be any of {', '.join(found)}; write the whole name")
    raise LearnerError(f"Weka has no classifier called {name!r}")


def why_no_weka() -> Optional[str]:
    """Why Weka cannot be used: R's packages are looked at, the JVM is not started."""
    from cvinfer.engines._r.client import known
    from cvinfer.errors import CvinferError

    try:
        found = known("versions", WEKA_PACKAGES)
    except CvinferError as error:
        return str(error)
    absent = [name for name in WEKA_PACKAGES if not found.get(name)]
    return f"R has no package {', '.join(absent)}" if absent else None


def _is_handle(value: Any) -> bool:
    from rpy2 import rinterface as ri  # type: ignore[import]

    return not isinstance(value, ri.ListSexpVector) or "error" not in list(value.names or ())


# --- checks ---------------------------------------------------------------------------------------


def _of_form(learner: LearnerSpec) -> list[Refusal]:
    """Faults that need no Weka to be seen."""
    why = why_no_r()
    if why is not None:
        message = f"the engine rweka cannot be used here: {why}"
        return [Refusal(message, ("engine",), f"a machine with R and Weka: {remedy()}")]
    if learner.steps is not None:
        message = "the engine rweka has no steps"
        return [
            Refusal(message, ("steps",), "learner; Weka's FilteredClassifier has a filter first")
        ]
    if not learner.learner:
        return [Refusal("learner is missing", (), f"{', '.join(CLASSES)} or a Weka class name")]
    problems = []
    for key, value in learner.options.items():
        if key not in CHOICES:
            message = "unknown key for the engine rweka"
            meant = close_match(key, CHOICES)
            problems.append(
                Refusal(message, ("options", key), ", ".join(CHOICES), meant, about_key=True)
            )
        elif value is not None and value not in CHOICES[key]:
            allowed = " or ".join(CHOICES[key])
            meant = close_match(str(value), CHOICES[key])
            problems.append(Refusal(f"{value!r} is not known", ("options", key), allowed, meant))
    return problems


def _of_weka(learner: LearnerSpec, allow_code: bool) -> list[Refusal]:
    """Faults that Weka itself finds."""
    from cvinfer.engines._r.client import known

    def look_up(short: str) -> Any:
        return known("weka_resolve", short)

    name = str(learner.learner)
    try:
        full = full_name(name, look_up)
    except LearnerError as error:
        allowed = f"{', '.join(CLASSES)}, or a class name such as weka.classifiers.bayes.BayesNet"
        return [Refusal(str(error), ("learner",), allowed, close_match(name, CLASSES))]
    options = given_options(learner)
    try:
        words = flags(options, lambda short: full_name(short, look_up))
    except FlagError as error:
        return [Refusal(str(error), ("params", *error.path))]
    except LearnerError as error:
        return [Refusal(str(error), ("params",))]
    if not allow_code:
        # Before Weka is given any option: some of them read or write as soon as they are set.
        leading = known("weka_outside", full, tuple(words))
        if leading:
            path = ("params", *_blamed(leading[0], options))
            message = f"{quoted(leading[0])} leads to files or to the network"
            return [Refusal(message, path, "options that do not, or this one with --allow-code")]
    found = known("weka_check", full, tuple(words))
    if found is None:
        return []
    message = found["message"]
    if not found["allowed"]:  # the class itself is at fault
        return [Refusal(message, ("learner",), None, close_match(name, CLASSES))]
    path = ("params", *_blamed(message, options))
    known_flags = (_FLAG.match(each) for each in found["allowed"])
    allowed = ", ".join(each.group() for each in known_flags if each)
    return [Refusal(f"Weka's {name} says: {message}", path, allowed)]


def _blamed(message: str, options: Any) -> tuple[Any, ...]:
    """The option that Weka's message speaks of, where it can be told."""
    if not isinstance(options, Mapping):
        return ()
    for name, value in options.items():
        flag = "-" + str(name).lstrip("-")
        spoken = f" {message} ".replace(",", " ").replace("'", " ").replace('"', " ").split()
        if flag in spoken or (not isinstance(value, bool) and str(value) in spoken):
            return (name,)
    return ()


ENGINE = engines.add(RwekaEngine.name, RwekaEngine(), __name__)
