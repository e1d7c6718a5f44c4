"""Random functions: the same for a seed, of unit deviation, and of the shape that their family promises."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.bench.functions.random_families import FAMILIES, LENGTHSCALES, _draw, random_function
from equiwarp.exceptions import InvalidInput


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dim", [1, 3, 10])
def test_a_function_has_unit_deviation_and_belongs_to_its_seed(family: str, dim: int) -> None:
    u = np.random.default_rng(7).random((4000, dim))
    function = random_function(family, dim, 3)
    values = function(u)
    assert values.shape == (4000,)
    assert abs(values.mean()) < 0.08
    assert values.std() == pytest.approx(1.0, abs=0.06)
    np.testing.assert_allclose(random_function(family, dim, 3)(u[:99]), values[:99], rtol=0, atol=1e-12)
    assert np.abs(random_function(family, dim, 4)(u[:9]) - values[:9]).max() > 0.01


def test_waves_have_the_covariance_of_a_matern_five_halves() -> None:
    """Over many draws: cov(f(0), f(r)) = (1 + a + a^2/3) exp(-a), a = sqrt(5) r / ell."""
    ell = np.array([0.5, 2.0])
    u = np.array([[0.0, 0.0], [0.3, 0.0], [0.0, 0.9], [0.6, 0.6]])
    rng = np.random.default_rng(1)
    values = np.array([_draw(ell, rng)(u) for _ in range(1500)])
    a = np.sqrt(5.0) * np.linalg.norm(u / ell, axis=1)
    np.testing.assert_allclose(
        (values[:, :1] * values).mean(axis=0), (1 + a + a**2 / 3) * np.exp(-a), atol=0.1
    )


def test_an_additive_function_is_mostly_a_sum() -> None:
    """Its interaction f(a, b) - f(a, b') - f(a', b) + f(a', b') is small beside that of an isotropic one."""
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 500, 2))

    def interaction(family: str, seed: int) -> float:
        f = random_function(family, 2, seed)
        crossed = f(a) - f(np.c_[a[:, 0], b[:, 1]]) - f(np.c_[b[:, 0], a[:, 1]]) + f(b)
        return float(np.mean(crossed**2))

    means = {f: np.mean([interaction(f, s) for s in range(8)]) for f in ("additive", "isotropic")}
    assert means["additive"] < 0.5 * means["isotropic"]


def test_a_step_is_sharper_where_there_are_regimes() -> None:
    u = np.linspace(0, 1, 2001)[:, None]
    steepest = {f: np.median([np.abs(np.diff(random_function(f, 1, s)(u))).max() for s in range(10)])
                for f in ("regimes", "isotropic")}  # fmt: skip
    assert steepest["regimes"] > 2 * steepest["isotropic"]


def test_the_longest_lengthscale_of_an_anisotropic_one_leaves_a_parameter_nearly_inert() -> None:
    assert LENGTHSCALES[0] < LENGTHSCALES[1]
    u = np.random.default_rng(3).random((400, 4))
    share = []
    for seed in range(10):
        f = random_function("anisotropic", 4, seed)
        moved = [f(np.where(np.arange(4) == j, np.roll(u, 1, axis=0), u)) - f(u) for j in range(4)]
        share.append(np.sort(np.mean(np.square(moved), axis=1)))
    assert np.median([s[0] / s[-1] for s in share]) < 0.1


def test_what_is_not_a_family_is_refused_with_those_that_are() -> None:
    with pytest.raises(InvalidInput, match="unknown family 'rough'; choose one of isotropic, anisotropic"):
        random_function("rough", 2, 0)
    with pytest.raises(InvalidInput, match="at least one dimension, got 0"):
        random_function("warped", 0, 0)
