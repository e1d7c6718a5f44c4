"""Functions with categories and with angles: four and three, by which nothing was chosen or tuned.

``reaction`` and ``alloy`` share one shape among their categories, up to a shift or a factor; in ``solvents``
each category has a shape of its own; ``assay`` has two parameters with categories, of which one hardly
matters. ``antenna`` and ``torus`` are periodic; ``pump`` has an angle, a category and a number. All are made
up here, and smooth within a category.
"""

from __future__ import annotations

import numpy as np

from equiwarp.bench.functions.formulas import Function
from equiwarp.domains import Array, Box, Domain, Parameter

ROUNDS = 60
SOURCE = "made up for equiwarp"


def reaction(x: Array) -> Array:
    """A yield over temperature and time whose best temperature shifts with the catalyst."""
    shift = np.array([0.0, 0.15, 0.3])[x[:, 2].astype(int)]
    heat, hours = x[:, 0] - shift, x[:, 1]
    return np.exp(-8 * (heat - 0.45) ** 2) * (1 - np.exp(-4 * hours))


def alloy(x: Array) -> Array:
    """Hardness over two contents, times a factor of the base metal, on a base of its own."""
    metal = x[:, 2].astype(int)
    wave = np.sin(4 * x[:, 0]) + np.cos(3 * x[:, 1])
    return np.array([0.0, 1.0, 0.5, 2.0, -1.0])[metal] + np.array([1.0, 1.2, 0.8, 1.5, 0.6])[metal] * wave


def solvents(x: Array) -> Array:
    """A solubility curve of a different kind in each of four solvents."""
    heat, which = x[:, 0], x[:, 1].astype(int)
    curves = [np.exp(2 * heat) / 4, np.sin(7 * heat), np.tanh(10 * (heat - 0.5)), 0.3 * np.ones(len(x))]
    return np.choose(which, curves)


def assay(x: Array) -> Array:
    """A dose-response curve that depends on the cell line, and hardly on the dish."""
    middle = np.array([0.3, 0.5, 0.7])[x[:, 2].astype(int)]
    return 1 / (1 + np.exp(-12 * (x[:, 0] - middle))) + 0.3 * x[:, 1] + 0.03 * x[:, 3]


def antenna(x: Array) -> Array:
    """The lobes of an antenna over its angle and frequency."""
    angle = np.radians(x[:, 0])
    return np.cos(angle - 1) * (1 + x[:, 1]) + 0.6 * np.cos(3 * angle + 4 * x[:, 1])


def torus(x: Array) -> Array:
    """A torsion energy over two dihedral angles."""
    phi, psi = np.radians(x).T
    return np.cos(phi) + np.cos(2 * psi - phi) + 0.5 * np.exp(np.cos(psi - 2) * 2 - 2)


def pump(x: Array) -> Array:
    """Pressure over the phase of a cycle, for two fluids and any stroke."""
    phase, fluid = np.radians(x[:, 0]), x[:, 2].astype(int)
    return np.sin(phase + 0.8 * fluid) * (0.5 + x[:, 1]) + 0.4 * fluid


_ANGLE = Parameter(0, 360, periodic=True)
#: Name, title, function and domain of each.
SUITE: tuple[tuple[str, str, Function, Domain], ...] = (
    ("reaction-mixed", "Reaction (2 + 3 categories)", reaction,
     Box({"heat": (0, 1), "hours": (0, 1), "catalyst": ["Pd", "Ni", "Cu"]})),
    ("alloy-mixed", "Alloy (2 + 5 categories)", alloy,
     Box({"a": (0, 1), "b": (0, 1), "metal": ["Al", "Fe", "Ti", "Mg", "Zn"]})),
    ("solvents-mixed", "Solvents (1 + 4 categories)", solvents,
     Box({"heat": (0, 1), "solvent": ["water", "ethanol", "acetone", "oil"]})),
    ("assay-mixed", "Assay (2 + 3 and 2 categories)", assay,
     Box({"dose": (0, 1), "hours": (0, 1), "line": ["HeLa", "CHO", "Vero"], "dish": ["glass", "plastic"]})),
    ("antenna-periodic", "Antenna (angle + 1)", antenna, Box({"angle": _ANGLE, "frequency": (0, 1)})),
    ("torus-periodic", "Torus (2 angles)", torus, Box({"phi": _ANGLE, "psi": _ANGLE})),
    ("pump-periodic", "Pump (angle + 1 + 2 categories)", pump,
     Box({"phase": _ANGLE, "stroke": (0, 1), "fluid": ["water", "oil"]})),
)  # fmt: skip
