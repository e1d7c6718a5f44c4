"""The map: what is known of the function, how wrong it may be, and what more experiments would bring.

The models of :mod:`equiwarp.models` draw it; `error`, `forecast` and `stopping` beside this file say
the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import whole
from equiwarp._util.display import html_of
from equiwarp._util.magnitude import SMALL, unit_of
from equiwarp._util.progress import Progress, part_of
from equiwarp._util.seeds import stream
from equiwarp._util.text import several
from equiwarp.aims import Aim, BoundAim
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import require_domain
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.missing import fill_missing
from equiwarp.engine.naming import name_responses
from equiwarp.engine.reading import named_columns, placed, read_points, read_values
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.posterior import RowNumbers
from equiwarp.gp.success import SuccessModel
from equiwarp.maps.aiming import AimReport, aim_report, aimed_points
from equiwarp.maps.diagnostics import MapFinding, diagnose
from equiwarp.maps.error import ERROR_POINTS, ErrorEstimate, correction_of, count_places, estimate_error
from equiwarp.maps.forecast import Forecast, forecast_of
from equiwarp.maps.naming import rows_without
from equiwarp.maps.noise import KnownNoise, assumed_noise, borne_out, fit_with_limits, usual_noise
from equiwarp.maps.prediction import Prediction
from equiwarp.maps.prior import Prior, differences, scale_of
from equiwarp.maps.prior_map import read_prior
from equiwarp.maps.prior_worth import PriorWorth, worth_of
from equiwarp.maps.sensitivity import Sensitivity, sensitivity_of
from equiwarp.maps.stopping import StopAdvice, StopRule, advise
from equiwarp.maps.unmeasured import Unmeasured
from equiwarp.models import DEFAULT_MODELS, MapModel, find_model, read_models
from equiwarp.models.average import Average, fit_average
from equiwarp.models.base import FitResult
from equiwarp.models.informed import fit_informed
from equiwarp.models.rescaled import Rescaled
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy

#: The plain map of the paper: one family that suits every domain and is quick to fit.
PLAIN = "matern"


@dataclass(frozen=True, repr=False)
class Map:
    """What is known of the function: predictions, their error, and what more experiments would bring.

    :func:`build_map` makes one from measurements, :meth:`Campaign.map` from a campaign.

    Attributes
    ----------
    domain : Domain
        Where one can measure.
    x : (n, columns) array
        The measured points, in the domain's units.
    y : (n, k) array
        The measured values of k responses, in their units; NaN where a response was not measured.
    noise : (n, k) array or None
        Their standard deviations; NaN for a response of which nobody stated any, None if nobody did at all.
        The map estimates them.
    pending : (p, columns) array
        Points that were handed out and are not measured yet.
    models : tuple of MapModel
        The fitted model of each response: an average of several families, or a single one.
    strategy : str or Strategy
        The strategy that :meth:`forecast` assumes for the next experiments.
    seed : int
        For the points over which the error is averaged, and for the forecast.
    families : tuple of str
        The families that the models were averaged from.
    responses, units : tuple of str
        What is measured, by name, and in which units.
    ids : tuple of int
        The experiments' numbers, if they have any; otherwise rows are counted from 0.
    failed : (f, columns) array or None
        Points at which experiments did not work.
    prior : Prior or None
        What was believed before the first measurement.
    aim : Aim
        Where the map has to be good: its weight enters error, forecast and stop rule.
    width : (n, k) array or None
        By how much more a value may be off because it is a detection limit, as a standard deviation: 0 of
        others, None if there is none.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> m
    Map(1 response, 3 measurements, Box({'x1': (0, 1)}))
    >>> m.predict([[0.5]]).mean.shape
    (1, 1)
    >>> m.forecast(2).shape
    (3, 1)
    """

    domain: Domain
    x: Array
    y: Array
    noise: Array | None
    pending: Array
    models: tuple[MapModel, ...]
    strategy: str | Strategy
    seed: int
    families: tuple[str, ...] = DEFAULT_MODELS
    responses: tuple[str, ...] = ("value",)
    units: tuple[str, ...] = ("",)
    ids: tuple[int, ...] = ()
    failed: Array | None = None
    prior: Prior | None = None
    aim: Aim = field(default_factory=Aim)
    width: Array | None = None

    def __repr__(self) -> str:
        return f"Map({several(len(self.models), 'response')}, {self._measured()}, {self.domain!r})"

    def __str__(self) -> str:
        """A summary: how much was measured, where, and how wrong the map of each response may be."""
        errors = []
        for name, unit, e in zip(self.responses, self.units, self.error(), strict=True):
            numbers = f"error {e.value:.4g}, leave-one-out {e.leave_one_out:.4g}, noise {e.noise:.4g} {unit}"
            errors.append(f"  {name}: {numbers.rstrip()}")
        return "\n".join([f"Map from {self._measured()} over {self.domain!r}", *errors])

    def _measured(self) -> str:
        waiting = f" ({len(self.pending)} pending)" if len(self.pending) else ""
        return several(len(self.x), "measurement") + waiting

    def predict(self, points: Any) -> Prediction:
        """Predict the responses at points of the domain.

        Parameters
        ----------
        points : (n, columns) array-like, dict of columns or dataframe
            In the domain's units.

        Returns
        -------
        Prediction
            Mean and standard deviation of each response, ``(n, k)`` each, in the units of the responses.

        Raises
        ------
        InvalidInput
            If a point lies outside the domain; the message says which and why.
        """
        return Prediction(*self.believed(read_points(self.domain, points)))

    def believed(self, x: Array) -> tuple[Array, Array]:
        """Mean and deviation of each response at points that have been read.

        Parameters
        ----------
        x : (m, columns) array
            In the domain's units.

        Returns
        -------
        tuple of (m, k) arrays
        """
        pairs = [
            model.predict(self.coordinates(x, j), return_std=True) for j, model in enumerate(self.models)
        ]
        return (
            np.column_stack([mean for mean, _ in pairs]),
            np.column_stack([factor * sd for factor, (_, sd) in zip(self.corrections, pairs, strict=True)]),
        )

    def coordinates(self, x: Array, j: int = 0) -> Array:
        """Where points lie for the model of response j: kernel coordinates, and what a prior says there.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units; they may lie outside.
        j : int
            Which response.

        Returns
        -------
        (n, e) or (n, e + 1) array
        """
        Z = self.domain.embed(x)
        if self.prior is None or not self.prior.knows(j):
            return Z
        return np.column_stack([Z, self.prior.at(x, j)])

    def works(self, points: Any) -> Array:
        """The probability that an experiment works, learnt from those that did and those that failed.

        Parameters
        ----------
        points : (n, columns) array-like, dict of columns or dataframe
            In the domain's units.

        Returns
        -------
        (n,) array
            Numbers from 0 to 1; 1 everywhere if no experiment has failed.

        Raises
        ------
        InvalidInput
            If a point lies outside the domain; the message says which and why.

        Examples
        --------
        >>> import equiwarp as ew
        >>> oven = ew.Box({"temperature": (20, 90)})
        >>> m = ew.build_map(oven, [[20], [35], [50]], [1.0, 2.0, 2.5], 0.1, failed=[[75], [80], [90]])
        >>> bool(m.works([[30]])[0] > 0.75 and m.works([[85]])[0] < 0.25)
        True
        """
        return self._success(read_points(self.domain, points))

    @cached_property
    def _success(self) -> SuccessModel:
        inside = self.x[self.domain.contains(self.x)]
        lost = np.empty((0, self.domain.columns)) if self.failed is None else self.failed
        return SuccessModel.of(self.domain, inside, lost)

    def error(self) -> tuple[ErrorEstimate, ...]:
        """How wrong the map is expected to be now.

        Returns
        -------
        tuple of ErrorEstimate
            One per response, in its units.
        """
        return self._errors

    @cached_property
    def _errors(self) -> tuple[ErrorEstimate, ...]:
        Z, known, x = self.domain.embed(self.x), ~np.isnan(self.y), self.judged_points
        return tuple(
            estimate_error(model, count_places(Z[rows]), self.corrections[j], self.coordinates(x, j))
            for j, (model, rows) in enumerate(zip(self.models, known.T, strict=True))
        )

    @cached_property
    def corrections(self) -> tuple[float, ...]:
        """By how much the deviation of each response's model is multiplied; see :class:`ErrorEstimate`."""
        Z, known = self.domain.embed(self.x), ~np.isnan(self.y)
        return tuple(
            correction_of(model, Z[rows], self.assumed_noise(j, rows), self.everywhere, self.domain.dim)
            for j, (model, rows) in enumerate(zip(self.models, known.T, strict=True))
        )

    @property
    def known_noise(self) -> KnownNoise:
        """What was known of the noise before the map was fitted."""
        return KnownNoise(self.noise, self.width)

    def assumed_noise(self, j: int, rows: RowNumbers | NDArray[np.bool_] | None = None) -> Array | None:
        """Standard deviations that the map takes the values of a response to have.

        Parameters
        ----------
        j : int
            Which response.
        rows : (r,) array, optional
            Of which measurements; all by default.

        Returns
        -------
        (r,) array or None
            None if they are all the same, and the model's estimate.
        """
        every = np.arange(len(self.x)) if rows is None else rows
        stated, width = self.credible_noise[j], self.known_noise.of(j, every)[1]
        return assumed_noise(self.models[j], None if stated is None else stated[every], width)

    @cached_property
    def credible_noise(self) -> tuple[Array | None, ...]:
        """Stated noise ``(n,)`` of each response, raised where its repeats refute it; None if unstated."""
        return tuple(self._credible_noise(j) for j in range(len(self.models)))

    def _credible_noise(self, j: int) -> Array | None:
        rows = np.flatnonzero(~np.isnan(self.y[:, j]))
        stated, width = self.known_noise.of(j, rows)
        if self.noise is None or stated is None:
            return None
        found = self.noise[:, j].copy()
        found[rows] = borne_out(self.domain.embed(self.x[rows]), self.y[rows, j], stated, width)
        return found

    def aimed(self) -> AimReport | None:
        """Say what has become of the map's aim: how much of the domain counts, how well levels are known.

        Returns
        -------
        AimReport or None
            ``str()`` of it is a sentence for people. None if the map is to be good everywhere.
        """
        return self._aimed

    @cached_property
    def _aimed(self) -> AimReport | None:
        return aim_report(self)

    @cached_property
    def bound_aim(self) -> BoundAim | None:
        """The aim on the map's domain and responses; None if it is everywhere."""
        return self.aim.on(self.domain, self.responses, self.units)

    def forecast(self, n: int) -> Forecast:
        """How wrong the map is expected to be after further experiments.

        Pending experiments are the first of them. The forecast cannot foresee surprises.

        Parameters
        ----------
        n : int
            How many experiments to look ahead.

        Returns
        -------
        Forecast
            The error of each response, in its units, after 0, 1, ..., n more experiments, with a band. It
            serves as an array of shape (n + 1, k). There are fewer rows where a list of candidates ends.

        Raises
        ------
        InvalidInput
            If n is negative.
        """
        return forecast_of(self, whole(n, "n", 0))

    def stop(self, rule: StopRule, horizon: int = 5) -> StopAdvice:
        """Say whether mapping may stop under a rule. Every response that it limits must keep to its limit.

        Parameters
        ----------
        rule : StopRule
            What is good enough.
        horizon : int
            Number of future experiments over which the gain is averaged, at least 1; fewer where a list of
            candidates ends.

        Returns
        -------
        StopAdvice
            Yes or no, and why.

        Raises
        ------
        InvalidInput
            If the rule names a response that is not measured, or horizon is below 1.
        """
        return advise(self, rule, horizon)

    def diagnostics(self) -> tuple[MapFinding, ...]:
        """Say where data and model disagree, and what else one should know of the map.

        Values that the others contradict, noise that the data contradict or that could not be estimated,
        drift, no structure, constant values, parameters without visible effect, edges where the function
        still rises. It fits one family of the map again several times.

        Returns
        -------
        tuple of MapFinding
            Each a sentence with the experiments' numbers and what to do; empty if there is nothing to say.
        """
        return self._findings

    @cached_property
    def _findings(self) -> tuple[MapFinding, ...]:
        return diagnose(self)

    def sensitivity(self, progress: Progress | None = None) -> Sensitivity:
        """Say which parameters matter for the map, by how much, and how sure that is.

        It fits one family of the map again ten times.

        Parameters
        ----------
        progress : callable, optional
            Is told ``(done, total)`` after each of these fits.

        Returns
        -------
        Sensitivity
            First-order and total Sobol' indices with intervals, and main effects with bands.
        """
        return sensitivity_of(self, progress)

    def without(self, experiments: Iterable[int]) -> Map:
        """Fit the map again without some measurements, such as those that the others contradict.

        Parameters
        ----------
        experiments : iterable of int
            Their numbers as in a :class:`MapFinding`: ids in the map of a campaign, otherwise rows from 0.

        Returns
        -------
        Map

        Raises
        ------
        InvalidInput
            If there is no such measurement, or none is left.
        """
        return self.refitted(rows_without(self.ids, len(self.x), experiments), self.noise)

    def refitted(
        self,
        rows: RowNumbers,
        noise: Array | None,
        models: Sequence[str] | str | None = None,
        progress: Progress | None = None,
    ) -> Map:
        """Fit the same map again to some of its measurements, with other noise or from other families.

        Parameters
        ----------
        rows : (r,) array of int
            Which measurements to use.
        noise : (n, k) array or None
            Standard deviations of all n measurements; None estimates them.
        models : str or sequence of str, optional
            Families as in :func:`build_map`; by default those of this map.
        progress : callable, optional
            As in :func:`build_map`.

        Returns
        -------
        Map
        """
        fitted = build_map(
            self.domain,
            self.x[rows],
            self.y[rows],
            KnownNoise(noise, self.width).at(rows),
            pending=self.pending,
            strategy=self.strategy,
            seed=self.seed,
            models=self.families if models is None else models,
            responses=dict(zip(self.responses, self.units, strict=True)),
            prior=self.prior,
            aim=self.aim,
            progress=progress,
        )
        return replace(fitted, ids=tuple(self.ids[i] for i in rows) if self.ids else ())

    def _repr_html_(self) -> str:
        return html_of(self)

    def prior_worth(self) -> tuple[PriorWorth | None, ...]:
        """Say what the prior is worth: its scale, how much it counts, and what it accounts for.

        Returns
        -------
        tuple of PriorWorth or None
            One per response; None for a response of which the prior says nothing.
        """
        return tuple(worth_of(self, j) for j in range(len(self.models)))

    def without_prior(self) -> Map:
        """Fit the same measurements as if there were no prior.

        Returns
        -------
        Map
        """
        return replace(self, prior=None).refitted(np.arange(len(self.x)), self.noise)

    def rests_on(
        self, domain: Domain, x: Array, y: Array, noise: KnownNoise, families: tuple[str, ...]
    ) -> bool:
        """Say whether the map was fitted to just these measurements, so that it need not be fitted again.

        Parameters
        ----------
        domain : Domain
        x, y : (n, columns) and (n, k) arrays
        noise : KnownNoise
        families : tuple of str
            The models to average.

        Returns
        -------
        bool
        """
        if (self.domain, self.families) != (domain, families):
            return False
        return (
            self.known_noise.same(noise)
            and np.array_equal(self.x, x)
            and np.array_equal(self.y, y, equal_nan=True)
        )

    @property
    def plain_family(self) -> str:
        """The family that is fitted again where the whole average would take long."""
        return self.families[0] if len(self.families) == 1 else PLAIN

    @cached_property
    def measurements(self) -> Measurements:
        """Those that lie in the domain, with the pending points: what a strategy goes on from."""
        inside = self.domain.contains(self.x)
        noise, y = self._noise_of_all(inside), self.y[inside]
        if self.prior is not None and self.bound_aim is None:
            y = differences(self.prior, self.domain, self.x[inside], y)[0]
        y = fill_missing(self.domain, self.x[inside], y, noise)
        return Measurements(self.domain, self.x[inside], y, noise, self.pending, self.failed)

    def _noise_of_all(self, rows: RowNumbers | NDArray[np.bool_]) -> Array | None:
        """Noise ``(r, k)`` of all responses, as a strategy wants it: all known, or None if none is."""
        each = [self.assumed_noise(j, rows) for j in range(len(self.models))]
        if all(noise is None for noise in each):
            return None
        n = len(self.x[rows])
        return np.column_stack(
            [
                np.full(n, usual_noise(model)) if noise is None else noise
                for model, noise in zip(self.models, each, strict=True)
            ]
        )

    @cached_property
    def everywhere(self) -> Array:
        """Kernel coordinates of points all over the domain: thinner where experiments fail."""
        return self.domain.embed(self._all_over)

    @cached_property
    def _all_over(self) -> Array:
        return self.sample_where_it_works(ERROR_POINTS)

    @cached_property
    def judged_points(self) -> Array:
        """Points ``(m, columns)`` over which errors are averaged: everywhere, or as the aim weighs places."""
        aim = self.bound_aim
        return self._all_over if aim is None else aimed_points(self, aim)

    @cached_property
    def judged(self) -> Array:
        """Kernel coordinates of those."""
        return self.domain.embed(self.judged_points)

    def sample_where_it_works(self, n: int) -> Array:
        """Draw about n points of the domain, fewer where experiments fail.

        Parameters
        ----------
        n : int

        Returns
        -------
        (m, columns) array
        """
        x = self.domain.everywhere(n, stream(self.seed, "error"))
        if self.failed is None or not len(self.failed):
            return x
        keep = stream(self.seed, "works").random(len(x)) < self._success(x)
        return x[keep] if keep.sum() >= n // 8 else x


