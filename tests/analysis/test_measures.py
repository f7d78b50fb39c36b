"""Several measures of one set of predictions: which way they point, and where there is none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Mapping, Sequence

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score
from tests.execute.run_examples import spec_of

from cvinfer.analysis.document import build
from cvinfer.analysis.evaluate import Predicted, evaluate
from cvinfer.inference import caution, compare_losses, compare_values, infer
from cvinfer.inference.checks import InputError
from cvinfer.losses.kinds import PROBABILITIES, SCORES
from cvinfer.partitions import Partition, make_partition
from cvinfer.planning import Use
from cvinfer.report import render
from cvinfer.report.tables import tables
from cvinfer.runner import load
from cvinfer.spec.model import MeasureRequest, TestRequest

N = 60
MANIFEST: Mapping[str, Any] = {"versions": {}, "seed": 0, "hashes": {}}


@pytest.fixture()
def case(tmp_path: Any) -> Any:
    """A learner that knows something and one that knows more, on two classes."""
    spec, (dataset,) = load(spec_of(tmp_path, classes=2))
    return spec, dataset, predictions(dataset, (make_partition("kfold", N, k=5),))


def predictions(dataset: Any, partitions: Sequence[Partition]) -> Predicted:
    rng = np.random.default_rng(5)
    codes: dict[Any, Any] = {}
    beside: dict[Any, Any] = {}
    for learner, known in (("A", 0.4), ("B", 1.5)):
        score = known * (2 * dataset.target - 1) + rng.normal(size=N).round(1)
        p = 1 / (1 + np.exp(-score))
        for index, partition in enumerate(partitions):
            beside[learner, index] = [
                np.stack([1 - p[s.test], p[s.test]], axis=1) for s in partition.splits
            ]
            codes[learner, index] = [(p[s.test] > 0.5).astype(np.int32) for s in partition.splits]
    kinds = {"A": PROBABILITIES, "B": PROBABILITIES}
    return Predicted(
        dataset.target, dataset.classes, tuple(partitions), codes, {}, frozenset(), beside, kinds
    )


def by(
    case: Any, *measures: str, tests: Sequence[str] = ("corrected_kfold_t",), **more: Any
) -> Any:
    """The document of these measures."""
    spec, dataset, predicted = case
    asked = tuple(map(MeasureRequest, measures))
    requests = tuple(TestRequest(name) for name in tests)
    spec = replace(spec, measures=asked, tests=requests, primary=tests[0], **more)
    uses = [Use(request, (0,), 0) for request in requests]
    run = evaluate(spec, dataset, predicted, uses, (), (("A", "B"),))
    return build(spec, [run], MANIFEST)


def test_positive_means_that_a_is_worse(case: Any) -> None:
    _, dataset, predicted = case
    folds = predicted.partitions[0].splits
    a, b = ([p[:, 1] for p in predicted.beside[name, 0]] for name in "AB")
    truth = [dataset.target[split.test] for split in folds]
    auc_a, auc_b = ([roc_auc_score(y, p) for y, p in zip(truth, each)] for each in (a, b))
    ll_a, ll_b = ([log_loss(y, p) for y, p in zip(truth, each)] for each in (a, b))
    auc, logs = by(case, "auc", "log_loss", tests=("kfold_t",))["comparisons"]
    wanted = infer("kfold_t", np.subtract(auc_b, auc_a))
    assert auc["inference"]["statistic"] == pytest.approx(wanted.statistic, rel=1e-12)
    assert auc["inference"]["estimate"] == pytest.approx(wanted.estimate) and wanted.estimate > 0
    assert auc["inference"]["extra"]["loss_a"] == pytest.approx(np.mean(auc_a))
    assert auc["inference"]["extra"]["loss_b"] == pytest.approx(np.mean(auc_b))
    wanted = infer("kfold_t", np.subtract(ll_a, ll_b))
    assert logs["inference"]["statistic"] == pytest.approx(wanted.statistic, rel=1e-12)
    assert logs["inference"]["extra"]["loss_a"] == pytest.approx(np.mean(ll_a))
    assert [(each["measure"], each["better"]) for each in (auc, logs)] == [
        ("auc", "B"),
        ("log_loss", "B"),
    ]


def test_every_entry_names_its_measure_and_one_changes_no_other(case: Any) -> None:
    measures = ("zero_one", "auc", "brier", "f1", "mcc")
    together = by(case, *measures)
    for key in ("losses", "comparisons", "verdicts"):
        assert list(dict.fromkeys(each["measure"] for each in together[key])) == list(measures)
        for measure in measures:
            alone = by(case, measure)[key]
            assert [each for each in together[key] if each["measure"] == measure] == alone
    # Each is a family of its own: one comparison, so there is nothing to correct.
    for each in together["comparisons"]:
        assert each["p_corrected"] == each["inference"]["p_value"]


def test_tests_are_made_by_what_they_take(case: Any) -> None:
    asked = ("naive_kfold_mcnemar", "cvci_z", "kfold_t")
    made = by(case, "zero_one", "auc", "log_loss", tests=asked)
    found: dict[str, list[str]] = {}
    for each in made["comparisons"]:
        found.setdefault(each["measure"], []).append(each["test"])
    assert found == {
        "zero_one": list(asked),
        "auc": ["kfold_t"],
        "log_loss": ["cvci_z", "kfold_t"],
    }
    # The one that is named decides where it can, the first that can elsewhere.
    assert [(v["measure"], v["primary"]) for v in made["verdicts"]] == [
        ("zero_one", "naive_kfold_mcnemar"),
        ("auc", "kfold_t"),
        ("log_loss", "cvci_z"),
    ]
    cautions = {each["measure"]: each["caution"] for each in made["comparisons"]}
    # It did not hold by AUC wherever that was measured (docs/tests.md).
    assert re.fullmatch(
        r"by auc it can reject too often: [\d.]+ to [\d.]+ % of .*", cautions["auc"]
    )
    (inference,) = [c["inference"] for c in made["comparisons"] if c["measure"] == "auc"]
    assert "was not measured by mcc" in str(caution(inference, "mcc"))


def test_a_split_without_a_value_is_named(case: Any) -> None:
    spec, dataset, predicted = case
    (partition,) = predicted.partitions
    truth = dataset.target.copy()
    for split in partition.splits[:4]:
        truth[split.test] = 0
    one_class = (spec, dataset, replace(predicted, truth=truth))
    document = by(one_class, "auc", "zero_one", margin={"zero_one": 0.4})
    auc, plain = document["verdicts"]
    failed = document["comparisons"][0]["failed"]
    assert auc["verdict"] == "no_result"
    assert f"there is no AUC of A on split 1 of {partition.label}: it has records of one" in failed
    assert "more)" in failed and "class only, 'c0'" in failed
    assert "could not compare A with B by AUC: there is no AUC" in auc["sentence"]
    first = next(each for each in document["losses"] if each["measure"] == "auc")
    assert first["per_split"][0] is None and first["mean"] is None
    assert plain["verdict"] != "no_result" and plain["interval_margin"] is not None


def test_what_is_not_given_is_no_result(case: Any) -> None:
    spec, dataset, predicted = case
    only_scores = replace(predicted, beside_kinds={"A": SCORES, "B": PROBABILITIES})
    scored = (spec, dataset, only_scores)
    auc, logs = by(scored, "auc", "log_loss")["comparisons"]
    assert auc["failed"] is None
    assert "there is no log loss of A on split 1" in logs["failed"]
    assert "there are no probabilities of it" in logs["failed"] and " B " not in logs["failed"]
    nothing = (spec, dataset, replace(predicted, beside={}, beside_kinds={}))
    auc, f1 = by(nothing, "auc", "f1")["comparisons"]
    assert "there are no scores of it" in auc["failed"] and f1["failed"] is None


def test_tables_show_each_measure_with_its_direction(case: Any) -> None:
    document = by(case, "zero_one", "auc", margin={"auc": 0.5})
    errors, areas = tables(document)
    assert (errors.kind, areas.kind) == ("comparisons", "comparisons-auc")
    assert "AUCs (higher is better)" in areas.caption and "higher" not in errors.caption
    text = render(document, "text")
    assert "AUC A" in text and "B − A [95%]" in text and "Err. A" in text and "A − B [95%]" in text
    assert "The learner with the higher AUC is better" in text
    rows = render(document, "csv").splitlines()
    at = rows[0].split(",").index("measure")
    assert [row.split(",")[at] for row in rows[1:3]] == ["zero_one", "auc"]


def test_a_document_of_before_has_one_measure(case: Any) -> None:
    document = by(case, "zero_one")
    for key in ("losses", "comparisons", "verdicts"):
        for each in document[key]:
            del each["measure"]
    assert render(document, "text") == render(by(case, "zero_one"), "text")


def test_values_of_splits() -> None:
    folds = make_partition("kfold", 40, k=4)
    a, b = [0.5, 0.6, 0.7, 0.9], [0.6, 0.75, 0.6, 0.95]
    higher = compare_values("kfold_t", folds, a, b)
    lower = compare_values("kfold_t", folds, a, b, better="lower")
    assert higher.estimate == pytest.approx(0.05) and lower.estimate == pytest.approx(-0.05)
    assert higher.statistic == pytest.approx(-lower.statistic)
    for found in (higher, lower):
        assert found.extra["loss_a"] == pytest.approx(0.675)
        assert found.extra["loss_b"] == pytest.approx(0.725)
    # Means of losses are values of splits too.
    rng = np.random.default_rng(1)
    losses = [[rng.random(len(split.test)) for split in folds.splits] for _ in "ab"]
    means = [[each.mean() for each in column] for column in losses]
    by_records = compare_losses("corrected_kfold_t", folds, *losses)
    by_values = compare_values("corrected_kfold_t", folds, *means, better="lower")
    assert by_values.statistic == pytest.approx(by_records.statistic, rel=1e-12)
    with pytest.raises(InputError, match="0/1 losses of records, which one value"):
        compare_values("naive_kfold_mcnemar", folds, a, b)
    with pytest.raises(InputError, match="bounded losses of records"):
        compare_values("cvci_z", folds, a, b)
    with pytest.raises(InputError, match="one value for each of the 4 splits, got 3"):
        compare_values("kfold_t", folds, a[:3], b)
    with pytest.raises(InputError, match="finite"):
        compare_values("kfold_t", folds, [np.nan, *a[1:]], b)
