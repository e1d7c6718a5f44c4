"""Sequences fixed in advance."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.strategy.openloop import SobolDesign, UniformRandom
from tests.cases import DOMAINS
from tests.checks import assert_uniform


@pytest.mark.parametrize("sequence", [SobolDesign(), UniformRandom()], ids=["sobol", "random"])
@pytest.mark.parametrize("place", ["square", "stepped", "S2"])
def test_any_part_of_the_sequence_can_be_asked_for(sequence, place):
    domain = DOMAINS[place]
    whole = sequence.points(domain, 0, 40, seed=3)
    np.testing.assert_array_equal(sequence.points(domain, 15, 10, seed=3), whole[15:25])
    assert domain.contains(whole).all()
    np.testing.assert_array_equal(domain.snap(whole), whole)
    assert not np.allclose(sequence.points(domain, 0, 40, seed=4), whole)


def test_sobol_continues_the_initial_design_of_its_seed():
    domain = ew.Box.unit(3)
    initial = domain.sample(40, stream(6, DESIGN))
    np.testing.assert_array_equal(SobolDesign().points(domain, 0, 40, seed=6), initial)


def test_random_points_are_uniform_and_sobol_points_are_more_even():
    domain = ew.Box.unit(2)
    random = UniformRandom().points(domain, 0, 1024, seed=1)
    sobol = SobolDesign().points(domain, 0, 1024, seed=1)
    assert_uniform(random)
    spread = [np.histogram2d(*x.T, bins=16, range=[(0, 1)] * 2)[0].std() for x in (sobol, random)]
    assert spread[0] < 0.5 * spread[1]
