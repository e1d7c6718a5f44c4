"""``equiwarp bench speed``: how long one more suggestion takes, and whether fast and plain choose alike."""

from __future__ import annotations

from pathlib import Path

import click

from equiwarp.exceptions import EquiwarpError

JSON = click.Path(dir_okay=False, path_type=Path)
DENSE_OPTION = click.option(
    "--dense",
    metavar="MODULE:FUNCTION",
    help="A dense reference; by default that of the tests, which is found at the top of a checkout.",
)

PAGE_OPTION = click.option(
    "--page",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Put the table on this page, between its markers.",
)


@click.group("speed")
def speed() -> None:
    """Seconds instead of errors: measure, compare choices, publish.

    \b
    Examples:
      equiwarp bench speed run --quick
      equiwarp bench speed run --json out.json
      equiwarp bench speed same-points --json same.json
      equiwarp bench speed publish out.json same.json
      equiwarp bench speed sizes --page docs/performance.md
      equiwarp bench speed cold --page docs/performance.md
    """


@speed.command("run")
@click.option("--quick", is_flag=True, help="D = 4, N = 300 only.")
@click.option("--dim", "dims", type=int, multiple=True, default=(2, 4, 6), show_default=True)
@click.option("--n", "counts", type=int, multiple=True, default=(50, 100, 300, 1000), show_default=True)
@click.option("--json", "path", type=JSON, help="Also write the numbers here.")
@click.option("--strategy", "names", multiple=True, help="Only these, and equiwarp; by default all.")
@click.option("--budget", default=1.5, show_default=True, help="Seconds for a strategy at one size.")
@click.option("--peers-python", help="Interpreter that has the peers; by default that of .venv-peers.")
@click.option("--ours-only", is_flag=True, help="No peers, no fresh processes.")
@DENSE_OPTION
@click.option("--no-dense", is_flag=True, help="Do without a dense reference.")
def run_command(
    quick: bool,
    dims: tuple[int, ...],
    counts: tuple[int, ...],
    path: Path | None,
    names: tuple[str, ...],
    budget: float,
    peers_python: str | None,
    ours_only: bool,
    dense: str | None,
    no_dense: bool,
) -> None:
    """Time one more suggestion beside the dense reference, the floor and the peers.

    Processor time, one BLAS thread. Everything takes about ten minutes on a quiet machine.

    \b
    Examples:
      equiwarp bench speed run --quick
      equiwarp bench speed run --dim 2 --n 100 --strategy eig --ours-only
      equiwarp bench speed run --json out.json
    """
    from tqdm import tqdm

    from equiwarp.bench.speed import measure
    from equiwarp.bench.speed.dense import DENSE, load_dense
    from equiwarp.bench.speed.report import SizeReport, scale_text, size_text, write_report
    from equiwarp.strategy import strategies

    reference = None if no_dense else dense or DENSE
    if reference is not None:
        load_dense(reference)  # if it is missing, say so now and not after minutes
    plan = measure.SpeedPlan(
        measure.QUICK_SIZES if quick else [(dim, n) for dim in dims for n in counts],
        list(dict.fromkeys(["equiwarp", *(names or strategies())])),
        budget,
        reference,
        None if ours_only else peers_python or measure.peers_interpreter(),
    )
    report = measure.machine_report()
    total = len(plan.sizes) * (len(plan.strategies) + 1) + 1
    with measure.one_thread_everywhere(), tqdm(total=total, unit="case") as bar:
        for dim, n in plan.sizes:
            size: SizeReport = {"dim": dim, "n": n, "milliseconds": {}, "peers": {}}
            for name in plan.strategies:
                bar.set_postfix_str(f"D={dim} N={n} {name}")
                size["milliseconds"][name] = measure.time_strategy(plan, name, dim, n)
                bar.update()
            if plan.peers_python is not None:
                bar.set_postfix_str(f"D={dim} N={n} peers")
                size["peers"] = measure.time_peers(dim, n, plan.peers_python)
            bar.update()
            with bar.external_write_mode():
                click.echo(size_text(size))
            report["sizes"].append(size)
            write_report(path, report)
        if not ours_only:
            bar.set_postfix_str("fresh processes and large ones")
            measure.time_scale(report, quick)
        bar.update()
    if not ours_only:
        click.echo(scale_text(report))
    write_report(path, report)


