"""Organic photovoltaics: photodegradation of four-part polymer blends, two families of 1,020 mixtures."""

from __future__ import annotations

from functools import partial

from equiwarp.bench.cases.measured_case import MeasuredCase, Source, one_response
from equiwarp.bench.cases.package_files import package_file, read_numbers


def load(polymer: str) -> MeasuredCase:
    """The blends of PCE10 or of WF3 with P3HT, PCBM and oIDTBR; parts add up to 1."""
    name = f"photo-{polymer.lower()}"
    path = package_file("olymp", "olympus", f"datasets/dataset_photo_{polymer.lower()}/data.csv", name)
    return one_response(
        name,
        f"Organic photovoltaics, {polymer}",
        f"Films of {polymer}, P3HT, PCBM and oIDTBR, printed by a robot in 1,020 mixtures: how much of the "
        "absorption is lost under light. Parts add up to 1: the list is one of mixtures, with the distances "
        "of an `ew.Simplex` of four components.",
        (polymer, "P3HT", "PCBM", "oIDTBR"),
        ("degradation", ""),
        read_numbers(path),
        Source(
            "S. Langner, F. Häse, J. D. Perea, T. Stubhan, J. Hauch, L. M. Roch, T. Heumueller, "
            "A. Aspuru-Guzik, C. J. Brabec: Beyond Ternary OPV: High-Throughput Experimentation "
            "and Self-Driving Laboratories Optimize Multicomponent Systems. "
            "Advanced Materials 32 (2020), 1907801",
            f"file `datasets/dataset_photo_{polymer.lower()}/data.csv` of the package `olymp` 0.0.1b0",
            "package under the MIT licence; not copied here",
        ),
        total=1.0,
    )


load_pce10, load_wf3 = partial(load, "PCE10"), partial(load, "WF3")
