"""Example data for every registered test and interval.

An example describes the arguments of a procedure by kind and named axes, from which valid random
batches, misshapen ones and ones with a bad entry follow. A test on plain differences has one by
its declaration alone (`_by_declaration`). Any other registered name without an example fails the
contract tests: write its entry of `EXAMPLES` beside its golden number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Optional

import numpy as np

from cvinfer.inference import Procedure, tests
from cvinfer.partitions import make_partition

Options = Mapping[str, Any]
Data = tuple[Any, ...]


@dataclass(frozen=True)
class Axis:
    """A named axis: its length in examples, and what lengths are valid."""

    name: str
    length: int
    fixed: bool = False
    least: int = 2

    def wrong_lengths(self) -> list[int]:
        return [self.length - 1, self.length + 1] if self.fixed else [self.least - 1]


@dataclass(frozen=True)
class Argument:
    """One positional argument; `batched` where it carries the batch axes.

    `required` False: it may have fewer axes than named here (one size for all folds; one matrix).
    """

    name: str
    kind: str
    axes: tuple[Axis, ...] = ()
    batched: bool = True
    required: bool = True

    def draw(self, rng: np.random.Generator, batch: tuple[int, ...] = ()) -> Any:
        lengths = tuple(axis.length for axis in self.axes)
        return self.draw_shape(rng, (*(batch if self.batched else ()), *lengths))

    def draw_shape(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
        return KINDS[self.kind].draw(rng, shape)

    def wrong_shapes(self) -> Iterator[tuple[int, ...]]:
        """Shapes without batch axes that the procedure must refuse."""
        lengths = [axis.length for axis in self.axes]
        if self.required and lengths:
            yield tuple(lengths[1:])
        for at, axis in enumerate(self.axes):
            for wrong in axis.wrong_lengths():
                yield (*lengths[:at], wrong, *lengths[at + 1 :])


@dataclass(frozen=True)
class Kind:
    """How data of a kind are drawn, and single entries that are not of that kind."""

    draw: Callable[[np.random.Generator, tuple[int, ...]], Any]
    bad: tuple[float, ...] = ()


@dataclass(frozen=True)
class Degenerate:
    """A degenerate input (without batch axes) and what section 6 decides for it."""

    label: str
    data: Data
    statistic: float = np.nan
    p_value: float = 1.0
    options: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Example:
    arguments: tuple[Argument, ...]
    degenerate: tuple[Degenerate, ...]
    #: Options beside the defaults under which the contract must hold as well.
    variants: tuple[Options, ...] = ()
    #: Options that must be refused.
    bad_options: tuple[Options, ...] = ()
    #: The same data with A and B exchanged (tests only).
    swap: Optional[Callable[[Data], Data]] = None
    #: Whether the folds (replications, halves) can be permuted without changing the result.
    symmetric: bool = True

    def draw(self, rng: np.random.Generator, batch: tuple[int, ...] = ()) -> Data:
        return tuple(argument.draw(rng, batch) for argument in self.arguments)

    def row(self, data: Data, index: tuple[int, ...]) -> Data:
        """The data of one entry of a batch."""
        return tuple(
            value[index] if argument.batched else value
            for argument, value in zip(self.arguments, data)
        )

    def with_row(self, data: Data, index: tuple[int, ...], row: Data) -> Data:
        """The batch with one entry replaced."""
        changed = []
        for argument, value, new in zip(self.arguments, data, row):
            value = np.array(value, dtype=np.float64)
            if argument.batched:
                value[index] = new
            changed.append(value if argument.batched else new)
        return tuple(changed)

    def misshapen(self, rng: np.random.Generator) -> Iterator[tuple[str, Data]]:
        for at, argument in enumerate(self.arguments):
            for shape in argument.wrong_shapes():
                data = list(self.draw(rng))
                data[at] = argument.draw_shape(rng, shape)
                yield f"{argument.name} of shape {shape}", tuple(data)

    def spoilt(self, rng: np.random.Generator) -> Iterator[tuple[str, Data]]:
        """Data with one entry that is not finite, or not of the argument's kind."""
        for at, argument in enumerate(self.arguments):
            for bad in (np.nan, np.inf, -np.inf, *KINDS[argument.kind].bad):
                data = list(self.draw(rng, (3,)))
                value = np.array(data[at], dtype=np.float64)
                value[(-1,) * value.ndim] = bad
                data[at] = value
                yield f"{argument.name} with {bad}", tuple(data)


