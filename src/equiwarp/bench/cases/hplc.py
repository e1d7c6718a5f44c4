"""An automated HPLC: six settings of pumps and tubing, and every sixth injection shows no peak at all."""

from __future__ import annotations

import numpy as np

from equiwarp.bench.cases.measured_case import MeasuredCase, Source, one_response
from equiwarp.bench.cases.package_files import package_file, read_numbers

NAME = "hplc"


def load() -> MeasuredCase:
    """1,386 injections at 1,007 settings; a peak of area zero is a failed experiment."""
    table = read_numbers(package_file("olymp", "olympus", "datasets/dataset_hplc/data.csv", NAME))
    table[table[:, -1] == 0.0, -1] = np.nan
    return one_response(
        NAME,
        "HPLC with failures",
        "An automated chromatograph: the area of the peak over volumes, flow, pump speed and waiting time of "
        "the sampling. Where no sample reached the column there is no peak: 17 % of the injections failed.",
        ("sample loop", "additional volume", "tubing volume", "sample flow", "push speed", "wait time"),
        ("peak area", ""),
        table,
        Source(
            "L. M. Roch, F. Häse, C. Kreisbeck, T. Tamayo-Mendoza, L. P. E. Yunker, J. E. Hein, "
            "A. Aspuru-Guzik: ChemOS: an orchestration software to democratize autonomous discovery. "
            "ChemRxiv (2018), 10.26434/chemrxiv.5953606.v1",
            "file `datasets/dataset_hplc/data.csv` of the package `olymp` 0.0.1b0 (Olympus)",
            "package under the MIT licence; not copied here",
        ),
    )
