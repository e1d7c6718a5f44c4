"""Models of the literature with named inputs, on their native domains: points ``(n, D)`` to values ``(n,)``.

Their inputs matter very differently, some hardly at all. Nothing was chosen or tuned by them.

References: Forrester, Sobester and Keane 2008 (wing weight); Ben-Ari and Steinberg 2007 (piston, OTL
circuit); An and Owen 2001 (robot arm); Iooss and Lemaitre 2015 (flood); Morris, Mitchell and Ylvisaker 1993
(borehole, in :mod:`equiwarp.bench.functions.unseen`).
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array

NativeRanges = tuple[tuple[float, float], ...]

#: Wing area, fuel weight, aspect ratio, sweep (degrees), dynamic pressure, taper, thickness to chord, load
#: factor, gross weight, paint weight.
WING_WEIGHT: NativeRanges = (
    (150, 200), (220, 300), (6, 10), (-10, 10), (16, 45), (0.5, 1), (0.08, 0.18), (2.5, 6), (1700, 2500),
    (0.025, 0.08),
)  # fmt: skip
#: Mass, surface, initial volume, spring constant, pressure, ambient and filling temperature.
PISTON: NativeRanges = (
    (30, 60), (0.005, 0.020), (0.002, 0.010), (1000, 5000), (90000, 110000), (290, 296), (340, 360),
)  # fmt: skip
#: Five resistances and the gain.
OTL_CIRCUIT: NativeRanges = ((50, 150), (25, 70), (0.5, 3), (1.2, 2.5), (0.25, 1.2), (50, 300))
#: Four angles and four lengths.
ROBOT_ARM: NativeRanges = (*((0.0, 2 * np.pi),) * 4, *((0.0, 1.0),) * 4)
#: Flow, friction, river bed downstream and upstream, dyke, bank, length and width of the stretch.
FLOOD: NativeRanges = (
    (500, 3000), (15, 55), (49, 51), (54, 56), (7, 9), (55, 56), (4990, 5010), (295, 305),
)  # fmt: skip


def wing_weight(x: Array) -> Array:
    """Weight of a light aircraft's wing (lb)."""
    area, fuel, aspect, sweep, pressure, taper, thickness, load, gross, paint = x.T
    cosine = np.cos(np.radians(sweep))
    shape = (aspect / cosine**2) ** 0.6 * taper**0.04 * (100 * thickness / cosine) ** -0.3
    return (
        0.036 * area**0.758 * fuel**0.0035 * shape * pressure**0.006 * (load * gross) ** 0.49 + area * paint
    )


def piston(x: Array) -> Array:
    """Time of a cycle (s)."""
    mass, surface, volume, spring, pressure, ambient, filling = x.T
    force = pressure * surface + 19.62 * mass - spring * volume / surface
    gas = pressure * volume / filling * ambient
    rest = surface / (2 * spring) * (np.sqrt(force**2 + 4 * spring * gas) - force)
    return 2 * np.pi * np.sqrt(mass / (spring + surface**2 * gas / rest**2))


def otl_circuit(x: Array) -> Array:
    """Midpoint voltage of an output transformerless push-pull circuit (V)."""
    b1, b2, f, c1, c2, gain = x.T
    loop = gain * (c2 + 9)
    base = 12 * b2 / (b1 + b2)
    return (base + 0.74) * loop / (loop + f) + 11.35 * f / (loop + f) + 0.74 * f * loop / ((loop + f) * c1)


def robot_arm(x: Array) -> Array:
    """Distance of the hand of an arm with four segments from the shoulder."""
    angle, length = np.cumsum(x[:, :4], axis=1), x[:, 4:]
    return np.hypot((length * np.cos(angle)).sum(axis=1), (length * np.sin(angle)).sum(axis=1))


def flood(x: Array) -> Array:
    """Height of a river above its dyke (m)."""
    flow, friction, downstream, upstream, dyke, bank, length, width = x.T
    height = (flow / (width * friction * np.sqrt((upstream - downstream) / length))) ** 0.6
    return downstream + height - dyke - bank
