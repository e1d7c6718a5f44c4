"""BoTorch: scores equal to the core's, gradients, batches, pending points, and the warp."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from botorch.acquisition.input_constructors import get_acqf_input_constructor
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.exceptions.errors import UnsupportedError
from botorch.models import SingleTaskGP
from botorch.models.ensemble import EnsembleModel
from botorch.models.map_saas import EnsembleMapSaasSingleTaskGP
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.posteriors.ensemble import EnsemblePosterior
from gpytorch.kernels import MaternKernel
from gpytorch.means import ZeroMean

import equiwarp as ew
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.geometry.density import gradient_norm, target_density
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.transport import Transport
from equiwarp.geometry.warp import Identity
from equiwarp.geometry.warp import ReconstructionWarp as CoreWarp
from equiwarp.gp import AcquisitionGP, Field
from equiwarp.gp.kernels import Matern52
from equiwarp.integrations.botorch import EqualizedVariance, ReconstructionWarpTransform
from equiwarp.integrations.torch_geometry import TorchEqualizer, TorchTransport

BOUNDS = torch.tensor([[20.0, 3.0], [90.0, 9.0]], dtype=torch.float64)
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
NOISE = 0.05


def response(x: np.ndarray) -> np.ndarray:
    u = BOX.to_cube(x)
    return np.exp(-30 * ((u[:, 0] - 0.3) ** 2 + (u[:, 1] - 0.6) ** 2)) + 0.3 * u[:, 0]


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = BOX.sample(20, np.random.default_rng(4))
    return x, response(x), BOX.sample(3, np.random.default_rng(5))


def gp(x: np.ndarray, values, ell: float, transform=None) -> SingleTaskGP:
    """The core's acquisition GP as a BoTorch model on the unit cube."""
    kernel = MaternKernel(nu=2.5)
    kernel.lengthscale = ell
    model = SingleTaskGP(
        torch.as_tensor(BOX.to_cube(x)),
        torch.as_tensor(values.y),
        torch.as_tensor(values.noise_var)[:, None],
        mean_module=ZeroMean(),
        covar_module=kernel,
        outcome_transform=None,
        input_transform=transform,
    )
    return model.double().eval()


UNIT = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 20, 33, 513, 5000])
def test_g_is_the_core_s(dim: int, n: int) -> None:
    pool = np.concatenate([np.random.default_rng(dim).random((200, dim)), [[0.0] * dim, [1.0] * dim]])
    ours = Equalizer(ew.Box.unit(dim), Matern52(0.3), 0.05, pool)(n)
    theirs = TorchEqualizer(dim, 0.3, 0.05)(torch.as_tensor(pool), n)
    assert np.abs(theirs.numpy() - ours).max() < 1e-12
    assert ours.min() < 0.96  # otherwise nothing was compared


def test_g_is_the_core_s_in_many_dimensions() -> None:
    """Beyond eight dimensions there is no table: both measure in the same designs, up to their noise."""
    dim, n = 12, 60
    pool = ew.Box.unit(dim).sample(4096, np.random.default_rng(0))
    pool[:100, :6] = np.round(pool[:100, :6])  # on faces and edges, where g is small
    ours = Equalizer(ew.Box.unit(dim), Matern52(0.8), 0.05, pool)(n)
    equalizer = TorchEqualizer(dim, 0.8, 0.05)
    u = torch.as_tensor(pool).requires_grad_(True)
    theirs = equalizer(u, n)
    assert np.abs(np.log(theirs.detach().numpy() / ours)).max() < 0.1
    assert np.corrcoef(theirs.detach().numpy(), ours)[0, 1] > 0.95
    assert ours.min() < 0.7
    (gradient,) = torch.autograd.grad(theirs.sum(), u)
    assert bool(gradient.isfinite().all())
    step = torch.zeros_like(u)
    step[:, 3] = 1e-6
    with torch.no_grad():
        slope = (equalizer(u + step, n) - equalizer(u - step, n)) / 2e-6
    inside = (theirs < 0.999).detach()
    assert torch.allclose(slope[inside], gradient[inside, 3], atol=1e-5)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_transport_is_the_core_s_in_both_directions(dim: int) -> None:
    rng = np.random.default_rng(dim)
    probes = ew.Box.unit(dim).sample(4096, rng)
    transport = Transport.of(probes, 1 + 20 * np.exp(-20 * np.sum((probes - 0.3) ** 2, axis=1)))
    u = rng.random((500, dim))
    image = TorchTransport(transport)(torch.as_tensor(u))
    assert np.abs(image.numpy() - transport(u)).max() < 1e-12
    back = TorchTransport(transport).inverse(image)
    assert np.abs(back.numpy() - transport.inverse(transport(u))).max() < 1e-10
    assert np.abs(back.numpy() - u).max() < 1e-8
    assert np.abs(image.numpy() - u).max() > 0.05  # not the identity


