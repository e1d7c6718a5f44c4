"""Peers as arms: what they compute is what they are called, and they keep the laws of an arm.

The packages live in an environment of their own (``make test-peers``), where a missing one is a
failure; elsewhere their tests are skipped.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from equiwarp.bench.arms import PEER_ARMS, find_arm
from equiwarp.bench.cases.registry import find_case
from equiwarp.bench.cases.replay import PEER, replay
from equiwarp.bench.cell import Job, compute
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.peers.botorch_mixed import coded
from equiwarp.bench.peers.gpcam import SlopeTimesDeviation
from equiwarp.bench.peers.oracle import OracleStepper
from equiwarp.bench.peers.packages import load_package
from equiwarp.bench.readouts.average_map import average_error
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.geometry.warp import Identity
from equiwarp.gp.kernels import Matern52
from equiwarp.maps.map import build_map
from equiwarp.models.covariance import LEVEL_VARIANCE
from equiwarp.strategy import RoundInputs

PACKAGE = {
    "lola": "openturns",
    "learner-nd": "adaptive",
    "botorch-std": "botorch",
    "botorch-nipv": "botorch",
}
#: Those for categories.
FOR_CATEGORIES = {"botorch-mixed": "botorch", "baybe": "baybe"}


def peer(name: str):
    """A test parameter that is skipped where the package is absent, unless it has to be there."""
    package = {**PACKAGE, **FOR_CATEGORIES}[name]
    absent = find_spec(package) is None and not os.environ.get("EQUIWARP_PEERS")
    reason = f"{package} is not installed: make test-peers"
    return pytest.param(name, marks=pytest.mark.skipif(absent, reason=reason))


PACKAGED = [peer(name) for name in PACKAGE]


def test_every_peer_is_an_arm_and_is_found_without_its_package():
    ours = {"oracle", "oracle-map", "gpcam-gradient", "vigf", "guess", "imspe", "qb-mgp"}
    variants = {"equiwarp-colatitude", "sobol-own", "sobol-normal"}
    variants |= {f"kumaraswamy-rate-{rate}" for rate in ("0.002", "0.005", "0.01", "0.02", "0.05")}
    assert set(PACKAGE) | set(FOR_CATEGORIES) | ours | variants == set(PEER_ARMS)
    assert [find_arm(name).name for name in PEER_ARMS] == list(PEER_ARMS)


def test_an_absent_package_is_named_with_its_remedy():
    with pytest.raises(ValueError, match=r"'lola' needs no_such_package: pip install 'equiwarp\[peers\]'"):
        load_package("no_such_package", "lola")


@pytest.mark.parametrize("name", PACKAGE)
def test_boxes_only(name):
    assert find_arm(name).objection(find_benchmark("levy-2d")) is None
    assert "boxes" in find_arm(name).objection(find_benchmark("cap-s2"))


# The oracle


def error_on_probes(stepper: OracleStepper, x):
    """Summed squared 1-NN error, every distance computed."""
    to_x = np.linalg.norm(stepper.Q[:, None] - stepper.domain.embed(x)[None], axis=2)
    return np.sum((stepper.f_probe - stepper.f(x)[to_x.argmin(axis=1)]) ** 2)


@pytest.mark.parametrize("benchmark", ["gramacy-lee-2d", "hartmann-3d", "cap-s2"])
def test_the_oracle_knows_what_each_point_takes_off_the_error(benchmark):
    seeded = SeededBenchmark(find_benchmark(benchmark), 0)
    stepper = find_arm("oracle").start(seeded)
    x = seeded.start
    stepper.gains(x[:-3])  # listed early and thinned out, as in a run
    gain, before = stepper.gains(x), error_on_probes(stepper, x)
    rows = np.r_[:12, np.argmax(gain)]
    expected = [before - error_on_probes(stepper, np.vstack([x, seeded.pool[i]])) for i in rows]
    np.testing.assert_allclose(gain[rows], expected, rtol=1e-9, atol=1e-9 * before)


def test_the_oracle_is_far_ahead_of_fps():
    oracle, fps = (compute(Job("gramacy-lee-2d", arm, 0, 30)) for arm in ("oracle", "fps"))
    assert oracle.error_1nn[1:].sum() < 0.5 * fps.error_1nn[1:].sum()


def test_the_oracle_does_not_repeat_a_point_that_is_of_no_use():
    seeded = SeededBenchmark(find_benchmark("gramacy-lee-2d"), 0)
    stepper = find_arm("oracle").start(seeded)
    x = seeded.pool[:-1]
    np.testing.assert_array_equal(stepper.next(x, np.zeros(len(x))), seeded.pool[-1])


# The score known from gpCAM


def inputs_of(seeded: SeededBenchmark, n: int) -> RoundInputs:
    """The first n points of the start, as the paper's acquisition GP sees them."""
    x, domain = seeded.start[:n], seeded.benchmark.domain
    y = seeded.measure(seeded.start)[:n]
    noise = seeded.noise / seeded.deviation
    return RoundInputs(
        domain=domain,
        kernel=Matern52(domain.spacing(seeded.benchmark.n0)),
        warp=Identity(domain),
        x=x,
        noise_var=np.full(n, noise**2),
        typical_noise=noise,
        each_noise_var=np.full((n, 1), noise**2),
        typical_noises=np.array([noise]),
        pool=seeded.pool[:20],
        targets=seeded.pool[:1],
        probes=seeded.pool[:1],
        y=(y - y.mean())[:, None] / seeded.deviation,
        varying=(y - y.mean())[:, None] / seeded.deviation,
        fixed_geometry=True,
    )


