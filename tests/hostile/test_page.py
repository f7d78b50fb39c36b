"""The table of docs/security.md: every row has its tests, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def rows() -> list[list[str]]:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_every_row_has_a_test_that_is_there():
    here = "\n".join(
        path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")
    )
    known = set(re.findall(r"^def (test_\w+)", here, flags=re.MULTILINE))
    assert len(rows()) > 20
    for row in rows():
        assert len(row) == 4, row
        named = re.findall(r"`(test_\w+)`", row[3])
        assert named and set(named) <= known, (row, set(named) - known)


def test_every_engine_and_source_is_spoken_of():
    from cvinfer.data import sources
    from cvinfer.engines import engines

    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").lower()
    words = {"sklearn": "scikit-learn", "rweka": "weka", "builtin": "learner", "r": "engine: r"}
    for name in engines():
        assert words.get(name, name) in text, name
    words = {"csv": "data", "synthetic": "records", "sklearn": "scikit-learn"}
    for name in sources():
        assert words.get(name, name) in text, name


def test_the_limits_on_the_page_are_those_of_the_code():
    from cvinfer import foreign, limits

    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert limits.DATA_BYTES == 10**9 and "1 GB of data" in text
    assert limits.RESULT_BYTES == 10**8 and "100 MB of a result" in text
    assert limits.SPEC_BYTES == 10**6 and "1 MB of a spec" in text
    assert foreign.LONGEST == 200 and "at most 200 characters" in text
