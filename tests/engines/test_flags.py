"""Options of Weka classifiers as mappings, texts and lists."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cvinfer.engines._r.flags import FlagError, flags, join, split

FULL = {
    "J48": "weka.classifiers.trees.J48",
    "RBFKernel": "weka.classifiers.functions.supportVector.RBFKernel",
}


def named(name: str) -> str:
    return FULL.get(name, name)


# Each pair was checked against RWeka's as.character(Weka_control(...)) where that has the form.
FORMS = {
    "nothing": (None, []),
    "empty": ({}, []),
    "numbers": ({"C": 0.25, "M": 2}, ["-C", "0.25", "-M", "2"]),
    "whole float": ({"M": 2.0}, ["-M", "2"]),
    "switch on": ({"U": True, "M": 5}, ["-U", "-M", "5"]),
    "switch off": ({"U": False, "B": None}, []),
    "long name": ({"num-slots": 1}, ["-num-slots", "1"]),
    "dash given": ({"-C": 0.1}, ["-C", "0.1"]),
    "repeated": ({"B": ["a", "b"]}, ["-B", "a", "-B", "b"]),
    "base": ({"I": 5, "W": "J48"}, ["-I", "5", "-W", FULL["J48"]]),
    "base first, its options last": (
        {"W": {"J48": {"M": 30, "U": True}}, "I": 5},
        ["-W", FULL["J48"], "-I", "5", "--", "-M", "30", "-U"],
    ),
    "kernel": (
        {"K": {"RBFKernel": {"G": 0.1}}, "C": 2},
        ["-K", FULL["RBFKernel"] + " -G 0.1", "-C", "2"],
    ),
    "text": ("-C 0.1  -U", ["-C", "0.1", "-U"]),
    "quoted text": ('-K "a.B -G 0.1" -C 2', ["-K", "a.B -G 0.1", "-C", "2"]),
    "list": (["-C", 0.1, "-M", 3], ["-C", "0.1", "-M", "3"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    given_options, expected = FORMS[form]
    assert flags(given_options, named) == expected


@pytest.mark.parametrize(
    "wrong, path",
    [
        ({"C": {"J48": {}, "SMO": {}}}, ("C",)),
        ({"K": {"RBFKernel": {"G": [[1]]}}}, ("K", "RBFKernel", "G")),
        (["-U", True], (1,)),
        ({"-": 1}, ("-",)),
        ('-K "open', ()),
        (1.0, ()),
        (True, ()),
        ({"W": {"J48": 5}}, ("W", "J48")),
    ],
)
def test_what_cannot_be_a_flag_is_named(wrong: object, path: tuple[object, ...]) -> None:
    with pytest.raises(FlagError) as caught:
        flags(wrong, named)  # type: ignore[arg-type]
    assert caught.value.path == path


@given(st.lists(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc"))), max_size=5))
def test_joined_words_come_apart_again(words: list[str]) -> None:
    assert split(join(words)) == words
