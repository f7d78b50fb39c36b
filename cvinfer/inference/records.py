"""From records to what the tests eat: losses or predictions per split to their arguments.

Per split means: a sequence with one array for each of `plan.splits`, in their order, whose entries
belong to the records of `split.test` in that order. Class labels may be anything that numpy can
compare. Loss differences are loss_A - loss_B: positive, A is worse.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Optional, Protocol, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.inference import checks
from cvinfer.inference.checks import Floats, InputError
from cvinfer.inference.registry import Procedure, procedure
from cvinfer.inference.result import SAME, Inference

Losses = list[Floats]


class SplitLike(Protocol):
    @property
    def train(self) -> NDArray[np.int64]:
        """Training records, sorted."""

    @property
    def test(self) -> NDArray[np.int64]:
        """Test records, sorted."""


class PlanLike(Protocol):
    """What is used of a `cvinfer.partitions.Plan`."""

    @property
    def scheme(self) -> str:
        """Name of the scheme."""

    @property
    def n(self) -> int:
        """Number of records."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Replications and folds."""

    @property
    def splits(self) -> Sequence[SplitLike]:
        """In the order of `shape`."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Training and test records of each split."""

    @property
    def options(self) -> Any:
        """What the scheme was asked for."""


def compare(
    test: str,
    plan: Union[PlanLike, Sequence[PlanLike]],
    truth: Any,
    predictions_a: Sequence[Any],
    predictions_b: Sequence[Any],
    **options: Any,
) -> Inference:
    """Run a test by name on class predictions per split (0/1 loss).

    `truth` holds the class of each of the n records. Tests that need two plans (conservative_z:
    hold-outs and halvings; Wong's independent tests: the folds of A and those of B) take a pair of
    plans and pairs of predictions, one for each plan.
    """
    plans = _plans(plan)
    per_plan_a = _per_plan(predictions_a, plans, "predictions_a")
    per_plan_b = _per_plan(predictions_b, plans, "predictions_b")
    loss_a = [zero_one_losses(truth, p, s) for p, s in zip(per_plan_a, plans)]
    loss_b = [zero_one_losses(truth, p, s) for p, s in zip(per_plan_b, plans)]
    return _run(procedure(test), plans, loss_a, loss_b, options)


def compare_losses(
    test: str,
    plan: Union[PlanLike, Sequence[PlanLike]],
    loss_a: Sequence[Any],
    loss_b: Sequence[Any],
    bounds: Optional[tuple[float, float]] = (0.0, 1.0),
    **options: Any,
) -> Inference:
    """Run a test by name on per-record losses per split; pairs of plans as in `compare`."""
    plans = _plans(plan)
    checked_a = [
        split_losses(loss, s, "loss_a", bounds)
        for loss, s in zip(_per_plan(loss_a, plans, "loss_a"), plans)
    ]
    checked_b = [
        split_losses(loss, s, "loss_b", bounds)
        for loss, s in zip(_per_plan(loss_b, plans, "loss_b"), plans)
    ]
    if procedure(test).data == "losses_and_folds":
        options = {"bounds": bounds, **options}
    return _run(procedure(test), plans, checked_a, checked_b, options)


def zero_one_losses(truth: Any, predictions: Sequence[Any], plan: PlanLike) -> Losses:
    """1 where a prediction differs from the truth, per split."""
    labels = _truth(truth, plan)
    guesses = _guesses(predictions, labels, plan)
    return [
        np.asarray(guess != labels[split.test], dtype=np.float64)
        for guess, split in zip(guesses, plan.splits)
    ]


def split_losses(
    losses: Sequence[Any],
    plan: PlanLike,
    name: str = "losses",
    bounds: Optional[tuple[float, float]] = (0.0, 1.0),
) -> Losses:
    """Losses per split, checked for length, bounds and finiteness."""
    _count(losses, plan, name)
    checked = []
    for number, (loss, split) in enumerate(zip(losses, plan.splits)):
        array = checks.losses(loss, f"{name} of split {number}", bounds)
        _length(array, split, number, name)
        checked.append(array)
    return checked


