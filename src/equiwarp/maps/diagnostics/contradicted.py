"""Values that the others contradict.

A value far off drags the model along: it shortens lengthscales or raises the noise, until its own residual
looks ordinary and those of its neighbours do not (masking and swamping). So the worst tenth of the values is
set aside first and the model fitted to the rest. What the rest predicts well is taken back, and the model
fitted again, until only those remain that it contradicts.

A steep place of the function, set aside, looks like that too. So in the end two accounts of the data compete:
the model of all values, and the model of the rest with the others as mistakes, each a wide guess that could
have been about any of the n values. Only a much better second account accuses anybody.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equiwarp._util.magnitude import spread_of
from equiwarp._util.text import with_deviation
from equiwarp.domains import Array
from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject
from equiwarp.models.repeats import credible_noise_beside

#: Deviations of the prediction from which on a value counts as contradicted, and the log density by which
#: the account with mistakes must be better for each of them. Chosen on random functions and the smooth boxes
#: (`equiwarp bench study outliers`): values off by ten deviations of the values came to 8 and, all but one in
#: a hundred, to 12; good ones seldom to both of these, and then as the only value beyond a front.
FAR, MUCH_BETTER = 5.0, 10.0
#: Fewer values cannot outvote one.
FEWEST = 12
#: Share of the values that is set aside at first, and how many at least.
SET_ASIDE, LEAST_ASIDE = 0.1, 3
#: How often values are taken back and the model fitted again; two or three times suffice.
ROUNDS = 5
#: In larger maps one value no longer drags the model along: only what looks far off already is set aside,
#: and the two accounts of all data are not compared.
MOST_REFITTED = 500


def contradicted(subject: Subject) -> tuple[dict[int, float], Subject]:
    """The rows that the others contradict with how many deviations, and the plain map without them.

    The plain family alone decides. Others follow a wrong value each in its own way, and their average calls
    the disagreement ignorance: the value looks less far off than to any of them.
    """
    subject = subject.plain
    if subject.n < FEWEST:
        return {}, subject
    residual, deviation = subject.left_out
    far = np.abs(residual) / deviation
    if subject.n > MOST_REFITTED:
        aside = set(np.flatnonzero(far > FAR * spread(far)).tolist())
    else:
        count = max(LEAST_ASIDE, round(SET_ASIDE * subject.n))
        aside = set(np.argsort(-far)[:count].tolist()) | set(np.argsort(-np.abs(residual))[:count].tolist())
    if not aside:
        return {}, subject
    off: dict[int, float] = {}
    for _ in range(ROUNDS):
        rest = subject.without(aside)
        off = _off(subject, rest, sorted(aside))
        if not off or off.keys() == aside:
            break
        aside = set(off)
    if not off:
        return {}, subject
    if off.keys() != aside:
        off, rest = _removed(subject, off)
    large = subject.n > MOST_REFITTED
    better = large or _gain(subject, rest, sorted(off)) > MUCH_BETTER * len(off)
    return (off, rest) if better else ({}, subject)


def _removed(subject: Subject, off: dict[int, float]) -> tuple[dict[int, float], Subject]:
    return off, subject.without(off) if off else subject


def _gain(subject: Subject, rest: Subject, rows: list[int]) -> float:
    """Log density by which the rest, with mistakes in these rows, accounts better for the data."""
    mean, _ = _predicted(subject, rest, rows)
    missed = np.abs(subject.y[rows] - mean)
    wide = np.maximum(missed, spread_of(rest.y))
    mistakes = -0.5 * (missed / wide) ** 2 - np.log(wide) - np.log(subject.n)
    return rest.density + float(np.sum(mistakes)) - subject.density


def spread(far: Array) -> float:
    """How many times as large as predicted residuals are, by middle and upper tenth; at least 1."""
    return float(max(1.0, 1.4826 * np.median(far), np.quantile(far, 0.9) / 1.645))


def _off(subject: Subject, rest: Subject, rows: list[int]) -> dict[int, float]:
    """Those of the rows that the rest contradicts, with their distance in deviations."""
    residual, deviation = rest.left_out
    scale = spread(np.abs(residual) / deviation)
    mean, sd = _predicted(subject, rest, rows)
    far = np.abs(subject.y[rows] - mean) / (scale * sd)
    return {row: float(d) for row, d in zip(rows, far, strict=True) if d > FAR}


def _predicted(subject: Subject, rest: Subject, rows: list[int]) -> tuple[Array, Array]:
    """What the rest expects to be measured at these rows: mean, and deviation with the noise."""
    mean, sd = rest.model.predict(subject.map.coordinates(subject.map.x[rows]), return_std=True)
    noise = subject.taken_noise(rest.model)[rows]
    if rest.noise is not None:
        Z = rest.map.domain.embed(rest.map.x)
        noise = credible_noise_beside(Z, rest.y, rest.taken_noise(rest.model), noise)
    return mean, np.hypot(sd, noise)


def findings(
    subject: Subject, off: dict[int, float], rest: Subject, without_them: Subject
) -> Iterator[MapFinding]:
    """A sentence for each such value, with the map error with and without them all.

    ``rest`` is the plain map that contradicts them, ``without_them`` the map that the user would get.
    """
    for row, far in sorted(off.items(), key=lambda item: -item[1]):
        mean = float(_predicted(subject, rest, [row])[0][0])
        deviation = abs(float(subject.y[row]) - mean) / far
        [number] = subject.numbers([row])
        before, after = subject.map.error()[0].value, without_them.map.error()[0].value
        what = subject.called([row])
        sentence = (
            f"{what[0].upper()}{what[1:]}: the others contradict {_told(subject, row)}; they predict "
            f"{subject.with_unit(with_deviation(mean, deviation))}, {far:.0f} deviations away."
        )
        without = "Without it" if len(off) == 1 else f"Without these {len(off)}"
        effect = f"{without} the map error is {subject.amount(after)} instead of {subject.amount(before)}."
        numbers = {
            "value": float(subject.y[row]), "predicted": mean, "deviation": deviation,
            "deviations_away": far, "error": before, "error_without": after,
        }  # fmt: skip
        yield MapFinding(
            "contradicted", subject.name, sentence, f"{_remedy(subject, number)} {effect}", (number,), numbers
        )


def _told(subject: Subject, row: int) -> str:
    """The value, or where it may be if it is a limit."""
    if subject.width is None or not subject.width[row]:
        return f"{subject.name} = {subject.value(subject.y[row])}"
    half = np.sqrt(3.0) * subject.width[row]  # the width is the deviation of any number in between
    ends = subject.y[row] + half * np.array([-1.0, 1.0])
    low, high = (subject.value(float(end) if abs(end) > 1e-9 * half else 0.0) for end in ends)
    return f"{subject.name} between {low} and {high}, as a limit says"


def _remedy(subject: Subject, number: int) -> str:
    if not subject.map.ids:
        return f"Check it; map.without([{number}]) is the map without it."
    return (
        f"Check the record. `equiwarp repeat {number}` measures it again, `equiwarp amend {number}` corrects "
        f"it, `equiwarp withdraw {number}` takes it out of the map."
    )
