"""The whole method: from what has been measured to where to measure next.

:func:`choose` is the paper's Algorithm 1 for one round, step by step; :func:`suggest` is the same for
people who have arrays. Layers below are pure, and so is this: nothing is remembered between calls,
except what the caller passes back as ``memory``, which saves time and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.design import Design
from equiwarp.domains import Array, Domain
from equiwarp.geometry.density import gradient_norm
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, ReconstructionWarp, Warp
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.kernels import Kernel, Matern52, Neumann
from equiwarp.gp.slopes import Slopes
from equiwarp.gp.spacing import refit_lengthscale
from equiwarp.setting import Setting, Standardised, prepare, standardise
from equiwarp.strategies import OpenLoop, Scene, State, Strategy
from equiwarp.suggestion import NO_EXPLANATION, Explanation, Suggestion


@dataclass(frozen=True)
class Memory:
    """What one round may leave to the next: never needed, only faster."""

    state: State | None = None
    slopes: Slopes | None = None
    equalizer: Equalizer | None = None


def suggest(
    domain: Domain,
    x: Any,
    y: Any,
    n: int = 1,
    strategy: str | Strategy = "equiwarp",
    *,
    noise: Any = None,
    pending: Any = None,
    seed: int = 0,
    lengthscale: float | None = None,
) -> Suggestion:
    """Where to measure next, given what has been measured.

    Parameters
    ----------
    domain : Domain
    x : array, list, dict of columns or dataframe, (N, columns)
        Measured locations in the domain's units. May be empty.
    y : array-like, (N,) or (N, k)
        Measured values, of one or several responses.
    n : int
        How many points to suggest at once; each takes the earlier ones into account.
    strategy : str or Strategy
        A name from :func:`equiwarp.strategies`, or one of your own.
    noise : float or array-like, optional
        Standard deviation of a measurement in the units of y; None estimates it.
    pending : like x, optional
        Locations already handed out and not yet measured.
    seed : int
        The same seed and data give the same points.
    lengthscale : float, optional
        Of the acquisition GP in kernel coordinates (the unit cube for a box); by default the spacing
        of the paper's initial design.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> s = ew.suggest(box, [[30, 4], [60, 7], [80, 5]], [1.0, 2.5, 1.7], n=2, noise=0.05)
    >>> s.points.shape
    (2, 2)
    """
    design = Design.of(domain, x, y, noise, pending)
    return choose(prepare(domain, strategy, seed, lengthscale=lengthscale), design, n)[0]


def choose(
    setting: Setting, design: Design, n: int = 1, memory: Memory | None = None
) -> tuple[Suggestion, Memory]:
    """One round of Algorithm 1, for a batch of n points."""
    memory = memory or Memory()
    strategy = setting.strategy
    if isinstance(strategy.criterion, OpenLoop):
        return _fixed_in_advance(setting, design, n, strategy.criterion), memory

    values = standardise(setting, design)
    kernel = _kernel(setting, design, values)
    warp, slopes = _warp(setting, design, values, kernel, memory.slopes)
    equalizer = _equalizer(setting, kernel, values, memory.equalizer)
    scene = _scene(setting, design, values, kernel, warp)
    state = _resume(memory.state, scene) or strategy.criterion.begin(scene)

    free = _free(setting, design, n)
    chosen: list[int] = []
    explain: list[Explanation] = []
    for _ in range(n):
        g = equalizer(len(state.Z)) if equalizer else None
        score = state.score() if g is None else g * state.score()
        best = int(np.argmax(np.where(free, score, -np.inf)))
        explain.append(_explanation(state, g, warp, setting.pool, score, best))
        state = state.add(scene.P[best])
        free[best] = False
        chosen.append(best)

    suggestion = Suggestion(
        setting.domain, strategy.name, setting.pool[chosen], tuple(explain), _notes(values, state)
    )
    return suggestion, Memory(state, slopes, equalizer)


def _fixed_in_advance(setting: Setting, design: Design, n: int, sequence: OpenLoop) -> Suggestion:
    points = sequence.points(setting.domain, design.n + len(design.pending), _count(n), setting.seed)
    return Suggestion(setting.domain, setting.strategy.name, points, (NO_EXPLANATION,) * n)


def _kernel(setting: Setting, design: Design, values: Standardised) -> Kernel:
    """The acquisition kernel; only `refit` lets the values choose its lengthscale."""
    ell = setting.lengthscale
    if setting.strategy.lengthscale == "refit":
        ell = refit_lengthscale(
            setting.domain, setting.domain.embed(design.x), values.y, values.noise_var, ell
        )
    if setting.strategy.kernel == "neumann":
        if setting.domain.symmetry == "homogeneous":
            raise ValueError("the Neumann kernel reflects at the faces of a box; this domain has none")
        return Neumann(ell)
    return Matern52(ell)


def _warp(
    setting: Setting, design: Design, values: Standardised, kernel: Kernel, known: Slopes | None
) -> tuple[Warp, Slopes | None]:
    """The warp of this round, from the unwarped acquisition GP's posterior mean."""
    domain, strategy = setting.domain, setting.strategy
    if strategy.warp == "none" or design.n == 0:
        return Identity(domain), None
    assert isinstance(kernel, Matern52)
    if strategy.warp == "kumaraswamy":
        return KumaraswamyWarp.fit(domain, kernel, design.x, values.y, values.noise_var), None
    Z = domain.embed(design.x)
    gp = AcquisitionGP.fit(kernel, Z, values.y, values.noise_var)
    slopes = known.extend(Z) if known is not None and known.kernel == kernel else None
    slopes = slopes or Slopes.of(kernel, domain.embed(setting.probes), Z)
    gradient = slopes.mean_gradient(gp.alpha)
    along = np.stack([domain.tangent(slopes.Q, gradient[:, :, j]) for j in range(gradient.shape[2])], axis=2)
    return ReconstructionWarp.of(domain, setting.probes, gradient_norm(along)), slopes


