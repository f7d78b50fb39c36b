"""From the table of a source to a data set: columns, missing values, classes, a sample.

The order is fixed: columns are chosen, records without a label or with missing values dropped,
classes joined in two, then the sample is drawn, so that a sample of n has n records and is
stratified by its own classes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer import limits
from cvinfer.errors import UserError
from cvinfer.partitions.streams import stream

from .names import address_fault, encoding_fault
from .dataset import Column, Dataset, Texts, categories, content_hash, sorted_classes
from .files import absent, listed, unknown
from .groups import drop_or_refuse, group_places, groups_note, read_groups
from .table import Table, choose, names_in, nearly_numeric, numbers

__all__ = ["finish", "option_faults"]

_SAMPLE = ("n", "replace", "stratify")
_DASHES = "-\u2013\u2014"
_SHOWN = 5
_LIKE_MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "?")

Codes = NDArray[np.int32]


def finish(table: Table, spec: Mapping[str, Any], seed: int, groups: Iterable[str] = ()) -> Dataset:
    """The data set that a data mapping asks for; `groups` are columns that partitions group by."""
    if table.n == 0:
        raise UserError("the data has no records; below the header there must be some", ())
    notes = list(table.notes)
    places = group_places(spec, groups)
    groupings = read_groups(table, places, spec.get("drop") or [], notes)
    features = _features(table, spec, places, notes)
    codes, labels = categories(_without_empty(table.labels))
    labelled = _labelled(table, codes, spec, notes)
    ungrouped = drop_or_refuse(groupings, places, spec.get("missing"), labelled)
    stay = _without_missing(table, features, labelled, ungrouped, spec.get("missing"), notes)
    if stay is not None:
        features, codes = [column.take(stay) for column in features], codes[stay]
        groupings = [each.take(stay) for each in groupings]
    codes, classes = sorted_classes(codes, labels)
    notes.extend(_doubtful_labels(codes, classes, str(spec.get("source"))))
    _need_two(classes, f"target {table.target!r}", ("target",))
    levels = tuple(filter(None, table.class_levels))
    if spec.get("binarize") is not None:
        codes, classes = _binarize(codes, classes, spec["binarize"])
        levels = ()
    if spec.get("sample") is not None:
        columns = 1 + len(features)
        grouped = bool(groupings)
        chosen = _sample(codes, classes, spec["sample"], seed, notes, columns, grouped)
        features = [column.take(chosen) for column in features]
        groupings = [each.take(chosen) for each in groupings]
        before = classes
        codes, classes = sorted_classes(codes[chosen], classes)
        gone = [label for label in before if label not in classes]
        if gone:
            notes.append(f"no record of class {listed(gone)} is in the sample")
        _need_two(classes, "the sample", ("sample",), "; draw more records or stratify: true")
    _refuse_bare(features)
    if levels == classes:
        levels = ()
    digest = content_hash(features, codes, classes, table.target, levels, groupings)
    return Dataset(
        name=str(spec.get("name") or table.name),
        features=tuple(features),
        target=codes,
        classes=classes,
        target_name=table.target,
        sha256=digest,
        source=dict(spec),
        notes=(*notes, *map(groups_note, groupings)),
        impute=spec.get("missing") == "impute",
        class_levels=levels,
        group_column=spec.get("groups"),
        groupings=tuple(groupings),
        rights=table.rights,
        left_out=0 if stay is None else table.n - len(stay),
    )


def _need_two(
    classes: Sequence[str], where: str, path: tuple[object, ...], remedy: str = ""
) -> None:
    if len(classes) < 2:
        only = f"only the class {classes[0]!r}" if classes else "no class"
        raise UserError(f"{where} holds {only}; at least two are needed{remedy}", path)


def _features(
    table: Table, spec: Mapping[str, Any], groups: Collection[str], notes: list[str]
) -> list[Column]:
    keep, drop = spec.get("keep") or [], spec.get("drop") or []
    names = choose(list(table.columns), table.target, keep, drop, groups)
    if not names:
        beside = "the target and the groups" if groups else "the target"
        raise UserError(
            f"no feature column is left beside {beside}; look at keep and drop",
            ("keep",) if keep else ("drop",) if drop else (),
        )
    if "" in names:
        raise UserError(
            f"column {list(table.columns).index('') + 1} has no name, as a row number often has "
            "none; name it, or say drop: ['']",
            ("drop",),
        )
    features = [table.columns[name]() for name in names]
    notes.extend(filter(None, map(nearly_numeric, features)))
    return features


# Missing values -----------------------------------------------------------------------------------


def _refuse_bare(features: Sequence[Column]) -> None:
    for column in features:
        first = column.take(np.zeros(min(1, len(column.values)), dtype=np.int64))
        if first.missing.all() and column.missing.all():
            raise UserError(
                f"column {column.name!r} has no value in any record; say drop: [{column.name}]",
                ("drop",),
            )


def _without_empty(labels: Sequence[str | None]) -> Texts:
    """The labels, where the empty text is none."""
    texts = Texts(*categories(labels))
    return texts.mapped(lambda label: label or None) if "" in texts.levels else texts


def _labelled(
    table: Table, codes: Codes, spec: Mapping[str, Any], notes: list[str]
) -> NDArray[np.bool_]:
    """Which records have a class label; that some have none must have been agreed to."""
    labelled: NDArray[np.bool_] = codes >= 0
    count = table.n - int(labelled.sum())
    if not count:
        return labelled
    if "drop" not in (spec.get("missing_target"), spec.get("missing")):
        raise UserError(
            f"target {table.target!r} is missing in {count} of {table.n} records, and no label is "
            "no class; say missing_target: drop to leave them out",
            ("missing_target",),
        )
    if count == table.n:
        raise UserError(f"target {table.target!r} is missing in all {count} records", ("target",))
    notes.append(f"{count} of {table.n} records left out: they have no class label")
    return labelled


def _doubtful_labels(codes: Codes, classes: Sequence[str], source: str) -> list[str]:
    """Notes on classes that look as if somebody had written down that there is none."""
    from .registry import sources

    found = []
    for at, label in enumerate(classes):
        if label.strip().lower() in _LIKE_MISSING:
            remedy = "leave the label empty"
            if "na" in sources()[source].options:
                remedy = f"say na: [{label!r}]"
            found.append(
                f"{int((codes == at).sum())} of {len(codes)} records have the class {label!r}; if "
                f"that means that they have none, {remedy} and missing_target: drop"
            )
    return found


def _with_holes(holes: Mapping[str, NDArray[np.bool_]]) -> int:
    """How many records lack something."""
    return int(np.logical_or.reduce(list(holes.values())).sum())


def _without_missing(
    table: Table,
    features: list[Column],
    labelled: NDArray[np.bool_],
    ungrouped: NDArray[np.bool_] | None,
    missing: str | None,
    notes: list[str],
) -> NDArray[np.int64] | None:
    """The records that stay; None where all do."""
    holes = {column.name: column.missing & labelled for column in features}
    counts = {name: int(hole.sum()) for name, hole in holes.items() if hole.any()}
    if missing is None and counts:
        shown = ", ".join(f"{name!r} in {count}" for name, count in list(counts.items())[:_SHOWN])
        more = f" and {len(counts) - _SHOWN} more columns" if len(counts) > _SHOWN else ""
        raise UserError(
            f"{_with_holes(holes)} of {table.n} records have missing values: column {shown}{more}; "
            "say missing: drop to leave such records out, missing: impute to fill them in from the "
            "training records, or missing: keep if every learner can deal with them",
            ("missing",),
        )
    unlabelled = None if labelled.all() else ~labelled
    if missing != "drop":
        if counts:
            total = sum(counts.values())
            fate = "imputed" if missing == "impute" else "left to the learners"
            notes.append(
                f"{_with_holes(holes)} of {table.n} records have missing values, {total} in "
                f"{len(counts)} column(s), which are {fate}"
            )
        return None if unlabelled is None else np.flatnonzero(labelled)
    gone = np.zeros(table.n, dtype=bool) if ungrouped is None else ungrouped.copy()
    # One bare column would take every record with it; that is refused by name, not obeyed.
    _refuse_bare(features)
    for hole in holes.values():
        gone |= hole
    if gone.any():
        notes.append(f"{int(gone.sum())} of {table.n} records dropped: missing values")
    if unlabelled is not None:
        gone |= unlabelled
    if not gone.any():
        return None
    if gone.all():
        remedy = "; the target or the groups are missing in all of them"
        if counts:
            emptiest = max(counts, key=lambda name: counts[name])
            remedy = f"; the emptiest column is {emptiest!r}; drop it or say missing: impute"
        raise UserError(f"missing: drop leaves none of the {table.n} records{remedy}", ("missing",))
    return np.flatnonzero(~gone)


# Two classes out of many --------------------------------------------------------------------------


def _binarize(codes: Codes, classes: tuple[str, ...], asked: Any) -> tuple[Codes, tuple[str, ...]]:
    """Each record's new class; see `_groups` for the forms."""
    groups = _groups(classes, asked)
    names = list(groups)
    new = np.full(len(classes), -1, dtype=np.int32)
    for at, name in enumerate(names):
        for label in groups[name]:
            number = classes.index(label)
            if new[number] >= 0:
                fault = f"label {label!r} is in both {names[0]!r} and {names[1]!r}"
                if names[new[number]] == name:
                    fault = f"label {label!r} is twice in {name!r}"
                raise UserError(f"binarize: {fault}; it belongs to one", ("binarize", name))
            new[number] = at
    left = [label for label, number in zip(classes, new) if number < 0]
    if left:
        raise UserError(
            f"binarize: label {listed(left)} is in neither {names[0]!r} nor {names[1]!r}",
            ("binarize",),
        )
    if not all(groups.values()):
        raise UserError(
            f"binarize: {names[0]!r} takes all {len(classes)} labels and leaves none for the other "
            "class",
            ("binarize",),
        )
    return sorted_classes(new[codes], names)


