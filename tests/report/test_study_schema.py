"""study.schema.json takes what a study is, and misses every number that is not there."""

from __future__ import annotations

import copy
from typing import Any, Callable, Iterator

import pytest
from jsonschema import Draft202012Validator
from tests.report import study_examples as examples

from cvinfer.schemas import schema

VALIDATOR = Draft202012Validator(schema("study"))
EXAMPLES = (
    examples.small,
    examples.whole,
    examples.fourteen,
    examples.data_sets,
    examples.hostile,
)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema("study"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: str(each.__name__))
def test_examples_are_valid(example: Callable[[], dict[str, Any]]) -> None:
    assert [each.message for each in VALIDATOR.iter_errors(example())] == []


def described(part: Any, place: str = "") -> Iterator[tuple[str, bool]]:
    """Every field of a schema, with whether it is described."""
    if isinstance(part, list):
        for each in part:
            yield from described(each, place)
    elif isinstance(part, dict):
        if "if" not in part:
            for name, each in part.get("properties", {}).items():
                yield f"{place}/{name}", "description" in each or "$ref" in each
        for key, each in part.items():
            if key != "if":
                yield from described(each, f"{place}/{key}")


def test_every_field_is_described() -> None:
    fields = dict(described(schema("study")))
    assert len(fields) > 60
    assert [name for name, is_described in fields.items() if not is_described] == []


def first_of(kind: str) -> int:
    return next(at for at, cell in enumerate(examples.whole()["cells"]) if cell["kind"] == kind)


NUMBERS = {
    "test": (
        "at name a b replications rejections rate se lower upper ties degenerate failed estimate"
        " loss_a loss_b alpha sums"
    ),
    "interval": (
        "at name replications covered rate se lower upper length outside degenerate failed truth"
        " averaging sums learner"
    ),
    "quantity": "at name replications value se sums",
}


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, each) for kind, names in NUMBERS.items() for each in names.split()]
)
def test_a_missing_number_is_noticed(kind: str, field: str) -> None:
    broken = copy.deepcopy(examples.whole())
    del broken["cells"][first_of(kind)][field]
    assert not VALIDATOR.is_valid(broken)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("test", "rate", 1.2),
        ("test", "rate", "0.05"),
        ("test", "rejections", -1),
        ("test", "alpha", 0),
        ("test", "power", 0.3),
        ("test", "kind", "tset"),
        ("test", "critical", []),
        ("test", "histogram", {"start": 0, "counts": [1], "below": 0, "above": 0}),
        ("test", "histogram", {"start": 0, "width": 0, "counts": [1], "below": 0, "above": 0}),
        ("interval", "alpha", 0),
        ("interval", "a", "TREE"),
        ("interval", "length", -0.1),
        ("quantity", "se", -1),
        ("quantity", "sums", None),
    ],
)
def test_a_wrong_number_is_refused(kind: str, field: str, value: Any) -> None:
    broken = copy.deepcopy(examples.whole())
    broken["cells"][first_of(kind)][field] = value
    if (kind, field) == ("interval", "a"):
        broken["cells"][first_of(kind)]["b"] = "FNN"  # a learner's and a difference's at once
    assert not VALIDATOR.is_valid(broken)


@pytest.mark.parametrize("key", sorted(schema("study")["required"]))
def test_every_part_is_needed(key: str) -> None:
    broken = examples.small()
    del broken[key]
    assert not VALIDATOR.is_valid(broken)
