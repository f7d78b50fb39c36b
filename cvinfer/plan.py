"""Tests → the schemes they need → splits → the set of distinct fits.

Ten tests on one scheme cost one scheme. Fits are told apart by what they are (data, learner with
all settings, split, seed), so whatever two schemes have in common is fitted once: the first K-fold
of a repeated K-fold, the first hold-out, the blocked 3×2 inside a blocked 5×2.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, Callable, Collection, Iterable, Mapping, Optional, Protocol, Sequence

import numpy as np

from cvinfer.data.dataset import Dataset
from cvinfer.data.groups import group_column, refuse_cut_groups
from cvinfer.errors import UserError
from cvinfer.inference import Need, Procedure, procedure
from cvinfer.partitions import PartitionError, Plan, Split, make_plan
from cvinfer.spec.model import SchemeRequest, Spec, TestRequest


class Known(Protocol):
    """A store of fits, as far as the planner asks it."""

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of the keys are stored."""


@dataclass(frozen=True)
class Use:
    """One test or interval on one data set: `plans` are indices into `RunPlan.plans`.

    `failed` says why it cannot be made where the partitions are given and none suits it.
    """

    request: TestRequest
    plans: tuple[int, ...]
    naive: int
    failed: Optional[str] = None


@dataclass(frozen=True)
class Fit:
    """One learner on one split, number `number` of plan `plan`; `key` is its place in the store."""

    learner: str
    plan: int
    number: int
    split_key: str
    key: str
    seed: int


@dataclass(frozen=True)
class RunPlan:
    """Everything that has to be fitted for one data set, and what it is for."""

    dataset: Dataset
    plans: tuple[Plan, ...]
    uses: tuple[Use, ...]
    interval_uses: tuple[Use, ...]
    fits: tuple[Fit, ...]
    naive: int
    split_keys: tuple[tuple[str, ...], ...]
    needed: tuple[tuple[str, int], ...]

    def fit_keys(self) -> dict[tuple[str, str], str]:
        """(learner, split key) → key in the store."""
        return {(fit.learner, fit.split_key): fit.key for fit in self.fits}


def split_key(n: int, split: Split) -> str:
    """sha256 of a split's records, the same on every platform."""
    train = np.ascontiguousarray(split.train, dtype="<i8")
    test = np.ascontiguousarray(split.test, dtype="<i8")
    digest = hashlib.sha256(f"cvinfer split n={n} train={len(train)} test={len(test)}\n".encode())
    digest.update(train.tobytes())
    digest.update(test.tobytes())
    return digest.hexdigest()


def fit_seed(seed: int, settings: Mapping[str, Any], split: str) -> int:
    """A seed below 2³² for one fit, keyed by what it is: order and other learners move nothing."""
    text = json.dumps([seed, settings, split], sort_keys=True, ensure_ascii=False)
    words = np.frombuffer(
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), dtype="<u4"
    )
    sequence = np.random.SeedSequence(entropy=seed, spawn_key=tuple(int(w) for w in words))
    return int(sequence.generate_state(1, np.uint32)[0])


def plan_run(
    spec: Spec, dataset: Dataset, versions: Optional[Mapping[str, Mapping[str, str]]] = None
) -> RunPlan:
    """The distinct fits of a spec on one data set; `versions` by learner go into the keys."""
    plans, uses, interval_uses = allocate(spec, dataset, _requested(spec, dataset))
    keys = tuple(tuple(split_key(dataset.n, s) for s in plan.splits) for plan in plans)
    needed = _needed(spec, uses, interval_uses)
    fits = _fits(spec, dataset, keys, needed, versions or {})
    naive = sum(
        use.naive for learner in spec.learners for use in _uses_of(spec, learner, uses)
    ) + len(spec.learners) * sum(use.naive for use in interval_uses)
    return RunPlan(
        dataset, tuple(plans), tuple(uses), tuple(interval_uses), fits, naive, keys, needed
    )


def plan_summary(
    plans: Sequence[Optional[RunPlan]], store: Optional[Known] = None
) -> dict[str, Any]:
    """How many fits there are: naive (every test by itself), distinct, and stored already.

    `learners` has a row per data set and learner, `tests` one per data set, learner and test or
    interval. There `distinct` counts the fits that no row above it has, so that the columns add
    up; `stored` counts those of them that need not be made.
    """
    planned = [plan for plan in plans if plan is not None]
    every = {fit.key for plan in planned for fit in plan.fits}
    stored = store.known(every) if store is not None else set()
    tests: list[dict[str, Any]] = []
    learners: list[dict[str, Any]] = []
    seen: set[str] = set()
    for plan in planned:
        for learner in dict.fromkeys(learner for learner, _ in plan.needed):
            rows = _rows(plan, learner, stored, seen)
            tests += rows
            counts = {each: sum(row[each] for row in rows) for each in COUNTS}
            learners.append({"data": plan.dataset.name, "learner": learner, **counts})
    return {
        "fits": {
            "naive": sum(plan.naive for plan in planned),
            "distinct": len(every),
            "stored": len(stored),
        },
        "learners": learners,
        "tests": tests,
        "partitions": [
            {"data": plan.dataset.name, "scheme": one.scheme, "label": label(one)}
            for plan in planned
            for one in plan.plans
        ],
    }


