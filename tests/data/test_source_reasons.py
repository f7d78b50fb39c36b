"""A source says itself why it cannot be used here."""

from __future__ import annotations

import sys

import pytest

from cvinfer.data import sources
from cvinfer.packages import PACKAGES


@pytest.mark.parametrize(
    "source, module, name",
    [
        ("arff", "arff", "liac-arff"),
        ("openml", "arff", "liac-arff"),
        ("parquet", "pyarrow", "pyarrow"),
        ("sklearn", "sklearn", "scikit-learn"),
    ],
)
def test_a_package_that_is_not_there_is_named_as_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, source: str, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # type: ignore[arg-type]
    assert sources[source].reason() == f"the package {name} is not installed"


def test_sources_without_packages_can_be_used() -> None:
    assert sources["csv"].reason() is None and sources["synthetic"].reason() is None


def test_the_source_of_r_looks_for_r_and_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("R_HOME", "")
    assert "R" in str(sources["r"].reason())
    assert sources["r"].r_package in sources["r"].options


def test_packages_of_sources_are_those_that_doctor_looks_for() -> None:
    assert {package for each in sources.values() for package in each.packages} <= set(PACKAGES)
