"""From records to what the tests eat: losses or predictions per split to their arguments.

Per split means: a sequence with one array for each of `partition.splits`, in their order, whose
entries belong to the records of `split.test` in that order. Class labels may be anything that
numpy can compare. Loss differences are loss_A - loss_B: positive, A is worse.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Optional, Protocol, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.inference import checks
from cvinfer.inference.checks import Floats, InputError
from cvinfer.inference.needs import taken
from cvinfer.inference.registry import Procedure, procedure
from cvinfer.inference.result import SAME, Inference
from cvinfer.inference.takes import VALUES, takes
from cvinfer.losses.confusion import confusion
from cvinfer.losses.registry import HIGHER, LOWER
from cvinfer.losses.zero_one import zero_one

Losses = list[Floats]


class SplitLike(Protocol):
    @property
    def train(self) -> NDArray[np.int64]:
        """Training records, sorted."""

    @property
    def test(self) -> NDArray[np.int64]:
        """Test records, sorted."""


class PartitionLike(Protocol):
    """What is used of a `cvinfer.partitions.Partition`."""

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

    def inside(self) -> Sequence[tuple[Any, Sequence[int]]]:
        """Partitions that it holds whole, with the numbers of their splits."""


def compare(
    test: str,
    partition: Union[PartitionLike, Sequence[PartitionLike]],
    truth: Any,
    predictions_a: Sequence[Any],
    predictions_b: Sequence[Any],
    **options: Any,
) -> Inference:
    """Run a test by name on class predictions per split (0/1 loss).

    `truth` holds the class of each of the n records. Tests that need two partitions
    (conservative_z: hold-outs and halvings; Wong's independent tests: the folds of A and those of
    B) take a pair of partitions and pairs of predictions, one for each partition.
    """
    partitions = _partitions(partition)
    per_partition_a = _per_partition(predictions_a, partitions, "predictions_a")
    per_partition_b = _per_partition(predictions_b, partitions, "predictions_b")
    loss_a = [zero_one_losses(truth, p, s) for p, s in zip(per_partition_a, partitions)]
    loss_b = [zero_one_losses(truth, p, s) for p, s in zip(per_partition_b, partitions)]
    return _run(procedure(test), partitions, loss_a, loss_b, options)


def compare_losses(
    test: str,
    partition: Union[PartitionLike, Sequence[PartitionLike]],
    loss_a: Sequence[Any],
    loss_b: Sequence[Any],
    bounds: Optional[tuple[float, float]] = (0.0, 1.0),
    **options: Any,
) -> Inference:
    """Run a test by name on per-record losses per split; pairs of partitions as in `compare`."""
    partitions = _partitions(partition)
    checked_a = [
        split_losses(loss, s, "loss_a", bounds)
        for loss, s in zip(_per_partition(loss_a, partitions, "loss_a"), partitions)
    ]
    checked_b = [
        split_losses(loss, s, "loss_b", bounds)
        for loss, s in zip(_per_partition(loss_b, partitions, "loss_b"), partitions)
    ]
    if procedure(test).data == "losses_and_folds":
        options = {"bounds": bounds, **options}
    return _run(procedure(test), partitions, checked_a, checked_b, options)


def zero_one_losses(truth: Any, predictions: Sequence[Any], partition: PartitionLike) -> Losses:
    """1 where a prediction differs from the truth, per split."""
    labels = _truth(truth, partition)
    guesses = _guesses(predictions, labels, partition)
    return [zero_one(labels[split.test], guess) for guess, split in zip(guesses, partition.splits)]


def split_losses(
    losses: Sequence[Any],
    partition: PartitionLike,
    name: str = "losses",
    bounds: Optional[tuple[float, float]] = (0.0, 1.0),
) -> Losses:
    """Losses per split, checked for length, bounds and finiteness."""
    _count(losses, partition, name)
    checked = []
    for number, (loss, split) in enumerate(zip(losses, partition.splits)):
        array = checks.losses(loss, f"{name} of split {number}", bounds)
        _length(array, split, number, name)
        checked.append(array)
    return checked


def split_means(losses: Losses, partition: PartitionLike) -> Floats:
    """Mean loss of each split, in the partition's shape."""
    return np.array([loss.mean() for loss in losses]).reshape(partition.shape)