def label(plan: Plan) -> str:
    """What a partition is called in words."""
    shape = plan.shape
    first = shape[0] if shape else 1
    names = {
        "holdout": "hold-out",
        "repeated_holdout": f"{first} hold-outs",
        "kfold": f"{first}-fold",
        "repeated_kfold": "×".join(map(str, shape)) + "-fold",
        "random_mx2": f"random {first}×2",
        "blocked_mx2": f"blocked {first}×2",
        "loo": "leave-one-out",
        "paired_halves": f"{first} paired halvings",
    }
    name = names.get(plan.scheme, plan.scheme)
    if plan.scheme.endswith("holdout"):
        # Whole groups train, so that grouped hold-outs differ in size.
        sizes = plan.sizes.reshape(-1, 2)
        low, high = int(sizes[:, 0].min()), int(sizes[:, 0].max())
        trained = f"{low if low == high else f'{low} to {high}'} for training"
        name += f", {trained}" if high else f", {int(sizes[0, 1]):,} records tested"
    if plan.options.get("replication"):
        name += ", folds of its own"
    for option, word in (("stratify", "stratified"), ("groups", "grouped")):
        if plan.options.get(option):
            name += f", {word}"
    return name


def plan_for(request: SchemeRequest, dataset: Dataset, spec: Spec) -> list[Plan]:
    """The plans of a scheme that the spec names (several where a file holds several)."""
    options = dict(request.options)
    column = group_column(options.pop("groups", None), dataset.group_column)
    if request.scheme == "file":
        from cvinfer.data.splits_file import read_splits

        plans = list(read_splits(spec.base / str(options["path"]), dataset.n))
        try:
            for plan in plans:
                refuse_cut_groups(plan, dataset, column)
        except PartitionError as error:
            raise UserError(str(error), path=("partition",)) from None
        return [_grouped_by(plan, column) for plan in plans]
    if options.get("stratify") is True:
        options["stratify"] = dataset.target
    else:
        options.pop("stratify", None)
    return [_made(request.scheme, dataset, spec.seed, options, column)]


def _grouped_by(plan: Plan, column: Optional[str]) -> Plan:
    """The plan with the name of its groups, where a scheme only knows that there are some."""
    return plan if column is None else replace(plan, options={**plan.options, "groups": column})


def own_folds(plan: Plan, seed: int, dataset: Any = None) -> Plan:
    """A second K-fold, independent of the first: replication 2 of the repeated K-fold.

    It is stratified and grouped as the first one is.
    """
    k, like = plan.options["k"], {}
    if plan.options.get("stratify"):
        like["stratify"] = dataset.target
    if plan.options.get("groups"):
        like["groups"] = dataset.groups_by(plan.options["groups"])
    second = make_plan("repeated_kfold", plan.n, seed=seed, r=2, k=k, **like).take([1])
    options = {**plan.options, "replication": 2}
    return Plan("kfold", plan.n, (k,), second.splits, seed, options)


def allocate(
    spec: Spec, dataset: Any, given: Optional[list[Plan]], fixed: bool = False
) -> tuple[list[Plan], list[Use], list[Use]]:
    """Which plans each test and interval uses.

    `given` are the plans that the spec names. With `fixed` nothing can be fitted any more: no plan
    is added, and what suits none of them is kept as a use that says so.
    """
    pool = _Pool(spec, dataset, given, fixed)
    uses = [_use(request, pool.for_test, pool, fixed) for request in spec.tests]
    intervals = [_use(request, pool.for_interval, pool, fixed) for request in spec.intervals]
    return pool.plans, uses, intervals


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
    return Use(request, indices, sum(len(pool.plans[i].splits) for i in indices))


def _requested(spec: Spec, dataset: Dataset) -> Optional[list[Plan]]:
    if spec.partition is None:
        return None
    return [plan for request in spec.partition for plan in plan_for(request, dataset, spec)]


