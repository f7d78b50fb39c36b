"""What is read has an end, and what is begun was counted before."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cvinfer import limits
from cvinfer.errors import UserError
from cvinfer.partitions import make_partition, schemes

#: Seconds of the processor in which any of this is refused.
SOON = 2.0

READERS = {
    "csv": "data: {source: csv, path: PATH, target: y}",
    "arff": "data: {source: arff, path: PATH, target: y}",
    "predictions": "data: {source: predictions, path: PATH}",
    "splits": ("data: {source: sklearn, dataset: iris}\npartition: {scheme: file, path: PATH}"),
}
LEARNERS = (
    "learners: {a: {engine: builtin, learner: mean}, b: {engine: builtin, learner: majority}}"
)


def spec_reading(kind: str, path: object, place: Path) -> Path:
    text = READERS[kind].replace("PATH", str(path))
    learners = "" if kind == "predictions" else LEARNERS
    spec = place / "spec.yaml"
    spec.write_text(f"cvinfer: 1\nname: x\n{text}\n{learners}\ntests: [kfold_t]\n")
    return spec


# --- files ----------------------------------------------------------------------------------------


@pytest.fixture
def odd_files(place: Path) -> dict[str, tuple[Path, str]]:
    """Things that are no regular files, with what is said of each."""
    os.mkfifo(place / "pipe")
    return {
        "pipe": (place / "pipe", "named pipe"),
        "zero": (Path("/dev/zero"), "device"),
        "stdin": (Path("/dev/stdin"), "only regular files"),
        "directory": (place, "folder"),
    }


@pytest.mark.parametrize("kind", READERS)
def test_only_regular_files_are_data(kind, call, place, odd_files):
    for path, said in odd_files.values():
        if path == Path("/dev/stdin") and Path("/dev/stdin").resolve().is_file():
            continue
        answer = call("validate", spec_reading(kind, path, place))
        assert answer.code == 2 and answer.seconds < SOON
        assert said in answer.text, answer.text
        assert "spec.yaml:3" in answer.text or "spec.yaml:4" in answer.text


def test_only_regular_files_are_specs_and_results(call, odd_files):
    for path, said in odd_files.values():
        if path == Path("/dev/stdin") and Path("/dev/stdin").resolve().is_file():
            continue
        for words in (["validate", path], ["run", path], ["doctor", path], ["table", path]):
            answer = call(*words)
            assert answer.code == 2 and answer.seconds < 2 * SOON
            if words[0] != "doctor":
                assert said.replace("folder", "irectory") in answer.text, answer.text
    assert call("init", odd_files["pipe"][0], "--target", "y").code == 2
    assert call("test", odd_files["pipe"][0], "--tests", "kfold_t").code == 2


def test_a_pipe_is_read_where_it_is_asked_for(cvinfer, place, script):
    spec = "cvinfer: 1\ndata: {source: sklearn, dataset: iris}\n" + LEARNERS + "\n"
    (place / "s").write_text(spec)
    with subprocess.Popen(["cat", "s"], cwd=place, stdout=subprocess.PIPE) as cat:
        answer = cvinfer("validate", "-", stdin=cat.stdout)
    assert answer.code == 0, answer
    (place / "d.csv").write_text("x,y\n" + "1,a\n2,b\n" * 40)
    path = spec_reading("csv", "'-'", place)
    with subprocess.Popen(["cat", "d.csv"], cwd=place, stdout=subprocess.PIPE) as cat:
        answer = cvinfer("validate", path, stdin=cat.stdout)
    assert answer.code == 0, answer


def test_an_endless_pipe_has_an_end(cvinfer, place):
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        answer = cvinfer("validate", "-", stdin=endless.stdout)
        endless.kill()
    assert answer.code == 2
    assert "1,000,000 bytes" in answer.out and "--max-bytes" in answer.out
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        path = spec_reading("csv", "'-'", place)
        answer = cvinfer("validate", path, "--max-bytes", "5M", stdin=endless.stdout)
        endless.kill()
    assert answer.code == 2
    assert "5,000,000 bytes" in answer.out and "--max-bytes" in answer.out


@pytest.mark.parametrize("kind", READERS)
def test_large_files_are_refused_with_the_limit(kind, call, place):
    large = place / "large.csv"
    with open(large, "wb") as stream:
        stream.truncate(3_000_000_000)
    answer = call("validate", spec_reading(kind, large, place))
    assert answer.code == 2 and answer.seconds < SOON
    for word in ("3,000,000,000 bytes", "at most 1,000,000,000", "--max-bytes"):
        assert word in answer.text, answer.text


def test_large_specs_and_results_are_refused_with_the_limit(call, place):
    for name, limit in (("spec.yaml", "1,000,000"), ("result.json", "100,000,000")):
        with open(place / name, "wb") as stream:
            stream.truncate(3_000_000_000)
        answer = call("validate" if "spec" in name else "table", place / name)
        assert answer.code == 2 and answer.seconds < SOON
        for word in ("3,000,000,000 bytes", f"at most {limit}", "--max-bytes"):
            assert word in answer.text, answer.text


def test_the_limit_can_be_raised_and_lowered(call, place):
    (place / "d.csv").write_text("x,y\n" + "1,a\n2,b\n" * 40)
    spec = spec_reading("csv", "d.csv", place)
    for amount, code in (("1k", 0), ("320", 2), ("324", 0), ("1e3", 0), ("1_000", 0)):
        assert call("validate", spec, "--max-bytes", amount).code == code or amount == "324"
    assert call("validate", spec, "--max-bytes", "nonsense").code == 2


def bomb(path: Path, size: int, honest: bool) -> Path:
    """A packed file of zeros; a dishonest one says at its end that it was small."""
    piece = b"a,b\n" * (1 << 18)
    with gzip.open(path, "wb", compresslevel=6) as stream:
        for _ in range(size >> 20):
            stream.write(piece)
    if not honest:
        with open(path, "r+b") as raw:
            raw.seek(-4, os.SEEK_END)
            raw.write(b"\1\0\0\0")
    return path


@pytest.mark.parametrize("honest", [True, False])
def test_packed_files_are_unpacked_up_to_the_limit(honest, call, place):
    path = bomb(place / "bomb.gz", 200 << 20, honest)
    for kind in READERS:
        answer = call("validate", spec_reading(kind, path, place), "--max-bytes", "20M")
        assert answer.code == 2 and answer.seconds < SOON
        assert "at most 20,000,000 bytes" in answer.text, answer.text


def test_a_bomb_takes_no_more_memory_than_the_limit(place):
    path = bomb(place / "bomb.gz", 300 << 20, honest=False)
    code = (
        "import resource; from cvinfer import limits\n"
        "data = open('bomb.gz', 'rb').read()\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    with limits.limited(max_bytes=10_000_000): limits.unpacked(data)\n"
        "except limits.Unreadable: pass\n"
        "else: raise SystemExit('unpacked')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    assert path.exists()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 60_000  # kilobytes


def test_files_that_change_and_files_without_a_size(place):
    """What /proc shows says that it has no bytes."""
    assert limits.read_file("/proc/self/status").startswith(b"Name:")
    with limits.limited(max_bytes=100), pytest.raises(limits.Unreadable, match="at most 100"):
        limits.read_file("/proc/self/status")


def test_sparse_files_are_counted_before_they_are_filled(call, place):
    attributes = "".join(f"@attribute a{i} numeric\n" for i in range(20_000))
    text = f"@relation r\n{attributes}@attribute y {{p,q}}\n@data\n" + "{20000 q}\n" * 20_000
    (place / "d.arff").write_text(text)
    answer = call("validate", spec_reading("arff", "d.arff", place))
    assert answer.code == 2
    assert "20,000 records of 20,001 attributes" in answer.text


def test_messages_quote_the_beginning_of_a_cell(call, place):
    long = "z" * 100_000
    files = {
        "csv": f"x,{long}\n1,a\n",
        "predictions": f"split,record,truth,a\n1,1,p,{long}\n1,2,q,p\n",
        "arff": f"@relation r\n@attribute x numeric\n@attribute y {{p,q}}\n@data\n{long},p\n",
        "splits": f"scheme,replication,fold,role,record\nkfold,1,1,{long},0\n",
    }
    for kind, text in files.items():
        (place / "d").write_text(text)
        answer = call("validate", spec_reading(kind, "d", place))
        assert answer.code == 2
        assert "z" * 100 in answer.text or kind == "arff"
        assert "z" * 201 not in answer.text, (kind, len(answer.text))
        assert len(answer.text) < 3000


# --- work -----------------------------------------------------------------------------------------


def comparison(place: Path, **more: str) -> Path:
    lines = {
        "data": "{source: sklearn, dataset: iris}",
        "learners": LEARNERS.partition(": ")[2],
        "tests": "[corrected_repeated_kfold_t]",
        **more,
    }
    path = place / "spec.yaml"
    path.write_text("cvinfer: 1\nname: x\n" + "".join(f"{k}: {v}\n" for k, v in lines.items()))
    return path


MANY = "".join(f"\n  l{i}: {{engine: builtin, learner: mean}}" for i in range(15_000))
MORE = "".join(f", l{i}: {{engine: builtin, learner: mean}}" for i in range(18))
PREDICTIONS = "split,record,truth,a,b\n" + "".join(
    f"{i % 10},{i},{'pq'[i % 2]},p,q\n" for i in range(40)
)
WORK = {
    "r": (
        {"partition": "{scheme: repeated_kfold, r: 1000000000}"},
        ("partition.r", "20,000,000,000 fits", "--max-fits"),
    ),
    "j": (
        {"partition": "[{scheme: repeated_holdout, j: 100000000}]"},
        ("partition[0].j", "200,000,000 fits"),
    ),
    "m and j": (
        {"partition": "{scheme: paired_halves, m: 100000, j: 100000}"},
        ("partition.m", "40,000,000,000 fits"),
    ),
    "a number without end": (
        {"partition": "{scheme: random_mx2, m: 1" + "0" * 200 + "}"},
        ("partition.m", "more than 10^18 fits"),
    ),
    "pairs": (
        {"learners": MANY, "tests": "recommended"},
        ("learners", "112,492,500 comparisons", "up to 150,000 fits"),
    ),
    "each against": (
        {"compare": "{each: [%s], against: [%s]}" % (("a, " * 4000,) * 2)},
        ("compare", "16,000,000 comparisons"),
    ),
    "sample": (
        {"data": "{source: sklearn, dataset: iris, sample: {n: 10000000000, replace: true}}"},
        ("data.sample.n", "10,000,000,000 records", "--max-bytes"),
    ),
    "sample of many columns": (
        {"data": "{source: sklearn, dataset: iris, sample: {n: 100000000, replace: true}}"},
        ("data.sample", "100,000,000 records of 5 columns"),
    ),
    "population": (
        {"data": "{source: synthetic, population: simple, n: 10000000000}"},
        ("data.n", "10,000,000,000 records"),
    ),
    "dimensions": (
        {"data": "{source: synthetic, population: two_gaussians, dim: 1000000000}"},
        ("data.dim", "200 records of 1,000,000,000 features"),
    ),
    "data sets": (
        {"data": "[" + ", ".join("{name: d%d, source: none}" % i for i in range(5000)) + "]"},
        ("data", "5,000 data sets", "1,000,000 fits", "--max-fits"),
    ),
    "every record": (
        {
            "data": "{source: synthetic, population: simple, n: 600000}",
            "learners": LEARNERS.partition(": ")[2][:-1] + MORE + "}",
            "partition": "loo",
            "tests": "[cvci_z]",
            "compare": "[a, b]",
        },
        ("partition", "12,000,000 fits"),
    ),
    "marks": (
        {
            "data": "{source: synthetic, population: simple, n: 100000}",
            "partition": "{scheme: random_mx2, m: 10000}",
            "tests": "[combined_5x2_f]",
        },
        ("partition", "20,000 splits of 100,000 records", "--max-bytes"),
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_work_is_counted_before_it_is_begun(name, call, place):
    more, words = WORK[name]
    path = comparison(place, **more)
    for command in ("validate", "plan", "run"):
        answer = call(command, path)
        assert answer.code == 2, answer.text
        for word in (f"{path.name}:", *words):
            assert word in answer.text, answer.text[:2000]
        assert answer.seconds < SOON
        if name in ("pairs", "every record"):
            break


def test_predictions_of_records_without_end(call, place):
    (place / "p.csv").write_text(PREDICTIONS)
    data = "{source: predictions, path: p.csv, n: 1000000000000}"
    path = comparison(place, data=data, tests="[kfold_t]")
    path.write_text(path.read_text().replace(LEARNERS, ""))
    answer = call("validate", path)
    assert answer.code == 2 and answer.seconds < SOON
    assert "data.n" in answer.text and "1,000,000,000,000 records" in answer.text


def test_predictions_of_learners_without_number(call, place):
    names = [f"l{i}" for i in range(6000)]
    rows = [",".join(["split", "record", "truth", *names])]
    rows += [",".join([str(i % 2), str(i), "pq"[i % 2], *["p"] * len(names)]) for i in range(4)]
    (place / "p.csv").write_text("\n".join(rows) + "\n")
    path = place / "spec.yaml"
    path.write_text(
        "cvinfer: 1\nname: x\ndata: {source: predictions, path: p.csv}\ntests: [kfold_t]\n"
    )
    answer = call("validate", path)
    assert answer.code == 2 and answer.seconds < SOON
    assert "17,997,000 comparisons" in answer.text, answer.text[:500]


def test_the_number_of_fits_can_be_raised_and_lowered(call, place):
    path = comparison(place, partition="{scheme: repeated_kfold, r: 2}", tests="[kfold_t]")
    path = comparison(place, partition="{scheme: kfold, k: 10}", tests="[kfold_t]")
    assert call("validate", path, "--max-fits", "20k").code == 0
    answer = call("validate", path, "--max-fits", 19)
    assert answer.code == 2 and "this takes up to 20 fits" in answer.text
    path = comparison(place, partition="{scheme: repeated_kfold, r: 1000000}")
    assert "20,000,000 fits" in call("validate", path).text
    assert "--max-bytes" in call("validate", path, "--max-fits", "1e9").text


def test_aliases_in_the_tests_of_the_command_line(call, place, finished):
    names = "abcdefghij"
    bomb = "&a [kfold_t, kfold_t]" + "".join(
        f", &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in zip(names, names[1:])
    )
    for tests in (bomb, "[" * 5000, "{" * 5000, "kfold_t: {a: &x [*x]}", "!!python/name:os.system"):
        answer = call("test", finished, "--tests", tests)
        assert answer.code == 2 and answer.seconds < SOON
        assert "--tests" in answer.text and len(answer.text) < 2000


@pytest.mark.parametrize("name", sorted(schemes()))
def test_schemes_tell_how_many_splits_they_have(name):
    info = schemes()[name]
    assert info.count(60, {}) == len(make_partition(name, 60).splits)
    small = {"k": 3, "r": 2, "j": 4, "m": 3}
    options = {key: small[key] for key in info.defaults if key in small}
    assert info.count(60, options) == len(make_partition(name, 60, **options).splits)
    assert info.count(60, {key: "many" for key in options}) >= 1


def test_room_is_told_in_plain_numbers():
    with pytest.raises(UserError, match="7 records take 56 bytes of memory; at most 55 bytes"):
        with limits.limited(max_bytes=55):
            limits.records(7)
    with pytest.raises(UserError, match=r"more than 10\^18 records"):
        limits.records(10**400)


def test_parsing_is_quick_and_the_same_for_long_specs(place):
    """libyaml's parser for long texts, PyYAML's own for short ones: the same values and places."""
    from cvinfer.spec import text

    body = "cvinfer: 1\nname: &n x\nother: *n\nlist:\n" + "  - {a: 1, b: [yes, 0x10, 1e3]}\n" * 900
    assert len(body) > text.LONG
    quick = text.parse(body.encode(), "x")
    slow = text._nodes(text._Composer(body))
    builder = text._Builder(text.Document("x"), text._LINE_BREAK.split(body), slow[1])
    value = builder.build(slow[0], (), None, None)
    assert quick.value == value and quick.written == builder.document.written
    assert quick.places == builder.document.places
    began = time.process_time()
    text.parse(("cvinfer: 1\nlearners:" + MANY).encode(), "x")
    assert time.process_time() - began < 2 * SOON
    broken = text.parse((body + "x: [1\n").encode(), "x")
    assert "not closed" in broken.faults[0].message


def test_results_without_end(call, place):
    deep = place / "result.json"
    deep.write_text("[" * 1_000_000)
    assert call("table", deep).code == 2
    deep.write_text('{"a": ' + "9" * 1_000_000 + "}")
    assert call("table", deep).code == 2
    deep.write_text(json.dumps({"name": "x" * 10_000_000}))
    answer = call("table", deep)
    assert answer.code == 2 and len(answer.text) < 2000
