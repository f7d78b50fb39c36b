"""Names and parameters of a spec against the registries, and tests against the data.

Everything here runs before the first fit. Each check adds its faults and goes on, and leaves out
what an earlier fault has made meaningless, so that one cause gives one fault.
"""

from __future__ import annotations

import re
from itertools import combinations, product
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from cvinfer.inference import correction
from cvinfer.errors import CvinferError, Refusal
from cvinfer.foreign import shown
from cvinfer.inference import Need, Procedure, intervals, tests
from cvinfer.inference.needs import lacking, suitable
from cvinfer.inference.recommended import recommended_on
from cvinfer.names import close_match
from cvinfer.spec import options as option_checks
from cvinfer.spec import work
from cvinfer.errors import Path as Place
from cvinfer.errors import listed
from cvinfer.spec.model import (
    DEFAULTS,
    RECOMMENDED_INTERVALS,
    RECOMMENDED_TESTS,
    SchemeRequest,
    Spec,
    TestRequest,
)
from cvinfer.spec.shape import alternatives, check_shape, describe, misspelt, quoted
from cvinfer.spec.text import Document, keep_as_written, refuse_infinite

if TYPE_CHECKING:
    from cvinfer.engines.base import LearnerSpec

#: Where text is meant, the scalar counts as it was written: `NO`, `01`, `1e3` are labels or names.
AS_WRITTEN: tuple[tuple[str, ...], ...] = (
    ("positive",),
    ("compare", "**"),
    *(
        (*head, *tail)
        for head in (("data",), ("data", "*"))
        for tail in (
            ("target",),
            ("groups",),
            ("drop", "*"),
            ("keep", "*"),
            ("na", "*"),
            ("classes", "*"),
            ("record",),
            ("truth",),
            ("split",),
            ("learners", "**"),
            ("binarize",),
            ("binarize", "**"),
            ("positive",),
        )
    ),
    ("partition", "groups"),
    ("partition", "*", "groups"),
    ("learners", "*", "params", "constant"),
)

#: Columns of predictions.csv that no learner may be called.
_RESERVED = ("scheme", "replication", "fold", "split", "record", "truth")

#: Keys of a learner that every engine has; others are options of its engine.
_LEARNER_KEYS = ("engine", "learner", "steps", "params", "encode")
#: Weka's word for parameters, which engines that take flags understand as well.
FLAGS_KEY = "options"

_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_WINDOWS_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST_NAME = 100

#: Options of a scheme that have no meaning in a spec: they belong to single records.
_NOT_IN_SPECS = ("blocks",)

#: A scheme that fits this many records fits any greater number of them.
_ENOUGH_RECORDS = 2000


class Checked(NamedTuple):
    """A spec, if it has no faults, and its data sets as far as they could be read."""

    spec: Optional[Spec]
    data: tuple[Any, ...]


def check(document: Document, base: Path, default_name: str, allow_code: bool) -> Checked:
    """Add every fault to the document; the spec comes out where there is none."""
    if isinstance(document.value, dict):
        found = work.too_much(document.value)
        if found is not None:
            # Nor is there any use in finding what else is wrong with it.
            document.add(*found[:3])
            return Checked(None, ())
    keep_as_written(document, AS_WRITTEN)
    refuse_infinite(document, but_under="learners")
    return _Check(document, base, default_name, allow_code).run()


class _Available(NamedTuple):
    """A partition that tests may use."""

    scheme: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        shown = {k: v for k, v in self.options.items() if v not in (None, False)}
        settings = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{self.scheme}({settings})" if settings else self.scheme


