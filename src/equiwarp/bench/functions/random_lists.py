"""Random lists of experiments with values, to choose by how a list is begun: six kinds, from even to crowded.

==========  =============================================================================================
even        uniform in the cube
grid        a random part of a full grid of four to eight levels
skewed      each column crowds at one of its ends, as concentrations and frequencies do
clusters    most entries in a few clusters of different size, one in twenty anywhere
sheet       near a curved surface of two dimensions: columns that go together
recipes     a few dozen recipes, half of their parts left out, each at several ages
==========  =============================================================================================

A function of :mod:`random_families` gives the values. It lives in the box of the list, or in the ranks of
each column: real responses may vary where nobody measured, or as the columns crowd. Nobody knows which
beforehand.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.cases.measured_case import MeasuredCase, Source
from equiwarp.bench.functions.random_families import FAMILIES, random_function
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

ENTRIES = 600
#: Deviation of the noise, in deviations of the values.
NOISE = 0.05


def random_list(kind: str, dim: int, seed: int) -> MeasuredCase:
    """The list with values that kind, dimension and seed stand for; the same today and tomorrow."""
    if kind not in KINDS:
        raise InvalidInput(f"unknown kind of list {kind!r}; choose one of {', '.join(KINDS)}")
    rng = stream(seed, "random list", list(KINDS).index(kind), dim)
    X = np.unique(KINDS[kind](dim, rng), axis=0)
    X = rng.permutation((X - X.min(axis=0)) / np.ptp(X, axis=0))
    family = list(FAMILIES)[int(rng.integers(len(FAMILIES)))]
    function = random_function(family, dim, int(rng.integers(1 << 30)))
    truth = function(_ranks(X) if rng.random() < 0.5 else X)
    y = truth + NOISE * truth.std() * rng.standard_normal(len(truth))
    name = f"{kind}-{dim}d-{seed}"
    names = tuple(f"x{i + 1}" for i in range(dim))
    return MeasuredCase(
        name, name, "", "y", "", names, X, y[:, None], np.ones(1), Source("", "random", "none")
    )


def _ranks(X: Array) -> Array:
    """Each column's mean ranks, from 0 to 1."""
    columns = []
    for column in X.T:
        _, place, count = np.unique(column, return_inverse=True, return_counts=True)
        columns.append(((np.cumsum(count) - 0.5 * (count + 1)) / max(1, len(X) - 1))[place])
    return np.column_stack(columns)


def _even(dim: int, rng: np.random.Generator) -> Array:
    return rng.random((ENTRIES, dim))


def _grid(dim: int, rng: np.random.Generator) -> Array:
    levels = rng.integers(4, 9, dim) if dim > 2 else rng.integers(16, 32, dim)
    return rng.integers(0, levels, (ENTRIES, dim)) / (levels - 1)


def _skewed(dim: int, rng: np.random.Generator) -> Array:
    power, mirrored = rng.uniform(1.0, 5.0, dim), rng.random(dim) < 0.5
    u = rng.random((ENTRIES, dim)) ** power
    return np.where(mirrored, 1.0 - u, u)


def _clusters(dim: int, rng: np.random.Generator) -> Array:
    count = int(rng.integers(3, 9))
    shares, widths = rng.dirichlet(np.ones(count)), rng.uniform(0.02, 0.15, count)
    of = rng.choice(count, ENTRIES, p=shares)
    inside = rng.random((count, dim))[of] + widths[of, None] * rng.standard_normal((ENTRIES, dim))
    anywhere = rng.random(ENTRIES) < 0.05
    return np.where(anywhere[:, None], rng.random((ENTRIES, dim)), np.clip(inside, 0.0, 1.0))


def _sheet(dim: int, rng: np.random.Generator) -> Array:
    latent = rng.random((ENTRIES, min(2, dim)))
    turn = rng.standard_normal((latent.shape[1], dim))
    return np.tanh((latent - 0.5) @ turn * 2.0) + 0.05 * rng.standard_normal((ENTRIES, dim))


def _recipes(dim: int, rng: np.random.Generator) -> Array:
    ages = np.array([1, 3, 7, 14, 28, 56, 90, 180, 365]) / 365.0
    shape = (ENTRIES // 6, dim - 1)
    recipes = rng.random(shape) * (rng.random(shape) < 0.5)
    of = rng.integers(0, len(recipes), ENTRIES)
    age = rng.choice(ages, ENTRIES, p=np.array([1, 4, 5, 3, 8, 2, 1, 1, 1]) / 26)
    return np.column_stack([recipes[of], age])


#: The kinds by name.
KINDS: dict[str, Callable[[int, np.random.Generator], Array]] = {
    "even": _even,
    "grid": _grid,
    "skewed": _skewed,
    "clusters": _clusters,
    "sheet": _sheet,
    "recipes": _recipes,
}
