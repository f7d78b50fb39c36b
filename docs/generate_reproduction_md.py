"""Write docs/reproduction.md and its pages; `--check` only says whether they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from cvinfer.studies.ledger import Results, load_ledger
from cvinfer.studies.ledger.page import look, pages

DOCS = Path(__file__).resolve().parent
LEDGER = DOCS.parent / "specs" / "papers"
KEPT = DOCS / "reproduction"


def main() -> int:
    items = load_ledger(LEDGER)
    found = pages(look(items.values(), Results((KEPT,)), KEPT))
    stale = []
    for name, text in found.items():
        path = DOCS / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not up to date: {', '.join(stale)}; run make docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
