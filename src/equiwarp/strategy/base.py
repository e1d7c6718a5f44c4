"""What a strategy is made of, and what a criterion may look at.

A *criterion* scores the pool. A *strategy* is a criterion, whether the equalizer multiplies it,
through which warp the kernel looks, which kernel, and which lengthscale rule. All are plain data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equiwarp.aims.bound import BoundAim
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput, InvalidType
from equiwarp.geometry.warp import Warp
from equiwarp.gp.fast.growing import begins_with
from equiwarp.gp.fast.neighbours import Neighbours
from equiwarp.gp.kernels import Kernel
from equiwarp.gp.posterior import Posterior


@dataclass(frozen=True)
class StandardisedAim:
    """An aim for models of standardised values, whose units are ``scale`` and zeros ``center``, ``(k,)``."""

    aim: BoundAim
    center: Array
    scale: Array

    def weights(self, x: Array, mean: Array, variance: Array, beside_contours: bool = False) -> Array:
        """Weights ``(m,)`` of places ``(m, columns)``, from the standardised belief ``(m, k)`` there."""
        deviation = self.scale * np.sqrt(variance)
        return self.aim.weights(x, self.center + self.scale * mean, deviation, beside_contours)

    def contours(self, j: int) -> Array:
        """Standardised levels ``(l,)`` of response number j whose contours are looked for."""
        return (np.array(self.aim.contours(j)) - self.center[j]) / self.scale[j]


@dataclass(frozen=True)
class RoundInputs:
    """All that a criterion may look at in one round.

    Attributes
    ----------
    domain : Domain
    kernel : Kernel
    warp : Warp
        From points of the domain to the acquisition geometry.
    x : (N, columns) array
        Conditioning points in the domain's units: measured ones first, then pending ones.
    noise_var : (N,) array
        Their noise variances on the standardised scale, for criteria that know one for all responses.
    typical_noise : float
        Noise deviation assumed for a measurement yet to be made, standardised.
    each_noise_var, typical_noises : (n, k) and (k,) arrays
        The same of each response, at the measured points.
    pool, targets, probes : (m, columns), (t, columns) and (q, columns) arrays
    y : (n, k) array
        Standardised values of the measured points, which come first in ``x``.
    varying : (n, v) array
        The columns of ``y`` that vary, for criteria that treat all responses alike; all where none does.
    fixed_geometry : bool
        Whether kernel and warp stay the same from round to round, so that updates pay.
    known_neighbours : Neighbours or None
        Conditioning points near each pool point, as the round before knew them.
    shortlist : (l,) array or None
        Rows of the pool that came close in the round before.
    local : bool
        Whether there are so many conditioning points that each place sees its nearest only.
    aim : StandardisedAim or None
        Where the map has to be good; None is everywhere.
    works : (t,) array or None
        The chance that an experiment works at each target; None if none has failed.
    learnt : object
        What the criterion has fitted to the values, see :meth:`Criterion.learn`.
    """

    domain: Domain
    kernel: Kernel
    warp: Warp
    x: Array
    noise_var: Array
    typical_noise: float
    each_noise_var: Array
    typical_noises: Array
    pool: Array
    targets: Array
    probes: Array
    y: Array
    varying: Array
    fixed_geometry: bool
    known_neighbours: Neighbours | None = None
    shortlist: NDArray[np.intp] | None = None
    local: bool = False
    aim: StandardisedAim | None = None
    works: Array | None = None
    learnt: Any = None

    @cached_property
    def Z(self) -> Array:
        """Conditioning points in the acquisition geometry, ``(N, e)``."""
        return self.warp(self.x)

    @cached_property
    def neighbours(self) -> Neighbours | None:
        """Conditioning points near each pool point in unwarped coordinates; None where not needed."""
        if self.fixed_geometry or self.local:
            return None
        Z, known = self.domain.embed(self.x), self.known_neighbours
        near = known.extend(Z) if known else None
        return near or Neighbours.of(self.domain.embed(self.pool), Z)

    @cached_property
    def P(self) -> Array:
        """Pool in the acquisition geometry, ``(m, e)``."""
        return self.warp(self.pool)

    @cached_property
    def U(self) -> Array:
        """Targets in the acquisition geometry, ``(t, e)``."""
        return self.warp(self.targets)


class CriterionState(ABC):
    """A criterion's knowledge of the pool: immutable, scored at will, extended point by point."""

    @abstractmethod
    def score(self) -> Array:
        """Score of every pool point, ``(m,)``; larger is better."""

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[CriterionState, int]:
        """The free pool point with the largest weighted score, and the state with what the search found."""
        score = self._scores if weights is None else weights * self._scores
        return self, int(np.argmax(np.where(free, score, -np.inf)))

    def score_at(self, i: int) -> float:
        """Score of one pool point."""
        return float(self._scores[i])

    @cached_property
    def _scores(self) -> Array:
        """The scores, computed once for the search and for whoever asks what it found."""
        return self.score()

    def variance_at(self, i: int) -> float:
        """Posterior variance at one pool point; NaN where the criterion does not know it."""
        variance = self.variance
        return float("nan") if variance is None else float(variance[i])

    def error_at(self, i: int) -> tuple[float, float, int] | None:
        """The map's error now and as expected after measuring pool point i, and of which response.

        Root mean squares over the domain, standardised; None where the criterion does not know them.
        """
        return None

    @abstractmethod
    def add(self, z: Array) -> CriterionState:
        """The state with one more conditioning point ``(e,)`` of the acquisition geometry."""

    @property
    @abstractmethod
    def Z(self) -> Array:
        """The points conditioned on so far, ``(N, e)``."""

    @property
    def neighbours(self) -> Neighbours | None:
        """Conditioning points near each pool point, if that helps the next round to search."""
        return None

    @property
    def shortlist(self) -> NDArray[np.intp] | None:
        """Rows of the pool that came close in the last search, if that helps to search again."""
        return None

    def refresh(self, inputs: RoundInputs) -> CriterionState:
        """The state with the round's values; most criteria do not look at them."""
        return self

    def fits(self, inputs: RoundInputs) -> bool:
        """Whether this state can be extended to the inputs: same geometry, its points come first.

        A state that holds a model also asks whether it is still the same, see :class:`FieldState`.
        """
        return begins_with(inputs.Z, self.Z)

    @property
    def variance(self) -> Array | None:
        """Posterior variance at the pool ``(m,)``, where the criterion knows it."""
        return None

    @property
    def jitter(self) -> float:
        """What the factorisation needed on top of the noise."""
        return 0.0


