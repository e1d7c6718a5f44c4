"""Drift: residuals that rise or fall along the order of measurement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject

#: Fewer values show no trend.
FEWEST = 15
#: Deviations by which the correlation of residuals and order must differ from none.
FAR = 3.7
#: If the settings explain this share of the order, drift and their effect cannot be told apart.
CONFOUNDED = 0.7


def findings(subject: Subject) -> Iterator[MapFinding]:
    """A trend of the residuals, each predicted from the others, over the order of the measurements."""
    if subject.n < FEWEST:
        return
    order = np.linspace(-1.0, 1.0, subject.n)
    if explained_by_settings(subject, order) > CONFOUNDED:
        return
    residual, deviation = subject.left_out
    z = residual / deviation
    correlation = float(np.corrcoef(z, order)[0, 1])
    far = float(np.arctanh(np.clip(correlation, -0.999999, 0.999999)) * np.sqrt(subject.n - 3))
    if abs(far) < FAR:
        return
    weight = (deviation.min() / deviation) ** 2
    centred = order - np.average(order, weights=weight)
    rise = 2.0 * float(np.sum(weight * centred * residual) / np.sum(weight * centred**2))
    sentence = (
        f"{subject.name} drifts {'upwards' if rise > 0 else 'downwards'} along the order of measurement: "
        f"what the others leave unexplained changes by at least {subject.amount(abs(rise))} on the way."
    )
    advice = "Repeat one of the first measurements now; if it differs by as much, recalibrate and correct."
    yield MapFinding("drift", subject.name, sentence, advice, (), {"change": rise, "deviations": far})


def explained_by_settings(subject: Subject, order: np.ndarray) -> float:
    """Share of the order's variance that a plane over the settings explains, allowing for its size."""
    Z = subject.map.domain.embed(subject.map.x)
    design = np.column_stack([np.ones(len(Z)), Z])
    fitted = design @ np.linalg.lstsq(design, order, rcond=None)[0]
    left = float(np.sum((order - fitted) ** 2) / np.sum((order - order.mean()) ** 2))
    free = max(1, len(Z) - design.shape[1])
    return 1.0 - left * (len(Z) - 1) / free
