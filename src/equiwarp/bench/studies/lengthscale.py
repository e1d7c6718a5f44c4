"""Lengthscale sweeps: does the comparison hang on the acquisition lengthscale?

The paper sweeps 0.5 to 2 times the spacing rule on cubes, sixteen-fold on spheres, and adds an arm
that refits the lengthscale every round. A study says which cells that takes; a sweep runs them
and the figures read them. Cubes are represented by two benchmarks per dimension, none of which was
used in development.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equiwarp.bench.area import BASELINE
from equiwarp.bench.sweeps.plan import Sweep


@dataclass(frozen=True)
class LengthscaleStudy:
    """Which arms run at which lengthscales.

    Attributes
    ----------
    benchmarks : tuple of str
    arms : tuple of str
        Run at every factor.
    references : tuple of str
        Run once: they have no lengthscale, or choose their own.
    factors : tuple of float
        Of the spacing rule.
    rounds : int
        The paper's horizon for this study.
    """

    benchmarks: tuple[str, ...]
    arms: tuple[str, ...]
    references: tuple[str, ...]
    factors: tuple[float, ...]
    rounds: int

    def sweeps(self, seeds: Sequence[int], rounds: int | None = None) -> tuple[Sweep, ...]:
        """All cells of the study, for a sweep; cells of the main table are among them."""
        horizon = self.rounds if rounds is None else rounds
        return (
            Sweep(self.benchmarks, self.references, seeds, horizon),
            Sweep(self.benchmarks, self.arms, seeds, horizon, self.factors),
        )

    def commands(self, out: Path, seeds: int = 10) -> tuple[str, ...]:
        """The same as commands for a terminal."""
        return tuple(
            run_command(sweep.benchmarks, sweep.arms, out, seeds, self.rounds, sweep.lengthscale_factors)
            for sweep in self.sweeps(range(seeds))
        )


def run_command(
    benchmarks: Sequence[str],
    arms: Sequence[str],
    out: Path,
    seeds: int = 10,
    rounds: int | None = None,
    factors: Sequence[float] = (1.0,),
) -> str:
    """The command line that computes these cells."""
    parts = [
        f"equiwarp bench run --benchmarks {','.join(benchmarks)} --arms {','.join(arms)} --seeds {seeds}"
    ]
    if rounds is not None:
        parts.append(f"--rounds {rounds}")
    if tuple(factors) != (1.0,):
        parts.append(f"--lengthscale-factor {','.join(f'{f:g}' for f in factors)}")
    return " ".join([*parts, f"--out {out}"])


CUBE_STUDY = LengthscaleStudy(
    benchmarks=("peaks-2d", "zhou-2d", "hartmann-3d", "styblinski-tang-3d", "hartmann-4d", "levy-4d"),
    arms=("eig", "equalized", "nipv", "epig"),
    references=(BASELINE, "sobol", "random", "refit"),
    factors=(0.5, 0.7, 1.0, 1.4, 2.0),
    rounds=100,
)

SPHERE_STUDY = LengthscaleStudy(
    benchmarks=("cap-s2", "two-caps-s2", "cap-s3", "two-caps-s3"),
    arms=("eig", "nipv", "epig"),
    references=(BASELINE, "refit"),
    factors=(0.25, 0.5, 1.0, 2.0, 4.0),
    rounds=100,
)