def _groups(classes: tuple[str, ...], asked: Any) -> dict[str, list[str]]:
    """The labels of the two new classes.

    A mapping of two names to labels; of one name, the rest being `rest` (`negative` beside
    `positive`); or a text, which names itself: A-M makes A-M and N-Z. Labels are given as a list,
    one label, or an inclusive range in sorted order (by value if all labels are numbers).
    """
    order = _label_order(classes)
    if isinstance(asked, Mapping):
        groups = {
            str(name): _labels(order, value, ("binarize", name)) for name, value in asked.items()
        }
        if len(groups) == 1:
            (name,) = groups
            rest = "negative" if name == "positive" else "rest"
            groups[rest] = [label for label in order if label not in groups[name]]
        return groups
    name = str(asked)
    inside = _labels(order, asked, ("binarize",))
    outside = [label for label in order if label not in inside]
    at_an_end = order[: len(inside)] == inside or order[-len(inside) :] == inside
    rest = "rest"
    if at_an_end and outside:
        rest = outside[0] if len(outside) == 1 else f"{outside[0]}-{outside[-1]}"
    if rest == name:
        rest = "rest"
    return {name: inside, rest: outside}


def _label_order(classes: tuple[str, ...]) -> list[str]:
    values = numbers(classes)
    if values is None:
        return list(classes)
    return [label for _, label in sorted(zip(values, classes))]