def _folds(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    if not shape:
        return np.array(0)
    return rng.permuted(np.broadcast_to(np.arange(shape[-1]) % 5, shape), axis=-1)


KINDS: dict[str, Kind] = {
    "difference": Kind(lambda rng, shape: rng.normal(0.02, 0.05, shape)),
    "outcome": Kind(lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape), (0.5, 2.0, -2.0)),
    "score": Kind(lambda rng, shape: rng.uniform(0.2, 0.9, shape)),
    "loss": Kind(lambda rng, shape: rng.uniform(0.0, 1.0, shape), (1.5, -0.1)),
    "rate": Kind(lambda rng, shape: rng.uniform(0.05, 0.95, shape), (1.5, -0.1)),
    "count": Kind(lambda rng, shape: rng.integers(1, 20, shape), (-1.0, 2.5)),
    "size": Kind(lambda rng, shape: rng.integers(20, 31, shape), (-1.0, 0.0, 20.5)),
    "table": Kind(lambda rng, shape: rng.integers(1, 15, shape), (-1.0, 2.5)),
    "matrix": Kind(lambda rng, shape: rng.integers(1, 30, shape), (-1.0,)),
    "fold": Kind(_folds, (0.5,)),
}

J, K, R = Axis("J", 15), Axis("K", 10), Axis("R", 4, least=1)
Q, N = Axis("q", 7), Axis("n", 40)
M, MX2 = Axis("M", 6, least=1), Axis("m", 5)
TWO, THREE, FIVE = Axis("2", 2, True), Axis("3", 3, True), Axis("5", 5, True)
FOUR = Axis("4", 4, True)


def _negated(data: Data) -> Data:
    return (-data[0], *data[1:])


def _exchanged(data: Data) -> Data:
    return (data[1], data[0], *data[2:])


def _discordant_exchanged(data: Data) -> Data:
    return (np.asarray(data[0])[..., [0, 2, 1, 3]], *data[1:])


def _constant_differences(
    *shape: int, more: Data = (), negative: float = -np.inf
) -> tuple[Degenerate, ...]:
    """The rows of section 6 for a variance estimate of zero."""
    return (
        Degenerate("all zero", (np.zeros(shape), *more)),
        Degenerate("copies of 0.3", (np.full(shape, 0.3), *more), np.inf, 0.0),
        Degenerate("copies of -0.3", (np.full(shape, -0.3), *more), negative, 0.0),
        Degenerate(
            "copies of 0.3 at mu0 = 0.3",
            (np.full(shape, 0.3), *more),
            options={"mu0": 0.3},
        ),
        Degenerate("all zero at mu0 = 0.1", (np.zeros(shape), *more), negative, 0.0, {"mu0": 0.1}),
    )


def _on_differences(
    *axes: Axis, variants: tuple[Options, ...] = (), more: tuple[Argument, ...] = (), **others: Any
) -> Example:
    lengths = tuple(axis.length for axis in axes)
    sizes = tuple(20 for _ in more)
    negative = others.pop("negative", -np.inf)
    return Example(
        arguments=(Argument("d", "difference", axes), *more),
        degenerate=_constant_differences(*lengths, more=sizes, negative=negative),
        variants=({"mu0": 0.03, "alpha": 0.2}, *variants),
        swap=_negated,
        **others,
    )


N_TRAIN_TEST = (
    Argument("n_train", "size", batched=False),
    Argument("n_test", "size", batched=False),
)

