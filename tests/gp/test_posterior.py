"""Every posterior behind the one interface, against the textbook formula."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.fast.bounded import BoundedField
from equiwarp.gp.fast.local import COARSE, LocalField
from equiwarp.gp.fast.neighbours import Neighbours
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from tests.reference.gp import matern52, posterior

ELL = 0.3


def bounded(kernel, P, Z, noise_var):
    return BoundedField.of(kernel, P, Z, noise_var, Neighbours.of(P, Z))


#: Of so few points the local one sees all where it looks closely, and is exact there as well.
KINDS = {"field": Field.of, "bounded": bounded, "local": LocalField.of}


def dense(Z, noise_var, P):
    nothing = np.zeros((len(Z), 1))
    return posterior(lambda A, B: matern52(A, B, ELL), Z, nothing, noise_var, P)[1].diagonal()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_variances_and_the_best_of_them_stay_right_as_points_are_added(kind, weighted, rng):
    n = COARSE + 20
    P, Z, noise_var = rng.random((80, 2)), rng.random((n, 2)), rng.uniform(1e-3, 0.1, n)
    field, free = KINDS[kind](Matern52(ELL), P, Z, noise_var), np.ones(80, dtype=bool)
    weights = rng.uniform(0.2, 1.0, 80) if weighted else None
    for _ in range(4):
        exact = dense(Z, noise_var, P)
        np.testing.assert_allclose(field.variance, exact, rtol=1e-6, atol=1e-9)
        assert field.variance_at(11) == pytest.approx(exact[11], rel=1e-6, abs=1e-9)
        field, best = field.best(weights, free)
        assert best == np.argmax(np.where(free, exact if weights is None else weights * exact, -np.inf))
        assert field.variance_at(best) == pytest.approx(exact[best], rel=1e-6, abs=1e-9)
        free[best] = False
        field = field.add(P[best], 0.01)
        Z, noise_var = np.vstack([Z, P[best]]), np.append(noise_var, 0.01)
        np.testing.assert_array_equal(field.Z, Z)
        np.testing.assert_array_equal(field.noise_var, noise_var)
