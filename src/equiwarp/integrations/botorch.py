"""BoTorch: the equalized variance as an acquisition function, the warp as an input transform.

The plain recipe ``g(x) s^2(x)`` is :class:`EqualizedVariance` on any model. The full method gives
that function a model which looks through a :class:`ReconstructionWarpTransform`; the model that predicts is
left alone:

    warp = ReconstructionWarpTransform.from_model(model, bounds)
    acquisition_model = SingleTaskGP(train_X, train_Y, input_transform=warp)
    acqf = EqualizedVariance(acquisition_model, bounds)

References: the paper's eq:geo_equalizer, eq:warped_kernel and eq:target_density.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from botorch.acquisition.acquisition import AcquisitionFunction
from botorch.acquisition.input_constructors import acqf_input_constructor
from botorch.exceptions.errors import UnsupportedError
from botorch.models.transforms.input import ReversibleInputTransform
from botorch.utils.transforms import average_over_ensemble_models, match_batch_shape, t_batch_mode_transform
from gpytorch.settings import skip_posterior_variances
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch import Tensor

from equiwarp._util.seeds import PROBES, stream
from equiwarp.domains import Box
from equiwarp.engine.configuration import probe_count
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.density import target_density
from equiwarp.geometry.transport import Transport
from equiwarp.integrations.torch_geometry import TorchEqualizer, TorchTransport

#: Noise relative to the values' deviation where the model does not say; g hardly depends on it.
USUAL_NOISE = 0.05
#: Probes at which the posterior mean is differentiated at once.
CHUNK = 2048


class EqualizedVariance(AcquisitionFunction):
    """Posterior variance with its boundary bias divided out: ``g(x; N) s^2(x)``.

    For q > 1 the value is the sum of ``g(x_i; N + p + i) s^2(x_i | data, pending, x_1 ... x_(i-1))``:
    what a greedy choice in this order would have collected. Do not use it to optimise: it asks where
    the function is least known, not where it is best.

    Parameters
    ----------
    model : Model
        Any BoTorch model with one output, or with several and a ``posterior_transform``.
    bounds : 2 x d tensor
        The domain. g is the one of this box.
    lengthscale : float, optional
        Of the isotropic Matern-5/2 whose bias g describes, in the unit cube. By default the geometric
        mean of the model's own lengthscales, in steps of 10 %; without any, the spacing rule.
    noise : float, optional
        Standard deviation of a measurement yet to be made, in the units of the posterior; by default
        the model's. Pending points are conditioned on with it.
    relative_noise : float, optional
        The same over the values' deviation, for g alone; by default the model's.
    design_size : int, optional
        N, by default the number of the model's training points.
    posterior_transform : PosteriorTransform, optional
    X_pending : n x d tensor, optional
    """

    def __init__(
        self,
        model: Any,
        bounds: Tensor,
        *,
        lengthscale: float | None = None,
        noise: float | None = None,
        relative_noise: float | None = None,
        design_size: int | None = None,
        posterior_transform: Any = None,
        X_pending: Tensor | None = None,
    ) -> None:
        super().__init__(model)
        if model.num_outputs > 1 and posterior_transform is None:
            raise UnsupportedError(
                f"the model has {model.num_outputs} outputs and there is no common scale for their "
                "variances: pass a posterior_transform such as ScalarizedPosteriorTransform"
            )
        bounds = torch.as_tensor(bounds, dtype=torch.float64)
        if bounds.dim() != 2 or bounds.shape[0] != 2 or not bool((bounds[0] < bounds[1]).all()):
            raise InvalidInput(f"bounds must be 2 x d, lower before upper, got {bounds.tolist()}")
        self.register_buffer("bounds", bounds)
        self.posterior_transform = posterior_transform
        self.design_size = _design_size(model) if design_size is None else design_size
        self.noise_variance = (
            noise**2 if noise is not None else _noise(model, bounds, posterior_transform) ** 2
        )
        self.equalizer = TorchEqualizer(
            bounds.shape[1],
            _lengthscale(model, bounds) if lengthscale is None else lengthscale,
            _relative_noise(model) if relative_noise is None else relative_noise,
        )
        self.set_X_pending(X_pending)

    @t_batch_mode_transform()
    @average_over_ensemble_models
    def forward(self, X: Tensor) -> Tensor:
        """Score ``b`` of ``b x q x d`` candidates."""
        variance = self._variance(X)
        low, high = self.bounds.to(X)
        u = (X - low) / (high - low)
        known = self.design_size + (0 if self.X_pending is None else len(self.X_pending))
        g = torch.stack([self.equalizer(u[..., i, :], known + i) for i in range(X.shape[-2])], dim=-1)
        while g.dim() < variance.dim():  # an ensemble has one more dimension before q
            g = g.unsqueeze(-2)
        return (g * variance).sum(dim=-1)

    def _variance(self, X: Tensor) -> Tensor:
        """Variance of each point given the pending ones and those before it in its batch, ``b x q``."""
        q = X.shape[-2]
        if self.X_pending is not None:
            X = torch.cat([match_batch_shape(self.X_pending.to(X), X), X], dim=-2)
        posterior = self.model.posterior(X, posterior_transform=self.posterior_transform)
        if X.shape[-2] == 1:
            return posterior.variance[..., 0].clamp_min(0.0)
        covariance = _covariance(posterior)
        # The diagonal of the factor is the deviation of a noisy value given the noisy ones before it.
        noisy = covariance + self.noise_variance * torch.eye(X.shape[-2]).to(covariance)
        pivots = psd_safe_cholesky(noisy).diagonal(dim1=-2, dim2=-1)
        return (pivots[..., -q:] ** 2 - self.noise_variance).clamp_min(0.0)


@acqf_input_constructor(EqualizedVariance)
def construct_inputs_equalized_variance(
    model: Any,
    bounds: Any,
    posterior_transform: Any = None,
    X_pending: Tensor | None = None,
    lengthscale: float | None = None,
    noise: float | None = None,
) -> dict[str, Any]:
    """What Ax and BoTorch's factories need to build an :class:`EqualizedVariance` by its name."""
    box = torch.as_tensor(bounds, dtype=torch.float64)
    return {
        "model": model,
        # Ax hands over one pair per parameter, BoTorch one row per bound.
        "bounds": box if isinstance(bounds, Tensor) else box.T,
        "posterior_transform": posterior_transform,
        "X_pending": X_pending,
        "lengthscale": lengthscale,
        "noise": noise,
    }