def split_means(losses: Losses, plan: PlanLike) -> Floats:
    """Mean loss of each split, in the plan's shape."""
    return np.array([loss.mean() for loss in losses]).reshape(plan.shape)


def split_differences(loss_a: Losses, loss_b: Losses, plan: PlanLike) -> Floats:
    """d = mean of loss_A - loss_B over the test records of each split, in the plan's shape.

    Where A and B lose the same but for rounding (below 1e-12 of the largest loss) d is 0: a test
    would find the noise of equal learners as regular as a difference.
    """
    return np.array([_mean_difference(a, b) for a, b in zip(loss_a, loss_b)]).reshape(plan.shape)


def _mean_difference(a: Floats, b: Floats) -> float:
    d = float(np.mean(a - b))
    return 0.0 if abs(d) <= SAME * max(np.abs(a).max(), np.abs(b).max()) else d


def contingency_tables(loss_a: Losses, loss_b: Losses, plan: PlanLike) -> Floats:
    """(n00, n01, n10, n11) of each split: shape (*plan.shape, 4); needs 0/1 losses."""
    rows = []
    for a, b in zip(loss_a, loss_b):
        # Bit 1: B right, bit 0 doubled: A right; so 0 both wrong, 1 only A, 2 only B, 3 both right.
        code = 2 * (_binary(a) == 0) + (_binary(b) == 0)
        n00, n_b_right, n_a_right, n11 = np.bincount(code, minlength=4)[:4]
        rows.append((n00, n_b_right, n_a_right, n11))
    return np.array(rows, dtype=np.float64).reshape(*plan.shape, 4)


def error_counts(losses: Losses, plan: PlanLike) -> Floats:
    """Number of wrong predictions of each split, in the plan's shape; needs 0/1 losses."""
    return np.array([_binary(loss).sum() for loss in losses]).reshape(plan.shape)


def record_losses(losses: Losses, plan: PlanLike) -> tuple[Floats, NDArray[np.int64]]:
    """Loss of each record in the fold that tests it, and that fold's number (kfold and loo)."""
    if len(plan.shape) != 1 or plan.scheme not in ("kfold", "loo"):
        raise InputError(f"one loss per record needs a kfold or loo plan, not {plan.scheme}")
    values = np.empty(plan.n)
    folds = np.empty(plan.n, dtype=np.int64)
    for number, (loss, split) in enumerate(zip(losses, plan.splits)):
        values[split.test] = loss
        folds[split.test] = number
    return values, folds


def confusion_matrices(
    truth: Any, predictions: Sequence[Any], plan: PlanLike, positive: Any
) -> Floats:
    """(TP, FP, FN, TN) of each split for the class `positive`: shape (*plan.shape, 4).

    With more than two classes this is `positive` against the rest.
    """
    labels = _truth(truth, plan)
    is_positive = np.asarray(labels == positive, dtype=bool)
    if is_positive.shape != labels.shape or not is_positive.any():
        known = ", ".join(repr(c) for c in np.unique(labels)[:10].tolist())
        raise InputError(f"no record has the class {positive!r}; the classes are {known}")
    rows = []
    for guess, split in zip(_guesses(predictions, labels, plan), plan.splits):
        code = 2 * is_positive[split.test] + np.asarray(guess == positive, dtype=bool)
        tn, fp, fn, tp = np.bincount(code, minlength=4)
        rows.append((tp, fp, fn, tn))
    return np.array(rows, dtype=np.float64).reshape(*plan.shape, 4)


def class_confusions(
    truth: Any, predictions: Sequence[Any], plan: PlanLike, classes: Optional[Any] = None
) -> Floats:
    """One confusion matrix per class, one against the rest: shape (classes, *plan.shape, 4).

    `classes` defaults to the sorted classes of `truth`. Sum over the first axis for micro
    averages (`micro_confusions`); average the classes' F1 for macro ones (`macro_f1`).
    """
    names = np.unique(np.asarray(truth)) if classes is None else np.asarray(classes)
    return np.stack([confusion_matrices(truth, predictions, plan, c) for c in names])


