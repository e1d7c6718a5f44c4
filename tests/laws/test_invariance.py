"""What must not matter: order, units, scale of values, numbering of the pool, orientation of a sphere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ortho_group

import equiwarp as ew
from equiwarp.engine.measurements import Measurements
from tests.cases import CASES, DOMAINS, NAMES, POOL_CASES, best, configuration_of, measurements_of
from tests.reference.dense import dense_score


@pytest.mark.parametrize(("name", "place"), POOL_CASES)
def test_permuting_the_pool_permutes_the_scores(name, place, rng):
    domain = DOMAINS[place]
    configuration, measurements = configuration_of(name, domain, pool=100), measurements_of(domain)
    shuffled = replace(configuration, pool=rng.permutation(configuration.pool))
    np.testing.assert_array_equal(best(shuffled, measurements, 2), best(configuration, measurements, 2))


@pytest.mark.parametrize(("name", "place"), CASES)
def test_the_order_of_observations_is_irrelevant(name, place, rng):
    domain = DOMAINS[place]
    configuration = configuration_of(name, domain, pool=100)
    for noise in (0.05, None):  # given and estimated
        known = measurements_of(domain, noise=noise, pending=3)
        order = rng.permutation(known.n)
        deviations = None if noise is None else known.noise[order]
        mixed = Measurements(domain, known.x[order], known.y[order], deviations, known.pending[::-1])
        np.testing.assert_array_equal(best(configuration, mixed, 2), best(configuration, known, 2))


@pytest.mark.parametrize(("name", "place"), CASES)
def test_an_affine_change_of_the_values_is_irrelevant(name, place):
    domain = DOMAINS[place]
    configuration, measurements = configuration_of(name, domain, pool=100), measurements_of(domain, k=2)
    expected = best(configuration, measurements, 2)
    for scale, shift in [(1e3, -7.0), (-1.0, 0.0), (1e-200, 0.0), (1e200, 0.0)]:
        y, noise = scale * measurements.y + shift, abs(scale) * measurements.noise
        changed = replace(measurements, y=y, noise=noise)
        np.testing.assert_array_equal(best(configuration, changed, 2), expected, f"{scale} y + {shift}")


@pytest.mark.parametrize(("name", "place"), CASES)
def test_a_response_that_does_not_vary_is_irrelevant_in_whatever_unit(name, place):
    domain = DOMAINS[place]
    configuration, alone = configuration_of(name, domain, pool=100), measurements_of(domain, k=1)
    for constant, noise in [(0.3, 0.01), (7e3, 100.0), (-5e-9, 0.0), (0.0, 1e6)]:
        y = np.column_stack([alone.y, np.full(alone.n, constant)])
        both = replace(alone, y=y, noise=np.column_stack([alone.noise, np.full(alone.n, noise)]))
        np.testing.assert_array_equal(best(configuration, both, 3), best(configuration, alone, 3))


@pytest.mark.parametrize(("name", "place"), CASES)
def test_where_nothing_varies_no_unit_matters(name, place):
    domain = DOMAINS[place]
    configuration, known = configuration_of(name, domain, pool=100), measurements_of(domain, k=2)
    found = [
        best(configuration, replace(known, y=0.0 * known.y + constant, noise=0.0 * known.noise + noise), 3)
        for constant, noise in [(1.0, 0.01), (1.0, 500.0), (7e6, 5e4)]
    ]
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_scale_of_the_values_is_irrelevant_to_the_noise_estimate(scale):
    domain = DOMAINS["square"]
    configuration, measurements = configuration_of("equiwarp", domain), measurements_of(domain, noise=None)
    changed = replace(measurements, y=scale * measurements.y)
    np.testing.assert_array_equal(best(configuration, changed, 2), best(configuration, measurements, 2))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "bounds",
    [(20, 90), (-1e-3, 1e-3), (-1e12, 3e12), (0, 1e-300), (-1e300, 1e300)],
    ids=["plain", "small", "large", "tiny", "huge"],
)
def test_the_units_of_a_box_are_irrelevant(name, bounds):
    unit = ew.Box.unit(2)
    box = ew.Box({"x1": bounds, "x2": bounds})
    measurements = measurements_of(unit)
    moved = replace(measurements, domain=box, x=box.from_cube(measurements.x))
    expected = best(configuration_of(name, unit), measurements, 2)
    found = best(configuration_of(name, box), moved, 2)
    np.testing.assert_allclose(box.to_cube(found), expected, atol=1e-12)


def test_a_log_scale_counts_factors():
    unit = ew.Box.unit(2)
    box = ew.Box({name: {"low": 1e-4, "high": 1e5, "scale": "log"} for name in ("x1", "x2")})
    measurements = measurements_of(unit)
    moved = replace(measurements, domain=box, x=1e-4 * 10 ** (9 * measurements.x))
    expected = best(configuration_of("equiwarp", unit), measurements, 2)
    np.testing.assert_allclose(
        box.to_cube(best(configuration_of("equiwarp", box), moved, 2)), expected, atol=1e-12
    )


def turned(configuration, measurements, R):
    configuration = replace(
        configuration,
        pool=configuration.pool @ R.T,
        probes=configuration.probes @ R.T,
        targets=configuration.targets @ R.T,
    )
    return configuration, replace(measurements, x=measurements.x @ R.T)


@pytest.mark.parametrize("place", ["circle", "S2", "S3"])
@pytest.mark.parametrize("name", ["fps", "eig", "equalized", "nipv", "epig", "epig-joint", "refit"])
def test_turning_a_sphere_turns_the_choice(name, place):
    domain = DOMAINS[place]
    R = ortho_group.rvs(domain.columns, random_state=5)
    configuration, measurements = configuration_of(name, domain), measurements_of(domain)
    rotated = best(*turned(configuration, measurements, R), n=3)
    np.testing.assert_allclose(rotated, best(configuration, measurements, n=3) @ R.T, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("place", ["circle", "S2", "S3"])
@pytest.mark.parametrize("name", ["equiwarp", "warp"])
def test_turning_a_sphere_turns_the_warp_with_it(name, place, seed):
    """Pole and meridian follow from the density: no direction of the chart is left to chance."""
    domain = DOMAINS[place]
    R = ortho_group.rvs(domain.columns, random_state=seed)
    configuration, measurements = configuration_of(name, domain), measurements_of(domain, seed=seed)
    rotated_setting, rotated_design = turned(configuration, measurements, R)
    # A probe may change sides of a bin edge by rounding, which moves a score by 1e-3; scores are compared.
    np.testing.assert_allclose(
        dense_score(rotated_setting, rotated_design), dense_score(configuration, measurements), atol=1e-2
    )
    np.testing.assert_allclose(
        best(rotated_setting, rotated_design, n=2), best(configuration, measurements, n=2) @ R.T, atol=1e-9
    )
