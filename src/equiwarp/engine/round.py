"""``Round``: one round of Algorithm 1 up to the choice, from the measurements to a score over the pool.

Its steps stand in the order of the algorithm. Each is computed when it is first asked for, and once.
The same object serves whoever chooses and whoever draws a picture of what a choice rests on.

``RoundCache`` is what a round may leave to the next one. Everything in it can be recomputed from the
measurements; each part checks that it still fits before it is used, and is built anew if it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.engine.configuration import RunConfiguration, Taken
from equiwarp.engine.large_data import MOST_EXACT, UsedData, thinned
from equiwarp.engine.measurements import Measurements, Standardised
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.density import gradient_norm, target_density
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, ReconstructionWarp, Warp
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.fast.local import local_mean_gradient
from equiwarp.gp.fast.slopes import Slopes, mean_gradient
from equiwarp.gp.kernels import Kernel, Matern52, Neumann
from equiwarp.gp.spacing import FittedLengthscale, refit_lengthscale, refit_size
from equiwarp.gp.success import CAUTION, SuccessModel
from equiwarp.strategy import Criterion, CriterionState, RoundInputs
from equiwarp.strategy.base import StandardisedAim
from equiwarp.strategy.chunked import WHOLE_POOL, ChunkedState

if TYPE_CHECKING:
    from equiwarp.strategy.aiming import Beliefs


@dataclass(frozen=True)
class RoundCache:
    """What one round may leave to the next: never needed, only faster.

    With ``keep_learnt``, what was learnt is taken as it is, although there may be newer values.
    """

    state: CriterionState | None = None
    fitted: FittedLengthscale | None = None
    gp: AcquisitionGP | None = None
    slopes: Slopes | None = None
    equalizer: Equalizer | None = None
    taken: Taken | None = None
    learnt: Any = None
    beliefs: Any = None
    keep_learnt: bool = False


@dataclass(frozen=True)
class Round:
    """What the method computes in one round, given the measurements so far.

    Parameters
    ----------
    configuration : RunConfiguration
        Of a strategy that scores a pool; a sequence fixed in advance has no round.
    measurements : Measurements
    cache : RoundCache
        What the round before has left.
    """

    configuration: RunConfiguration
    measurements: Measurements
    cache: RoundCache = field(default_factory=RoundCache)

    # What the acquisition GP sees, and its kernel

    @cached_property
    def used(self) -> UsedData:
        """All measurements, or what the strategy can use of very many."""
        engine, data = self.configuration.engine, self.measurements
        if not self.weighs_targets:  # nothing else keeps it away from what never is measured
            data = replace(data, pending=data.spoken_for[data.n :], avoided=None)
        count = len(data.locations)
        if count == 0 or engine == "exact" or (engine == "auto" and count <= MOST_EXACT):
            return UsedData(data)
        return thinned(self.configuration.strategy, data)

    @property
    def weighs_targets(self) -> bool:
        """Whether the criterion itself counts places by the aim and by the chance that they work."""
        criterion = self.configuration.strategy.criterion
        return isinstance(criterion, Criterion) and criterion.aims

    @cached_property
    def values(self) -> Standardised:
        configuration = self.configuration
        return self.used.measurements.standardise(configuration.lengthscale, configuration.response_scale)

    @cached_property
    def fitted(self) -> FittedLengthscale | None:
        """What the values say of the lengthscale; None under the spacing rule, which does not ask them."""
        configuration, known = self.configuration, self.cache.fitted
        rule, values = configuration.strategy.lengthscale, self.values
        if rule == "spacing":
            return None
        n = len(values.y) if rule == "refit" else refit_size(len(values.y))
        noise_var = values.noise_var[:n]
        # Centred by themselves: what the first n points say must not depend on what came later.
        y = values.varying[:n] - values.varying[:n].mean(axis=0) if n else values.varying
        if known is not None and known.rests_on(y, noise_var):
            return known
        Z = configuration.domain.embed(self.used.measurements.x[:n])
        ell = refit_lengthscale(configuration.domain, Z, y, noise_var, configuration.lengthscale)
        return FittedLengthscale(y, noise_var, ell)

    @cached_property
    def kernel(self) -> Kernel:
        """The acquisition kernel, with the fitted lengthscale if there is one."""
        ell = self.fitted.ell if self.fitted else self.configuration.lengthscale
        if self.configuration.strategy.kernel == "neumann":
            if not self.configuration.domain.has_faces:
                raise InvalidInput("the Neumann kernel reflects at the faces of a box; this domain has none")
            return Neumann(ell)
        return Matern52(ell)

    # Condition the acquisition GP, and evaluate the gradient of its mean at the probes

    @cached_property
    def gp(self) -> AcquisitionGP:
        """The unwarped acquisition GP. Pending points do not enter its mean."""
        Z = self.configuration.domain.embed(self.used.measurements.x)
        known, data = self.cache.gp, (self.kernel, Z, self.values.y, self.values.noise_var)
        return (known.extended(*data) if known else None) or AcquisitionGP.fit(*data)

    @cached_property
    def slopes(self) -> Slopes | None:
        """What the gradient is made of, kept from the second round on: then there may be more of them."""
        cache, kernel, Z = self.cache, self.kernel, self.gp.Z
        assert isinstance(kernel, Matern52)
        known = cache.slopes.extend(kernel, Z) if cache.slopes else None
        if known is None and cache.gp is not None:
            return Slopes.of(kernel, self.configuration.domain.embed(self.configuration.probes), Z)
        return known

    @cached_property
    def gradient(self) -> Array:
        """Gradient of the posterior mean at the probes, along the domain, ``(q, e, k)``."""
        domain, kernel, values = self.configuration.domain, self.kernel, self.values
        assert isinstance(kernel, Matern52)
        if self.used.local:
            Q, Z = domain.embed(self.configuration.probes), domain.embed(self.used.measurements.x)
            gradient = local_mean_gradient(kernel, Q, Z, values.y, values.noise_var)
        elif self.slopes:
            Q, gradient = self.slopes.Q, self.slopes.mean_gradient(self.gp.alpha)
        else:
            Q = domain.embed(self.configuration.probes)
            gradient = mean_gradient(kernel, Q, self.gp.Z, self.gp.alpha)
        for part in gradient.transpose(2, 0, 1):
            along = domain.tangent(Q, part)
            if along is not part:  # a flat domain gives back what it was given
                part[:] = along
        return gradient

    # Form the density and construct the transport map; look g up

    @cached_property
    def warp(self) -> Warp:
        """From points of the domain to the acquisition geometry."""
        configuration, data, kernel = self.configuration, self.used.measurements, self.kernel
        name = configuration.strategy.warp
        if name == "none" or len(data.x) == 0:
            return Identity(configuration.domain)
        if name == "kumaraswamy":
            assert isinstance(kernel, Matern52)
            values, rate = self.values, configuration.training_rate
            return KumaraswamyWarp.fit(
                configuration.domain, kernel, data.x, values.varying, values.noise_var, rate
            )
        density = target_density(gradient_norm(self.gradient), configuration.domain.continuous)
        return ReconstructionWarp.of(
            configuration.domain, configuration.probes, density, configuration.warp_grid
        )

    @cached_property
    def equalizer(self) -> Equalizer | None:
        """g over the pool for any number of points, if the strategy wants it."""
        if not self.configuration.strategy.equalizer:
            return None
        configuration, known = self.configuration, self.cache.equalizer
        fresh = Equalizer(configuration.domain, self.kernel, self.values.typical_noise, configuration.pool)
        return known if known is not None and known.same_tables(fresh) else fresh

    @cached_property
    def success(self) -> SuccessModel | None:
        """Where experiments work; None if none has failed."""
        lost = self.measurements.failed
        if lost is None or len(lost) == 0:
            return None
        return SuccessModel.of(self.configuration.domain, self.measurements.x, lost)

    @cached_property
    def works(self) -> Array | None:
        """The probability ``(m,)`` that an experiment at each pool point works; None if none has failed."""
        return None if self.success is None else self.success(self.configuration.pool)

    @cached_property
    def caution(self) -> Array | None:
        """What each pool point counts because it may fail, ``(m,)``; None if none has failed."""
        return self.works**CAUTION if self.works is not None and self.weighs_targets else self.works

    @cached_property
    def beliefs(self) -> Beliefs | None:
        """What is believed of the responses, where the aim asks and the criterion has no models itself."""
        aim = self.configuration.aim
        if aim is None or not aim.needs_beliefs or self.weighs_targets:
            return None
        from equiwarp.strategy.aiming import Beliefs

        return Beliefs.of(self.inputs, self.cache.beliefs)

    @cached_property
    def aimed(self) -> Array | None:
        """What each pool point counts for the aim, ``(m,)``; None if the score needs no such factor."""
        inputs = self.inputs
        if inputs.aim is None or self.weighs_targets:
            return None
        if self.beliefs is None:
            nothing = np.zeros((len(inputs.pool), inputs.y.shape[1]))
            return inputs.aim.weights(inputs.pool, nothing, nothing)
        return inputs.aim.weights(inputs.pool, *self.beliefs.at(inputs, inputs.pool))

    def weights(self, n: int) -> Array | None:
        """What the criterion is multiplied by, for a design of n points; None stands for 1 everywhere."""
        product = self.equalizer(n) if self.equalizer else None
        for factor in (self.caution, self.aimed):
            if factor is not None:
                product = factor if product is None else product * factor
        return product

    # Score the pool

    @cached_property
    def inputs(self) -> RoundInputs:
        """All that the criterion may see: pending points count for the variance like measured ones."""
        configuration, values, data = self.configuration, self.values, self.used.measurements
        pending_noise = np.full(len(data.pending), values.typical_noise**2)
        state, criterion, aim = self.cache.state, configuration.strategy.criterion, configuration.aim
        assert isinstance(criterion, Criterion)
        inputs = RoundInputs(
            domain=configuration.domain,
            kernel=self.kernel,
            warp=self.warp,
            x=data.locations,
            noise_var=np.concatenate([values.noise_var, pending_noise]),
            typical_noise=values.typical_noise,
            each_noise_var=values.each_noise_var,
            typical_noises=values.typical_noises,
            pool=configuration.pool,
            targets=configuration.targets,
            probes=configuration.probes,
            y=values.y,
            varying=values.varying,
            fixed_geometry=configuration.strategy.fixed_geometry and not self.used.local,
            known_neighbours=state.neighbours if state else None,
            shortlist=state.shortlist if state else None,
            local=self.used.local,
            aim=None if aim is None else StandardisedAim(aim, values.center, values.scale),
            works=self.success(configuration.targets) if self.success and self.weighs_targets else None,
        )
        known = self.cache.learnt
        kept = self.cache.keep_learnt and known is not None
        return replace(inputs, learnt=known if kept else criterion.learn(inputs, known))

    @cached_property
    def state(self) -> CriterionState:
        """What the criterion knows of the pool; the last round's state, extended, where that is the same."""
        criterion, inputs, known = self.configuration.strategy.criterion, self.inputs, self.cache.state
        assert isinstance(criterion, Criterion)
        if known is not None and inputs.fixed_geometry and known.fits(inputs):
            for z in inputs.Z[len(known.Z) :]:
                known = known.add(z)
            return known.refresh(inputs)
        if len(inputs.pool) > WHOLE_POOL:  # too long for the memory: scored in chunks
            return ChunkedState.of(criterion, inputs)
        return criterion.begin(inputs)

    @cached_property
    def taken(self) -> Taken:
        """Rows of the pool that were measured or handed out."""
        return Taken.of(self.configuration.pool_index, self.measurements.spoken_for, self.cache.taken)

    def spread_first(self, n: int) -> int:
        """How many points of a batch are spread evenly before the criterion chooses; none for an aim."""
        data, criterion = self.measurements, self.configuration.strategy.criterion
        if self.configuration.aim is not None or not isinstance(criterion, Criterion):
            return 0
        waiting = len(data.pending)
        return min(n, max(0, criterion.spread_first(data.n, waiting + n) - waiting))

    def leave(self, state: CriterionState) -> RoundCache:
        """What the next round may use, given the state after the choice."""
        conditioned = isinstance(self.warp, ReconstructionWarp) and not self.used.local
        gp, slopes = (self.gp, self.slopes) if conditioned else (None, None)
        return RoundCache(
            state, self.fitted, gp, slopes, self.equalizer, self.taken, self.inputs.learnt, self.beliefs
        )

    # Over the pool, for whoever draws it: ``(m,)`` each

    @cached_property
    def g(self) -> Array:
        """The equalizer for the present number of points; 1 if the strategy has none."""
        count = len(self.used.measurements.locations)
        return np.ones(len(self.configuration.pool)) if self.equalizer is None else self.equalizer(count)

    @cached_property
    def criterion(self) -> Array:
        """The criterion without g: for most strategies, the posterior variance through the warp."""
        return self.state.score()

    @property
    def score(self) -> Array:
        """What the strategy maximises."""
        weights = self.weights(len(self.used.measurements.locations))
        return self.criterion if weights is None else weights * self.criterion

    @cached_property
    def stretch(self) -> Array:
        """How much the warp stretches lengths."""
        return self.warp.stretch(self.configuration.pool)

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of the first response, standardised."""
        return self.gp.mean(self.configuration.domain.embed(self.configuration.pool))[:, 0]

    @cached_property
    def density(self) -> Array:
        """rho-hat, from the gradient of the mean at the pool itself."""
        domain = self.configuration.domain
        Q = domain.embed(self.configuration.pool)
        gradient = self.gp.mean_gradient(Q)
        along = np.stack([domain.tangent(Q, part) for part in np.moveaxis(gradient, 2, 0)], axis=2)
        return target_density(gradient_norm(along), domain.continuous)