def _labels(order: list[str], given: Any, path: tuple[object, ...]) -> list[str]:
    if isinstance(given, (list, tuple)):
        return [label for entry in given for label in _labels(order, entry, path)]
    if isinstance(given, bool) or not isinstance(given, (str, int)):
        raise UserError(
            f"binarize: {given!r} is no label; labels are texts, write them in quotes", path
        )
    text = str(given)
    if text in order:
        return [text]
    for at, char in enumerate(text):
        if char in _DASHES:
            first, last = text[:at].strip(), text[at + 1 :].strip()
            if first in order and last in order:
                low, high = order.index(first), order.index(last)
                if low > high:
                    raise UserError(
                        f"binarize: the range {text!r} runs backwards; say {last}-{first}", path
                    )
                return order[low : high + 1]
    fault = f"binarize: there is no label {text!r} and no range of labels of that form"
    raise absent(fault, path, text, order)


# A sample -----------------------------------------------------------------------------------------


def _sample(
    codes: Codes,
    classes: tuple[str, ...],
    asked: Any,
    seed: int,
    notes: list[str],
    columns: int,
    grouped: bool,
) -> NDArray[np.int64]:
    """The drawn records in rising order; one drawn twice stands twice."""
    options = {"n": asked} if isinstance(asked, int) else dict(asked)
    size, total = int(options["n"]), len(codes)
    replace, stratify = bool(options.get("replace")), bool(options.get("stratify"))
    if size > total and not replace:
        raise UserError(
            f"sample: n = {size} of {total} records; take fewer or say replace: true",
            ("sample", "n") if isinstance(asked, Mapping) else ("sample",),
        )
    limits.room(size * columns, f"{size:,} records of {columns} columns", ("sample",))
    bits = stream(seed, "data", "sample", size, int(replace), int(stratify))
    strata = codes if stratify else np.zeros(total, dtype=np.int32)
    drawn = []
    for stratum, share in enumerate(_shares(np.bincount(strata), size)):
        members = np.flatnonzero(strata == stratum)
        if replace:
            unit = (bits.random_raw(share) >> np.uint64(11)) * 2.0**-53
            drawn.append(members[(unit * len(members)).astype(np.int64)])
        else:
            order = np.argsort(bits.random_raw(len(members)), kind="stable")
            drawn.append(members[order[:share]])
    chosen: NDArray[np.int64] = np.sort(np.concatenate(drawn)).astype(np.int64)
    if replace:
        copies = size - len(np.unique(chosen))
        without = " of a partition without groups" if grouped else ""
        notes.append(
            f"{size} records drawn with replacement from {total}: {copies} are copies, which may "
            f"be trained on and tested on in one split{without}"
        )
    else:
        notes.append(f"{size} of {total} records drawn")
    return chosen


