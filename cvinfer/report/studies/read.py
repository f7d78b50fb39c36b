"""A study's document as tables and plots ask for it: cells by kind, grid points, names in words."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence

from cvinfer.analysis.words import for_any_measure, is_rate, MINUS, NONE, settings, title
from cvinfer.documents import JsonObject
from cvinfer.foreign import cut

#: A rate is beyond a level by more than chance where it is so many standard errors away: with
#: dozens of cells in a table, two of them would be met by chance alone.
CHANCE = 3.0
#: A true difference counts as none where it is no more than so many standard errors away from it.
SAME = 2.0
#: Characters of a value of the grid or of a name that is shown.
LONGEST_VALUE = 40

#: Names of quantities as one writes them.
QUANTITIES = {
    "sigma1_sq": "σ₁²",
    "sigma2_sq": "σ₂²",
    "sigma3_sq": "σ₃²",
    "rho": "ρ",
    "rho1": "ρ₁",
    "rho2": "ρ₂",
    "variance": "variance",
    "l": "L estimator",
    "al": "AL estimator",
    "var_e": "Var[E]",
    "political_ratio": "political ratio",
    "replicability": "replicability",
    "true_loss": "true loss",
    "true_value": "true value",
    "true_difference": "true difference",
    "true_f1": "true F1",
    "match": "matched value",
}

#: Digits and sign as exponents.
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Point = Mapping[str, Any]
Cells = Sequence[JsonObject]


class Who(NamedTuple):
    """What a cell is about: a learner, a pair of them, or neither."""

    a: Optional[str]
    b: Optional[str]

    def __str__(self) -> str:
        if self.a is None:
            return ""
        return self.a if self.b is None else f"{self.a} {MINUS} {self.b}"


@dataclass(frozen=True)
class Study:
    """A view of a document; nothing in it is changed."""

    document: JsonObject

    @cached_property
    def cells(self) -> Cells:
        return list(self.document["cells"])

    def of_kind(self, kind: str) -> Cells:
        return [cell for cell in self.cells if cell["kind"] == kind]

    @cached_property
    def tests(self) -> Cells:
        return self.of_kind("test")

    @cached_property
    def intervals(self) -> Cells:
        return self.of_kind("interval")

    @cached_property
    def quantities(self) -> Cells:
        return self.of_kind("quantity")

    @cached_property
    def keys(self) -> list[str]:
        """Paths that take more than one value, in the order of the grid."""
        grid = self.document["study"].get("grid") or {}
        seen: dict[str, set[str]] = {key: set() for key in grid}
        for cell in self.cells:
            for key, value in cell["at"].items():
                seen.setdefault(key, set()).add(identity(value))
        return [key for key, values in seen.items() if len(values) > 1]

    def values(self, key: str, cells: Optional[Cells] = None) -> list[Any]:
        """The values of a path: numbers in their order, others as they come."""
        found: dict[str, Any] = {}
        for cell in self.cells if cells is None else cells:
            if key in cell["at"]:
                found.setdefault(identity(cell["at"][key]), cell["at"][key])
        values = list(found.values())
        return sorted(values) if all(map(is_number, values)) else values

    def points(self, cells: Cells) -> list[Point]:
        """The grid points of some cells: the first key changes slowest."""
        found = {identity(cell["at"]): cell["at"] for cell in cells}
        places = {
            key: {identity(value): at for at, value in enumerate(self.values(key))}
            for key in self.keys
        }

        def place(at: Point) -> list[int]:
            return [places[key][identity(at[key])] if key in at else -1 for key in self.keys]

        return sorted(found.values(), key=place)

    def short(self, key: str) -> str:
        """The end of a path that tells it from the other keys: v of learners.FNN.params.v.

        A place in a list says nothing alone: tests.0 stays whole.
        """
        parts = key.split(".")
        for size in range(1, len(parts)):
            end = ".".join(parts[-size:])
            shared = any(f".{other}".endswith(f".{end}") for other in self.keys if other != key)
            if not shared and not parts[-size].isdigit():
                return end
        return key

    def point_text(self, at: Point, keys: Optional[Iterable[str]] = None) -> str:
        """v = 10, n = 300; nothing where there is no grid."""
        wanted = self.keys if keys is None else keys
        said = (f"{self.short(key)} = {value_text(at[key])}" for key in wanted if key in at)
        return ", ".join(said)

    @cached_property
    def pairs(self) -> list[Who]:
        return list(dict.fromkeys(who(cell) for cell in self.tests))

    @cached_property
    def _test_options(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for cell in (*self.tests, *self.intervals):
            found.setdefault(cell["name"], set()).add(identity(cell.get("options") or {}))
        return found

    def test_text(self, cell: JsonObject) -> str:
        """A test's or interval's name in words, with its options where two share the name."""
        name = title(cell["name"])
        twice = len(self._test_options[cell["name"]]) > 1 and cell.get("options")
        name = f"{name} ({settings(cell['options'])})" if twice else name
        # The name of an interval that is for one measure alone says what it is of.
        own = cell["kind"] == "interval" and not for_any_measure(cell["name"])
        return f"{name}, {cell['measure']}" if cell.get("measure") and not own else name

    @cached_property
    def _true_differences(self) -> dict[tuple[str, Who, Optional[str]], JsonObject]:
        return {
            (identity(cell["at"]), who(cell), _other_measure(cell)): cell
            for cell in self.quantities
            if cell["name"] == "true_difference"
        }

    def null_holds(self, cell: JsonObject) -> Optional[bool]:
        """Whether H0 of a test is true, as far as the study's own truth tells; None: unknown."""
        claimed = cell.get("mu0") or 0.0
        if claimed == "truth":
            return True
        truth = self._true_differences.get((identity(cell["at"]), who(cell), _other_measure(cell)))
        if truth is None or truth["value"] is None or not is_number(claimed):
            return None
        return bool(abs(truth["value"] - claimed) <= SAME * (truth["se"] or 0.0))


