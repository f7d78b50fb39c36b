"""Hadamard matrices: Sylvester, Paley I, Paley II and Kronecker products of these."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .errors import PartitionError

__all__ = ["hadamard"]

Signs = NDArray[np.int8]


@lru_cache(maxsize=None)
def hadamard(h: int) -> Signs:
    """A normalised Hadamard matrix of order h: H Hᵀ = h I, first row and column all +1.

    Powers of two by Sylvester's doubling, then Paley's first construction (h - 1 a prime power,
    3 modulo 4), Paley's second (h/2 - 1 a prime power, 1 modulo 4), then Kronecker products.
    Together they give every multiple of 4 up to 88. The array is shared and read-only.
    """
    matrix = _construct(h)
    if matrix is None:
        raise PartitionError(
            f"hadamard: no matrix of order {h} at hand; orders are 1, 2 and multiples of 4, "
            "and Sylvester, Paley and product constructions cover all of those up to 88"
        )
    matrix = matrix * matrix[:, :1]
    matrix = (matrix * matrix[:1]).astype(np.int8)
    matrix.setflags(write=False)
    return matrix


def _construct(h: int) -> Signs | None:
    if h == 1:
        return np.ones((1, 1), dtype=np.int8)
    if h == 2:
        return np.array([[1, 1], [1, -1]], dtype=np.int8)
    if h < 4 or h % 4:
        return None
    if h & (h - 1) == 0:
        return np.kron(hadamard(2), hadamard(h // 2)).astype(np.int8)
    return _paley_one(h) if _is_prime_power(h - 1) else _paley_two_or_product(h)


def _paley_two_or_product(h: int) -> Signs | None:
    q = h // 2 - 1
    if q % 4 == 1 and _is_prime_power(q):
        return _paley_two(h)
    for factor in range(2, int(h**0.5) + 1):
        if h % factor == 0:
            left, right = _construct(factor), _construct(h // factor)
            if left is not None and right is not None:
                return np.kron(left, right).astype(np.int8)
    return None


def _paley_one(h: int) -> Signs:
    """I + S with S the skew matrix bordered from the quadratic characters of GF(h - 1)."""
    bordered = np.zeros((h, h), dtype=np.int8)
    bordered[0, 1:] = 1
    bordered[1:, 0] = -1
    bordered[1:, 1:] = _characters_of_differences(h - 1)
    return bordered + np.eye(h, dtype=np.int8)


def _paley_two(h: int) -> Signs:
    """The symmetric conference matrix of GF(h/2 - 1), its entries replaced by 2 by 2 blocks."""
    size = h // 2
    conference = np.zeros((size, size), dtype=np.int8)
    conference[0, 1:] = conference[1:, 0] = 1
    conference[1:, 1:] = _characters_of_differences(size - 1)
    off_diagonal = np.array([[1, 1], [1, -1]], dtype=np.int8)
    diagonal = np.array([[1, -1], [-1, -1]], dtype=np.int8)
    eye = np.eye(size, dtype=np.int8)
    return (np.kron(conference, off_diagonal) + np.kron(eye, diagonal)).astype(np.int8)


def _characters_of_differences(q: int) -> Signs:
    """The q by q matrix of chi(x_i - x_j): +1 for squares of GF(q), -1 for the rest, 0 at 0."""
    p, degree = _prime_power(q)
    digits = _digits(q, p, degree)
    weights = p ** np.arange(degree)
    squares = (_products(digits, _irreducible(p, degree), p) @ weights).diagonal()
    character = np.full(q, -1, dtype=np.int8)
    character[squares] = 1
    character[0] = 0
    differences = ((digits[:, None] - digits[None, :]) % p) @ weights
    found: Signs = character[differences]
    return found


def _digits(q: int, p: int, degree: int) -> NDArray[np.int64]:
    """Element number i of GF(q) as the coefficients of its polynomial, lowest power first."""
    return np.arange(q)[:, None] // p ** np.arange(degree) % p


def _products(digits: NDArray[np.int64], modulus: NDArray[np.int64], p: int) -> NDArray[np.int64]:
    """All products of two elements, as coefficients modulo the monic polynomial `modulus`."""
    degree = digits.shape[1]
    product = np.zeros((len(digits), len(digits), 2 * degree - 1), dtype=np.int64)
    for power in range(degree):
        product[..., power : power + degree] += digits[:, None, power, None] * digits[None]
    for top in range(2 * degree - 2, degree - 1, -1):
        product[..., top - degree : top + 1] -= product[..., top, None] * modulus
    return product[..., :degree] % p


@lru_cache(maxsize=None)
def _irreducible(p: int, degree: int) -> NDArray[np.int64]:
    """The first monic polynomial of this degree over GF(p) whose residues have no zero divisor."""
    q = p**degree
    digits = _digits(q, p, degree)
    for low in digits:
        modulus = np.append(low, 1)
        if degree == 1 or _products(digits[1:], modulus, p).any(axis=-1).all():
            return modulus
    raise ArithmeticError(f"no irreducible polynomial of degree {degree} over GF({p})")


def _is_prime_power(q: int) -> bool:
    return q > 1 and _prime_power(q)[0] > 0


def _prime_power(q: int) -> tuple[int, int]:
    """(p, degree) with q = p ** degree, or (0, 0)."""
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    degree = 0
    while q % p == 0:
        q, degree = q // p, degree + 1
    return (p, degree) if q == 1 else (0, 0)
