"""Records drawn from the populations of the papers."""

from __future__ import annotations

from cvinfer.arrays import entries
from cvinfer.errors import UserError

from ..populations import draw, generator, populations
from ..registry import Option, Request, source
from ..table import Table, numeric

OPTIONS = {
    "population": Option("string", True, f"one of {', '.join(populations)}"),
    "n": Option("integer", False, "number of records; the paper's own by default"),
    "mu0": Option("number | array", False, "two_gaussians: mean of class 0; 0 by default"),
    "mu1": Option("number | array", False, "two_gaussians: mean of class 1; 1 by default"),
    "sigma0": Option("number", False, "two_gaussians: variance in class 0; 1 by default"),
    "sigma1": Option("number", False, "two_gaussians: variance in class 1; 1/6 by default"),
    "dim": Option("integer", False, "two_gaussians: number of features; 2 by default"),
    "delta": Option("number", False, "simple: distance of the two means; 0 by default"),
    "epsilon": Option("number", False, "epsilon: both learners' error rate; 0.1 by default"),
}
_PARAMETERS = ("mu0", "mu1", "sigma0", "sigma1", "dim", "delta", "epsilon")


@source(
    "synthetic",
    "records drawn from a population of the papers",
    OPTIONS,
    choices={"population": populations},
    refuses={"groups": "its records are drawn independently of each other"},
    independent=True,
)
def read_synthetic(request: Request) -> Table:
    """Features x1, x2, ...; drawn from the generator of (seed, population)."""
    name = request["population"]
    given = {key: request[key] for key in _PARAMETERS if request.get(key) is not None}
    size = request.get("n")
    if size is not None and size < 2:
        raise UserError(f"n = {size} records; at least 2 are needed", ("n",))
    drawn = draw(name, size, generator(request.seed, name), **given)
    features = {
        f"x{at + 1}": numeric(f"x{at + 1}", drawn.features[:, at])
        for at in range(drawn.features.shape[1])
    }
    labels = [drawn.classes[code] for code in entries(drawn.target)]
    return Table(name, features, labels, "y")
