"""Both tables and all figures of the paper, from nothing, into one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from equiwarp.bench.area import BASELINE
from equiwarp.bench.cell import Job
from equiwarp.bench.functions.catalogue import benchmarks
from equiwarp.bench.pages.area_table import TABLE_FORMATS, area_rows
from equiwarp.bench.results import load_cells
from equiwarp.bench.studies.lengthscale import CUBE_STUDY, SPHERE_STUDY
from equiwarp.bench.sweeps.cluster import Outcome, run_jobs, score_cells
from equiwarp.bench.sweeps.plan import Sweep, prepare_targets

#: Arms of the two tables and of the figures beside them; `run` has more.
MAIN_ARMS = (BASELINE, "sobol", "eig", "equalized", "equiwarp", "warp", "kumaraswamy")
SPHERE_ARMS = (BASELINE, "sobol", "random", "eig", "equiwarp")
#: What the figure of readouts compares.
RESCORED_ARMS = (BASELINE, "eig", "equalized", "equiwarp")
RESCORED_READOUTS = ("3nn", "5nn", "gp")
#: How a table is written: for people, to go on calculating, for a paper.
ENDINGS = {"text": "txt", "csv": "csv", "latex": "tex"}


def paper_sweeps(seeds: Sequence[int], quick: bool = False) -> list[Sweep]:
    """What has to be run, most important first."""
    cubes = [name for name, b in benchmarks().items() if not b.sphere]
    spheres = [name for name, b in benchmarks().items() if b.sphere]
    if not quick:
        studies = [sweep for study in (CUBE_STUDY, SPHERE_STUDY) for sweep in study.sweeps(seeds)]
        return [Sweep(cubes, MAIN_ARMS, seeds), Sweep(spheres, SPHERE_ARMS, seeds), *studies]
    # Few rounds, and of the studies one benchmark per dimension at three lengthscales.
    cube = replace(CUBE_STUDY, benchmarks=CUBE_STUDY.benchmarks[::2], factors=CUBE_STUDY.factors[::2])
    sphere = replace(SPHERE_STUDY, benchmarks=SPHERE_STUDY.benchmarks[:1], factors=SPHERE_STUDY.factors[::2])
    studies = [sweep for study in (cube, sphere) for sweep in study.sweeps(seeds[:1], 12)]
    return [Sweep(cubes, MAIN_ARMS, seeds, 12), Sweep(spheres, SPHERE_ARMS, seeds, 20), *studies]


def reproduce(
    out: Path,
    seeds: Sequence[int],
    *,
    quick: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    say: Callable[[str], None] = print,
) -> list[str]:
    """Run, score, tabulate, draw. Returns what failed, in words; everything else is in the folder."""
    plans = [sweep.plan() for sweep in paper_sweeps(seeds, quick)]
    jobs = longest_of_each_cell(job for plan in plans for job in plan.jobs)
    for remark in prepare_targets(jobs) if scheduler is None else ():
        say(remark)
    outcome: Outcome = run_jobs(jobs, out, workers=workers, scheduler=scheduler)
    failed = [f"{job.benchmark} {job.label} seed {job.seed}: {why}" for job, why in outcome.failures.items()]
    cells = load_cells(out, arms=RESCORED_ARMS)
    score_cells(
        [cell for cell in cells if cell.as_usual and not cell.spec.sphere],
        RESCORED_READOUTS,
        workers=workers,
        scheduler=scheduler,
    )
    write_tables(out)
    for readout in RESCORED_READOUTS:
        write_tables(out, readout, RESCORED_ARMS, parts=("main",))
    return [*failed, *draw_figures(out, say)]


def longest_of_each_cell(jobs: Iterable[Job]) -> list[Job]:
    """Each cell once, with the most rounds anyone asks of it, in the order of first mention."""
    found: dict[Path, Job] = {}
    for job in jobs:
        known = found.get(job.place)
        if known is None or job.rounds > known.rounds:
            found[job.place] = job
    return list(found.values())


def write_tables(
    out: Path,
    readout: str = "1nn",
    arms: Sequence[str] | None = None,
    parts: Sequence[str] = ("main", "sphere"),
) -> None:
    """``tables/main-1nn.txt`` and so on, as text, CSV and LaTeX."""
    cells = [cell for cell in load_cells(out, arms=arms) if cell.as_usual]
    folder = out / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        table = area_rows([cell for cell in cells if cell.spec.sphere == (part == "sphere")], readout)
        for form, ending in ENDINGS.items():
            (folder / f"{part}-{readout}.{ending}").write_text(
                TABLE_FORMATS[form](table) + "\n", encoding="utf-8"
            )


def draw_figures(out: Path, say: Callable[[str], None]) -> list[str]:
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
