"""Laws of a map model on one domain: what the map, its error and its forecast rely on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import norm

from equiwarp.domains import Array
from equiwarp.models.base import MapModel
from equiwarp.testing.conformance import Laws
from equiwarp.testing.drawing import FALSE_ALARM, first_row, generator, global_seed
from equiwarp.testing.model_trial import NOISE, PLACES, REPEATS, ModelTrial

#: Rounding and the last steps of a fit may move a prediction by this share of the values' deviation.
CLOSE = 0.02
#: Hyperparameters may be those of the fit to all values: residuals and, in the middle, their deviations may
#: differ by these factors from those of fits without each value.
RESIDUALS_APART, DEVIATIONS_APART = 1.9, 1.6
#: Of a family that says by its handicap that its residuals are too small.
HANDICAPPED_APART = 3.0
#: Places of a fit to few values: hyperparameters are uncertain there, and deviations are only compared with
#: what the repeats of a value would tell of it.
FEW = 7
FROM_REPEATS = 1.2 * NOISE * float(np.sqrt(1 + 1 / (REPEATS - 1)))
#: A value of no worth may move predictions by this share of the values' deviation: fits have last steps.
WORTHLESS = 0.2
#: Noise that repeats show may be estimated wrongly by this factor.
ESTIMATE_APART = 2.0
#: By this factor at least a model must miss values by less once it was given them.
BETTER = 0.9
#: Functions that are drawn, and how many points of each are looked at.
DRAWS, DRAWN_AT = 2000, 4


def _shaped(name: str, found: object, *shape: int) -> str | None:
    """Why something is not an array of finite numbers of a shape; None if it is."""
    if not isinstance(found, np.ndarray) or found.shape != shape:
        return f"{name} has the shape {getattr(found, 'shape', None)}, not {shape}"
    row = first_row(~np.isfinite(found)) if len(found) else None
    return None if row is None else f"{name} is not finite: row {row}, {found[row]}"


def is_a_model(trial: ModelTrial) -> str | None:
    model = trial.model
    if not isinstance(model, MapModel):
        return f"fit_map gave {model!r}"
    if not (np.isfinite(model.noise_) and model.noise_ >= 0):
        return f"noise_ = {model.noise_}"
    if not np.isclose(model.noise_, NOISE, rtol=0.01):
        return f"noise_ = {model.noise_:g}, while a noise of {NOISE:g} was stated for every value"
    if not isinstance(model.hyperparameters_, Mapping):
        return f"hyperparameters_ = {model.hyperparameters_!r}, not by name"
    return None


def predicts(trial: ModelTrial) -> str | None:
    X = trial.places
    mean, (same, deviation) = trial.model.predict(X), trial.model.predict(X, return_std=True)
    for name, found in (
        ("the mean", mean),
        ("the mean beside a deviation", same),
        ("the deviation", deviation),
    ):
        problem = _shaped(name, found, len(X))
        if problem is not None:
            return problem
    row = first_row(deviation < 0)
    if row is not None:
        return f"the deviation at place {row} is {deviation[row]:g}"
    if not np.allclose(mean, same, atol=1e-9 * trial.scale):
        return f"the mean at place 0 is {mean[0]:g}, and {same[0]:g} when the deviation is asked for, too"
    alone = trial.model.predict(X[3:4])[0]
    if abs(alone - mean[3]) > 1e-6 * trial.scale:
        return f"place 3 alone: {alone:g}, among others: {mean[3]:g}"
    return _shaped("the mean of no place", trial.model.predict(X[:0]), 0)


def by_input_alone(trial: ModelTrial) -> str | None:
    found = []
    for seed in (1, 2):
        with global_seed(seed):
            found.append(trial.fit(trial.Z, trial.y).predict(trial.places))
    row = first_row(found[0] != found[1])
    return (
        None if row is None else f"place {row}: {found[0][row]:.9g}, and {found[1][row]:.9g} the second time"
    )


def covariances(trial: ModelTrial) -> str | None:
    X, model = trial.places, trial.model
    C, deviation = model.covariance(X, X), model.predict(X, return_std=True)[1]
    problem = _shaped("the covariance", C, len(X), len(X))
    problem = problem or _shaped("the covariance", model.covariance(X[:3], X), 3, len(X))
    if problem is not None:
        return problem
    size = max(float(C.diagonal().max()), 1e-12 * trial.scale**2)
    row = first_row(np.abs(C.diagonal() - deviation**2) > 1e-4 * size)
    if row is not None:
        square = deviation[row] ** 2
        return f"place {row}: variance {C[row, row]:g}, deviation {deviation[row]:g} (its square {square:g})"
    row = first_row(np.abs(C - C.T) > 1e-6 * size)
    if row is not None:
        return f"it is not symmetric: row {row}, {C[row, :3]} against {C[:3, row]}"
    least = float(np.linalg.eigvalsh((C + C.T) / 2).min())
    if least < -1e-4 * size:
        return f"a combination of places has the variance {least:g}; the largest of one place is {size:g}"
    row = first_row(np.abs(model.covariance(X[:3], X) - C[:3]) > 1e-6 * size)
    return None if row is None else f"place {row}: its covariance depends on which places are asked for"


def measurement_order(trial: ModelTrial) -> str | None:
    order = np.roll(np.arange(len(trial.y)), PLACES // 2)
    return _moved(trial, trial.fit(trial.Z[order], trial.y[order]), "in another order")


def earlier_fit(trial: ModelTrial) -> str | None:
    again = trial.fit(trial.Z, trial.y, earlier=trial.model.hyperparameters_)
    part = trial.fit(trial.Z[:8], trial.y[:8])
    grown = trial.fit(trial.Z, trial.y, earlier=part.hyperparameters_)
    return _moved(trial, again, "from its own hyperparameters") or _shaped(
        "the mean after a start from fewer values", grown.predict(trial.places), len(trial.places)
    )


def _moved(trial: ModelTrial, other: MapModel, how: str) -> str | None:
    """Where another fit to the same values predicts something else; None if nowhere."""
    here, there = trial.model.predict(trial.places), other.predict(trial.places)
    row = first_row(np.abs(here - there) > CLOSE * trial.scale)
    return None if row is None else f"place {row}: {here[row]:g}, fitted {how} {there[row]:g}"


def leaves_out(trial: ModelTrial) -> str | None:
    residual, deviation = trial.model.leave_one_out()
    n = len(trial.y)
    problem = _shaped("the residual", residual, n) or _shaped("the deviation", deviation, n)
    if problem is not None:
        return problem
    rows = np.arange(1, PLACES)  # the first place was measured again, and has a law of its own
    true, expected = _without(trial)
    z, true_z = residual[rows] / expected[rows], true[rows] / expected[rows]
    share = float(z @ true_z / (true_z @ true_z))
    most = HANDICAPPED_APART if trial.family.handicap(trial.Z.shape[1]) > 0 else RESIDUALS_APART
    if not 1 / most < share < RESIDUALS_APART:
        worst = rows[int(np.argmax(np.abs(residual[rows] - true[rows])))]
        return (
            f"residuals are {share:.2g} times those of fits without each value; value {worst}: "
            f"{residual[worst]:g} against {true[worst]:g}"
        )
    ratio = float(np.exp(np.median(np.log(deviation[rows] / expected[rows]))))
    if not 1 / DEVIATIONS_APART < ratio < DEVIATIONS_APART:
        return f"deviations are {ratio:.2g} times those of fits without each value, with its noise"
    return None


def repeats_leave_together(trial: ModelTrial) -> str | None:
    # Few other places: without the first one, far less is known there than its repeats would tell.
    rows = np.array([*range(FEW), *range(PLACES, len(trial.y))])
    residual, deviation = trial.fit(trial.Z[rows], trial.y[rows]).leave_one_out()
    others = trial.fit(trial.Z[1:FEW], trial.y[1:FEW])
    expected = float(np.hypot(others.predict(trial.Z[:1], return_std=True)[1][0], NOISE))
    for i in (0, FEW):
        if deviation[i] < FROM_REPEATS < 0.5 * expected:
            return (
                f"value {i}, at a place that was measured {REPEATS} times, is missed by {residual[i]:g} ± "
                f"{deviation[i]:g}; a fit without that place expects ± {expected:g}"
            )
    return None


def noise_is_in_it(trial: ModelTrial) -> str | None:
    deviation = trial.model.leave_one_out()[1]
    row = first_row(deviation < 0.999 * NOISE)
    return None if row is None else f"value {row}: {deviation[row]:g}, while the noise alone is {NOISE:g}"


def noise_is_not_in_predictions(trial: ModelTrial) -> str | None:
    deviation = float(trial.model.predict(trial.Z[:1], return_std=True)[1][0])
    if deviation < NOISE:
        return None
    return f"at a place that was measured {REPEATS} times with noise {NOISE:g} the deviation is {deviation:g}"


def noise_of_each(trial: ModelTrial) -> str | None:
    wrong = PLACES // 2
    rows = np.arange(len(trial.y)) != wrong
    off, noise = trial.y.copy(), np.full(len(trial.y), NOISE)
    off[wrong] += 5.0 * trial.scale
    noise[wrong] = 1e3 * trial.scale
    here, there = (
        model.predict(trial.Z)
        for model in (trial.fit(trial.Z[rows], trial.y[rows]), trial.fit(trial.Z, off, noise))
    )
    row = first_row(np.abs(here - there) > WORTHLESS * trial.scale)
    if row is None:
        return None
    return (
        f"value {wrong} is off, and its noise of {noise[wrong]:g} says so; place {row} is predicted as "
        f"{there[row]:g}, and without that value as {here[row]:g}"
    )


def noise_is_estimated(trial: ModelTrial) -> str | None:
    Z, loud = np.repeat(trial.Z[:PLACES], REPEATS, axis=0), 0.5 * trial.scale
    y = np.repeat(trial.y[:PLACES], REPEATS) + loud * generator(3).standard_normal(len(Z))
    found = trial.fit(Z, y, None).noise_
    if 1 / ESTIMATE_APART < found / loud < ESTIMATE_APART:
        return None
    return (
        f"{PLACES} places were measured {REPEATS} times each; they scatter by {loud:g}, noise_ is {found:g}"
    )


def takes_more(trial: ModelTrial) -> str | None:
    few = trial.fit(trial.Z[: PLACES // 2], trial.y[: PLACES // 2])
    more = few.conditioned_on(trial.domain, trial.Z, trial.y, np.full(len(trial.y), NOISE))
    before, after = (float(np.sqrt(np.mean((m.predict(trial.Z) - trial.y) ** 2))) for m in (few, more))
    if after < max(BETTER * before, 2.0 * NOISE):
        return None
    return (
        f"a fit to {PLACES // 2} values misses all {len(trial.y)} by {before:g} in the mean; conditioned_on "
        f"all of them it misses them by {after:g}"
    )


def _without(trial: ModelTrial) -> tuple[Array, Array]:
    """Residuals and deviations ``(n,)`` of each value against a fit without its place."""
    pairs = [m.predict(z[None], return_std=True) for m, z in zip(trial.others, trial.Z, strict=True)]
    mean, sd = (np.array([float(part[0]) for part in column]) for column in zip(*pairs, strict=True))
    return trial.y - mean, np.hypot(sd, NOISE)


def draws(trial: ModelTrial) -> str | None:
    X, model = trial.places[:DRAWN_AT], trial.model
    drawn = model.draw(X, DRAWS, seed=1)
    problem = _shaped("what is drawn", drawn, DRAWS, len(X))
    if problem is not None:
        return problem
    if not np.array_equal(drawn, model.draw(X, DRAWS, seed=1)):
        return "the same seed draws other functions the second time"
    if np.array_equal(drawn, model.draw(X, DRAWS, seed=2)):
        return "another seed draws the same functions"
    C, far = model.covariance(X, X), float(norm.isf(FALSE_ALARM / 40))
    size = max(float(np.sqrt(C.diagonal().max())), 1e-6 * trial.scale)
    off = np.abs(drawn.mean(axis=0) - model.predict(X)) / size * np.sqrt(DRAWS)
    if off.max() > far:
        return f"the mean of {DRAWS} draws at place {off.argmax()} is off by {off.max():.1f} standard errors"
    # A mixture has heavier tails than one normal distribution: twice its error.
    off = np.abs(np.cov(drawn.T) - C) / size**2 * np.sqrt(DRAWS / 2)
    if off.max() > 2 * far:
        i, j = np.unravel_index(off.argmax(), off.shape)
        found = np.cov(drawn.T)[i, j]
        return f"{DRAWS} draws have the covariance {found:g} at places {i} and {j}, not {C[i, j]:g}"
    return None


def rolls_forward(trial: ModelTrial) -> str | None:
    everywhere, ahead, model = trial.places[4:], trial.places[:4], trial.model
    rolled = model.rolled_forward(everywhere, ahead)
    problem = _shaped("the forecast", rolled, len(ahead) + 1)
    problem = problem or _shaped("the forecast of nothing", model.rolled_forward(everywhere, ahead[:0]), 1)
    if problem is not None:
        return problem
    expected = MapModel.rolled_forward(model, everywhere, ahead)
    row = first_row(np.abs(rolled - expected) > CLOSE * expected[0])
    if row is None:
        return None
    return f"after {row} measurements {rolled[row]:g}, by the covariances {expected[row]:g}"


def units(trial: ModelTrial) -> str | None:
    for factor, offset in ((1e6, 0.0), (1e-6, 0.0), (1.0, 50.0)):
        other = trial.fit(trial.Z, factor * trial.y + offset, factor * NOISE)
        pairs = {
            "mean": (trial.model.predict(trial.places), (other.predict(trial.places) - offset) / factor),
            "deviation": tuple(
                m.predict(trial.places, return_std=True)[1] / f
                for m, f in ((trial.model, 1.0), (other, factor))
            ),
            "residual": tuple(m.leave_one_out()[0] / f for m, f in ((trial.model, 1.0), (other, factor))),
            "noise_": (np.array([trial.model.noise_]), np.array([other.noise_ / factor])),
        }
        for name, (here, there) in pairs.items():
            row = first_row(np.abs(here - there) > CLOSE * trial.scale)
            if row is not None:
                return (
                    f"{factor:g} y + {offset:g}: {name} {there[row]:g} in the units of y, not {here[row]:g}"
                )
    return None


def extremes(trial: ModelTrial) -> str | None:
    Z, y = trial.Z, trial.y
    twice = np.concatenate([Z, Z[:1]]), np.concatenate([y, y[:1]])
    cases = {
        "one measurement": (Z[:1], y[:1], NOISE),
        "two measurements": (Z[:2], y[:2], NOISE),
        "a constant value": (Z, np.full(len(y), 3.7), NOISE),
        "zeros": (Z, np.zeros(len(y)), None),
        "no noise": (Z[:PLACES], y[:PLACES], 0.0),
        "no noise, and a point measured twice": (*twice, 0.0),
        "unknown noise": (Z, y, None),
        "unknown noise of three values": (Z[:3], y[:3], None),
        "values of 1e100": (Z, 1e100 * y, 1e100 * NOISE),
        "values of 1e-100": (Z, 1e-100 * y, 1e-100 * NOISE),
    }
    for name, (points, values, noise) in cases.items():
        try:
            model = trial.fit(points, values, noise)
            mean, deviation = model.predict(trial.places, return_std=True)
            residual, expected = model.leave_one_out()
        except Exception as error:
            return f"{name}: {type(error).__name__}: {error}"
        found = {"mean": mean, "deviation": deviation, "residual": residual, "deviation left out": expected}
        for what, numbers in found.items():
            row = first_row(~np.isfinite(numbers))
            if row is not None:
                return f"{name}: {what} {row} is {numbers[row]}"
        if not (np.isfinite(model.noise_) and model.noise_ >= 0):
            return f"{name}: noise_ = {model.noise_}"
        if name == "a constant value" and np.abs(mean - 3.7).max() > NOISE:
            return f"{name}: 3.7 everywhere, and {mean[np.abs(mean - 3.7).argmax()]:g} is predicted"
    return None


MODEL_LAWS: Laws[ModelTrial] = {
    "A fit is a map model with the noise that was stated and hyperparameters by name.": is_a_model,
    "There is a finite mean for every place, and a deviation that is not negative.": predicts,
    "The same values give the same model, whatever happened before.": by_input_alone,
    "Covariances are those of a function, with the predicted deviations.": covariances,
    "The order of the measurements does not matter.": measurement_order,
    "An earlier fit is a place to start from and changes nothing else.": earlier_fit,
    "A map in other units is the same map.": units,
    "The deviation of a value that is left out contains its noise.": noise_is_in_it,
    "The deviation of a prediction does not contain the noise.": noise_is_not_in_predictions,
    "A value counts for as little as its own noise is large.": noise_of_each,
    "Noise that nobody stated is estimated.": noise_is_estimated,
    "A model takes in more values of the same function.": takes_more,
    "Each value is left out: its residual is that of a model without it.": leaves_out,
    "Values at one place are left out together.": repeats_leave_together,
    "Functions are drawn with the predicted mean and covariance, by their seed.": draws,
    "Rolling forward counts points as measured, one after the other.": rolls_forward,
    "Few, equal, repeated, exact, huge and tiny values are no reason to fail.": extremes,
}