def core_warp(configuration, measurements, values, kernel):
    posterior = AcquisitionGP.fit(kernel, BOX.embed(measurements.x), values.y, values.noise_var)
    gradient = posterior.mean_gradient(BOX.embed(configuration.probes))
    return CoreWarp.of(BOX, configuration.probes, target_density(gradient_norm(gradient), BOX.dim))


def core_scores(configuration, measurements, values, kernel, warp):
    """g(x; N) s^2(x) at the pool, put together from the core's parts."""
    known = warp(np.concatenate([measurements.x, measurements.pending]))
    noise_var = np.append(values.noise_var, np.full(len(measurements.pending), values.typical_noise**2))
    field = Field.of(kernel, warp(configuration.pool), known, noise_var)
    return Equalizer(BOX, kernel, values.typical_noise, configuration.pool)(len(known)) * field.variance


@pytest.mark.parametrize("strategy", ["equalized", "equiwarp"])
def test_scores_equal_the_core_s(data, strategy: str) -> None:
    """g(x) s^2(x) at the whole pool, with pending points, to 1e-8; the warp rebuilt from the model."""
    x, y, pending = data
    configuration = prepare(BOX, strategy, seed=0)
    measurements = Measurements.of(BOX, x, y, NOISE, pending)
    values = measurements.standardise(configuration.lengthscale)
    kernel = Matern52(configuration.lengthscale)
    warp = core_warp(configuration, measurements, values, kernel) if strategy == "equiwarp" else Identity(BOX)
    ours = core_scores(configuration, measurements, values, kernel, warp)

    model = gp(x, values, kernel.ell)
    if strategy == "equiwarp":
        model = gp(x, values, kernel.ell, ReconstructionWarpTransform.from_model(model, UNIT, seed=0))
    acqf = EqualizedVariance(
        model,
        UNIT,
        lengthscale=kernel.ell,
        noise=values.typical_noise,
        relative_noise=values.typical_noise,
        X_pending=torch.as_tensor(BOX.to_cube(pending)),
    )
    pool = torch.as_tensor(BOX.to_cube(configuration.pool))
    with torch.no_grad():
        theirs = torch.cat([acqf(part[:, None]) for part in pool.split(512)]).numpy()
    assert np.abs(theirs - ours).max() < 1e-8
    suggestion = ew.suggest(BOX, x, y, 1, strategy, noise=NOISE, pending=pending, seed=0)
    assert np.allclose(configuration.pool[theirs.argmax()], suggestion.points[0])
    assert theirs.max() == pytest.approx(suggestion.explain[0].score, abs=1e-8)


def test_a_joint_batch_is_worth_what_a_greedy_choice_collects(data) -> None:
    x, y, _ = data
    configuration = prepare(BOX, "equalized", seed=0)
    suggestion = ew.suggest(BOX, x, y, 3, "equalized", noise=NOISE, seed=0)
    values = Measurements.of(BOX, x, y, NOISE).standardise(configuration.lengthscale)
    acqf = EqualizedVariance(
        gp(x, values, configuration.lengthscale),
        UNIT,
        lengthscale=configuration.lengthscale,
        noise=values.typical_noise,
        relative_noise=values.typical_noise,
    )
    batch = torch.as_tensor(BOX.to_cube(suggestion.points))
    assert float(acqf(batch)) == pytest.approx(sum(e.score for e in suggestion.explain), abs=1e-8)


def fitted(data) -> SingleTaskGP:
    x, y, _ = data
    return SingleTaskGP(
        torch.as_tensor(x), torch.as_tensor(y)[:, None], input_transform=Normalize(2, bounds=BOUNDS)
    ).eval()