class _Pool:
    """The plans of one data set, each made once."""

    def __init__(self, spec: Spec, dataset: Any, given: Optional[list[Plan]], fixed: bool) -> None:
        self.spec, self.dataset, self.given, self.fixed = spec, dataset, given, fixed
        self.plans: list[Plan] = list(given or [])
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
            return (self._auto(declared.needs[0]),)
        return (self._accepted(declared.needs, declared, []),)

    def _accepted(self, needs: Sequence[Need], declared: Procedure, taken: Sequence[int]) -> int:
        """The given plan that suits best: most wanted options, then not taken yet, then first.

        One of the scheme that is needed comes before one that is only accepted.
        """
        for need in needs:
            valid = [i for i, p in enumerate(self.plans) if need.accepts(p.scheme, p.options)]
            meant = [i for i in valid if self.plans[i].scheme == need.scheme]
            if valid:
                wanted = self._wanted(need)
                return max(
                    meant or valid,
                    key=lambda i: (self._agreement(i, wanted), i not in taken, -i),
                )
        where = "the predictions are of" if self.fixed else "partition has"
        offered = ", ".join(dict.fromkeys(label(plan) for plan in self.plans)) or "nothing"
        key = "tests" if declared.kind == "test" else "intervals"
        raise UserError(
            f"{declared.name} needs the scheme {declared.scheme}; {where} {offered}",
            path=(key, declared.name),
        )

    def _wanted(self, need: Need) -> Mapping[str, Any]:
        """The options of a need as a plan has them: a share of n has become a number."""
        try:
            made = make_plan(need.scheme, self.dataset.n, seed=0, **need.options)
        except PartitionError:
            return {}
        return {name: made.options.get(name) for name in need.options}

    def _agreement(self, index: int, wanted: Mapping[str, Any]) -> int:
        return sum(_agrees(self.plans[index], name, value) for name, value in wanted.items())

    def _auto(self, need: Need) -> int:
        text = f"{need.scheme} {sorted((k, str(v)) for k, v in need.options.items())}"
        if text not in self._made:
            column = self.dataset.group_column
            plan = _made(need.scheme, self.dataset, self.spec.seed, need.options, column)
            self._made[text] = len(self.plans)
            self.plans.append(plan)
        return self._made[text]

    def _second(self, index: int, declared: Procedure) -> int:
        if self.fixed:
            raise UserError(
                f"{declared.name} needs folds of its own for each learner, two"
                f" {self.plans[index].scheme} partitions; the predictions have one",
                path=("tests", declared.name),
            )
        text = f"own folds of {index}"
        if text not in self._made:
            self._made[text] = len(self.plans)
            self.plans.append(own_folds(self.plans[index], self.spec.seed, self.dataset))
        return self._made[text]


def _agrees(plan: Plan, option: str, value: Any) -> bool:
    """Whether a plan has an option's value; n1 of grouped hold-outs in a file is near enough.

    They differ in size, and what was asked for is not written there. Whole groups come within n/10
    of it.
    """
    if option == "n1" and option not in plan.options and value is not None:
        mean = plan.sizes.reshape(-1, 2)[:, 0].mean()
        return bool(abs(mean - value) <= max(1, plan.n / 10))
    return bool(plan.options.get(option) == value)


def _made(
    scheme: str, dataset: Any, seed: int, options: Mapping[str, Any], column: Optional[str]
) -> Plan:
    grouped = {} if column is None else {"groups": dataset.groups_by(column)}
    try:
        plan = make_plan(scheme, dataset.n, seed=seed, **options, **grouped)
    except PartitionError as error:
        raise UserError(str(error), path=("partition",)) from None
    return _grouped_by(plan, column)


COUNTS = ("naive", "distinct", "stored")


def _rows(
    plan: RunPlan, learner: str, stored: Collection[str], seen: set[str]
) -> list[dict[str, Any]]:
    """A row per test and interval; `seen` has the fits of the rows before, and gets these too."""
    keys = plan.fit_keys()
    rows = []
    for kind, uses in (("test", plan.uses), ("interval", plan.interval_uses)):
        for use in uses:
            if any((learner, index) not in plan.needed for index in use.plans):
                continue
            wanted = {keys[learner, split] for i in use.plans for split in plan.split_keys[i]}
            new = wanted - seen
            seen |= wanted
            rows.append(
                {
                    "data": plan.dataset.name,
                    "learner": learner,
                    kind: use.request.name,
                    "partitions": [label(plan.plans[i]) for i in use.plans],
                    "naive": use.naive,
                    "distinct": len(new),
                    "stored": len(new.intersection(stored)),
                }
            )
    return rows


def _uses_of(spec: Spec, learner: str, uses: Sequence[Use]) -> Sequence[Use]:
    """The tests that a learner takes part in."""
    return uses if any(learner in pair for pair in spec.pairs) else ()


def _needed(
    spec: Spec, uses: Sequence[Use], interval_uses: Sequence[Use]
) -> tuple[tuple[str, int], ...]:
    """(learner, plan) to be fitted: what is compared on the tests' plans, all on the intervals'."""
    return tuple(
        (learner, index)
        for learner in spec.learners
        for index in sorted(
            {i for use in (*_uses_of(spec, learner, uses), *interval_uses) for i in use.plans}
        )
    )


def _fits(
    spec: Spec,
    dataset: Dataset,
    keys: Sequence[Sequence[str]],
    needed: Sequence[tuple[str, int]],
    versions: Mapping[str, Mapping[str, str]],
) -> tuple[Fit, ...]:
    fits: dict[tuple[str, str], Fit] = {}
    settings = {name: learner.settings() for name, learner in spec.learners.items()}
    for name, index in needed:
        for number, split in enumerate(keys[index]):
            if (name, split) not in fits:
                seed = fit_seed(spec.seed, settings[name], split)
                content = {
                    "data": dataset.sha256,
                    "impute": dataset.impute,
                    "learner": settings[name],
                    "split": split,
                    "seed": seed,
                    "versions": dict(versions.get(name, {})),
                }
                text = json.dumps(content, sort_keys=True, ensure_ascii=False)
                key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
                fits[name, split] = Fit(name, index, number, split, key, seed)
    return tuple(fits.values())