def _other_measure(cell: JsonObject) -> Optional[str]:
    """The measure of a cell that is of another one than wrong predictions."""
    measure = cell.get("measure")
    return None if measure is None or is_rate(measure) else str(measure)


def beyond(cell: JsonObject, level: float) -> float:
    """By how many standard errors of a rate at `level` a cell's rate exceeds it; 0 without one."""
    # Of several partitions of a data set too: no more can be sure than that the sets differ.
    reached = cell["replications"] - cell["failed"]
    if cell["rate"] is None or reached <= 0 or not 0 < level < 1:
        return 0.0
    return float((cell["rate"] - level) / math.sqrt(level * (1 - level) / reached))


def who(cell: JsonObject) -> Who:
    if cell.get("learner") is not None:
        return Who(cell["learner"], None)
    return Who(cell.get("a"), cell.get("b"))


def identity(value: Any) -> str:
    """A text that two values share where they are equal, so that they can be looked up."""
    return json.dumps(value, sort_keys=True, default=str)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def value_text(value: Any) -> str:
    """A value of the grid: numbers without more digits than they have."""
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", MINUS)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(" ".join(text.split()) or '""', LONGEST_VALUE)


def quantity_text(name: str) -> str:
    return QUANTITIES.get(name, title(name))


def of_text(cell: JsonObject) -> str:
    """What a quantity is of, in words; that of a pair of learners is a difference anyway."""
    of = cell.get("of")
    if of is None or (of == "difference" and cell.get("b") is not None):
        return ""
    return str(of) if "." in of else title(of)


def percent_text(share: Optional[float], replications: int) -> str:
    """A share in per cent, with as many digits as so many replications can tell."""
    if share is None:
        return NONE
    return f"{100 * share:.{2 if replications >= 10_000 else 1}f}"


def rate_text(cell: JsonObject) -> str:
    """14.2 [12.2, 16.5]: a rate in per cent with its Wilson interval."""
    if cell["rate"] is None:
        return NONE
    rate, lower, upper = (
        percent_text(cell[key], cell["replications"]) for key in ("rate", "lower", "upper")
    )
    return f"{rate} [{lower}, {upper}]"


def value_se_text(value: Optional[float], se: Optional[float]) -> str:
    """A number with its standard error, both to the second digit of the error."""
    if value is None:
        return NONE
    if not se:
        return f"{value:.4g}".replace("-", MINUS)
    decimals = max(1 - math.floor(math.log10(se)), 0)
    power = 0
    if decimals > 5:
        power = math.floor(math.log10(max(abs(value), se)))
        value, se, decimals = value * 10.0**-power, se * 10.0**-power, max(decimals + power, 0)
    text = f"{value:.{decimals}f} ± {se:.{decimals}f}".replace("-", MINUS)
    return f"{text} ·10{str(power).translate(RAISED)}" if power else text