def dense_gradient_score(inputs: RoundInputs):
    """|grad mu| sigma by differences of a mean that is solved for in one go."""

    def kernel(A, B):
        s = np.sqrt(5) * np.linalg.norm(A[:, None] - B[None], axis=2) / inputs.kernel.ell
        return (1 + s + s**2 / 3) * np.exp(-s)

    K = kernel(inputs.Z, inputs.Z) + np.diag(inputs.noise_var)
    alpha = np.linalg.solve(K, inputs.y[:, 0])
    P, h = inputs.P, 1e-5
    steps = h * np.eye(P.shape[1])
    columns = [(kernel(P + s, inputs.Z) - kernel(P - s, inputs.Z)) @ alpha / (2 * h) for s in steps]
    slope = inputs.domain.tangent(P, np.column_stack(columns))
    k = kernel(P, inputs.Z)
    variance = 1 - np.einsum("ij,ji->i", k, np.linalg.solve(K, k.T))
    return np.linalg.norm(slope, axis=1) * np.sqrt(variance)


@pytest.mark.parametrize("benchmark", ["levy-2d", "cap-s2"])
def test_gradient_score_is_slope_times_deviation_of_a_dense_posterior(benchmark):
    seeded = SeededBenchmark(find_benchmark(benchmark), 1)
    inputs = inputs_of(seeded, 20)
    expected = dense_gradient_score(inputs)
    np.testing.assert_allclose(SlopeTimesDeviation().begin(inputs).score(), expected, rtol=1e-5, atol=1e-8)
    grown = SlopeTimesDeviation().begin(inputs_of(seeded, 18))
    for z in inputs.Z[18:]:
        grown = grown.add(z)
    np.testing.assert_allclose(grown.refresh(inputs).score(), expected, rtol=1e-5, atol=1e-8)


# Published criteria on our plain model, against dense algebra