def same_model(field: Posterior, noise_var: float, inputs: RoundInputs) -> bool:
    """Whether kernel and noise are still those of the inputs.

    They change when the lengthscale is refitted, and when the values' deviation, in which the noise
    is measured, moves with the sample. Rounding of the noise is no change.
    """
    known = len(field.Z)
    return (
        field.kernel == inputs.kernel
        and bool(np.isclose(noise_var, inputs.typical_noise**2, rtol=1e-9, atol=0.0))
        and np.allclose(field.noise_var, inputs.noise_var[:known], rtol=1e-9, atol=0.0)
    )


class FieldState(CriterionState):
    """A state that rests on one posterior, whose first points are the pool.

    Subclasses hold ``field`` and ``noise_var``, the noise variance of points yet to be measured.
    """

    field: Posterior
    noise_var: float

    @property
    def pool_size(self) -> int:
        """How many of the field's points are the pool; the others are targets or probes."""
        return len(self.field.P)

    def fits(self, inputs: RoundInputs) -> bool:
        return super().fits(inputs) and same_model(self.field, self.noise_var, inputs)

    @property
    def Z(self) -> Array:
        return self.field.Z

    @property
    def variance(self) -> Array:
        return self.field.variance[: self.pool_size]

    @property
    def jitter(self) -> float:
        return self.field.jitter


class Criterion(ABC):
    """A way to score the pool.

    ``uses_values`` says whether it looks at what was measured, ``local`` whether near neighbours are
    enough to score a point, ``by_distance`` whether it needs a kernel that is a function of distance,
    ``aims`` whether it weighs what it predicts by the round's aim; other scores are multiplied by the weight
    of the place itself.
    """

    uses_values: ClassVar[bool] = False
    local: ClassVar[bool] = False
    by_distance: ClassVar[bool] = False
    aims: ClassVar[bool] = False

    def learn(self, inputs: RoundInputs, earlier: Any) -> Any:
        """What is fitted to the values once a round; :meth:`begin` finds it as ``inputs.learnt``.

        ``earlier`` is what the round before has learnt, or None. It saves time and changes nothing.
        """
        return None

    def spread_first(self, values: int, unmeasured: int) -> int:
        """How many of the points without a value are spread evenly before the criterion chooses the others.

        Parameters
        ----------
        values : int
            How many points have one.
        unmeasured : int
            How many have none: pending ones and the batch.
        """
        return 0

    @abstractmethod
    def begin(self, inputs: RoundInputs) -> CriterionState:
        """Condition on everything in the inputs."""


class OpenLoop(ABC):
    """A sequence fixed before anything is measured. It does not use the pool."""

    @abstractmethod
    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        """Points ``start`` to ``start + n`` of the sequence, ``(n, columns)``."""


WarpName = Literal["none", "reconstruction", "kumaraswamy"]
KernelName = Literal["matern52", "neumann"]
LengthscaleRule = Literal["spacing", "refit", "fitted"]
WARPS, KERNELS, LENGTHSCALES = get_args(WarpName), get_args(KernelName), get_args(LengthscaleRule)


