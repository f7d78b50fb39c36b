"""Tests → the partitions they need → the set of distinct fits of a run."""

from __future__ import annotations

from cvinfer.planning.fits import Fit, RunPlan, fit_seed, plan_run, split_key
from cvinfer.planning.needs import Use, allocate, own_folds
from cvinfer.planning.summary import COUNTS, plan_summary

__all__ = [
    "COUNTS",
    "Fit",
    "RunPlan",
    "Use",
    "allocate",
    "fit_seed",
    "own_folds",
    "plan_run",
    "plan_summary",
    "split_key",
]
