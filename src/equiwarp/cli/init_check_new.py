"""`init`, `check`, `new`: describe the experiment once."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equiwarp.cli.common import DEFAULT_STORE, format_option, require_new, store_option
from equiwarp.cli.example import CANDIDATES_CSV, KINDS, example
from equiwarp.cli.output import emit, say_json
from equiwarp.exceptions import SpecError

if TYPE_CHECKING:
    from equiwarp.spec import CampaignSpec

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=FILE, default="campaign.toml")
@click.option("--kind", type=click.Choice(list(KINDS)), default="box", show_default=True, help="Of domain.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def init(file: Path, kind: str, force: bool) -> None:
    """Write a commented example of a campaign file.

    \b
    Examples:
      equiwarp init furnace.toml
      equiwarp init paint.toml --kind simplex
      equiwarp init alloys.toml --kind candidates
    """
    texts = {file: example(kind, file.name, file.stem)}
    if kind == "candidates":
        texts[file.with_name(f"{file.stem}-candidates.csv")] = CANDIDATES_CSV
    for path in texts:
        require_new(path, force)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        click.echo(f"Wrote {path}.")
    click.echo(f"Edit it, then: equiwarp check {file}")


@click.command()
@click.argument("file", type=FILE)
@format_option
def check(file: Path, form: str) -> None:
    """Validate a campaign file: every mistake at once, with its field.

    Exit code 0 if the file can be used, 1 if not.

    \b
    Examples:
      equiwarp check furnace.toml
      equiwarp check furnace.toml --format json
    """
    from equiwarp.spec import CampaignSpec

    try:
        spec = CampaignSpec.from_toml(file)
    except SpecError as error:
        if form == "table":
            raise
        rows = [problem._asdict() for problem in error.problems]
        emit(rows, form, ["path", "message"])
        raise click.exceptions.Exit(1) from None
    if form == "json":
        say_json(spec.to_dict())
    else:
        emit([*parameters(spec)], form)
        if form == "table":
            click.echo(_summary(spec))


def parameters(spec: CampaignSpec) -> list[dict[str, Any]]:
    """One row per parameter and per response."""
    rows: list[dict[str, Any]] = [
        {"name": row["name"], "role": "parameter", **row} for row in spec.domain.describe()
    ]
    for response in spec.responses:
        known = "noise estimated" if response.noise is None else f"noise {response.noise:g}"
        rows.append({"name": response.name, "role": "response", "unit": response.unit, "kind": known})
    return rows


def _summary(spec: CampaignSpec) -> str:
    begin = f"{spec.n0} experiments to begin with"
    said = [f"{spec.name}: strategy {spec.strategy}, {begin}, seed {spec.seed}."]
    aim = spec.bound_aim()
    if aim is not None:
        said.append(f"The map is for: {aim.words()}.")
    return "\n".join(["", *said, *spec.domain.remarks(), "No mistakes."])


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--prior", metavar="NAME[@STORE]", help="Begin with what this campaign knows, a simulator's for instance."
)
@store_option
def new(file: Path, prior: str | None, store: str) -> None:
    """Begin the campaign of a campaign file.

    If the store has the same campaign already, nothing changes; a different one of that name is a
    conflict (exit code 3).

    \b
    Examples:
      equiwarp new furnace.toml
      equiwarp new furnace.toml --store lab.db
      equiwarp new furnace.toml --prior coarse@simulation.db
      EQUIWARP_STORE=postgresql://lab@db/equiwarp equiwarp new furnace.toml
    """
    from equiwarp.campaign import Campaign
    from equiwarp.spec import CampaignSpec
    from equiwarp.store import redacted

    spec = CampaignSpec.from_toml(file)
    spec = spec if prior is None else replace(spec, prior=prior)
    with Campaign.from_spec(spec, store=store) as campaign:
        status = campaign.status()
    if status.asks or status.added:
        click.echo(f"Campaign {spec.name!r} is in {status.store} already and goes on.")
        return
    click.echo(f"Campaign {spec.name!r} is in {status.store}.")
    where = "" if store == DEFAULT_STORE else f" --store {shlex.quote(redacted(store))}"
    click.echo(f"Next: equiwarp ask -n {min(spec.n0 or 1, 8)} --csv plate.csv{where}")