class _Check:
    def __init__(self, document: Document, base: Path, default_name: str, allow_code: bool) -> None:
        self.document, self.base, self.allow_code = document, base, allow_code
        self.default_name = default_name
        # A key that is given as nothing is a fault of shape; it is checked no further.
        self.bad = check_shape(document)
        self.value: Mapping[str, Any] = document.value
        self.seed = self._or_default("seed") if isinstance(self._or_default("seed"), int) else 0
        self.data: list[Any] = []
        self.group_columns: list[tuple[str, Optional[str]]] = []

    def run(self) -> Checked:
        from cvinfer.data.prediction_columns import in_order

        name = self._name()
        self._directory()
        entries, places = self._data_sets()
        predicted = [p for p in self.data if _is_predictions(p)]
        learners = self._learners(entries)
        pairs = self._pairs(list(learners) if learners is not None else None)
        partition, available = self._partition(bool(predicted))
        chosen_tests = self._requests("tests", tests(), RECOMMENDED_TESTS, available)
        chosen_intervals = self._requests(
            "intervals", intervals(), RECOMMENDED_INTERVALS, available
        )
        primary = self._primary(chosen_tests)
        margin = self._margin(primary)
        self._something_to_do(learners, chosen_tests, chosen_intervals)
        self._fit_the_data(places, chosen_tests, chosen_intervals, partition, available)
        self._positive(entries, places)
        if self.document.faults or learners is None or pairs is None or name is None:
            return Checked(None, tuple(self.data))
        assert chosen_tests is not None and chosen_intervals is not None
        spec = Spec(
            name=name,
            base=self.base,
            data=tuple(MappingProxyType(in_order(entry)) for entry in entries),
            learners=MappingProxyType({} if predicted else learners),
            pairs=tuple(pairs) if chosen_tests else (),
            partition=partition,
            tests=tuple(request for request, _ in chosen_tests),
            intervals=tuple(request for request, _ in chosen_intervals),
            primary=primary,
            margin=margin,
            alpha=float(self._or_default("alpha")),
            correction=correction.read(self._or_default("correction")).written(),
            seed=int(self.seed),
            loss=self._or_default("loss"),
            positive=self._positive_of_all(),
            limits=MappingProxyType(_given(self.value.get("limits"))),
            output=MappingProxyType({"directory": "results", **_given(self.value.get("output"))}),
        )
        return Checked(spec, tuple(self.data))

    # --- helpers ----------------------------------------------------------------------------------

    def _fine(self, path: Place) -> bool:
        """No fault of shape at this place, above it or below it."""
        return not any(bad[: len(path)] == path or path[: len(bad)] == bad for bad in self.bad)

    def _fault(self, path: Place, *args: Any, **named: Any) -> None:
        self.document.add(path, *args, **named)

    def _or_default(self, key: str) -> Any:
        given = self.value.get(key) if self._fine((key,)) else None
        return DEFAULTS[key] if given is None else given

    def _too_much(self, found: Optional[work.TooMuch]) -> bool:
        if found is not None:
            self._fault(found.place, found.message, found.allowed)
        return found is not None

    def _fits_at_most(self, scheme: str, options: Mapping[str, Any], place: Place) -> bool:
        """Whether this scheme on these data is within the limits."""
        from cvinfer.partitions import schemes

        info = schemes()[scheme]
        sizes = [data.n for data in self.data if data is not None and not _is_predictions(data)]
        counts = [info.count(n, options) for n in sizes]
        learners = self.value.get("learners")
        many = len(learners) if isinstance(learners, dict) else 1
        found = work.too_many_fits(counts, many, place)
        for count, n in zip(counts, sizes):
            found = found or work.too_large(count, n, place)
        return not self._too_much(found)

    # --- name -------------------------------------------------------------------------------------

    def _name(self) -> Optional[str]:
        if not self._fine(("name",)):
            return None
        given = "name" in self.value
        name = str(self.value["name"]) if given else self.default_name
        why = _unusable(name)
        if why is None:
            return name
        if not given:
            message = f"is missing, and the file's own name {quoted(name)} {why}"
            self._fault((), message, "text that can name a directory", shown=("name",))
            return None
        self._fault(("name",), f"{quoted(name)} {why}", "text that can name a directory")
        return None

    def _directory(self) -> None:
        place = ("output", "directory")
        output = self.value.get("output")
        given = output.get("directory") if isinstance(output, dict) else None
        if self._fine(place) and isinstance(given, str) and "\0" in given:
            self._fault(place, f"{quoted(shown(given))} has a NUL character in it", "a directory")

    # --- data -------------------------------------------------------------------------------------

    def _data_sets(self) -> tuple[list[dict[str, Any]], list[Place]]:
        """The entries of `data` with their names, and their places; fills `self.data`."""
        given = self.value.get("data")
        if given is None or ("data",) in self.bad:
            return [], []
        many = isinstance(given, list)
        found: list[dict[str, Any]] = []
        places: list[Place] = []
        for index, entry in enumerate(given if many else [given]):
            place: Place = ("data", index) if many else ("data",)
            if not isinstance(entry, dict):
                continue
            named = {"name": _data_name(entry), **entry}
            if entry.get("positive") is not None:
                named["positive"] = str(entry["positive"])  # from Python it may be a number
            if "missing" not in entry and self._all_take_missing(entry):
                named["missing"] = "keep"
            found.append(named)
            places.append(place)
            column = entry.get("groups") if self._fine(place + ("groups",)) else None
            self.group_columns.append((str(named["name"]), column))
            self.data.append(self._loaded(named, place))
        self._distinct_names(found, places)
        kinds = {_is_predictions_entry(entry) for entry in found}
        if len(kinds) == 2:
            at = next(p for e, p in zip(found, places) if _is_predictions_entry(e))
            message = "predictions cannot stand beside data sets that learners are fitted on"
            self._fault(at, message, "two specs, one for each")
        return found, places

    def _all_take_missing(self, entry: Mapping[str, Any]) -> bool:
        """Whether missing values can be left to the learners, each with a way of its own."""
        from cvinfer.data.registry import sources
        from cvinfer.engines import engines

        source = sources().get(str(entry.get("source")))
        learners = self.value.get("learners")
        if source is None or "missing" not in source.options or not isinstance(learners, dict):
            return False
        names = {str(each.get("engine")) for each in learners.values() if isinstance(each, dict)}
        known = engines()
        return bool(names) and all(name in known and known[name].takes_missing for name in names)

    def _distinct_names(self, entries: list[dict[str, Any]], places: list[Place]) -> None:
        names = [entry["name"] for entry in entries]
        for at, (name, place) in enumerate(zip(names, places)):
            if name not in names[:at] or not self._fine(place + ("name",)):
                continue
            message = f"two data sets are called {quoted(name)}"
            if place + ("name",) in self.document.places:
                self._fault(place + ("name",), message)
            else:
                # Called after its file or its source, which does not tell it from the other.
                where = place + ("name",)
                self._fault(place, f"is missing, and {message}", "a name of its own", shown=where)

    def _loaded(self, entry: dict[str, Any], place: Place) -> Any:
        """The data set, read once; None where it cannot be."""
        from cvinfer.data.registry import Request, sources

        if not self._fine(place + ("source",)):
            return None
        known = sources()
        source = entry["source"]
        if source not in known:
            meant = close_match(source, known)
            where = place + ("source",)
            self._fault(where, f"there is no source {quoted(source)}", listed(known), meant)
            return None
        info = known[source]
        before = len(self.document.faults)
        for key in entry:
            if key in info.refuses:
                message = f"the source {source} takes no {key}: {info.refuses[key]}"
                self._fault(place + (key,), message, f"no {key} here", key=True)
            elif key not in info.options:
                self._fault(
                    place + (key,),
                    f"unknown key for the source {source}",
                    listed(info.options),
                    close_match(key, info.options),
                    key=True,
                )
        for key, option in info.options.items():
            if option.required and key not in entry and not misspelt(key, entry):
                self._fault(place, "is missing", option.description, shown=place + (key,))
        self._data_faults(entry, place)
        if len(self.document.faults) > before or not self._fine(place):
            return None
        try:
            if not info.ready(Request(entry, self.base, self.seed)):
                return None
            return self._load(entry, place)
        except CvinferError as error:
            self._from_error(error, place)
        except OSError as error:
            self._fault(place + ("path",), f"cannot be read: {error.strerror or error}")
        return None

    def _groups_asked(self) -> dict[str, Place]:
        """The columns that partitions group by, with the first place that names them."""
        asked: dict[str, Place] = {}
        for options, place in _placed_schemes(self.value.get("partition")):
            column = options.get("groups")
            at = place + ("groups",)
            if isinstance(column, str) and not _off(column) and self._fine(at):
                asked.setdefault(column, at)
        return asked

    def _data_faults(self, entry: dict[str, Any], place: Place) -> None:
        """What the source finds wrong without reading, where nothing else was found before."""
        from cvinfer.data.registry import faults, sources

        known = sources()[entry["source"]].options
        clean = {
            key: value
            for key, value in entry.items()
            if key in known and self._fine(place + (key,))
        }
        for error in faults(clean):
            if error.path:
                self._from_error(error, place)

    def _load(self, entry: dict[str, Any], place: Place) -> Any:
        from cvinfer.data import Dataset, load
        from cvinfer.data.table import text_fault

        data = load(entry, self.base, self.seed, self._groups_asked())
        if not _is_predictions(data) and len(data.classes) < 2:
            message = f"the target has one class only, {quoted(data.classes[0])}"
            self._fault(place + ("target",), message, "at least two classes")
            return None
        if isinstance(data, Dataset):
            for column in data.features:
                fault = text_fault(column, na=entry["source"] == "csv")
                if fault is not None:
                    self._fault(place + ("drop",), fault)
        return data

    def _from_error(self, error: CvinferError, place: Place) -> None:
        """An error of the data as a fault at the key that caused it."""
        refusal = error if isinstance(error, Refusal) else Refusal(str(error))
        inner = tuple(refusal.path or ())
        if inner[:1] == ("data",):
            inner = inner[1:]
        message, allowed, meant = refusal.message, refusal.allowed, refusal.suggestion
        there = refusal.there
        if there is not None:
            given: Any = self.value.get("data")
            at = place[1] if len(place) > 1 else 0
            entry = given[at] if isinstance(given, list) else given
            there = f"the {'file' if 'path' in entry else 'data'} has: {there}"
        if inner[:1] == ("groups",) and inner[1:]:
            # A column that a partition names, and that each of several data sets must have.
            on = self._on_named(self.group_columns[-1][0])
            at_groups = self._groups_asked()[str(inner[1])]
            self._fault(at_groups, on + message, allowed, meant, there=there)
            return
        self._fault(place + inner, message, allowed, meant, there=there)

    # --- learners ---------------------------------------------------------------------------------

    def _learners(self, entries: list[dict[str, Any]]) -> Optional[dict[str, "LearnerSpec"]]:
        from cvinfer.engines.base import LearnerSpec

        if entries and all(map(_is_predictions_entry, entries)):
            return self._predicted_learners()
        if "learners" not in self.value:
            if not misspelt("learners", self.value):
                allowed = "a mapping of names to learners"
                self._fault((), "is missing", allowed, shown=("learners",))
            return None
        given = self.value["learners"]
        if not isinstance(given, dict) or ("learners",) in self.bad:
            return None
        found: dict[str, LearnerSpec] = {}
        for name, entry in given.items():
            place = ("learners", name)
            self._learner_name(name)
            if not self._fine(place) or not isinstance(entry, dict):
                # Its name still counts, so that `compare` does not call it unknown.
                found[name] = LearnerSpec(name, "")
                continue
            found[name] = _learner(name, entry)
            if self._params_fit(entry, place):
                self._check_learner(found[name], place)
        return found

    def _predicted_learners(self) -> Optional[dict[str, "LearnerSpec"]]:
        from cvinfer.engines.base import LearnerSpec

        if "learners" in self.value:
            message = "the data are predictions made elsewhere, and nothing is fitted"
            self._fault(("learners",), message, "no learners here; the file names them", key=True)
            return None
        sets = [data for data in self.data if data is not None]
        if not sets or len(sets) < len(self.data):
            return None
        common = [n for n in sets[0].learners if all(n in other.learners for other in sets)]
        return {name: LearnerSpec(name, "") for name in common}

    def _learner_name(self, name: str) -> None:
        place = ("learners", name)
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            allowed = f"printable text of 1 to {_LONGEST_NAME} characters"
            self._fault(place, "the name of a learner does not fit", allowed, key=True)
        elif name in _RESERVED:
            message = f"a learner cannot be called {name}: the file of predictions has that column"
            self._fault(place, message, key=True)

    def _params_fit(self, entry: Mapping[str, Any], place: Place) -> bool:
        """Whether the parameters are given once, and in a form that the engine takes."""
        if _takes_flags(entry) and "params" in entry and FLAGS_KEY in entry:
            message = f"both params and {FLAGS_KEY} are given"
            self._fault(place + (FLAGS_KEY,), message, "one of them", key=True)
            return False
        given = entry.get("params") or {}
        if _takes_flags(entry) or isinstance(given, dict):
            return True
        message = f"{describe(given)} is of the wrong type"
        self._fault(place + ("params",), message, "a mapping of parameters")
        return False

    def _check_learner(self, learner: "LearnerSpec", place: Place) -> None:
        from cvinfer.engines import engines

        known = engines()
        if learner.engine not in known:
            message = f"there is no engine {quoted(learner.engine)}"
            meant = close_match(learner.engine, known)
            self._fault(place + ("engine",), message, listed(known), meant)
            return
        engine = known[learner.engine]
        if learner.encode is not None and learner.encode not in engine.encodes:
            message = (
                f"the engine {learner.engine} cannot encode categories: its learners are given"
                " them as they are"
            )
            self._fault(place + ("encode",), message, alternatives(list(engine.encodes)))
            return
        for data in [d for d in self.data if d is not None and not _is_predictions(d)] or [None]:
            try:
                problems = engine.check(learner, data, self.allow_code)
            except CvinferError as error:  # R has something against it that nothing foresaw
                self._fault(place, str(error))
                return
            for problem in problems:
                inner = tuple(problem.path or ())
                inner = inner[1:] if inner[:1] == ("options",) else inner
                entry = self.value[place[0]][place[1]]
                if inner[:1] == ("params",) and "params" not in entry and FLAGS_KEY in entry:
                    inner = (FLAGS_KEY, *inner[1:])
                meant = problem.suggestion
                if meant is None and problem.about_key and len(inner) == 1:
                    meant = close_match(inner[-1], _LEARNER_KEYS)
                self._fault(
                    place + inner,
                    problem.message,
                    problem.allowed,
                    meant,
                    key=problem.about_key,
                )

    # --- compare ----------------------------------------------------------------------------------

    def _pairs(self, learners: Optional[list[str]]) -> Optional[list[tuple[str, str]]]:
        if learners is None or not self._fine(("compare",)):
            return None
        given = self._or_default("compare")
        if given == "all":
            if self._too_much(work.too_many_comparisons(self.value, len(learners))):
                return None
            return list(combinations(learners, 2))
        placed = _placed_pairs(given)
        before = len(self.document.faults)
        for name, place in _placed_names(given):
            if name not in learners:
                message = f"there is no learner {quoted(name)}"
                self._fault(place, message, listed(learners), close_match(name, learners))
        if len(self.document.faults) > before:
            return None
        seen: set[frozenset[str]] = set()
        for (a, b), place in placed:
            if a == b:
                message = f"{quoted(a)} cannot be compared with itself"
                self._fault(place, message, "pairs of two different learners")
            elif frozenset((a, b)) in seen:
                self._fault(place, f"{quoted(a)} and {quoted(b)} are compared twice")
            seen.add(frozenset((a, b)))
        return [pair for pair, _ in placed]

    # --- partition --------------------------------------------------------------------------------

    def _partition(
        self, predicted: bool
    ) -> tuple[Optional[tuple[SchemeRequest, ...]], Optional[list[_Available]]]:
        """The schemes that the spec names, and what tests find there; None and None for auto."""
        given = self._or_default("partition")
        if predicted:
            if given != "auto":
                message = "the data are predictions made elsewhere, with their own splits"
                self._fault(("partition",), message, "auto", key=True)
            sets = [data for data in self.data if _is_predictions(data)]
            return None, _common([_available_of(data.partitions) for data in sets])
        if given == "auto":
            return None, None
        requests: list[SchemeRequest] = []
        available: list[_Available] = []
        unknown = not self._fine(("partition",))
        for options, place in _placed_schemes(given):
            if _off(options.get("groups")):
                options["groups"] = False
            request = SchemeRequest(options.pop("scheme", ""), MappingProxyType(options))
            if not self._fine(place) or not self._known_scheme(request, place):
                unknown = True
                continue
            requests.append(request)
            partitions = self._partitions(request, place)
            available += partitions or []
            unknown = unknown or partitions is None
        # What a faulty scheme would have offered nobody knows: tests are then left alone.
        return tuple(requests), None if unknown else available

    def _known_scheme(self, request: SchemeRequest, place: Place) -> bool:
        from cvinfer.partitions import schemes

        known = schemes()
        at = place + ("scheme",) if place + ("scheme",) in self.document.places else place
        if request.scheme == "file":
            allowed: Sequence[str] = ("path", "groups")
            if "path" not in request.options:
                message = "is missing"
                self._fault(place, message, "a path to a file of splits", shown=place + ("path",))
                return False
        elif request.scheme in known:
            info = known[request.scheme]
            stratify = ("stratify",) if info.stratify else ()
            own = [option for option in info.defaults if option not in _NOT_IN_SPECS]
            # A scheme that cannot keep groups together says so itself.
            allowed = (*own, *stratify, *(("groups",) if info.groups else ()))
        else:
            if request.scheme == "auto":
                message = "auto cannot stand beside schemes"
            else:
                message = f"there is no scheme {quoted(request.scheme)}"
            names = [*known, "file"]
            self._fault(at, message, listed(names), close_match(request.scheme, names))
            return False
        wrong = [each for each in request.options if each not in (*allowed, "groups")]
        for option in wrong:
            self._fault(
                place + (option,),
                f"unknown option for the scheme {request.scheme}",
                listed(["scheme", *allowed]),
                close_match(option, allowed),
                key=True,
            )
        return not wrong

    def _partitions(self, request: SchemeRequest, place: Place) -> Optional[list[_Available]]:
        """What the scheme offers; None where it cannot be made from the data."""
        from cvinfer.partitions import PartitionError, make_partition, schemes
        from cvinfer.data.groups import group_column

        sets = [data for data in self.data if data is not None]
        if request.scheme == "file":
            return self._partitions_of_file(request, place, sets)
        if self._cuts_groups(request, place):
            return None
        if not self._fits_at_most(request.scheme, request.options, place):
            return None
        for data in sets:
            options = dict(request.options)
            column = group_column(options.pop("groups", None), data.group_column)
            if options.pop("stratify", False):
                # Labels instead of codes, for the message.
                options["stratify"] = np.array(data.classes)[data.target]
            if column is not None:
                options["groups"] = data.groups_by(column)
            try:
                make_partition(request.scheme, data.n, seed=self.seed, **options)
            except PartitionError as error:
                message = str(error).removeprefix(f"{request.scheme}: ")
                at = _option_in(message, request.options, place)
                self._fault(at, f"{self._on(data)}{message}")
                return None
        defaults = schemes()[request.scheme].defaults
        return [_Available(request.scheme, {**defaults, **request.options})]

    def _cuts_groups(self, request: SchemeRequest, place: Place) -> bool:
        """Whether the scheme cannot keep groups together, or not beside what else it is asked."""
        from cvinfer.partitions import schemes
        from cvinfer.data.groups import group_column

        known = schemes()
        asked = request.options.get("groups")
        on, column = next(
            (
                (self._on_named(name), group_column(asked, of_data))
                for name, of_data in self.group_columns
                if group_column(asked, of_data) is not None
            ),
            ("", None),
        )
        if column is None:
            return False
        named = asked is not None
        on = "" if named else on
        why = known[request.scheme].refuses.get("groups")
        if why is not None:
            at = place + ("groups",) if named else place + ("scheme",)
            honour = [name for name, info in known.items() if info.groups]
            message = f"{request.scheme} cannot honour groups ({quoted(column)}): {why}"
            without = "no groups here" if named else "groups: false here"
            self._fault(at, on + message, f"{without}, or {alternatives(honour)}")
            return True
        if request.options.get("stratify"):
            message = (
                f"stratify cannot be combined with groups ({quoted(column)}): records of a group "
                "may belong to several classes"
            )
            remedy = "one of the two" if named else "no stratify, or groups: false here"
            self._fault(place + ("stratify",), on + message, remedy)
            return True
        return False

    def _partitions_of_file(
        self, request: SchemeRequest, place: Place, sets: list[Any]
    ) -> Optional[list[_Available]]:
        from cvinfer.data.splits_file import read_splits
        from cvinfer.partitions import PartitionError
        from cvinfer.data.groups import group_column, refuse_cut_groups

        file = self.base / str(request.options["path"])
        found: list[list[_Available]] = []
        for data in sets:
            column = group_column(request.options.get("groups"), data.group_column)
            try:
                partitions = read_splits(file, data.n)
                for partition in partitions:
                    refuse_cut_groups(partition, data, column)
                found.append(_available_of(partitions))
            except PartitionError as error:
                remedy = "splits that keep them together, or groups: false here"
                self._fault(place + ("path",), self._on(data) + str(error), remedy)
                return None
            except CvinferError as error:
                refusal = error if isinstance(error, Refusal) else Refusal(str(error))
                inner = tuple(refusal.path or ())
                tail = inner if inner[:1] == ("path",) else ("path",)
                # The message names the file as the spec does, not where it lies on this machine.
                text = refusal.message.replace(str(file), str(request.options["path"]))
                there = f"the file has: {refusal.there}" if refusal.there else None
                meant = refusal.suggestion
                self._fault(place + tail, text, refusal.allowed, meant, there=there)
                return None
            except OSError as error:
                reason = error.strerror or error
                self._fault(place + ("path",), f"cannot be read: {reason}")
                return None
        return _common(found) if found else None

    def _on(self, data: Any) -> str:
        return self._on_named(data.name)

    def _on_named(self, name: str) -> str:
        """Which data set a fault is about, where there are several."""
        given = self.value.get("data")
        several = isinstance(given, list) and len(given) > 1
        return f"on data set {quoted(name)}: " if several else ""

    # --- tests and intervals ----------------------------------------------------------------------

    def _requests(
        self,
        key: str,
        known: Mapping[str, Procedure],
        recommended: Sequence[str],
        available: Optional[list[_Available]],
    ) -> Optional[list[tuple[TestRequest, Place]]]:
        """The tests (or intervals) asked for, with the places of their names."""
        if (key,) in self.bad:
            return None
        given = self._given_requests(key)
        if given in ("recommended", "all"):
            # What is recommended comes first, and so decides where the spec does not say which.
            names = [*recommended, *(name for name in known if name not in recommended)]
            names = names if given == "all" else list(recommended)
            if given == "recommended" and key == "tests" and available is not None:
                best = recommended_on(available, self._valid(available))
                names = names if best is None else [best.name]
            if given == "all" and available is not None:
                names = [
                    name
                    for name in names
                    if self._lacking(known[name], available) is None
                    and _is_meant_for(known[name], available)
                ]
                if not names:
                    offered = listed(available)
                    self._fault((key,), f"no {key[:-1]} is valid on the partition {offered}")
            if given == "all" and key == "tests" and available is not None:
                best = recommended_on(available, [known[name] for name in names])
                names.sort(key=lambda name: best is None or name != best.name)
            return [(TestRequest(name), (key,)) for name in names]
        found: list[tuple[TestRequest, Place]] = []
        for index, entry in enumerate(given):
            place: Place = (key, index)
            if not self._fine(place):
                continue
            request = self._request(key[:-1], known, entry, place)
            if request is None:
                continue
            if any(request == other for other, _ in found):
                self._fault(place, f"{request.name} is there twice with the same options")
            else:
                found.append((request, place))
        return found

    def _valid(self, available: list[_Available]) -> list[Procedure]:
        """The tests that can be done on the partitions that are there."""
        return [test for test in tests().values() if self._lacking(test, available) is None]

    def _given_requests(self, key: str) -> Any:
        given = self.value.get(key)
        return DEFAULTS[key] if given is None else given

    def _request(
        self, kind: str, known: Mapping[str, Procedure], entry: Any, place: Place
    ) -> Optional[TestRequest]:
        name, inside = entry, place
        options: Mapping[str, Any] = {}
        if isinstance(entry, dict):
            ((name, given),) = entry.items()
            options, inside = given or {}, place + (name,)
        if name not in known:
            other = "interval" if kind == "test" else "test"
            other_names = intervals() if kind == "test" else tests()
            message = f"there is no {kind} {quoted(name)}"
            meant = close_match(name, known)
            if name in other_names:
                message, meant = f"{name} is an {other}; it goes under {other}s", None
                message = message if other == "interval" else message.replace("an test", "a test")
            self._fault(inside, message, listed(known), meant, key=inside != place)
            return None
        fine = self._options(known[name], options, inside)
        given = option_checks.beyond_defaults(known[name], options) if fine else {}
        return TestRequest(name, MappingProxyType(given)) if fine else None

    def _options(self, declared: Procedure, options: Mapping[str, Any], place: Place) -> bool:
        known = option_checks.options_of(declared)
        before = len(self.document.faults)
        for name, value in options.items():
            at = place + (name,)
            if name not in known:
                if name == "alpha":
                    message = "alpha is a key of the spec itself, the same for all"
                else:
                    message = f"{declared.name} has no option {quoted(name)}"
                allowed = listed(known) if known else "no options"
                self._fault(at, message, allowed, close_match(name, known), key=True)
                continue
            wanted = option_checks.type_fault(known[name], value)
            if wanted is not None:
                self._fault(at, f"{describe(value)} is of the wrong type", wanted)
                continue
            refusal = option_checks.value_fault(declared, {name: value})
            if refusal is not None:
                self._fault(at, refusal)
        if options and len(self.document.faults) == before:
            refusal = option_checks.value_fault(declared, options)
            if refusal is not None:
                self._fault(place, refusal)
        return len(self.document.faults) == before

    # --- which test decides -----------------------------------------------------------------------

    def _primary(self, chosen: Optional[list[tuple[TestRequest, Place]]]) -> Optional[str]:
        """The test that decides: the one that is named, else the first."""
        given = self._or_default("primary")
        if chosen is None or not self._fine(("primary",)):
            return None
        names = list(dict.fromkeys(request.name for request, _ in chosen))
        if given is None:
            return names[0] if names else None
        if given in names:
            return str(given)
        if given in map(_request_name, self._given_requests("tests")):
            return None  # it was asked for wrongly, which has its own fault
        message, meant = f"there is no test {quoted(given)}", close_match(given, names or tests())
        if given in tests():
            message, meant = f"{given} is not among the tests; add it there, or name another", None
        allowed = listed(names) if names else "no primary, where there are no tests"
        self._fault(("primary",), message, allowed, meant)
        return None

    def _margin(self, primary: Optional[str]) -> Optional[float]:
        margin = self._or_default("margin")
        if margin is None or primary is None:
            return None
        declared = tests()[primary]
        if not declared.has_interval:
            message = f"equivalence is read off an interval, and {primary}, which decides, has none"
            others = [name for name, test in tests().items() if test.has_interval]
            self._fault(("margin",), message, f"with one of {listed(others)} as primary")
        elif self._or_default("alpha") >= 0.5:
            message = "equivalence is read off the interval of level 1 - 2 alpha; there is none"
            self._fault(("margin",), message, "with an alpha below 0.5")
        return float(margin)

    def _something_to_do(
        self,
        learners: Optional[dict[str, "LearnerSpec"]],
        chosen_tests: Optional[list[Any]],
        chosen_intervals: Optional[list[Any]],
    ) -> None:
        if chosen_tests == [] and chosen_intervals == [] and not self.document.faults:
            message = "there are neither tests nor intervals"
            self._fault(("tests",), message, "at least one test or interval", key=True)
        # An empty mapping has its fault already.
        if learners is not None and len(learners) == 1 and chosen_tests:
            where: Place = ("learners",) if "learners" in self.value else ("data",)
            message = f"there is one learner only, {quoted(next(iter(learners)))}"
            self._fault(where, message, "at least two, to be compared", key=True)

    # --- tests against partitions and data --------------------------------------------------------

    def _fit_the_data(
        self,
        places: list[Place],
        chosen_tests: Optional[list[tuple[TestRequest, Place]]],
        chosen_intervals: Optional[list[tuple[TestRequest, Place]]],
        partition: Optional[tuple[SchemeRequest, ...]],
        available: Optional[list[_Available]],
    ) -> None:
        every = [*(chosen_tests or []), *(chosen_intervals or [])]
        known = {**tests(), **intervals()}
        if available is not None:
            self._valid_on(available, [(known[r.name], place) for r, place in every])
        elif partition is None and self._fine(("partition",)):
            chosen = [(known[request.name], place) for request, place in every]
            self._groups_kept(chosen)
            for declared, place in chosen:
                self._enough_records(declared, place)

    def _valid_on(self, available: list[_Available], chosen: list[tuple[Procedure, Place]]) -> None:
        unmet: dict[Place, list[Procedure]] = {}
        for declared, place in chosen:
            if self._lacking(declared, available) is not None:
                unmet.setdefault(place, []).append(declared)
        offered = listed(available) or "none"
        for place, declared_there in unmet.items():
            names = listed(each.name for each in declared_there)
            needs = [
                _need_text(need) + (" twice" if suitable(need, available) else "")
                for each in declared_there
                for need in self._lacking(each, available) or ()
            ]
            wanted = listed(dict.fromkeys(needs))
            verb = "needs" if len(declared_there) == 1 else "need"
            known = intervals() if declared_there[0].kind == "interval" else tests()
            valid = [n for n, p in known.items() if self._lacking(p, available) is None]
            where, shown = self._where(place)
            message = f"{names} {verb} the scheme {wanted}; the partition has {offered}"
            allowed = f"on that partition {listed(valid)}" if valid else "partition: auto"
            self._fault(where, message, allowed, shown=shown)

    def _lacking(self, declared: Procedure, available: list[_Available]) -> Optional[list[Need]]:
        # Folds of its own for a learner can be drawn, but not where nothing is fitted.
        return lacking(declared, available, drawn=not any(map(_is_predictions, self.data)))

    def _where(self, place: Place) -> tuple[Place, Place]:
        """Where to point to and which path to name: what was left out is missed elsewhere."""
        if place[0] in self.value:
            return place, place
        return (("partition",) if "partition" in self.value else ("data",)), place

    def _groups_kept(self, chosen: list[tuple[Procedure, Place]]) -> None:
        """Refuse procedures whose scheme would cut the groups of the data, by name."""
        from cvinfer.partitions import schemes

        grouped = [each for each in self.group_columns if each[1] is not None]
        refuses = {name: info.refuses.get("groups") for name, info in schemes().items()}
        places: dict[Place, list[Procedure]] = {}
        for declared, place in chosen if grouped else ():
            if any(refuses[need.scheme] for need in _planned(declared)):
                places.setdefault(place, []).append(declared)
        for place, cutting in places.items():
            names = listed(each.name for each in cutting)
            cut_by = dict.fromkeys(need.scheme for each in cutting for need in _planned(each))
            reasons = [f"{name}, where {refuses[name]}" for name in cut_by if refuses[name]]
            known = intervals() if cutting[0].kind == "interval" else tests()
            valid = [
                name
                for name, each in known.items()
                if not any(refuses[need.scheme] for need in _planned(each))
            ]
            needs = "it needs" if len(cutting) == 1 else "they need"
            name, column = grouped[0]
            where, shown = self._where(place)
            message = (
                f"{names} cannot honour groups ({quoted(column)}): {needs} {', and '.join(reasons)}"
            )
            self._fault(where, self._on_named(name) + message, listed(valid), shown=shown)

    def _enough_records(self, declared: Procedure, place: Place) -> None:
        from cvinfer.partitions import PartitionError, make_partition, schemes

        known = schemes()
        for each in _planned(declared):
            if not self._fits_at_most(each.scheme, each.options, self._where(place)[0]):
                return
        for data in self.data:
            if data is None or _is_predictions(data):
                continue
            for need in dict.fromkeys(map(_hashable, _planned(declared))):
                n, grouped = min(data.n, _ENOUGH_RECORDS), {}
                if data.groups is not None:
                    n, grouped = data.n, {"groups": data.groups}
                    if not known[need[0]].groups:
                        continue  # told already
                try:
                    make_partition(need[0], n, seed=self.seed, **dict(need[1]), **grouped)
                except PartitionError as error:
                    where, shown = self._where(place)
                    message = f"{self._on(data)}{declared.name} does not fit: {error}"
                    self._fault(where, message, shown=shown)
                    break

    def _positive_of_all(self) -> Optional[str]:
        given = self._or_default("positive")
        return None if given is None else str(given)

    def _positive(self, entries: list[dict[str, Any]], places: list[Place]) -> None:
        """The positive class of each data set, its own or the spec's, against its classes."""
        for entry, place, data in zip(entries, places, self.data):
            own = entry.get("positive")
            positive = self._positive_of_all() if own is None else own
            where = ("positive",) if own is None else place + ("positive",)
            if data is None or positive is None or not self._fine(where):
                continue
            if positive not in data.classes:
                message = f"{self._on(data)}there is no class {quoted(positive)}"
                meant = close_match(positive, data.classes)
                there = f"the data has: {listed(data.classes)}"
                self._fault(where, message, None, meant, there=there)


