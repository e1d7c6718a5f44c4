"""Named suites: conditions under which strategies are compared, each with its functions, arms and command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiwarp.bench.functions.catalogue import benchmarks, conditioned_name
from equiwarp.bench.readouts.average_map import checkpoints
from equiwarp.exceptions import InvalidInput

#: Who is compared; the first is what the others are compared with.
SUITE_ARMS = ("fps", "lookahead-gp", "equiwarp", "map")
#: Arms of the named functions: the published criteria too.
NAMED_ARMS = (*SUITE_ARMS, "vigf", "guess")
#: Of the named functions, those that stand for all of them under other conditions: two to six dimensions.
FEW = (
    "peaks-2d", "levy-2d", "gramacy-lee-2d", "hartmann-3d", "styblinski-tang-3d", "hartmann-4d",
    "friedman-5d", "hartmann-6d",
)  # fmt: skip
ANISOTROPIC = (
    "otl-6d", "piston-7d", "borehole-8d", "robot-arm-8d", "flood-8d", "wing-weight-10d", "peaks-inert-4d",
    "hartmann-inert-6d", "one-fast-3d",
)  # fmt: skip
WIDE = ("dette-8d", "friedman-10d", "linkletter-10d", "levy-12d", "otl-20d", "welch-20d")
UNEVEN = ("front-2d", "phases-3d", "peak-2d", "needle-3d", "michalewicz-2d")
LISTED = ("airfoil-list", "power-plant-list")
MIXED = ("reaction-mixed", "alloy-mixed", "solvents-mixed", "assay-mixed", "pump-periodic")
PERIODIC = ("antenna-periodic", "torus-periodic")
#: Arms of functions with categories and angles. BoTorch's mixed GP and BayBE have to be named: `--arm
#: botorch-mixed --arm baybe`, where their packages are installed.
MIXED_ARMS = ("fps", "random", "lookahead-gp", "map")


@dataclass(frozen=True)
class Suite:
    """Functions, arms and rounds that belong together.

    Attributes
    ----------
    horizons : tuple of int
        Rounds after which the page reports.
    areas : bool
        Whether the page sums up errors over all rounds.
    """

    name: str
    title: str
    benchmarks: tuple[str, ...]
    horizons: tuple[int, ...]
    arms: tuple[str, ...] = SUITE_ARMS
    areas: bool = False

    @property
    def rounds(self) -> int:
        return self.horizons[-1]

    @property
    def judged(self) -> tuple[int, ...]:
        """Rounds after which maps are fitted: where the page reports, and more for areas."""
        return tuple(checkpoints(self.rounds)) if self.areas else self.horizons

    @property
    def command(self) -> str:
        return f"equiwarp bench run --suite {self.name} --seeds 5 --out out"


def _batches(size: int) -> Suite:
    names = tuple(conditioned_name(name, batch=size) for name in FEW)
    return Suite(f"batch-{size}", f"Batches of {size}", names, (96,))


def _noise(share: float) -> Suite:
    names = tuple(conditioned_name(name, share) for name in FEW)
    percent = f"{100 * share:g}"
    return Suite(f"noise-{percent}", f"Noise of {percent} %", names, (50, 100))


def _all(suites: Sequence[Suite]) -> dict[str, Suite]:
    return {suite.name: suite for suite in suites}


#: Name -> suite, in the order of the page.
SUITES = _all(
    [
        Suite(
            "named",
            "The eighteen functions of the paper",
            tuple(name for name, b in benchmarks().items() if not b.sphere),
            (50, 100, 200),
            NAMED_ARMS,
            areas=True,
        ),
        Suite("anisotropic", "Inputs that matter very differently", ANISOTROPIC, (20, 40, 80)),
        Suite("wide", "Eight to twenty parameters", WIDE, (20, 40, 80)),
        Suite("regimes", "Regimes and needles", UNEVEN, (20, 40, 80)),
        Suite("lists", "Lists of real measurements", LISTED, (20, 40, 80)),
        Suite("mixed", "Numbers and categories", MIXED, (10, 20, 40), MIXED_ARMS),
        Suite("periodic", "Angles", PERIODIC, (10, 20, 40), MIXED_ARMS),
        _noise(0.2),
        _noise(0.5),
        *(_batches(size) for size in (8, 24, 96)),
    ]
)


def find_suite(name: str) -> Suite:
    """A suite by name."""
    if name not in SUITES:
        raise InvalidInput(f"unknown suite {name!r}; choose from {', '.join(SUITES)}")
    return SUITES[name]
