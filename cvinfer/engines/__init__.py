"""Engines: what fits learners. One file each, found by folder; `engines()` has them by name.

A file of this folder becomes an engine by having an object called `ENGINE` (see `base.Engine`);
files that start with an underscore are not looked at. Nothing heavy is imported until an engine
is asked to check, list or fit something.
"""

from cvinfer.engines.base import (
    Engine,
    LearnerInfo,
    LearnerSpec,
    Prediction,
    Problem,
    Session,
)
from cvinfer.engines.registry import engine, engines
from cvinfer.errors import LearnerError

__all__ = [
    "Engine",
    "LearnerError",
    "LearnerInfo",
    "LearnerSpec",
    "Prediction",
    "Problem",
    "Session",
    "engine",
    "engines",
]
