"""Warps: bijections of the domain that stretch where the mean varies."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.geometry.density import target_density
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, ReconstructionWarp, WarpGrid
from tests.cases import DOMAINS

WARPED = ["line", "square", "cube", "log", "circle", "S2", "S3"]


def steep(domain, x):
    """Gradient norms with one steep band."""
    return np.exp(-(((domain.embed(x)[:, 0] - 0.5) / 0.15) ** 2))


def warp_of(domain, n=8192):
    probes = domain.sample(n, np.random.default_rng(3))
    return ReconstructionWarp.of(domain, probes, target_density(steep(domain, probes), domain.dim))


@pytest.mark.parametrize("place", WARPED)
def test_images_lie_in_the_domain_and_different_points_stay_different(place, rng):
    domain = DOMAINS[place]
    x = domain.sample(400, rng)
    Z = warp_of(domain)(x)
    assert Z.shape == domain.embed(x).shape
    if isinstance(domain, ew.Sphere):
        np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 1, atol=1e-9)
    else:
        assert ((Z >= 0) & (Z <= 1)).all()
    distance = np.linalg.norm(Z[:, None] - Z[None], axis=2) + np.eye(len(Z))
    assert distance.min() > 1e-7


@pytest.mark.parametrize("place", WARPED)
def test_it_stretches_where_the_density_is_high(place, rng):
    domain = DOMAINS[place]
    x = domain.sample(4000, rng)
    warp = warp_of(domain)
    volume = warp.stretch(x) ** domain.dim
    density = target_density(steep(domain, x), domain.dim)
    assert np.corrcoef(volume, density)[0, 1] > 0.9
    assert np.mean(volume) == pytest.approx(1, abs=0.03)  # a bijection keeps the total volume


@pytest.mark.parametrize("warp_name", ["reconstruction", "kumaraswamy"])
def test_the_stretch_is_what_small_distances_grow_by(warp_name, rng):
    """In one dimension the stretch is the derivative of the map."""
    domain = ew.Box.unit(1)
    one = np.ones(1)
    warp = warp_of(domain) if warp_name == "reconstruction" else KumaraswamyWarp(domain, 1.7 * one, 0.6 * one)
    x = rng.uniform(0.02, 0.98, (200, 1))
    slope = (warp(x + 1e-7) - warp(x - 1e-7))[:, 0] / 2e-7
    close = np.abs(slope / warp.stretch(x) - 1) < 1e-5
    assert close.mean() > 0.97  # all but points at a bin edge


def test_a_density_symmetric_about_an_axis_gives_the_papers_map_of_the_colatitude(rng):
    """On S^2: psi goes to the angle whose cap fraction is the density's share within psi."""
    sphere, centre = ew.Sphere(2), np.array([0.6, 0.0, 0.8])
    probes = sphere.sample(8192, np.random.default_rng(1))
    norms = np.exp(-(((probes @ centre - 0.7) / 0.1) ** 2))
    warp = ReconstructionWarp.of(sphere, probes, target_density(norms, 2))
    assert warp.frame[0] @ centre > 0.999
    x = sphere.sample(200, rng)
    image = warp(x)
    fine = np.linspace(-1, 1, 20001)
    weight = target_density(norms, 2)
    rms = np.sqrt(np.mean(norms**2))
    along = 1 + np.exp(-(((fine - 0.7) / 0.1) ** 2)) / rms
    share = 1 - np.cumsum(along) / along.sum()
    expected = 1 - 2 * np.interp(x @ centre, fine, share)
    assert weight.max() > 2
    assert np.median(np.abs(image @ centre - expected)) < 0.02
    assert np.abs(image @ centre - expected).max() < 0.1


def test_the_identity_is_the_embedding(rng):
    domain = DOMAINS["square"]
    x = domain.sample(10, rng)
    np.testing.assert_array_equal(Identity(domain)(x), domain.embed(x))
    np.testing.assert_array_equal(Identity(domain).stretch(x), 1.0)


@pytest.mark.parametrize("place", ["line", "log", "cube"])
def test_a_pool_that_was_sorted_in_before_has_the_same_images(place, rng):
    domain = DOMAINS[place]
    probes, pool, x = (domain.sample(n, rng) for n in (2048, 60, 12))
    plain = ReconstructionWarp.of(domain, probes, target_density(steep(domain, probes), domain.dim))
    warp = ReconstructionWarp.of(
        domain, probes, target_density(steep(domain, probes), domain.dim), WarpGrid(domain, probes, pool)
    )
    for points in (pool, pool[3:9], x):
        np.testing.assert_array_equal(warp(points), plain(points))
    assert warp.stretch_at(pool, 5) == pytest.approx(plain.stretch(pool)[5])
