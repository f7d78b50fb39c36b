"""Results of Weka's Experimenter, csv or arff: a row for each data set, scheme, run and fold."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from cvinfer.errors import UserError

from ..files import bad_quotes, ragged_row, read_text
from ..scores import Row, ToldScores
from ._form import Asked, Form, Table, forms, size

#: What it calls a measure.
COLUMNS = {
    "zero_one": "Percent_incorrect",
    "accuracy": "Percent_correct",
    "auc": "Area_under_ROC",
    "f1": "F_measure",
    "precision": "IR_precision",
    "recall": "IR_recall",
    "mcc": "Matthews_correlation",
    "kappa": "Kappa_statistic",
}
#: What it gives per cent and we as a share.
PER_CENT = ("zero_one",)
_TRAIN, _TEST = "Number_of_training_instances", "Number_of_testing_instances"


def read(asked: Asked) -> ToldScores:
    """A learner is called after its class, with its options where two differ by those alone.

    Runs of a cross-validation are replications; without folds each run is a hold-out.
    """
    arff = asked.path.lower().removesuffix(".gz").endswith(".arff")
    table = Table(repr(asked.path), _arff(asked) if arff else _csv(asked))
    names = _learners(table)
    runs = table.column("Key_Run", "weka")
    folds = table.columns.get("Key_Fold")
    values = table.value([COLUMNS.get(asked.measure.name, asked.measure.name)], asked)
    if asked.measure.name in PER_CENT and asked.value is None:
        values = [_share(value) for value in values]
    train, test = table.columns.get(_TRAIN), table.columns.get(_TEST)
    rows = []
    for at in table.of_data("Key_Dataset", asked):
        where = f"row {at + 1}"
        sizes = (
            None if train is None else size(train[at], f"{table.where}, {where}", _TRAIN),
            None if test is None else size(test[at], f"{table.where}, {where}", _TEST),
        )
        fold = "1" if folds is None else folds[at]
        rows.append(Row(where, names[at], _whole(runs[at]), _whole(fold), values[at], sizes))
    return ToldScores(rows)


def _share(text: str) -> str:
    """0.35 for 35.0; what is no number stays as it is, and is told later."""
    try:
        return repr(float(text) / 100.0)
    except ValueError:
        return text


def _whole(text: str) -> str:
    """1 for 1.0."""
    return text.removesuffix(".0")


def _learners(table: Table) -> list[str]:
    schemes = table.column("Key_Scheme", "weka")
    options = table.columns.get("Key_Scheme_options") or [""] * len(schemes)
    short = [scheme.rpartition(".")[2] for scheme in schemes]
    settings: dict[str, set[tuple[str, str]]] = {}
    for name, scheme, option in zip(short, schemes, options):
        settings.setdefault(name, set()).add((scheme, option))
    names = []
    for name, scheme, option in zip(short, schemes, options):
        alike = settings[name]
        if len(alike) > 1:
            told = scheme if len({each for each, _ in alike}) > 1 else name
            name = f"{told} {option}".strip()
        names.append(name)
    return names


def _csv(asked: Asked) -> Mapping[str, Sequence[str]]:
    """Weka puts text in single quotes."""
    text = read_text(asked.path, asked.base, asked.encoding)

    def lines() -> csv.reader:  # type: ignore[valid-type]
        return csv.reader(io.StringIO(text, newline=""), quotechar="'", escapechar="\\")

    reader = lines()
    try:
        rows = [row for row in reader if row]  # type: ignore[attr-defined]
    except csv.Error as error:
        raise bad_quotes(asked.path, reader, error) from None
    if not rows:
        raise UserError(f"{asked.path!r} is empty", ("path",))
    header = rows.pop(0)
    if set(map(len, rows)) - {len(header)}:
        raise ragged_row(asked.path, lines(), len(header))
    return dict(zip(header, zip(*rows) if rows else [()] * len(header)))


def _arff(asked: Asked) -> Mapping[str, Sequence[str]]:
    from ..sources.arff import decoded

    lines = read_text(asked.path, asked.base, asked.encoding).split("\n")
    found = decoded(asked.path, lines)
    names = [name for name, _ in found["attributes"]]
    columns = list(zip(*found["data"])) or [()] * len(names)
    return {
        name: ["?" if each is None else str(each) for each in column]
        for name, column in zip(names, columns)
    }


forms.add(
    "weka",
    Form("weka", "results of Weka's Experimenter, csv or arff", read),
    __name__,
)
