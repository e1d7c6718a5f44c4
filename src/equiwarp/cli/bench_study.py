"""``equiwarp bench study``: studies of the map, resumable, with seeds and progress."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

OUT = click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Results folder."
)
PAGE = click.option(
    "--page", type=click.Path(dir_okay=False, path_type=Path), help="Write the page to this file, too."
)
#: Records of the variants of `map`.
SCREENED = "screening.csv"
#: Records of designs under a known model.
MODELLED = "known-model.csv"
GROUPS = click.option(
    "--group",
    "groups",
    multiple=True,
    type=click.Choice(["random", "named"]),
    default=("random", "named"),
    show_default=True,
    help="Random functions, by which constants were chosen, or named ones.",
)


@click.group()
def study() -> None:
    """Studies of the map, on functions that choose constants and on functions that confirm them."""


@study.command("outliers")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=60, show_default=True, type=click.IntRange(1), help="Cases of each group.")
@GROUPS
@click.option("--quick", is_flag=True, help="Clean cases and one wrong value only, not every fault.")
@click.option("--fault", "only", multiple=True, help="Only these faults, in the words of the table.")
@PAGE
def outliers_command(
    out: Path,
    seed: int,
    seeds: int,
    groups: tuple[str, ...],
    quick: bool,
    only: tuple[str, ...],
    page: Path | None,
) -> None:
    """How often the map finds a wrong value, wrong noise, drift and the rest, and how often in vain.

    Records go to OUT/findings.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study outliers --out out --quick --seeds 100
      equiwarp bench study outliers --out out --fault "noise stated as a fifth" --seeds 50
      equiwarp bench study outliers --out out --seed 1000 --page docs/results/findings.md
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.findings_page import findings_page
    from equiwarp.bench.studies.findings import FAULTS, findings_table, run_findings

    for fault in only:
        if fault not in FAULTS:
            raise click.UsageError(f"{fault!r} is none of the faults: {'; '.join(FAULTS)}")
    found = {}
    for group in groups:
        found[group] = run_findings(
            out / "findings.csv",
            group,
            range(seed, seed + seeds),
            only or (FAULTS[:2] if quick else FAULTS),
            partial(tqdm, desc=group, unit="map"),
        )
        click.echo(f"\n{group} functions\n\n{findings_table(found[group])}")
    if page is not None:
        command = f"equiwarp bench study outliers --seed {seed} --seeds {seeds}"
        write_page(page, findings_page(found, command))


