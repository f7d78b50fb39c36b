"""Random numbers keyed by name, never by order.

A stream depends on the seed and on its key alone, so that asking for one scheme or one
replication more moves nothing that was drawn before.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["stream", "again", "permutation", "permutations"]


def stream(seed: int, *key: str | int) -> np.random.PCG64:
    """The bit generator that belongs to `seed` and the words of `key`.

    The spawn key is the sha256 of the key text as eight big-endian 32-bit words. numpy keeps
    `SeedSequence` and the bit generators stable across versions; it does not promise that for
    `Generator`, which is why everything here is made from raw words.
    """
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    words = tuple(int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
    return np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=words))


def again(word: str, draw: int) -> tuple[str | int, ...]:
    """What a key gains when something is drawn anew; the first draw has the plain key."""
    key: tuple[str | int, ...] = (word, draw)
    return key if draw else ()


def permutation(bits: np.random.PCG64, n: int) -> NDArray[np.int64]:
    """A random order of 0..n-1: the stable order of n raw 64-bit words."""
    return np.argsort(bits.random_raw(n), kind="stable").astype(np.int64, copy=False)


def permutations(bits: np.random.PCG64, count: int, n: int) -> NDArray[np.int64]:
    """`count` random orders of 0..n-1 as rows; a larger count leaves the first rows alone."""
    words = bits.random_raw(count * n).reshape(count, n)
    return np.argsort(words, axis=-1, kind="stable").astype(np.int64, copy=False)
