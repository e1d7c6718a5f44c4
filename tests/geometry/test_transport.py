"""The transport against plain histograms and multilinear lookup. What it promises: theory/."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.geometry import transport
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


def test_many_points_are_interpolated_a_part_at_a_time(rng, monkeypatch):
    """In many dimensions each has thousands of entries; how much is held does not depend on their number."""
    held, of = [], transport.Interpolation.of

    def watched(u, axes=None):
        found = of(u, axes)
        held.append(sum(part.size for part in found.entries))
        return found

    monkeypatch.setattr(transport.Interpolation, "of", watched)
    monkeypatch.setattr(transport, "MOST_ENTRIES", 30_000)
    mapped, u = Transport.of(rng.random((512, 12)), rng.uniform(0.2, 5, 512)), rng.random((40, 12))
    image = mapped(u)
    assert len(held) > 1
    assert max(held) <= 30_000
    monkeypatch.setattr(transport, "MOST_ENTRIES", 10**9)
    np.testing.assert_array_equal(mapped(u), image)
