"""Three tables of the UCI repository, shipped with the bench: airfoil noise, concrete and yachts."""

from __future__ import annotations

from functools import partial

import numpy as np

from equiwarp.bench.cases.measured_case import MeasuredCase, Source, one_response
from equiwarp.bench.functions.measured_data import MEASURED_COLUMNS, load_measured_data

LICENCE = "CC BY 4.0"
#: Name -> title, what was measured, unit of the response, authors, origin.
TABLES = {
    "airfoil": (
        "Airfoil noise",
        "The noise of airfoil sections in a wind tunnel over frequency, angle of attack, chord, speed and "
        "thickness of the boundary layer.",
        "dB",
        "T. F. Brooks, D. S. Pope, M. A. Marcolini: Airfoil self-noise and prediction. NASA RP-1218 (1989)",
        "UCI Machine Learning Repository, https://doi.org/10.24432/C5VW2C",
    ),
    "concrete": (
        "Concrete strength",
        "The compressive strength of concretes by what is in them and by their age, gathered from many "
        "laboratories.",
        "MPa",
        "I-C. Yeh: Modeling of strength of high-performance concrete using artificial neural networks. "
        "Cement and Concrete Research 28 (1998), 1797-1808",
        "UCI Machine Learning Repository, https://doi.org/10.24432/C5PK67",
    ),
    "yacht": (
        "Yacht resistance",
        "The resistance of 22 hull forms in a towing tank, each at fourteen speeds.",
        "",
        "J. Gerritsma, R. Onnink, A. Versluis: Geometry, resistance and stability of the Delft systematic "
        "yacht hull series. International Shipbuilding Progress 28 (1981), 276-297",
        "UCI Machine Learning Repository, https://doi.org/10.24432/C5XG7R",
    ),
}


def load(name: str) -> MeasuredCase:
    """One of the three by its name."""
    title, story, unit, paper, origin = TABLES[name]
    columns, response = MEASURED_COLUMNS[name]
    data = load_measured_data(name)
    return one_response(
        name, title, story, columns, (response, unit), np.column_stack([data.X, data.y]),
        Source(paper, origin, LICENCE),
    )  # fmt: skip


load_airfoil, load_concrete, load_yacht = (partial(load, name) for name in TABLES)