def build_map(
    domain: Domain,
    x: Any,
    y: Any,
    noise: Any = None,
    *,
    pending: Any = None,
    failed: Any = None,
    strategy: str | Strategy = DEFAULT_STRATEGY,
    seed: int = 0,
    models: Sequence[str] | str = DEFAULT_MODELS,
    earlier: Map | None = None,
    responses: Sequence[str] | Mapping[str, str] | None = None,
    prior: Any = None,
    aim: Aim | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Map:
    """Fit a map to measurements, without a campaign.

    Parameters
    ----------
    domain : Domain
        Where one can measure.
    x : (n, columns) array-like, dict of columns or dataframe
        The measured points in the domain's units. Points outside the domain are used, too.
    y : (n,) or (n, k) array-like, or dataframe
        The measured values of one response or of k, in their units. Of several responses, some may be NaN:
        each is mapped from the points where it was measured.
    noise : float or array-like, optional
        Standard deviation of a measurement in the units of y: one number, or one per response, per point or
        per value; by the responses' names in a mapping or a dataframe. None estimates it, in a mapping that
        of one response. Where repeats clearly scatter by more, the map counts on what they show.
    pending : like x, optional
        Points that were handed out and are not measured yet; the forecast counts them as measured.
    failed : like x, optional
        Points at which the experiment did not work; :meth:`Map.works` learns from them.
    strategy : str or Strategy
        The strategy that the forecast assumes for the next experiments.
    seed : int
        For the points over which the error is averaged, and for the forecast.
    models : str or sequence of str
        The families of models whose average predicts; those that do not suit the domain are left out.
        ``("matern",)`` is the plain map of the paper. Other packages register theirs under the entry points
        ``equiwarp.models``.
    earlier : Map, optional
        A map of the same campaign from fewer measurements: its hyperparameters are a good place to start.
    responses : sequence of str or mapping, optional
        Names of the responses, or their units by name. Those that y's columns have belong to these; others
        are new names in their order. By default they are the columns of a dataframe, or "value" (several:
        "value1", "value2", ...).
    prior : Map, Campaign or callable, optional
        What is believed of the function: a map or a campaign, or a function of points ``(n, columns)`` that
        returns ``(n,)`` or ``(n, k)`` values. The map learns its scale, offset and the difference, and lets
        it count for as much as it helps.
    aim : Aim or mapping, optional
        Where the map has to be good, such as ``ew.Aim(near=60)``; everywhere by default. Its weight enters
        the map's error, forecast and stop rule.
    progress : callable, optional
        Is told ``(done, total)`` after each model: how many are fitted, of how many.

    Returns
    -------
    Map
        With one fitted model per response.

    Raises
    ------
    InvalidInput
        If there is no measurement, a value is not a finite number, an aim is at an unknown response, or a
        point cannot be placed on the domain's scale, such as a negative one on a log scale.
    MissingPart
        If another package offers the family of models and cannot be loaded.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> len(m.error())
    1
    """
    names, wanted = read_models(models), Aim.of(aim)
    points = read_points(require_domain(domain), x, "x", inside=False)
    values = read_values(y, len(points), missing=True)
    if len(points) == 0:
        raise InvalidInput("there is no map without a measurement: tell at least one value first")
    called, units = name_responses(responses, y, values.shape[1])
    named = responses is not None or named_columns(y) is not None
    deviations = KnownNoise.read(noise, values, called, named)
    waiting = np.empty((0, domain.columns)) if pending is None else read_points(domain, pending, "pending")
    for row in np.flatnonzero(~placed(domain, points))[:1]:
        raise InvalidInput(f"x, row {row}: {points[row].tolist()} cannot be placed on the domain's scale")
    Z = domain.embed(points)
    believed = None if prior is None else read_prior(prior).bound_to(domain, called)
    known = _known_before(believed, points, values.shape[1])
    if (
        earlier is not None
        and earlier.prior == believed
        and earlier.rests_on(domain, points, values, deviations, names)
    ):
        fitted = earlier.models
    else:
        families, starts = _suited(names, domain), () if earlier is None else earlier.models
        fitted = tuple(
            _model_of(
                families,
                domain,
                Z,
                values[:, j],
                deviations.of(j, ~np.isnan(values[:, j])),
                starts[j].hyperparameters_ if j < len(starts) else {},
                known[j],
                None if progress is None else part_of(progress, j, values.shape[1]),
            )
            for j in range(values.shape[1])
        )
    wanted.on(domain, called)  # an aim that cannot be meant is refused here
    lost = None if failed is None else read_points(domain, failed, "failed")
    fixed = (strategy, seed, names, called, units)
    return Map(
        domain, points, values, deviations.stated, waiting, fitted, *fixed,
        failed=lost, prior=believed, aim=wanted, width=deviations.width,
    )  # fmt: skip


def _model_of(
    families: Mapping[str, type[MapModel]],
    domain: Domain,
    Z: Array,
    y: Array,
    noise: tuple[Array | None, Array | None],
    earlier: FitResult,
    believed: Array | None,
    progress: Progress | None,
) -> MapModel:
    """The model of one response, from the rows ``(n, e)`` where it was measured; ``believed`` ``(n,)``.

    ``noise`` is what was stated of those rows, and how wide their limits are.
    """
    known = ~np.isnan(y)
    if not known.any():
        return Unmeasured()
    Z, y = Z[known], y[known]
    (stated, width), prior = noise, None if believed is None else believed[known]
    stated = None if stated is None else borne_out(Z, y, stated, width)
    unit = unit_of(y, stated) if np.abs(y).max() < SMALL else 1.0
    y, stated, width = y / unit, *(None if part is None else part / unit for part in (stated, width))
    if prior is None:

        def fit(rows: RowNumbers | slice, noise: Array | None, earlier: FitResult) -> Average:
            return fit_average(families, domain, Z[rows], y[rows], noise, earlier, progress=progress)

    else:
        scale = scale_of(Z, prior / unit, y).value
        Z = np.column_stack([Z, prior / unit])

        def fit(rows: RowNumbers | slice, noise: Array | None, earlier: FitResult) -> Average:
            return fit_informed(families, domain, Z[rows], y[rows], noise, scale, earlier, progress)

    fitted = fit_with_limits(fit, stated, width, earlier)
    return fitted if unit == 1.0 else Rescaled(fitted, unit, prior is not None)


def _known_before(prior: Prior | None, x: Array, k: int) -> list[Array | None]:
    """What a prior says of each of k responses at points, ``(n,)`` each; None where it says nothing."""
    if prior is None:
        return [None] * k
    return [prior.at(x, j) if prior.knows(j) else None for j in range(k)]


def _suited(names: Sequence[str], domain: Domain) -> dict[str, type[MapModel]]:
    """The families that make sense on a domain, by name."""
    families = {name: find_model(name) for name in names}
    suited = {name: family for name, family in families.items() if family.applies(domain)}
    if not suited:
        raise InvalidInput(f"{', '.join(names)}: no such model is for {domain!r}; choose matern as well")
    return suited
