"""`cvinfer init`: a commented spec that runs, for a file of data or as a first example."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Optional

from cvinfer.errors import CvinferError, UserError
from cvinfer.foreign import is_plain
from cvinfer.limits import Unreadable, check_file

EXAMPLE, EXAMPLE_RECORDS = "breast_cancer", 569
#: Separators that are tried where the target is no column of a csv file read with commas.
SEPARATORS = (";", "\t", "|")
#: From here on a text column with a value of its own for each record is taken for an identifier.
MANY = 20

SPEC = """\
# What is compared, on which data, by which tests.
#   cvinfer validate {file}     find mistakes
#   cvinfer plan {file}         how many fits it takes
#   cvinfer run {file}          fit, test, write tables
cvinfer: 1                  # version of the spec language
name: {name}  # results go to results/<name>

{data}

# The names on the left are yours; they appear in the results. Learners are classifiers of
# scikit-learn (`cvinfer list learners`), alone or behind other steps. Whatever a step learns, it
# learns from the training records of each split only.
learners:
  tree:
    engine: sklearn
    learner: DecisionTreeClassifier
    params: {{min_samples_leaf: 2}}
  nearest neighbour:
    engine: sklearn
    steps: [StandardScaler, {{KNeighborsClassifier: {{n_neighbors: 1}}}}]
  naive Bayes: {{engine: sklearn, learner: GaussianNB}}

compare: all                # every pair; or a pair [tree, naive Bayes], or
                            # {{each: [tree, naive Bayes], against: [nearest neighbour]}}

# auto: each test gets the partition it needs, and tests share fits wherever they can.
partition: auto
{tests}

alpha: 0.05
correction: holm            # over the comparisons of one test: none, holm, bonferroni, ...
seed: 1                     # the same seed gives the same result, to the byte
"""

RECOMMENDED = """\
# The test that decides, with ten fits per learner; `cvinfer list tests` shows the others. Further
# tests in the list only stand beside the first one.
tests: [{test}]
# margin: 0.01              # differences up to this size count as none: "equivalent" can be said"""

FEW_RECORDS = """\
# There are too few records for the recommended test; `cvinfer list tests` shows all.
tests: [{test}]"""

SKLEARN = """\
# A data set that comes with scikit-learn. For your own file:
#   data: {{source: csv, path: data.csv, target: class}}
data: {{source: sklearn, dataset: {dataset}}}"""


def write_spec(data: Optional[Path], target: Optional[str], output: Path, force: bool) -> list[str]:
    """Write a spec that was found right; notes on what the user should look at come back."""
    from cvinfer.report.document import write_text

    if output.exists() and not force:
        raise UserError(f"{output} is there already; say --force to overwrite it, or -o FILE")
    new = not output.parent.exists()
    try:
        # Relative paths lead nowhere from a directory that is not there.
        output.parent.mkdir(parents=True, exist_ok=True)
        text, notes = spec_text(data, target, output)
        write_text(output, text)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror or error}") from None
    except CvinferError:
        if new:
            output.parent.rmdir()
        raise
    return notes


def spec_text(data: Optional[Path], target: Optional[str], output: Path) -> tuple[str, list[str]]:
    """The text of a spec for data, to stand in `output`, and the notes."""
    from cvinfer.spec import SpecError, load_spec
    from cvinfer.spec.text import parse

    if data is None and target is not None:
        raise UserError("--target names a column of a data file; name the file as well")
    text, notes = _example(output) if data is None else _for_data(data, target, output)
    document = parse(text.encode(), str(output))
    if document.faults:
        raise SpecError(document.faults)
    # What does not pass the check is not handed out.
    load_spec(document.value, base=output.absolute().parent)
    return text, notes


def _example(output: Path) -> tuple[str, list[str]]:
    return _filled(output, EXAMPLE, SKLEARN.format(dataset=EXAMPLE), _tests(EXAMPLE_RECORDS)), []


def _filled(output: Path, name: str, data: str, tests: str) -> str:
    plain = re.sub(r"[^\w.+-]+", "_", name).strip("._-")[:60] or "comparison"
    return SPEC.format(file=output.name, name=scalar(plain).ljust(20), data=data, tests=tests)


