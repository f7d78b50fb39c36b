"""Points in a square of black and white fields."""

from __future__ import annotations

import numpy as np

from cvinfer.data.registry import Option, Request, source
from cvinfer.data.table import Table, numeric
from cvinfer.errors import UserError

OPTIONS = {
    "n": Option("integer", True, "number of records"),
    "fields": Option("integer", False, "fields along each side; 2 by default"),
}


@source(
    "chequers",
    "points in a square of black and white fields",
    OPTIONS,
    refuses={"groups": "its records are drawn independently of each other"},
    independent=True,
)
def read_chequers(request: Request) -> Table:
    """Features x and y, uniform in [0, 1); the class is the colour of the field."""
    n, fields = request["n"], request.get("fields", 2)
    if n < 2:
        raise UserError(f"n = {n} records; at least 2 are needed", ("n",))
    points = np.random.default_rng([request.seed, n, fields]).random((n, 2))
    black = np.floor(points * fields).astype(int).sum(axis=1) % 2 == 0
    features = {name: numeric(name, points[:, at]) for at, name in enumerate("xy")}
    return Table("chequers", features, ["black" if each else "white" for each in black], "colour")
