"""How materials travel: data sets by their hash, each once, and what is around them as it is.

A material is pickled with its data sets left out; each of those is a part, named by the hash of its
bytes. Whoever has a part already needs to be told its name only. Partitions travel by scheme,
options and seed where these make the same ones again; otherwise their splits do.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union, overload

from cvinfer.data.dataset import Dataset
from cvinfer.partitions import Partition, make_partition

#: Parts travel in pieces of at most so many bytes.
PIECE = 1 << 25


class Parcel(NamedTuple):
    """A material without its data sets, and the names of those."""

    content: bytes
    parts: tuple[str, ...]


class PartitionRecipe(NamedTuple):
    """How a partition is made that hangs on nothing but the number of records."""

    scheme: str
    n: int
    seed: int
    options: Mapping[str, Any]

    def made(self) -> Partition:
        return make_partition(self.scheme, self.n, seed=self.seed, **self.options)


class Packer:
    """Packs the materials of a run when they are first needed; a data set in two is one part."""

    def __init__(self, materials: Sequence[object]) -> None:
        self._materials = materials
        self._parcels: dict[int, Parcel] = {}
        self._parts: dict[str, Dataset] = {}
        self._names: dict[int, str] = {}

    def parcel(self, number: int) -> Parcel:
        if number not in self._parcels:
            stream, names = io.BytesIO(), dict[str, None]()
            pickler = _Pickler(stream, self._name, names)
            pickler.dump(self._materials[number])
            self._parcels[number] = Parcel(stream.getvalue(), tuple(names))
        return self._parcels[number]

    def part(self, name: str) -> bytes:
        """The bytes of a data set, made again each time: they are large, and few need them."""
        return _bytes(self._parts[name])

    def _name(self, dataset: Dataset) -> str:
        if id(dataset) not in self._names:
            name = hashlib.sha256(_bytes(dataset)).hexdigest()
            self._names[id(dataset)], self._parts[name] = name, dataset
        return self._names[id(dataset)]


class _Pickler(pickle.Pickler):
    def __init__(
        self, stream: io.BytesIO, name: Callable[[Dataset], str], found: dict[str, None]
    ) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._name, self._found = name, found

    def persistent_id(self, obj: object) -> Union[None, str, PartitionRecipe]:
        if type(obj) is Partition:
            return _recipe(obj)
        if type(obj) is not Dataset:
            return None
        name = self._name(obj)
        self._found[name] = None
        return name


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, parts: Mapping[str, bytes]) -> None:
        super().__init__(stream)
        self._parts = parts

    def persistent_load(self, pid: object) -> object:
        if isinstance(pid, PartitionRecipe):
            return pid.made()
        return pickle.loads(self._parts[str(pid)])


class Unpacked(Sequence[object]):
    """The materials of a run as they come out of parcels, each made when it is asked for."""

    def __init__(self, parcels: Mapping[int, Parcel], parts: Mapping[str, bytes]) -> None:
        self._parcels, self._parts = parcels, parts

    @overload
    def __getitem__(self, at: int) -> object:
        """One of them."""

    @overload
    def __getitem__(self, at: slice) -> Sequence[object]:
        """Some of them."""

    def __getitem__(self, at: Union[int, slice]) -> object:
        assert isinstance(at, int)
        return _Unpickler(io.BytesIO(self._parcels[at].content), self._parts).load()

    def __len__(self) -> int:
        return len(self._parcels)


def _recipe(partition: Partition) -> Optional[PartitionRecipe]:
    """Its recipe, if that was tried and makes the very same."""
    options = {name: value for name, value in partition.options.items() if value is not False}
    recipe = PartitionRecipe(partition.scheme, partition.n, partition.seed, options)
    try:
        same = pickle.dumps(recipe.made()) == pickle.dumps(partition)
    except Exception:  # it takes labels or groups, or is of no scheme
        return None
    return recipe if same else None


def pieces(data: bytes) -> Sequence[bytes]:
    return [data[at : at + PIECE] for at in range(0, len(data), PIECE)]


def _bytes(dataset: Dataset) -> bytes:
    return pickle.dumps(dataset, protocol=pickle.HIGHEST_PROTOCOL)
