"""docs/reliability.md: what is promised, and what the last whole run found."""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from torture.cases import Part, Tally

PATH = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
#: Between these the page is written by the program; the rest is written by people.
BEGIN, END = "<!-- last run: begin -->\n", "<!-- last run: end -->\n"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "rpy2")


HEAD = "| part | run | counted | found |"


def row(part: Part, tally: Tally, seed: int) -> str:
    """What the page says of one part."""
    run = f"{time.strftime('%Y-%m-%d', time.gmtime())}, seed {seed}, {tally.seconds / 60:.1f} min"
    counts = [f"{count:,} {what}" for what, count in sorted(tally.counts.items())]
    worst = [f"at most {value:.1f} {what}" for what, value in sorted(tally.worst.items())]
    skipped = [f"skipped {count}: {why}" for why, count in tally.skipped.items()]
    told = f"{len(tally.faults)} faults" if tally.faults else "no fault"
    cells = (part.title, run, "; ".join([*counts, *worst, *skipped]), told)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


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


def write(part: Part, tally: Tally, seed: int, path: Path = PATH) -> None:
    """Put a part that was run whole in the place of what the page said of it."""
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    inside, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{path} has no place for the last run")
    rows = {line.split(" | ")[0]: line for line in inside.splitlines() if line.startswith("| ")}
    rows.pop(HEAD.split(" | ")[0], None)
    new = row(part, tally, seed)
    rows[new.split(" | ")[0]] = new
    text = "\n".join([versions() + ".", "", HEAD, "|---|---|---|---|", *rows.values()]) + "\n"
    path.write_text(before + BEGIN + text + END + after, encoding="utf-8")
