"""Contingency tables of replications whose losses are drawn: no learner is fitted.

Losses come in granules of replications that are drawn together, from one stream each, and so do the
partitions of a scheme; of a granule what is wanted is kept. Orders are as for `replications`.
"""

from __future__ import annotations

import json
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.populations import outcomes, populations
from cvinfer.execute.replications.packed import Made, pack
from cvinfer.execute.replications.recipe import GRANULE, Law, Recipe, Scheme
from cvinfer.execute.work import Desk, Done, Order, Work, works
from cvinfer.losses.kinds import REDUCED
from cvinfer.partitions import make_partition
from cvinfer.partitions.outcomes import OutcomeTables
from cvinfer.partitions.streams import stream

Codes = NDArray[np.int8]


def prepare(desk: Desk, order: Order) -> None:
    """Nothing is to be had before."""


def draw_tables(desk: Desk, order: Order, began: float) -> Done:
    """The tables of some replications on one scheme."""
    recipe = desk.material(order.dataset)
    assert isinstance(recipe, Recipe) and isinstance(recipe.population, Law)
    scheme = recipe.schemes[order.partition]
    first = order.split - 1
    granule = first // GRANULE
    n = populations[recipe.population.name].n if recipe.n is None else recipe.n
    drawing = _drawing(desk, order, scheme, n)
    (partition,) = drawing.partitions
    bits = stream(recipe.seed, "study", "tables", granule, _words(scheme))
    codes = _codes(desk, order, recipe, granule, n)
    (found,) = drawing.draw(codes, np.random.Generator(bits))
    wanted = found[first - granule * GRANULE :][: order.seed]
    shape = (len(wanted), 1, -1)
    sizes = partition.sizes.reshape(-1, 2)
    each = (len(wanted), 1, len(sizes))
    made = Made(
        train=np.broadcast_to(sizes[:, 0], each),
        test=np.broadcast_to(sizes[:, 1], each),
        wrong=np.empty(0, dtype=np.uint8),
        failed=np.zeros(each, dtype=bool),
        tables=np.asarray(wanted.reshape(*shape, 4), dtype=np.int32),
    )
    return Done(pack(made), 0.0, 0.0, (), "", began, kind=REDUCED)


def _drawing(desk: Desk, order: Order, scheme: Scheme, n: int) -> OutcomeTables:
    """How the tables of a scheme are drawn; finding that out takes longer than the drawing."""
    key = ("drawing", order.dataset, order.partition)
    if key not in desk.kept:
        options = {name: value for name, value in scheme.options.items() if value is not False}
        partition = make_partition(scheme.name, n, seed=0, **options)
        desk.kept[key] = OutcomeTables([partition])
    return cast(OutcomeTables, desk.kept[key])


def _words(scheme: Scheme) -> str:
    return json.dumps([scheme.name, dict(scheme.options)], sort_keys=True, default=str)


def _codes(desk: Desk, order: Order, recipe: Recipe, granule: int, n: int) -> Codes:
    """The losses of a granule; the last one is kept, since the schemes come one after the other."""
    key = ("outcomes", order.dataset)
    known = desk.kept.get(key)
    if isinstance(known, tuple) and known[0] == granule:
        return cast(Codes, known[1])
    law = recipe.population
    assert isinstance(law, Law)
    rng = np.random.Generator(stream(recipe.seed, "study", "draw", granule))
    codes = outcomes(law.name, GRANULE, n, rng, **law.parameters)
    desk.kept[key] = (granule, codes)
    return codes


works.add("outcomes", Work(prepare, draw_tables), __name__)
