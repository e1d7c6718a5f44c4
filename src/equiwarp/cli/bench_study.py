"""``equiwarp bench study``: studies of the map, resumable, with seeds and progress."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click


@click.group()
def study() -> None:
    """Studies of the map, on functions that choose constants and on functions that confirm them."""


@study.command("outliers")
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Results folder."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=60, show_default=True, type=click.IntRange(1), help="Cases of each group.")
@click.option(
    "--group",
    "groups",
    multiple=True,
    type=click.Choice(["random", "named"]),
    default=("random", "named"),
    show_default=True,
    help="Random functions, by which constants were chosen, or named ones.",
)
@click.option("--quick", is_flag=True, help="Clean cases and one wrong value only, not every fault.")
def outliers_command(out: Path, seed: int, seeds: int, groups: tuple[str, ...], quick: bool) -> None:
    """How often the map finds a wrong value, wrong noise, drift and the rest, and how often in vain.

    Records go to OUT/findings.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study outliers --out out --quick --seeds 100
    """
    from tqdm import tqdm

    from equiwarp.bench.studies.findings import FAULTS, findings_table, run_findings

    for group in groups:
        records = run_findings(
            out / "findings.csv",
            group,
            range(seed, seed + seeds),
            FAULTS[:2] if quick else FAULTS,
            partial(tqdm, desc=group, unit="map"),
        )
        click.echo(f"\n{group} functions\n\n{findings_table(records)}")


@study.command("choosing")
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Results folder."
)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds of each group.")
@click.option(
    "--group",
    "groups",
    multiple=True,
    type=click.Choice(["random", "named"]),
    default=("random", "named"),
    show_default=True,
    help="Random functions, by which constants were chosen, or named ones.",
)
@click.option("--dim", "dims", multiple=True, type=click.IntRange(1), default=(2, 4, 6), show_default=True)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    help="Strategies and variants; by default fps and what it is compared with.",
)
@click.option("--batch", default=4, show_default=True, type=click.IntRange(1), help="Points a batch.")
@click.option("--page", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here, too.")
@click.option(
    "--known", is_flag=True, help="Run nothing: sum up the cases in OUT that all arms have finished."
)
def choosing_command(
    out: Path,
    seed: int,
    seeds: int,
    groups: tuple[str, ...],
    dims: tuple[int, ...],
    arms: tuple[str, ...],
    batch: int,
    page: Path | None,
    known: bool,
) -> None:
    """Which strategy leaves the averaged map with the least true error after 20, 40 and 80 points.

    Records go to OUT/choosing.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study choosing --out out --seeds 3 --page docs/results/choosing.md
      equiwarp bench study choosing --out docs/results/tables --known --page docs/results/choosing.md
      equiwarp bench study choosing --out out --group random --dim 4 --arm fps --arm "map, w = 1"
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.choosing_page import choosing_page
    from equiwarp.bench.studies.choosing import ARMS, choosing_cases, finished, run_choosing

    records = finished(out / "choosing.csv", arms or ARMS) if known else []
    for group in () if known else groups:
        records += run_choosing(
            out / "choosing.csv",
            choosing_cases(group, range(seed, seed + seeds), dims),
            arms or ARMS,
            batch,
            partial(tqdm, desc=group, unit="run"),
        )
    asked = "--known" if known else f"--seed {seed} --seeds {seeds}"
    text = choosing_page(records, f"equiwarp bench study choosing --out {out.as_posix()} {asked}")
    click.echo(text)
    if page is not None:
        page.write_text(text, encoding="utf-8")
