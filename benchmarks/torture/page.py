"""docs/reliability.md: what is promised, and what the last whole run found."""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Mapping, Sequence

from torture.cases import Part, Tally

PATH = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
#: Between these the page is written by the program; the rest is written by people.
BEGIN, END = "<!-- last run: begin -->\n", "<!-- last run: end -->\n"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "rpy2")


def section(
    parts: Sequence[Part], found: Mapping[str, Tally], seed: int, seconds: float, cores: int
) -> str:
    """What the page says of one run."""
    faults = sum(len(tally.faults) for tally in found.values())
    lines = [
        f"{time.strftime('%Y-%m-%d', time.gmtime())}, seed {seed}, {seconds / 60:.0f} minutes on a"
        f" machine with {cores} cores that had other work too: **{faults} faults**.",
        "",
        versions() + ".",
        "",
        "| part | counted | found |",
        "|---|---|---|",
    ]
    for part in parts:
        tally = found[part.name]
        counts = [f"{count:,} {what}" for what, count in sorted(tally.counts.items())]
        worst = [f"{what}: at most {value:.1f}" for what, value in sorted(tally.worst.items())]
        skipped = [f"skipped {count}: {why}" for why, count in tally.skipped.items()]
        told = f"{len(tally.faults)} faults" if tally.faults else "no fault"
        lines.append(f"| {part.title} | {'; '.join([*counts, *worst, *skipped])} | {told} |")
    return "\n".join(lines) + "\n"


def versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    for command, words in (("R", ["R", "--version"]), ("Java", ["java", "-version"])):
        if shutil.which(words[0]):
            told = subprocess.run(words, capture_output=True, text=True)
            found.append((told.stdout or told.stderr).splitlines()[0].split(" (")[0])
        else:
            found.append(f"no {command}")
    return ", ".join([*found, f"Linux {platform.release()}"])


def write(text: str, path: Path = PATH) -> None:
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{path} has no place for the last run")
    path.write_text(before + BEGIN + text + END + after, encoding="utf-8")
