"""Nothing to map: values that are all the same, and values in which no structure was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equiwarp._util.magnitude import spread_of
from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject

#: Fewer values may be alike by chance, and say nothing of structure.
FEWEST_ALIKE, FEWEST = 3, 12
#: Values count as alike within this share of their size.
ALIKE = 1e-12
#: Share of the values' variance that the map must predict from the others to be called structure. In pure
#: noise a fit finds up to a quarter by chance; 40 values of a random function in six dimensions had 0.6.
LEAST_PREDICTED = 0.25


def constant(subject: Subject) -> Iterator[MapFinding]:
    """Values that are all the same."""
    if subject.n < FEWEST_ALIKE or np.ptp(subject.y) > ALIKE * np.abs(subject.y).max():
        return
    error = subject.map.error()[0].value
    sentence = (
        f"All {subject.n} values of {subject.name} are {subject.value(float(subject.y[0]))}: there is "
        f"nothing to map yet, and the map error of {subject.amount(error)} is an assumption."
    )
    advice = "Check the instrument and its resolution; if the values are right, widen the domain."
    yield MapFinding(
        "constant", subject.name, sentence, advice, (), {"value": float(subject.y[0]), "error": error}
    )


def predicted_share(subject: Subject) -> float:
    """Share of the variance of values that is predicted from the other values; at most 1, often negative."""
    if subject.n < 2:
        return 0.0
    residual, _ = subject.left_out
    others = (subject.y - subject.y.mean()) * subject.n / (subject.n - 1)  # against the mean of the others
    if not others.any():  # equal values have no variance to be predicted
        return 0.0
    largest = np.abs(others).max()  # squares of very small values have no room
    return float(1.0 - np.sum((residual / largest) ** 2) / np.sum((others / largest) ** 2))


def no_structure(subject: Subject) -> Iterator[MapFinding]:
    """Values that the map predicts no better than their mean does."""
    if subject.n < FEWEST:
        return
    share = predicted_share(subject)
    if share >= LEAST_PREDICTED:
        return
    sentence = (
        f"No structure was found in the {subject.n} values of {subject.name}: predicted from the others, "
        f"each is missed nearly as much as by their mean. To the map they are noise of deviation "
        f"{subject.amount(spread_of(subject.y))} around {subject.value(float(subject.y.mean()))}."
    )
    advice = (
        "Measure more before you trust a picture of it; if repeats scatter as much, the response does not "
        "depend on these parameters."
    )
    yield MapFinding("no structure", subject.name, sentence, advice, (), {"predicted_share": share})
