"""`cvinfer init`: a commented spec that runs, for a file of data or as a first example."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence

from cvinfer.errors import CvinferError, UserError
from cvinfer.foreign import is_plain
from cvinfer.limits import Unreadable, check_file

EXAMPLE, EXAMPLE_RECORDS = "breast_cancer", 569
#: Records that are looked at for decimal commas.
FIRST = 200
#: From here on a text column with a value of its own for each record is taken for an identifier.
MANY = 20

SPEC = """\
# yaml-language-server: $schema={schema}
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
{learners}

# auto: each test gets the partition it needs, and tests share fits wherever they can.
partition: auto
{tests}

alpha: 0.05
correction: holm            # over the comparisons of one test: none, holm, bonferroni, ...
seed: 1                     # the same seed gives the same result, to the byte
"""

LEARNERS = """\
  tree:
    engine: sklearn
    learner: DecisionTreeClassifier
    params: {min_samples_leaf: 2}
  nearest neighbour:
    engine: sklearn
    steps: [StandardScaler, {KNeighborsClassifier: {n_neighbors: 1}}]
  naive Bayes: {engine: sklearn, learner: GaussianNB}

compare: all                # every pair; or a pair [tree, naive Bayes], or
                            # {each: [tree, naive Bayes], against: [nearest neighbour]}"""

ASKED_LEARNERS = """\
{entries}

compare: all                # every pair; or a list of two names"""

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


class Wishes(NamedTuple):
    """What the user says of a file of data, and of the spec; None and () for nothing."""

    target: Optional[str] = None
    learners: Optional[str] = None
    drop: tuple[str, ...] = ()
    encoding: Optional[str] = None
    separator: Optional[str] = None
    decimal: Optional[str] = None


def write_spec(data: Optional[Path], wishes: Wishes, output: Path, force: bool) -> list[str]:
    """Write a spec that was found right; notes on what the user should look at come back."""
    from cvinfer.report.files import write_text

    if output.exists() and not force:
        raise UserError(f"{output} is there already; say --force to overwrite it, or -o FILE")
    new = not output.parent.exists()
    try:
        # Relative paths lead nowhere from a directory that is not there.
        output.parent.mkdir(parents=True, exist_ok=True)
        text, notes = spec_text(data, wishes, output)
        write_text(output, text)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror or error}") from None
    except CvinferError:
        if new:
            output.parent.rmdir()
        raise
    return notes


def spec_text(data: Optional[Path], wishes: Wishes, output: Path) -> tuple[str, list[str]]:
    """The text of a spec for data, to stand in `output`, and the notes."""
    from cvinfer.data.kept import remembering
    from cvinfer.spec import SpecError, load_spec
    from cvinfer.spec.text import parse

    about_data = wishes._replace(learners=None)
    if data is None and about_data != Wishes():
        given = next(key for key, value in about_data._asdict().items() if value)
        raise UserError(f"--{given} is said of a data file; name the file as well")
    with remembering():
        if data is None:
            text, notes = _example(output, wishes)
        else:
            text, notes = _for_data(data, wishes, output)
        document = parse(text.encode(), str(output))
        if document.faults:
            raise SpecError(document.faults)
        # What does not pass the check is not handed out.
        load_spec(document.value, base=output.absolute().parent)
    return text, notes


def _example(output: Path, wishes: Wishes) -> tuple[str, list[str]]:
    data, tests = SKLEARN.format(dataset=EXAMPLE), _tests(EXAMPLE_RECORDS)
    return _filled(output, EXAMPLE, data, tests, wishes), []


def _filled(output: Path, name: str, data: str, tests: str, wishes: Wishes) -> str:
    plain = re.sub(r"[^\w.+-]+", "_", name).strip("._-")[:60] or "comparison"
    from cvinfer.schemas import place

    return SPEC.format(
        schema=place("spec").as_uri(),
        file=output.name,
        name=scalar(plain).ljust(20),
        data=data,
        learners=LEARNERS if wishes.learners is None else _asked_learners(wishes.learners),
        tests=tests,
    )


