"""The catalogue of scikit-learn's estimators: complete, and independent of what was imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

SAME_AS_SCIKIT_LEARN = """
from cvinfer.engines._sklearn.catalogues import public_estimators, sklearn_catalogue
found, catalogue = public_estimators(), sklearn_catalogue()
from sklearn.utils.discovery import all_estimators
assert found == dict(all_estimators()), set(found) ^ set(dict(all_estimators()))
assert catalogue.classifiers == dict(all_estimators(type_filter="classifier"))
"""

AFTER_DISTUTILS = """
import warnings
warnings.simplefilter("ignore")
import distutils.core
from cvinfer.engines import engines
assert len(engines()["sklearn"].learners()) > 30
"""


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def test_every_estimator_that_scikit_learn_lists_is_found() -> None:
    assert _run(SAME_AS_SCIKIT_LEARN) == ""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there is no distutils any more")
def test_a_loaded_distutils_does_no_harm() -> None:
    assert _run(AFTER_DISTUTILS) == ""