POOLED = (
    ("pooled rate 0", 0.0),
    ("pooled rate 1", 1.0),
)

CONTINUITY = ({"continuity": "printed"}, {"continuity": "none", "alpha": 0.3})
BAD_CONTINUITY: tuple[Options, ...] = ({"continuity": "yates"}, {"continuity": None})
CONCORDANT = np.array([3, 0, 0, 9])

ERROR_COUNTS = (
    Argument("errors_a", "count", (K,)),
    Argument("errors_b", "count", (K,)),
    Argument("n_test", "size", (Axis("K", 10, fixed=True),), required=False),
)

TESTS: dict[str, Example] = {
    "repeated_holdout_t": _on_differences(J),
    "kfold_t": _on_differences(K),
    "corrected_kfold_t": _on_differences(
        K,
        variants=({"rho": 0.0}, {"block_rho": 0.3}),
        bad_options=tuple({"rho": r} for r in (1.0, 2.0, -1.5, np.nan, "x", [0.1, 0.2]))
        + tuple({"block_rho": r} for r in (1.0, -0.5, np.nan, "x")),
    ),
    "corrected_2fold_t": _on_differences(
        TWO,
        variants=({"block_rho": 0.1},),
        bad_options=tuple({"block_rho": r} for r in (1.0, -1.0, np.nan, "x")),
    ),
    "corrected_repeated_holdout_t": _on_differences(J, more=N_TRAIN_TEST),
    "corrected_repeated_kfold_t": _on_differences(R, K, more=N_TRAIN_TEST),
    "dietterich_5x2_t": _on_differences(
        FIVE,
        TWO,
        variants=({"pick": (3, 1)},),
        bad_options=tuple({"pick": p} for p in ((5, 0), (0, 2), (-1, 0), 3, "ab", (0, 0, 0))),
        symmetric=False,
    ),
    "combined_5x2_t": _on_differences(FIVE, TWO),
    "combined_5x2_f": _on_differences(FIVE, TWO, negative=np.inf),
    "calibrated_5x2_bcv_f": _on_differences(FIVE, TWO, negative=np.inf),
    "blocked_3x2_t": _on_differences(
        THREE,
        TWO,
        variants=({"lam": 0.0}, {"lam": 1.5}),
        bad_options=tuple({"lam": v} for v in (-0.1, np.nan, "x")),
    ),
    "conservative_z": Example(
        arguments=(
            Argument("d", "difference", (Axis("J", 15, least=1),)),
            Argument("halves", "difference", (M, TWO)),
        ),
        degenerate=(
            Degenerate("all zero", (np.zeros(15), np.zeros((6, 2)))),
            Degenerate("copies of 0.3", (np.full(15, 0.3), np.full((6, 2), 0.3)), np.inf, 0.0),
            Degenerate("equal halves", (np.full(15, -0.3), np.full((6, 2), 0.1)), -np.inf, 0.0),
            Degenerate(
                "copies of 0.3 at mu0 = 0.3",
                (np.full(15, 0.3), np.full((6, 2), 0.3)),
                options={"mu0": 0.3},
            ),
        ),
        variants=({"mu0": 0.03, "alpha": 0.2},),
        swap=lambda data: (-data[0], -data[1]),
    ),
    "proportion_z": Example(
        arguments=(Argument("table", "table", (FOUR,)),),
        degenerate=(
            Degenerate("pooled rate 0", (np.array([0, 0, 0, 9]),)),
            Degenerate("pooled rate 1", (np.array([9, 0, 0, 0]),)),
        ),
        variants=({"alpha": 0.2},),
        swap=_discordant_exchanged,
    ),
    "holdout_mcnemar": Example(
        arguments=(Argument("table", "table", (FOUR,)),),
        degenerate=(Degenerate("n01 + n10 = 0", (CONCORDANT,)),),
        variants=CONTINUITY,
        bad_options=BAD_CONTINUITY,
        swap=_discordant_exchanged,
    ),
    "naive_kfold_mcnemar": Example(
        arguments=(Argument("tables", "table", (K, FOUR)),),
        degenerate=(Degenerate("n01 + n10 = 0", (np.tile(CONCORDANT, (10, 1)),)),),
        variants=CONTINUITY,
        bad_options=BAD_CONTINUITY,
        swap=_discordant_exchanged,
    ),
    "bcv_5x2_mcnemar": Example(
        arguments=(Argument("tables", "table", (MX2, TWO, FOUR)),),
        degenerate=(Degenerate("n01 + n10 = 0", (np.tile(CONCORDANT, (5, 2, 1)),)),),
        variants=(*CONTINUITY, {"rho1": 0.3, "rho2": 0.6}),
        bad_options=(
            *BAD_CONTINUITY,
            *({name: r} for name in ("rho1", "rho2") for r in (1.5, -2.0, np.nan, "x")),
            {"rho1": -1.0, "rho2": -0.5},
        ),
        swap=_discordant_exchanged,
    ),
    "cvci_z": Example(
        arguments=(
            Argument("loss_a", "loss", (N,)),
            Argument("loss_b", "loss", (N,)),
            Argument("folds", "fold", (Axis("n", 40, fixed=True),)),
        ),
        degenerate=(
            Degenerate("all zero", (np.full(40, 0.2), np.full(40, 0.2), np.arange(40) % 5)),
            Degenerate(
                "copies of 0.3",
                (np.full(40, 0.8), np.full(40, 0.5), np.arange(40) % 5),
                np.inf,
                0.0,
            ),
            Degenerate(
                "copies of 0.3 at mu0 = 0.3",
                (np.full(40, 0.8), np.full(40, 0.5), np.arange(40) % 5),
                options={"mu0": 0.3},
            ),
        ),
        variants=({"mu0": 0.03, "alpha": 0.2}, {"variance": "in"}, {"bounds": (-1.0, 3.0)}),
        bad_options=(
            {"variance": "both"},
            {"variance": None},
            {"bounds": (1.0, 0.0)},
            {"bounds": (0.0, 0.5)},
            {"bounds": 1.0},
            {"bounds": "ab"},
        ),
        swap=_exchanged,
    ),
    "wong_matched_t": Example(
        arguments=ERROR_COUNTS,
        degenerate=(
            Degenerate("all zero", (np.full(10, 4), np.full(10, 4), np.full(10, 20))),
            Degenerate(
                "copies of 0.3", (np.full(10, 9), np.full(10, 3), np.full(10, 20)), np.inf, 0.0
            ),
            Degenerate(
                "copies of 0.3 at mu0 = 0.3",
                (np.full(10, 9), np.full(10, 3), np.full(10, 20)),
                options={"mu0": 0.3},
            ),
        ),
        variants=({"mu0": 0.03, "alpha": 0.2},),
        swap=_exchanged,
    ),
    "wong_independent_z": Example(
        arguments=(
            Argument("error_a", "rate"),
            Argument("error_b", "rate"),
            Argument("n", "size"),
        ),
        degenerate=tuple(Degenerate(label, (rate, rate, 25)) for label, rate in POOLED),
        variants=({"alpha": 0.2},),
        swap=_exchanged,
    ),
    "wong_welch_t": Example(
        arguments=(
            Argument("errors_a", "rate", (K,)),
            Argument("errors_b", "rate", (Q,)),
            Argument("n_test_a", "size", (Axis("K", 10, fixed=True),), required=False),
            Argument("n_test_b", "size", (Axis("q", 7, fixed=True),), required=False),
        ),
        degenerate=(
            Degenerate("all zero", (np.full(10, 0.3), np.full(7, 0.3), 20, 20)),
            Degenerate("copies of 0.4", (np.full(10, 0.7), np.full(7, 0.3), 20, 20), np.inf, 0.0),
            Degenerate(
                "copies of 0.4 at mu0 = 0.4",
                (np.full(10, 0.7), np.full(7, 0.3), 20, 20),
                options={"mu0": 0.4},
            ),
        ),
        variants=({"mu0": 0.03, "alpha": 0.2},),
        swap=lambda data: (data[1], data[0], data[3], data[2]),
    ),
    "loo_matched_t": Example(
        arguments=(Argument("d", "outcome", (N,)),),
        degenerate=(
            Degenerate("all zero", (np.zeros(40),)),
            Degenerate("all 1", (np.ones(40),), np.inf, 0.0),
            Degenerate("all -1", (-np.ones(40),), -np.inf, 0.0),
            Degenerate("all 1 at mu0 = 1", (np.ones(40),), options={"mu0": 1.0}),
        ),
        variants=({"mu0": 0.03, "alpha": 0.2},),
        swap=_negated,
    ),
    "loo_independent_z": Example(
        arguments=(
            Argument("errors_a", "count"),
            Argument("errors_b", "count"),
            Argument("n", "size"),
        ),
        degenerate=tuple(Degenerate(label, (25 * rate, 25 * rate, 25)) for label, rate in POOLED),
        variants=({"alpha": 0.2},),
        swap=_exchanged,
    ),
}

