"""``Cell``: one arm on one benchmark under one seed, computed, extended, and kept in one file."""

from __future__ import annotations

import json
import time
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.area import rmse_percent
from equiwarp.bench.arms import find_arm
from equiwarp.bench.functions.catalogue import Benchmark, find_benchmark
from equiwarp.bench.readouts.nearest import nearest_trajectory
from equiwarp.bench.seeded import SeededBenchmark, held_out
from equiwarp.bench.storage.files import safe_name, write_npz
from equiwarp.bench.storage.provenance import provenance
from equiwarp.domains import Array
from equiwarp.engine.configuration import POOL_SIZE
from equiwarp.exceptions import InvalidInput

CELL_FORMAT = 1


@dataclass(frozen=True)
class Job:
    """What is asked of a cell; plain text and numbers, so that it travels to any worker."""

    benchmark: str
    arm: str
    seed: int
    rounds: int
    lengthscale_factor: float = 1.0
    pool: int = POOL_SIZE

    @property
    def label(self) -> str:
        """The arm, with lengthscale factor and pool where they are not the usual ones."""
        return arm_label(self.arm, self.lengthscale_factor, self.pool)

    @property
    def place(self) -> Path:
        """Of the cell's file, relative to the results folder."""
        return Path("cells") / safe_name(self.benchmark) / safe_name(self.label) / f"seed-{self.seed:04d}.npz"


@dataclass(frozen=True)
class Cell:
    """A finished run.

    Attributes
    ----------
    benchmark, arm : str
    lengthscale_factor : float
    seed, rounds : int
    x : (n0 + rounds, columns) array
        Initial design first, then the chosen points in order.
    y : (n0 + rounds,) array
        Noisy values.
    error_1nn : (rounds + 1,) array
        1-NN mean squared error after the initial design and after each round.
    duration : float
        Seconds spent in choosing and scoring.
    origin : dict
        Versions, commit, date and conditions; of a run that was extended also what it extends.
    pool : int
        Number of candidates.
    """

    benchmark: str
    arm: str
    lengthscale_factor: float
    seed: int
    rounds: int
    x: Array
    y: Array
    error_1nn: Array
    duration: float
    origin: dict[str, str]
    path: Path | None = None
    pool: int = POOL_SIZE

    @property
    def n0(self) -> int:
        return len(self.x) - self.rounds

    @property
    def label(self) -> str:
        """The arm, with lengthscale factor and pool where they are not the usual ones."""
        return arm_label(self.arm, self.lengthscale_factor, self.pool)

    @property
    def as_usual(self) -> bool:
        """Whether lengthscale and pool are those of the main tables."""
        return self.lengthscale_factor == 1.0 and self.pool == POOL_SIZE

    @property
    def spec(self) -> Benchmark:
        """The benchmark itself."""
        return find_benchmark(self.benchmark)

    @property
    def job(self) -> Job:
        """What was asked for; says where the cell's file belongs."""
        return Job(self.benchmark, self.arm, self.seed, self.rounds, self.lengthscale_factor, self.pool)

    @property
    def seeded(self) -> SeededBenchmark:
        return SeededBenchmark(self.spec, self.seed, self.pool)

    def error(self, readout: str = "1nn") -> Array:
        """Mean squared error after round 0, 1, ..., ``(rounds + 1,)``, under any readout."""
        from equiwarp.bench.readouts.scoring import error_trajectory

        return error_trajectory(self, readout)

    def rmse_percent(self, readout: str = "1nn") -> Array:
        """Root mean squared error in percent of the function's deviation, ``(rounds + 1,)``."""
        return rmse_percent(self.error(readout), self.seeded.deviation)

    def save(self, path: Path) -> Cell:
        """Write beside, then rename: a file is whole or absent."""
        meta = {
            "format": CELL_FORMAT,
            "benchmark": self.benchmark,
            "arm": self.arm,
            "lengthscale_factor": self.lengthscale_factor,
            "seed": self.seed,
            "rounds": self.rounds,
            "duration": self.duration,
            "origin": self.origin,
            "pool": self.pool,
        }
        write_npz(path, meta=np.array(json.dumps(meta)), x=self.x, y=self.y, error_1nn=self.error_1nn)
        return replace(self, path=path)

    @classmethod
    def load(cls, path: Path) -> Cell:
        """Read a cell's file; :class:`InvalidInput` with its name if it is not one."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                meta: dict[str, Any] = json.loads(str(stored["meta"]))
                arrays = {name: stored[name] for name in ("x", "y", "error_1nn")}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise InvalidInput(f"{path} is not a readable cell ({error}): delete it and run again") from error
        if meta.pop("format") != CELL_FORMAT:
            raise InvalidInput(f"{path} was written by another version: delete it and run again")
        return cls(**meta, **arrays, path=path)


def compute(job: Job, known: Cell | None = None) -> Cell:
    """Run a job from the start, or on from a cell with fewer rounds; the result is the same."""
    began = time.perf_counter()
    seeded = SeededBenchmark(find_benchmark(job.benchmark), job.seed, job.pool)
    x, y = seeded.start, seeded.measure(seeded.start)
    n0, batch, before, origin = len(x), seeded.benchmark.batch, 0.0, provenance()
    origin |= {"noise": f"{seeded.benchmark.noise:g}", "batch": str(batch)}
    if known is not None and _continues(known, x, y):
        whole = known.rounds - known.rounds % batch  # a batch that was cut short is chosen again
        x, y, before = known.x[: n0 + whole], known.y[: n0 + whole], known.duration
        origin["extends"] = f"{known.rounds} rounds of {known.origin.get('commit', '')}"
    stepper = find_arm(job.arm).start(seeded, job.lengthscale_factor)
    while len(x) < n0 + job.rounds:
        points = stepper.next_batch(x, y, batch)[: n0 + job.rounds - len(x)]
        # One by one: a value must not depend in its last bit on how many are computed together.
        y = np.append(y, [seeded.measure(point[None], len(x) + i)[0] for i, point in enumerate(points)])
        x = np.vstack([x, points])
    test, truth = held_out(seeded.benchmark)
    Z = seeded.benchmark.domain.embed(x)
    error_1nn = nearest_trajectory(test, truth, Z, seeded.benchmark(x), n0)
    return Cell(
        job.benchmark,
        job.arm,
        job.lengthscale_factor,
        job.seed,
        len(x) - n0,
        x,
        y,
        error_1nn,
        before + time.perf_counter() - began,
        origin,
        pool=job.pool,
    )


def arm_label(arm: str, lengthscale_factor: float = 1.0, pool: int = POOL_SIZE) -> str:
    """``eig``, ``eig@0.5`` with half the lengthscale, or ``eig@pool=32768`` with so many candidates."""
    scaled = arm if lengthscale_factor == 1.0 else f"{arm}@{lengthscale_factor:g}"
    return scaled if pool == POOL_SIZE else f"{scaled}@pool={pool}"


def _continues(known: Cell, x: Array, y: Array) -> bool:
    """Whether a stored run began as this one does; if the benchmark was changed since, it did not."""
    n = len(x)
    same_start = known.n0 == n and np.array_equal(known.x[:n], x)
    return same_start and np.allclose(known.y[:n], y, rtol=1e-9, atol=1e-12)