# --- pieces ---------------------------------------------------------------------------------------


def _given(mapping: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in (mapping or {}).items() if value is not None}


def _unusable(name: str) -> Optional[str]:
    """Why a name cannot be that of a directory on every system."""
    if name in (".", "..") or not name.strip():
        return "is not a name"
    wrong = _NOT_IN_NAMES.search(name)
    if wrong:
        return f"has the character {wrong.group()!r} in it"
    if name != name.strip() or name.endswith("."):
        return "begins or ends with a space or ends with a full stop"
    if name.startswith("-"):
        return "begins with a hyphen"
    if len(name.encode()) > _LONGEST_NAME:
        return f"is longer than {_LONGEST_NAME} bytes"
    if _WINDOWS_DEVICES.fullmatch(name):
        return "is the name of a device on Windows"
    return None


def _data_name(entry: Mapping[str, Any]) -> str:
    """What a data set is called where its entry does not say."""
    for key in ("dataset", "population"):
        if isinstance(entry.get(key), str):
            return str(entry[key])
    if isinstance(entry.get("path"), str):
        return PurePosixPath(entry["path"].replace("\\", "/")).name.split(".")[0] or "data"
    if isinstance(entry.get("id"), int):
        return f"openml-{entry['id']}"
    return str(entry.get("source", "data"))


