"""What one round of Algorithm 1 is made of: kernel, warp, equalizer, scene. Each step is a function.

``Memory`` is what a round may leave to the next one. Everything in it can be recomputed from the
design; each part checks that it still fits before it is used, and is built anew if it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.design import Design
from equiwarp.domains import Array, Box
from equiwarp.geometry.density import gradient_norm
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, ReconstructionWarp, Warp
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.kernels import Kernel, Matern52, Neumann
from equiwarp.gp.neighbours import Neighbours
from equiwarp.gp.slopes import Slopes, mean_gradient
from equiwarp.gp.spacing import refit_lengthscale
from equiwarp.setting import Setting, Standardised
from equiwarp.strategies import Scene, State


@dataclass(frozen=True)
class Memory:
    """What one round may leave to the next: never needed, only faster."""

    state: State | None = None
    gp: AcquisitionGP | None = None
    slopes: Slopes | None = None
    neighbours: Neighbours | None = None
    equalizer: Equalizer | None = None


def kernel_of(setting: Setting, design: Design, values: Standardised) -> Kernel:
    """The acquisition kernel; only `refit` lets the values choose its lengthscale."""
    ell = setting.lengthscale
    if setting.strategy.lengthscale == "refit":
        Z = setting.domain.embed(design.x)
        ell = refit_lengthscale(setting.domain, Z, values.y, values.noise_var, ell)
    if setting.strategy.kernel == "neumann":
        if not isinstance(setting.domain, Box):
            raise ValueError("the Neumann kernel reflects at the faces of a box; this domain has none")
        return Neumann(ell)
    return Matern52(ell)


@dataclass(frozen=True)
class Mean:
    """The unwarped acquisition GP and the gradient of its mean at the probes."""

    gp: AcquisitionGP
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
        along = [domain.tangent(Q, gradient[:, :, j]) for j in range(gradient.shape[2])]
        return cls(gp, slopes, np.stack(along, axis=2))


def warp_of(
    setting: Setting, design: Design, values: Standardised, kernel: Kernel, memory: Memory
) -> tuple[Warp, Mean | None]:
    """The warp of this round, and the posterior mean that it was built from."""
    strategy, domain = setting.strategy, setting.domain
    if strategy.warp == "none" or design.n == 0:
        return Identity(domain), None
    assert isinstance(kernel, Matern52)
    if strategy.warp == "kumaraswamy":
        return KumaraswamyWarp.fit(domain, kernel, design.x, values.y, values.noise_var), None
    mean = Mean.of(setting, design, values, kernel, memory)
    norm = gradient_norm(mean.gradient)
    return ReconstructionWarp.of(domain, setting.probes, norm, setting.lattice), mean


def equalizer_of(setting: Setting, kernel: Kernel, values: Standardised, memory: Memory) -> Equalizer | None:
    """g over the pool, if the strategy wants it."""
    if not setting.strategy.equalizer:
        return None
    fresh = Equalizer(setting.domain, kernel, values.typical_noise, setting.pool)
    known = memory.equalizer
    return known if known is not None and known.same_tables(fresh) else fresh


def scene_of(
    setting: Setting, design: Design, values: Standardised, kernel: Kernel, warp: Warp, memory: Memory
) -> Scene:
    """All that the criterion may see: pending points count for the variance like measured ones."""
    x = np.concatenate([design.x, design.pending])
    pending_noise = np.full(len(design.pending), values.typical_noise**2)
    lasting = setting.strategy.lasting
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
        near=None if lasting else near,
    )


def resume(state: State | None, scene: Scene) -> State | None:
    """The last round's state, extended, if the geometry is still the same and points were only added."""
    if state is None or not scene.lasting or not state.fits(scene):
        return None
    for z in scene.Z[len(state.Z) :]:
        state = state.add(z)
    return state.refresh(scene)
