"""Probe factors: the gradient at all probes equals the acquisition GP's own, however it was built."""

from __future__ import annotations

import numpy as np

from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.fast.slopes import Slopes
from equiwarp.gp.kernels import Matern52


def test_gradient_of_the_mean_for_several_responses(rng):
    kernel, Z, Q, y = Matern52(0.3), rng.random((12, 3)), rng.random((40, 3)), rng.standard_normal((12, 2))
    gp = AcquisitionGP.fit(kernel, Z, y, np.full(12, 0.01))
    found = Slopes.of(kernel, Q, Z).mean_gradient(gp.alpha)
    np.testing.assert_allclose(found, gp.mean_gradient(Q), atol=1e-8)


def test_extending_equals_building_anew_and_a_changed_past_is_refused(rng):
    kernel, Z, Q = Matern52(0.3), rng.random((12, 2)), rng.random((40, 2))
    alpha = rng.standard_normal((12, 1))
    part = Slopes.of(kernel, Q, Z[:7])
    grown = part.extend(kernel, Z)
    np.testing.assert_allclose(
        grown.mean_gradient(alpha), Slopes.of(kernel, Q, Z).mean_gradient(alpha), atol=1e-10
    )
    assert part.extend(kernel, Z[:5]) is None
    assert part.extend(kernel, Z[::-1]) is None
    assert part.extend(Matern52(0.4), Z) is None
