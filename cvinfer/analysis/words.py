"""How names and numbers are put into words; the same in every format."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Mapping, Optional, Sequence, Union

#: Parts of registered names whose spelling is not the part itself.
SPELLING = {
    "2fold": "2-fold",
    "3x2": "3×2",
    "5x2": "5×2",
    "bayes": "Bayes",
    "bcv": "BCV",
    "control": "against the control",
    "cvci": "CVCI",
    "f": "F",
    "f1": "F1",
    "friedman": "Friedman",
    "holm": "Holm",
    "holdout": "hold-out",
    "iman": "Iman and",
    "davenport": "Davenport",
    "kfold": "K-fold",
    "loo": "LOO",
    "mcnemar": "McNemar",
    "nemenyi": "Nemenyi",
    "dietterich": "Dietterich",
    "welch": "Welch",
    "wilcoxon": "Wilcoxon",
    "wong": "Wong",
}

#: Words of names that are cut short where there is little room; the same everywhere.
SHORTER = {
    "calibrated": "cal.",
    "combined": "comb.",
    "conservative": "cons.",
    "corrected": "corr.",
    "Dietterich": "Diett.",
    "hold-out": "h.-o.",
    "independent": "indep.",
    "matched": "match.",
    "McNemar": "McN.",
    "proportion": "prop.",
    "repeated": "rep.",
}

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
}

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EM DASH}"


def title(name: str) -> str:
    """A registered name as one writes it: bcv_5x2_mcnemar is BCV 5×2 McNemar."""
    return " ".join(SPELLING.get(part, part) for part in name.split("_"))


def abbreviated(text: str) -> str:
    """A title with its long words cut short: BCV 5×2 McN."""
    return " ".join(SHORTER.get(word, word) for word in text.split(" "))


def settings(options: Mapping[str, Any]) -> str:
    """Options in a few words: rho=0.5, k=5."""
    return ", ".join(f"{key}={value}" for key, value in sorted(options.items()))


def p_text(p: float, alpha: float) -> str:
    """Three decimals, and never 0.000; more where rounding would cross alpha."""
    if p < 0.001:
        return "< 0.001"
    texts = (f"{p:.{decimals}f}" for decimals in range(3, 17))
    return next((text for text in texts if (float(text) < alpha) == (p < alpha)), repr(p))


def p_equation(p: float, alpha: float) -> str:
    """p_text as it stands after the letter p: `< 0.001` or `= 0.012`."""
    return p_text(p, alpha) if p < 0.001 else f"= {p_text(p, alpha)}"


def is_rate(loss: str) -> bool:
    """Whether mean losses are shares, such as error rates, which are shown in per cent.

    A loss of a plug-in that is not there any more is none.
    """
    from cvinfer.losses import losses

    declared = losses.get(loss)
    return declared is not None and declared.percent


def is_higher_better(loss: str) -> bool:
    """Whether more of a measure is better; not of one of a plug-in that is not there any more."""
    from cvinfer.losses import HIGHER, losses

    declared = losses.get(loss)
    return declared is not None and declared.better == HIGHER


def for_any_measure(interval: str) -> bool:
    """Whether an interval is for whatever a run measures, so that its name does not say of what."""
    from cvinfer.inference import ANY_MEASURE, intervals

    declared = intervals().get(interval)
    return declared is None or declared.measure == ANY_MEASURE


def short_name(loss: str) -> str:
    """What a measure is called in the head of a column."""
    from cvinfer.losses import losses

    declared = losses.get(loss)
    return "Loss" if declared is None else declared.short


def measures_of(document: Mapping[str, Any]) -> list[str]:
    """The measures of a document, the first before all; older ones have one and name it once."""
    spec = document["spec"]
    sources = [each["source"] for each in document.get("data", ())]
    brought = [each["measure"]["name"] for each in sources if each.get("source") == "scores"]
    if brought:
        return [str(brought[0])]
    given = spec.get("measures") or [spec.get("loss", "zero_one")]
    return [next(iter(each)) if isinstance(each, Mapping) else str(each) for each in given]


def measure_of(entry: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The measure of an entry of a document; older ones do not name it."""
    return str(entry.get("measure") or measures_of(document)[0])


def margin_of(document: Mapping[str, Any], measure: str) -> Optional[float]:
    """The margin of a measure; where there is one measure, it needs no name."""
    given = document["spec"].get("margin")
    return given.get(measure) if isinstance(given, Mapping) else given


def mean_name(loss: str, several: bool = False) -> str:
    """What a mean loss is called: error rate."""
    from cvinfer.losses import losses

    declared = losses.get(loss)
    called = "mean loss" if declared is None else declared.unit
    if not several:
        return called
    if called.endswith("y"):
        return f"{called[:-1]}ies"
    return called + ("es" if called.endswith("s") else "s")


