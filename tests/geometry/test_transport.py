"""The transport against plain histograms and multilinear lookup. What it promises: theory/."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.geometry.transport import Transport
from tests.reference.dense import _transport, _transported


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("q", [60, 4096])
def test_it_is_multilinear_in_conditional_histograms(dim, q, rng):
    probes, density = rng.random((q, dim)), rng.uniform(0.2, 5, q)
    u = np.vstack([rng.random((300, dim)), np.zeros((1, dim)), np.ones((1, dim))])
    expected = _transported(_transport(probes, density), u, np.zeros(dim, dtype=bool))
    np.testing.assert_allclose(Transport.of(probes, density)(u), expected, atol=1e-12)


def test_only_relative_density_counts(rng):
    probes, density, u = rng.random((2048, 3)), rng.uniform(0.2, 5, 2048), rng.random((50, 3))
    np.testing.assert_allclose(
        Transport.of(probes, 1e6 * density)(u), Transport.of(probes, density)(u), atol=1e-12
    )


def test_one_dimension_is_the_cumulative_histogram(rng):
    probes = (np.arange(64) + 0.5)[:, None] / 64
    density = rng.uniform(0.2, 5, 64)
    edges = np.arange(65) / 64
    image = Transport.of(probes, density)(edges[:, None])[:, 0]
    np.testing.assert_allclose(image[1:], np.cumsum(density) / density.sum(), atol=1e-12)
