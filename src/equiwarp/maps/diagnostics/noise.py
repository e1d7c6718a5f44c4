"""Noise: stated noise that the residuals or repeated measurements contradict, and noise that is not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from equiwarp._util.magnitude import spread_of, unit_of
from equiwarp._util.text import three_digits
from equiwarp.domains import Array
from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject
from equiwarp.maps.error import root_mean_square
from equiwarp.models.repeats import FACTOR, UNLIKELY, Repeats

#: Fewer values say nothing of the noise.
FEWEST = 15
#: Larger maps are not fitted again for it.
MOST_REFITTED = 500
#: Factor by which residuals must exceed the noise to be worth a word, because what is too rough for the
#: points looks like noise, too: up to 2.9 times the stated one in random functions.
FACTOR_LARGER = 3.0
#: By how much the estimated noise must predict better than the stated one: log density of all values.
BETTER = 6.0
#: The noise counts as unknown if this factor up or down loses less than this log density.
UNSURE_FACTOR, UNSURE = 4.0, 1.0
#: Least noise that is looked at, as a share of the values' deviation: below, it makes no difference.
LEAST_SHARE = 0.01


def findings(subject: Subject, rest: Subject) -> Iterator[MapFinding]:
    """What there is to say of the noise, at most one thing: what was repeated knows best.

    Repeats are judged with all values, the rest without those that the others contradict.
    """
    noise = subject.taken_noise(subject.model)
    measured = _repeats(subject, noise, limits=False)
    freedom = int(measured.freedom.sum())
    found = list(_replicates(subject, _repeats(subject, noise), measured, noise))
    enough = FEWEST <= rest.n <= MOST_REFITTED
    if not found and enough and rest.noise is not None:
        found = list(_stated(rest))
    if not found and enough and rest.noise is None and freedom < 3:
        found = list(_unknown(rest))
    yield from found


def _repeats(subject: Subject, noise: Array, limits: bool = True) -> Repeats:
    """In the unit of the values: squares of very small ones have no room.

    Limits, which are equal whatever was there, are left out on demand.
    """
    unit = unit_of(subject.y, noise)
    rows = np.flatnonzero(limits | (_width(subject) == 0))
    Z = subject.map.domain.embed(subject.map.x[rows])
    found = Repeats.of(Z, subject.y[rows] / unit, noise[rows] / unit)
    return replace(found, rows=rows[found.rows])


def _width(subject: Subject) -> Array:
    """By how much more each value ``(n,)`` may be off because it is a limit."""
    return np.zeros(subject.n) if subject.width is None else subject.width


def _replicates(subject: Subject, every: Repeats, measured: Repeats, noise: Array) -> Iterator[MapFinding]:
    """Repeats whose scatter is too large for the noise, or without limits too small: a chi-square test."""
    less = not every.refute
    repeats = measured if less else every
    if not len(repeats.rows):
        return
    rows, scatter = repeats.rows.tolist(), unit_of(subject.y, noise) * repeats.scatter
    stated = root_mean_square(noise[rows])
    if less and not (stated > 0 and repeats.probability < UNLIKELY and repeats.excess <= 1 / FACTOR):
        return
    word = "estimated" if subject.noise is None else "stated"
    sentence = (
        f"Repeated measurements of {subject.name} scatter by {subject.amount(scatter)}, "
        f"{'less' if less else 'more'} than the {word} noise of {subject.amount(stated)} allows "
        f"({subject.called(rows[:12])})."
    )
    advice = (
        "If they are real repeats, state this noise; if rows were entered twice, remove the copies."
        if less
        else "State the noise that the repeats show, or check whether one of them went wrong."
        + _instead(subject)
    )
    yield MapFinding(
        "replicates", subject.name, sentence, advice, subject.numbers(rows),
        {"scatter": scatter, "noise": stated, "repeats": float(repeats.freedom.sum()),
         "probability": repeats.probability},
    )  # fmt: skip


def _instead(subject: Subject) -> str:
    """What the map counts on as long as the stated noise is refuted."""
    [used] = subject.map.credible_noise
    if subject.noise is None or used is None:
        return ""
    rows = np.flatnonzero(used > subject.noise)
    low, high = float(used[rows].min()), float(used[rows].max())
    amount = subject.amount(high) if high < 1.01 * low else f"{three_digits(low)} to {subject.amount(high)}"
    values = "every value" if len(rows) == subject.n else subject.called(rows[:12])
    return f" Until then the map takes {amount} for the noise of {values}."


def _stated(subject: Subject) -> Iterator[MapFinding]:
    """Stated noise with which values are predicted from the others far worse than with the estimate."""
    assert subject.noise is not None
    stated = float(np.median(subject.noise))
    free = subject.with_noise(None)
    better, estimated = free.density - subject.density, float(free.model.noise_)
    if better < BETTER or (stated > 0 and 1 / FACTOR < estimated / stated < FACTOR_LARGER):
        return
    larger = estimated > stated
    sentence = (
        f"The values of {subject.name} contradict the stated noise of {subject.amount(stated)}: predicted "
        f"from the others, they speak for about {subject.amount(estimated)}."
    )
    advice = (
        "Repeat a few measurements to see it; until then state the larger noise, or leave it out."
        if larger
        else "State a smaller noise, or leave it out: the map then trusts the values more."
    )
    numbers = {"stated": stated, "estimated": estimated, "log_density_gained": better}
    yield MapFinding("noise", subject.name, sentence, advice, (), numbers)


def _unknown(subject: Subject) -> Iterator[MapFinding]:
    """An estimate that could as well be several times as large or as small."""
    estimated, scale = float(subject.model.noise_), spread_of(subject.y)
    middle = max(estimated, LEAST_SHARE * scale)
    levels = middle * np.array([1.0, 1 / UNSURE_FACTOR, UNSURE_FACTOR])
    best, less, more = (_density(subject, level) for level in levels)
    top = max(best, subject.density)
    # Little noise beside the spread of the values makes no difference; much could be a large share of it.
    if top - more >= UNSURE and (top - less >= UNSURE or middle < 4 * LEAST_SHARE * scale):
        return
    low = levels[1] if top - less < UNSURE else middle
    high = levels[2] if top - more < UNSURE else middle
    sentence = (
        f"The noise of {subject.name} could not be estimated from these {subject.n} values: anything from "
        f"{subject.amount(low)} to {subject.amount(high)} fits about as well."
    )
    repeat = "Repeat three or four measurements" + (" (`equiwarp repeat`)" if subject.map.ids else "")
    numbers = {"estimated": estimated, "low": float(low), "high": float(high)}
    yield MapFinding("noise unknown", subject.name, sentence, f"{repeat}, or state the noise.", (), numbers)


def _density(subject: Subject, noise: float) -> float:
    """How well the values are predicted under a noise; a map would not count on one that repeats refute."""
    if _repeats(subject, np.hypot(noise, _width(subject))).refute:
        return -np.inf
    return subject.with_noise(noise).density
