"""equiwarp beside adaptive on the examples of adaptive's own tutorial: ``python tools/compare_adaptive.py``.

Needs ``pip install adaptive``. Both choose one point at a time and evaluate the same number of them. The
error is the root mean square over a dense test set, in percent of the function's standard deviation: of
adaptive's own interpolation, of equiwarp's map of adaptive's points, and of equiwarp's map of its own points
(mean over seeds). Prints the table of docs/adaptive.md as Markdown.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import adaptive
import numpy as np

import equiwarp as ew

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Example:
    """One function of adaptive's tutorial on ``[-1, 1]^d``, and the noise that is added to its values."""

    name: str
    dim: int
    function: Function
    noise: float = 0.0


def peak(x: np.ndarray) -> np.ndarray:
    return x[:, 0] + 0.01**2 / (0.01**2 + (x[:, 0] - 0.3) ** 2)


def ring(x: np.ndarray) -> np.ndarray:
    return x[:, 0] + np.exp(-((np.sum(x**2, axis=1) - 0.75**2) ** 2) / 0.2**4)


def shell(x: np.ndarray) -> np.ndarray:
    return x[:, 0] + x[:, 2] ** 2 + np.exp(-((np.sum(x**2, axis=1) - 0.75**2) ** 2) / 0.4**4)


def franke(x: np.ndarray) -> np.ndarray:
    """Franke's function, not of adaptive's tutorial: smooth, as most simulators are."""
    a, b = 9 * (x[:, 0] + 1) / 2, 9 * (x[:, 1] + 1) / 2
    return (
        0.75 * np.exp(-((a - 2) ** 2 + (b - 2) ** 2) / 4)
        + 0.75 * np.exp(-((a + 1) ** 2) / 49 - (b + 1) / 10)
        + 0.5 * np.exp(-((a - 7) ** 2 + (b - 3) ** 2) / 4)
        - 0.2 * np.exp(-((a - 4) ** 2) - (b - 7) ** 2)
    )


EXAMPLES = (
    Example("peak (Learner1D)", 1, peak),
    Example("ring (Learner2D)", 2, ring),
    Example("ring with noise 0.05", 2, ring, 0.05),
    Example("sphere (LearnerND, 3D)", 3, shell),
    Example("Franke", 2, franke),
    Example("Franke with noise 0.05", 2, franke, 0.05),
)


def values(example: Example, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return example.function(x) + example.noise * rng.standard_normal(len(x))


def by_adaptive(example: Example, counts: list[int]) -> dict[int, tuple[np.ndarray, np.ndarray, Function]]:
    """Points, values and the interpolation of adaptive's learner for this dimension, after so many points."""
    rng, bounds = np.random.default_rng(0), [(-1.0, 1.0)] * example.dim
    learner = {
        1: lambda: adaptive.Learner1D(None, bounds[0]),
        2: lambda: adaptive.Learner2D(None, bounds),
    }.get(example.dim, lambda: adaptive.LearnerND(None, bounds))()
    found, x, y = {}, [], []
    while len(x) < max(counts):
        (point,), _ = learner.ask(1)
        row = np.atleast_1d(np.asarray(point, dtype=float))
        x.append(row)
        y.append(float(values(example, row[None], rng)[0]))
        learner.tell(point, y[-1])
        if len(x) in counts:
            found[len(x)] = np.array(x), np.array(y), interpolation(learner, np.array(x), np.array(y))
    return found


def interpolation(learner: adaptive.BaseLearner, x: np.ndarray, y: np.ndarray) -> Function:
    """What adaptive itself says between the points: linear interpolation."""
    if x.shape[1] == 1:
        order = np.argsort(x[:, 0])
        return lambda t: np.interp(t[:, 0], x[order, 0], y[order])
    from scipy.interpolate import LinearNDInterpolator

    linear = LinearNDInterpolator(x, y)
    return lambda t: linear(t)


def by_equiwarp(example: Example, counts: list[int], seed: int) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Points and values that a run with one worker chooses."""
    rng, box = np.random.default_rng(seed), cube(example.dim)
    campaign = ew.run(
        lambda point: float(values(example, point[None], rng)[0]),
        box,
        budget=max(counts),
        executor="threads",
        workers=1,
        ahead=0,
        seed=seed,
        noise=example.noise or 1e-3,
        progress=False,
    )
    done = campaign.experiments("done")
    x = np.array([list(e.point.values()) for e in done])
    y = np.array([e.value for e in done])
    return {count: (x[:count], y[:count]) for count in counts}


def cube(dim: int) -> ew.Box:
    return ew.Box({f"x{i + 1}": (-1, 1) for i in range(dim)})


def mapped(example: Example, x: np.ndarray, y: np.ndarray) -> Function:
    known = ew.build_map(cube(example.dim), x, y, example.noise or 1e-3)
    return lambda t: known.predict(t).mean[:, 0]


def error(example: Example, test: np.ndarray, predict: Function) -> float:
    truth = example.function(test)
    return 100 * float(np.sqrt(np.nanmean((predict(test) - truth) ** 2)) / truth.std())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="examples whose names contain this")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"adaptive {adaptive.__version__}, equiwarp {ew.__version__}, {given.seeds} seeds\n")
    print("| example | points | adaptive, its interpolation | adaptive's points, our map | equiwarp |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for example in [e for e in EXAMPLES if (given.only or "").lower() in e.name.lower()]:
        test = cube(example.dim).sample(8192, np.random.default_rng(99))
        theirs = by_adaptive(example, given.counts)
        ours = [by_equiwarp(example, given.counts, seed) for seed in range(given.seeds)]
        for count in given.counts:
            x, y, linear = theirs[count]
            plain, crossed = error(example, test, linear), error(example, test, mapped(example, x, y))
            own = np.mean([error(example, test, mapped(example, *run[count])) for run in ours])
            row = f"| {example.name} | {count} | {plain:.2f} | {crossed:.2f} | {own:.2f} |"
            print(row, flush=True)


if __name__ == "__main__":
    main()
