"""One test decides: verdicts, their intervals, equivalence, and the sentences that tell them."""

from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Sequence

import numpy as np
import pytest
from tests.report.report_examples import LETTER, breast_cancer, facts, made, small, troubled
from tests.report.report_examples import MANIFEST, Learner, Spec

from cvinfer.inference import compare_losses, tests
from cvinfer.partitions import make_partition
from cvinfer.report import render
from cvinfer.analysis.document import ComparisonRun, DataRun, build
from cvinfer.analysis.verdicts import difference, direction
from cvinfer.analysis.words import percent, training_share, training_words

FIVE_TESTS = ["bcv_5x2_mcnemar", "blocked_3x2_t", "calibrated_5x2_bcv_f", "kfold_t", "cvci_z"]


def document_of(
    test: str,
    d: Any,
    scheme: str,
    options: Optional[Mapping[str, Any]] = None,
    margin: Optional[float] = None,
    further: Sequence[str] = (),
    **partition: Any,
) -> dict[str, Any]:
    """A document of one comparison with given mean losses: A errs by d, B never, per split."""
    made_partition = make_partition(scheme, 200, seed=1, **partition)
    wanted = np.asarray(d, dtype=float).ravel()
    a = [np.full(len(s.test), max(v, 0.0)) for s, v in zip(made_partition.splits, wanted)]
    b = [np.full(len(s.test), max(-v, 0.0)) for s, v in zip(made_partition.splits, wanted)]
    compared = [
        ComparisonRun(
            "A", "B", name, given, (0,), compare_losses(name, made_partition, a, b, **given)
        )
        for name, given in [(test, dict(options or {})), *((name, {}) for name in further)]
    ]
    losses = {("A", 0): a, ("B", 0): b}
    run = DataRun(facts("toy", 200), (made_partition,), (scheme,), losses, tuple(compared))
    learners = {"A": Learner(), "B": Learner()}
    return build(Spec("toy", learners, "none", margin=margin), [run], MANIFEST)


def records_of(
    n01: int, n10: int, margin: Optional[float] = None, test: str = "bcv_5x2_mcnemar", n: int = 400
) -> dict[str, Any]:
    """A document of 0/1 losses that only A, or only B, has on so many of the n records."""
    partition = make_partition("blocked_mx2", n, seed=1, m=5)
    wrong_a, wrong_b = np.zeros(n), np.zeros(n)
    order = np.random.default_rng(3).permutation(n)
    wrong_a[order[:n01]] = 1.0
    wrong_b[order[n01 : n01 + n10]] = 1.0
    a, b = ([wrong[s.test] for s in partition.splits] for wrong in (wrong_a, wrong_b))
    compared = ComparisonRun("A", "B", test, {}, (0,), compare_losses(test, partition, a, b))
    run = DataRun(facts("toy", n), (partition,), ("5x2",), {("A", 0): a, ("B", 0): b}, (compared,))
    learners = {"A": Learner(), "B": Learner()}
    return build(Spec("toy", learners, "none", margin=margin), [run], MANIFEST)


def only(document: Mapping[str, Any]) -> dict[str, Any]:
    (entry,) = document["verdicts"]
    return dict(entry)


# --- who decides ---------------------------------------------------------------------------------


def test_the_first_test_decides_unless_another_is_named() -> None:
    document = small()
    assert {v["primary"] for v in document["verdicts"]} == {"bcv_5x2_mcnemar"}
    named = made(LETTER, [("CART", "SVM")], FIVE_TESTS, primary="kfold_t")
    assert only(named)["primary"] == "kfold_t"


@pytest.mark.parametrize("primary", FIVE_TESTS)
def test_only_the_test_that_decides_names_a_winner(primary: str) -> None:
    pairs = [("CART", "SVM"), ("CART", "1-NN"), ("1-NN", "SVM")]
    document = made(LETTER, pairs, FIVE_TESTS, n=160, primary=primary)
    assert len(document["verdicts"]) == len(pairs)
    for entry in document["comparisons"]:
        decides = entry["test"] == primary
        assert (entry["sentence"] is not None) == decides
        assert entry["better"] is None or decides
    by_pair = {(v["a"], v["b"]): v for v in document["verdicts"]}
    for entry in document["comparisons"]:
        if entry["test"] == primary:
            found = by_pair[entry["a"], entry["b"]]
            assert found["p_value"] == entry["inference"]["p_value"]
            assert found["p_corrected"] == entry["p_corrected"]
            winner = {"a_better": entry["a"], "b_better": entry["b"]}.get(found["verdict"])
            assert entry["better"] == winner


