"""Which cases there are: a file and a line each."""

from __future__ import annotations

from collections.abc import Callable

from equiwarp.bench.cases import fermentation, fullerenes, hplc, photovoltaics, uci
from equiwarp.bench.cases.measured_case import MeasuredCase
from equiwarp.exceptions import InvalidInput

CASES: dict[str, Callable[[], MeasuredCase]] = {
    "fullerenes": fullerenes.load,
    "photo-pce10": photovoltaics.load_pce10,
    "photo-wf3": photovoltaics.load_wf3,
    "hplc": hplc.load,
    "airfoil": uci.load_airfoil,
    "concrete": uci.load_concrete,
    "yacht": uci.load_yacht,
    "fermentation": fermentation.load,
}


def find_case(name: str) -> MeasuredCase:
    """A case by its name."""
    if name not in CASES:
        raise InvalidInput(f"unknown case {name!r}; choose from {', '.join(CASES)}")
    return CASES[name]()