def _equalizer(
    setting: Setting, kernel: Kernel, values: Standardised, known: Equalizer | None
) -> Equalizer | None:
    if not setting.strategy.equalizer:
        return None
    fresh = Equalizer(setting.domain, kernel, values.typical_noise, setting.pool)
    return known if known is not None and known.same_tables(fresh) else fresh


def _scene(setting: Setting, design: Design, values: Standardised, kernel: Kernel, warp: Warp) -> Scene:
    """Everything the criterion may see: pending points count for the variance like measured ones."""
    pending_noise = np.full(len(design.pending), values.typical_noise**2)
    return Scene(
        setting.domain,
        kernel,
        warp,
        np.concatenate([design.x, design.pending]),
        np.concatenate([values.noise_var, pending_noise]),
        values.typical_noise,
        setting.pool,
        setting.targets,
    )


def _resume(state: State | None, scene: Scene) -> State | None:
    """The last round's state, extended, if the geometry is still the same and points were only added."""
    if state is None or not isinstance(scene.warp, Identity) or not state.fits(scene):
        return None
    for z in scene.Z[len(state.Z) :]:
        state = state.add(z)
    return state


def _free(setting: Setting, design: Design, n: int) -> Array:
    free = np.ones(len(setting.pool), dtype=bool)
    free[setting.taken(np.concatenate([design.x, design.pending]))] = False
    left = int(free.sum())
    if _count(n) > left:
        raise ValueError(f"n = {n}, but only {left} points of the pool are left: ask for fewer")
    return free


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n must be a whole number of at least 1, got {n!r}")
    return int(n)


def _explanation(
    state: State, g: Array | None, warp: Warp, pool: Array, score: Array, best: int
) -> Explanation:
    variance = state.variance
    return Explanation(
        variance=float("nan") if variance is None else float(variance[best]),
        equalizer=1.0 if g is None else float(g[best]),
        stretch=float(warp.stretch(pool[best : best + 1])[0]),
        score=float(score[best]),
    )


def _notes(values: Standardised, state: State) -> tuple[str, ...]:
    notes = []
    if values.estimated:
        notes.append(f"noise was not given; estimated at {values.typical_noise:.3g} of the values' deviation")
    if state.jitter:
        notes.append(f"coincident points: jitter {state.jitter:.0e} was added to the kernel matrix")
    return tuple(notes)
