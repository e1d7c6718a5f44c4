"""Scrambled Sobol points, the same ones as SciPy's, without the half second that it takes to load.

``scipy.stats`` brings every distribution there is, and a suggestion needs none of them. Direction
numbers are those of Joe and Kuo (2008), the scramble is a random lower triangular matrix and a shift
(Matousek 1998), drawn from a child of the generator in the order in which ``scipy.stats.qmc`` does it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.exceptions import InvalidInput

Digits = NDArray[np.uint32]

#: Binary digits of a coordinate, the most significant first.
BITS = 30
#: Primitive polynomials and initial direction numbers of the second coordinate, the third, and so on.
JOE_KUO = (
    (3, (1,)),
    (7, (1, 3)),
    (11, (1, 3, 1)),
    (13, (1, 1, 1)),
    (19, (1, 1, 3, 3)),
    (25, (1, 3, 5, 13)),
    (37, (1, 1, 5, 5, 17)),
    (41, (1, 1, 5, 5, 5)),
    (47, (1, 1, 7, 11, 19)),
    (55, (1, 1, 5, 1, 1)),
    (59, (1, 1, 1, 3, 11)),
    (61, (1, 3, 5, 5, 31)),
    (67, (1, 3, 3, 9, 7, 49)),
    (91, (1, 1, 1, 15, 21, 21)),
    (97, (1, 3, 1, 13, 27, 49)),
)
#: Dimensions that the table above reaches; beyond, SciPy is asked.
MOST_DIMENSIONS = 1 + len(JOE_KUO)


class SobolSequence:
    """One scrambled Sobol sequence in [0, 1), drawn in blocks that continue each other.

    Parameters
    ----------
    dim : int
    rng : numpy.random.Generator
        Its next child makes the scramble.
    """

    def __init__(self, dim: int, rng: np.random.Generator) -> None:
        self.dim = dim
        self.drawn = 0
        self._scipy = _scipy_engine(dim, rng) if dim > MOST_DIMENSIONS else None
        if self._scipy is None:
            self._directions, self._shift = _scramble(_directions(dim), rng.spawn(1)[0])

    def draw(self, power: int) -> NDArray[np.float64]:
        """The next ``2 ** power`` points, ``(2 ** power, dim)``; the last draw had as many or fewer."""
        size = 1 << power
        if self.drawn % size:
            raise InvalidInput(f"{self.drawn} points were drawn; a block of {size} would begin within one")
        start, self.drawn = self.drawn, self.drawn + size
        if self._scipy is not None:
            return np.asarray(self._scipy.random(size))
        points = np.empty((size, self.dim), dtype=np.uint32)
        points[0] = self._shift ^ self._offset(start)
        for k in range(power):  # in Gray code, a block is the mirror image of all before it and a digit
            half = 1 << k
            points[half : 2 * half] = points[:half][::-1] ^ self._directions[:, k]
        return points.astype(np.float64) * 2.0**-BITS

    def _offset(self, start: int) -> Digits:
        """What the digits of a block's first index add to all its points, ``(dim,)``."""
        code, offset = start ^ start >> 1, np.zeros(self.dim, dtype=np.uint32)
        for k in range(code.bit_length()):
            if code >> k & 1:
                offset ^= self._directions[:, k]
        return offset


def scrambled(dim: int, power: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The first ``2 ** power`` points of a scrambled Sobol sequence in [0, 1), ``(2 ** power, dim)``."""
    return SobolSequence(dim, rng).draw(power)


def _scipy_engine(dim: int, rng: np.random.Generator) -> Any:
    from scipy.stats import qmc

    return qmc.Sobol(dim, scramble=True, rng=rng)


@cache
def _directions(dim: int) -> Digits:
    """Direction numbers ``(dim, BITS)``: what digit j of the index adds to each coordinate."""
    rows = [[1] * BITS]
    for polynomial, first in JOE_KUO[: dim - 1]:
        row, degree = list(first), len(first)
        for j in range(degree, BITS):
            value = row[j - degree]
            for k in range(degree):
                value ^= (polynomial >> (degree - 1 - k) & 1) * row[j - 1 - k] << (k + 1)
            row.append(value)
        rows.append(row)
    places = np.arange(BITS - 1, -1, -1)
    return (np.array(rows) << places).astype(np.uint32)


def _scramble(directions: Digits, rng: np.random.Generator) -> tuple[Digits, Digits]:
    """Direction numbers under a random matrix of digits, and a random shift of each coordinate."""
    dim, places = len(directions), np.arange(BITS, dtype=np.uint32)
    shift = rng.integers(2, size=(dim, BITS), dtype=np.uint32) @ (np.uint32(1) << places)
    matrix = np.tril(rng.integers(2, size=(dim, BITS, BITS), dtype=np.uint32))
    matrix[:, places, places] = 1
    columns = np.bitwise_or.reduce(matrix << places[::-1, None], axis=1)
    digits = directions[:, :, None] >> places[::-1] & np.uint32(1)
    return np.bitwise_xor.reduce(digits * columns[:, None, :], axis=2), shift
