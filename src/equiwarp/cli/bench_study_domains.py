"""``equiwarp bench study aim | start | failures | batches``: aims, starts, failures and large batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from equiwarp.cli.bench_study import GROUPS, OUT, PAGE, with_notes, write_page

SEED = click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
SEEDS = click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), help="How many seeds.")
KNOWN = click.option("--known", is_flag=True, help="Run nothing: sum up what is in OUT.")


def finish(text: str, page: Path | None) -> None:
    """Show a page, with the notes that lie beside it, and write it where it was asked for."""
    text = with_notes(text, page)
    click.echo(text)
    if page is not None:
        write_page(page, text)


def said(name: str, out: Path, seed: int, seeds: int, known: bool) -> str:
    """The command that makes a page again."""
    asked = "--known" if known else f"--seed {seed} --seeds {seeds}"
    return f"equiwarp bench study {name} --out {out.as_posix()} {asked}"


def bar(name: str) -> Callable[[list[Any]], Any]:
    """A progress bar."""
    from tqdm import tqdm

    return partial(tqdm, desc=name, unit="run")


@click.command("aim")
@OUT
@SEED
@SEEDS
@GROUPS
@click.option("--arm", "arms", multiple=True, help="Arms; by default all.")
@PAGE
@KNOWN
def aim_command(
    out: Path,
    seed: int,
    seeds: int,
    groups: tuple[str, ...],
    arms: tuple[str, ...],
    page: Path | None,
    known: bool,
) -> None:
    """Who finds a contour with the fewest experiments: misclassified area, with other people's criteria.

    Records go to OUT/aim.csv as they come; a second call goes on where the first stopped. The arm
    "look-ahead + aim" is `map` that looks for the chance of the wrong side. A page has the cases that all
    arms finished.

    \b
    Examples:
      equiwarp bench study aim --out out --seeds 5 --page docs/results/aim.md
      equiwarp bench study aim --out docs/results/tables --known --page docs/results/aim.md
    """
    from equiwarp.bench.pages.aim_page import aim_page
    from equiwarp.bench.storage.csv_records import read_records
    from equiwarp.bench.studies.aim import ARMS, aim_benchmarks, run_aims

    path = out / "aim.csv"
    if known:
        records = read_records(path)
    else:
        span = range(seed, seed + seeds)
        cases = [(one, name) for one in span for group in groups for name in aim_benchmarks(group, one)]
        records = run_aims(path, cases, arms or ARMS, bar("aim"))
    finish(aim_page(records, said("aim", out, seed, seeds, known)), page)


@click.command("start")
@OUT
@SEED
@SEEDS
@PAGE
@KNOWN
def start_command(out: Path, seed: int, seeds: int, page: Path | None, known: bool) -> None:
    """What a smaller space-filling start costs or saves: the averaged map's true error, start by start.

    On random functions with three and six numbers, and with two numbers and a category. Records go to
    OUT/start.csv as they come; a second call goes on where the first stopped. The page also sums up
    OUT/choosing.csv, where `map` begins with ten points in every dimension.

    \b
    Examples:
      equiwarp bench study start --out out --seeds 4
      equiwarp bench study start --out docs/results/tables --known --page docs/results/start.md
    """
    from equiwarp.bench.pages.start_page import start_page
    from equiwarp.bench.storage.csv_records import kept_records
    from equiwarp.bench.studies.start import run_starts

    path, beside = out / "start.csv", out / "choosing.csv"
    choosing = kept_records(beside)
    records = kept_records(path) if known else run_starts(path, range(seed, seed + seeds), bar("start"))
    finish(start_page(records, said("start", out, seed, seeds, known), choosing), page)


@click.command("failures")
@OUT
@SEED
@SEEDS
@GROUPS
@PAGE
@KNOWN
def failures_command(
    out: Path, seed: int, seeds: int, groups: tuple[str, ...], page: Path | None, known: bool
) -> None:
    """What learning where experiments fail saves, in hidden forbidden regions, and costs with accidents.

    Records go to OUT/failures.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study failures --out out --seeds 5
      equiwarp bench study failures --out docs/results/tables --known --page docs/results/failures.md
    """
    from equiwarp.bench.pages.failures_page import failures_page
    from equiwarp.bench.storage.csv_records import read_records
    from equiwarp.bench.studies.failures import run_failures

    path = out / "failures.csv"
    span = range(seed, seed + seeds)
    records = read_records(path) if known else run_failures(path, span, bar("failures"), groups)
    finish(failures_page(records, said("failures", out, seed, seeds, known)), page)


@click.command("batches")
@OUT
@SEED
@SEEDS
@KNOWN
def batches_command(out: Path, seed: int, seeds: int, known: bool) -> None:
    """How one batch that is larger than what is known should be chosen, on random functions.

    Twelve points, then a batch of 24, 48 or 96: farthest points, and `map` with several shares of the batch
    spread evenly before its models choose around them. Records go to OUT/batches.csv as they come; a second
    call goes on where the first stopped. `bench study choosing` puts the table on its page.

    \b
    Examples:
      equiwarp bench study batches --out docs/results/tables --seeds 2
    """
    from equiwarp.bench.storage.csv_records import read_records
    from equiwarp.bench.studies.batches import RECORDS, batches_table, run_batches

    path = out / RECORDS
    span = range(seed, seed + seeds)
    click.echo(batches_table(read_records(path) if known else run_batches(path, span, bar("batches"))))


#: All of them, for the group of studies.
DOMAIN_STUDIES: tuple[click.Command, ...] = (
    aim_command, start_command, failures_command, batches_command,
)  # fmt: skip