def test_verdicts_do_not_depend_on_the_order_of_the_other_tests() -> None:
    pairs = [("CART", "SVM"), ("CART", "1-NN")]
    one = made(LETTER, pairs, FIVE_TESTS, n=160)
    other = made(LETTER, pairs, [FIVE_TESTS[0], *FIVE_TESTS[:0:-1]], n=160)
    assert one["verdicts"] == other["verdicts"]


@pytest.mark.parametrize("format_", ["text", "markdown", "latex"])
def test_one_sentence_a_comparison_and_one_winner(format_: str) -> None:
    pairs = [("CART", "SVM"), ("CART", "1-NN")]
    document = made(LETTER, pairs, list(tests()), n=160)
    text = " ".join(render(document, format_).split())
    if format_ != "latex":  # a table for a paper has no sentences
        assert text.count("On letter, ") == len(pairs)
    assert not re.search(r"do not differ(?! significantly)", text)


def test_further_tests_are_counted_by_the_verdict_that_they_would_give() -> None:
    document = made(LETTER, [("CART", "SVM")], FIVE_TESTS, n=300)
    found = only(document)
    assert (found["verdict"], found["agree"], found["of"]) == ("b_better", 4, 4)
    assert "4 of 4 further tests agree" in found["sentence"]
    alone = only(made(LETTER, [("CART", "SVM")], FIVE_TESTS[:1], n=300))
    assert (alone["agree"], alone["of"]) == (0, 0) and "further" not in alone["sentence"]
    # kfold_t rejects where the correction for overlap does not.
    d = [0.1, 0.0, 0.2, 0.05, 0.15]
    split = only(document_of("corrected_kfold_t", d, "kfold", further=["kfold_t"], k=5))
    assert (split["verdict"], split["agree"], split["of"]) == ("undecided", 0, 1)
    assert "0 of 1 further test agrees" in split["sentence"]


# --- direction -----------------------------------------------------------------------------------


def test_the_learner_with_the_lower_loss_is_better() -> None:
    worse_a = only(document_of("kfold_t", [0.2, 0.22, 0.21, 0.19], "kfold", k=4))
    assert worse_a["verdict"] == "b_better"
    worse_b = only(document_of("kfold_t", [-0.2, -0.22, -0.21, -0.19], "kfold", k=4))
    assert worse_b["verdict"] == "a_better"
    nobody = only(document_of("kfold_t", [-0.2, 0.22, -0.21, 0.19], "kfold", k=4))
    assert nobody["verdict"] == "undecided"


F_WITHOUT_SIGN = [[0.3, 0.3], [-0.1, -0.1], [0.25, 0.25], [0.2, 0.2], [0.01, 0.02]]


@pytest.mark.parametrize("test, scheme", [("combined_5x2_f", "random_mx2")])
def test_an_f_names_a_winner_only_where_all_replications_have_one_sign(
    test: str, scheme: str
) -> None:
    document = document_of(test, F_WITHOUT_SIGN, scheme, m=5)
    (entry,) = document["comparisons"]
    assert entry["reject_corrected"] and entry["inference"]["estimate"] > 0.1
    found = only(document)
    assert found["verdict"] == "undecided" and entry["better"] is None
    assert "differ significantly, but the mean difference does not show" in found["sentence"]
    # A test without an interval has a difference all the same.
    assert "; the error rate of A minus that of B is 13.30 percentage points (" in found["sentence"]
    assert any("points to the same learner" in warning for warning in entry["warnings"])
    # A replication whose halves cancel but for rounding noise has no sign.
    for first, sign in (((0.1 + 0.2 - 0.3) / 2, 0), (1e-6, 1)):
        extra = {**entry["inference"]["extra"], "replication_means": [first, 0.1, 0.2, 0.2, 0.2]}
        assert first > 0 and direction({**entry["inference"], "extra": extra}) == sign
    one_sign = only(document_of(test, np.abs(F_WITHOUT_SIGN), scheme, m=5))
    assert one_sign["verdict"] == "b_better"
    turned = only(document_of(test, -np.abs(F_WITHOUT_SIGN), scheme, m=5))
    assert turned["verdict"] == "a_better"