def _for_data(data: Path, target: Optional[str], output: Path) -> tuple[str, list[str]]:
    from cvinfer.data import load
    from cvinfer.data.table import measured_but

    entry = _entry(data, target, output.absolute().parent)
    base = output.absolute().parent
    if entry["source"] == "csv":
        _separator(entry, base)
    if target is None and entry["source"] == "arff":
        del entry["target"]  # its last attribute
    elif target is None:
        raise UserError(
            f"--target is missing: the column of {data} with the classes{_columns(data)}"
        )
    try:
        # Imputing is what lets missing values pass, so that they can be looked for.
        found = load({**entry, "missing": "impute"}, base, 0)
    except UserError as error:
        raise UserError(str(error)) from None  # its path is in a spec that is not written yet
    comments, notes = {}, []
    marks = [mark for column in found.features for mark in measured_but(column)]  # type: ignore
    if marks and entry["source"] == "csv":
        entry["na"] = sorted(set(marks))
        comments["na"] = "texts among numbers, taken for missing values"
        notes.append(f"taken for missing values: {', '.join(map(repr, entry['na']))}")
        found = load({**entry, "missing": "impute"}, base, 0)
    own = [
        column.name
        for column in found.features  # type: ignore[union-attr]
        if column.kind == "categorical" and len(column.levels) == found.n >= MANY
    ]
    if own and len(own) < len(found.features):  # type: ignore[union-attr]
        entry["drop"] = own
        comments["drop"] = "every record has its own value there, so nothing can be learned from it"
        notes.append(f"left out, since every record has its own value there: {', '.join(own)}")
    holes = [c.name for c in found.features if c.missing.any()]  # type: ignore[union-attr]
    if holes:
        entry["missing"] = "impute"
        comments["missing"] = "filled in from the training records of each split; or drop"
        notes.append(f"there are missing values in {', '.join(holes[:5])}; they are imputed")
    if found.n_classes > max(20, found.n // 4):
        notes.append(
            f"the target has {found.n_classes} different values in {found.n} records:"
            " is it a class?"
        )
    spec_name = data.name.split(".")[0]
    return _filled(output, spec_name, _data_text(entry, comments), _tests(found.n)), notes


def _entry(data: Path, target: Optional[str], base: Path) -> dict[str, Any]:
    kinds = {".csv": "csv", ".arff": "arff", ".parquet": "parquet", ".pq": "parquet"}
    suffixes = [suffix.lower() for suffix in data.suffixes if suffix.lower() != ".gz"]
    source = kinds.get(suffixes[-1] if suffixes else "", "csv")
    # What the operating system says is said of the file as the user wrote it.
    try:
        check_file(data)
    except Unreadable as error:
        raise UserError(f"{data} cannot be read: {error}") from None
    except OSError as error:
        raise UserError(f"{data} cannot be read: {error.strerror or error}") from None
    try:
        path = os.path.relpath(data.absolute(), base)
    except ValueError:  # another drive
        path = str(data.absolute())
    return {"source": source, "path": Path(path).as_posix(), "target": target or ""}


def _separator(entry: dict[str, Any], base: Path) -> None:
    """Add a separator where the header makes sense with another one than the comma."""
    from cvinfer.data.files import read_rows

    def columns(separator: str) -> list[str]:
        try:
            return list(read_rows(entry["path"], base, separator, "utf-8")[0])
        except UserError:
            return []

    with_comma = columns(",")
    if entry["target"] in with_comma or (not entry["target"] and len(with_comma) > 1):
        return
    for separator in SEPARATORS:
        header = columns(separator)
        if entry["target"] in header or (not entry["target"] and len(header) > 1):
            entry["separator"] = separator
            return


def _columns(data: Path) -> str:
    """The columns of a csv file, to choose from."""
    from cvinfer.data.files import read_rows

    if ".csv" not in data.suffixes:
        return ""
    for separator in (",", *SEPARATORS):
        try:
            header = list(read_rows(str(data), Path(), separator, "utf-8")[0])
        except UserError:
            return ""
        if len(header) > 1:
            more = ", ..." if len(header) > 20 else ""
            return f"; its columns are {', '.join(header[:20])}{more}"
    return ""


def _data_text(entry: dict[str, Any], comments: dict[str, str]) -> str:
    lines = [
        "# Paths are relative to this file. Labels of classes stay as they are written; columns of",
        "# text are categories. See `cvinfer list data` for groups, drop, keep, sample, binarize.",
        "data:",
    ]
    for key, value in entry.items():
        if isinstance(value, list):
            text = f"[{', '.join(map(scalar, value))}]"
        else:
            text = scalar(value)
        if key in comments:
            lines.append(f"  # {comments[key]}")
        lines.append(f"  {key}: {text}")
    return "\n".join(lines)


def _tests(n: int) -> str:
    from cvinfer.inference import procedure
    from cvinfer.partitions import PartitionError, make_plan
    from cvinfer.spec import RECOMMENDED_TESTS

    def fits(name: str) -> bool:
        try:
            for need in procedure(name).needs:
                make_plan(need.scheme, n, seed=0, **need.options)
        except PartitionError:
            return False
        return True

    if all(map(fits, RECOMMENDED_TESTS)):
        return RECOMMENDED.format(test=", ".join(RECOMMENDED_TESTS))
    for name in ("blocked_3x2_t", "dietterich_5x2_t", "holdout_mcnemar"):
        if fits(name):
            return FEW_RECORDS.format(test=name)
    raise UserError(f"{n} records are too few for any comparison")


def scalar(value: str) -> str:
    """Text in YAML: plain where that is safe, else in double quotes, where JSON's are YAML's."""
    import yaml

    if re.fullmatch(r"[A-Za-z_][\w ./+-]*", value) and value == value.strip():
        if yaml.safe_load(value) == value:
            return value
    return json.dumps(value, ensure_ascii=not is_plain(value))