@dataclass(frozen=True)
class Strategy:
    """How the next experiment is chosen: a criterion, and the geometry in which it is evaluated.

    The next point is the one with the largest score ``g(x) c(x)`` in the pool. The criterion c rests on the
    acquisition GP, whose kernel sees points through the warp; g is the equalizer, or 1 without it. In the
    paper's full method, "equiwarp", c is the posterior variance and the warp is the reconstruction warp.

    Registered strategies have names (:func:`equiwarp.strategies`), and a name can be given wherever a
    strategy is expected. Make one of your own to combine the parts anew or to add a criterion;
    :func:`equiwarp.testing.check_strategy` tests it.

    When not to use a part:

    - Plain posterior variance ("eig") prefers faces and corners and ignores the values. Alone it is a
      baseline to compare with; "equalized" repairs the first fault, "equiwarp" both.
    - The equalizer corrects for boundaries. A sphere has none, and there it changes nothing.
    - The reconstruction warp follows the values. Leave it out if they must not steer the choice. In three
      or more dimensions do not use it without the equalizer: it then does worse than farthest points.
    - "kumaraswamy" and "refit" fit parameters to few values in every round. They, too, are baselines.
    - The Neumann kernel reflects at the faces of a box. It fits no other domain and no warp.
    - "lookahead-gp" serves a map that is a Gaussian process, as a campaign's is. If each setting is looked
      up at the nearest measured one instead, take "lookahead-nn".
    - "sobol" and "random" never look at the values. Take "sobol" only if all experiments have to be fixed
      before the first measurement.

    Parameters
    ----------
    name : str
        What people call it; not the name of another registered strategy.
    criterion : Criterion or OpenLoop
        What scores the pool, or a sequence that is fixed before anything is measured.
    equalizer : bool
        Whether the score is multiplied by g, which makes up for the large variance near boundaries.
    warp : "none", "reconstruction" or "kumaraswamy"
        How lengths are stretched before the kernel sees them: not at all; where the posterior mean
        varies; or by a Kumaraswamy function of each chart coordinate, fitted to the values.
    kernel : "matern52" or "neumann"
        Matern-5/2, or its reflection at the faces of a box.
    lengthscale : "spacing", "refit" or "fitted"
        Of the acquisition GP: fixed by the spacing of the start (:meth:`equiwarp.Domain.spacing`);
        re-estimated every round, the paper's baseline; or re-estimated now and then, from the points
        known at that time.
    summary : str
        One sentence for people.

    Raises
    ------
    InvalidInput
        If warp, kernel or lengthscale is unknown, or the Neumann kernel does not fit the rest.
    InvalidType
        If the criterion is neither a Criterion nor an OpenLoop.

    Examples
    --------
    Integrated variance with the equalizer, which no registered strategy combines:

    >>> import equiwarp as ew
    >>> from equiwarp.strategy.nipv import IntegratedVariance
    >>> mine = ew.Strategy("mine", IntegratedVariance(), equalizer=True, summary="NIPV, equalized")
    >>> mine.observation_independent
    True
    >>> ew.suggest(ew.Box.unit(2), [[0.2, 0.3], [0.7, 0.9]], [1.0, 2.0], strategy=mine, noise=0.1).strategy
    'mine'
    """

    name: str
    criterion: Criterion | OpenLoop
    equalizer: bool = False
    warp: WarpName = "none"
    kernel: KernelName = "matern52"
    lengthscale: LengthscaleRule = "spacing"
    summary: str = ""

    def __post_init__(self) -> None:
        self._check_fields()
        if self.kernel == "neumann" and self.warp != "none":
            raise InvalidInput(
                f"strategy {self.name!r}: the Neumann kernel reflects at the cube's faces; drop the warp"
            )
        if self.kernel == "neumann" and isinstance(self.criterion, Criterion) and self.criterion.by_distance:
            raise InvalidInput(
                f"strategy {self.name!r}: {type(self.criterion).__name__} needs a kernel of distance alone; "
                "drop the Neumann kernel"
            )

    def _check_fields(self) -> None:
        if not isinstance(self.criterion, Criterion | OpenLoop):
            raise InvalidType(
                f"strategy {self.name!r}: its criterion is a Criterion or an OpenLoop, got {self.criterion!r}"
            )
        for field, known in (("warp", WARPS), ("kernel", KERNELS), ("lengthscale", LENGTHSCALES)):
            value = getattr(self, field)
            if value not in known:
                raise InvalidInput(
                    f"strategy {self.name!r}: {field} must be one of {', '.join(known)}, got {value!r}"
                )

    @property
    def observation_independent(self) -> bool:
        """Whether the points are the same whatever values are measured (the paper's Remark 2.1)."""
        blind = isinstance(self.criterion, OpenLoop) or not self.criterion.uses_values
        return blind and self.warp == "none" and self.lengthscale == "spacing"

    @property
    def fixed_geometry(self) -> bool:
        """Whether kernel and warp stay the same for some rounds, so that a round can build on the last."""
        return self.warp == "none" and self.lengthscale != "refit"
