"""Fullerene adducts in a flow reactor: a complete 6 x 6 x 6 grid with replicates."""

from __future__ import annotations

from equiwarp.bench.cases.measured_case import MeasuredCase, Source, one_response
from equiwarp.bench.cases.package_files import package_file, read_numbers

NAME = "fullerenes"


def load() -> MeasuredCase:
    """216 settings, 25 of them measured two or three times."""
    path = package_file("olymp", "olympus", "datasets/dataset_fullerenes/data.csv", NAME)
    return one_response(
        NAME,
        "Fullerene synthesis",
        "o-Xylenyl adducts of Buckminsterfullerene made in a flow reactor: the mole fraction of the wanted "
        "products over reaction time, excess of sultine and temperature, on a grid of six levels each.",
        ("reaction time", "sultine", "temperature"),
        ("product", "mole fraction"),
        read_numbers(path),
        Source(
            "B. E. Walker, J. H. Bannock, A. M. Nightingale, J. C. deMello: Tuning reaction products by "
            "constrained optimisation. Reaction Chemistry & Engineering 2 (2017), 785-798",
            "file `datasets/dataset_fullerenes/data.csv` of the package `olymp` 0.0.1b0 (Olympus)",
            "package under the MIT licence; not copied here",
        ),
    )