class ReconstructionWarpTransform(ReversibleInputTransform):  # type: ignore[misc, unused-ignore]
    """The Knothe-Rosenblatt map of the reconstruction density, in the units of the box.

    A bijection of the box that stretches it where a posterior mean varies rapidly. Meant for the
    model behind an acquisition function; rebuild it when the data change. Do not predict through it.

    Parameters
    ----------
    transport : Transport
        On the unit cube.
    bounds : 2 x d tensor
    """

    def __init__(
        self,
        transport: Transport,
        bounds: Tensor,
        transform_on_train: bool = True,
        transform_on_eval: bool = True,
        transform_on_fantasize: bool = True,
        reverse: bool = False,
    ) -> None:
        super().__init__()
        self.transform_on_train = transform_on_train
        self.transform_on_eval = transform_on_eval
        self.transform_on_fantasize = transform_on_fantasize
        self.reverse = reverse
        self.register_buffer("bounds", torch.as_tensor(bounds, dtype=torch.float64))
        self.transport = TorchTransport(transport)

    @classmethod
    def from_model(
        cls, model: Any, bounds: Tensor, *, seed: int = 0, **flags: bool
    ) -> ReconstructionWarpTransform:
        """From the gradient of a model's posterior mean at Sobol probes of the box.

        Several outputs count together, each divided by its mean's deviation over the probes.
        """
        bounds = torch.as_tensor(bounds, dtype=torch.float64)
        d = bounds.shape[1]
        probes = Box.unit(d).sample(probe_count(d), stream(seed, PROBES))
        norm = _mean_slope(model, torch.as_tensor(probes, dtype=torch.float64), bounds)
        return cls(Transport.of(probes, target_density(norm.numpy(), d)), bounds, **flags)

    def _transform(self, X: Tensor) -> Tensor:
        low, high = self.bounds.to(X)
        return low + self.transport((X - low) / (high - low)) * (high - low)

    def _untransform(self, X: Tensor) -> Tensor:
        low, high = self.bounds.to(X)
        return low + self.transport.inverse((X - low) / (high - low)) * (high - low)