def test_dietterich_against_its_mean_names_nobody() -> None:
    d = [[0.3, 0.29], [-0.3, -0.31], [-0.25, -0.25], [-0.25, -0.25], [-0.2, -0.2]]
    document = document_of("dietterich_5x2_t", d, "random_mx2", m=5)
    assert document["comparisons"][0]["reject_corrected"]
    assert only(document)["verdict"] == "undecided"
    assert "does not show which is better" in only(document)["sentence"]


def test_dietterich_says_what_its_interval_is_centred_on() -> None:
    """The estimate is the mean of ten differences, the interval that of the one it tests."""
    d = np.full((5, 2), 0.02)
    d[0] = [0.3, 0.29]
    for sign in (1, -1):
        document = document_of("dietterich_5x2_t", sign * d, "random_mx2", m=5)
        found = only(document)
        assert found["verdict"] == ("b_better" if sign > 0 else "a_better")
        lower, upper = sorted(sign * end for end in found["interval"])
        assert abs(found["estimate"]) < lower < 0.3 < upper
        assert "centred on the one difference that is tested, 30.00 (" in found["sentence"]
    for format_ in ("text", "latex", "markdown"):
        text = " ".join(render(document, format_).replace(",{}", ",").split())
        assert "centred on the one difference that it tests, not on the mean" in text
    for format_ in ("text", "latex", "markdown"):
        assert "centred" not in render(small(), format_)


def test_another_hypothesis_than_zero_names_nobody() -> None:
    d = [0.05, 0.06, 0.055, 0.045]
    document = document_of("kfold_t", d, "kfold", {"mu0": 0.2}, k=4)
    assert document["comparisons"][0]["reject_corrected"]
    assert only(document)["verdict"] == "undecided"
    said = only(document)["sentence"]
    assert "differs significantly from 20.00 percentage points" in said
    lower, upper = (100 * end for end in only(document)["interval"])
    assert f"is 5.25 percentage points, 95 % interval {lower:.2f} to {upper:.2f}" in said


def test_rounding_noise_is_no_difference() -> None:
    d = [0.1 + 0.2 - 0.3, 0.0, 0.0, 0.0]
    inference = {
        "estimate": 0.1 + 0.2 - 0.3,
        "null": {"family": "chi2"},
        "statistic": 9.0,
        "extra": {"loss_a": 0.3, "loss_b": 0.3},
    }
    assert d[0] != 0
    assert difference(inference) == 0.0 and direction(inference) == 0
    tiny = {**inference, "estimate": 1e-6}
    assert difference(tiny) == 1e-6 and direction(tiny) == 1


# --- intervals and equivalence -------------------------------------------------------------------


def test_the_interval_is_that_of_the_test_at_level_one_minus_alpha() -> None:
    document = records_of(60, 20)
    inference = document["comparisons"][0]["inference"]
    found = only(document)
    assert found["interval"] == inference["interval"] and found["level"] == 0.95
    assert found["interval"][0] < found["estimate"] < found["interval"][1]
    assert found["interval_simultaneous"] is None
    assert found["verdict"] == "b_better" and found["interval"][0] > 0


@pytest.mark.parametrize("correction, several", [("none", False), ("holm", True)])
def test_simultaneous_intervals_where_several_comparisons_are_corrected(
    correction: str, several: bool
) -> None:
    pairs = [("CART", "SVM"), ("1-NN", "SVM"), ("CART", "1-NN")]
    names, data = ["bcv_5x2_mcnemar"], ["letter", "iris"]
    document = made(LETTER, pairs, names, data, correction, n=120)
    partition = make_partition("blocked_mx2", 120, m=5, seed=0)
    from tests.report.report_examples import losses_of

    found = document["verdicts"][0]
    a, b = losses_of(LETTER["CART"], partition, 0), losses_of(LETTER["SVM"], partition, 2)
    inference = compare_losses("bcv_5x2_mcnemar", partition, a, b)
    if not several:
        assert found["interval_simultaneous"] is None
        return
    # Six comparisons: each at level 1 - 0.05/6.
    lower, upper = inference.interval(1 - 0.05 / 6) or (None, None)
    assert found["interval_simultaneous"] == pytest.approx([lower, upper])
    assert found["interval_simultaneous"][0] < found["interval"][0]
    assert found["interval_simultaneous"][1] > found["interval"][1]
    for text in (render(document, "text"), render(document, "latex"), render(document, "markdown")):
        assert "simultaneous" in " ".join(text.split())


