"""What was read of large files and lies beside a store: a stranger's, a forged or a damaged one.

A row of the table in docs/security.md.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any, Callable

import pytest

ROWS = [f"{at % 7}.{at:06d},{'ab'[at % 2]}\n" for at in range(120_000)]
TRUE = "x,y\n" + "".join(ROWS)
#: Of the same size, and of another content.
FALSE = "x,y\n" + "".join(row.replace(",a", ",c") for row in ROWS)
SPEC = """\
cvinfer: 1
data: {source: csv, path: d.csv, target: y, sample: 60}
learners:
  mean: {engine: builtin, learner: mean}
  majority: {engine: builtin, learner: majority}
tests: [blocked_3x2_t]
positive: b
intervals: [f1_beta_prime]
"""

Cvinfer = Callable[..., Any]


def readings(place: Path) -> list[Path]:
    return sorted((place / "results" / "store.data").glob("*.reading"))


@pytest.fixture
def kept(place: Path, cvinfer: Cvinfer) -> Path:
    """A reading of false data, as a stranger could make it where the true data will stand."""
    (place / "spec.yaml").write_text(SPEC)
    (place / "d.csv").write_text(FALSE)
    time.sleep(0.2)
    assert cvinfer("validate", "spec.yaml").code == 0
    (found,) = readings(place)
    return found


def classes(cvinfer: Cvinfer) -> str:
    """What the data is taken for: there is a class c in the false one only."""
    answer = cvinfer("validate", "spec.yaml", "--set", "positive=zz")
    assert answer.code == 2
    return str(answer.out)


def test_a_prepared_reading_is_not_taken(place: Path, kept: Path, cvinfer: Cvinfer) -> None:
    before = (place / "d.csv").stat()
    assert "'c'" in classes(cvinfer) or "c" in classes(cvinfer).split("allowed")[-1]
    shutil.move(str(kept), str(place / "theirs"))
    # As a program unpacks it: the same name, size and time.
    (place / "d.csv").write_text(TRUE)
    os.utime(place / "d.csv", ns=(before.st_atime_ns, before.st_mtime_ns))
    shutil.move(str(place / "theirs"), str(kept))
    time.sleep(0.2)
    said = classes(cvinfer)
    assert "a, b" in said or "'a', 'b'" in said, said
    (own,) = [each for each in readings(place) if each != kept]
    # Nor under the name that the right one has.
    shutil.copy(kept, own)
    assert classes(cvinfer) == said


def test_a_damaged_reading_is_made_again(place: Path, kept: Path, cvinfer: Cvinfer) -> None:
    sound, said = kept.read_bytes(), classes(cvinfer)
    for at in (0, 20, 200, len(sound) // 2, len(sound) - 1):
        kept.write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :])
        assert classes(cvinfer) == said
        assert kept.read_bytes() == sound
    kept.write_bytes(b"\x80\x04cposix\nsystem\n(S'touch ran'\ntR.")
    assert classes(cvinfer) == said and not (place / "ran").exists()


def test_readings_that_others_can_write_or_that_are_no_files(
    place: Path, kept: Path, cvinfer: Cvinfer
) -> None:
    said = classes(cvinfer)
    kept.chmod(0o666)
    assert classes(cvinfer) == said and not kept.stat().st_mode & 0o022
    kept.unlink()
    os.mkfifo(kept)
    assert classes(cvinfer) == said  # without waiting for anybody to write
    kept.unlink(missing_ok=True)
    kept.symlink_to("/dev/zero")
    assert classes(cvinfer) == said
