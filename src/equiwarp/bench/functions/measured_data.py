"""The measured data sets, shipped as compressed CSV; see data/LICENCES.md for their authors."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

#: Name -> inputs and response, in the order of the file.
MEASURED_COLUMNS = {
    "power-plant": (("AT", "V", "AP", "RH"), "PE"),
    "airfoil": (("frequency", "angle", "chord", "velocity", "thickness"), "pressure_level"),
    "concrete": (
        (
            "cement",
            "slag",
            "fly_ash",
            "water",
            "superplasticizer",
            "coarse_aggregate",
            "fine_aggregate",
            "age",
        ),
        "strength",
    ),
    "yacht": (
        ("buoyancy_centre", "prismatic", "length_displacement", "beam_draught", "length_beam", "froude"),
        "resistance",
    ),
}
#: Those that became benchmarks by a surrogate; the others are replayed as they are (bench/cases/).
WITH_SURROGATE = ("power-plant", "airfoil")


@dataclass(frozen=True)
class MeasuredData:
    """Measured rows.

    Attributes
    ----------
    X : (n, D) array
        Inputs in their own units.
    y : (n,) array
    digest : str
        Of the CSV text, for caches.
    """

    name: str
    X: Array
    y: Array
    digest: str

    @property
    def native(self) -> tuple[tuple[float, float], ...]:
        """Range of each input: what min-max scaling maps to [0, 1]."""
        return tuple(
            (float(low), float(high)) for low, high in zip(self.X.min(0), self.X.max(0), strict=True)
        )

    @property
    def U(self) -> Array:
        """Inputs scaled to [0, 1]^D, ``(n, D)``."""
        low, high = np.array(self.native).T
        return (self.X - low) / (high - low)


@cache
def load_measured_data(name: str) -> MeasuredData:
    """A data set by name."""
    inputs, response = MEASURED_COLUMNS[name]
    text = gzip.decompress(files("equiwarp.bench").joinpath("data", f"{name}.csv.gz").read_bytes())
    header, *lines = text.decode("ascii").splitlines()
    if header != ",".join((*inputs, response)):
        raise InvalidInput(f"{name}.csv.gz has columns {header!r}; reinstall the package")
    table = np.array([[float(v) for v in line.split(",")] for line in lines])
    return MeasuredData(name, table[:, :-1], table[:, -1], hashlib.sha256(text).hexdigest())
