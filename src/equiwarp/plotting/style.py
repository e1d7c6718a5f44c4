"""How our pictures look: colours, and small helpers that every figure shares.

The colours are those of Okabe and Ito, which people with any common colour vision tell apart. Figures
are made with matplotlib's objects, never with pyplot: drawing must not touch the figures that a user
has open, and reports are drawn in several threads.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, PALE, BROWN, OCHRE, DEEP = "#7A7A7A", "#B5B5B5", "#7F4F24", "#A08A00", "#332288"
#: What is still to run; seen on viridis and on magma alike.
PENDING = "#CC2277"
#: What would be suggested now.
NEXT = "#FFB000"
#: Colour maps: of values, of uncertainty, of what drives the choice, and of the warp's stretch.
VALUES, UNCERTAINTY, SCORES, STRETCH = "viridis", "magma", "Blues", "Oranges"

#: How wide a band around a curve is, in words.
BAND = "two standard deviations"


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A figure of this size in inches, and its panels in reading order."""
    from matplotlib.figure import Figure

    # Settings of the figure, not of matplotlib: those would be shared by all threads.
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
    return figure, panels


def png(figure: Figure, dpi: int = 150) -> bytes:
    """A figure as the bytes of a PNG file."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=dpi)
    return stream.getvalue()


def image_file(figure: Figure, form: str, dpi: int = 150) -> bytes:
    """A figure as the bytes of a file: "png", "svg" or "pdf"; the same figure gives the same bytes."""
    stream = io.BytesIO()
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    figure.savefig(stream, format=form, dpi=dpi, metadata=undated)
    return stream.getvalue()


def safe(text: str) -> str:
    """Text in which matplotlib finds no mathematics: people type dollars."""
    return text.replace("$", r"\$")


def labelled(name: str, unit: str) -> str:
    """A name with its unit, safe to draw."""
    return safe(f"{name} ({unit})" if unit else name)