def micro_confusions(per_class: Any) -> Floats:
    """Micro average: the matrices of the classes (classes, ..., 4) added up."""
    return np.asarray(checks.floats(per_class, "per_class").sum(axis=0))


def macro_f1(per_class: Any) -> Any:
    """Macro F1 of each split: the mean of the classes' F1, NaN where one of them has none."""
    from cvinfer.inference.f1 import f1_scores

    return np.asarray(f1_scores(per_class)).mean(axis=0)


# --- from losses to the arguments of a test, by the kind of data it declares -------------------

Arguments = tuple[Any, ...]
Adapter = Callable[[Sequence[PlanLike], list[Losses], list[Losses]], Arguments]


def _differences(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    return (split_differences(a[0], b[0], plans[0]),)


def _differences_and_sizes(
    plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    # Fold sizes may differ by one record; the mean split is what n1 and n2 stand for. Sizes are
    # whole numbers in the formula's source, so the total of train and test sizes is passed on:
    # only their ratio n2/n1 enters.
    train, test = plans[0].sizes.reshape(-1, 2).sum(axis=0)
    return (split_differences(a[0], b[0], plans[0]), int(train), int(test))


def _differences_and_halves(
    plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    d = split_differences(a[0], b[0], plans[0])
    return (d, split_differences(a[1], b[1], plans[1]).mean(axis=-1))


def _tables(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    return (contingency_tables(a[0], b[0], plans[0]),)


def _losses_and_folds(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    loss_a, folds = record_losses(a[0], plans[0])
    loss_b, _ = record_losses(b[0], plans[0])
    return (loss_a, loss_b, folds)


def _error_counts(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    plan = plans[0]
    return (error_counts(a[0], plan), error_counts(b[0], plan), plan.sizes[..., 1])


def _error_rates(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    plan_a, plan_b = plans
    return (split_means(a[0], plan_a).mean(), split_means(b[1], plan_b).mean(), plan_a.n)


def _fold_error_rates(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    plan_a, plan_b = plans
    rates = (split_means(a[0], plan_a), split_means(b[1], plan_b))
    return (*rates, plan_a.sizes[..., 1], plan_b.sizes[..., 1])


def _record_differences(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    return (split_differences(a[0], b[0], plans[0]),)


def _total_error_counts(plans: Sequence[PlanLike], a: list[Losses], b: list[Losses]) -> Arguments:
    plan = plans[0]
    return (error_counts(a[0], plan).sum(), error_counts(b[0], plan).sum(), plan.n)


ADAPTERS: dict[str, Adapter] = {
    "differences": _differences,
    "differences_and_sizes": _differences_and_sizes,
    "differences_and_halves": _differences_and_halves,
    "table": _tables,
    "tables": _tables,
    "losses_and_folds": _losses_and_folds,
    "error_counts": _error_counts,
    "error_rates": _error_rates,
    "fold_error_rates": _fold_error_rates,
    "record_differences": _record_differences,
    "total_error_counts": _total_error_counts,
}


def _run(
    declared: Procedure,
    plans: Sequence[PlanLike],
    loss_a: list[Losses],
    loss_b: list[Losses],
    options: Any,
) -> Inference:
    """Check the plans against what the test needs, make its arguments and call it."""
    if declared.kind != "test":
        raise InputError(f"{declared.name} is an interval for one learner, not a test")
    fits = len(plans) == len(declared.needs) and all(
        need.accepts(plan.scheme, plan.options) for need, plan in zip(declared.needs, plans)
    )
    if not fits:
        got = " + ".join(_described(plan) for plan in plans)
        raise InputError(f"{declared.name} needs the scheme {declared.scheme}, got {got}")
    if len({plan.n for plan in plans}) > 1:
        numbers = " and ".join(str(plan.n) for plan in plans)
        raise InputError(f"{declared.name} needs plans of the same records, got {numbers} records")
    arguments = ADAPTERS[declared.data](plans, loss_a, loss_b)
    result: Inference = declared.function(*arguments, **options)
    # Wong's independent tests take B's losses from B's own folds, the second plan.
    last = 1 if declared.data in ("error_rates", "fold_error_rates") else 0
    means = {
        "loss_a": float(split_means(loss_a[0], plans[0]).mean()),
        "loss_b": float(split_means(loss_b[last], plans[last]).mean()),
    }
    sizes = [plan.sizes.tolist() for plan in plans]
    # What the splits were, not what the test would have planned.
    result = replace(result, scheme=" + ".join(plan.scheme for plan in plans))
    known = {key: value for key, value in means.items() if key not in result.extra}
    return result.with_extra(sizes=sizes[0] if len(sizes) == 1 else sizes, **known)


def _described(plan: PlanLike) -> str:
    settings = ", ".join(f"{k}={v}" for k, v in plan.options.items() if v is not False)
    return f"{plan.scheme}({settings})"


def _plans(plan: Union[PlanLike, Sequence[PlanLike]]) -> list[PlanLike]:
    return list(plan) if isinstance(plan, (list, tuple)) else [plan]  # type: ignore[list-item]


def _per_plan(values: Sequence[Any], plans: list[PlanLike], name: str) -> list[Sequence[Any]]:
    if len(plans) == 1:
        return [values]
    if len(values) != len(plans):
        raise InputError(f"{name} must have one entry for each of the {len(plans)} plans")
    return list(values)


def _truth(truth: Any, plan: PlanLike) -> NDArray[Any]:
    """The class of each of the n records."""
    labels = np.asarray(truth)
    if labels.shape != (plan.n,):
        raise InputError(f"truth must hold {plan.n} class labels, got shape {labels.shape}")
    _complete(labels, "truth")
    return labels


def _guesses(
    predictions: Sequence[Any], labels: NDArray[Any], plan: PlanLike
) -> list[NDArray[Any]]:
    """Predictions per split, checked for number, length, gaps and comparability with the truth."""
    _count(predictions, plan, "predictions")
    guesses = []
    for number, (predicted, split) in enumerate(zip(predictions, plan.splits)):
        guess = np.asarray(predicted)
        _length(guess, split, number, "predictions")
        _complete(guess, f"predictions of split {number}")
        kinds = (guess.dtype.kind, labels.dtype.kind)
        if "O" not in kinds and (kinds[0] in "US") != (kinds[1] in "US"):
            raise InputError(
                f"predictions of split {number} are of type {guess.dtype}, the truth of type"
                f" {labels.dtype}: no prediction could ever be right"
            )
        guesses.append(guess)
    return guesses


def _complete(labels: NDArray[Any], name: str) -> None:
    """A missing label (NaN or None) would count as a wrong prediction."""
    missing = np.asarray(labels != labels, dtype=bool)
    if labels.dtype.kind == "O":
        missing = missing | np.equal(labels, np.array(None)).astype(bool)
    if missing.any():
        raise InputError(f"{name} must not be missing; entry {int(np.argmax(missing))} is")


def _count(values: Sequence[Any], plan: PlanLike, name: str) -> None:
    if len(values) != len(plan.splits):
        raise InputError(
            f"{name} must have one array for each of the {len(plan.splits)} splits of the plan,"
            f" got {len(values)}"
        )


def _length(array: Any, split: SplitLike, number: int, name: str) -> None:
    if array.shape != (len(split.test),):
        raise InputError(
            f"{name} of split {number} must have one entry for each of its {len(split.test)} test"
            f" records, got shape {array.shape}"
        )


def _binary(loss: Floats) -> NDArray[np.int64]:
    if not np.isin(loss, (0.0, 1.0)).all():
        raise InputError("tables and error counts need 0/1 losses")
    return loss.astype(np.int64)