def test_one_comparison_is_not_called_corrected() -> None:
    document = made(LETTER, [("CART", "SVM")], ["bcv_5x2_mcnemar"], correction="holm")
    assert only(document)["interval_simultaneous"] is None
    for format_ in ("text", "latex", "markdown"):
        assert "Holm" not in render(document, format_)


def test_equivalence_needs_a_margin() -> None:
    without = only(records_of(4, 4, n=2000))
    assert (without["verdict"], without["equivalent"]) == ("undecided", False)
    assert without["interval_margin"] is None and "equivalent" not in without["sentence"]
    wide = only(records_of(4, 4, margin=0.02, n=2000))
    assert (wide["verdict"], wide["equivalent"]) == ("equivalent", True)
    lower, upper = wide["interval_margin"]
    assert -0.02 < lower < 0 < upper < 0.02
    # The interval of level 1 - 2 alpha lies inside that of level 1 - alpha.
    assert wide["interval"][0] < lower and upper < wide["interval"][1]
    assert "equivalent within ±2.00 percentage points (the 90 % interval is" in wide["sentence"]
    narrow = only(records_of(4, 4, margin=upper / 2, n=2000))
    assert (narrow["verdict"], narrow["equivalent"]) == ("undecided", False)


def test_better_and_equivalent_can_hold_both() -> None:
    found = only(records_of(40, 10, margin=0.05, n=4000))
    assert (found["verdict"], found["equivalent"]) == ("b_better", True)
    assert "B is better than A" in found["sentence"] and "equivalent" in found["sentence"]
    table = render(records_of(40, 10, margin=0.05, n=4000), "markdown")
    (row,) = [line for line in table.splitlines() if "**B**" in line]
    assert " ≈ |" in row and "≈ Equivalent: the interval" in table
    assert "≈" not in render(records_of(40, 10, n=4000), "markdown")


def test_both_intervals_of_a_sentence_turn_with_the_winner() -> None:
    said = [only(records_of(*n, margin=0.05, n=4000))["sentence"] for n in ((40, 10), (10, 40))]
    assert said[0].replace("B is better than A", "A is better than B") == said[1]


def test_an_end_on_the_margin_is_not_inside() -> None:
    upper = only(records_of(6, 6, margin=0.5))["interval_margin"][1]
    assert only(records_of(6, 6, margin=upper))["verdict"] == "undecided"
    assert only(records_of(6, 6, margin=np.nextafter(upper, 1)))["verdict"] == "equivalent"


def test_learners_that_never_disagree_have_an_interval_and_no_rejection() -> None:
    document = records_of(0, 0)
    found = only(document)
    assert document["comparisons"][0]["inference"]["degenerate"]
    assert found["verdict"] == "undecided" and found["interval"][0] < 0 < found["interval"][1]
    assert "cannot tell A from B" in found["sentence"] and "95 % interval" in found["sentence"]
    assert only(records_of(0, 0, margin=0.2))["verdict"] == "equivalent"


def test_an_interval_without_length_claims_nothing() -> None:
    found = only(document_of("kfold_t", [0.3] * 4, "kfold", margin=0.9, k=4))
    assert (found["verdict"], found["equivalent"]) == ("undecided", False)
    assert found["interval"] is None and found["interval_margin"] is None


def test_neither_statistic_nor_interval_is_no_result() -> None:
    found = only(document_of("combined_5x2_f", np.full((5, 2), 0.3), "random_mx2", m=5))
    assert (found["verdict"], found["interval"]) == ("no_result", None)
    failed = [v for v in troubled()["verdicts"] if "broken" in (v["a"], v["b"])]
    assert failed
    for verdict in failed:
        assert verdict["verdict"] == "no_result" and verdict["p_value"] is None
        assert verdict["estimate"] is None and verdict["agree"] == 0
        assert "could not compare" in verdict["sentence"]


def test_a_test_without_an_interval_says_so() -> None:
    document = document_of("combined_5x2_f", np.abs(F_WITHOUT_SIGN), "random_mx2", m=5)
    assert "a test without an interval" in only(document)["sentence"]
    for format_ in ("text", "latex", "markdown"):
        text = " ".join(render(document, format_).split())
        assert "has no interval for the difference" in text


def test_a_test_that_failed_is_not_said_to_have_no_interval() -> None:
    failed = made(LETTER, [("CART", "SVM")], FIVE_TESTS, fail=("SVM", "no luck"))
    tied = document_of("kfold_t", [0.3] * 4, "kfold", k=4)
    for document in (failed, tied):
        assert only(document)["interval"] is None
        for format_ in ("text", "latex", "markdown"):
            text = " ".join(render(document, format_).split())
            assert "has no interval" not in text and "In brackets" not in text


