"""Which partitions each test and interval uses, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Sequence

from cvinfer.data.dataset import DataLike, Dataset
from cvinfer.data.given import GIVEN, Asked
from cvinfer.data.groups import group_column, refuse_cut_groups
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.inference import Need, Procedure, procedure
from cvinfer.inference.needs import suitable
from cvinfer.partitions import Partition, PartitionError, make_partition
from cvinfer.spec.model import SchemeRequest, Spec, TestRequest


@dataclass(frozen=True)
class Use:
    """One test or interval on one data set: `partitions` are indices into `RunPlan.partitions`.

    `failed` says why it cannot be made where the partitions are given and none suits it.
    """

    request: TestRequest
    partitions: tuple[int, ...]
    naive: int
    failed: Optional[str] = None


def allocate(
    spec: Spec, dataset: DataLike, given: Optional[list[Partition]], fixed: bool = False
) -> tuple[list[Partition], list[Use], list[Use]]:
    """Which partitions each test and interval uses.

    `given` are the partitions that the spec names. With `fixed` nothing can be fitted any more:
    none is added, and what suits none of them is kept as a use that says so.
    """
    pool = _Pool(spec, dataset, given, fixed)
    uses = [_use(request, pool.for_test, pool, fixed) for request in spec.tests]
    intervals = [_use(request, pool.for_interval, pool, fixed) for request in spec.intervals]
    return pool.partitions, uses, intervals


def partitions_for(request: SchemeRequest, dataset: Dataset, spec: Spec) -> list[Partition]:
    """The partitions of a scheme that the spec names (several where a file holds several)."""
    options = dict(request.options)
    column = group_column(options.pop("groups", None), dataset.group_column)
    given = GIVEN.get(request.scheme)
    if given is not None:
        try:
            partitions = given.read(Asked(options, spec.base), dataset)
            for partition in partitions:
                refuse_cut_groups(partition, dataset, column)
        except (PartitionError, UserError) as error:
            raise UserError(str(error), path=("partition",)) from None
        return [_grouped_by(partition, column) for partition in partitions]
    if options.get("stratify") is True:
        options["stratify"] = dataset.target
    else:
        options.pop("stratify", None)
    return [_made(request.scheme, dataset, spec.seed, options, column)]


def _grouped_by(partition: Partition, column: Optional[str]) -> Partition:
    """The partition with the name of its groups, where a scheme only knows that there are some."""
    return (
        partition
        if column is None
        else replace(partition, options={**partition.options, "groups": column})
    )


def own_folds(partition: Partition, seed: int, dataset: Optional[DataLike] = None) -> Partition:
    """A second K-fold, independent of the first: replication 2 of the repeated K-fold.

    It is stratified and grouped as the first one is, which takes the data set.
    """
    k = partition.options["k"]
    like: dict[str, Any] = {}
    if partition.options.get("stratify"):
        assert dataset is not None
        like["stratify"] = dataset.truth
    if partition.options.get("groups"):
        assert dataset is not None
        like["groups"] = dataset.groups_by(partition.options["groups"])
    second = make_partition("repeated_kfold", partition.n, seed=seed, r=2, k=k, **like).take([1])
    options = {**partition.options, "replication": 2}
    return Partition("kfold", partition.n, (k,), second.splits, seed, options)


def _use(
    request: TestRequest,
    choose: Callable[[Procedure], tuple[int, ...]],
    pool: "_Pool",
    fixed: bool,
) -> Use:
    try:
        indices = choose(procedure(request.name))
    except UserError as error:
        if not fixed:
            raise
        return Use(request, (), 0, failed=str(error))
    return Use(request, indices, sum(len(pool.partitions[i].splits) for i in indices))


def requested(spec: Spec, dataset: Dataset) -> Optional[list[Partition]]:
    if spec.partition is None:
        return None
    return [
        partition
        for request in spec.partition
        for partition in partitions_for(request, dataset, spec)
    ]


class _Pool:
    """The partitions of one data set, each made once."""

    def __init__(
        self, spec: Spec, dataset: DataLike, given: Optional[list[Partition]], fixed: bool
    ) -> None:
        self.spec, self.dataset, self.given, self.fixed = spec, dataset, given, fixed
        self.partitions: list[Partition] = list(given or [])
        self._made: dict[str, int] = {}

    def for_test(self, declared: Procedure) -> tuple[int, ...]:
        indices: list[int] = []
        for need in declared.needs:
            if self.given is None:
                index = self._auto(need)
            else:
                index = self._accepted((need,), declared, indices)
            indices.append(self._second(index, declared) if index in indices else index)
        return tuple(indices)

    def for_interval(self, declared: Procedure) -> tuple[int, ...]:
        if self.given is None:
            return tuple(self._auto(need) for need in declared.planned)
        if declared.together:
            return self.for_test(declared)
        return (self._accepted(declared.needs, declared, []),)

    def _accepted(self, needs: Sequence[Need], declared: Procedure, taken: Sequence[int]) -> int:
        """The given partition that suits best: most wanted options, then not taken yet, then first.

        One of the scheme that is needed comes before one that is only accepted.
        """
        for need in needs:
            there = suitable(need, self.partitions)
            valid = [i for i, p in enumerate(self.partitions) if any(p is each for each in there)]
            meant = [i for i in valid if self.partitions[i].scheme == need.scheme]
            if valid:
                wanted = self._wanted(need)
                return max(
                    meant or valid,
                    key=lambda i: (self._agreement(i, wanted), i not in taken, -i),
                )
        where = "the predictions are of" if self.fixed else "partition has"
        offered = (
            ", ".join(dict.fromkeys(partition.label for partition in self.partitions)) or "nothing"
        )
        key = "tests" if declared.kind == "test" else "intervals"
        raise UserError(
            f"{declared.name} needs the scheme {declared.scheme}; {where} {offered}",
            path=(key, declared.name),
        )

    def _wanted(self, need: Need) -> JsonObject:
        """The options of a need as a partition has them: a share of n has become a number."""
        try:
            made = make_partition(need.scheme, self.dataset.n, seed=0, **need.options)
        except PartitionError:
            return {}
        return {name: made.options.get(name) for name in need.options}

    def _agreement(self, index: int, wanted: JsonObject) -> int:
        return sum(_agrees(self.partitions[index], name, value) for name, value in wanted.items())

    def _auto(self, need: Need) -> int:
        text = f"{need.scheme} {sorted((k, str(v)) for k, v in need.options.items())}"
        if text not in self._made:
            column = self.dataset.group_column
            partition = _made(need.scheme, self.dataset, self.spec.seed, need.options, column)
            self._made[text] = len(self.partitions)
            self.partitions.append(partition)
        return self._made[text]

    def _second(self, index: int, declared: Procedure) -> int:
        if self.fixed:
            raise UserError(
                f"{declared.name} needs folds of its own for each learner, two"
                f" {self.partitions[index].scheme} partitions; the predictions have one",
                path=("tests", declared.name),
            )
        text = f"own folds of {index}"
        if text not in self._made:
            self._made[text] = len(self.partitions)
            self.partitions.append(own_folds(self.partitions[index], self.spec.seed, self.dataset))
        return self._made[text]


def _agrees(partition: Partition, option: str, value: Any) -> bool:
    """Whether a partition has an option's value; n1 of grouped hold-outs in a file is near enough.

    They differ in size, and what was asked for is not written there. Whole groups come within n/10
    of it.
    """
    if option == "n1" and option not in partition.options and value is not None:
        mean = partition.sizes.reshape(-1, 2)[:, 0].mean()
        return bool(abs(mean - value) <= max(1, partition.n / 10))
    return bool(partition.options.get(option) == value)


def _made(
    scheme: str, dataset: DataLike, seed: int, options: JsonObject, column: Optional[str]
) -> Partition:
    grouped = {} if column is None else {"groups": dataset.groups_by(column)}
    try:
        partition = make_partition(scheme, dataset.n, seed=seed, **options, **grouped)
    except PartitionError as error:
        raise UserError(str(error), path=("partition",)) from None
    return _grouped_by(partition, column)
