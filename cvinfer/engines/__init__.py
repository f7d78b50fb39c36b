"""Engines: what fits learners. One file each, found by folder; `engines()` has them by name.

A file of this folder brings an engine (see `base.Engine`) by adding it on its last line; files that
start with an underscore are not looked at. An installed distribution may add others in the same
way. Nothing heavy is imported until an engine is asked to check, list or fit something.
"""

from cvinfer.engines.base import (
    Engine,
    InR,
    LearnerInfo,
    LearnerSpec,
    Prediction,
    Session,
)
from cvinfer.engines.registry import engine, engines, foreign
from cvinfer.errors import LearnerError

__all__ = [
    "Engine",
    "InR",
    "LearnerError",
    "LearnerInfo",
    "LearnerSpec",
    "Prediction",
    "Session",
    "engine",
    "engines",
    "foreign",
]
