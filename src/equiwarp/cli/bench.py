"""``equiwarp bench``: the paper's experiments, and yours, from one command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from equiwarp.cli.bench_case import case
from equiwarp.cli.bench_speed import speed
from equiwarp.cli.bench_study import study
from equiwarp.cli.bench_study_domains import DOMAIN_STUDIES
from equiwarp.cli.bench_study_readout import readout_command
from equiwarp.exceptions import EquiwarpError, InvalidInput

FOLDER = click.Path(file_okay=False, path_type=Path)


def split(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    """``a,b`` to a list, without empty entries."""
    return [] if value is None else [part.strip() for part in value.split(",") if part.strip()]


def numbers(kind: type[int] | type[float]) -> Callable[..., list[Any]]:
    """A callback that reads ``1,2`` as numbers."""

    def read(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[Any]:
        try:
            return [kind(part) for part in split(ctx, parameter, value)]
        except ValueError as error:
            raise click.BadParameter(f"{error}; give numbers separated by commas") from error

    return read


def pool_size(_: click.Context, __: click.Parameter, value: str) -> int | str:
    """A number of candidates, or ``dim``."""
    if value == "dim":
        return value
    if not value.isdigit() or int(value) < 2:
        raise click.BadParameter(f"got {value!r}; give a number of at least 2, or dim for 2^(10 + D)")
    return int(value)


@click.group()
def bench() -> None:
    """The paper's experiments: run, tabulate, draw, reproduce; and how long a suggestion takes."""


