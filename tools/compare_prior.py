"""What a cheap simulator is worth as the prior of a dear one: ``python tools/compare_prior.py``.

Pairs of functions of the multi-fidelity literature, and one prior that is wrong. Root mean square error over
the domain in percent of the function's standard deviation, mean over seeds: the map from nothing, the map
with the prior (both choose points with `lookahead-gp`), and SMT's MFK (``pip install smt``) with as many
values of the dear function at Latin hypercube points and ten per dimension of the cheap one. Prints Markdown.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import equiwarp as ew
from equiwarp.maps.prior import build_prior_map

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Pair:
    """A dear and a cheap function on a box, and how many values of the dear one there are."""

    name: str
    bounds: tuple[tuple[float, float], ...]
    dear: Function
    cheap: Function
    values: int


def forrester(x: np.ndarray) -> np.ndarray:
    return (6 * x[:, 0] - 2) ** 2 * np.sin(12 * x[:, 0] - 4)


def forrester_low(x: np.ndarray) -> np.ndarray:
    return 0.5 * forrester(x) + 10 * (x[:, 0] - 0.5) - 5


def branin(x: np.ndarray) -> np.ndarray:
    a, b = x.T
    wave = 10 * (1 - 1 / (8 * np.pi)) * np.cos(a)
    return (b - 5.1 * a**2 / (4 * np.pi**2) + 5 * a / np.pi - 6) ** 2 + wave + 10


def branin_low(x: np.ndarray) -> np.ndarray:
    """Perdikaris et al. (2017), medium fidelity."""
    return 10 * np.sqrt(branin(x - 2)) + 2 * (x[:, 0] - 0.5) - 3 * (3 * x[:, 1] - 1) - 1


def park(x: np.ndarray) -> np.ndarray:
    """Park (1991), first function."""
    a, b, c, d = x.T
    return a / 2 * (np.sqrt(1 + (b + c**2) * d / a**2) - 1) + (a + 3 * d) * np.exp(1 + np.sin(c))


def park_low(x: np.ndarray) -> np.ndarray:
    """Xiong et al. (2013)."""
    a, b, c, _ = x.T
    return (1 + np.sin(a) / 10) * park(x) - 2 * a + b**2 + c**2 + 0.5


def borehole(x: np.ndarray, top: float = 2 * np.pi, one: float = 1.0) -> np.ndarray:
    rw, r, tu, hu, tl, hl, length, kw = x.T
    log = np.log(r / rw)
    return top * tu * (hu - hl) / (log * (one + 2 * length * tu / (log * rw**2 * kw) + tu / tl))


def borehole_low(x: np.ndarray) -> np.ndarray:
    """Xiong et al. (2013)."""
    return borehole(x, top=5.0, one=1.5)


BOREHOLE = (
    (0.05, 0.15), (100, 50_000), (63_070, 115_600), (990, 1110), (63.1, 116), (700, 820), (1120, 1680),
    (9855, 12_045),
)  # fmt: skip
PAIRS = (
    Pair("Forrester, 1D", ((0, 1),), forrester, forrester_low, 6),
    Pair("Branin, 2D", ((-5, 10), (0, 15)), branin, branin_low, 16),
    Pair("Park, 4D", ((1e-6, 1),) * 4, park, park_low, 24),
    Pair("borehole, 8D", BOREHOLE, borehole, borehole_low, 24),
    Pair("Branin with a wrong prior", ((-5, 10), (0, 15)), branin, lambda x: 50 * np.sin(x.sum(axis=1)), 24),
)


def box_of(pair: Pair) -> ew.Box:
    return ew.Box({f"x{i + 1}": bounds for i, bounds in enumerate(pair.bounds)})


def chosen(pair: Pair, seed: int, with_prior: bool) -> np.ndarray:
    """Half of the points fill the space, the others are chosen one by one."""
    box, rng = box_of(pair), np.random.default_rng(seed)
    x = box.sample(max(3, pair.values // 2), rng)
    noise = 1e-3 * float(pair.dear(x).std())
    while len(x) < pair.values:
        if with_prior:
            next_ = build_prior_map(box, x, pair.dear(x), noise, prior=pair.cheap).suggest(2, seed=len(x))
        else:
            next_ = ew.suggest(box, x, pair.dear(x), 2, "lookahead-gp", noise=noise, seed=len(x))
        x = np.concatenate([x, next_.points])[: pair.values]
    return x


def error(pair: Pair, predict: Function) -> float:
    test = box_of(pair).sample(4096, np.random.default_rng(99))
    truth = pair.dear(test)
    return 100 * float(np.sqrt(np.mean((predict(test) - truth) ** 2)) / truth.std())


def mfk(pair: Pair, seed: int) -> float:
    """SMT's co-kriging, its points nested."""
    from smt.applications.mfk import MFK
    from smt.sampling_methods import LHS

    limits, dim = np.array(pair.bounds, dtype=float), len(pair.bounds)
    lhs = LHS(xlimits=limits, criterion="ese", seed=seed)
    dear = lhs(pair.values)
    cheap = np.concatenate([LHS(xlimits=limits, criterion="ese", seed=seed + 100)(10 * dim), dear])
    model = MFK(theta0=dim * [1.0], print_global=False)
    with contextlib.redirect_stdout(io.StringIO()):
        model.set_training_values(cheap, pair.cheap(cheap)[:, None], name=0)
        model.set_training_values(dear, pair.dear(dear)[:, None])
        model.train()
        return error(pair, lambda x: model.predict_values(x)[:, 0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="pairs whose names contain this")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| pair | values | from nothing | with the prior | its share | SMT's MFK |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for pair in [p for p in PAIRS if given.only.lower() in p.name.lower()]:
        plain, prior, share, peer = [], [], [], []
        for seed in range(given.seeds):
            box, x = box_of(pair), chosen(pair, seed, with_prior=False)
            noise = 1e-3 * float(pair.dear(x).std())
            known = ew.build_map(box, x, pair.dear(x), noise)
            plain.append(error(pair, lambda t, m=known: m.predict(t).mean[:, 0]))
            x = chosen(pair, seed, with_prior=True)
            better = build_prior_map(box, x, pair.dear(x), noise, prior=pair.cheap)
            prior.append(error(pair, lambda t, m=better: m.predict(t).mean[:, 0]))
            share.append(float(better.share[0]))
            with contextlib.suppress(ImportError):
                peer.append(mfk(pair, seed))
        theirs = f"{np.mean(peer):.1f}" if peer else "not installed"
        row = f"{np.mean(plain):.1f} | {np.mean(prior):.1f} | {np.mean(share):.2f} | {theirs}"
        print(f"| {pair.name} | {pair.values} | {row} |", flush=True)


if __name__ == "__main__":
    main()
