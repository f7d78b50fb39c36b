"""Measure how often every test rejects a true hypothesis, and how often intervals cover.

    .venv/bin/python benchmarks/error_rates.py --replications 3000

The settings are those of exact_null.py, alpha is 5 %, the tests run with their defaults on the
partitions they declare. The counts go into cvinfer/inference/error_rates.json, which
docs/tests.md and the cautions of the tests read. What the file holds already is not measured
again: a setting goes on where it stopped, until it has as many replications as asked for, and the
numbers do not depend on the pieces it was measured in. `--again` begins anew. Until all is done the
counts are kept in a file of their own; a run that was interrupted goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

import exact_null
import numpy as np
from exact_null import Batch, Key, Setting

from cvinfer import inference
from cvinfer.inference import Need, Procedure

OUTPUT = Path(__file__).resolve().parent.parent / "cvinfer" / "inference" / "error_rates.json"
PART = Path(__file__).with_name("error_rates.part.json")
ALPHA = 0.05
BATCH = 100
#: Largest standard error of the true error and F1 of a rule.
TRUTH_ERROR = 0.001

#: A test on a scheme that it was not made for, measured beside its own.
OTHER_SCHEMES: Mapping[str, Sequence[Need]] = {
    "bcv_5x2_mcnemar": [Need("random_mx2", {"m": 5})],
}
#: The score that an interval on the data of this kind is for; other kinds are not measured here.
SCORE_OF = {"fold_errors": "error", "total_errors": "error", "scores": "F1"}

Counts = dict[str, Any]
Document = dict[str, Any]


def all_needs() -> dict[Key, Need]:
    """Every partition that a test, or an interval that is measured, declares."""
    wanted = [declared.needs for declared in inference.tests().values()]
    wanted += [declared.needs[:1] for declared in measured_intervals().values()]
    wanted += [tuple(needs) for needs in OTHER_SCHEMES.values()]
    return {key: need for needs in wanted for key, need in zip(exact_null.keys_of(needs), needs)}


def measured_intervals() -> dict[str, Procedure]:
    declared = inference.intervals()
    return {name: item for name, item in declared.items() if item.data in SCORE_OF}


def rejections(name: str, needs: Iterable[Need], batches: Mapping[Key, Batch]) -> Counts:
    """How often a test rejects in a batch; a degenerate result is counted and never rejects."""
    result = exact_null.decide(name, [batches[key] for key in exact_null.keys_of(needs)], ALPHA)
    return {
        "rejected": int(np.sum(result.reject)),
        "degenerate": int(np.sum(result.degenerate)),
        "replications": int(np.size(result.reject)),
    }


def coverage(declared: Procedure, batches: Mapping[Key, Batch], truth: float) -> Counts:
    """How often an interval for A holds the truth; `none` counts data that have no interval.

    F1 does not exist in a split without a positive that is there or predicted.
    """
    (key,) = exact_null.keys_of(declared.needs[:1])
    arguments = exact_null.INTERVAL_ARGUMENTS[declared.data](batches[key])
    data = np.asarray(arguments[0])
    there = np.isfinite(data.reshape(len(data), -1)).all(axis=1)
    result = declared.function(data[there], *arguments[1:], alpha=ALPHA)
    held = (result.lower <= truth) & (truth <= result.upper)
    return {
        "covered": int(held.sum()),
        "replications": int(there.sum()),
        "none": int((~there).sum()),
    }


def truths(setting: Setting, seed: int) -> dict[str, float]:
    """For each interval the mean score of A trained on as many records as its scheme trains on."""
    known: dict[int, dict[str, float]] = {}
    found = {}
    for name, declared in measured_intervals().items():
        (key,), need = exact_null.keys_of(declared.needs[:1]), declared.needs[0]
        partition = exact_null.partitions({key: need}, setting.n, 0)[key]
        size = int(partition.sizes.reshape(-1, 2)[0, 0])
        if size not in known:
            known[size] = exact_null.true_scores(setting, size, seed, TRUTH_ERROR)
        found[name] = round(known[size][SCORE_OF[declared.data]], 6)
    return found


def measure(setting: Setting, numbers: range, seed: int, truth: Mapping[str, float]) -> Document:
    """The counts of some replications of a setting, in the form of the file."""
    batches = exact_null.replicate(setting, all_needs(), numbers, seed)
    tests = {
        name: {setting.name: rejections(name, declared.needs, batches)}
        for name, declared in inference.tests().items()
    }
    others = {
        name: {need.scheme: {setting.name: rejections(name, [need], batches)} for need in needs}
        for name, needs in OTHER_SCHEMES.items()
    }
    intervals = {
        name: {setting.name: coverage(measured_intervals()[name], batches, value)}
        for name, value in truth.items()
    }
    return {"tests": tests, "other_schemes": others, "intervals": intervals}


def added(old: Any, new: Any) -> Any:
    """Counts of two pieces added up, entry by entry."""
    if isinstance(new, Mapping):
        both = {**(old or {})}
        both.update({key: added(both.get(key), value) for key, value in new.items()})
        return both
    return new if old is None else old + new


def without(document: Any, setting: str) -> Any:
    """The document without anything that belongs to a setting."""
    if not isinstance(document, Mapping):
        return document
    kept = {key: without(value, setting) for key, value in document.items() if key != setting}
    return kept


def done(document: Document, setting: Setting) -> int:
    """How many replications of a setting the file holds, for every procedure alike.

    0 where it holds other procedures than are registered: they share their replications.
    """
    parts = [
        *(document["tests"].get(name, {}) for name in inference.tests()),
        *(
            document["other_schemes"].get(name, {}).get(need.scheme, {})
            for name, needs in OTHER_SCHEMES.items()
            for need in needs
        ),
    ]
    counts = {part.get(setting.name, {}).get("replications", 0) for part in parts}
    described = document["settings"].get(setting.name, {}).get("text") == setting.text
    return counts.pop() if len(counts) == 1 and described else 0


def fresh(seed: int) -> Document:
    empty: Document = {"settings": {}, "tests": {}, "other_schemes": {}, "intervals": {}}
    return {"alpha": ALPHA, "seed": seed, **empty}


def load(path: Path, seed: int) -> Document:
    """What a file holds, or nothing; an error where it was measured with another seed."""
    if not path.exists():
        return fresh(seed)
    document: Document = json.loads(path.read_text(encoding="utf-8"))
    if document["seed"] != seed:
        raise SystemExit(
            f"{path.name} was measured with --seed {document['seed']}; go on with that seed, or"
            " begin anew with --again and all settings"
        )
    return document


def begun(output: Path, part: Path, settings: Sequence[str], seed: int, again: bool) -> Document:
    """What to go on from: an interrupted run, or the file without what is measured again."""
    if not again:
        return load(part if part.exists() else output, seed)
    if set(settings) == set(exact_null.SETTINGS):
        return fresh(seed)
    document = load(output, seed)
    for name in settings:
        document = without(document, name)
    return document


def part_of(output: Path) -> Path:
    """Where counts are kept until all is done: outside the package, whose files all travel."""
    return PART if output == OUTPUT else output.with_suffix(".part.json")


def save(document: Document, path: Path) -> None:
    """Settings and procedures in the order of their declaration; never half a file."""
    document = {**document, "tests": _ordered(document["tests"], inference.tests())}
    document["settings"] = _ordered(document["settings"], exact_null.SETTINGS)
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(beside, path)


def _ordered(entries: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: entries[name] for name in names if name in entries}


def run(setting: Setting, document: Document, replications: int, path: Path) -> Document:
    """Bring a setting up to `replications`, saving after every batch."""
    start = done(document, setting)
    if not start:
        document = without(document, setting.name)
    about: Counts = {"title": setting.title, "text": setting.text, "role": setting.role}
    if setting.has_truth:
        known = document["settings"].get(setting.name, {}).get("truths")
        about["truths"] = known or truths(setting, document["seed"])
    document["settings"][setting.name] = about
    for first in range(start, replications, BATCH):
        numbers = range(first, min(first + BATCH, replications))
        new = measure(setting, numbers, document["seed"], about.get("truths", {}))
        document = added(document, new)
        save(document, path)
        print(f"\r{setting.name}: {numbers.stop} of {replications}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return document


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--replications", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--settings", nargs="+", choices=exact_null.SETTINGS, metavar="SETTING")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--again", action="store_true", help="forget what the file holds")
    options = parser.parse_args(arguments)
    settings = options.settings or list(exact_null.SETTINGS)
    part = part_of(options.output)
    document = begun(options.output, part, settings, options.seed, options.again)
    for name in settings:
        setting = exact_null.SETTINGS[name]
        document = run(setting, document, options.replications, part)
    save(document, part)
    os.replace(part, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
