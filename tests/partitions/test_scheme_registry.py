"""Schemes are found by their place, listed and called by name."""

import subprocess
import sys

import pytest

import cvinfer.partitions as partitions
from cvinfer.partitions import PartitionError, make_partition, schemes
from cvinfer.partitions.registry import scheme

IDS = {
    "holdout",
    "repeated_holdout",
    "kfold",
    "repeated_kfold",
    "random_mx2",
    "blocked_mx2",
    "loo",
    "overlapping_mx2",
    "paired_halves",
}


def test_the_ids_of_the_contract():
    assert set(schemes()) >= IDS
    for name, info in schemes().items():
        assert info.name == name == info.function.__name__
        assert info.description and "\n" not in info.description
        assert getattr(partitions, name) is info.function
        assert not {"n", "seed", "stratify", "groups"} & set(info.defaults)
    assert dict(schemes()["repeated_kfold"].defaults) == {"r": 10, "k": 10}
    refusing = {name for name, info in schemes().items() if not info.groups}
    assert refusing == {"loo", "overlapping_mx2", "paired_halves"}
    unstratified = {name for name, info in schemes().items() if not info.stratify}
    assert unstratified == {"loo", "overlapping_mx2"}


def test_the_mapping_cannot_be_changed():
    with pytest.raises(TypeError):
        schemes()["mine"] = None


@pytest.mark.parametrize("name", sorted(IDS))
def test_by_name_is_by_function(name):
    assert make_partition(name, 30, seed=4) == getattr(partitions, name)(30, seed=4)
    assert make_partition(name, 30).scheme == name
    assert make_partition(name, 30).seed == 0


@pytest.mark.parametrize(
    "name, meant", [("kfolds", "kfold"), ("blocked_3x2", "blocked_mx2"), ("zzz", None)]
)
def test_unknown_scheme(name, meant):
    message = f"there is no scheme '{name}'; allowed: blocked_mx2, holdout, "
    with pytest.raises(PartitionError, match=message) as caught:
        make_partition(name, 30)
    refusal = caught.value
    assert refusal.suggestion == meant and refusal.path == ("scheme",)
    assert ("did you mean" in str(refusal)) == (meant is not None)


def test_unknown_option():
    message = (
        "^kfold: there is no option 'stratfy'; allowed: k, seed, stratify, groups; "
        "did you mean 'stratify'"
    )
    with pytest.raises(PartitionError, match=message) as caught:
        make_partition("kfold", 30, stratfy=[1])
    assert caught.value.path == ("stratfy",) and caught.value.about_key


def test_no_such_name():
    with pytest.raises(AttributeError, match="has no attribute 'no_such_scheme'"):
        partitions.no_such_scheme


def test_two_modules_cannot_share_an_id():
    with pytest.raises(RuntimeError, match="scheme 'kfold' is defined in both"):

        @scheme("kfold")
        def kfold(n):
            """Another."""


def test_a_module_dropped_into_the_folder_is_found(tmp_path):
    (tmp_path / "all_but_first.py").write_text(
        "from cvinfer.partitions.partition import Partition\n"
        "from cvinfer.partitions.registry import scheme\n"
        "from cvinfer.partitions.split import Split\n\n\n"
        '@scheme("all_but_first", stratify=False, groups=False)\n'
        "def all_but_first(n, *, seed=0):\n"
        '    """Tests the first record."""\n'
        '    return Partition("all_but_first", n, (), [Split.complement([0], n)], seed)\n'
    )
    code = (
        "import sys, cvinfer.partitions as p\n"
        f"sys.modules['cvinfer.partitions.schemes'].__path__.append({str(tmp_path)!r})\n"
        "assert p.schemes()['all_but_first'].description == 'Tests the first record.'\n"
        "assert p.make_partition('all_but_first', 5) == p.all_but_first(5)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_scipy():
    code = "import sys, cvinfer.partitions as p; p.blocked_mx2(300).overlaps(); p.schemes()\n"
    subprocess.run([sys.executable, "-c", code + "assert 'scipy' not in sys.modules"], check=True)
