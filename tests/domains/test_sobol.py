"""Our Sobol points are SciPy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from equiwarp.domains.sobol import MOST, scrambled


@pytest.mark.parametrize("dim", [*range(1, MOST + 1), MOST + 1, 40])
@pytest.mark.parametrize("power", [0, 1, 5, 10])
def test_the_points_are_those_of_scipy(dim, power):
    ours, theirs = np.random.default_rng(dim), np.random.default_rng(dim)
    for _ in range(2):  # and the next sequence from the same generator
        expected = qmc.Sobol(dim, scramble=True, rng=theirs).random_base2(power)
        np.testing.assert_array_equal(scrambled(dim, power, ours), expected)
    assert ours.random() == theirs.random()


def test_a_long_sequence_is_that_of_scipy_too():
    expected = qmc.Sobol(MOST, scramble=True, rng=np.random.default_rng(1)).random_base2(16)
    np.testing.assert_array_equal(scrambled(MOST, 16, np.random.default_rng(1)), expected)