def dense(model, Z, y, noise, A):
    """Mean and covariance function of a Matern-5/2 around an unknown level, as a model was fitted."""
    t, level = model.posterior_.t, model.scale_**2 * LEVEL_VARIANCE
    variance, ell = (model.scale_ * np.exp(t[0])) ** 2, np.exp(t[1:])

    def kernel(P, Q):
        s = np.sqrt(5) * np.linalg.norm((P[:, None] - Q[None]) / ell, axis=2)
        return variance * (1 + s + s**2 / 3) * np.exp(-s) + level

    K = kernel(Z, Z) + noise**2 * np.eye(len(Z))
    alpha = np.linalg.solve(K, y - model.center_)

    def mean(P):
        return model.center_ + kernel(P, Z) @ alpha

    def covariance(P, Q):
        return kernel(P, Q) - kernel(P, Z) @ np.linalg.solve(K, kernel(Z, Q))

    return mean, covariance


@pytest.fixture(scope="module")
def peaks():
    seeded = SeededBenchmark(find_benchmark("peaks-2d"), 1)
    x = np.vstack([seeded.start, seeded.pool[:3]])
    return seeded, x, seeded.replay(x)


def test_vigf_and_guess_are_their_formulas(peaks):
    seeded, x, y = peaks
    P = seeded.pool
    for name in ("vigf", "guess"):
        stepper = find_arm(name).start(seeded)
        score, _ = stepper.scores(x, y, len(x))
        assert stepper.fitted[0] == 22  # of 23 values, on the schedule
        model = stepper.model(x, y, len(x))
        mean, covariance = dense(model, x, y, seeded.noise, P)
        for i in (0, 50, 400):
            p, near = P[i : i + 1], int(np.argmin(np.linalg.norm(x - P[i], axis=1)))
            mu, s2 = mean(p)[0], covariance(p, p)[0, 0]
            if name == "vigf":
                expected = s2 * (4 * (mu - y[near]) ** 2 + 2 * s2)
            else:
                z, h = x[near : near + 1], 1e-4
                slope = [(mean(z + e)[0] - mean(z - e)[0]) / (2 * h) for e in h * np.eye(2)]
                tangent = y[near] + np.array(slope) @ (P[i] - x[near])
                expected = np.sqrt(s2) / model.scale_ * (abs(mu - tangent) / model.scale_ + 1)
            assert score[i] == pytest.approx(expected, rel=1e-4)


def test_imspe_is_the_drop_of_the_mean_variance_and_may_repeat_a_place(peaks):
    seeded, x, y = peaks
    stepper = find_arm("imspe").start(seeded)
    score, _ = stepper.scores(x, y, len(x))
    candidates = stepper.candidates(x)
    np.testing.assert_array_equal(candidates[len(seeded.pool) :], seeded.start)
    model, U = stepper.model(x, y, len(x)), stepper.U
    _, covariance = dense(model, x, y, seeded.noise, U)
    before = np.mean(np.diag(covariance(U, U)))
    for i in (5, 3000, len(seeded.pool) + 4):  # the last one a replicate
        more = np.vstack([x, candidates[i]])
        _, after = dense(model, more, np.zeros(len(more)), seeded.noise, U)
        assert score[i] == pytest.approx(before - np.mean(np.diag(after(U, U))), rel=1e-6)
    stepper.configuration = replace(stepper.configuration, pool=x[:1])  # nothing new is left
    stepper.P = x[:1]
    assert stepper.next(x, y).tolist() in x.tolist()