def _asked_learners(asked: str) -> str:
    """Entries for learners by their names, with the engine before a colon where it is said."""
    from cvinfer.data.files import unknown
    from cvinfer.engines import engines
    from cvinfer.engines.sklearn import SklearnEngine

    known = engines()
    found: dict[str, str] = {}
    for word in filter(None, map(str.strip, asked.split(","))):
        before, colon, learner = word.rpartition(":")
        if colon and before not in known:
            raise unknown(f"--learners: there is no engine {before!r}", (), before, known)
        # One that several engines have is scikit-learn's.
        first = SklearnEngine.name
        order = [before] if colon else sorted(known, key=lambda name: (name != first, name))
        names: list[str] = []
        for engine in order:
            offered = {
                name: each
                for each in known[engine].learners()
                for name in (each.name, *each.aliases)
            }
            names += offered
            if learner in offered:
                if not offered[learner].available:
                    raise UserError(f"--learners: {word} cannot run: {offered[learner].reason}")
                name = word if learner in found else learner
                found[name] = f"{{engine: {engine}, learner: {scalar(learner)}}}"
                break
        else:
            fault = f"--learners: there is no learner {learner!r} (cvinfer list learners)"
            raise unknown(fault, (), learner, names)
    if len(found) < 2:
        raise UserError("--learners: name at least two, with commas between")
    entries = "\n".join(f"  {scalar(name)}: {entry}" for name, entry in found.items())
    return ASKED_LEARNERS.format(entries=entries)


