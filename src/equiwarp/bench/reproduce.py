"""Both tables and all figures of the paper, from nothing, into one folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from equiwarp.bench.benchmarks import benchmarks
from equiwarp.bench.engine import Outcome, rescore, run
from equiwarp.bench.plan import Sweep, prepare_targets
from equiwarp.bench.results import load_cells
from equiwarp.bench.table import FORMATS, rows

#: Arms of the main table and of the figures beside it.
MAIN_ARMS = ("fps", "sobol", "random", "eig", "equalized", "equiwarp", "warp", "kumaraswamy", "nipv", "epig")
SPHERE_ARMS = ("fps", "sobol", "random", "eig", "equiwarp", "nipv", "epig", "refit")
#: The lengthscale studies: 0.5 to 2 times the spacing on cubes, sixteen-fold on the sphere.
CUBE_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)
SPHERE_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
CUBE_STUDY = ("peaks-2d", "zhou-2d", "hartmann-3d", "styblinski-tang-3d", "hartmann-4d", "levy-4d")
STUDY_ARMS = ("fps", "sobol", "random", "eig", "equalized", "nipv", "epig", "refit")
SPHERE_STUDY_ARMS = ("fps", "eig", "nipv", "epig")
READOUTS = ("3nn", "5nn", "gp")


def sweeps(seeds: range, quick: bool = False) -> list[Sweep]:
    """What has to be run, most important first."""
    cubes = [name for name, b in benchmarks().items() if not b.sphere]
    spheres = [name for name, b in benchmarks().items() if b.sphere]
    if quick:
        cheap = [arm for arm in MAIN_ARMS if arm not in ("nipv", "epig")]
        return [
            Sweep(cubes, cheap, seeds, 12),
            Sweep(spheres, SPHERE_ARMS, seeds, 20),
            Sweep(CUBE_STUDY[::2], STUDY_ARMS, seeds[:1], 8, (0.5, 1.0, 2.0)),
            Sweep(spheres[:1], SPHERE_STUDY_ARMS, seeds, 12, (0.25, 1.0, 4.0)),
        ]
    return [
        Sweep(cubes, MAIN_ARMS, seeds),
        Sweep(spheres, SPHERE_ARMS, seeds),
        Sweep(CUBE_STUDY, STUDY_ARMS, seeds, 100, CUBE_FACTORS),
        Sweep(spheres, SPHERE_STUDY_ARMS, seeds, 100, SPHERE_FACTORS),
    ]


def reproduce(
    out: Path,
    seeds: range,
    *,
    quick: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    say: Callable[[str], None] = print,
) -> list[str]:
    """Run, score, tabulate, draw. Returns what failed, in words; everything else is in the folder."""
    plans = [sweep.plan() for sweep in sweeps(seeds, quick)]
    jobs = list(dict.fromkeys(job for plan in plans for job in plan.jobs))
    for remark in prepare_targets(jobs) if scheduler is None else ():
        say(remark)
    outcome: Outcome = run(jobs, out, workers=workers, scheduler=scheduler)
    failed = [f"{job.benchmark} {job.label} seed {job.seed}: {why}" for job, why in outcome.failures.items()]
    cells = [cell for cell in load_cells(out) if cell.lengthscale_factor == 1.0]
    readouts = READOUTS if not quick else ("5nn", "gp")
    rescore(cells, readouts, workers=workers, scheduler=scheduler)
    for readout in ("1nn", *readouts):
        write_tables(out, readout)
    return [*failed, *draw(out, say)]


def write_tables(out: Path, readout: str) -> None:
    """``tables/main-1nn.txt`` and so on, in every format."""
    cells = [cell for cell in load_cells(out) if cell.lengthscale_factor == 1.0]
    folder = out / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    endings = {"text": "txt", "json": "json", "csv": "csv", "latex": "tex"}
    for part, sphere in (("main", False), ("sphere", True)):
        table = rows([cell for cell in cells if cell.spec.sphere == sphere], readout)
        for form, ending in endings.items():
            (folder / f"{part}-{readout}.{ending}").write_text(FORMATS[form](table) + "\n", encoding="utf-8")


def draw(out: Path, say: Callable[[str], None]) -> list[str]:
    """Every figure into ``figures/``; one that fails does not keep the others from being drawn."""
    from equiwarp.bench.figures import FIGURES

    failed = []
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in FIGURES.items():
        try:
            figure(out, folder / f"{name}.png")
        except (ValueError, ImportError) as error:
            failed.append(f"figure {name}: {error}")
        else:
            say(f"drew {folder / name}.png")
    return failed