def test_notes_stand_below_what_they_speak_of() -> None:
    """A part of a table without the difference and the test that decides explains neither."""
    primary = "bcv_5x2_mcnemar"
    document = made(LETTER, [("CART", "SVM")], list(tests()), primary=primary, margin=0.5)
    parts = render(document, "latex").split(r"\begin{table}")[1:]
    assert len(parts) > 2 and only(document)["equivalent"]
    for part in parts:
        shown = r"[95\%]" in part
        assert ("In brackets" in part) == ("Equivalent" in part) == shown
        assert ("Bold:" in part) == (r"BCV 5$\times$2 McNemar~\cite" in part)
        assert "they decide nothing" in part and "trained on" in part


# --- what is estimated ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes, n, share, words",
    [
        ([10000] * 10, 20000, "n/2", "n/2 = 10,000 of 20,000 records"),
        ([284, 285], 569, "n/2", "n/2, 284 or 285 of 569 records"),
        ([512, 513], 569, "9n/10", "9n/10, 512 or 513 of 569 records"),
        ([67], 100, "2n/3", "2n/3 = 67 of 100 records"),
        ([149] * 150, 150, "n − 1", "n − 1 = 149 of 150 records"),
        ([123], 1000, None, "123 of 1,000 records"),
        ([7, 11], 18, None, "7 to 11 of 18 records"),
        ([74, 75, 76], 150, "n/2", "n/2, 74 to 76 of 150 records"),
        ([1], 2, "n/2", "n/2 = 1 of 2 records"),
    ],
)
def test_training_sizes_in_words(sizes: list[int], n: int, share: str, words: str) -> None:
    assert training_share(sizes, n) == share
    assert training_words(sizes, n) == words


def test_every_result_says_what_it_was_trained_on() -> None:
    document = breast_cancer()
    n_of = {data["name"]: data["n"] for data in document["data"]}
    for verdict in document["verdicts"]:
        n = n_of[verdict["data"]]
        assert verdict["trained_on"] == n / 2
        assert "learners trained on n/2, " in verdict["sentence"]  # halves differ by some records
    of_test = {c["test"]: c for c in document["comparisons"] if c["data"] == "iris"}
    assert of_test["kfold_t"]["trained_on"] == 120
    assert of_test["blocked_3x2_t"]["trained_on"] == 75
    for entry in document["intervals"]:
        share = 0.8 if entry["interval"] == "error_kfold_t" else 0.5
        assert entry["trained_on"] == pytest.approx(share * n_of[entry["data"]])
    for format_ in ("text", "latex", "markdown"):
        assert "trained on" in " ".join(render(document, format_).split())


def test_cvci_z_speaks_of_the_fitted_models() -> None:
    document = made(LETTER, [("CART", "SVM")], ["cvci_z"])
    assert "mean error of the 10 fitted models" in only(document)["sentence"]


# --- sentences -----------------------------------------------------------------------------------


def test_sentences_say_who_by_how_much_and_how_sure() -> None:
    document = small()
    found, entry = document["verdicts"][0], document["comparisons"][0]
    a, b = (100 * entry["inference"]["extra"][key] for key in ("loss_a", "loss_b"))
    lower, upper = (100 * end for end in found["interval"])
    assert found["sentence"] == (
        f"On letter, SVM is better than CART by {a - b:.2f} percentage points, 95 % interval"
        f" {lower:.2f} to {upper:.2f} (error rates {b:.2f}% and {a:.2f}%; bcv_5x2_mcnemar,"
        " p < 0.001, Holm-corrected p < 0.001, alpha 0.05; learners trained on n/2 = 100 of 200"
        " records; 2 of 2 further tests agree)."
    )


def test_the_interval_turns_with_the_winner() -> None:
    forth, back = only(records_of(60, 20)), only(records_of(20, 60))
    assert back["interval"] == pytest.approx([-end for end in forth["interval"][::-1]])
    ends = re.compile(r"by (.*), 95 % interval (.*?) to (.*?) \(")
    found = [ends.search(v["sentence"]) for v in (forth, back)]
    assert found[0] and found[1] and found[0].groups() == found[1].groups()