def test_qb_mgp_is_the_variance_of_a_mixture(peaks):
    seeded, x, y = peaks
    stepper = find_arm("qb-mgp").start(seeded)
    score, mean = stepper.scores(x, y, len(x))
    values, noise = (y - y.mean()) / y.std(), seeded.noise / y.std()
    logs, means, variances = [], [], []
    for length in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6):
        ell = length * np.sqrt(2)

        def kernel(A, B, ell=ell):
            s = np.sqrt(5) * np.linalg.norm(A[:, None] - B[None], axis=2) / ell
            return (1 + s + s**2 / 3) * np.exp(-s)

        K = kernel(x, x) + noise**2 * np.eye(len(x))
        k = kernel(seeded.pool[:9], x)
        means.append(k @ np.linalg.solve(K, values))
        variances.append(1 - np.einsum("ij,ji->i", k, np.linalg.solve(K, k.T)))
        prior = -np.log(ell) - (np.log(ell) - np.sqrt(2) - np.log(2) / 2) ** 2 / 6
        logs.append(-0.5 * values @ np.linalg.solve(K, values) - 0.5 * np.linalg.slogdet(K)[1] + prior)
    p = np.exp(np.array(logs) - max(logs))
    p /= p.sum()
    mixed = p @ np.array(means)
    expected = p @ np.array(variances) + p @ (np.array(means) - mixed) ** 2
    np.testing.assert_allclose(score[:9], expected, rtol=1e-6)
    np.testing.assert_allclose(mean[:9], y.mean() + y.std() * mixed, rtol=1e-6)
    assert p.max() < 1  # more than one lengthscale counts


# The oracle under the averaged map


def test_the_maps_oracle_knows_what_each_point_takes_off_the_error(peaks):
    seeded, x, y = peaks
    stepper = find_arm("oracle-map").start(seeded)
    stepper.gains(x[:22], y[:22])
    gain = stepper.gains(x, y)  # one value taken in since the fit
    fitted = build_map(seeded.benchmark.domain, x[:22], y[:22], seeded.noise).models[0]
    domain, f, noise = seeded.benchmark.domain, seeded.benchmark, seeded.noise
    U, truth = stepper.U, stepper.f_target

    def missed(points, values):
        noises = np.full(len(points), noise)
        means = [m.conditioned_on(domain, points, values, noises).predict(U) for m in fitted.members]
        return np.sum((truth - fitted.weights @ np.array(means)) ** 2)

    before = missed(x, y)
    for i in (7, 900, int(np.argmax(gain))):
        point = seeded.pool[i : i + 1]
        expected = before - missed(np.vstack([x, point]), np.append(y, f(point)))
        assert gain[i] == pytest.approx(expected, rel=1e-6, abs=1e-9 * before)
    assert gain.max() > 0
    assert len(fitted.members) > 1


def test_the_maps_oracle_is_ahead_of_fps_and_can_be_resumed():
    job = Job("gramacy-lee-2d", "oracle-map", 0, 5)
    whole, fps = compute(job), compute(replace(job, arm="fps"))
    oracle, plain = (average_error(cell.spec, cell.x, cell.y) for cell in (whole, fps))
    assert oracle < 0.8 * plain
    stepper = find_arm("oracle-map").start(whole.seeded)
    np.testing.assert_array_equal(stepper.next(whole.x[:-1], whole.y[:-1]), whole.x[-1])


@pytest.mark.parametrize("name", ["vigf", "guess", "imspe", "qb-mgp"])
def test_published_criteria_go_on_as_if_nothing_had_happened(name):
    whole = compute(Job("cap-s2", name, 1, 5))
    extended = compute(Job("cap-s2", name, 1, 5), compute(Job("cap-s2", name, 1, 2)))
    np.testing.assert_array_equal(extended.x, whole.x)


# Laws of an arm, with the packages


@pytest.mark.parametrize("name", PACKAGED)
def test_a_resumed_peer_goes_on_as_if_nothing_had_happened(name):
    whole = compute(Job("hartmann-3d", name, 1, 5))
    extended = compute(Job("hartmann-3d", name, 1, 5), compute(Job("hartmann-3d", name, 1, 3)))
    np.testing.assert_array_equal(extended.x, whole.x)
    assert np.all((whole.x >= 0) & (whole.x <= 1))
    assert len(np.unique(whole.x, axis=0)) == len(whole.x)


@pytest.mark.parametrize("name", [peer("lola"), peer("learner-nd")])
def test_a_peer_with_a_memory_uses_the_values_and_answers_twice_alike(name):
    seeded = SeededBenchmark(find_benchmark("smooth-box-2d"), 0)
    x, y = seeded.start, seeded.measure(seeded.start)
    stepper = find_arm(name).start(seeded)
    np.testing.assert_array_equal(stepper.next(x, y), stepper.next(x, y))
    paths = [compute(Job(b, name, 0, 12)).x for b in ("smooth-box-2d", "gramacy-lee-2d")]
    assert not np.array_equal(*paths)


