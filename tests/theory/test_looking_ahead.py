"""Looking ahead pays where it is meant to, by the protocol of the bench: the results page in small."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.bench.area import area_reduction
from equiwarp.bench.cell import Job, compute

ROUNDS, SEEDS = 50, 3


def reductions(benchmark: str, arm: str, readout: str) -> list[float]:
    """Area saved against farthest-point sampling, seed by seed."""
    return [
        area_reduction(
            *(compute(Job(benchmark, a, seed, ROUNDS)).error(readout) for a in (arm, "fps")), ROUNDS
        )
        for seed in range(SEEDS)
    ]


@pytest.mark.parametrize("benchmark", ["levy-2d", "smooth-box-2d"])
def test_under_the_nearest_neighbour_readout_it_saves_more_than_the_published_method(benchmark):
    """Levy grows towards faces that the first points have not seen; the smooth box has steep sides."""
    ahead, published = (reductions(benchmark, arm, "1nn") for arm in ("lookahead-nn", "equiwarp"))
    assert np.mean(ahead) > np.mean(published) > 0, (ahead, published)


def test_under_the_refitted_process_it_is_not_below_farthest_points_where_the_published_method_is():
    ahead, published = (
        reductions("styblinski-tang-3d", arm, "gp-map") for arm in ("lookahead-gp", "equiwarp")
    )
    assert np.mean(ahead) > -5, ahead
    assert np.mean(ahead) > np.mean(published) + 10, (ahead, published)
