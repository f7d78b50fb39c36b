"""What JSON and YAML hold, as modules hand it on: specs, results and their parts."""

from __future__ import annotations

from typing import Any, Mapping, Union

#: Values under names. Which ones, and of what type, is for the schemas to say (`cvinfer.schemas`).
JsonObject = Mapping[str, Any]

#: Any value of JSON, as it is written.
Json = Union[None, bool, int, float, str, "list[Json]", "dict[str, Json]"]