MORE_ARGUMENTS = {"differences": (), "differences_and_sizes": N_TRAIN_TEST}


def _by_declaration(declared: Procedure) -> Example:
    """The example of a test on the differences of one partition of the shape it asks for."""
    (need,) = declared.needs
    shape = make_partition(need.scheme, 120, seed=0, **need.options).shape
    least = [1] * (len(shape) - 1) + [2]
    axes = [Axis(f"axis {at}", length, least=least[at]) for at, length in enumerate(shape)]
    return _on_differences(*axes, more=MORE_ARGUMENTS[str(declared.data)])


TESTS.update(
    {
        name: _by_declaration(declared)
        for name, declared in tests().items()
        if name not in TESTS and declared.data in MORE_ARGUMENTS and len(declared.needs) == 1
    }
)

BAD_PRIORS: tuple[Options, ...] = tuple({"prior": p} for p in (0.0, -1.0, np.nan, "x"))
BAD_SPLIT_AXES: tuple[Options, ...] = tuple({"split_axes": s} for s in (3, -1, 1.5, "x"))
BAD_POOLING: tuple[Options, ...] = (
    *({"scheme": s} for s in ("repeated_holdout", "", 3, ["kfold"])),
    {"scheme": "kfold", "split_axes": 2},
    *({"counts": c} for c in ("sum", None, 3)),
    *({"counts": "effective", "scheme": s} for s in ("kfold", "loo", "repeated_kfold", "holdout")),
    {"counts": "effective", "split_axes": 0},
    # FP and FN differ in the drawn matrices.
    {"micro": True},
)
BAD_LEVELS: tuple[Options, ...] = tuple({"level": v} for v in (0.0, 1.0, -0.1, 1.5, np.nan, "x"))


