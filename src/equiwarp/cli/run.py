"""`run`: map a simulator that is a program, on this machine or on a Dask cluster."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equiwarp._util.text import several
from equiwarp.cli.common import duration, store_option
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.runner.handle import OnInterrupt, Runner
    from equiwarp.runner.plan import RunPlan

#: What no file may be called on one system or another.
NO_FILE_NAME = r'[/\\:*?"<>|\x00-\x1f]'
#: Exit codes of a run that a signal ended, as shells count them.
INTERRUPTED, TERMINATED = 130, 143


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A duration such as 90s, 10m, 12h or 7d."""
    if value is None:
        return None
    return duration(value).total_seconds()


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--command", required=True, metavar="TEXT", help="The program, with {parameters} in braces.")
@click.option(
    "--value",
    "source",
    default="stdout",
    show_default=True,
    metavar="WHERE",
    help="stdout (its last line), exit-code, or a file such as {folder}/y.json.",
)
@click.option(
    "--folders", type=click.Path(path_type=Path, file_okay=False), help="[default: NAME-runs beside the file]"
)
@click.option("--workers", type=click.IntRange(1), help="How many at once.  [default: one per core]")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, such as tcp://head:8786.")
@click.option("--budget", type=click.IntRange(1), help="Experiments of the campaign in all.")
@click.option(
    "--duration", metavar="TIME", callback=_seconds, help="Begin nothing new after 90s, 10m, 12h or 7d."
)
@click.option(
    "--timeout", metavar="TIME", callback=_seconds, help="An experiment that takes longer has failed."
)
@click.option("--retries", type=click.IntRange(0), default=1, show_default=True, help="After a lost worker.")
@click.option(
    "--on-interrupt",
    type=click.Choice(["finish", "release"]),
    default="finish",
    show_default=True,
    help="What Ctrl-C does with those that run.",
)
@click.option("--quiet", is_flag=True, help="No line of progress.")
@click.option(
    "--prior", metavar="NAME[@STORE]", help="Begin with what this campaign knows, a simulator's for instance."
)
@store_option
def run(
    file: Path, command: str, source: str, folders: Path | None, store: str, quiet: bool, **limits: Any
) -> None:
    """Map a simulator: run its command for every experiment, until the budget or the stop rule ends it.

    The command is split into words; no shell sees it. {name} stands for a parameter, {name:.3f} for three
    digits of it, {folder} for the experiment's own folder, where inputs.json has all settings, and {id} for
    its number. Exit code 0 means that there is a value, 75 that it should be tried again, anything else that
    it failed. The value is a number, several numbers, or JSON with the responses by name.

    Started again, it goes on: with the same budget it does nothing, with a larger one it continues.

    \b
    Examples:
      equiwarp run furnace.toml --budget 100 --command "python simulate.py {temperature} {pH}"
      equiwarp run furnace.toml --budget 100 --workers 8 --timeout 10m --value "{folder}/y.json" \\
          --command "python simulate.py --t {temperature} --ph {pH:.2f} --out {folder}/y.json"
      equiwarp run furnace.toml --duration 12h --scheduler tcp://head:8786 \\
          --command "solve {folder}/inputs.json"
      equiwarp run furnace.toml --budget 50 --command "sh -c 'solve $1 | tail -1' sh {temperature}"
    """
    from equiwarp.campaign import Campaign
    from equiwarp.runner.plan import RunPlan
    from equiwarp.spec import CampaignSpec

    spec = CampaignSpec.from_toml(file)
    spec = spec if limits["prior"] is None else replace(spec, prior=limits["prior"])
    plan = RunPlan.of(
        limits["budget"], spec.stop, limits["duration"], limits["timeout"], limits["retries"], None
    )
    if not plan.ends and spec.domain.listed is None:
        raise InvalidInput(
            "nothing would end this run: give --budget, --duration, or a stop rule in the file"
        )
    program = _program(command, source, folders or file.with_name(_folders_of(spec.name)), spec, plan)
    with (
        _executor(limits["scheduler"]) as executor,
        Campaign.from_spec(spec, store) as campaign,
        _started(campaign, program, plan, (executor, limits["workers"]), quiet) as runner,
    ):
        _wait(runner, limits["on_interrupt"])
        _say_end(runner, campaign)


def _folders_of(name: str) -> str:
    """The name of the folder with those of the experiments; a campaign may be called furnace/2."""
    return f"{re.sub(NO_FILE_NAME, '-', name)}-runs"


def _program(command: str, source: str, folders: Path, spec: Any, plan: RunPlan) -> Any:
    """The simulator, everything about it checked."""
    import numpy as np

    from equiwarp.runner.command import Command
    from equiwarp.runner.placeholders import check_placeholders, read_command

    folders = folders.absolute()
    (point,) = spec.domain.sample(1, np.random.default_rng(0)).tolist()
    example = spec.domain.named(point)
    words = read_command(command, example, str(folders))
    if source not in ("stdout", "exit-code") and not check_placeholders(source, example, "--value"):
        raise click.UsageError(f"--value {source!r} is the same file for all; put it into {{folder}}")
    responses = tuple(response.name for response in spec.responses)
    return Command(words, source, str(folders), str(Path.cwd()), responses, plan.timeout)


@contextlib.contextmanager
def _executor(scheduler: str | None) -> Iterator[Any]:
    """None for this machine, else a client of the cluster."""
    if scheduler is None:
        yield None
        return
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise click.UsageError(f"a cluster needs: pip install 'equiwarp[dask]'  ({error})") from None
    try:
        client = distributed.Client(scheduler, timeout="30s")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"no Dask scheduler answers at {scheduler!r}: {error}") from None
    with client:
        yield client


@contextlib.contextmanager
def _started(
    campaign: Campaign, program: Any, plan: RunPlan, where: tuple[Any, int | None], quiet: bool
) -> Iterator[Runner]:
    """The run, begun; SIGTERM, which schedulers of clusters send before they kill, gives everything back."""
    from equiwarp.runner.asking import left_of
    from equiwarp.runner.entry import start
    from equiwarp.runner.executors import Workers
    from equiwarp.runner.progress import read_report

    workers = Workers.of(*where, is_async=False)
    report = read_report(False if quiet else None, left_of(campaign, plan.budget))
    runner = start(campaign, program, workers, plan, report)
    if threading.current_thread() is not threading.main_thread():
        yield runner
        return
    before = signal.signal(signal.SIGTERM, lambda *_: runner.cancel())
    try:
        yield runner
    finally:
        signal.signal(signal.SIGTERM, before)


def _wait(runner: Runner, on_interrupt: OnInterrupt) -> None:
    try:
        runner.wait_for_people(on_interrupt)
    except KeyboardInterrupt:
        click.echo(f"Interrupted: {runner.progress()}", err=True)
        sys.exit(INTERRUPTED)
    if runner.reason == "it was cancelled":
        click.echo(f"Terminated: {runner.progress()}", err=True)
        sys.exit(TERMINATED)


def _say_end(runner: Runner, campaign: Campaign) -> None:
    for note in runner.notes:
        click.echo(f"note: {note}", err=True)
    progress = runner.progress()
    click.echo(
        f"{several(progress.done, 'value')} and {several(progress.failed, 'failure')}: {progress.reason}."
    )
    if progress.failed:
        click.echo(f"Why they failed: equiwarp export --state failed --campaign {campaign.name}", err=True)