bench.add_command(case)
bench.add_command(speed)
bench.add_command(study)
for command in (*DOMAIN_STUDIES, readout_command):
    study.add_command(command)


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where to compute."""
    command = click.option("--scheduler", metavar="ADDRESS", help="A running Dask scheduler to use.")(command)
    return click.option(
        "--workers",
        type=click.IntRange(1),
        help="Local worker processes; by default one a core. With 1 this process computes, without Dask.",
    )(command)


@bench.command("run")
@click.option("--suite", help="A named suite: its benchmarks, arms and rounds; `bench suites` lists them.")
@click.option("--benchmarks", callback=split, help="Names separated by commas; by default all.")
@click.option(
    "--arms", callback=split, help="Names separated by commas; by default all strategies, no peers."
)
@click.option("--noise", type=click.FloatRange(0), help="Share of the function's deviation; by default 0.05.")
@click.option("--batch", type=click.IntRange(1), help="Points chosen at once; by default 1.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(1), help="How many seeds.")
@click.option("--rounds", type=click.IntRange(1), help="By default 200, on spheres 100.")
@click.option(
    "--lengthscale-factor",
    "factors",
    default="1",
    show_default=True,
    callback=numbers(float),
    help="Factors of the acquisition lengthscale, separated by commas.",
)
@click.option(
    "--pool",
    default="4096",
    show_default=True,
    callback=pool_size,
    help="Candidates that every arm chooses from; `dim` stands for 2^(10 + D).",
)
@click.option("--function", "functions", multiple=True, metavar="MODULE:CALLABLE", help="Yours, on [0, 1]^D.")
@click.option("--dim", type=click.IntRange(1), help="Dimension D of --function.")
@click.option("--sphere", is_flag=True, help="--function takes unit vectors of S^D instead.")
@click.option("--strategy", "extra", multiple=True, metavar="MODULE:OBJECT", help="An arm of your own.")
@click.option("--out", required=True, type=FOLDER, help="Results folder; finished cells in it are kept.")
@cluster_options
def run_command(
    suite: str | None,
    benchmarks: list[str],
    arms: list[str],
    noise: float | None,
    batch: int | None,
    seed: int,
    seeds: int,
    rounds: int | None,
    factors: list[float],
    pool: Any,
    functions: tuple[str, ...],
    dim: int | None,
    sphere: bool,
    extra: tuple[str, ...],
    out: Path,
    workers: int | None,
    scheduler: str | None,
) -> None:
    """Compute designs and trajectories, one file a cell; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench run --benchmarks levy-2d --arms fps,equiwarp --seeds 3 --out out
      equiwarp bench run --function mine:ridge --dim 2 --arms fps,equiwarp --rounds 50 --out out
      equiwarp bench run --suite anisotropic --seeds 5 --out out
      equiwarp bench run --benchmarks levy-2d --arms fps,map --batch 24 --noise 0.2 --rounds 96 --out out
      equiwarp bench run --benchmarks levy-5d --arms fps,equalized --pool 32768 --out out
    """
    from equiwarp.bench.area import BASELINE
    from equiwarp.bench.functions import catalogue
    from equiwarp.bench.sweeps.cluster import run_jobs
    from equiwarp.bench.sweeps.plan import Sweep, prepare_targets
    from equiwarp.bench.sweeps.suites import find_suite
    from equiwarp.strategy import strategies

    if suite is not None:
        chosen = find_suite(suite)
        benchmarks, arms = benchmarks or list(chosen.benchmarks), arms or list(chosen.arms)
        rounds = rounds or chosen.rounds
    if functions and dim is None:
        raise click.UsageError("--function needs --dim, the dimension of its cube or sphere")
    own = [catalogue.own_benchmark_name(function, dim, sphere) for function in functions if dim is not None]
    if not benchmarks and not own:
        benchmarks = list(catalogue.benchmarks())
    if not arms:
        arms = [BASELINE] if extra else list(strategies())  # peers have to be named
    usual = catalogue.NOISE_SHARE
    names = [
        catalogue.conditioned_name(name, usual if noise is None else noise, batch or 1)
        for name in [*benchmarks, *own]
    ]
    sweep = Sweep(names, [*arms, *extra], range(seed, seed + seeds), rounds, factors, pool)
    plan = sweep.plan()
    for reason in plan.skipped:
        click.echo(f"skipped {reason}", err=True)
    if scheduler is None:
        for remark in prepare_targets(plan.jobs):
            click.echo(remark, err=True)
    outcome = run_jobs(plan.jobs, out, workers=workers, scheduler=scheduler)
    click.echo(f"{outcome.computed} cells computed, {outcome.found} found finished, in {out}")
    report_failures(outcome.failures)


def report_failures(failures: dict[Any, str]) -> None:
    """Name each failed cell and exit with an error; the others are kept."""
    for job, reason in failures.items():
        click.echo(f"failed: {job.benchmark} {job.label} seed {job.seed}: {reason}", err=True)
    if failures:
        raise EquiwarpError(f"{len(failures)} cells failed; the same command tries them again")


@bench.command("suites")
def suites_command() -> None:
    """The named suites: what each is for, its functions, arms and rounds, and its command."""
    from equiwarp.bench.sweeps.suites import SUITES

    for suite in SUITES.values():
        click.echo(f"{suite.name}: {suite.title}")
        click.echo(f"  {suite.command}")
        click.echo(f"  {', '.join(suite.benchmarks)}")
        click.echo(f"  arms {', '.join(suite.arms)}; {suite.rounds} rounds")


@bench.command("table")
@click.argument("directory", type=FOLDER)
@click.option(
    "--readout", default="1nn", show_default=True, help="1nn, 3nn, 5nn, gp, gp-spacing, gp-map or map."
)
@click.option("--format", "form", default="text", show_default=True, help="text, json, csv or latex.")
@click.option("--rounds", callback=numbers(int), help="Horizons separated by commas; by default the paper's.")
@click.option(
    "--measure",
    type=click.Choice(["ar", "rmse", "experiments"]),
    default="ar",
    show_default=True,
    help="Area reduction against FPS, the error itself in percent of the function's deviation, or how many "
    "fewer experiments reach the error that FPS has after 100.",
)
def table_command(directory: Path, readout: str, form: str, rounds: list[int], measure: str) -> None:
    """Area reduction against FPS: mean and standard error over paired seeds, beside the paper's.

    \b
    Examples:
      equiwarp bench table out
      equiwarp bench table out --readout gp --format csv --rounds 50,100
      equiwarp bench table out --readout map --measure experiments
    """
    from equiwarp.bench.pages.area_table import TABLE_FORMATS, area_rows
    from equiwarp.bench.readouts.scoring import known_readout
    from equiwarp.bench.results import load_cells

    if form not in TABLE_FORMATS:
        raise InvalidInput(f"unknown format {form!r}; choose from {', '.join(TABLE_FORMATS)}")
    click.echo(
        TABLE_FORMATS[form](area_rows(load_cells(directory), known_readout(readout), rounds or None, measure))
    )


@bench.command("surrogates")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the findings as JSON.")
def surrogates_command(out: Path | None) -> None:
    """Refit the targets of the two real-data benchmarks and print their held-out R^2 (minutes)."""
    import json

    from equiwarp.bench.functions.measured_data import WITH_SURROGATE, load_measured_data
    from equiwarp.bench.functions.surrogate_fit import surrogate_study

    found = {}
    for name in WITH_SURROGATE:
        found[name] = surrogate_study(load_measured_data(name))
        for way, result in found[name]["held_out"].items():
            click.echo(f"{name}: held-out R^2 = {result['r2']:.3f} ({way})")
    if out is not None:
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


@bench.command("score")
@click.argument("directory", type=FOLDER)
@click.option("--readouts", default="3nn,5nn,gp", show_default=True, callback=split)
@click.option("--benchmarks", callback=split, help="Names separated by commas; by default all.")
@click.option("--arms", callback=split, help="Names separated by commas; by default all.")
@click.option("--seeds", type=click.IntRange(1), help="Only so many seeds, from 0 on; by default all.")
@click.option("--rounds", type=click.IntRange(1), help="Only the first rounds; by default all.")
@cluster_options
def score_command(
    directory: Path,
    readouts: list[str],
    benchmarks: list[str],
    arms: list[str],
    seeds: int | None,
    rounds: int | None,
    workers: int | None,
    scheduler: str | None,
) -> None:
    """Score stored designs under further readouts, in parallel; `table` then has them at hand.

    Designs at another lengthscale are left out: no table asks for them.

    \b
    Examples:
      equiwarp bench score out --readouts gp-map --arms fps,equiwarp
      equiwarp bench score out --readouts map --seeds 3 --rounds 100
    """
    from equiwarp.bench.results import load_cells
    from equiwarp.bench.sweeps.cluster import score_cells

    cells = load_cells(directory, benchmarks=benchmarks or None, arms=arms or None)
    cells = [c for c in cells if c.lengthscale_factor == 1.0 and (seeds is None or c.seed < seeds)]
    cells.sort(key=lambda c: c.seed)
    outcome = score_cells(cells, readouts, rounds=rounds, workers=workers, scheduler=scheduler)
    click.echo(f"{outcome.computed} scores computed, {outcome.found} found")
    report_failures(outcome.failures)


@bench.command("figure")
@click.argument("name")
@click.argument("directory", type=FOLDER)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="By default DIR/figures/NAME.png."
)
def figure_command(name: str, directory: Path, out: Path | None) -> None:
    """Draw one of the paper's figures from a results folder.

    \b
    Examples:
      equiwarp bench figure main-curves out
    """
    from equiwarp.bench.figures import FIGURES

    if name not in FIGURES:
        raise InvalidInput(f"unknown figure {name!r}; choose from {', '.join(FIGURES)}")
    target = directory / "figures" / f"{name}.png" if out is None else out
    target.parent.mkdir(parents=True, exist_ok=True)
    FIGURES[name](directory, target)
    click.echo(target)


@bench.command("reproduce")
@click.option("--out", required=True, type=FOLDER, help="Results folder; a stopped run goes on.")
@click.option("--quick", is_flag=True, help="Few rounds and seeds: everything once, within minutes.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", type=click.IntRange(1), help="How many seeds; by default 10, with --quick 2.")
@cluster_options
def reproduce_command(
    out: Path, quick: bool, seed: int, seeds: int | None, workers: int | None, scheduler: str | None
) -> None:
    """Both tables and all figures of the paper.

    \b
    Examples:
      equiwarp bench reproduce --quick --out out
    """
    from equiwarp.bench.sweeps.reproduce import reproduce

    chosen = range(seed, seed + (seeds or (2 if quick else 10)))
    failed = reproduce(out, chosen, quick=quick, workers=workers, scheduler=scheduler, say=click.echo)
    for reason in failed:
        click.echo(f"failed: {reason}", err=True)
    if failed:
        raise EquiwarpError(f"{len(failed)} parts failed; the same command tries them again")


@bench.command("page")
@click.argument("directory", type=FOLDER)
@click.option("--out", required=True, type=FOLDER, help="Folder to write, such as docs/results.")
@click.option("--figures/--no-figures", default=True, show_default=True, help="Whether to draw.")
@click.option(
    "--lookahead/--no-lookahead",
    default=True,
    show_default=True,
    help="Whether to write all of the look-ahead's page, which needs all cells scored under gp and gp-map, "
    "or its part under 1-NN only.",
)
def page_command(directory: Path, out: Path, figures: bool, lookahead: bool) -> None:
    """Ours beside the paper's: a page with tables, figures and packed designs, from whatever was run.

    \b
    Examples:
      equiwarp bench page out --out docs/results
    """
    from equiwarp.bench.pages.results_page import build_results_page

    for reason in build_results_page(directory, out, figures=figures, lookahead=lookahead):
        click.echo(f"not drawn: {reason}", err=True)
    click.echo(out / "README.md")


@bench.command("pack")
@click.argument("directory", type=FOLDER)
@click.argument("target", type=FOLDER)
def pack_command(directory: Path, target: Path) -> None:
    """Put a results folder's designs into one small file per benchmark, fit for a repository.

    \b
    Examples:
      equiwarp bench pack out docs/results/designs
    """
    from equiwarp.bench.results import load_cells
    from equiwarp.bench.storage.packed import pack_designs

    for path in pack_designs(load_cells(directory), target):
        click.echo(f"{path} ({path.stat().st_size / 1024:.0f} kB)")


@bench.command("unpack")
@click.argument("source", type=FOLDER)
@click.argument("directory", type=FOLDER)
def unpack_command(source: Path, directory: Path) -> None:
    """Restore packed designs into a results folder, where `run` extends them.

    \b
    Examples:
      equiwarp bench unpack docs/results/designs out
    """
    from equiwarp.bench.storage.packed import unpack_designs

    written, kept = unpack_designs(source, directory)
    click.echo(f"{written} cells written to {directory}, {kept} were there already")


@bench.command("recompute")
@click.argument("source", type=FOLDER)
@click.option("--each", default=1, show_default=True, type=click.IntRange(1), help="Benchmarks for each arm.")
@click.option("--rounds", default=30, show_default=True, type=click.IntRange(1), help="Rounds of each cell.")
@click.option("--benchmarks", callback=split, help="Names separated by commas; by default all.")
@click.option("--arms", callback=split, help="Names separated by commas; by default all that are installed.")
def recompute_command(source: Path, each: int, rounds: int, benchmarks: list[str], arms: list[str]) -> None:
    """Compute a sample of packed designs again and compare them bit for bit.

    \b
    Examples:
      equiwarp bench recompute docs/results/designs
      equiwarp bench recompute docs/results/designs --arms equiwarp --each 22
    """
    from tqdm import tqdm

    from equiwarp.bench.storage.recompute import recompute, sample_of

    sample = sample_of(source, each, arms, benchmarks)
    found = [recompute(packed, rounds) for packed in tqdm(sample, unit="cell")]
    for one in found:
        click.echo(one)
    different = sum(not one.sound for one in found)
    click.echo(
        f"computed again: {len(found)}; the same to the last bit: {sum(not one.distance for one in found)}"
    )
    if different:
        raise EquiwarpError(f"{different} of {len(found)} designs come out differently")


@bench.command("verify")
@click.argument("source", type=FOLDER)
@click.option("--cells", default=12, show_default=True, type=click.IntRange(1), help="How many, at random.")
@click.option("--rounds", default=30, show_default=True, type=click.IntRange(1), help="Rounds of each cell.")
@click.option("--seed", type=click.IntRange(0), help="Of the sample; by default another one each time.")
def verify_command(source: Path, cells: int, rounds: int, seed: int | None) -> None:
    """Check published results: tables against designs, and a random sample of designs against the code.

    Every area reduction in tables/ar-1nn.csv is calculated again from the stored designs. Then some cells,
    drawn at random, are computed anew on this machine and compared bit for bit. Where one differs, the
    versions of Python, NumPy, SciPy and scikit-learn that have changed since are named.

    \b
    Examples:
      equiwarp bench verify docs/results
      equiwarp bench verify docs/results --cells 50 --rounds 200 --seed 1
    """
    import secrets

    from tqdm import tqdm

    from equiwarp.bench.storage.verify import random_sample, stored_cells, table_mistakes, verify

    stored = stored_cells(source)
    mistakes = list(table_mistakes(source, stored))
    for mistake in mistakes:
        click.echo(mistake)
    click.echo(f"tables/ar-1nn.csv against {len(stored)} stored cells: {len(mistakes)} rows differ")
    seed = secrets.randbelow(10**6) if seed is None else seed
    found = [verify(one, rounds) for one in tqdm(random_sample(stored, cells, seed), unit="cell")]
    for one in found:
        click.echo(one)
    same = sum(not one.found.distance for one in found)
    click.echo(f"computed again, --seed {seed}: {len(found)} cells; the same to the last bit: {same}")
    different = sum(not one.found.sound for one in found)
    if mistakes or different:
        raise EquiwarpError(
            f"{len(mistakes)} rows of the table and {different} of {len(found)} designs come out differently"
        )


@bench.command("unseen")
@click.option("--out", required=True, type=FOLDER, help="Results folder; finished cells in it are kept.")
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), help="How many seeds.")
@click.option("--rounds", default=100, show_default=True, type=click.IntRange(1), help="Rounds of each cell.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Local worker processes; by default one a core. With 1 this process computes, without Dask.",
)
def unseen_command(out: Path, seeds: int, rounds: int, workers: int | None) -> None:
    """Twelve functions by which nothing was chosen: area reduction of the look-ahead strategies.

    \b
    Examples:
      equiwarp bench unseen --seeds 5 --out out
    """
    from equiwarp.bench.studies.unseen_functions import unseen_tables

    for readout, text in unseen_tables(out, seeds, rounds, workers):
        click.echo(f"\n{readout}\n\n{text}")
