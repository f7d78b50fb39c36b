"""Put names and options into schemas/spec.schema.json; `--check` says whether they are up to date.

The file is its own frame: what `cvinfer.spec.vocabulary` does not generate stays as it is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cvinfer.spec.vocabulary import own_schema

SCHEMA = Path(__file__).resolve().parent.parent / "schemas" / "spec.schema.json"
WIDTH = 100


def text(frame: str) -> str:
    """The text of the schema, from its text before."""
    return written(own_schema(json.loads(frame))) + "\n"


def written(value: Any, indent: str = "", before: int = 0) -> str:
    """JSON with as much on a line as there is room for; `before` stands on the first line."""
    line = json.dumps(value, ensure_ascii=False)
    # A comma may follow.
    if not isinstance(value, (dict, list)) or before + len(line) < WIDTH:
        return line
    inside = indent + "  "
    if isinstance(value, dict):
        keys = {f"{inside}{json.dumps(key)}: ": each for key, each in value.items()}
        lines = [key + written(each, inside, len(key)) for key, each in keys.items()]
    else:
        lines = [inside + written(each, inside, len(inside)) for each in value]
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return "\n".join([opening, ",\n".join(lines), f"{indent}{closing}"])


def main(arguments: list[str]) -> int:
    current = SCHEMA.read_text(encoding="utf-8")
    wanted = text(current)
    if "--check" in arguments:
        if current != wanted:
            said = "schemas/spec.schema.json is not what the registries say; run make docs"
            print(said, file=sys.stderr)
            return 1
        return 0
    SCHEMA.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
