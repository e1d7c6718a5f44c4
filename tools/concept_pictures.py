"""Draw the pictures of docs/concepts.md: ``python tools/concept_pictures.py docs/images``, seeds fixed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.figures.style import BLACK, DESIGN_POINTS, GREEN, VERMILION, canvas, panel, square_map
from equiwarp.cli.demo_experiment import BOX, NOISE, yield_of

SQUARE = ew.Box.unit(2)
BLUE, GREY = "#0072B2", "#777777"
START, MORE = 10, 40


def grown(domain, function, strategy: str, more: int, noise: float = NOISE, start: int = START):
    """Points that a strategy measures one after another, the start included, and their values."""
    x = domain.sample(start, stream(0, DESIGN))
    errors = stream(0, "concepts").standard_normal(start + more) * noise
    while len(x) < start + more:
        y = function(x) + errors[: len(x)]
        x = np.vstack([x, ew.suggest(domain, x, y, strategy=strategy, noise=noise).points])
    return x, function(x) + errors


def lattice(side: int = 90):
    """The points of a square lattice, and its shape."""
    axis = np.linspace(0, 1, side)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2), (side, side)


def bias(out: Path) -> None:
    """Where plain variance and the equalized one measure when nothing is to be seen."""
    with canvas(7.2, 3.4, out) as figure:
        for i, (name, title) in enumerate(
            (("eig", "largest variance"), ("equalized", "variance × equalizer"))
        ):
            axes = figure.add_subplot(1, 2, i + 1)
            x, _ = grown(SQUARE, lambda x: np.zeros(len(x)) + 0.3 * x[:, 0], name, 30)
            near = np.mean((np.minimum(x, 1 - x)[START:] < 0.05).any(axis=1))
            axes.plot(*x[:START].T, "o", color=GREY, ms=4, label="start")
            axes.plot(*x[START:].T, "o", color=VERMILION if i == 0 else BLUE, ms=5, label="chosen")
            square_map(axes)
            axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
            panel(axes, "ab"[i], f"{title}: {100 * near:.0f} % on the rim")


def warp(out: Path) -> None:
    """The same number of experiments, spread evenly and sent to where the function changes."""
    Z, shape = lattice()
    truth = yield_of(BOX.from_cube(Z))
    with canvas(7.2, 3.4, out) as figure:
        for i, (name, title) in enumerate((("fps", "spread evenly"), ("equiwarp", "with the warp"))):
            axes = figure.add_subplot(1, 2, i + 1)
            x, y = grown(BOX, yield_of, name, MORE)
            map_ = ew.build_map(BOX, x, y, noise=NOISE)
            error = np.sqrt(np.mean((map_.predict(BOX.from_cube(Z)).mean[:, 0] - truth) ** 2))
            axes.imshow(truth.reshape(shape), extent=(0, 1, 0, 1), origin="lower", aspect="auto")
            axes.plot(*BOX.to_cube(x).T, **DESIGN_POINTS)
            square_map(axes)
            panel(axes, "ab"[i], f"{title}: error of the map {error:.3f}")


def wavy(x):
    """One parameter, a steep and a flat part."""
    return np.tanh(12 * (x[:, 0] - 0.35)) + 0.4 * np.sin(7 * x[:, 0])


def error(out: Path) -> None:
    """The map with its band, and the one number that sums the band up."""
    line = ew.Box.unit(1)
    x, y = grown(line, wavy, "lookahead-gp", 4, noise=0.05, start=6)
    map_ = ew.build_map(line, x, y, noise=0.05)
    grid = np.linspace(0, 1, 400)[:, None]
    p, (found,) = map_.predict(grid), map_.error()
    mean, deviation = p.mean[:, 0], p.deviation[:, 0]
    true = float(np.sqrt(np.mean((mean - wavy(grid)) ** 2)))
    with canvas(7.2, 3.2, out) as figure:
        axes = figure.add_subplot()
        band = (mean - 2 * deviation, mean + 2 * deviation)
        axes.fill_between(grid[:, 0], *band, color=BLUE, alpha=0.18, lw=0, label="map ± 2 deviations")
        axes.plot(grid[:, 0], mean, color=BLUE, label="map")
        axes.plot(grid[:, 0], wavy(grid), color=BLACK, ls="--", lw=1, label="truth, which nobody knows")
        axes.plot(x[:, 0], y, "o", color=VERMILION, ms=5, label="measured")
        axes.set(xlabel="setting", ylabel="response")
        axes.set_title(
            f"the map says it is off by {found.value:.2f} ({found.low:.2f} to {found.high:.2f}); "
            f"it is off by {true:.2f}"
        )
        axes.legend(loc="lower right")


def stop(out: Path) -> None:
    """What the map says of its error while experiments come in, the forecast, and a limit."""
    x, y = grown(BOX, yield_of, "lookahead-gp", 50)
    Z, _ = lattice(50)
    points = BOX.from_cube(Z)
    truth, counts = yield_of(points), list(range(12, len(x) + 1, 6))
    maps = [ew.build_map(BOX, x[:n], y[:n], noise=NOISE) for n in counts]
    said = [m.error()[0] for m in maps]
    true = [float(np.sqrt(np.mean((m.predict(points).mean[:, 0] - truth) ** 2))) for m in maps]
    begin = 4
    ahead = maps[begin].forecast(24)[:, 0]
    with canvas(7.2, 3.2, out) as figure:
        axes = figure.add_subplot()
        axes.fill_between(counts, [e.low for e in said], [e.high for e in said], color=BLUE, alpha=0.15, lw=0)
        told = [e.value for e in said]
        axes.plot(counts, told, "o-", color=BLUE, ms=4, label="error the map tells, with its range")
        axes.plot(counts, true, "--", color=BLACK, label="true error")
        later = counts[begin] + np.arange(len(ahead))
        axes.plot(later, ahead, color=GREEN, label=f"forecast after {counts[begin]}")
        axes.axhline(0.05, color=VERMILION, lw=1, ls=":", label="limit that you set")
        axes.set(xlabel="experiments", ylabel="error of the map", yscale="log")
        axes.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
        axes.set_yticks([], minor=True)
        axes.legend(loc="upper right")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for draw in (bias, warp, error, stop):
        draw(folder / f"concept-{draw.__name__}.png")
