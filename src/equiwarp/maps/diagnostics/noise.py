"""Noise: stated noise that the residuals or repeated measurements contradict, and noise that is not known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.posterior import RowNumbers
from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject

#: Fewer values say nothing of the noise.
FEWEST = 15
#: Larger maps are not fitted again for it.
MOST_REFITTED = 500
#: Factor by which the noise must be off to be worth a word; and by which residuals exceed it, because what
#: is too rough for the points looks like noise, too: up to 2.9 times the stated one in random functions.
FACTOR, FACTOR_LARGER = 2.0, 3.0
#: By how much the estimated noise must predict better than the stated one: log density of all values.
BETTER = 6.0
#: Probability below which repeated measurements contradict the noise.
UNLIKELY = 1e-3
#: The noise counts as unknown if this factor up or down loses less than this log density.
UNSURE_FACTOR, UNSURE = 4.0, 1.0
#: Least noise that is looked at, as a share of the values' deviation: below, it makes no difference.
LEAST_SHARE = 0.01


def findings(subject: Subject, rest: Subject) -> Iterator[MapFinding]:
    """What there is to say of the noise, at most one thing: what was repeated knows best.

    Repeats are judged with all values, the rest without those that the others contradict.
    """
    groups = repeated(subject.map.x)
    freedom = sum(len(rows) - 1 for rows in groups)
    found = list(_replicates(subject, groups, freedom)) if freedom else []
    enough = FEWEST <= rest.n <= MOST_REFITTED
    if not found and enough and rest.noise is not None:
        found = list(_stated(rest))
    if not found and enough and rest.noise is None and freedom < 3:
        found = list(_unknown(rest))
    yield from found


def repeated(x: Array) -> list[RowNumbers]:
    """Rows that were measured at the same point, for each point that was measured more than once."""
    _, which = np.unique(x, axis=0, return_inverse=True)
    which = which.ravel()
    return [np.flatnonzero(which == g) for g in np.flatnonzero(np.bincount(which) > 1)]


def _replicates(subject: Subject, groups: list[RowNumbers], freedom: int) -> Iterator[MapFinding]:
    """Repeats whose scatter is too large or too small for the noise: a chi-square test."""
    from scipy.stats import chi2

    assumed = subject.map.assumed_noise(0)
    if assumed is None:
        assumed = np.full(subject.n, subject.model.noise_)
    centred = {int(i): subject.y[i] - subject.y[g].mean() for g in groups for i in g}
    rows = sorted(centred)
    deviations = np.array([centred[i] for i in rows])
    stated = float(np.sqrt(np.mean(assumed[rows] ** 2)))
    if not stated > 0:
        return
    ratio = float(np.sum((deviations / np.maximum(assumed[rows], 1e-300)) ** 2))
    likely = 2 * min(chi2.sf(ratio, freedom), chi2.cdf(ratio, freedom))
    scatter = float(np.sqrt(np.sum(deviations**2) / freedom))
    if likely >= UNLIKELY or 1 / FACTOR < scatter / stated < FACTOR:
        return
    word = "estimated" if subject.noise is None else "stated"
    sentence = (
        f"Repeated measurements of {subject.name} scatter by {subject.amount(scatter)}, "
        f"{'more' if scatter > stated else 'less'} than the {word} noise of {subject.amount(stated)} allows "
        f"({subject.called(rows[:12])})."
    )
    advice = (
        "If they are real repeats, state this noise; if rows were entered twice, remove the copies."
        if scatter < stated
        else "State the noise that the repeats show, or check whether one of them went wrong."
    )
    yield MapFinding(
        "replicates", subject.name, sentence, advice, subject.numbers(rows),
        {"scatter": scatter, "noise": stated, "repeats": float(freedom), "probability": float(likely)},
    )  # fmt: skip


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
    estimated, scale = float(subject.model.noise_), float(subject.y.std())
    middle = max(estimated, LEAST_SHARE * scale)
    levels = middle * np.array([1.0, 1 / UNSURE_FACTOR, UNSURE_FACTOR])
    best, less, more = (subject.with_noise(level).density for level in levels)
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
