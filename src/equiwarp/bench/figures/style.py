"""How every figure looks: one colour, marker and line per arm, and a plain frame.

The colours are those of Okabe and Ito, which people with any common colour vision tell apart; line
style and marker repeat the information for print in grey. Figures are made without pyplot, so that
drawing leaves no global state and needs no display.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equiwarp.plotting.style import (
    BLACK,
    BLUE,
    BROWN,
    DEEP,
    GREEN,
    GREY,
    OCHRE,
    ORANGE,
    PALE,
    PURPLE,
    SKY,
    VERMILION,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Figures take their colours from here too.
__all__ = [
    "ARM_STYLES",
    "BLACK",
    "BROWN",
    "DESIGN_POINTS",
    "GREEN",
    "VERMILION",
    "ArmStyle",
    "arm_style",
    "canvas",
    "panel",
    "shared_legend",
    "square_map",
]

DPI = 180

RC: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.6,
    "image.cmap": "cividis",
    "savefig.dpi": DPI,
    "figure.constrained_layout.use": True,
}

#: How the points of a design are drawn on a map.
DESIGN_POINTS: dict[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "color": "white",
    "markersize": 4,
    "markeredgecolor": BLACK,
    "markeredgewidth": 0.7,
}


@dataclass(frozen=True)
class ArmStyle:
    """How one arm is drawn, wherever it appears."""

    label: str
    color: str
    marker: str
    line: Any = "-"

    def of_line(self) -> dict[str, Any]:
        """Keywords of a line without markers."""
        return {"color": self.color, "linestyle": self.line, "label": self.label}

    def of_points(self) -> dict[str, Any]:
        """Keywords of a line with markers."""
        return {**self.of_line(), "marker": self.marker, "markersize": 4.5}


ARM_STYLES: dict[str, ArmStyle] = {
    "fps": ArmStyle("FPS", BLACK, "s", (0, (5, 1.5))),
    "sobol": ArmStyle("Sobol", GREY, "v", (0, (1, 1.2))),
    "random": ArmStyle("Random", PALE, "x", (0, (3, 1.2, 1, 1.2))),
    "eig": ArmStyle("EIG", GREY, "o"),
    "equalized": ArmStyle("EIG × g", ORANGE, "D"),
    "equiwarp": ArmStyle("g + reconstruction warp", BLUE, "^"),
    "warp": ArmStyle("reconstruction warp without g", GREEN, "P", (0, (9, 2))),
    "kumaraswamy": ArmStyle("g + Kumaraswamy warp", PURPLE, "*", (0, (6, 1, 1, 1))),
    "nipv": ArmStyle("NIPV", VERMILION, "X", (0, (4, 1))),
    "epig": ArmStyle("EPIG", SKY, "h", (0, (2, 0.8))),
    "epig-joint": ArmStyle("EPIG, joint targets", "#44AA99", "+", (0, (1, 1, 4, 1))),
    "refit": ArmStyle("EIG, refitted each round", OCHRE, "<", (0, (3, 1, 1, 1, 1, 1))),
    "lookahead-nn": ArmStyle("1-NN look-ahead", DEEP, "p", (0, (7, 1, 2, 1))),
    "lookahead-gp": ArmStyle("GP look-ahead", "#AA4499", "8", (0, (8, 1, 1, 1, 1, 1))),
    "map": ArmStyle("the map's own models", "#117733", "H", (0, (5, 1, 1, 1))),
    "botorch-nipv": ArmStyle("NIPV of BoTorch", ORANGE, "d", "-."),
    "neumann": ArmStyle("EIG, Neumann kernel", BROWN, ">", (0, (1, 0.6))),
}


def arm_style(name: str) -> ArmStyle:
    """The style of an arm; one of your own is drawn dark and dash-dotted under its own name."""
    return ARM_STYLES.get(name, ArmStyle(name, "#333333", "d", "-."))


@contextmanager
def canvas(width: float, height: float, out: Path) -> Iterator[Figure]:
    """A figure of this size in inches, saved to ``out`` when the block ends without an error."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: Any = RC
    with mpl.rc_context(settings):
        figure = Figure(figsize=(width, height), dpi=DPI)
        FigureCanvasAgg(figure)
        yield figure
        out.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(out)


def panel(axes: Axes, letter: str, title: str = "") -> None:
    """Name a panel as the caption does: a bold letter, then what it shows."""
    axes.set_title(f"$\\bf{{({letter})}}$ {title}".rstrip())


def shared_legend(
    figure: Figure, axes: Axes, columns: int, order: Callable[[str], Any] | None = None
) -> None:
    """One legend for all panels, above them, so that it never lies on the data."""
    handles, labels = axes.get_legend_handles_labels()
    pairs = list(zip(handles, labels, strict=True))
    if order is not None:
        pairs.sort(key=lambda pair: order(pair[1]))
    figure.legend(
        [handle for handle, _ in pairs],
        [label for _, label in pairs],
        loc="outside upper center",
        ncols=columns,
        handlelength=2.6,
        columnspacing=1.6,
    )


def square_map(axes: Axes, ticks: tuple[float, ...] = (0.0, 0.5, 1.0)) -> None:
    """Dress an image of the unit square."""
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=ticks, yticks=ticks, aspect="equal")
    axes.set_xlabel("$x_1$", labelpad=2)
    axes.set_ylabel("$x_2$", labelpad=4)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
