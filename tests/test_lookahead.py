"""The look-ahead criteria against loops that follow their definitions word by word."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.design import Design
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.spacing import refit_lengthscale, refit_size
from equiwarp.rounds import Memory, fit_lengthscale, kernel_of, scene_of, warp_of
from equiwarp.seeds import DESIGN, stream
from equiwarp.setting import prepare, standardise
from equiwarp.strategies import Scene, Strategy, find
from equiwarp.strategies.lookahead_gp import IntegratedError
from equiwarp.strategies.lookahead_nn import NearestLookahead
from equiwarp.suggest import choose
from tests.reference.gp import posterior


def scene_for(domain: ew.Domain, strategy: Strategy, n: int = 14, pending: int = 0, k: int = 1) -> Scene:
    x = domain.sample(n, stream(3, DESIGN))
    u = domain.embed(x)
    y = np.column_stack([np.sin((3 + j) * u.sum(axis=1)) for j in range(k)])
    waiting = domain.sample(pending, stream(4, DESIGN)) if pending else None
    design = Design.of(domain, x, y, 0.05, waiting)
    setting = prepare(domain, strategy, 1, pool=domain.pool(128, stream(1, "small")))
    values = standardise(setting, design)
    kernel = kernel_of(setting, fit_lengthscale(setting, design, values, Memory()))
    warp, _ = warp_of(setting, design, values, kernel, Memory())
    return scene_of(setting, design, values, kernel, warp, Memory())


def test_nearest_gain_is_the_expected_drop_summed_over_the_new_cell() -> None:
    criterion = NearestLookahead(beta=0.3, probes=200)
    scene = scene_for(ew.Box.unit(2), Strategy("s", criterion), pending=2)
    Q, n = scene.warp(scene.probes[:200]), len(scene.y)
    everything = np.concatenate([scene.P, Q, scene.Z])
    mean = posterior(scene.kernel, scene.Z[:n], scene.y, scene.noise_var[:n], everything)[0]
    covariance = posterior(scene.kernel, scene.Z, np.zeros((len(scene.Z), 1)), scene.noise_var, everything)[1]
    m, q = len(scene.P), len(Q)
    expected = np.zeros(m)
    for u in range(q):
        to_Z = np.linalg.norm(scene.Z - Q[u], axis=1)
        owner = int(np.argmin(to_Z))
        for x in range(m):
            if np.linalg.norm(scene.P[x] - Q[u]) < to_Z[owner]:
                now = (mean[m + u] - mean[m + q + owner]) ** 2
                then = (mean[m + u] - mean[x]) ** 2
                expected[x] += now[0] - then[0] + 0.3 * (2 * covariance[x, m + u] - covariance[x, x])
    np.testing.assert_allclose(criterion.begin(scene).score(), expected, rtol=1e-7, atol=1e-9)


def test_gp_score_is_the_weighted_drop_times_the_variance() -> None:
    criterion = IntegratedError(targets=64)
    scene = scene_for(ew.Box.unit(3), Strategy("s", criterion, lengthscale="fitted"), k=2)
    U, P, n = scene.U[:64], scene.P, len(scene.y)
    both = np.concatenate([U, P])
    covariance = posterior(scene.kernel, scene.Z, scene.y, scene.noise_var, both)[1]
    h = 1e-6
    square = np.zeros(64)
    for axis in np.eye(3):
        ahead, behind = (
            posterior(scene.kernel, scene.Z[:n], scene.y, scene.noise_var[:n], U + s * h * axis)[0]
            for s in (1, -1)
        )
        square += np.sum(((ahead - behind) / (2 * h)) ** 2, axis=1)
    weights = (1 + square / square.mean()) / 64
    own = np.diag(covariance)[64:]
    expected = weights @ covariance[:64, 64:] ** 2 / (own + scene.typical_noise**2) * own
    np.testing.assert_allclose(criterion.begin(scene).score(), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["lookahead-nn", "lookahead-gp"])
@pytest.mark.parametrize("domain", [ew.Box.unit(2), ew.Sphere(2)], ids=["box", "sphere"])
def test_adding_a_point_equals_starting_with_it(name: str, domain: ew.Domain) -> None:
    strategy = find(name)
    with_two = scene_for(domain, strategy, pending=2)
    without = scene_for(domain, strategy, pending=0)
    state = strategy.criterion.begin(without)  # type: ignore[union-attr]
    for z in with_two.Z[len(without.Z) :]:
        state = state.add(z)
    np.testing.assert_allclose(
        state.score(),
        strategy.criterion.begin(with_two).score(),
        rtol=1e-7,
        atol=1e-9,  # type: ignore[union-attr]
    )


def test_a_value_changes_the_choice() -> None:
    box = ew.Box.unit(2)
    x = box.sample(20, stream(0, DESIGN))
    cliff = (x[:, 0] > 0.5).astype(float)
    other = (x[:, 1] > 0.5).astype(float)
    for name in ("lookahead-nn", "lookahead-gp"):
        a = ew.suggest(box, x, cliff, n=3, strategy=name, noise=0.01).points
        b = ew.suggest(box, x, other, n=3, strategy=name, noise=0.01).points
        assert not np.allclose(a, b)


def test_nearest_lookahead_goes_to_the_cliff() -> None:
    box = ew.Box.unit(2)
    x = box.sample(24, stream(0, DESIGN))
    y = 1 / (1 + np.exp(-40 * (x[:, 0] - 0.5)))
    points = ew.suggest(box, x, y, n=8, strategy="lookahead-nn", noise=0.01).points
    assert np.mean(np.abs(points[:, 0] - 0.5) < 0.2) >= 0.75


def test_lookahead_names_the_gp_one() -> None:
    assert find("lookahead") is find("lookahead-gp")


def test_looking_ahead_from_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one measured value"):
        ew.suggest(ew.Box.unit(2), [], [], strategy="lookahead-nn")


@pytest.mark.parametrize(
    ("n", "size"), [(5, 5), (15, 15), (17, 16), (35, 32), (63, 60), (101, 96), (300, 288)]
)
def test_refits_come_with_every_tenth_of_new_data(n: int, size: int) -> None:
    assert refit_size(n) == size


def test_a_fitted_lengthscale_rests_on_the_first_points_only() -> None:
    box = ew.Box.unit(2)
    x = box.sample(33, stream(0, DESIGN))
    y = np.sin(8 * x.sum(axis=1))
    setting = prepare(box, "lookahead-gp", 0, deviation=np.array([0.7]))
    kernels = []
    for n in (32, 33):
        design = Design.of(box, x[:n], y[:n], 0.05)
        values = standardise(setting, design)
        kernels.append(kernel_of(setting, fit_lengthscale(setting, design, values, Memory())))
    assert kernels[0].ell == pytest.approx(kernels[1].ell, rel=1e-6)
    first = y[:32] - y[:32].mean()
    direct = refit_lengthscale(
        box, x[:32], first[:, None] / 0.7, np.full(32, (0.05 / 0.7) ** 2), setting.lengthscale
    )
    assert isinstance(kernels[0], Matern52)
    assert kernels[0].ell == pytest.approx(direct, rel=1e-6)


def test_memory_saves_the_fit_and_changes_nothing() -> None:
    box = ew.Box.unit(2)
    x = box.sample(40, stream(0, DESIGN))
    setting, memory, alone = prepare(box, "lookahead-gp", 0, deviation=np.array([0.7])), None, x
    for _ in range(6):
        design = Design.of(box, x, np.sin(8 * x.sum(axis=1)), 0.05)
        known, memory = choose(setting, design, 1, memory)
        np.testing.assert_array_equal(known.points, choose(setting, design, 1)[0].points)
        x = np.vstack([x, known.points])
    assert len(x) == len(alone) + 6
