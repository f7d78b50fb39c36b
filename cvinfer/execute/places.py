"""Where the results of a spec and its finished fits go."""

from __future__ import annotations

from pathlib import Path

from cvinfer.errors import UserError
from cvinfer.places import RESULTS, Given, StorePlace, store_of
from cvinfer.spec.model import Spec


def output_directory(spec: Spec, output: Given = None) -> Path:
    """The directory of a result: `output`, else what the spec says, from the working directory."""
    if output is not None:
        return Path(output)
    return _results(spec) / spec.name


def store_path(spec: Spec, output: Given = None, store: Given = None) -> Path:
    """The store of a run: see `find_store`."""
    return find_store(spec, output, store).path


def find_store(spec: Spec, output: Given = None, store: Given = None) -> StorePlace:
    """The store of a run of this spec: see `cvinfer.places.store_of`."""
    return store_of(_results(spec), spec.base, output, store)


def _results(spec: Spec) -> Path:
    written = str(spec.output.get("directory", RESULTS))
    try:
        return Path(written).expanduser()
    except RuntimeError:
        raise UserError(
            f"there is no home directory for {written!r}; write the path in full",
            ("output", "directory"),
        ) from None
