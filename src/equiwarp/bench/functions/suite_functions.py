"""Functions and lists of the suites beyond the paper, as data: name, title, formula, ranges, source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiwarp.bench.functions import formulas, physical, uneven, unseen, wide
from equiwarp.bench.functions.formulas import Function
from equiwarp.bench.functions.measured_data import load_measured_data
from equiwarp.bench.functions.physical import NativeRanges
from equiwarp.domains import Array, Candidates

#: Rounds after which these benchmarks are reported.
HORIZONS = (20, 40, 80)
OURS = "made up for equiwarp"


@dataclass(frozen=True)
class SuiteFunction:
    """A formula on a native domain."""

    name: str
    title: str
    function: Function
    native: NativeRanges
    source: str


def _unit(dim: int) -> NativeRanges:
    return ((0.0, 1.0),) * dim


SUITE_FUNCTIONS = (
    SuiteFunction("borehole-8d", "Borehole (8D)", unseen.borehole, _unit(8), "Morris et al. 1993"),
    SuiteFunction("wing-weight-10d", "Wing weight (10D)", physical.wing_weight, physical.WING_WEIGHT,
                  "Forrester et al. 2008"),
    SuiteFunction("piston-7d", "Piston (7D)", physical.piston, physical.PISTON, "Ben-Ari and Steinberg 2007"),
    SuiteFunction("otl-6d", "OTL circuit (6D)", physical.otl_circuit, physical.OTL_CIRCUIT,
                  "Ben-Ari and Steinberg 2007"),
    SuiteFunction("robot-arm-8d", "Robot arm (8D)", physical.robot_arm, physical.ROBOT_ARM,
                  "An and Owen 2001"),
    SuiteFunction("flood-8d", "Flood (8D)", physical.flood, physical.FLOOD, "Iooss and Lemaitre 2015"),
    SuiteFunction("peaks-inert-4d", "Peaks, two inert (4D)", uneven.peaks_inert, _unit(4), OURS),
    SuiteFunction("hartmann-inert-6d", "Hartmann, three inert (6D)", uneven.hartmann_inert, _unit(6), OURS),
    SuiteFunction("one-fast-3d", "One input fast (3D)", uneven.one_fast, _unit(3), OURS),
    SuiteFunction("dette-8d", "Dette-Pepelyshev (8D)", wide.dette_8d, _unit(8), "Dette and Pepelyshev 2010"),
    SuiteFunction("friedman-10d", "Friedman, five inert (10D)", wide.friedman_10d, _unit(10),
                  "Friedman 1991"),
    SuiteFunction("linkletter-10d", "Linkletter, sine (10D)", wide.linkletter_sine, _unit(10),
                  "Linkletter et al. 2006"),
    SuiteFunction("levy-12d", "Levy (12D)", formulas.levy, ((-10.0, 10.0),) * 12,
                  "Surjanovic and Bingham, Virtual Library of Simulation Experiments"),
    SuiteFunction("otl-20d", "OTL circuit, fourteen inert (20D)", wide.otl_20d, wide.OTL_20D, "Moon 2010"),
    SuiteFunction("welch-20d", "Welch (20D)", wide.welch, wide.WELCH, "Welch et al. 1992"),
    SuiteFunction("front-2d", "Front (2D)", unseen.front, _unit(2), OURS),
    SuiteFunction("phases-3d", "Two phases (3D)", uneven.phases, _unit(3), OURS),
    SuiteFunction("peak-2d", "Peak (2D)", unseen.peak, _unit(2), OURS),
    SuiteFunction("needle-3d", "Needle (3D)", uneven.needle, _unit(3), OURS),
    SuiteFunction("michalewicz-2d", "Michalewicz (2D)", unseen.michalewicz, _unit(2),
                  "Surjanovic and Bingham, Virtual Library of Simulation Experiments"),
)  # fmt: skip


@dataclass(frozen=True)
class ListTarget:
    """Measured rows as they are: a list of experiments, each with its measured value."""

    name: str

    @property
    def source(self) -> str:
        return f"UCI Machine Learning Repository, {self.name}"

    @cached_property
    def domain(self) -> Candidates:
        """The list, its inputs scaled to [0, 1]."""
        return Candidates(load_measured_data(self.name).U)

    @cached_property
    def _values(self) -> Array:
        """The value of each row of the list; of rows that were measured twice, the first."""
        data = load_measured_data(self.name)
        first: dict[bytes, float] = {}
        for row, value in zip(data.U, data.y, strict=True):
            first.setdefault(row.tobytes(), float(value))
        return np.array([first[row.tobytes()] for row in self.domain.points])

    def __call__(self, x: Array) -> Array:
        return self._values[self.domain.nearest(x)]


#: Name, title and rows of each list.
LISTS = (
    ("airfoil-list", "Airfoil (list of 1,503)", ListTarget("airfoil")),
    ("power-plant-list", "Power plant (list of 9,527)", ListTarget("power-plant")),
)