def split_differences(loss_a: Losses, loss_b: Losses, partition: PartitionLike) -> Floats:
    """d = mean of loss_A - loss_B over the test records of each split, in the partition's shape.

    Where A and B lose the same but for rounding (below 1e-12 of the largest loss) d is 0: a test
    would find the noise of equal learners as regular as a difference.
    """
    return np.array([_mean_difference(a, b) for a, b in zip(loss_a, loss_b)]).reshape(
        partition.shape
    )


def _mean_difference(a: Floats, b: Floats) -> float:
    d = float(np.mean(a - b))
    return 0.0 if abs(d) <= SAME * max(np.abs(a).max(), np.abs(b).max()) else d


def contingency_tables(loss_a: Losses, loss_b: Losses, partition: PartitionLike) -> Floats:
    """(n00, n01, n10, n11) of each split: shape (*partition.shape, 4); needs 0/1 losses."""
    rows = []
    for a, b in zip(loss_a, loss_b):
        # Bit 1: B right, bit 0 doubled: A right; so 0 both wrong, 1 only A, 2 only B, 3 both right.
        code = 2 * (_binary(a) == 0) + (_binary(b) == 0)
        n00, n_b_right, n_a_right, n11 = np.bincount(code, minlength=4)[:4]
        rows.append((n00, n_b_right, n_a_right, n11))
    return np.array(rows, dtype=np.float64).reshape(*partition.shape, 4)


def error_counts(losses: Losses, partition: PartitionLike) -> Floats:
    """Number of wrong predictions of each split, in the partition's shape; needs 0/1 losses."""
    return np.array([_binary(loss).sum() for loss in losses]).reshape(partition.shape)


def record_losses(losses: Losses, partition: PartitionLike) -> tuple[Floats, NDArray[np.int64]]:
    """Loss of each record in the fold that tests it, and that fold's number (kfold and loo)."""
    if len(partition.shape) != 1 or partition.scheme not in ("kfold", "loo"):
        raise InputError(
            f"one loss per record needs a kfold or loo partition, not {partition.scheme}"
        )
    values = np.empty(partition.n)
    folds = np.empty(partition.n, dtype=np.int64)
    for number, (loss, split) in enumerate(zip(losses, partition.splits)):
        values[split.test] = loss
        folds[split.test] = number
    return values, folds


def confusion_matrices(
    truth: Any, predictions: Sequence[Any], partition: PartitionLike, positive: Any
) -> Floats:
    """(TP, FP, FN, TN) of each split for the class `positive`: shape (*partition.shape, 4).

    With more than two classes this is `positive` against the rest.
    """
    labels = _truth(truth, partition)
    is_positive = _is(labels, positive)
    if is_positive.shape != labels.shape or not is_positive.any():
        known = ", ".join(repr(c) for c in np.unique(labels)[:10].tolist())
        raise InputError(f"no record has the class {positive!r}; the classes are {known}")
    guesses = [_is(guess, positive) for guess in _guesses(predictions, labels, partition)]
    return np.asarray(code_confusions(is_positive, guesses, partition, 2)[1])


def _is(labels: NDArray[Any], positive: Any) -> NDArray[np.int64]:
    return np.asarray(labels == positive, dtype=bool).astype(np.int64)


def class_confusions(
    truth: Any, predictions: Sequence[Any], partition: PartitionLike, classes: Optional[Any] = None
) -> Floats:
    """One confusion matrix per class, one against the rest: shape (classes, *partition.shape, 4).

    `classes` defaults to the sorted classes of `truth`. Sum over the first axis for micro
    averages (`micro_confusions`); average the classes' F1 for macro ones (`macro_f1`).
    """
    names = np.unique(np.asarray(truth)) if classes is None else np.asarray(classes)
    return np.stack([confusion_matrices(truth, predictions, partition, c) for c in names])