def _mean_slope(model: Any, probes: Tensor, bounds: Tensor) -> Tensor:
    """Norm over coordinates and outputs of the mean's gradient in the unit cube, ``q``."""
    means, gradients = [], []
    model.eval()
    probes, bounds = probes.to(_like(model)), bounds.to(_like(model))
    for part in probes.split(CHUNK):
        u = part.clone().requires_grad_(True)
        with skip_posterior_variances():
            mean = model.posterior(bounds[0] + u * (bounds[1] - bounds[0])).mean
        columns = [
            torch.autograd.grad(mean[..., j].sum(), u, retain_graph=j + 1 < mean.shape[-1])[0]
            for j in range(mean.shape[-1])
        ]
        means.append(mean.detach())
        gradients.append(torch.stack(columns, dim=-1))
    gradient = torch.cat(gradients)
    if gradient.shape[-1] > 1:
        gradient = gradient / torch.cat(means).std(dim=0).clamp_min(1e-12)
    return gradient.square().sum(dim=(-2, -1)).sqrt().double().cpu()


def _covariance(posterior: Any) -> Tensor:
    """Joint covariance ``b x m x m`` of a one-output posterior, where it has one."""
    covariance = getattr(getattr(posterior, "distribution", None), "covariance_matrix", None)
    if covariance is not None:
        return covariance
    if hasattr(posterior, "values"):  # an ensemble of eager predictions, b x s x m x 1
        values = posterior.values[..., 0]
        centred = values - (values * posterior.weights[:, None]).sum(dim=-2, keepdim=True)
        return torch.einsum("s,...sm,...sn->...mn", posterior.weights, centred, centred)
    raise UnsupportedError(
        f"{type(posterior).__name__} has no joint covariance, which batches and pending points need: "
        "use q=1 without X_pending, or a model without that outcome transform"
    )


def _like(model: Any) -> Tensor:
    """A tensor of the precision and on the device that the model computes with."""
    return next((p for p in model.parameters() if p.is_floating_point()), torch.zeros(1, dtype=torch.float64))


def _design_size(model: Any) -> int:
    inputs = getattr(model, "train_inputs", None)
    while isinstance(inputs, list | tuple) and inputs:
        inputs = inputs[0]
    if not isinstance(inputs, Tensor):
        raise InvalidInput(f"{type(model).__name__} does not say how many points it knows: pass design_size")
    return int(inputs.shape[-2])


@torch.no_grad()
def _noise(model: Any, bounds: Tensor, posterior_transform: Any) -> float:
    """Deviation that observing adds, at the centre of the box."""
    centre = bounds.mean(dim=0, keepdim=True).to(_like(model))
    noisy, latent = (
        model.posterior(centre, observation_noise=noise, posterior_transform=posterior_transform).variance
        for noise in (True, False)
    )
    return math.sqrt(max(float((noisy - latent).mean()), 0.0))


@torch.no_grad()
def _relative_noise(model: Any) -> float:
    noise = getattr(getattr(model, "likelihood", None), "noise", None)
    targets = getattr(model, "train_targets", None)
    if not isinstance(noise, Tensor) or not isinstance(targets, Tensor) or targets.shape[-1] < 2:
        return USUAL_NOISE
    deviation = float(targets.std(dim=-1, correction=0).mean())
    return math.sqrt(float(noise.mean())) / deviation if deviation > 0 else USUAL_NOISE


@torch.no_grad()
def _lengthscale(model: Any, bounds: Tensor) -> float:
    """Geometric mean of the model's lengthscales in the unit cube, rounded so that tables are reused."""
    kernel = getattr(model, "covar_module", None)
    while kernel is not None and not isinstance(getattr(kernel, "lengthscale", None), Tensor):
        kernel = getattr(kernel, "base_kernel", None)
    if kernel is None:
        return Box.unit(bounds.shape[1]).spacing()
    model.eval()  # a Normalize in training mode would learn its bounds from the corners
    transform = getattr(model, "input_transform", None)
    bounds = bounds.to(_like(model))
    corners = bounds if transform is None else transform(bounds)
    width = (corners[1] - corners[0]).abs().to(kernel.lengthscale)
    if kernel.lengthscale.shape[-1] not in (1, len(width)):
        return Box.unit(bounds.shape[1]).spacing()
    step = math.log(1.1)
    return math.exp(step * round(float((kernel.lengthscale / width).log().mean()) / step))
