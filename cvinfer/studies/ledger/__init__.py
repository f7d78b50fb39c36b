"""The ledger of the papers: what they print, what we find, and how far the two are apart.

`specs/papers/<paper>/<item>.yaml` holds the printed cells of a table or figure and the studies that
make them again. `load_item` reads one file, `compare_item` lays the study.json files of its studies
beside the printed cells, `claims_of` checks what a text says about a figure, and `page` writes
`docs/reproduction.md` from what is stored. Nothing here draws a random number.
"""

from __future__ import annotations

from cvinfer.studies.ledger.checks import ClaimFound, claims_of
from cvinfer.studies.ledger.compare import Compared, compare_item
from cvinfer.studies.ledger.counts import Chance, Counts, chance, count
from cvinfer.studies.ledger.load import load_item, load_ledger
from cvinfer.studies.ledger.model import Cell, Claim, Group, Item
from cvinfer.studies.ledger.results import Results

__all__ = [
    "Cell",
    "Chance",
    "Claim",
    "ClaimFound",
    "Compared",
    "Counts",
    "Group",
    "Item",
    "Results",
    "chance",
    "claims_of",
    "compare_item",
    "count",
    "load_item",
    "load_ledger",
]
