"""What one round of Algorithm 1 is made of: kernel, warp, equalizer, scene. Each step is a function.

``Memory`` is what a round may leave to the next one. Everything in it can be recomputed from the
design; each part checks that it still fits before it is used, and is built anew if it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equiwarp.design import Design
from equiwarp.domains import Array, Box, Domain
from equiwarp.geometry.density import gradient_norm
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, Placed, ReconstructionWarp, Warp
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.growing import begins_with
from equiwarp.gp.kernels import Kernel, Matern52, Neumann
from equiwarp.gp.local import local_mean_gradient
from equiwarp.gp.neighbours import Neighbours
from equiwarp.gp.slopes import Slopes, mean_gradient
from equiwarp.gp.spacing import refit_lengthscale, refit_size
from equiwarp.setting import Setting, Standardised
from equiwarp.strategies import Criterion, Scene, State
from equiwarp.strategies.chunked import WHOLE_POOL, ChunkedState


@dataclass(frozen=True)
class Fitted:
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
    def of(cls, setting: Setting, x: Array, known: Taken | None = None) -> Taken:
        """Look the points up in the pool, those that come after the known ones and are not the expected."""
        if known is None or not begins_with(x, known.x):
            return cls(x, setting.taken(x), np.empty(0, dtype=np.intp))
        new, rows = x[len(known.x) :], known.expected
        if not (setting.distinct and np.array_equal(new, setting.pool[rows])):
            rows = setting.taken(new)
        return cls(x, np.append(known.rows, rows), np.empty(0, dtype=np.intp))

    def expecting(self, rows: list[int]) -> Taken:
        """The same, and these rows were suggested."""
        return replace(self, expected=np.array(rows, dtype=np.intp))


@dataclass(frozen=True)
class Memory:
    """What one round may leave to the next: never needed, only faster."""

    state: State | None = None
    fitted: Fitted | None = None
    gp: AcquisitionGP | None = None
    slopes: Slopes | None = None
    neighbours: Neighbours | None = None
    equalizer: Equalizer | None = None
    taken: Taken | None = None
    placed: Placed | None = None


def fit_lengthscale(setting: Setting, design: Design, values: Standardised, memory: Memory) -> Fitted | None:
    """What the values say of the lengthscale; None under the spacing rule, which does not ask them."""
    rule = setting.strategy.lengthscale
    if rule == "spacing":
        return None
    n = design.n if rule == "refit" else refit_size(design.n)
    Z, noise_var = setting.domain.embed(design.x[:n]), values.noise_var[:n]
    # Centred by themselves: what the first n points say must not depend on what came later.
    y = values.y[:n] - values.y[:n].mean(axis=0) if n else values.y
    if memory.fitted is not None and memory.fitted.rests_on(y, noise_var):
        return memory.fitted
    return Fitted(y, noise_var, refit_lengthscale(setting.domain, Z, y, noise_var, setting.lengthscale))


def kernel_of(setting: Setting, fitted: Fitted | None) -> Kernel:
    """The acquisition kernel, with the fitted lengthscale if there is one."""
    ell = fitted.ell if fitted else setting.lengthscale
    if setting.strategy.kernel == "neumann":
        if not isinstance(setting.domain, Box):
            raise ValueError("the Neumann kernel reflects at the faces of a box; this domain has none")
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
        cls, setting: Setting, design: Design, values: Standardised, kernel: Matern52, memory: Memory
    ) -> Mean:
        """Condition on the measured values; pending points do not enter the mean."""
        domain = setting.domain
        Z = domain.embed(design.x)
        gp = memory.gp.extended(kernel, Z, values.y, values.noise_var) if memory.gp else None
        gp = gp or AcquisitionGP.fit(kernel, Z, values.y, values.noise_var)
        slopes = memory.slopes.extend(kernel, Z) if memory.slopes else None
        Q = slopes.Q if slopes else domain.embed(setting.probes)
        if slopes is None and memory.gp is not None:  # a second round: there may be more
            slopes = Slopes.of(kernel, Q, Z)
        gradient = slopes.mean_gradient(gp.alpha) if slopes else mean_gradient(kernel, Q, Z, gp.alpha)
        return cls(gp, slopes, _along(domain, Q, gradient))

    @classmethod
    def local(cls, setting: Setting, design: Design, values: Standardised, kernel: Matern52) -> Mean:
        """The same from the measurements near each probe."""
        Q, Z = setting.domain.embed(setting.probes), setting.domain.embed(design.x)
        gradient = local_mean_gradient(kernel, Q, Z, values.y, values.noise_var)
        return cls(None, None, _along(setting.domain, Q, gradient))


def _along(domain: Domain, Q: Array, gradient: Array) -> Array:
    """Gradients ``(q, e, k)`` without their part that leaves the domain, in place."""
    for j in range(gradient.shape[2]):
        gradient[:, :, j] = domain.tangent(Q, gradient[:, :, j])
    return gradient


def warp_of(
    setting: Setting,
    design: Design,
    values: Standardised,
    kernel: Kernel,
    memory: Memory,
    local: bool = False,
) -> tuple[Warp, Mean | None]:
    """The warp of this round, and the posterior mean that it was built from."""
    strategy, domain = setting.strategy, setting.domain
    if strategy.warp == "none" or design.n == 0:
        return Identity(domain), None
    assert isinstance(kernel, Matern52)
    if strategy.warp == "kumaraswamy":
        return KumaraswamyWarp.fit(domain, kernel, design.x, values.y, values.noise_var), None
    if local:
        mean = Mean.local(setting, design, values, kernel)
    else:
        mean = Mean.of(setting, design, values, kernel, memory)
    norm = gradient_norm(mean.gradient)
    warp = ReconstructionWarp.of(domain, setting.probes, norm, setting.lattice)
    return warp.knowing(np.concatenate([design.x, design.pending]), memory.placed), mean


def equalizer_of(setting: Setting, kernel: Kernel, values: Standardised, memory: Memory) -> Equalizer | None:
    """g over the pool, if the strategy wants it."""
    if not setting.strategy.equalizer:
        return None
    fresh = Equalizer(setting.domain, kernel, values.typical_noise, setting.pool)
    known = memory.equalizer
    return known if known is not None and known.same_tables(fresh) else fresh


def scene_of(
    setting: Setting,
    design: Design,
    values: Standardised,
    kernel: Kernel,
    warp: Warp,
    memory: Memory,
    local: bool = False,
) -> Scene:
    """All that the criterion may see: pending points count for the variance like measured ones."""
    x = np.concatenate([design.x, design.pending])
    pending_noise = np.full(len(design.pending), values.typical_noise**2)
    lasting = setting.strategy.lasting and not local
    near = memory.neighbours.extend(setting.domain.embed(x)) if memory.neighbours else None
    return Scene(
        domain=setting.domain,
        kernel=kernel,
        warp=warp,
        x=x,
        noise_var=np.concatenate([values.noise_var, pending_noise]),
        typical_noise=values.typical_noise,
        pool=setting.pool,
        targets=setting.targets,
        probes=setting.probes,
        y=values.y,
        lasting=lasting,
        near=None if lasting or local else near,
        leaders=memory.state.leaders if memory.state else None,
        local=local,
    )


def begin(criterion: Criterion, scene: Scene) -> State:
    """Condition on the scene; a pool too long for the memory is scored in chunks."""
    if len(scene.pool) > WHOLE_POOL:
        return ChunkedState.of(criterion, scene)
    return criterion.begin(scene)


def resume(state: State | None, scene: Scene) -> State | None:
    """The last round's state, extended, if the geometry is still the same and points were only added."""
    if state is None or not scene.lasting or not state.fits(scene):
        return None
    for z in scene.Z[len(state.Z) :]:
        state = state.add(z)
    return state.refresh(scene)