def _for_data(data: Path, wishes: Wishes, output: Path) -> tuple[str, list[str]]:
    base = output.absolute().parent
    entry = _entry(data, wishes.target, base)
    comments: dict[str, str] = {}
    notes: list[str] = []
    try:
        header = _how_written(entry, wishes, base, comments, notes)
        if wishes.target is None and entry["source"] == "arff":
            del entry["target"]  # its last attribute
        elif wishes.target is None:
            more = ", ..." if len(header) > 20 else ""
            columns = f"; its columns are {', '.join(header[:20])}{more}" if header else ""
            raise UserError(f"--target is missing: the column of {data} with the classes{columns}")
        found = _looked_at(entry, base, comments, notes)
    except UserError as error:
        raise UserError(str(error)) from None  # its path is in a spec that is not written yet
    if found.n_classes > max(20, found.n // 4):
        notes.append(
            f"the target has {found.n_classes} different values in {found.n} records:"
            " is it a class?"
        )
    spec_name = data.name.split(".")[0]
    text = _filled(output, spec_name, _data_text(entry, comments), _tests(found.n), wishes)
    return text, notes


def _how_written(
    entry: dict[str, Any], wishes: Wishes, base: Path, comments: dict[str, str], notes: list[str]
) -> list[str]:
    """Say in the entry how the file is written; its columns, where that is a csv file."""
    from cvinfer.data.blocks import CsvText, some_rows
    from cvinfer.data.sources.csv import SEPARATORS, found_separator
    from cvinfer.data.files import likely_encoding, read_bytes, read_utf8
    from cvinfer.data.registry import sources

    options = sources()[entry["source"]].options
    for key in ("encoding", "separator", "decimal"):
        given = getattr(wishes, key)
        if given is not None and key not in options:
            raise UserError(f"--{key}: a file of {entry['source']} has none")
        if given is not None:
            entry[key] = given
    if "encoding" in options and "encoding" not in entry:
        encoding = likely_encoding(read_bytes(entry["path"], base))
        if encoding != "utf-8":
            entry["encoding"] = encoding
            comments["encoding"] = "a guess, since it is not utf-8: look at the letters"
            notes.append(f"the file is not utf-8; it is read as {encoding}")
    if wishes.drop:
        entry["drop"] = list(wishes.drop)
    if entry["source"] != "csv":
        return []
    content = read_utf8(entry["path"], base, entry.get("encoding", "utf-8"))
    if "separator" not in entry:
        separator = found_separator(entry["path"], content, entry["target"])
        if separator != ",":
            entry["separator"] = separator
            notes.append(f"fields are apart by {SEPARATORS[separator]}")
    separator = entry.get("separator", ",")
    if len(separator) != 1:
        return []  # told when it is read
    header, *rows = some_rows(CsvText(entry["path"], content, separator), FIRST + 1) or [[]]
    if "decimal" not in entry and separator != ",":
        _decimal(entry, header, rows, comments, notes)
    entry["drop"] = _columns_in(wishes.drop, header)
    if "" in header and "" not in entry["drop"]:
        entry["drop"].append("")
        comments["drop"] = "a column without a name, as row numbers have none"
        notes.append(f"left out: column {header.index('') + 1}, which has no name")
    if not entry["drop"]:
        del entry["drop"]
    return header


def _columns_in(words: Sequence[str], header: Sequence[str]) -> list[str]:
    """Columns to leave out; commas stand between several, unless a name has them."""
    found: list[str] = []
    for word in words:
        several = word not in header and "," in word
        found += map(str.strip, word.split(",")) if several else [word]
    return list(dict.fromkeys(found))


def _decimal(
    entry: dict[str, Any],
    header: list[str],
    rows: list[list[str]],
    comments: dict[str, str],
    notes: list[str],
) -> None:
    """Say that numbers have decimal commas, where that is so of a column and against none."""
    from cvinfer.data.table import numbers

    def mostly(texts: list[str], mark: str) -> bool:
        """Whether half of what stands there is a number with this decimal mark in it."""
        having = [text for text in texts if mark in text and numbers([text], mark) is not None]
        return 2 * len(having) > len(texts)

    columns = {
        name: [row[at] for row in rows if at < len(row) and row[at].strip()]
        for at, name in enumerate(header)
        if name != entry["target"]
    }
    commas = [name for name, texts in columns.items() if mostly(texts, ",")]
    points = [name for name, texts in columns.items() if mostly(texts, ".")]
    if commas and points:
        notes.append(
            f"numbers have decimal commas in column {commas[0]!r} and points in {points[0]!r};"
            " say --decimal"
        )
    elif commas:
        entry["decimal"] = ","
        comments["decimal"] = f"as in column {' '.join(commas[0].split())!r}"
        notes.append(f"numbers have decimal commas, as in column {commas[0]!r}")


def _looked_at(
    entry: dict[str, Any], base: Path, comments: dict[str, str], notes: list[str]
) -> Any:
    """The data set; what it needs to be learned from is said in the entry."""
    from cvinfer.data import load
    from cvinfer.data.table import measured_but

    def read() -> Any:
        # Imputing is what lets missing values pass, so that they can be looked for.
        return load({**entry, "missing": "impute"}, base, 0)

    try:
        found = read()
    except UserError as error:
        if error.path != ("missing_target",):
            raise
        entry["missing_target"] = "drop"
        comments["missing_target"] = "records without a class label are left out"
        found = read()
    marks = [mark for column in found.features for mark in measured_but(column)]
    if marks and entry["source"] == "csv":
        entry["na"] = sorted(set(marks))
        comments["na"] = "texts among numbers, taken for missing values"
        notes.append(f"taken for missing values: {', '.join(map(repr, entry['na']))}")
        found = read()
    notes += [note for note in found.notes if "label" in note or "missing_target" in note]
    own = [
        column.name
        for column in found.features
        if column.kind == "categorical" and len(column.levels) == found.n >= MANY
    ]
    if own and len(own) < len(found.features):
        entry["drop"] = [*entry.get("drop", []), *own]
        comments["drop"] = "every record has its own value there, so nothing can be learned from it"
        notes.append(f"left out, since every record has its own value there: {', '.join(own)}")
    holes = [column.name for column in found.features if column.missing.any()]
    if holes:
        entry["missing"] = "impute"
        comments["missing"] = "filled in from the training records of each split; or drop"
        notes.append(f"there are missing values in {', '.join(holes[:5])}; they are imputed")
    return found


def _entry(data: Path, target: Optional[str], base: Path) -> dict[str, Any]:
    from cvinfer.data.registry import source_of_file

    source = source_of_file(data.name) or "csv"
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
    from cvinfer.partitions import PartitionError, make_partition
    from cvinfer.spec import RECOMMENDED_TESTS

    def fits(name: str) -> bool:
        try:
            for need in procedure(name).needs:
                make_partition(need.scheme, n, seed=0, **need.options)
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
