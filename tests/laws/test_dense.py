"""The fast path chooses what the plain dense formulas choose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.setting import prepare
from equiwarp.suggest import choose
from tests.cases import DENSE_CASES, DOMAINS, OPEN_LOOP, PAPER, design_of, extend, setting_of, values
from tests.reference.dense import dense_batch, dense_choose, dense_open_loop, dense_score

DENSE = tuple(name for name in PAPER if name not in OPEN_LOOP)


@pytest.mark.parametrize(("name", "place"), DENSE_CASES)
def test_fast_and_dense_paths_choose_the_same_points(name, place):
    domain = DOMAINS[place]
    setting, design, memory = setting_of(name, domain), design_of(domain, k=2, pending=2), None
    for _ in range(3):
        suggestion, memory = choose(setting, design, 1, memory)
        score = dense_score(setting, design)
        score[setting.taken(np.vstack([design.x, design.pending]))] = -np.inf
        best = int(np.argmax(score))
        np.testing.assert_array_equal(suggestion.points[0], setting.pool[best])
        assert suggestion.explain[0].score == pytest.approx(score[best], rel=1e-6)
        y = np.hstack([values(domain, suggestion.points), values(domain, suggestion.points) ** 2])
        design = extend(design, suggestion.points, y)


@pytest.mark.parametrize(("name", "place"), [case for case in DENSE_CASES if case[1] in ("cube", "S3")])
def test_batches_agree_when_the_noise_is_estimated(name, place):
    domain = DOMAINS[place]
    setting, design = setting_of(name, domain), design_of(domain, noise=None, pending=1)
    fast = choose(setting, design, 3)[0].points
    np.testing.assert_array_equal(fast, setting.pool[dense_batch(setting, design, 3)])


@pytest.mark.parametrize("name", ["sobol", "random"])
@pytest.mark.parametrize("place", ["square", "stepped", "S2"])
def test_fixed_sequences_agree(name, place):
    domain = DOMAINS[place]
    setting, design = setting_of(name, domain), design_of(domain, n=5, pending=2)
    np.testing.assert_array_equal(choose(setting, design)[0].points[0], dense_open_loop(setting, design))


@pytest.mark.parametrize("name", DENSE)
def test_paths_agree_at_full_size(name):
    """The paper's pool and probes in four dimensions, more points than the laws' small settings."""
    domain = ew.Box.unit(4)
    setting = prepare(domain, name, 2)
    design, memory = design_of(domain, n=80), None
    for _ in range(2):
        suggestion, memory = choose(setting, design, 1, memory)
        np.testing.assert_array_equal(suggestion.points[0], setting.pool[dense_choose(setting, design)])
        design = extend(design, suggestion.points, values(domain, suggestion.points))


def test_the_comparison_would_notice_another_formula():
    domain, design = DOMAINS["square"], design_of(DOMAINS["square"])
    chosen = {name: dense_choose(setting_of(name, domain), design) for name in DENSE}
    assert len(set(chosen.values())) >= 5, chosen
    setting = setting_of("eig", domain)
    wrong = replace(setting, lengthscale=1.1 * setting.lengthscale)
    assert not np.allclose(dense_score(setting, design), dense_score(wrong, design), rtol=1e-3)
