"""Helpers of the data tests: files written as bytes, faults with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

from cvinfer.data import load
from cvinfer.errors import UserError

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "uci"


@pytest.fixture
def shared() -> Path:
    """The folder of UCI files beside the project."""
    if not SHARED.is_dir():
        pytest.skip("there is no ../shared/data/uci")
    return SHARED


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write a file and give its name."""

    def writer(content: str | bytes, name: str = "data.csv") -> str:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return writer


@pytest.fixture
def fault(tmp_path: Path) -> Callable[..., UserError]:
    """The fault that loading a mapping ends in."""

    def of(**spec: Any) -> UserError:
        with pytest.raises(UserError) as caught:
            load(spec, tmp_path, 1)
        assert str(tmp_path) not in str(caught.value)
        return caught.value

    return of