def test_sentence_without_significance() -> None:
    found = breast_cancer()["verdicts"][0]
    assert found["verdict"] == "undecided"
    number = r"−?\d\.\d\d"
    assert re.fullmatch(
        r"On breast cancer, tree and 1-NN do not differ significantly; the error rate of tree minus"
        rf" that of 1-NN is {number} percentage points, 95 % interval {number} to {number}"
        r" \(error rates \d\.\d\d% and \d\.\d\d%; bcv_5x2_mcnemar, p = 0\.\d{3},"
        r" Bonferroni-corrected p = \d\.\d{3}, alpha 0\.05; learners trained on n/2, 284 or 285 of"
        r" 569 records; \d of 3 further tests agree\)\.",
        found["sentence"],
    )


def test_a_difference_too_small_to_show_is_not_shown_as_nothing() -> None:
    d = [[0.00001, 0.00003], [0.00002, 0.00002], [0.00001, 0.00003]]
    document = document_of("blocked_3x2_t", d, "blocked_mx2", m=3)
    said = only(document)["sentence"]
    assert "by 0.00" not in said and "is 0.00 " not in said
    assert "less than 0.005 percentage points" in said
    for sign, shown in ((1, "&lt; 0.005 ["), (-1, "&gt; −0.005 [")):
        document = document_of("blocked_3x2_t", sign * np.array(d), "blocked_mx2", m=3)
        assert shown.replace("[", r"\[") in render(document, "markdown")
    nothing = document_of("blocked_3x2_t", [[0.1, -0.1]] * 3, "blocked_mx2", m=3)
    assert r"| 0.00 \[" in render(nothing, "markdown")


def test_sentence_for_significance_that_the_correction_takes_away() -> None:
    rates = {**LETTER, **{f"other {i}": 0.2 for i in range(12)}}
    pairs = [("1-NN", name) for name in rates if name != "1-NN"]
    document = made(rates, pairs, ["blocked_3x2_t"], correction="bonferroni", n=80)
    lost = [
        c for c in document["comparisons"] if c["inference"]["reject"] and not c["reject_corrected"]
    ]
    assert lost
    for entry in lost:
        assert "significant before the correction only" in entry["sentence"]
        assert entry["better"] is None and "do not differ significantly" in entry["sentence"]


def test_sentences_of_degenerate_and_failed_comparisons() -> None:
    found = {(v["a"], v["b"]): v for v in troubled()["verdicts"]}
    equal, ties = found["CART", "twin"], found["twin", "SVM"]
    assert equal["sentence"].startswith("On letter, kfold_t cannot tell CART from twin")
    assert "nothing to test" in equal["sentence"]
    assert ties["p_value"] == 0 and ties["p_corrected"] == 1
    assert ties["verdict"] == "undecided" and "ties" in ties["sentence"]
    failed = next(c for c in troubled()["comparisons"] if c["failed"])
    assert found[failed["a"], failed["b"]]["sentence"] == (
        f"On letter, bcv_5x2_mcnemar could not compare {failed['a']} with {failed['b']}:"
        f" {failed['failed']}."
    )


def test_many_tests_are_for_study() -> None:
    said = [w for w in made(LETTER, [("CART", "SVM")], list(tests()))["warnings"] if "study" in w]
    assert len(said) == 1 and said[0].startswith(f"{len(tests())} tests on the same data are for")
    assert not [w for w in small()["warnings"] if "study" in w]
    # As many as `all` gives on K folds.
    on_folds = [name for name, test in tests().items() if str(test.needs[0]) == "kfold(k=10)"]
    document = made(LETTER, [("CART", "SVM")], on_folds)
    assert [w for w in document["warnings"] if w.startswith("7 tests on the same data are for")]


@pytest.mark.parametrize("format_", ["text", "latex", "markdown"])
def test_many_tests_are_for_study_in_every_format(format_: str) -> None:
    """A table goes into a paper without the warnings beside it."""
    many = made(LETTER, [("CART", "SVM")], list(tests()))
    text = " ".join(render(many, format_).replace(",{}", ",").split())
    assert f"{len(tests())} tests on the same data are for study, not for claims" in text
    assert "for study" not in render(small(), format_)


@pytest.mark.parametrize("level, text", [(0.95, "95 %"), (0.9, "90 %"), (0.999, "99.9 %")])
def test_levels_in_words(level: float, text: str) -> None:
    assert percent(level) == text
    assert percent(1.0 - (1.0 - level)) == text