@study.command("map")
@OUT
@click.option(
    "--seeds", default=10, show_default=True, type=click.IntRange(1), help="Seeds of each function."
)
@click.option(
    "--designs",
    default=Path("docs/results/designs"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of packed designs; what is not there is computed.",
)
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
@PAGE
@click.option(
    "--rivals/--no-rivals",
    default=True,
    help="Compare with other people's models, and measure large maps, too.",
)
@click.option("--known", is_flag=True, help="Fit nothing: sum up the seeds in OUT that all functions have.")
def map_command(
    out: Path, seeds: int, designs: Path, workers: int, page: Path | None, rivals: bool, known: bool
) -> None:
    """How accurate the map is, and whether its error, its forecast and the stop rule are right.

    Random functions and the smooth boxes chose the map's constants; all others confirm. Records go to
    OUT/map-quality.csv; a second call goes on where the first stopped. The page also has what
    `bench study error`, `bench study priors`, `bench study weights` and `bench study families` left in OUT,
    and the notes of notes-map.md beside it.

    \b
    Examples:
      equiwarp bench study map --out out --seeds 2 --no-rivals
      equiwarp bench study map --out out --page docs/results/map.md
      equiwarp bench study map --out docs/results/tables --known
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.map_page import MapRecords, map_page
    from equiwarp.bench.storage.csv_records import kept_records
    from equiwarp.bench.studies import map_rivals
    from equiwarp.bench.studies.calibration import known_ingredients
    from equiwarp.bench.studies.fit_speed import run_fit_speed
    from equiwarp.bench.studies.map_quality import finished_seeds, map_cases, run_map_cases
    from equiwarp.bench.studies.map_sizes import run_sizes

    cases = map_cases("confirming", finished_seeds(out) if known else range(seeds))
    beside = out / map_rivals.RECORDS
    run_rivals = partial(map_rivals.run_rivals, progress=partial(tqdm, desc="rivals", unit="model"))
    records = MapRecords(
        run_map_cases(cases, out, designs, workers, partial(tqdm, desc="maps", unit="case")),
        known_ingredients(out),
        map_rivals.known_rivals(beside, cases) if known or not rivals else run_rivals(beside, cases, designs),
        run_sizes(out / "map-sizes.csv", progress=partial(tqdm, desc="sizes", unit="map")) if rivals else [],
        kept_records(out / "priors.csv"),
        run_fit_speed(out / "fit-speed.csv", partial(tqdm, desc="fits", unit="case")) if rivals else [],
        kept_records(out / "weights.csv"),
        kept_records(out / "families.csv"),
    )
    text = map_page(records, f"equiwarp bench study map {'--known' if known else f'--seeds {seeds}'}")
    text = with_notes(text, page)
    if page is None:
        click.echo(text)
    else:
        write_page(page, text)


@study.command("error")
@OUT
@click.option("--seeds", default=4, show_default=True, type=click.IntRange(1), help="Seeds of each function.")
def error_command(out: Path, seeds: int) -> None:
    """Which constants make the map's error and forecast right, on random functions and the smooth boxes.

    For each choice and stage: estimate over truth (geometric mean), root mean square of its logarithm, and
    how often the estimate is below 0.7 of the truth. What the estimate is made from goes to
    OUT/calibration.csv; a second call goes on where the first stopped, and fits nothing that is there.

    \b
    Examples:
      equiwarp bench study error --out out
    """
    from tqdm import tqdm

    from equiwarp.bench.studies import calibration

    cases = calibration.calibration_cases(range(seeds))
    found = calibration.collect(cases, out, partial(tqdm, desc="error", unit="case"))
    click.echo(calibration.constants_table(found, calibration.TRIED))
    click.echo("\nThe forecast under several rates: over truth, and root mean square of its logarithm.\n")
    click.echo(calibration.rates_table(found))
    click.echo("\nBands for 50, 80 and 95 of 100 places: how many they hold.\n")
    click.echo(calibration.bands_table(found))


@study.command("priors")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds of each function.")
@click.option("--prior", "priors", multiple=True, help="Only these variants; by default all.")
def priors_command(out: Path, seed: int, seeds: int, priors: tuple[str, ...]) -> None:
    """What tighter or looser priors of the map's models cost or save, on random functions.

    Records go to OUT/priors.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study priors --out docs/results/tables
    """
    from tqdm import tqdm

    from equiwarp.bench.studies.priors import VARIANTS, priors_table, run_priors

    unknown = set(priors) - set(VARIANTS)
    if unknown:
        raise click.BadParameter(f"{min(unknown)!r} is none of: {', '.join(VARIANTS)}", param_hint="--prior")
    chosen = priors or tuple(VARIANTS)
    records = run_priors(
        out / "priors.csv", range(seed, seed + seeds), chosen, partial(tqdm, desc="priors", unit="function")
    )
    click.echo(priors_table(records))


@study.command("weights")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds of each function.")
def weights_command(out: Path, seed: int, seeds: int) -> None:
    """How firmly the map's families should be held to equal weights, on random functions.

    Records go to OUT/weights.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study weights --out docs/results/tables
    """
    from tqdm import tqdm

    from equiwarp.bench.studies.weights import RECORDS, run_weights, weights_table

    span, bar = range(seed, seed + seeds), partial(tqdm, desc="weights", unit="function")
    click.echo(weights_table(run_weights(out / RECORDS, span, bar)))


@study.command("families")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds of each function.")
def families_command(out: Path, seed: int, seeds: int) -> None:
    """What each family of the map is worth, and the handicap of those that have one, on random functions.

    Records go to OUT/families.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study families --out docs/results/tables
    """
    from tqdm import tqdm

    from equiwarp.bench.studies.families import RECORDS, families_table, run_families

    span, bar = range(seed, seed + seeds), partial(tqdm, desc="families", unit="function")
    click.echo(families_table(run_families(out / RECORDS, span, bar)))


def with_notes(text: str, page: Path | None) -> str:
    """The text of a page and, below it, the notes that lie beside the page, if there are any."""
    beside = page.with_name(f"notes-{page.name}") if page is not None else None
    if beside is None or not beside.exists():
        return text
    return f"{text}\n{beside.read_text(encoding='utf-8').strip()}\n"


def write_page(path: Path, text: str) -> None:
    """Write a page, in a folder that need not exist yet, and say so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    click.echo(f"wrote {path}")


@study.command("suites")
@OUT
@click.option(
    "--suite", "suites", multiple=True, help="Only these; by default all that `bench suites` lists."
)
@click.option("--arm", "arms", multiple=True, help="Only these; by default those of the suite.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), help="How many seeds.")
@click.option("--rounds", type=click.IntRange(1), help="At most so many of a suite's rounds, for dear arms.")
@click.option(
    "--designs",
    default=Path("docs/results/designs"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of packed designs; what is not there is computed.",
)
@PAGE
def suites_command(
    out: Path,
    suites: tuple[str, ...],
    arms: tuple[str, ...],
    seed: int,
    seeds: int,
    rounds: int | None,
    designs: Path,
    page: Path | None,
) -> None:
    """The named suites under the averaged map: compute designs, judge their maps, keep the records.

    Records go to OUT/suites.csv as they come, designs to OUT/cells; a second call goes on where the first
    stopped. `bench study choosing` makes a page of them; --page makes one of the suites with categories and
    angles.

    \b
    Examples:
      equiwarp bench study suites --out out --suite anisotropic --seeds 5
      equiwarp bench study suites --out out --suite named --arm oracle-map --seeds 1 --rounds 100
      equiwarp bench study suites --out out --suite mixed --suite periodic --page docs/results/mixed.md
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.mixed_page import suites_page
    from equiwarp.bench.storage.csv_records import read_records
    from equiwarp.bench.studies.suites import RECORDS, run_suites, suite_tasks
    from equiwarp.bench.sweeps.suites import SUITES, find_suite

    chosen = [find_suite(name) for name in suites or SUITES]
    tasks = [
        task
        for one in range(seed, seed + seeds)
        for suite in chosen
        for task in suite_tasks(suite, [one], arms, rounds)
    ]
    run_suites(out, tasks, designs, partial(tqdm, unit="design"))
    click.echo(f"{len(tasks)} designs are judged in {out / 'suites.csv'}")
    if page is not None:
        asked = " ".join(f"--suite {suite.name}" for suite in chosen)
        command = f"equiwarp bench study suites --out {out.as_posix()} {asked} --seed {seed} --seeds {seeds}"
        write_page(page, suites_page(chosen, read_records(out / RECORDS), command))


@study.command("choosing")
@OUT
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds of each group.")
@GROUPS
@click.option("--dim", "dims", multiple=True, type=click.IntRange(1), default=(2, 4, 6), show_default=True)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    help="Strategies, variants and the bench's peers; by default fps and what it is compared with.",
)
@click.option("--batch", default=4, show_default=True, type=click.IntRange(1), help="Points a batch.")
@click.option(
    "--screening",
    is_flag=True,
    help="Variants on random functions of 2 to 4 parameters, cheaply, into OUT/screening.csv.",
)
@PAGE
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
    screening: bool,
    page: Path | None,
    known: bool,
) -> None:
    """Which strategy leaves the averaged map with the least true error after 20, 40 and 80 points.

    Peers that cannot choose several points at once choose one at a time, which is easier.

    Records go to OUT/choosing.csv as they come; a second call goes on where the first stopped. The page also
    has the suites, from OUT/suites.csv (`bench study suites`), the variants of OUT/variants/choosing.csv and
    OUT/screening.csv, and notes-choosing.md beside it.

    \b
    Examples:
      equiwarp bench study choosing --out out --seeds 3 --page docs/results/choosing.md
      equiwarp bench study choosing --out docs/results/tables --known --page docs/results/choosing.md
      equiwarp bench study choosing --out out --screening --seed 20 --arm fps --arm map --arm "one model"
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.choosing_page import Beside, choosing_page
    from equiwarp.bench.storage.csv_records import kept_records
    from equiwarp.bench.studies import batches, choosing, suites

    path, arms = out / "choosing.csv", arms or (*choosing.ARMS, *choosing.PEERS)
    seeds_wanted = range(seed, seed + seeds)
    records = choosing.finished(path, arms) if known and path.exists() else []
    if screening and not known:
        cases = choosing.choosing_cases(choosing.RANDOM, seeds_wanted, choosing.SCREENING_DIMENSIONS)
        progress = partial(tqdm, desc="screening", unit="run")
        choosing.run_choosing(out / SCREENED, cases, arms, choosing.SCREENING, progress)
    for group in () if known or screening else groups:
        records += choosing.run_choosing(
            path,
            choosing.choosing_cases(group, seeds_wanted, dims),
            arms,
            choosing.Protocol(batch),
            partial(tqdm, desc=group, unit="run"),
        )
    asked = "--known" if known else f"--seed {seed} --seeds {seeds}"
    written = page.with_name("notes-choosing.md") if page else None
    notes = written.read_text(encoding="utf-8").strip() if written and written.exists() else ""
    beside = Beside(
        suites=kept_records(out / suites.RECORDS),
        batches=kept_records(out / batches.RECORDS),
        varied=kept_records(out / "variants" / path.name),
        screened=kept_records(out / SCREENED),
        modelled=kept_records(out / MODELLED),
        notes=notes,
    )
    text = choosing_page(records, f"equiwarp bench study choosing --out {out.as_posix()} {asked}", beside)
    click.echo(text)
    if page is not None:
        write_page(page, text)


@study.command("known-model")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=1, show_default=True, type=click.IntRange(1), help="How many seeds.")
def known_model_command(out: Path, seed: int, seeds: int) -> None:
    """What choosing can gain over farthest points where lengthscale and noise are known; needs no values.

    Records go to OUT/known-model.csv as they come; a second call goes on where the first stopped.
    `bench study choosing` makes a table of them.

    \b
    Examples:
      equiwarp bench study known-model --out docs/results/tables
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.known_model_part import known_model_part
    from equiwarp.bench.studies.known_model import known_model_cases, run_known_model

    cases = known_model_cases(range(seed, seed + seeds))
    records = run_known_model(out / MODELLED, cases, partial(tqdm, unit="design"))
    click.echo("\n\n".join(known_model_part(records)))


@study.command("prior")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(1), help="Seeds of each pair.")
@click.option(
    "--random", is_flag=True, help="Pairs of random functions, to choose constants by; OUT/prior-random.csv."
)
@PAGE
def prior_command(out: Path, seed: int, seeds: int, random: bool, page: Path | None) -> None:
    """What a cheap simulator is worth as the prior of a dear one, beside SMT's co-kriging if it is installed.

    Records go to OUT/prior.csv as they come; a second call goes on where the first stopped. The table goes
    between the marks of PAGE, such as docs/prior.md.

    \b
    Examples:
      equiwarp bench study prior --out docs/results/tables --page docs/prior.md
      equiwarp bench study prior --random --seeds 5 --out prior-random
    """
    from tqdm import tqdm

    from equiwarp.bench.functions.random_pairs import random_pairs
    from equiwarp.bench.studies.prior import named_pairs, prior_table, run_prior, with_table

    pairs, file = (random_pairs, "prior-random.csv") if random else (named_pairs, "prior.csv")
    rows = run_prior(out / file, range(seed, seed + seeds), partial(tqdm, unit="map"), pairs)
    table = prior_table(rows, pairs(seed))
    click.echo(table)
    if page is not None:
        page.write_text(with_table(page.read_text(encoding="utf-8"), table), encoding="utf-8")


@study.command("lists")
@OUT
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="First seed.")
@click.option("--seeds", default=4, show_default=True, type=click.IntRange(1), help="How many seeds.")
@click.option("--real", is_flag=True, help="The tables of `bench case` instead of random lists.")
@click.option("--arm", "arms", multiple=True, help='Such as "balanced / box"; by default all.')
@PAGE
@click.option("--known", is_flag=True, help="Run nothing: sum up what is in OUT.")
def lists_command(
    out: Path, seed: int, seeds: int, real: bool, arms: tuple[str, ...], page: Path | None, known: bool
) -> None:
    """How a list should be begun and sampled: four orders of its entries.

    Records go to OUT/list_orders.csv as they come; a second call goes on where the first stopped.

    \b
    Examples:
      equiwarp bench study lists --out out --seeds 4
      equiwarp bench study lists --out docs/results/tables --known --page docs/results/lists.md
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.list_orders_page import list_orders_page
    from equiwarp.bench.storage.csv_records import read_records
    from equiwarp.bench.studies.list_orders import ARMS, list_cases, run_orders

    path = out / "list_orders.csv"
    if not known:
        cases = list_cases(range(seed, seed + seeds), real)
        run_orders(path, cases, arms or ARMS, partial(tqdm, unit="run"))
    notes = page.with_name("notes-lists.md") if page else None
    text = list_orders_page(
        read_records(path),
        f"equiwarp bench study lists --out {out.as_posix()}{' --known' if known else ''}",
        notes.read_text(encoding="utf-8").strip() if notes and notes.exists() else "",
    )
    click.echo(text)
    if page is not None:
        write_page(page, text)
