"""What documents with tests share: a test's name in words, and its options as one text."""

from __future__ import annotations

import json
from typing import Any, Mapping

from cvinfer.analysis.words import settings, title
from cvinfer.documents import JsonObject


def name_of_test(entry: JsonObject, document: JsonObject) -> str:
    """A test in words, with its options where two share the name."""
    alike = {options_text(each) for each in document["tests"] if each["test"] == entry["test"]}
    name = title(entry["test"])
    return f"{name} ({settings(entry['options'])})" if len(alike) > 1 else name


def options_text(entry: Mapping[str, Any]) -> str:
    """The options of an entry, the same text for the same options; empty without any."""
    return json.dumps(entry["options"], sort_keys=True) if entry["options"] else ""
