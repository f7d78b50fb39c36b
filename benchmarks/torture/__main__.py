"""Kills, clusters, damaged stores, hostile files, odd names, full disks: nothing may give way."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from torture import clusters, damage, hostile, kills, names, page, places
from torture.cases import Part, Tally, carry_out

PARTS: tuple[Part, ...] = (
    kills.PART,
    clusters.PART,
    damage.PART,
    hostile.PART,
    names.PART,
    places.PART,
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other cases")
    parser.add_argument("--share", type=float, default=1.0, help="of the cases, such as 0.1")
    parser.add_argument("--only", choices=[part.name for part in PARTS], help="one part")
    parser.add_argument("--case", type=int, nargs="*", default=[], help="these cases of --only")
    parser.add_argument("--jobs", type=int, default=2, help="cases at the same time")
    parser.add_argument("--keep", action="store_true", help="keep the directories of cases")
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    return parser.parse_args()


def main() -> int:
    if sys.platform != "linux":
        sys.exit("this looks into /proc, which only Linux has")
    given = arguments()
    if given.write and (given.share < 1.0 or given.case):
        sys.exit("only whole parts are written to the page: without --share and --case")
    began = time.monotonic()
    place = Path(tempfile.mkdtemp(prefix="torture-"))
    found: dict[str, Tally] = {}
    try:
        for part in PARTS:
            if given.only in (None, part.name):
                where = place / part.name
                found[part.name] = carry_out(
                    part, given.seed, given.share, where, given.jobs, given.case
                )
                tell(part, found[part.name], given.seed)
                if given.write:
                    page.write(part, found[part.name], given.seed)
    finally:
        if given.keep:
            print(f"kept: {place}")
        else:
            shutil.rmtree(place, ignore_errors=True)
    faults = sum(len(tally.faults) for tally in found.values())
    seconds = time.monotonic() - began
    print(f"{faults} faults in {seconds:.0f} s, seed {given.seed}")
    return 1 if faults else 0


def tell(part: Part, tally: Tally, seed: int) -> None:
    print(f"{part.title}: {tally.seconds:.0f} s", flush=True)
    for what, count in sorted(tally.counts.items()):
        print(f"  {count:6,} {what}")
    for what, value in sorted(tally.worst.items()):
        print(f"  {value:6.1f} at most: {what}")
    for why, count in tally.skipped.items():
        print(f"  skipped {count}: {why}")
    for number, message in sorted(tally.faults):
        print(f"  FAULT in case {number}: {message}")
        print(f"    again: python -m torture --seed {seed} --only {part.name} --case {number}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
