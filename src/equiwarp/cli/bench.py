"""``equiwarp bench``: the paper's experiments, and yours, from one command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import click

FOLDER = click.Path(file_okay=False, path_type=Path)


def plainly(command: Callable[..., Any]) -> Callable[..., Any]:
    """Errors of ours are sentences for people, not tracebacks."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except ValueError as error:
            raise click.ClickException(str(error)) from error

    return wrapped


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


@click.group()
def bench() -> None:
    """The paper's experiments: run, tabulate, draw, reproduce."""


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where to compute."""
    command = click.option("--scheduler", metavar="ADDRESS", help="A running Dask scheduler to use.")(command)
    return click.option(
        "--workers", type=click.IntRange(1), help="Local worker processes; by default one a core."
    )(command)


@bench.command("run")
@click.option("--benchmarks", callback=split, help="Names separated by commas; by default all.")
@click.option("--arms", callback=split, help="Names separated by commas; by default all.")
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
@click.option("--function", "functions", multiple=True, metavar="MODULE:CALLABLE", help="Yours, on [0, 1]^D.")
@click.option("--dim", type=click.IntRange(1), help="Dimension of --function.")
@click.option("--strategy", "extra", multiple=True, metavar="MODULE:OBJECT", help="An arm of your own.")
@click.option("--out", required=True, type=FOLDER, help="Results folder; finished cells in it are kept.")
@cluster_options
@plainly
def run_command(
    benchmarks: list[str],
    arms: list[str],
    seed: int,
    seeds: int,
    rounds: int | None,
    factors: list[float],
    functions: tuple[str, ...],
    dim: int | None,
    extra: tuple[str, ...],
    out: Path,
    workers: int | None,
    scheduler: str | None,
) -> None:
    """Compute designs and trajectories, one file a cell; a second call goes on where the first stopped."""
    from equiwarp.bench import benchmarks as catalogue
    from equiwarp.bench.arms import arm_names
    from equiwarp.bench.engine import run
    from equiwarp.bench.plan import Sweep

    if functions and dim is None:
        raise click.UsageError("--function needs --dim, the dimension of its unit cube")
    own = [catalogue.own(function, dim) for function in functions if dim is not None]
    if not benchmarks and not own:
        benchmarks = list(catalogue.benchmarks())
    if not arms:
        arms = ["fps"] if extra else list(arm_names())
    sweep = Sweep([*benchmarks, *own], [*arms, *extra], range(seed, seed + seeds), rounds, factors)
    plan = sweep.plan()
    for reason in plan.skipped:
        click.echo(f"skipped {reason}", err=True)
    if scheduler is None:
        prepare_targets(plan.jobs)
    outcome = run(plan.jobs, out, workers=workers, scheduler=scheduler)
    click.echo(f"{outcome.computed} cells computed, {outcome.found} found finished, in {out}")
    report_failures(outcome.failures)


def prepare_targets(jobs: Iterable[Any]) -> None:
    """Put the surrogates of real-data benchmarks into the cache once, before every worker needs them."""
    from equiwarp.bench import benchmarks as catalogue
    from equiwarp.bench.surrogate import RealTarget, shipped, surrogate

    for name in dict.fromkeys(job.benchmark for job in jobs):
        target = catalogue.find(name).function
        if isinstance(target, RealTarget):
            surrogate(target.name)
            quality = shipped()[target.name]["held_out"]
            shown = ", ".join(f"{result['r2']:.3f} ({way})" for way, result in quality.items())
            click.echo(f"{name}: held-out R^2 of its surrogate {shown}", err=True)


def report_failures(failures: dict[Any, str]) -> None:
    """Name each failed cell and exit with an error; the others are kept."""
    for job, reason in failures.items():
        click.echo(f"failed: {job.benchmark} {job.label} seed {job.seed}: {reason}", err=True)
    if failures:
        raise click.ClickException(f"{len(failures)} cells failed; the same command tries them again")


@bench.command("table")
@click.argument("directory", type=FOLDER)
@click.option("--readout", default="1nn", show_default=True, help="1nn, 3nn, 5nn, gp or gp-map.")
@click.option("--format", "form", default="text", show_default=True, help="text, json, csv or latex.")
@click.option("--rounds", callback=numbers(int), help="Horizons separated by commas; by default the paper's.")
@click.option(
    "--measure",
    type=click.Choice(["ar", "rmse"]),
    default="ar",
    show_default=True,
    help="Area reduction against FPS, or the error itself in percent of the function's deviation.",
)
@plainly
def table_command(directory: Path, readout: str, form: str, rounds: list[int], measure: str) -> None:
    """Area reduction against FPS: mean and standard error over paired seeds, beside the paper's."""
    from equiwarp.bench.readouts import check
    from equiwarp.bench.results import load_cells
    from equiwarp.bench.table import FORMATS, rows

    if form not in FORMATS:
        raise ValueError(f"unknown format {form!r}; choose from {', '.join(FORMATS)}")
    click.echo(FORMATS[form](rows(load_cells(directory), check(readout), rounds or None, measure)))


@bench.command("surrogates")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the findings as JSON.")
def surrogates_command(out: Path | None) -> None:
    """Refit the targets of the two real-data benchmarks and print their held-out R^2 (minutes)."""
    import json

    from equiwarp.bench.fitting import study
    from equiwarp.bench.realdata import COLUMNS, load

    found = {}
    for name in COLUMNS:
        found[name] = study(load(name))
        for way, result in found[name]["held_out"].items():
            click.echo(f"{name}: held-out R^2 = {result['r2']:.3f} ({way})")
    if out is not None:
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
