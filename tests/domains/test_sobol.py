"""Our Sobol points are SciPy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from equiwarp.domains.sobol import MOST_DIMENSIONS, SobolSequence, scrambled


@pytest.mark.parametrize("dim", [*range(1, MOST_DIMENSIONS + 1), MOST_DIMENSIONS + 1, 40])
@pytest.mark.parametrize("power", [0, 1, 5, 10])
def test_the_points_are_those_of_scipy(dim, power):
    ours, theirs = np.random.default_rng(dim), np.random.default_rng(dim)
    for _ in range(2):  # and the next sequence from the same generator
        expected = qmc.Sobol(dim, scramble=True, rng=theirs).random_base2(power)
        np.testing.assert_array_equal(scrambled(dim, power, ours), expected)
    assert ours.random() == theirs.random()


def test_a_long_sequence_is_that_of_scipy_too():
    expected = qmc.Sobol(MOST_DIMENSIONS, scramble=True, rng=np.random.default_rng(1)).random_base2(16)
    np.testing.assert_array_equal(scrambled(MOST_DIMENSIONS, 16, np.random.default_rng(1)), expected)


@pytest.mark.parametrize("dim", [1, 2, 7, MOST_DIMENSIONS, MOST_DIMENSIONS + 1])
@pytest.mark.parametrize("power", [0, 1, 6])
def test_blocks_continue_each_other_as_those_of_scipy_do(dim, power):
    ours, theirs = SobolSequence(dim, np.random.default_rng(dim)), np.random.default_rng(dim)
    engine = qmc.Sobol(dim, scramble=True, rng=theirs)
    for _ in range(11):  # past a power of two, so that every digit of the block's number changes
        np.testing.assert_array_equal(ours.draw(power), engine.random(1 << power))
    assert ours.drawn == 11 << power


def test_blocks_may_shrink_and_may_not_begin_within_a_block():
    sequence = SobolSequence(3, np.random.default_rng(0))
    drawn = [sequence.draw(power) for power in (4, 3, 2, 2)]
    np.testing.assert_array_equal(np.concatenate(drawn), scrambled(3, 5, np.random.default_rng(0)))
    sequence.draw(0)
    with pytest.raises(ValueError, match="33 points were drawn; a block of 4 would begin within one"):
        sequence.draw(2)
