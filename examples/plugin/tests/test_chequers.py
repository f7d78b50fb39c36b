"""Points in a chequered square: both colours, the same for the same seed."""

from pathlib import Path

from cvinfer.data import load


def test_chequers() -> None:
    entry = {"source": "chequers", "n": 50}
    found, again = (load(entry, Path(), 1) for _ in range(2))
    assert found.n == 50 and found.classes == ("black", "white")
    assert found.sha256 == again.sha256
