"""Why tests may share fits: repeated on the same input, a fit gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.gp.kernels import Matern52
from equiwarp.models import fitting, gaussian_process
from equiwarp.models.matern import MaternModel
from equiwarp.strategy import map_models
from tests.cases import DOMAINS, measurements_of
from tests.shared_fits import once


def warp_of(place, seed=1):
    measurements = measurements_of(DOMAINS[place], seed=seed)
    noise_var = np.full(measurements.n, 0.01)
    return DOMAINS[place], Matern52(0.4), measurements.x, measurements.y, noise_var


@pytest.mark.parametrize("place", ["square", "S2", "paint"])
def test_a_repeated_fit_gives_the_same_bits(place):
    plain = KumaraswamyWarp.fit.__wrapped__
    first, again = plain(*warp_of(place)), plain(*warp_of(place))
    np.testing.assert_array_equal([first.a, first.b], [again.a, again.b])
    domain = DOMAINS[place]
    measurements = measurements_of(domain)
    Z = domain.embed(measurements.x)
    task = fitting.FitTask(MaternModel.covariance_on(domain, Z), Z, measurements.y[:, 0], np.full(12, 0.01))
    np.testing.assert_array_equal(fitting.fit(task), fitting.fit(task))


def test_a_fit_is_remembered_for_its_very_input_only():
    asked = []
    remembered = once(lambda x: asked.append(x) or float(x.sum()))
    x = np.array([1.0, 2.0])
    assert [remembered(x), remembered(x.copy()), remembered(np.nextafter(x, 9))] == pytest.approx([3, 3, 3])
    assert len(asked) == 2


def test_what_is_remembered_cannot_be_spoilt_and_what_cannot_be_compared_is_computed():
    doubled = once(lambda x: 2 * x)
    doubled(np.ones(2))[:] = 9.0
    assert doubled(np.ones(2)).tolist() == [2.0, 2.0]
    called = once(lambda work: work())
    assert [called(lambda: 1), called(lambda: 2)] == [1, 2]


def test_the_tests_run_with_remembered_fits():
    assert map_models.fit.__wrapped__ is gaussian_process.fit.__wrapped__ is fitting.fit
    assert KumaraswamyWarp.fit(*warp_of("square")) is KumaraswamyWarp.fit(*warp_of("square"))
    assert KumaraswamyWarp.fit(*warp_of("square")) is not KumaraswamyWarp.fit(*warp_of("square", seed=2))