def _confusions(*entries: int) -> np.ndarray[Any, Any]:
    return np.tile(np.array(entries), (3, 2, 1))


def _on_confusions(*degenerate: Degenerate) -> Example:
    # One matrix, folds or the m×2 of the papers all fit; another m is not told from a batch.
    axes = (Axis("m", 3, fixed=True), Axis("half", 2, least=1), FOUR)
    return Example(
        arguments=(Argument("confusions", "matrix", axes, required=False),),
        degenerate=degenerate,
        variants=(
            {"prior": 0.5},
            {"alpha": 0.2},
            {"level": 0.8},
            {"split_axes": 2},
            {"scheme": "random_mx2", "counts": "effective"},
            {"scheme": "repeated_kfold"},
        ),
        bad_options=(*BAD_PRIORS, *BAD_SPLIT_AXES, *BAD_LEVELS, *BAD_POOLING),
    )


def _on_scores(*axes: Axis) -> Example:
    lengths = tuple(axis.length for axis in axes)
    return Example(
        arguments=(Argument("scores", "score", axes),),
        degenerate=(
            Degenerate("all zero", (np.zeros(lengths),)),
            Degenerate("copies of 0.3", (np.full(lengths, 0.3),)),
        ),
        variants=({"alpha": 0.2}, {"level": 0.8}),
        bad_options=BAD_LEVELS,
    )


