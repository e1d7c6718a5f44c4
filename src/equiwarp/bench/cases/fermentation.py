"""A fermentation under the spectrometer: 1,629 spectra of 1,047 channels in 34 hours, as a few scores.

When should one take a spectrum, if each costs something? From the fingerprint region (elsewhere the probe
sees noise), neighbouring channels are subtracted, which takes the drifting baseline away, and each
spectrum is brought to mean 0 and deviation 1. Spectra then become scores of the first principal
components, which keep their own size, so that each counts by the variance that
it explains. Spectra of zeros failed.
"""

from __future__ import annotations

import numpy as np

from equiwarp.bench.cases.measured_case import MeasuredCase, Source
from equiwarp.bench.cases.package_files import package_file, read_numbers
from equiwarp.domains import Array

NAME = "fermentation"
SCORES = 3
#: Channels of the fingerprint region, in reciprocal centimetres.
REGION = (950.0, 1550.0)
#: Hours after which the last spectrum was taken; spectra were taken at even intervals.
HOURS = 33.883333


def load() -> MeasuredCase:
    """Time in hours, and the scores of each spectrum."""
    path = package_file("chemotools", "chemotools", "datasets/data/fermentation_spectra.csv", NAME)
    with path.open(encoding="utf-8") as file:
        channels = np.array([float(text) for text in file.readline().split(",")])
    Y, shares = scores(read_numbers(path, header=True)[:, (channels > REGION[0]) & (channels < REGION[1])])
    explained = ", ".join(f"{100 * share:.0f}" for share in shares)
    return MeasuredCase(
        NAME,
        "Fermentation spectra",
        "A fermentation of cellulose to ethanol, watched by a probe: 1,629 spectra of 1,047 channels over 34 "
        f"hours, reduced to {SCORES} scores that explain {explained} % of their variance; the rest is mostly "
        "noise.",
        "scores",
        "",
        ("time",),
        np.linspace(0.0, HOURS, len(Y))[:, None],
        Y,
        shares,
        Source(
            "P. Cabaneros Lopez, I. A. Udugama, S. T. Thomsen, C. Roslander, H. Junicke, M. M. Iglesias, "
            "K. V. Gernaey: Transforming data to information: a parallel hybrid model for real-time state "
            "estimation in lignocellulosic ethanol fermentation. Biotechnology and Bioengineering 118 "
            "(2021), 579-591",
            "file `datasets/data/fermentation_spectra.csv` of the package `chemotools`",
            "package under the MIT licence; not copied here",
        ),
    )


def scores(spectra: Array, count: int = SCORES) -> tuple[Array, Array]:
    """Scores ``(N, count)``, NaN for spectra of one value, and the share of variance that each explains."""
    slopes = np.diff(spectra, axis=1)
    worked = slopes.std(axis=1) > 0
    slopes = slopes[worked]
    scaled = (slopes - slopes.mean(axis=1, keepdims=True)) / slopes.std(axis=1, keepdims=True)
    left, sizes, _ = np.linalg.svd(scaled - scaled.mean(axis=0), full_matrices=False)
    found = np.full((len(spectra), count), np.nan)
    found[worked] = left[:, :count] * sizes[:count]
    return found, sizes[:count] ** 2 / (sizes**2).sum()
