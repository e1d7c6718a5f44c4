"""``oracle``: the greedy choice of someone who knows f, as the limit of what one-step choices reach.

Of the pool it takes the point that lowers the noise-free nearest-neighbour error on the probes most.
A probe u with nearest measurement nn(u) changes hands if x is nearer, so the gain of x is the sum of

    (f(u) - f(nn(u)))^2 - (f(u) - f(x))^2    over the probes u with |u - x| < |u - nn(u)|.

Those pairs (u, x) only become fewer as points are added: they are listed once and thinned out.
It is a limit of greedy choices from this pool under the 1-NN readout, and of nothing else: a design
chosen jointly, or judged by another readout, may do better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.configuration import RunConfiguration, prepare

#: Probes compared with the pool at a time, to bound the memory of the listing.
PROBES_AT_A_TIME = 256


@dataclass(frozen=True)
class Pairs:
    """Probe and pool point of every pair in which the pool point is nearer than any measurement.

    Attributes
    ----------
    probe, pool : (p,) arrays
        In the order of the probes, whenever they were listed, so that sums do not depend on it.
    square : (p,) array
        Squared distance between the two.
    miss : (p,) array
        (f(u) - f(x))^2, the probe's error if the pool point were measured.
    """

    probe: NDArray[np.int32]
    pool: NDArray[np.int32]
    square: Array
    miss: Array

    @classmethod
    def of(cls, Q: Array, P: Array, f_probe: Array, f_pool: Array, radius: Array) -> Pairs:
        """List the pairs of probes ``(q, e)`` and pool ``(m, e)`` closer than ``radius`` (q,), squared."""
        parts = []
        for start in range(0, len(Q), PROBES_AT_A_TIME):
            rows = slice(start, start + PROBES_AT_A_TIME)
            square = squares(Q[rows], P)
            u, x = np.nonzero(square < radius[rows, None])
            parts.append((u + start, x, square[u, x], np.square(f_probe[u + start] - f_pool[x])))
        probe, pool, square, miss = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(probe.astype(np.int32), pool.astype(np.int32), square, miss)

    def within(self, radius: Array) -> Pairs:
        """Those that are still pairs under smaller radii."""
        keep = np.flatnonzero(self.square < radius[self.probe])
        return Pairs(self.probe[keep], self.pool[keep], self.square[keep], self.miss[keep])

    def gain(self, error: Array, m: int) -> Array:
        """What each of m pool points takes off the summed squared error ``(q,)`` of the probes."""
        return np.bincount(self.pool, error[self.probe] - self.miss, minlength=m).astype(float)


def squares(A: Array, B: Array) -> Array:
    """Squared distances ``(len(A), len(B))``, each from its two points alone: blocks change no bit."""
    total = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        total += np.square(a[:, None] - b[None, :])
    return total


class OracleStepper(Stepper):
    """Nearest measurement of every probe, kept up to date point by point."""

    def __init__(self, seeded: SeededBenchmark, configuration: RunConfiguration) -> None:
        domain, f = seeded.benchmark.domain, seeded.benchmark
        self.f, self.configuration, self.domain = f, configuration, domain
        self.P, self.Q = domain.embed(configuration.pool), domain.embed(configuration.probes)
        self.f_pool, self.f_probe = f(configuration.pool), f(configuration.probes)
        self.radius = np.full(len(self.Q), np.inf)
        self.error = np.full(len(self.Q), np.inf)
        self.known = 0
        self.pairs: Pairs | None = None

    def next(self, x: Array, y: Array) -> Array:
        """The noisy values are of no interest to someone who knows the function."""
        gain = self.gains(x)
        gain[self.configuration.taken(x)] = -np.inf
        return self.configuration.pool[int(np.argmax(gain))]

    def gains(self, x: Array) -> Array:
        """Error taken off the probes, summed, by each pool point ``(m,)``, given measurements at x."""
        new = x[self.known :]
        for z, value in zip(self.domain.embed(new), self.f(new) if len(new) else new, strict=True):
            square = squares(self.Q, z[None])[:, 0]
            won = square < self.radius
            self.radius = np.where(won, square, self.radius)
            self.error = np.where(won, np.square(self.f_probe - value), self.error)
        self.known = len(x)
        if self.pairs is None:
            self.pairs = Pairs.of(self.Q, self.P, self.f_probe, self.f_pool, self.radius)
        else:
            self.pairs = self.pairs.within(self.radius)
        return self.pairs.gain(self.error, len(self.P))


class Oracle(Arm):
    """Knows f. Not a method: it measures how much of the possible gain a method reaches."""

    name = "oracle"

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        configuration = prepare(seeded.benchmark.domain, "fps", seeded.seed, pool=seeded.pool)
        return OracleStepper(seeded, configuration)