def number(value: float, loss: str) -> str:
    """A mean loss (or a difference of two) without its unit; a real minus sign."""
    text = f"{100 * value:.2f}" if is_rate(loss) else f"{value:.4g}"
    if text.startswith("-"):
        text = text[1:] if not text.strip("-0.") else MINUS + text[1:]
    return text


def shown_as_nothing(value: float, loss: str) -> bool:
    """Whether a number that is not zero has no digit but zeros when it is written."""
    return bool(value) and not number(value, loss).strip(f"0.{MINUS}")


def scheme_title(partition: Mapping[str, Any], beside: Sequence[Mapping[str, Any]] = ()) -> str:
    """What a partition is called in a table; without n where data sets share a column.

    `beside` are all partitions of the column, on whatever data set.
    """
    scheme, shape, options = partition["scheme"], partition["shape"], partition["options"]
    alike = [each for each in beside if (each["scheme"], each["shape"]) == (scheme, shape)]
    base = _scheme(partition, alike or [partition])
    for option, word in (("stratify", "stratified"), ("groups", "grouped")):
        if options.get(option):
            base += f", {word}"
    return base


def _scheme(partition: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]) -> str:
    from cvinfer.partitions import schemes

    info = schemes.get(partition["scheme"])
    if info is None or info.title is None:
        return str(partition["label"])
    tested, share = _When(lambda: _held_out(alike)), _When(lambda: _training_share(partition))
    return info.title.format(*partition["shape"], tested=tested, share=share)


class _When:
    """A text that is made when a title asks for it."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __str__(self) -> str:
        return self._make()


def _held_out(partitions: Sequence[Mapping[str, Any]]) -> str:
    """How large a hold-out is: the records tested, or the share that several data sets have."""
    sizes = [pair for each in partitions for pair in split_sizes(each["sizes"])]
    least, most = min(test for _, test in sizes), max(test for _, test in sizes)
    if least == most:
        return f"{count_text(most, 'record')} tested"
    shares = {_training_share(each) for each in partitions}
    if len(shares) == 1 and shares != {"0"}:
        return f"{shares.pop()} for training"
    return f"{least:,} to {most:,} records tested"


def _training_share(partition: Mapping[str, Any]) -> str:
    train, test = split_sizes(partition["sizes"])[0]
    return str(Fraction(train, train + test).limit_denominator(20))


#: Train and test of a split, in lists as deep as the partition has axes.
Sizes = Sequence[Union[int, "Sizes"]]


def split_sizes(sizes: Sizes) -> list[tuple[int, int]]:
    """(train, test) of every split, from sizes nested in the shape of a partition."""
    inside = [each for each in sizes if not isinstance(each, int)]
    if not inside:
        train, test = (each for each in sizes if isinstance(each, int))
        return [(train, test)]
    return [pair for each in inside for pair in split_sizes(each)]


def trained_elsewhere(sizes: Sequence[int]) -> bool:
    """Whether learners were trained on records that are not at hand, so that none are counted."""
    return not any(sizes)


def training_share(sizes: Sequence[int], n: int) -> Optional[str]:
    """How many of n records train, as a share: n/2, 9n/10, n − 1; None where it is no plain one."""
    least, most = min(sizes), max(sizes)
    share = Fraction(sum(sizes), len(sizes) * n).limit_denominator(20)
    wanted = share * n
    if max(abs(least - wanted), abs(most - wanted)) <= 1 and 0 < share < 1:
        times = "" if share.numerator == 1 else str(share.numerator)
        return f"{times}n/{share.denominator}"
    return f"n {MINUS} 1" if least == most == n - 1 else None


def training_words(sizes: Sequence[int], n: int) -> str:
    """On how many of n records learners were trained: `n/2 = 10,000 of 20,000 records`."""
    least, most = min(sizes), max(sizes)
    numbers = f"{least:,}"
    if most > least:
        numbers += f" {'or' if most == least + 1 else 'to'} {most:,}"
    share = training_share(sizes, n)
    of = f"{numbers} of {count_text(n, 'record')}"
    if share is None:
        return of
    return f"{share} = {of}" if most == least else f"{share}, {of}"


def count_text(number_of: int, noun: str) -> str:
    """A count with its thousands apart: 20,000 records."""
    return f"{number_of:,} {noun}" + "s" * (number_of != 1)


def percent(level: float) -> str:
    """A level as one writes it: 95 %; as many digits as it takes and no more."""
    return f"{100 * level:.6g} %"


def count(number_of: int, noun: str) -> str:
    return f"{number_of} {noun}" if number_of == 1 else f"{number_of} {noun}s"


def listed(words: list[str]) -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def correction_word(method: Optional[str]) -> str:
    return CORRECTIONS.get(str(method), str(method))