def test_gradients_are_those_of_finite_differences(data) -> None:
    acqf = EqualizedVariance(fitted(data), BOUNDS)
    generator = torch.Generator().manual_seed(0)
    X = BOUNDS[0] + (BOUNDS[1] - BOUNDS[0]) * torch.rand(6, 2, 2, dtype=torch.float64, generator=generator)
    X.requires_grad_(True)
    gradient = torch.autograd.grad(acqf(X).sum(), X)[0]
    h = 1e-5 * (BOUNDS[1] - BOUNDS[0])
    for axis in range(2):
        shift = torch.zeros(2, dtype=torch.float64)
        shift[axis] = h[axis]
        with torch.no_grad():
            for point in range(2):
                step = torch.zeros(2, 2, dtype=torch.float64)
                step[point] = shift
                slope = (acqf(X + step) - acqf(X - step)) / (2 * h[axis])
                assert torch.allclose(gradient[:, point, axis], slope, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("sequential", [True, False])
def test_optimize_acqf_finds_more_than_the_pool_has(data, sequential: bool) -> None:
    acqf = EqualizedVariance(fitted(data), BOUNDS)
    torch.manual_seed(0)
    candidates, _ = optimize_acqf(
        acqf, BOUNDS, q=3, num_restarts=10, raw_samples=512, sequential=sequential, options={"maxiter": 100}
    )
    assert candidates.shape == (3, 2)
    assert torch.all(candidates >= BOUNDS[0])
    assert torch.all(candidates <= BOUNDS[1])
    u = (candidates - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])
    assert torch.pdist(u).min() > 0.1
    acqf.set_X_pending(None)
    total = float(acqf(candidates))
    random = BOUNDS[0] + (BOUNDS[1] - BOUNDS[0]) * torch.rand(256, 3, 2, dtype=torch.float64)
    with torch.no_grad():
        assert total > float(acqf(random).max())


def test_the_equalizer_moves_the_choice_off_the_boundary(data) -> None:
    """Plain variance of the same model peaks on the boundary, the equalized one does not."""
    model = fitted(data)
    grid = torch.cartesian_prod(*(torch.linspace(0, 1, 41, dtype=torch.float64),) * 2)
    X = (BOUNDS[0] + grid * (BOUNDS[1] - BOUNDS[0]))[:, None]
    with torch.no_grad():
        plain = grid[model.posterior(X).variance.ravel().argmax()]
        equalized = grid[EqualizedVariance(model, BOUNDS)(X).argmax()]
    assert float(torch.minimum(plain, 1 - plain).min()) == 0.0
    assert float(torch.minimum(equalized, 1 - equalized).min()) > 0.02


def test_a_pending_point_is_avoided(data) -> None:
    acqf = EqualizedVariance(fitted(data), BOUNDS)
    X = torch.tensor([[[33.0, 4.4]]], dtype=torch.float64)
    before = float(acqf(X))
    acqf.set_X_pending(X[0])
    assert float(acqf(X)) < 0.6 * before  # the fitted noise is about as large as what is unknown here


def test_lengthscale_is_the_model_s_in_the_unit_cube(data) -> None:
    x, y, _ = data
    raw, normal = (MaternKernel(nu=2.5, ard_num_dims=2).double() for _ in range(2))
    raw.lengthscale = torch.tensor([0.4 * 70, 0.1 * 6], dtype=torch.float64)
    normal.lengthscale = torch.tensor([0.4, 0.1], dtype=torch.float64)
    X, Y = torch.as_tensor(x), torch.as_tensor(y)[:, None]
    models = [
        SingleTaskGP(X, Y, covar_module=normal, input_transform=Normalize(2, bounds=BOUNDS)),
        SingleTaskGP(X / 10, Y, covar_module=raw),
    ]
    found = [
        EqualizedVariance(m, b).equalizer.lengthscale
        for m, b in zip(models, (BOUNDS, BOUNDS / 10), strict=True)
    ]
    assert found[0] == pytest.approx(0.2, rel=0.06)
    assert found[1] == pytest.approx(2.0, rel=0.06)


def test_several_outputs_need_a_common_scale(data) -> None:
    x, y, _ = data
    both = torch.stack([torch.as_tensor(y), torch.as_tensor(-y)], dim=1)
    model = SingleTaskGP(torch.as_tensor(x), both, input_transform=Normalize(2, bounds=BOUNDS))
    with pytest.raises(UnsupportedError, match="posterior_transform"):
        EqualizedVariance(model, BOUNDS)
    weights = ScalarizedPosteriorTransform(torch.tensor([1.0, 0.5], dtype=torch.float64))
    acqf = EqualizedVariance(model, BOUNDS, posterior_transform=weights)
    assert acqf(torch.as_tensor(x)[:, None] + 0.1).shape == (20,)
    assert ReconstructionWarpTransform.from_model(model, BOUNDS)(torch.as_tensor(x)).shape == (20, 2)


