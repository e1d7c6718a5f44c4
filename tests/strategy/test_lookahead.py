"""The look-ahead criteria against loops that follow their definitions word by word."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.spacing import refit_lengthscale, refit_size
from equiwarp.strategy import RoundInputs, Strategy, find
from equiwarp.strategy.lookahead_gp import EmptyBall, variation
from equiwarp.strategy.lookahead_nn import NearestLookahead, probes_wanted
from tests.reference.gp import posterior


def inputs_for(
    domain: ew.Domain, strategy: Strategy, n: int = 14, pending: int = 0, k: int = 1
) -> RoundInputs:
    x = domain.sample(n, stream(3, DESIGN))
    u = domain.embed(x)
    y = np.column_stack([np.sin((3 + j) * u.sum(axis=1)) for j in range(k)])
    waiting = domain.sample(pending, stream(4, DESIGN)) if pending else None
    measurements = Measurements.of(domain, x, y, 0.05, waiting)
    configuration = prepare(domain, strategy, 1, pool=domain.pool(128, stream(1, "small")))
    return Round(configuration, measurements).inputs


def mean_with_trend(inputs: RoundInputs, A: np.ndarray) -> np.ndarray:
    """Posterior mean at A of trend and process together: their kernels added, textbook formula."""
    low, high = inputs.domain.embed(inputs.probes).min(axis=0), inputs.domain.embed(inputs.probes).max(axis=0)
    np.testing.assert_allclose([low, high], [[0, 0], [1, 1]], atol=0.01)  # the unit square, well filled

    def columns(Z):
        U = 2 * Z - 1
        return np.concatenate([U, U**2 - 1 / 3], axis=1)

    n = len(inputs.y)
    Z = inputs.Z[:n]
    K = inputs.kernel(Z, Z) + columns(Z) @ columns(Z).T + np.diag(inputs.noise_var[:n])
    return (inputs.kernel(A, Z) + columns(A) @ columns(Z).T) @ np.linalg.inv(K) @ inputs.y


def test_nearest_score_is_the_gain_over_the_new_cell_times_its_share_of_all_changes() -> None:
    criterion = NearestLookahead(beta=0.3, probes_per_point=12)
    inputs = inputs_for(ew.Box.unit(2), Strategy("s", criterion), pending=2)
    assert len(inputs.x) == 16
    Q = inputs.warp(inputs.probes[: 16 * 12])
    everything = np.concatenate([inputs.P, Q, inputs.Z])
    mean = mean_with_trend(inputs, everything)
    covariance = posterior(
        inputs.kernel, inputs.Z, np.zeros((len(inputs.Z), 1)), inputs.noise_var, everything
    )[1]
    m, q = len(inputs.P), len(Q)
    gains, losses = np.zeros(m), np.zeros(m)
    for u in range(q):
        to_Z = np.linalg.norm(inputs.Z - Q[u], axis=1)
        owner = int(np.argmin(to_Z))
        for x in range(m):
            if np.linalg.norm(inputs.P[x] - Q[u]) < to_Z[owner]:
                now = (mean[m + u] - mean[m + q + owner]) ** 2
                then = (mean[m + u] - mean[x]) ** 2
                drop = now[0] - then[0] + 0.3 * (2 * covariance[x, m + u] - covariance[x, x])
                gains[x] += max(drop, 0.0)
                losses[x] += max(-drop, 0.0)
    assert (gains < losses).any()
    expected = gains * gains / np.maximum(gains + losses, 1e-300)
    np.testing.assert_allclose(criterion.begin(inputs).score(), expected, rtol=1e-7, atol=1e-9)


def differences(f, A: np.ndarray, h: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """Squared norms of gradient and Hessian of ``f``: (n, e) -> (n, k), by central differences."""
    axes = h * np.eye(A.shape[1])
    first = [(f(A + i) - f(A - i)) / (2 * h) for i in axes]
    second = [
        (f(A + i + j) - f(A + i - j) - f(A - i + j) + f(A - i - j)) / (4 * h * h) for i in axes for j in axes
    ]
    return tuple(sum(np.sum(part**2, axis=1) for part in parts) for parts in (first, second))


def test_gp_score_is_the_variation_times_a_power_of_the_distance() -> None:
    inputs = inputs_for(ew.Box.unit(3), Strategy("s", EmptyBall(), lengthscale="fitted"), k=2, pending=2)
    n = len(inputs.y)

    def mean(A):
        return posterior(inputs.kernel, inputs.Z[:n], inputs.y, inputs.noise_var[:n], A)[0]

    slope, bend = differences(mean, inputs.P)
    everywhere = [square.mean() for square in differences(mean, inputs.U[:384])]
    weights = 0.3 + 0.5 * slope / everywhere[0] + 0.5 * bend / everywhere[1]
    nearest = [np.linalg.norm(inputs.Z - p, axis=1).min() for p in inputs.P]
    state = EmptyBall().begin(inputs)
    np.testing.assert_allclose(state.score(), weights * np.array(nearest) ** 5, rtol=2e-3)
    variance = posterior(inputs.kernel, inputs.Z, np.zeros((n + 2, 1)), inputs.noise_var, inputs.P)[1]
    assert state.variance_at(7) == pytest.approx(variance[7, 7], rel=1e-7)


def test_on_a_sphere_curvature_is_along_the_sphere() -> None:
    sphere = ew.Sphere(2)
    inputs = inputs_for(sphere, Strategy("s", EmptyBall(), lengthscale="fitted"))
    gp = AcquisitionGP.fit(inputs.kernel, inputs.Z, inputs.y, inputs.noise_var)
    slope, bend = variation(gp, sphere, inputs.P[:20])
    for i, z in enumerate(inputs.P[:20]):
        basis = np.linalg.svd(z[None])[2][1:]  # two tangents
        h, along = 1e-3, []
        for angle in np.linspace(0, np.pi, 8, endpoint=False):
            t = np.cos(angle) * basis[0] + np.sin(angle) * basis[1]
            circle = np.array([np.cos(s) * z + np.sin(s) * t for s in (-h, 0, h)])
            behind, here, ahead = gp.mean(circle)[:, 0]
            along.append([((ahead - behind) / (2 * h)) ** 2, (ahead - 2 * here + behind) / h**2])
        squares, seconds = np.array(along).T
        assert slope[i] == pytest.approx(2 * squares.mean(), rel=1e-3)
        # For a symmetric 2 x 2 matrix: |H|^2 = 4 mean (t'Ht)^2 - 2 (mean t'Ht)^2.
        assert bend[i] == pytest.approx(4 * np.mean(seconds**2) - 2 * seconds.mean() ** 2, rel=1e-2)


def test_without_variation_the_gp_one_is_farthest_point_sampling() -> None:
    box = ew.Box.unit(2)
    x = box.sample(12, stream(0, DESIGN))
    flat = ew.suggest(box, x, np.full(12, 3.0), n=4, strategy="lookahead-gp", noise=0.01)
    np.testing.assert_array_equal(
        flat.points, ew.suggest(box, x, np.full(12, 3.0), n=4, strategy="fps", noise=0.01).points
    )
    for pending in (None, x[:3]):
        blind = [
            ew.suggest(box, [], [], n=4, strategy=name, pending=pending, noise=0.01).points
            for name in ("lookahead-gp", "fps")
        ]
        np.testing.assert_array_equal(*blind)


def test_more_points_want_more_probes_and_a_resumed_run_has_them_too() -> None:
    assert [probes_wanted(n, 128) for n in (1, 2, 20, 32, 33, 100)] == [128, 256, 4096, 4096, 8192, 8192]
    box = ew.Box.unit(2)
    x = box.sample(30, stream(0, DESIGN))
    configuration, cache = prepare(box, "lookahead-nn", 0, response_scale=np.array([0.7])), None
    for _ in range(5):  # 32 to 33 is among them
        measurements = Measurements.of(box, x, np.sin(8 * x.sum(axis=1)), 0.05)
        known, cache = choose(configuration, measurements, 1, cache)
        np.testing.assert_array_equal(known.points, choose(configuration, measurements, 1)[0].points)
        x = np.vstack([x, known.points])


@pytest.mark.parametrize("name", ["lookahead-nn", "lookahead-gp"])
@pytest.mark.parametrize("domain", [ew.Box.unit(2), ew.Sphere(2)], ids=["box", "sphere"])
def test_adding_a_point_equals_starting_with_it(name: str, domain: ew.Domain) -> None:
    strategy = find(name)
    with_two = inputs_for(domain, strategy, pending=2)
    without = inputs_for(domain, strategy, pending=0)
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
    configuration = prepare(box, "lookahead-gp", 0, response_scale=np.array([0.7]))
    kernels = []
    for n in (32, 33):
        measurements = Measurements.of(box, x[:n], y[:n], 0.05)
        kernels.append(Round(configuration, measurements).kernel)
    assert kernels[0].ell == pytest.approx(kernels[1].ell, rel=1e-6)
    first = y[:32] - y[:32].mean()
    direct = refit_lengthscale(
        box, x[:32], first[:, None] / 0.7, np.full(32, (0.05 / 0.7) ** 2), configuration.lengthscale
    )
    assert isinstance(kernels[0], Matern52)
    assert kernels[0].ell == pytest.approx(direct, rel=1e-6)


def test_memory_saves_the_fit_and_changes_nothing() -> None:
    box = ew.Box.unit(2)
    x = box.sample(40, stream(0, DESIGN))
    configuration, cache, alone = prepare(box, "lookahead-gp", 0, response_scale=np.array([0.7])), None, x
    for _ in range(6):
        measurements = Measurements.of(box, x, np.sin(8 * x.sum(axis=1)), 0.05)
        known, cache = choose(configuration, measurements, 1, cache)
        np.testing.assert_array_equal(known.points, choose(configuration, measurements, 1)[0].points)
        x = np.vstack([x, known.points])
    assert len(x) == len(alone) + 6