def _shares(counts: NDArray[np.int64], size: int) -> list[int]:
    """`size` shared out in proportion to the counts, largest remainders first."""
    share, remainder = np.divmod(counts * size, counts.sum())
    most = np.argsort(-remainder, kind="stable")[: size - share.sum()]
    share[most] += 1
    return [int(part) for part in share]


# What can be seen without the data ----------------------------------------------------------------


def option_faults(key: str, value: Any) -> list[UserError]:
    """Faults inside the options that all sources share."""
    check = {"sample": _sample_faults, "binarize": _binarize_faults}.get(key)
    if check is not None:
        return check(value)
    if key == "n":
        return _too_many(value, ("n",))
    if key in ("encoding", "server"):
        return _name_faults(key, value)
    if key in ("keep", "drop"):
        try:
            names_in(key, value)
        except UserError as fault:
            return [fault]
    return []


def _name_faults(key: str, value: Any) -> list[UserError]:
    """Names that other libraries look up, and stumble over where they are none."""
    check = encoding_fault if key == "encoding" else address_fault
    said = check(str(value))
    return [] if said is None else [UserError(said, (key,))]


def _too_many(n: Any, path: tuple[object, ...]) -> list[UserError]:
    try:
        limits.records(n, path)
    except UserError as fault:
        return [fault]
    return []


def _sample_faults(value: Any) -> list[UserError]:
    options = value if isinstance(value, Mapping) else {"n": value}
    place = ("sample", "n") if isinstance(value, Mapping) else ("sample",)
    found = []
    for key, given in options.items():
        if key not in _SAMPLE:
            fault = f"sample has no option {key!r}"
            found.append(unknown(fault, ("sample", key), str(key), _SAMPLE))
        elif key == "n" and (isinstance(given, bool) or not isinstance(given, int) or given < 2):
            found.append(
                UserError(f"sample: n must be a whole number from 2 on, not {given!r}", place)
            )
        elif key == "n":
            found += _too_many(given, place)
        elif not isinstance(given, bool):
            found.append(
                UserError(f"sample: {key} must be true or false, not {given!r}", ("sample", key))
            )
    if "n" not in options:
        found.append(UserError("sample needs n, the number of records to draw", ("sample",)))
    return found


def _binarize_faults(value: Any) -> list[UserError]:
    if not isinstance(value, Mapping):
        return []
    found = []
    for name, labels in value.items():
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            fault = f"binarize: {name!r} is no class name; write it in quotes"
            found.append(UserError(fault, ("binarize", name)))
        if isinstance(labels, (list, tuple)) and not labels:
            found.append(UserError(f"binarize: {name!r} holds no label", ("binarize", name)))
    if not 1 <= len(value) <= 2:
        found.append(
            UserError(
                f"binarize makes two classes, not {len(value)}; name one or two", ("binarize",)
            )
        )
    return found