def _on_total_errors() -> Example:
    return Example(
        arguments=(Argument("errors", "count"), Argument("n", "size")),
        degenerate=(Degenerate("no error", (0, 25)), Degenerate("errors only", (25, 25))),
        variants=({"alpha": 0.2}, {"level": 0.8}),
        bad_options=BAD_LEVELS,
    )


INTERVALS: dict[str, Example] = {
    "f1_beta_prime": _on_confusions(
        Degenerate("TP = FP = FN = 0 in all splits", (_confusions(0, 0, 0, 9),)),
        Degenerate(
            "TP = FP = FN = 0 in one split",
            (np.concatenate([_confusions(5, 2, 3, 9)[:2], [[[5, 2, 3, 9], [0, 0, 0, 9]]]]),),
        ),
    ),
    "precision_beta": _on_confusions(
        Degenerate("no positive predicted", (_confusions(0, 0, 4, 9),))
    ),
    "recall_beta": _on_confusions(Degenerate("no positive record", (_confusions(0, 3, 0, 9),))),
    "kfold_t_interval": _on_scores(K),
    "five_by_two_t_interval": _on_scores(FIVE, TWO),
    "blocked_3x2_t_interval": _on_scores(THREE, TWO),
    "error_kfold_t": Example(
        arguments=(Argument("errors", "count", (K,)), ERROR_COUNTS[2]),
        degenerate=(
            Degenerate("no error", (np.zeros(10), np.full(10, 20))),
            Degenerate("copies of 0.3", (np.full(10, 6), np.full(10, 20))),
        ),
        variants=({"alpha": 0.2}, {"level": 0.8}),
        bad_options=BAD_LEVELS,
    ),
    "corrected_resampled_interval": Example(
        arguments=(Argument("values", "score", (J,)), *N_TRAIN_TEST),
        degenerate=(
            Degenerate("all zero", (np.zeros(15), 90, 10)),
            Degenerate("copies of 0.3", (np.full(15, 0.3), 90, 10)),
        ),
        variants=({"alpha": 0.2}, {"level": 0.8}),
        bad_options=BAD_LEVELS,
    ),
    "conservative_interval": Example(
        arguments=(
            Argument("values", "score", (Axis("J", 15, least=1),)),
            Argument("halves", "score", (M, TWO)),
        ),
        degenerate=(
            Degenerate("all zero", (np.zeros(15), np.zeros((6, 2)))),
            Degenerate("equal halves", (np.full(15, 0.3), np.full((6, 2), 0.2))),
        ),
        variants=({"alpha": 0.2}, {"level": 0.8}),
        bad_options=BAD_LEVELS,
    ),
    "nested_cv_interval": Example(
        arguments=(
            Argument("losses", "score", (R, Axis("K", 5, least=3), N)),
            Argument("folds", "fold", (Axis("R", 4, fixed=True), Axis("n", 40, fixed=True))),
        ),
        degenerate=(
            Degenerate("all zero", (np.zeros((4, 5, 40)), np.tile(np.arange(40) % 5, (4, 1)))),
            Degenerate("all 1", (np.ones((4, 5, 40)), np.tile(np.arange(40) % 5, (4, 1)))),
        ),
        variants=({"alpha": 0.2}, {"level": 0.8}),
        bad_options=BAD_LEVELS,
        symmetric=False,
    ),
    "error_dataset_z": _on_total_errors(),
    "error_loo_z": _on_total_errors(),
}

EXAMPLES: dict[str, Example] = {**TESTS, **INTERVALS}
