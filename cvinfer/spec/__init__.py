"""Specs: the YAML language in which a comparison is written down.

`load_spec(source)` gives a `Spec` or raises `SpecError` with every fault; `check_file(path)` gives
both without raising; `read_spec` also hands over the data sets that were read on the way.
"""

from cvinfer.spec.faults import Fault, SpecError, as_json, headline, render, render_all
from cvinfer.spec.load import Reading, check_file, load_spec, read_spec
from cvinfer.spec.model import (
    RECOMMENDED_INTERVALS,
    RECOMMENDED_TESTS,
    SchemeRequest,
    Spec,
    TestRequest,
)

__all__ = [
    "Fault",
    "RECOMMENDED_INTERVALS",
    "RECOMMENDED_TESTS",
    "Reading",
    "SchemeRequest",
    "Spec",
    "SpecError",
    "TestRequest",
    "as_json",
    "check_file",
    "headline",
    "load_spec",
    "read_spec",
    "render",
    "render_all",
]
