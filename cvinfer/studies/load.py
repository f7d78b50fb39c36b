"""From a file, or a mapping, to a `Study`: every point of its grid is checked like a comparison.

A point is the spec with the values of the grid put in at their paths and the population in the
place of `data`. Whatever is wrong there is told at the line that it came from.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from cvinfer import limits
from cvinfer.data.dataset import Column, Dataset
from cvinfer.data.given import GIVEN
from cvinfer.data.populations import populations
from cvinfer.documents import JsonObject
from cvinfer.errors import Path as Place
from cvinfer.errors import UserError, listed
from cvinfer.execute.replications.recipe import Law, Recipe, Truth, draw
from cvinfer.limits import shown_count
from cvinfer.names import close_match
from cvinfer.spec import SpecError
from cvinfer.spec.faults import Fault, in_order, path_text
from cvinfer.spec.load import Source, is_study, known_way, open_document, put
from cvinfer.spec.model import Spec
from cvinfer.spec.shape import check_shape, quoted
from cvinfer.spec.text import Document
from cvinfer.spec.vocabulary import study_rules
from cvinfer.studies.model import DEFAULTS, MU0_TRUTH, Point, Sought, Study, rounded

#: More points than this are no study that anybody could read.
MAX_POINTS = 10_000
#: The loss that a study can count, as yet.
LOSS = "zero_one"
#: Where the population of a study stands, and where a comparison has its data.
POPULATION: Place = ("study", "population")
DATA: Place = ("data",)
#: What a grid cannot change: there is one of each for all points, or for the file.
SAME: tuple[Place, ...] = (
    ("cvinfer",),
    ("name",),
    ("output",),
    ("limits",),
    ("study", "replications"),
    ("study", "grid"),
    ("study", "match"),
    ("study", "ties"),
    ("study", "variances"),
    ("study", "distributions"),
)
#: Losses that a population brings are drawn for many replications at once: so many records at most.
MOST_LOSSES = 100_000
#: The learners of a population that brings their losses itself.
OUTCOME_LEARNERS = ("A", "B")


class Reading(NamedTuple):
    """A study, or None where there are faults."""

    study: Optional[Study]
    faults: list[Fault]


def load_study(
    source: Source,
    overrides: Iterable[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
) -> Study:
    """The study in a file or in a mapping; raises `SpecError` with all faults."""
    study, faults = read_study(source, overrides, allow_code, base)
    if study is None:
        raise SpecError(faults)
    return study


def read_study(
    source: Source,
    overrides: Iterable[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
) -> Reading:
    """The study and all its faults; raises nothing for what a user can get wrong."""
    document, base, name = open_document(source, overrides, allow_code, base)
    if base is None:
        return Reading(None, in_order(document.faults))
    if not is_study(document):
        message = "this is no study: it has no section study; cvinfer run is for one comparison"
        document.add((), message)
        return Reading(None, in_order(document.faults))
    study = _Reader(document, base, name, allow_code).read()
    faults = in_order(dict.fromkeys(document.faults))
    return Reading(None if faults else study, faults)


@dataclass
class _Reader:
    document: Document
    base: Path
    name: str
    allow_code: bool

    def read(self) -> Optional[Study]:
        document = self.document
        if "data" in document.value:
            document.add(DATA, "a study has no data: it draws them", "study.population", key=True)
        check_shape(_part(document, "study"), study_rules())
        if not document.faults and "population" not in document.value["study"]:
            place: Place = ("study", "population")
            document.add(("study",), "is missing", "what is drawn from", shown=place)
        if document.faults:
            return None
        section = {**DEFAULTS, **document.value["study"]}
        if self._too_many(section):
            return None
        found = self._points(section)
        if found is None or document.faults:
            return None
        if self._too_much_work(section, found):
            return None
        match = tuple(self._sought(section, found[0].spec))
        if document.faults or not all([self._can_be_set(one) for one in match]):
            return None
        return self._study(section, found, match)

    def _study(
        self, section: JsonObject, points: Sequence[Point], match: tuple[Sought, ...]
    ) -> Study:
        first = points[0].spec
        written = _plain({**section, "population": self.document.value["study"]["population"]})
        mu0 = {
            request.name: None
            for point in points
            for request in point.spec.tests
            if request.options.get("mu0") == MU0_TRUTH
        }
        if written["match"]:
            # What is found depends on it, so that it is one of the settings.
            counts = {one.path: one.replications for one in match}
            written["match"] = {
                key: {**asked, "replications": counts[key]}
                for key, asked in written["match"].items()
            }
        resolved = first.resolved()
        del resolved["data"]
        return Study(
            name=first.name,
            written=written,
            points=tuple(points),
            replications=int(section["replications"]),
            ties=str(section["ties"]),
            variances=bool(section["variances"]),
            distributions=bool(section["distributions"]),
            seed=first.seed,
            match=match,
            mu0_truth=tuple(mu0),
            resolved=resolved,
        )

    # --- the grid ---------------------------------------------------------------------------------

    def _too_many(self, section: JsonObject) -> bool:
        """Whether the grid has more points than anybody could want; told before any is made."""
        grid = section["grid"]
        count = math.prod(len(values) for values in grid.values())
        if count <= MAX_POINTS:
            return False
        largest = max(grid, key=lambda key: len(grid[key]))
        message = f"the grid has {shown_count(count)} points"
        self.document.add(("study", "grid", largest), message, f"at most {MAX_POINTS:,}", key=True)
        return True

    def _points(self, section: JsonObject) -> Optional[list[Point]]:
        grid: Mapping[str, Sequence[Any]] = section["grid"]
        if not self._apart(grid) or not all([self._known_path(key) for key in grid]):
            return None
        populations_read: dict[str, Optional[Dataset]] = {}
        found: list[Point] = []
        for numbers in itertools.product(*(range(len(values)) for values in grid.values())):
            chosen = dict(zip(grid, numbers))
            document = self._at(chosen)
            if document is None:
                return None
            at = {key: grid[key][number] for key, number in chosen.items()}
            point = self._point(document, at, populations_read)
            if point is None:
                self._told_from(document)
                # What is wrong at one point is likely wrong at many.
                return None
            found.append(point)
        return found

    def _known_path(self, key: str) -> bool:
        """Whether a path leads into the spec; what stands at its end may be left to a default."""
        path, left = known_way(self.document.value, key)
        place: Place = ("study", "grid", key)
        known: Iterable[str]
        if not path:
            from cvinfer.schemas import schema

            known = [each for each in schema("spec")["properties"] if each != "data"]
            if left and left[0] in known:
                return True
            message = f"{quoted(key)} is no path of this spec"
            meant = close_match(left[0] if left else key, known)
            begins = f"a path that begins with {listed(known)}"
            self.document.add(place, message, begins, meant, key=True)
            return False
        if path == ("learners",) and left:
            known = list(self.document.value["learners"])
            message = f"there is no learner {quoted(left[0])}"
            self.document.add(place, message, listed(known), close_match(left[0], known), key=True)
            return False
        return True

    def _apart(self, grid: Mapping[str, Sequence[Any]]) -> bool:
        """Whether the paths and values of a grid are all different, and may be."""
        ways = {key: _way(self.document.value, key) for key in grid}
        for number, key in enumerate(grid):
            place: Place = ("study", "grid", key)
            way = ways[key]
            same = next((each for each in SAME if way[: len(each)] == each), None)
            if way == ("study",) or same is not None:
                message = f"{path_text(same or way)} is the same at all points"
                self.document.add(place, message, key=True)
            for other in list(grid)[:number]:
                length = min(len(way), len(ways[other]))
                if way[:length] == ways[other][:length]:
                    message = f"{quoted(other)} sets this, too"
                    self.document.add(place, message, "one of the two", key=True)
            known: list[Any] = []
            for at, value in enumerate(grid[key]):
                if value in known:
                    message = f"value {known.index(value) + 1} of the list is the same"
                    self.document.add(place + (at,), message, "every point once")
                known.append(value)
        return not self.document.faults

    def _at(self, chosen: Mapping[str, int]) -> Optional[Document]:
        """The spec with the chosen values of the grid in their places."""
        document = Document(
            self.document.file,
            copy.deepcopy(self.document.value),
            dict(self.document.places),
            dict(self.document.written),
        )
        for key, number in chosen.items():
            lost = put(document, key, _value_at(self.document, ("study", "grid", key, number)))
            if lost is not None:
                self.document.add(("study", "grid", key), lost, key=True)
                return None
        return document

    def _told_from(self, document: Document) -> None:
        """The faults of a point, in the words of the study."""
        for fault in document.faults:
            path = fault.path
            if path == "data" or path.startswith(("data.", "data[")):
                path = path_text(POPULATION) + path[len("data") :]
            self.document.faults.append(fault._replace(path=path))

    # --- one point --------------------------------------------------------------------------------

    def _point(
        self, document: Document, at: JsonObject, read: dict[str, Optional[Dataset]]
    ) -> Optional[Point]:
        section = {**DEFAULTS, **document.value["study"]}
        if check_shape(_part(document, "study"), study_rules()) or document.faults:
            return None
        entry = section["population"]
        law = _law(entry)
        comparison = _as_comparison(document)
        if law is not None and populations[law.name].losses is not None:
            return self._of_outcomes(document, comparison, law, section, at)
        draws = section["draw"] or {}
        n = None if draws.get("n") is None else int(draws["n"])
        if law is not None:
            if n is not None and "n" in entry:
                document.add(POPULATION + ("n",), "draw has n already", "one of the two", key=True)
                return None
            n = entry.get("n") if n is None else n
        if n is not None:
            # There is a feature at the least; how many there are is known when they are drawn.
            name = str(entry.get("source")) if law is None else law.name
            self._too_large(document, ("study", "draw", "n"), int(n), name, 1)
            if document.faults:
                return None
        key = json.dumps([entry, sorted(document.value.get("learners", {}))], default=str)
        if key not in read:
            read[key] = self._population(comparison, law, n)
            document.faults += comparison.faults
        population = read[key]
        if population is None:
            return None
        if law is not None and entry.get("n") is None and n is None:
            n = populations[law.name].n
        seed = document.value.get("seed")
        recipe = Recipe(
            population if law is None else law,
            n,
            bool(draws.get("replace", False)),
            seed if isinstance(seed, int) else 0,
            int(section["partitions"]),
            (),
        )
        if law is None and n is not None and n > population.n and not recipe.replace:
            message = f"{n:,} records cannot be drawn from {population.n:,}"
            document.add(("study", "draw", "n"), message, f"at most {population.n:,}, or replace")
            return None
        truth = self._truth(document, section, recipe, population)
        if document.faults:
            return None
        example = first_drawn(recipe, population)
        spec = self._checked(document, comparison, example)
        if spec is None:
            return None
        if not spec.loss_alone and not self._measured(document, section, spec):
            return None
        return Point(
            at, spec, recipe.population, n, recipe.replace, truth, recipe.partitions, example
        )

    def _measured(self, document: Document, section: JsonObject, spec: Spec) -> bool:
        """Whether what is asked for is there by other measures than wrong predictions."""
        place = ("measures",) if "measures" in document.value else ("loss",)
        told = f"is there by {LOSS} alone"
        if spec.loss != LOSS and all(each.name != LOSS for each in spec.measures):
            for key in ("match", "variances"):
                if section.get(key):
                    document.add(place, f"{key} of a study {told}", f"{LOSS} among the measures")
                    return False
        if any(b is None for _, b in spec.pairs):
            document.add(place, f"one learner against a number {told}", LOSS)
            return False
        if any(each.options.get("mu0") == MU0_TRUTH for each in spec.tests):
            document.add(place, f"mu0: truth {told}", LOSS)
            return False
        return True

    def _checked(
        self, document: Document, comparison: Document, example: Dataset
    ) -> Optional[Spec]:
        """The comparison at a point, checked on the data of the first replication."""
        from cvinfer.spec.check import check

        given = comparison.value.get("partition")
        entries = given if isinstance(given, list) else [given]
        named = [one.get("scheme") if isinstance(one, dict) else one for one in entries]
        for each in (GIVEN[one] for one in named if isinstance(one, str) and one in GIVEN):
            # Told before they are read: what they are does not matter.
            message = f"{each.title} belong to one data set, not to a study"
            document.add(("partition",), message)
            return None
        mu0 = _take_mu0(comparison)
        variances = bool(document.value["study"].get("variances"))
        if variances or comparison.value.get("intervals"):
            # What is asked for is there already: no test need be.
            comparison.value.setdefault("tests", [])
        idle = variances and not comparison.value["tests"]
        spec, _ = check(
            comparison, self.base, self.name, self.allow_code, [example], idle, one_learner=True
        )
        document.faults += comparison.faults
        if spec is None or document.faults:
            return None
        tests = [
            replace(one, options={**one.options, "mu0": MU0_TRUTH}) if one.name in mu0 else one
            for one in spec.tests
        ]
        return replace(spec, tests=tuple(tests))

    def _population(
        self, comparison: Document, law: Optional[Law], n: Optional[int]
    ) -> Optional[Dataset]:
        """The records of the population; for a law a sample: it shows whether it can be drawn."""
        from cvinfer.spec.check import read_data

        if law is not None:
            comparison.value["data"] = {**comparison.value["data"], "n": n or 2}
            if n is None:
                del comparison.value["data"]["n"]
        (found,) = read_data(comparison, self.base, self.allow_code) or (None,)
        if comparison.faults:
            return None
        if not isinstance(found, Dataset):
            allowed = "data that learners are fitted on"
            comparison.add(DATA, "a study cannot draw from this", allowed)
            return None
        return found

    def _of_outcomes(
        self,
        document: Document,
        comparison: Document,
        law: Law,
        section: JsonObject,
        at: JsonObject,
    ) -> Optional[Point]:
        """A point of a population that brings the losses of its two learners itself."""
        for key in ("learners", "compare", "intervals", "measures"):
            if key in document.value:
                message = f"the population {law.name} brings the losses of two learners itself"
                document.add((key,), message, f"no {key} here", key=True)
        for name in ("truth", "match"):
            if section[name] is not None:
                message = f"the population {law.name} has no learners to train"
                document.add(("study", name), message, f"no {name} here", key=True)
        if (section["draw"] or {}).get("replace"):
            message = f"the population {law.name} has no records to put back"
            document.add(("study", "draw", "replace"), message, key=True)
        if int(section["partitions"]) > 1:
            message = f"the losses of {law.name} are partitioned once a replication"
            document.add(("study", "partitions"), message, "1", key=True)
        if document.faults:
            return None
        entry = section["population"]
        n = (section["draw"] or {}).get("n", entry.get("n")) or populations[law.name].n
        if n > MOST_LOSSES:
            message = f"losses of {n:,} records are too many"
            document.add(("study", "draw", "n"), message, f"at most {MOST_LOSSES:,}")
            return None
        try:
            populations[law.name].check_losses(n, law.parameters)
        except UserError as error:
            path = POPULATION + tuple(error.path or ())
            document.add(path, error.message, error.allowed, error.suggestion)
            return None
        example = _stand_in(law, n)
        comparison.value["data"] = {"source": "synthetic", "population": law.name}
        comparison.value["learners"] = {
            name: {"engine": "builtin", "learner": "majority"} for name in OUTCOME_LEARNERS
        }
        comparison.value["compare"] = list(OUTCOME_LEARNERS)
        spec = self._checked(document, comparison, example)
        if spec is None:
            return None
        if not spec.loss_alone:
            document.add(("loss",), f"the population {law.name} brings 0/1 losses only", LOSS)
            return None
        for number, one in enumerate(spec.partition or ()):
            for key in ("stratify", "groups"):
                if one.options.get(key):
                    message = f"losses of {law.name} have no classes and no groups"
                    document.add(("partition",), message, f"no {key} here")
                    return None
        return Point(at, replace(spec, learners={}), law, n, False, None, 1, example)

    def _truth(
        self, document: Document, section: JsonObject, recipe: Recipe, population: Dataset
    ) -> Optional[Truth]:
        given = section["truth"]
        wanted = document.value.get("intervals") or section["match"]
        place: Place = ("study", "truth")
        if given is None:
            if wanted:
                what = "match" if section["match"] else "the coverage of intervals"
                message = f"is missing, and {what} needs the truth"
                document.add(("study",), message, "fresh: 5n or records: population", shown=place)
            return None
        if isinstance(recipe.population, Dataset):
            everything = recipe.n is None or (recipe.n == population.n and not recipe.replace)
            if everything:
                message = "every replication has all records, so that none is left"
                document.add(place, message, "draw with fewer records")
                return None
        if "fresh" in given:
            n = recipe.n or population.n
            asked = given["fresh"]
            fresh = int(asked[:-1]) * n if isinstance(asked, str) else int(asked)
            width = len(population.features)
            self._too_large(document, place + ("fresh",), fresh, population.name, width)
            return Truth(fresh)
        law = recipe.population if isinstance(recipe.population, Law) else None
        if law is not None and populations[law.name].census is None:
            message = f"the records of {law.name} cannot be counted"
            document.add(place + ("records",), message, "fresh: 5n, or a number")
        return Truth(None)

    def _too_large(self, document: Document, place: Place, n: int, name: str, width: int) -> None:
        """Refuse more records than may be read: a worker would have them all at once."""
        try:
            limits.room(n * (1 + width), f"{n:,} records of {name}", place)
        except UserError as error:
            document.add(place, error.message, error.allowed)

    # --- amounts ----------------------------------------------------------------------------------

    def _too_much_work(self, section: JsonObject, points: Sequence[Point]) -> bool:
        """Whether the study takes more fits than the limit allows, counted and not made."""
        from cvinfer.studies.plan import fits_of_replication

        most = limits.max_fits()
        total = int(section["replications"]) * sum(fits_of_replication(each) for each in points)
        if total <= most:
            return False
        message = f"the study takes {shown_count(total)} fits"
        allowed = f"at most {most:,} (--max-fits raises that)"
        self.document.add(("study", "replications"), message, allowed)
        return True

    def _sought(self, section: JsonObject, spec: Spec) -> Iterator[Sought]:
        for key, asked in (section["match"] or {}).items():
            place: Place = ("study", "match", key)
            path, left = known_way(self.document.value, key)
            steps = [*path, *left]
            if (
                steps[:1] != ["learners"]
                or len(path) < 2
                or steps[2:3] != ["params"]
                or len(steps) != 4
            ):
                message = f"{quoted(key)} is no parameter of a learner"
                self.document.add(place, message, "learners.NAME.params.KEY", key=True)
                continue
            if key in section["grid"]:
                message = "this path is in the grid, too"
                self.document.add(place, message, "one of the two", key=True)
            of, to = str(path[1]), asked["to"]
            low, high = asked["range"]
            if to not in spec.learners:
                meant = close_match(to, spec.learners)
                message = f"there is no learner {quoted(to)}"
                self.document.add(place + ("to",), message, listed(spec.learners), meant)
            elif to == of:
                self.document.add(place + ("to",), "a learner meets its own error at once")
            if not low < high:
                self.document.add(place + ("range",), f"{low} is not below {high}")
            count = int(asked.get("replications", section["replications"]))
            lambdas = tuple(float(each) for each in asked.get("lambda", (0.0,)))
            yield Sought(key, float(low), float(high), of, to, lambdas, count)

    def _can_be_set(self, sought: Sought) -> bool:
        """Whether the learner takes the parameter, with an end of its range and between them."""
        end: Place = ("study", "match", sought.path, "range", 0)
        as_written = _value_at(self.document, end)
        # The search asks for any number; a parameter that counts something would fail at a fit.
        between = sought.low + (sought.high - sought.low) / math.e
        within = Document(as_written.file, rounded(between), as_written.places)
        return all(self._takes(sought, value) for value in (as_written, within))

    def _takes(self, sought: Sought, value: Document) -> bool:
        document = self._at({key: 0 for key in self.document.value["study"].get("grid") or {}})
        assert document is not None
        lost = put(document, sought.path, value)
        if lost is not None:
            self.document.add(("study", "match", sought.path), lost, key=True)
        elif self._point(document, {}, {}) is None:
            self._told_from(document)
        return not self.document.faults


# --- documents ------------------------------------------------------------------------------------


def _part(document: Document, key: str) -> Document:
    """One section of a document; faults found in it are faults of the whole."""
    part = Document(document.file, {key: document.value.get(key)}, document.places)
    part.faults = document.faults
    part.written = document.written
    return part


def _way(written: JsonObject, key: str) -> Place:
    """The steps of a path, as far as it leads and beyond."""
    path, left = known_way(written, key)
    return (*path, *left)


def _value_at(document: Document, path: Place) -> Document:
    """A value with its places, as if it stood alone."""
    value: Any = document.value
    for part in path:
        value = value[part]
    inside = len(path)

    def below(table: Mapping[Place, Any]) -> dict[Place, Any]:
        return {each[inside:]: what for each, what in table.items() if each[:inside] == path}

    places = below(document.places)
    above = document.places.get(path[:-1]) or document.places.get(())
    if not places and above is not None:  # a study of plain values has no places at all
        places = {(): above}
    return Document(document.file, copy.deepcopy(value), places, below(document.written))


def _as_comparison(document: Document) -> Document:
    """The spec at a point, with its population in the place of `data`."""
    value = {key: each for key, each in document.value.items() if key != "study"}
    value["data"] = copy.deepcopy(document.value["study"]["population"])

    def moved(table: Mapping[Place, Any]) -> dict[Place, Any]:
        found = {path: what for path, what in table.items() if path[:1] != ("study",)}
        found.update(
            (DATA + path[len(POPULATION) :], what)
            for path, what in table.items()
            if path[: len(POPULATION)] == POPULATION
        )
        return found

    return Document(document.file, value, moved(document.places), moved(document.written))


def _take_mu0(comparison: Document) -> set[str]:
    """The tests whose mu0 is the truth, which a comparison does not know; it is taken out."""
    found = set()
    given = comparison.value.get("tests")
    for entry in given if isinstance(given, list) else ():
        for name, options in entry.items() if isinstance(entry, dict) else ():
            if isinstance(options, dict) and options.get("mu0") == MU0_TRUTH:
                options["mu0"] = 0.0  # any number will do for the checks
                found.add(str(name))
    return found


def _law(entry: Any) -> Optional[Law]:
    """The synthetic population of a data mapping, if it is one."""
    if not isinstance(entry, dict) or entry.get("source") != "synthetic":
        return None
    name = str(entry.get("population"))
    if name not in populations:
        return None
    known = populations[name].parameters
    return Law(name, {key: entry[key] for key in known if entry.get(key) is not None})


def first_drawn(recipe: Recipe, population: Dataset) -> Dataset:
    """The first replication as a data set with features, on which a point is checked."""
    drawn = draw(recipe, 1)
    if isinstance(recipe.population, Law):
        return replace(drawn.frame, source=population.source)
    features = tuple(column.take(drawn.records) for column in population.features)
    return replace(drawn.drawn, features=features)


def _stand_in(law: Law, n: int) -> Dataset:
    """A data set of n records for checks that ask for nothing but their number."""
    target = np.arange(n) % 2
    column = Column("x", "numeric", np.zeros(n))
    return Dataset(law.name, (column,), target, ("0", "1"), "y", f"outcomes of {law.name}")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