def code_confusions(
    truth: NDArray[Any], predictions: Sequence[Any], partition: PartitionLike, classes: int
) -> Floats:
    """`class_confusions` of class codes from 0 to `classes` - 1; no class need have a record."""
    rows = [
        one_against_rest(truth[split.test], np.asarray(codes), classes)
        for codes, split in zip(predictions, partition.splits)
    ]
    stacked = np.stack(rows, axis=1).astype(np.float64)
    return np.asarray(stacked.reshape(classes, *partition.shape, 4))


def one_against_rest(truth: NDArray[Any], codes: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """(TP, FP, FN, TN) of each class against the rest, from class codes: shape (classes, 4)."""
    table = confusion(truth, codes, classes)
    hits = np.diag(table)
    false_positive, false_negative = table.sum(axis=0) - hits, table.sum(axis=1) - hits
    rest = len(truth) - hits - false_positive - false_negative
    return np.stack([hits, false_positive, false_negative, rest], axis=-1)


def micro_confusions(per_class: Any) -> Floats:
    """Micro average: the matrices of the classes (classes, ..., 4) added up."""
    return np.asarray(checks.floats(per_class, "per_class").sum(axis=0))


def macro_f1(per_class: Any) -> Any:
    """Macro F1 of each split: the mean of the classes' F1, NaN where one of them has none."""
    from cvinfer.inference.f1 import f1_scores

    return np.asarray(f1_scores(per_class)).mean(axis=0)


# --- from losses to the arguments of a test, by the kind of data it declares -------------------

Arguments = tuple[Any, ...]

Adapter = Callable[[Sequence[PartitionLike], list[Losses], list[Losses]], Arguments]


def _differences(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    return (split_differences(a[0], b[0], partitions[0]),)


def _differences_and_sizes(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    return (split_differences(a[0], b[0], partitions[0]), *_total_sizes(partitions[0]))


def _total_sizes(partition: PartitionLike) -> tuple[int, int]:
    # Fold sizes may differ by one record; the mean split is what n1 and n2 stand for. Sizes are
    # whole numbers in the formula's source, so the total of train and test sizes is passed on:
    # only their ratio n2/n1 enters.
    train, test = partition.sizes.reshape(-1, 2).sum(axis=0)
    return int(train), int(test)


def _differences_and_halves(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    d = split_differences(a[0], b[0], partitions[0])
    return (d, split_differences(a[1], b[1], partitions[1]).mean(axis=-1))


def _tables(partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]) -> Arguments:
    return (contingency_tables(a[0], b[0], partitions[0]),)


def _losses_and_folds(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    loss_a, folds = record_losses(a[0], partitions[0])
    loss_b, _ = record_losses(b[0], partitions[0])
    return (loss_a, loss_b, folds)


def _error_counts(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    partition = partitions[0]
    return (error_counts(a[0], partition), error_counts(b[0], partition), partition.sizes[..., 1])


def _error_rates(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    partition_a, partition_b = partitions
    return (
        split_means(a[0], partition_a).mean(),
        split_means(b[1], partition_b).mean(),
        partition_a.n,
    )


def _fold_error_rates(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    partition_a, partition_b = partitions
    rates = (split_means(a[0], partition_a), split_means(b[1], partition_b))
    return (*rates, partition_a.sizes[..., 1], partition_b.sizes[..., 1])


def _record_differences(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    return (split_differences(a[0], b[0], partitions[0]),)


def _total_error_counts(
    partitions: Sequence[PartitionLike], a: list[Losses], b: list[Losses]
) -> Arguments:
    partition = partitions[0]
    return (error_counts(a[0], partition).sum(), error_counts(b[0], partition).sum(), partition.n)


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

#: What tests on differences of splits take beside them, by the kind of data they declare.
OF_DIFFERENCES: dict[str, Callable[[PartitionLike], Arguments]] = {
    "differences": lambda partition: (),
    "differences_and_sizes": _total_sizes,
}


# --- the same for intervals on the values of one learner ------------------------------------------


def _values_and_sizes(partitions: Sequence[PartitionLike], values: list[Losses]) -> Arguments:
    return (split_means(values[0], partitions[0]).ravel(), *_total_sizes(partitions[0]))


def _values_and_halves(partitions: Sequence[PartitionLike], values: list[Losses]) -> Arguments:
    halves = split_means(values[1], partitions[1])
    return (split_means(values[0], partitions[0]).ravel(), halves.mean(axis=-1))


def _nested_losses(partitions: Sequence[PartitionLike], values: list[Losses]) -> Arguments:
    """The losses by repetition, outer fold and record, and the fold of each record."""
    (partition,) = partitions
    r, k, _ = partition.shape
    losses = np.empty((r, k, partition.n))
    folds = np.empty((r, partition.n), dtype=np.int64)
    for at, (loss, split) in enumerate(zip(values[0], partition.splits)):
        if loss.shape != split.test.shape:
            raise InputError("nested cross-validation needs a loss of each record")
        repetition, outer, inner = np.unravel_index(at, partition.shape)
        losses[repetition, outer, split.test] = loss
        folds[repetition, split.test] = inner
    return (losses, folds)


ValueAdapter = Callable[[Sequence[PartitionLike], list[Losses]], Arguments]
VALUE_ADAPTERS: dict[str, ValueAdapter] = {
    "values_and_sizes": _values_and_sizes,
    "values_and_halves": _values_and_halves,
    "nested_losses": _nested_losses,
}


def value_arguments(
    declared: Procedure, partitions: Sequence[PartitionLike], values: list[Losses]
) -> Arguments:
    """The arguments of an interval for any measure, from its values on each split.

    `values` has one entry for each of the partitions that it needs: for each split the losses of
    its test records, or one value where only the split has one.
    """
    return VALUE_ADAPTERS[declared.data](partitions, values)


def _run(
    declared: Procedure,
    partitions: Sequence[PartitionLike],
    loss_a: list[Losses],
    loss_b: list[Losses],
    options: Any,
) -> Inference:
    """Check the partitions against what the test needs, make its arguments and call it."""
    whole = partitions
    partitions, places = _served(declared, whole)
    if partitions is not whole:
        loss_a, loss_b = ([[losses[0][at] for at in places]] for losses in (loss_a, loss_b))
    if len({partition.n for partition in partitions}) > 1:
        numbers = " and ".join(str(partition.n) for partition in partitions)
        raise InputError(
            f"{declared.name} needs partitions of the same records, got {numbers} records"
        )
    arguments = ADAPTERS[declared.data](partitions, loss_a, loss_b)
    result: Inference = declared.function(*arguments, **options)
    # Wong's independent tests take B's losses from B's own folds, the second partition.
    last = 1 if declared.data in ("error_rates", "fold_error_rates") else 0
    means = {
        "loss_a": float(split_means(loss_a[0], partitions[0]).mean()),
        "loss_b": float(split_means(loss_b[last], partitions[last]).mean()),
    }
    sizes = [partition.sizes.tolist() for partition in partitions]
    # What the splits were, not what the test would have planned.
    result = replace(result, scheme=" + ".join(partition.scheme for partition in partitions))
    known = {key: value for key, value in means.items() if key not in result.extra}
    return result.with_extra(sizes=sizes[0] if len(sizes) == 1 else sizes, **known)


def compare_values(
    test: str,
    partition: Union[PartitionLike, Sequence[PartitionLike]],
    values_a: Sequence[Any],
    values_b: Sequence[Any],
    better: str = HIGHER,
    **options: Any,
) -> Inference:
    """Run a test by name on one value for each split, such as an AUC; pairs as in `compare`.

    `better` says whether a "higher" or a "lower" one is. d = values_B - values_A where higher is
    better, values_A - values_B otherwise: positive always means that A is worse. `loss_a` and
    `loss_b` of the result are the mean values on their own scale.
    """
    declared = procedure(test)
    if takes(declared) != VALUES:
        raise InputError(
            f"{declared.name} needs {takes(declared)}, which one value for each split does not tell"
        )
    sign = -1.0 if checks.choice(better, "better", (LOWER, HIGHER)) == HIGHER else 1.0
    partitions = _partitions(partition)
    turned = [
        [
            _split_values(values, s, name, sign)
            for values, s in zip(_per_partition(given, partitions, name), partitions)
        ]
        for given, name in ((values_a, "values_a"), (values_b, "values_b"))
    ]
    found = _run(declared, partitions, turned[0], turned[1], options)
    own = {key: sign * found.extra[key] + 0.0 for key in ("loss_a", "loss_b")}
    return found.with_extra(**own)


def _split_values(values: Any, partition: PartitionLike, name: str, sign: float) -> Losses:
    """The values of all splits as losses, each of a split that is one record."""
    array = checks.floats(values, name)
    if array.size != len(partition.splits):
        raise InputError(
            f"{name} must have one value for each of the {len(partition.splits)} splits,"
            f" got {array.size}"
        )
    return list(sign * array.reshape(-1, 1))


def compare_differences(test: str, partition: PartitionLike, d: Any, **options: Any) -> Inference:
    """Run a test by name on the differences of all splits, in the shape of the partition.

    For tests that take differences alone; `compare` and `compare_losses` know the records.
    """
    declared = procedure(test)
    found, numbers = _served(declared, [partition])
    served = found[0]
    if declared.data not in OF_DIFFERENCES:
        raise InputError(
            f"{declared.name} needs the outcome for each record, which differences of splits do "
            "not tell; cvinfer.inference.compare makes it from predictions"
        )
    every = checks.floats(d, "d")
    if every.shape != tuple(partition.shape):
        raise InputError(f"d must have the partition's shape {partition.shape}, got {every.shape}")
    every = every.reshape(-1)[np.asarray(numbers)].reshape(served.shape)
    sizes = OF_DIFFERENCES[declared.data](served)
    result: Inference = declared.function(every, *sizes, **options)
    return replace(result, scheme=served.scheme).with_extra(sizes=served.sizes.tolist())


def _served(
    declared: Procedure, partitions: Sequence[PartitionLike]
) -> tuple[Sequence[PartitionLike], Sequence[int]]:
    """What a test is made on there, with the numbers of its splits: these partitions, or one that
    theirs holds whole, as a blocked 5×2 holds a blocked 3×2."""
    if declared.kind != "test":
        raise InputError(f"{declared.name} is an interval for one learner, not a test")
    if taken(declared, partitions):
        return partitions, range(len(partitions[0].splits))
    for inner, numbers in partitions[0].inside() if len(partitions) == 1 else ():
        if taken(declared, [inner]):
            return [inner], numbers
    got = " + ".join(_described(partition) for partition in partitions)
    raise InputError(f"{declared.name} needs the scheme {declared.scheme}, got {got}")


def _described(partition: PartitionLike) -> str:
    settings = ", ".join(f"{k}={v}" for k, v in partition.options.items() if v is not False)
    return f"{partition.scheme}({settings})"


def _partitions(partition: Union[PartitionLike, Sequence[PartitionLike]]) -> list[PartitionLike]:
    several = isinstance(partition, (list, tuple))
    return list(partition) if several else [partition]  # type: ignore


def _per_partition(
    values: Sequence[Any], partitions: list[PartitionLike], name: str
) -> list[Sequence[Any]]:
    if len(partitions) == 1:
        return [values]
    if len(values) != len(partitions):
        raise InputError(f"{name} must have one entry for each of the {len(partitions)} partitions")
    return list(values)


def _truth(truth: Any, partition: PartitionLike) -> NDArray[Any]:
    """The class of each of the n records."""
    labels = np.asarray(truth)
    if labels.shape != (partition.n,):
        raise InputError(f"truth must hold {partition.n} class labels, got shape {labels.shape}")
    _complete(labels, "truth")
    return labels


def _guesses(
    predictions: Sequence[Any], labels: NDArray[Any], partition: PartitionLike
) -> list[NDArray[Any]]:
    """Predictions per split, checked for number, length, gaps and comparability with the truth."""
    _count(predictions, partition, "predictions")
    guesses = []
    for number, (predicted, split) in enumerate(zip(predictions, partition.splits)):
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


def _count(values: Sequence[Any], partition: PartitionLike, name: str) -> None:
    if len(values) != len(partition.splits):
        raise InputError(
            f"{name} must have one array for each of the {len(partition.splits)} splits,"
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