class Quadratics(EnsembleModel):
    """Eight parabolas; what they disagree about is the variance."""

    num_outputs = 1

    def forward(self, X):
        shifts = torch.linspace(0.0, 1.0, 8, dtype=X.dtype)
        return ((X[..., None, :, :] - shifts[:, None, None]) ** 2).sum(dim=-1, keepdim=True)


def test_an_ensemble_without_a_gaussian_posterior() -> None:
    model = Quadratics()
    assert isinstance(model.posterior(UNIT), EnsemblePosterior)
    with pytest.raises(ValueError, match="design_size"):
        EqualizedVariance(model, UNIT, noise=0.1)
    acqf = EqualizedVariance(model, UNIT, noise=0.1, design_size=12)
    X = torch.rand(5, 1, 2, dtype=torch.float64)
    single = acqf(X)
    acqf.set_X_pending(X[0])
    assert acqf(X)[0] < single[0]
    assert acqf(X.expand(5, 3, 2)).shape == (5,)


def test_single_precision_models(data) -> None:
    x, y, _ = data
    double = fitted(data)
    single = SingleTaskGP(
        torch.as_tensor(x).float(),
        torch.as_tensor(y).float()[:, None],
        input_transform=Normalize(2, bounds=BOUNDS.float()),
    ).eval()
    X = torch.as_tensor(x)[:, None] + 0.3
    scores = EqualizedVariance(single, BOUNDS)(X.float())
    assert scores.dtype == torch.float32
    assert torch.allclose(scores.double(), EqualizedVariance(double, BOUNDS)(X), rtol=0.05, atol=1e-4)
    assert ReconstructionWarpTransform.from_model(single, BOUNDS)(X.float()).dtype == torch.float32


def test_an_ensemble_of_gaussian_processes_is_averaged(data) -> None:
    """Four GPs with lengthscales of their own; the score is the mean of their scores."""
    x, y, pending = data
    model = EnsembleMapSaasSingleTaskGP(
        torch.as_tensor(x),
        torch.as_tensor(y)[:, None],
        num_taus=4,
        input_transform=Normalize(2, bounds=BOUNDS),
    )
    kernel = model.covar_module.base_kernel
    kernel.lengthscale = torch.linspace(0.2, 0.6, 4, dtype=torch.float64)[:, None, None].expand(4, 1, 2)
    acqf = EqualizedVariance(model.eval(), BOUNDS)
    assert acqf.design_size == 20
    X = torch.as_tensor(x)[:5, None] + 0.3
    with torch.no_grad():
        variance = model.posterior(X).variance  # 5 x 4 x 1 x 1
        assert variance.std(dim=1).min() > 0
        low, high = BOUNDS
        g = acqf.equalizer(((X - low) / (high - low))[:, 0], 20)
        alone = acqf(X)
        assert torch.allclose(alone, g * variance.mean(dim=(-3, -2, -1)))
        acqf.set_X_pending(torch.as_tensor(pending))
        assert acqf(X)[4] < 0.7 * alone[4]  # next to a pending point
        assert acqf(X.expand(5, 3, 2)).shape == (5,)


def test_the_input_constructor_takes_bounds_of_both_kinds(data) -> None:
    construct = get_acqf_input_constructor(EqualizedVariance)
    model = fitted(data)
    for bounds in (BOUNDS, [(20.0, 90.0), (3.0, 9.0)]):
        acqf = EqualizedVariance(**construct(model=model, training_data=None, bounds=bounds))
        assert torch.equal(acqf.bounds, BOUNDS)


def test_wrong_bounds_are_named(data) -> None:
    with pytest.raises(ValueError, match="lower before upper"):
        EqualizedVariance(fitted(data), BOUNDS.flip(0))


def test_the_warp_is_a_reversible_transform(data) -> None:
    warp = ReconstructionWarpTransform.from_model(fitted(data), BOUNDS)
    X = torch.as_tensor(data[0])
    assert torch.allclose(warp.untransform(warp(X)), X, atol=1e-7)
    assert not torch.allclose(warp(X), X, atol=0.5)
    again = ReconstructionWarpTransform.from_model(fitted(data), BOUNDS)
    assert warp.equals(again)
    flipped = ReconstructionWarpTransform.from_model(fitted(data), BOUNDS, reverse=True)
    assert torch.allclose(flipped(X), warp.untransform(X))
    assert not warp.equals(flipped)
