"""What one round of Algorithm 1 is made of: kernel, warp, equalizer, inputs. Each step is a function.

``RoundCache`` is what a round may leave to the next one. Everything in it can be recomputed from the
design; each part checks that it still fits before it is used, and is built anew if it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.engine.configuration import RunConfiguration, Standardised
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.density import gradient_norm
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, Placed, ReconstructionWarp, Warp
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.fast.growing import begins_with
from equiwarp.gp.fast.local import local_mean_gradient
from equiwarp.gp.fast.neighbours import Neighbours
from equiwarp.gp.fast.slopes import Slopes, mean_gradient
from equiwarp.gp.kernels import Kernel, Matern52, Neumann
from equiwarp.gp.spacing import refit_lengthscale, refit_size
from equiwarp.strategy import Criterion, CriterionState, RoundInputs
from equiwarp.strategy.chunked import WHOLE_POOL, ChunkedState


@dataclass(frozen=True)
class FittedLengthscale:
    """A lengthscale and the values that it was fitted to."""

    y: Array
    noise_var: Array
    ell: float

    def rests_on(self, y: Array, noise_var: Array) -> bool:
        """Whether a fit to these values would only repeat this one; rounding is no difference."""
        return (
            y.shape == self.y.shape
            and np.allclose(y, self.y, rtol=1e-9, atol=1e-12)
            and np.allclose(noise_var, self.noise_var, rtol=1e-9, atol=0.0)
        )


@dataclass(frozen=True)
class Taken:
    """Points ``(N, columns)`` that were measured or handed out, and the rows of the pool among them.

    ``expected`` are the rows that were suggested last, and as a rule the next to be measured.
    """

    x: Array
    rows: NDArray[np.intp]
    expected: NDArray[np.intp]

    @classmethod
    def of(cls, configuration: RunConfiguration, x: Array, known: Taken | None = None) -> Taken:
        """Look the points up in the pool, those that come after the known ones and are not the expected."""
        if known is None or not begins_with(x, known.x):
            return cls(x, configuration.taken(x), np.empty(0, dtype=np.intp))
        new, rows = x[len(known.x) :], known.expected
        if not (configuration.distinct and np.array_equal(new, configuration.pool[rows])):
            rows = configuration.taken(new)
        return cls(x, np.append(known.rows, rows), np.empty(0, dtype=np.intp))

    def expecting(self, rows: list[int]) -> Taken:
        """The same, and these rows were suggested."""
        return replace(self, expected=np.array(rows, dtype=np.intp))


@dataclass(frozen=True)
class RoundCache:
    """What one round may leave to the next: never needed, only faster."""

    state: CriterionState | None = None
    fitted: FittedLengthscale | None = None
    gp: AcquisitionGP | None = None
    slopes: Slopes | None = None
    neighbours: Neighbours | None = None
    equalizer: Equalizer | None = None
    taken: Taken | None = None
    placed: Placed | None = None


def fit_lengthscale(
    configuration: RunConfiguration, measurements: Measurements, values: Standardised, cache: RoundCache
) -> FittedLengthscale | None:
    """What the values say of the lengthscale; None under the spacing rule, which does not ask them."""
    rule = configuration.strategy.lengthscale
    if rule == "spacing":
        return None
    n = measurements.n if rule == "refit" else refit_size(measurements.n)
    Z, noise_var = configuration.domain.embed(measurements.x[:n]), values.noise_var[:n]
    # Centred by themselves: what the first n points say must not depend on what came later.
    y = values.y[:n] - values.y[:n].mean(axis=0) if n else values.y
    if cache.fitted is not None and cache.fitted.rests_on(y, noise_var):
        return cache.fitted
    return FittedLengthscale(
        y, noise_var, refit_lengthscale(configuration.domain, Z, y, noise_var, configuration.lengthscale)
    )


def kernel_of(configuration: RunConfiguration, fitted: FittedLengthscale | None) -> Kernel:
    """The acquisition kernel, with the fitted lengthscale if there is one."""
    ell = fitted.ell if fitted else configuration.lengthscale
    if configuration.strategy.kernel == "neumann":
        if not configuration.domain.has_faces:
            raise InvalidInput("the Neumann kernel reflects at the faces of a box; this domain has none")
        return Neumann(ell)
    return Matern52(ell)


@dataclass(frozen=True)
class Mean:
    """The unwarped acquisition GP (None if it was local) and the gradient of its mean at the probes."""

    gp: AcquisitionGP | None
    slopes: Slopes | None
    gradient: Array

    @classmethod
    def of(
        cls,
        configuration: RunConfiguration,
        measurements: Measurements,
        values: Standardised,
        kernel: Matern52,
        cache: RoundCache,
    ) -> Mean:
        """Condition on the measured values; pending points do not enter the mean."""
        domain = configuration.domain
        Z = domain.embed(measurements.x)
        gp = cache.gp.extended(kernel, Z, values.y, values.noise_var) if cache.gp else None
        gp = gp or AcquisitionGP.fit(kernel, Z, values.y, values.noise_var)
        slopes = cache.slopes.extend(kernel, Z) if cache.slopes else None
        Q = slopes.Q if slopes else domain.embed(configuration.probes)
        if slopes is None and cache.gp is not None:  # a second round: there may be more
            slopes = Slopes.of(kernel, Q, Z)
        gradient = slopes.mean_gradient(gp.alpha) if slopes else mean_gradient(kernel, Q, Z, gp.alpha)
        return cls(gp, slopes, _along(domain, Q, gradient))

    @classmethod
    def local(
        cls,
        configuration: RunConfiguration,
        measurements: Measurements,
        values: Standardised,
        kernel: Matern52,
    ) -> Mean:
        """The same from the measurements near each probe."""
        Q, Z = configuration.domain.embed(configuration.probes), configuration.domain.embed(measurements.x)
        gradient = local_mean_gradient(kernel, Q, Z, values.y, values.noise_var)
        return cls(None, None, _along(configuration.domain, Q, gradient))


def _along(domain: Domain, Q: Array, gradient: Array) -> Array:
    """Gradients ``(q, e, k)`` without their part that leaves the domain, in place."""
    for j in range(gradient.shape[2]):
        gradient[:, :, j] = domain.tangent(Q, gradient[:, :, j])
    return gradient


def warp_of(
    configuration: RunConfiguration,
    measurements: Measurements,
    values: Standardised,
    kernel: Kernel,
    cache: RoundCache,
    local: bool = False,
) -> tuple[Warp, Mean | None]:
    """The warp of this round, and the posterior mean that it was built from."""
    strategy, domain = configuration.strategy, configuration.domain
    if strategy.warp == "none" or measurements.n == 0:
        return Identity(domain), None
    assert isinstance(kernel, Matern52)
    if strategy.warp == "kumaraswamy":
        return KumaraswamyWarp.fit(domain, kernel, measurements.x, values.y, values.noise_var), None
    if local:
        mean = Mean.local(configuration, measurements, values, kernel)
    else:
        mean = Mean.of(configuration, measurements, values, kernel, cache)
    norm = gradient_norm(mean.gradient)
    warp = ReconstructionWarp.of(domain, configuration.probes, norm, configuration.lattice)
    return warp.knowing(np.concatenate([measurements.x, measurements.pending]), cache.placed), mean


def equalizer_of(
    configuration: RunConfiguration, kernel: Kernel, values: Standardised, cache: RoundCache
) -> Equalizer | None:
    """g over the pool, if the strategy wants it."""
    if not configuration.strategy.equalizer:
        return None
    fresh = Equalizer(configuration.domain, kernel, values.typical_noise, configuration.pool)
    known = cache.equalizer
    return known if known is not None and known.same_tables(fresh) else fresh


def inputs_of(
    configuration: RunConfiguration,
    measurements: Measurements,
    values: Standardised,
    kernel: Kernel,
    warp: Warp,
    cache: RoundCache,
    local: bool = False,
) -> RoundInputs:
    """All that the criterion may see: pending points count for the variance like measured ones."""
    x = np.concatenate([measurements.x, measurements.pending])
    pending_noise = np.full(len(measurements.pending), values.typical_noise**2)
    lasting = configuration.strategy.lasting and not local
    near = cache.neighbours.extend(configuration.domain.embed(x)) if cache.neighbours else None
    return RoundInputs(
        domain=configuration.domain,
        kernel=kernel,
        warp=warp,
        x=x,
        noise_var=np.concatenate([values.noise_var, pending_noise]),
        typical_noise=values.typical_noise,
        pool=configuration.pool,
        targets=configuration.targets,
        probes=configuration.probes,
        y=values.y,
        lasting=lasting,
        near=None if lasting or local else near,
        shortlist=cache.state.shortlist if cache.state else None,
        local=local,
    )


def begin(criterion: Criterion, inputs: RoundInputs) -> CriterionState:
    """Condition on the round inputs; a pool too long for the memory is scored in chunks."""
    if len(inputs.pool) > WHOLE_POOL:
        return ChunkedState.of(criterion, inputs)
    return criterion.begin(inputs)


def resume(state: CriterionState | None, inputs: RoundInputs) -> CriterionState | None:
    """The last round's state, extended, if the geometry is still the same and points were only added."""
    if state is None or not inputs.lasting or not state.fits(inputs):
        return None
    for z in inputs.Z[len(state.Z) :]:
        state = state.add(z)
    return state.refresh(inputs)
