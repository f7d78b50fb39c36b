"""Write docs/tests.md from the registry; `--check` only says whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from cvinfer.inference import bibliography, intervals, tests
from cvinfer.inference.registry import Procedure

PAGE = Path(__file__).resolve().parent / "tests.md"
HEAD = """# Tests and intervals

Generated from the registry by `make docs`; edit the declarations, not this page.

Differences are loss of A minus loss of B on the test records of a split: **positive means A is
worse**. `d̄` is the mean of all differences of a scheme, `S²` their sample variance, `s_j²` the sum
of squares about its mean inside replication j. A contingency table counts the records that both
learners get wrong (n00), only A gets wrong (n01), only B (n10) and both get right (n11). Sources
are keys of `cvinfer/inference/references.bib`.
"""


def entry(item: Procedure) -> str:
    return "\n".join(
        [
            f"### {item.name}",
            "",
            item.use,
            "",
            f"- formula: `{item.formula}`",
            f"- scheme: `{item.scheme}`",
            f"- {'null distribution' if item.kind == 'test' else 'distribution'}: {item.null}",
            f"- made from: {item.data.replace('_', ' ')}",
            f"- source: {item.cite}",
            "",
        ]
    )


def summary(items: list[Procedure]) -> str:
    rows = [f"| [{i.name}](#{i.name}) | `{i.scheme}` | {i.null} | {i.cite} |" for i in items]
    return "\n".join(["| name | scheme | distribution | source |", "|---|---|---|---|", *rows, ""])


def page() -> str:
    parts = [HEAD]
    for title, registry in (("Tests", tests()), ("Intervals for one learner", intervals())):
        items = sorted(registry.values(), key=lambda item: item.name)
        parts += [f"## {title}\n", summary(items), *(entry(item) for item in items)]
    parts += ["## Sources\n", "```bibtex", bibliography().strip(), "```", ""]
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    text = page()
    if "--check" in arguments:
        current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        if current != text:
            print("docs/tests.md is not what the registry says; run make docs", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