@speed.command("same-points")
@click.argument("names", nargs=-1, metavar="[STRATEGY]...")
@click.option("--dim", default=2, show_default=True, type=click.IntRange(2))
@click.option("--rounds", default=200, show_default=True, type=click.IntRange(1))
@click.option("--json", "path", type=JSON, help="Also write the counts here.")
@DENSE_OPTION
def same_points_command(
    names: tuple[str, ...], dim: int, rounds: int, path: Path | None, dense: str | None
) -> None:
    """Compare the points that the fast and the dense path choose, round by round.

    \b
    Examples:
      equiwarp bench speed same-points
      equiwarp bench speed same-points equiwarp warp --dim 3 --rounds 50
    """
    from tqdm import tqdm

    from equiwarp.bench.speed.dense import DENSE, load_dense
    from equiwarp.bench.speed.measure import one_thread_everywhere
    from equiwarp.bench.speed.report import write_report
    from equiwarp.bench.speed.same_points import COMPARED_STRATEGIES, choices

    dense_choose = load_dense(dense or DENSE)
    differ = dict.fromkeys(names or COMPARED_STRATEGIES, 0)
    with one_thread_everywhere(), tqdm(total=rounds * len(differ), unit="round") as bar:
        for choice in choices(list(differ), dim, rounds, dense_choose):
            bar.set_postfix_str(choice.strategy)
            bar.update()
            if choice.difference is not None:
                differ[choice.strategy] += 1
                with bar.external_write_mode():
                    click.echo(f"{choice.strategy}, round {choice.round}: {choice.difference}")
    write_report(path, {"same": {"dim": dim, "rounds": rounds, "differ": differ}})
    click.echo(f"{sum(differ.values())} of {rounds * len(differ)} rounds differ")
    if any(differ.values()):
        raise EquiwarpError("the fast and the dense path do not choose the same points")


@speed.command("publish")
@click.argument(
    "reports", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--page",
    default=Path("docs/performance.md"),
    show_default=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A page with the two marker lines.",
)
def publish_command(reports: tuple[Path, ...], page: Path) -> None:
    """Put the numbers of one or several runs on a page, between its markers.

    \b
    Examples:
      equiwarp bench speed publish out.json same.json
    """
    from equiwarp.bench.speed.publish import publish
    from equiwarp.bench.speed.report import read_report

    publish([read_report(path) for path in reports], page)
    click.echo(page)


@speed.command("sizes")
@click.option("--n", "counts", type=click.IntRange(1), multiple=True, default=(1_000, 3_000, 10_000, 100_000))
@click.option("--dim", default=20, show_default=True, type=click.IntRange(1), help="Parameters.")
@click.option(
    "--pending", default=200, show_default=True, type=click.IntRange(20), help="Experiments to run."
)
@click.option("--campaigns", default=1_000, show_default=True, type=click.IntRange(1), help="In the store.")
@click.option("--maps/--no-maps", default=True, show_default=True, help="Also commands that fit a map.")
@click.option(
    "--longest", default=300.0, show_default=True, help="Processor seconds after which a command is ended."
)
@click.option(
    "--cells",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the numbers in this CSV file; those that are in it are not measured again.",
)
@PAGE_OPTION
def sizes_command(
    counts: tuple[int, ...],
    dim: int,
    pending: int,
    campaigns: int,
    maps: bool,
    longest: float,
    cells: Path | None,
    page: Path | None,
) -> None:
    """Processor seconds and memory of every command on large stores, each in a fresh process.

    \b
    Examples:
      equiwarp bench speed sizes --n 1000 --campaigns 10
      equiwarp bench speed sizes --cells sizes.csv --page docs/performance.md
    """
    from equiwarp.bench.speed.size_cells import SizeCells, StoreSize
    from equiwarp.bench.speed.sizes import COMMANDS, MAP_COMMANDS, measured_table, put_on_page

    commands = (*COMMANDS, *MAP_COMMANDS) if maps else COMMANDS
    sizes = [StoreSize(n, dim, pending, campaigns) for n in counts]
    kept = SizeCells(cells)
    text = measured_table(sizes, commands, longest, lambda line: click.echo(line, err=True), kept)
    if page is not None:
        put_on_page(text, page)
    click.echo(page or text)


@speed.command("cold")
@click.option("--strategy", "names", multiple=True, default=("map", "equiwarp"), show_default=True)
@click.option("--runs", default=10, show_default=True, type=click.IntRange(1), help="The least of so many.")
@PAGE_OPTION
def cold_command(names: tuple[str, ...], runs: int, page: Path | None) -> None:
    """Processor seconds of a first ask on a small campaign, each in a fresh process.

    \b
    Examples:
      equiwarp bench speed cold --runs 3
      equiwarp bench speed cold --page docs/performance.md
    """
    from equiwarp.bench.speed.cold import cold_text, measure_cold
    from equiwarp.bench.speed.sizes import put_on_page

    text = cold_text(measure_cold(names, runs), runs)
    if page is not None:
        put_on_page(text, page)
    click.echo(page or text)
