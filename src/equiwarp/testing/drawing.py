"""Random input for the checks, and a check that a part leaves the global random state alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain

#: Chance that a statistical check fails a part that is right. Seeds are fixed: one that passes passes again.
FALSE_ALARM = 1e-4


def generator(seed: int = 0) -> np.random.Generator:
    """A generator of its own for each draw: what was drawn before must not matter."""
    return np.random.default_rng([20240607, seed])


def cube_points(domain: Domain, n: int = 64, seed: int = 0, margin: float = 0.02) -> Array:
    """Uniform points of the unit cube ``(n, dim)``, away from its faces."""
    return margin + (1 - 2 * margin) * generator(seed).random((n, domain.dim))


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    """Global random state set to a seed, and as it was afterwards."""
    # NumPy's old global state is what a careless part would use.
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002


def first_row(differs: NDArray[np.bool_]) -> int | None:
    """The first row ``(n, ...)`` in which something is true, or None."""
    rows = np.unique(np.argwhere(differs)[:, 0])
    return int(rows[0]) if len(rows) else None


def non_uniformity(u: Array) -> str | None:
    """What shows that points ``(n, D)`` are not uniform in the unit cube; None if nothing does.

    Kolmogorov-Smirnov tests of each coordinate and of each product u_i u_j, whose distribution under
    independence is t (1 - log t). Bonferroni over all tests, so :data:`FALSE_ALARM` holds for all together.
    """
    from scipy.stats import kstest

    outside = first_row((u < 0) | (u > 1))
    if outside is not None:
        return f"outside the unit cube: row {outside}, {u[outside]}"
    dim = u.shape[1]
    tests: list[tuple[str, Array, Any]] = [(f"coordinate {i}", u[:, i], "uniform") for i in range(dim)]
    tests += [
        (f"coordinates {j} and {i} together", u[:, i] * u[:, j], _product_cdf)
        for i in range(dim)
        for j in range(i)
    ]
    for what, sample, distribution in tests:
        p = float(kstest(sample, distribution).pvalue)
        if p <= FALSE_ALARM / len(tests):
            return f"{what} of {len(u)} points: not uniform, p = {p:.1e} (mean {u.mean(axis=0).round(3)})"
    return None


def _product_cdf(t: Array) -> Array:
    t = np.clip(t, 1e-300, 1.0)
    return t * (1 - np.log(t))
