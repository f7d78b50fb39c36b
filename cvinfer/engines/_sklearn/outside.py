"""Parameters of scikit-learn's estimators that lead out of a fit.

Most parameters are numbers and words with a meaning inside the estimator. These few name a place on
the disk, or are run as code, and a spec may come from a stranger: they need --allow-code.
`tests/hostile` looks through what scikit-learn says of all its parameters for others like them.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator, Mapping, NamedTuple

from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import Refusal
from cvinfer.foreign import quoted

Path = tuple[Any, ...]


class Lead(NamedTuple):
    """Which values of a parameter lead outside, and where to."""

    does: Callable[[Any], bool]
    where: str


def _any(value: Any) -> bool:
    return value is not None


def _reads(value: Any) -> bool:
    return value in ("file", "filename")


def _is_code(value: Any) -> bool:
    # joblib works the text out as Python; before version 1.2 whatever it says.
    return isinstance(value, str) and not re.fullmatch(r"all|\d+|(\d+ ?\* ?)?n_jobs", value)


#: By the name of the parameter, whatever estimator has it.
LEADS: Mapping[str, Lead] = {
    "memory": Lead(_any, "a cache, from which stored objects are loaded as code"),
    "input": Lead(_reads, "files that the records name"),
    "pre_dispatch": Lead(_is_code, "an expression that is run"),
}


def leading(learner: LearnerSpec) -> Iterator[Refusal]:
    """A fault for every parameter of an entry that leads outside, however deep."""
    yield from _inside(learner.params, ("params",))
    for at, (name, params) in enumerate(learner.steps or ()):
        yield from _inside(params, ("steps", at, name))


def _inside(value: Any, path: Path) -> Iterator[Refusal]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            # A search names the parameters of what it searches: estimator__memory.
            name = str(key).rpartition("__")[2]
            if name in LEADS:
                yield from _led(LEADS[name], name, each, (*path, key))
            yield from _inside(each, (*path, key))
    elif isinstance(value, (list, tuple)):
        for at, each in enumerate(value):
            yield from _inside(each, (*path, at))


def _led(lead: Lead, name: str, value: Any, path: Path) -> Iterator[Refusal]:
    for each in value if isinstance(value, (list, tuple)) else [value]:
        if lead.does(each):
            message = f"{name} {quoted(each)} leads to {lead.where}"
            yield Refusal(message, path, "another value, or this one with --allow-code")
            return
