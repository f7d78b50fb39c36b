"""How a table is to be set in a paper: the options of LaTeX, in a spec and on the command line."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.errors import UserError

#: Points in a unit of length.
POINTS = {"pt": 1.0, "in": 72.27, "cm": 72.27 / 2.54, "mm": 72.27 / 25.4}
_LENGTH = re.compile(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(POINTS)})\s*")
#: Narrower than this no table has room, and wider than this is no page.
NARROWEST, WIDEST = 180.0, 1500.0

#: Text width of LaTeX's article at 10 pt, and of its columns and both together in two columns.
ONE_COLUMN, OF_TWO, BOTH = 345.0, 229.5, 469.0
#: In a document of two columns, tables up to this width stand in one of them.
WIDEST_COLUMN = 300.0

#: What the options may be, where they are words.
CHOICES: Mapping[str, Sequence[str]] = {
    "columns": ("one", "two"),
    "notes": ("plain", "threeparttable"),
    "numbers": ("plain", "siunitx"),
    "correction": ("per_data", "all"),
}


class PaperOptions(NamedTuple):
    """What `output: {latex: ...}` says.

    columns: of the document. width: what a table may take, as a length; None for what fits both
    article and most journals. notes, numbers: with which package they are set. correction: over
    which comparisons p-values are corrected in the tables; None as in the result. tests: those
    that have a column beside the test that decides; None for all.
    """

    columns: str = "one"
    width: Optional[str] = None
    notes: str = "plain"
    numbers: str = "plain"
    correction: Optional[str] = None
    tests: Optional[tuple[str, ...]] = None

    def with_(self, given: Mapping[str, Any]) -> PaperOptions:
        """With what else is given; what is None is not."""
        asked = {key: value for key, value in given.items() if value is not None}
        chosen = {key: value for key, value in asked.items() if key in self._fields}
        if "tests" in chosen:
            chosen["tests"] = tuple(chosen["tests"])
        return self._replace(**chosen)

    @property
    def points(self) -> Optional[float]:
        return None if self.width is None else points(self.width)


def points(length: str) -> float:
    """A length such as 3.3in or 84mm in points."""
    found = _LENGTH.fullmatch(str(length))
    if found is None:
        raise UserError(
            f"{length!r} is no length", ("width",), f"a number with {', '.join(POINTS)}: 3.3in"
        )
    made = float(found.group(1)) * POINTS[found.group(2)]
    if not NARROWEST <= made <= WIDEST:
        raise UserError(
            f"{length!r} is no width of a table",
            ("width",),
            "2.5in to 20in, or as much in pt or cm",
        )
    return made


def paper_options(document: Mapping[str, Any], given: Mapping[str, Any]) -> PaperOptions:
    """Those of a document's spec, and over them what is given."""
    output = document.get("spec", {}).get("output") or {}
    return PaperOptions().with_(output.get("latex") or {}).with_(given)
