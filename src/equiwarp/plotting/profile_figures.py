"""Profiles and shares as figures: the map along each axis, and which parameters matter."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains.followed import along_axes, followed
from equiwarp.domains.view import View
from equiwarp.plotting.drawing import scale_axis
from equiwarp.plotting.profiles import (
    Profile,
    ProfileCurve,
    apart_from,
    curves_of,
    profile_along,
    require_axes,
)
from equiwarp.plotting.style import BAND, BLACK, BLUE, ORANGE, labelled, new_figure, safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from equiwarp.maps.map import Map
    from equiwarp.maps.sensitivity import Sensitivity

#: Panels side by side, and their size in inches.
ACROSS, PANEL = 3, (3.2, 2.7)


def profile_figure(
    map: Map, response: int, label: str, axes: Sequence[str] = (), at: Mapping[str, float] | None = None
) -> Figure:
    """The mean with a band of two deviations along each axis; measurements far from the profile are faint."""
    require_axes(map.domain)
    view = followed(map.domain)
    names = list(axes) or [axis.name for axis in view.axes]
    profiles = [profile_along(map.domain, name, at) for name in names]
    across = min(ACROSS, len(profiles))
    down = -(-len(profiles) // across)
    figure, panels = new_figure(down, across, (max(PANEL[0] * across, 4.8), PANEL[1] * down + 0.3))
    for panel, curve in zip(panels, curves_of(map, profiles), strict=False):
        _draw_profile(panel, map, response, curve)
    for panel in panels[len(profiles) :]:
        panel.set_axis_off()
    limits = [panel.get_ylim() for panel in panels[: len(profiles)]]
    for i, panel in enumerate(panels[: len(profiles)]):  # one scale: a flat curve is one that does not matter
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
        if i % across == 0:
            panel.set_ylabel(label)
    figure.suptitle(_title(view, profiles, across), fontsize=9)
    return figure


def _title(view: View, profiles: Sequence[Profile], across: int) -> str:
    """Where the other axes are held, and what the bands are, in lines that fit the figure."""
    held = {name: value for profile in profiles for name, value in profile.at.items()}
    where = ", ".join(f"{a.name} = {a.text(held[a.name])}" for a in view.axes if a.name in held)
    said = f"at {where}" if len(profiles) == 1 else f"each along one axis, the others at {where}"
    said = f"{said}; bands are {BAND}" if held else f"bands are {BAND}"
    return safe(textwrap.fill(said, 36 + 36 * across))


def _draw_profile(panel: Axes, map: Map, response: int, curve: ProfileCurve) -> None:
    profile, mean, deviation = curve.profile, curve.mean[:, response], curve.deviation[:, response]
    if profile.axis.settings:  # nothing lies between them
        panel.errorbar(profile.grid, mean, 2 * deviation, fmt="D", color=BLUE, markersize=5, capsize=3)
    else:
        band = mean - 2 * deviation, mean + 2 * deviation
        panel.fill_between(profile.grid, *band, color=BLUE, alpha=0.2, linewidth=0)
        panel.plot(profile.grid, mean, color=BLUE)
    _draw_measured(panel, map, response, profile)
    panel.set_xlabel(labelled(profile.axis.name, profile.axis.unit))
    scale_axis(panel.xaxis, profile.axis)


def _draw_measured(panel: Axes, map: Map, response: int, profile: Profile) -> None:
    """Measurements beside the curve: the farther the other parameters are, the fainter."""
    from matplotlib.colors import to_rgba

    inside, view = map.domain.contains(map.x), followed(map.domain)
    near = np.clip(1.0 - 2.5 * apart_from(map, profile)[inside], 0.08, 1.0)
    along = along_axes(map.domain, map.x[inside])[:, view.index(profile.axis.name)]
    shades = [to_rgba(BLACK, alpha) for alpha in near]
    panel.scatter(along, map.y[inside, response], s=16, c=shades, linewidths=0, zorder=3)


def sensitivity_figure(sensitivity: Sensitivity, response: str) -> Figure:
    """How much of the map's variance each parameter explains, alone and with the others, with 95 % intervals.

    The most important parameter is drawn on top.
    """
    effects = [effect for effect in sensitivity.effects if effect.response == response]
    ranked = sorted(effects, key=lambda effect: effect.total.value)
    figure, (axes,) = new_figure(1, 1, (6.4, 1.1 + 0.52 * len(ranked)))
    place = np.arange(len(ranked), dtype=float)
    for shares, words, colour, offset in (
        ([effect.first for effect in ranked], "alone", ORANGE, -0.19),
        ([effect.total for effect in ranked], "with the others", BLUE, 0.19),
    ):
        values = np.array([share.value for share in shares])
        ends = np.abs(np.array([(share.low, share.high) for share in shares]).T - values)
        axes.barh(place + offset, values, height=0.36, color=colour, label=words)
        look: dict[str, Any] = {"fmt": "none", "ecolor": BLACK, "elinewidth": 1, "capsize": 2}
        axes.errorbar(values, place + offset, xerr=ends, **look)
    axes.set_yticks(place, [safe(effect.parameter) for effect in ranked])
    axes.set_xlim(0, max(1.0, axes.get_xlim()[1]))
    said = "\nparameters depend on each other: shares alone overlap" if sensitivity.dependent else ""
    axes.set_xlabel(f"share of the variance of {safe(response)}{said}")  # a share has no unit
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], names[::-1], frameon=False, loc="lower right")
    return figure