@pytest.mark.parametrize("name", [peer("botorch-std"), peer("botorch-nipv")])
def test_botorch_chooses_from_the_pool(name):
    cell = compute(Job("levy-2d", name, 0, 3))
    pool = {row.tobytes() for row in cell.seeded.pool}
    assert all(row.tobytes() in pool for row in cell.x[cell.n0 :])


@pytest.mark.parametrize("name", [peer("botorch-nipv")])
def test_the_ranking_formula_is_botorchs_integrated_variance(name):
    seeded = SeededBenchmark(find_benchmark("levy-2d"), 0)
    stepper = find_arm(name).start(seeded)
    x = seeded.pool[:33]  # one more than the hyperparameters rest on
    with stepper.torch.no_grad():
        model = stepper.model(x, seeded.measure(x))
        rows = np.arange(40, 46)
        theirs, ours = stepper.integrated(model, rows), stepper.reduction(model)[rows]
    assert stepper.fitted[0] == 32
    # The integrated variance before the measurement is a constant that the formula leaves out.
    np.testing.assert_allclose(theirs - theirs[0], ours - ours[0], rtol=1e-4, atol=1e-9 * seeded.deviation**2)
    assert np.ptp(ours) > 1e-6 * seeded.deviation**2


@pytest.mark.parametrize("arm", [peer(PEER)])
def test_botorch_chooses_rows_of_a_list_and_none_twice(arm):
    from equiwarp.bench.cases.botorch_list import BotorchList
    from equiwarp.engine.measurements import Measurements

    case = find_case("yacht")
    x = case.domain.points[::40]
    known = Measurements(case.domain, x, case.truth[::40], None, case.domain.points[5:6])
    points = BotorchList(case.domain, 0)(known, 3)
    rows = case.domain.nearest(points).tolist()
    assert np.array_equal(case.domain.points[rows], points)
    assert len(set(rows) | {5, *range(0, len(case.domain), 40)}) == 3 + 1 + len(x)
    assert [r.points for r in replay(case, arm, 0, (12, 16))] == [12, 16]


@pytest.mark.parametrize("name", [peer(name) for name in FOR_CATEGORIES])
def test_a_peer_for_categories_chooses_from_the_pool_and_can_be_resumed(name):
    seeded = SeededBenchmark(find_benchmark("solvents-mixed"), 0)
    x = seeded.start
    y = seeded.measure(x)
    stepper = find_arm(name).start(seeded)
    points = []
    for _ in range(2):
        point = stepper.next(x, y)
        assert point.tolist() in seeded.pool.tolist()
        assert point.tolist() not in x.tolist()
        fresh = find_arm(name).start(seeded).next(x, y)
        np.testing.assert_array_equal(fresh, point)
        points.append(point)
        x, y = np.vstack([x, point]), np.append(y, seeded.measure(point[None], len(x)))
    assert points[0].tolist() != points[1].tolist()


def test_the_mixed_gp_is_for_categories():
    arm = find_arm("botorch-mixed")
    assert "no category" in arm.objection(find_benchmark("peaks-2d"))
    assert "boxes only" in arm.objection(find_benchmark("cap-s2"))
    assert arm.objection(find_benchmark("pump-periodic")) is None


def test_categories_are_coded_by_number_and_all_else_on_the_unit_cube():
    domain = find_benchmark("pump-periodic").domain
    coded_points = coded(domain, np.array([[90.0, 0.5, 1.0], [360.0, 0.0, 0.0]]))
    np.testing.assert_allclose(coded_points[0], [0.25, 0.5, 1.0])
    np.testing.assert_allclose(coded_points[1, 1:], [0.0, 0.0])