def _is_predictions_entry(entry: Mapping[str, Any]) -> bool:
    return entry.get("source") == "predictions"


def _is_predictions(data: Any) -> bool:
    return data is not None and bool(data.made_elsewhere)


def _learner(name: str, entry: Mapping[str, Any]) -> "LearnerSpec":
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


def _takes_flags(entry: Mapping[str, Any]) -> bool:
    from cvinfer.engines import engines

    engine = engines().get(str(entry.get("engine")))
    return engine is not None and engine.takes_flags


def _request_name(entry: Any) -> Any:
    """The name in an entry of `tests`: the entry itself, or its key where it has options."""
    return next(iter(entry), None) if isinstance(entry, dict) else entry


def _only(mapping: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    ((name, params),) = mapping.items()
    return name, params or {}


def _placed_pairs(given: Any) -> list[tuple[tuple[str, str], Place]]:
    if isinstance(given, dict):
        return [
            ((a, b), ("compare", "against", index))
            for a, (index, b) in product(given["each"], enumerate(given["against"]))
        ]
    if isinstance(given[0], str):
        return [((given[0], given[1]), ("compare",))]
    return [((pair[0], pair[1]), ("compare", index)) for index, pair in enumerate(given)]


def _placed_names(given: Any) -> Iterable[tuple[str, Place]]:
    if isinstance(given, dict):
        for side in ("each", "against"):
            yield from ((name, ("compare", side, i)) for i, name in enumerate(given[side]))
    elif isinstance(given[0], str):
        yield from ((name, ("compare", i)) for i, name in enumerate(given))
    else:
        for i, pair in enumerate(given):
            yield from ((name, ("compare", i, j)) for j, name in enumerate(pair))


def _available_of(partitions: Iterable[Any]) -> list[_Available]:
    return [_Available(partition.scheme, dict(partition.options)) for partition in partitions]


def _common(per_data_set: list[list[_Available]]) -> list[_Available]:
    """The partitions that every data set has."""
    first, *others = per_data_set
    return [each for each in first if all(each in other for other in others)]


def _placed_schemes(given: Any) -> list[tuple[dict[str, Any], Place]]:
    """The entries of `partition`, each as a mapping with `scheme`, and their places."""
    many = isinstance(given, list)
    return [
        (
            dict(entry) if isinstance(entry, dict) else {"scheme": entry},
            ("partition", index) if many else ("partition",),
        )
        for index, entry in enumerate(given if many else [given])
    ]


def _off(groups: Any) -> bool:
    """Whether `groups` of a partition switches the groups of the data off."""
    return isinstance(groups, str) and groups.lower() == "false"


def _planned(declared: Procedure) -> tuple[Need, ...]:
    """The schemes that a procedure gets under `partition: auto`."""
    return declared.needs if declared.kind == "test" else declared.needs[:1]


def _is_meant_for(declared: Procedure, available: list[_Available]) -> bool:
    """Whether the schemes are there that a test is made for, not only ones it takes when asked."""
    schemes = {each.scheme for each in available}
    return any(need.scheme in schemes for need in declared.needs)


def _need_text(need: Need) -> str:
    """The scheme with the options that it must have."""
    fixed = ", ".join(f"{name}={need.options[name]}" for name in need.fixed)
    return f"{need.scheme}({fixed})" if fixed else need.scheme


def _hashable(need: Need) -> tuple[str, tuple[tuple[str, Any], ...]]:
    return need.scheme, tuple(need.options.items())


def _option_in(message: str, options: Mapping[str, Any], place: Place) -> Place:
    """The option that a scheme complains of, where its message begins with its name."""
    word = re.match(r"\w+", message)
    if word and word.group() in options:
        return place + (word.group(),)
    if " group(s) " in message and "groups" in options:
        return place + ("groups",)
    return place + ("stratify",) if "stratify" in message else place
