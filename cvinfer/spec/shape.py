"""The shape of a spec against the JSON Schema, with every fault in plain words and in its place."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Optional

from cvinfer.foreign import is_number
from cvinfer.schemas import schema
from cvinfer.names import close_match
from cvinfer.errors import Path, listed
from cvinfer.spec.text import Document


def check_shape(document: Document, against: Optional[dict[str, Any]] = None) -> list[Path]:
    """Add a fault for everything that the schema refuses; returns the paths that have one.

    Without `against` it is that of comparisons.
    """
    from jsonschema import Draft202012Validator

    from cvinfer.spec.vocabulary import rules

    errors = Draft202012Validator(against or rules()).iter_errors(document.value)
    leaves = [leaf for error in errors for leaf in _leaves(error)]
    # A value of the wrong type breaks other rules too; one of its faults is enough.
    of_type = [leaf.absolute_path for leaf in leaves if leaf.validator == "type"]
    bad: list[Path] = list(document.refused)
    for leaf in leaves:
        path = tuple(leaf.absolute_path)
        if any(path[: len(refused)] == refused for refused in document.refused):
            continue
        if leaf.validator == "type" or leaf.absolute_path not in of_type:
            bad += _translate(document, leaf, path)
    return bad


class _Choice:
    """A value that fits none of several forms: stands for the validator's whole tree of errors."""

    validator = "choice"

    def __init__(self, error: Any) -> None:
        self.absolute_path = error.absolute_path
        self.instance = error.instance
        self.titles = [_title(branch) for branch in error.schema["anyOf"]]


def _leaves(error: Any) -> Iterator[Any]:
    """The errors of the one form that was meant: the one of the value's own type."""
    if error.validator != "anyOf":
        yield error
        return
    branches: dict[int, list[Any]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    fitting = [errors for errors in branches.values() if not any(map(_wrong_type, errors))]
    if not fitting:
        yield _Choice(error)
        return
    for inner in min(fitting, key=lambda errors: (_wrong_types_below(errors), len(errors))):
        yield from _leaves(inner)


def _wrong_type(error: Any) -> bool:
    return error.validator == "type" and not error.relative_path


def _wrong_types_below(errors: list[Any]) -> int:
    return sum(error.validator == "type" and len(error.relative_path) == 1 for error in errors)


def _title(part: Any) -> str:
    """What a part of the schema wants, in the words of its title or of those of its forms."""
    if "anyOf" in part and "title" not in part:
        return alternatives([_title(branch) for branch in part["anyOf"]])
    while "$ref" in part and "title" not in part:
        found: Any = schema("spec")
        for step in part["$ref"].lstrip("#/").split("/"):
            found = found[int(step)] if isinstance(found, list) else found[step]
        part = found
    return str(part.get("title", ""))


def _translate(document: Document, error: Any, path: Path) -> list[Path]:
    """Add the faults of one error; returns the paths they stand at."""
    value = error.instance
    if error.validator == "choice":
        _wrong_value(document, path, value, alternatives(error.titles))
        return [path]
    title = _title(error.schema)
    rule = error.validator_value
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        extra = [key for key in value if key not in known]
        for key in extra:
            meant = close_match(key, known)
            document.add(path + (key,), "unknown key", listed(known), meant, key=True)
        return [path + (key,) for key in extra]
    if error.validator == "required":
        missing = [key for key in rule if key not in value]
        for key in missing:
            if not misspelt(key, value):
                allowed = _registered(key) or _title(error.schema["properties"][key])
                document.add(path, "is missing", allowed or None, shown=path + (key,))
        return [path + (key,) for key in missing]
    if error.validator == "type":
        _wrong_value(document, path, value, title)
    elif error.validator in ("enum", "const"):
        known = [str(each) for each in rule] if isinstance(rule, list) else [str(rule)]
        meant = close_match(value, known) if isinstance(value, str) else None
        if error.parent is not None and not error.relative_path:
            title = _title(error.parent.schema)
        if meant is None and path in (("tests",), ("intervals",)) and _is_name(value):
            meant = f"[{value}]"
        document.add(path, f"{quoted(value)} is not known", title, meant)
    elif error.validator in ("minimum", "exclusiveMinimum"):
        document.add(path, f"{_shown(document, path, value)} is too small", title)
    elif error.validator in ("maximum", "exclusiveMaximum"):
        document.add(path, f"{_shown(document, path, value)} is too large", title)
    elif error.validator in ("minLength", "maxLength"):
        document.add(path, f"{quoted(value)} is too long" if value else "the text is empty", title)
    elif error.validator == "uniqueItems":
        seen = [index for index, item in enumerate(value) if item in value[:index]]
        for index in seen:
            document.add(path + (index,), f"{quoted(value[index])} is there twice")
    elif error.validator in ("minItems", "maxItems"):
        count = "the list is empty" if not value else f"the list has {_count(value, 'entry')}"
        document.add(path, count, title)
    elif error.validator in ("minProperties", "maxProperties"):
        if value:
            document.add(path, f"this entry has {_count(value, 'name')}", f"{title}, one per entry")
        else:
            document.add(path, "the mapping is empty", title)
    else:
        document.add(path, f"{describe(value)} does not fit", title)
    return [path]


def misspelt(key: str, mapping: Iterable[str]) -> bool:
    """Whether a missing key is there under a wrong name, which is then the one fault to tell."""
    every = [*schema("spec")["properties"], *schema("spec")["$defs"]["data_set"]["properties"]]
    others = [each for each in mapping if each not in every]
    return any(close_match(each, [key]) for each in others)


def _registered(key: str) -> Optional[str]:
    """The names that there are for a missing key, where a registry has them."""
    if key == "source":
        from cvinfer.data.registry import sources

        return listed(sources())
    if key == "engine":
        from cvinfer.engines import engines

        return listed(engines())
    return None


def _is_name(value: Any) -> bool:
    from cvinfer.inference import intervals, tests

    return value in tests() or value in intervals()


def _wrong_value(document: Document, path: Path, value: Any, allowed: str) -> None:
    written = document.written.get(path)
    if value is None and not written:
        document.add(path, "nothing is given", allowed, key=True)
        return
    message = f"{describe(value)} is of the wrong type"
    if isinstance(value, str) and is_number(value) and "number" in allowed:
        message += "; leave out the quotes and leading zeros"
    elif isinstance(value, bool) and written and written.lower() not in ("true", "false"):
        message = f"{written} means {str(value).lower()} in YAML; put it in quotes to mean text"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if allowed.startswith(("text", "the name")):
            message += "; put it in quotes"
    document.add(path, message, allowed)


def alternatives(titles: list[str]) -> str:
    """a, b or c."""
    once = list(dict.fromkeys(title for title in titles if title))
    return once[0] if len(once) == 1 else f"{', '.join(once[:-1])} or {once[-1]}"


def describe(value: object) -> str:
    """What a value is, for a message."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"a value of the Python type {type(value).__name__}"


def quoted(value: object, limit: int = 60) -> str:
    if isinstance(value, (dict, list)):
        return describe(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return f"'{text}'" if isinstance(value, str) else text


def _shown(document: Document, path: Path, value: Any) -> str:
    written: Optional[str] = document.written.get(path)
    return written if written and len(written) <= 30 else quoted(value)


def _count(value: Any, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{len(value)} {noun if len(value) == 1 else plural}"
