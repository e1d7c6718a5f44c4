"""`status`, `why`: what is known, and why it was asked. Nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from equiwarp._util.text import assigned
from equiwarp.cli.common import campaign_options, format_option, opened, patience
from equiwarp.cli.output import Row, emit, note, say_findings, say_json

if TYPE_CHECKING:
    from equiwarp.campaign import Assessment, Campaign, Status


@click.command()
@click.option("--quick", is_flag=True, help="Counts only; nothing of the map.")
@campaign_options
@format_option
def status(quick: bool, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """The campaign at a glance: counts, how good the map is, whether one may stop, and what is odd.

    Below the table: values that the others contradict, noise that the data contradict, drift, and what else
    one should know of the map, each with what to do.

    Up to 200 values (100 in twenty dimensions) the map is fitted for it. Beyond, what the last map said is
    shown, and of how many values it was; `equiwarp map` makes it anew.

    \b
    Examples:
      equiwarp status
      equiwarp status --format json
    """
    from equiwarp.campaign.assessing import latest

    with opened(store, campaign, who) as c:
        glance = c.status()
        said = None if quick else latest(c, glance, lambda: patience("Fitting the map"))
        answer: dict[str, Any] = {
            "name": glance.name,
            "store": glance.store,
            "strategy": glance.strategy,
            "seed": glance.seed,
            "prior": glance.prior or None,
            **glance.counts,
            "added": glance.added,
            "outside": glance.outside,
            "start_left": glance.start_left,
            "oldest_pending": glance.oldest_pending,
        }
        if not quick and glance.measured:
            answer |= _of_map(said, glance, form)
        _say_status(answer, form, c, glance.notes, () if said is None else said.findings)


def _of_map(said: Assessment | None, glance: Status, form: str) -> dict[str, Any]:
    """What the last map said, and of which state it was."""
    if said is None:
        return {"map": None if form == "json" else "not fitted yet; `equiwarp map` says how good it is"}
    answer: dict[str, Any] = {"map": _which(said, glance.measured, form)}
    if said.aim is not None:
        answer["aim"] = said.aim if form == "json" else said.aim["sentence"]
    answer["error"], answer["values"] = said.error, said.values or None
    if form == "json":
        answer["interval"] = said.interval
    answer["offsets"], answer["prior_worth"] = said.offsets or None, said.prior_worth or None
    if said.may_stop is not None:
        answer["may_stop"], answer["stop_reason"] = said.may_stop, said.stop_reason
    return answer


def _which(said: Assessment, measured: int, form: str) -> Any:
    """The state that a map is of, for programs or for people; None if it is the present one."""
    if form == "json":
        return {"values": said.measured, "made": said.made, "current": said.current}
    if said.current:
        return None
    if said.measured == measured:
        return f"before the last changes, of {said.made[:16]}Z; `equiwarp map` makes it anew"
    return f"of {said.measured} of {measured} values, of {said.made[:16]}Z; `equiwarp map` makes it anew"


def _say_status(
    answer: dict[str, Any], form: str, c: Campaign, notes: tuple[str, ...], findings: Sequence[Row]
) -> None:
    if form == "json":
        say_json({**answer, "notes": list(notes), "findings": list(findings)})
        return
    flat = {k: v for k, v in answer.items() if k not in ("error", "values", "offsets", "prior_worth")}
    flat |= {f"prior of {response}": said for response, said in (answer.get("prior_worth") or {}).items()}
    units = {r.name: f" {r.unit}" if r.unit else "" for r in c.spec.responses}
    for response, columns in (answer.get("offsets") or {}).items():
        unit = units.get(response, "")
        for column, blocks in columns.items():
            shift = {f"offset of {column} {b}, {response}": v for b, v in blocks.items()}
            flat |= {k: f"{v:+.4g}{unit}" for k, v in shift.items()} if form == "table" else shift
    if form == "table":
        values = answer.get("values") or {}
        shown = {
            f"map error of {n}": _error_words(v, units.get(n, ""), values.get(n, FEW))
            for n, v in answer.get("error", {}).items()
        }
        rows = {**flat, **shown}
        rows["may_stop"] = "yes" if rows.get("may_stop") else "no" if "may_stop" in rows else None
        width = max(map(len, rows))
        for key, value in rows.items():
            if value is not None:
                click.echo(f"{key.replace('_', ' ').ljust(width)}  {value}")
        say_findings(findings)
        for text in notes:
            note(f"note: {text}")
    else:
        errors = {f"error {n}": None if v != v else v for n, v in answer.get("error", {}).items()}
        emit([{**flat, **errors}], form)


#: With fewer values of a response nothing can contradict its map's error, and no stop rule holds.
FEW = 5


def _error_words(error: float, unit: str, values: int) -> str:
    """The map's error of a response of which there are so many values."""
    if not values:
        return "no value yet"
    return f"{error:.4g}{unit}{', a guess from so few values' if values < FEW else ''}"


@click.command()
@click.argument("id", type=click.IntRange(1))
@campaign_options
@format_option
def why(id: int, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """Why an experiment was suggested, in words and in numbers, and what happened to it.

    \b
    Examples:
      equiwarp why 12
    """
    with opened(store, campaign, who) as c:
        experiment, events = c.experiment(id), c.events(id)
    numbers = experiment.why.as_dict()
    if form == "json":
        history = [vars(event) for event in events]
        said = {"id": id, "point": experiment.point, "state": experiment.state, "words": str(experiment.why)}
        say_json({**said, "numbers": numbers, "events": history})
        return
    if form == "csv":
        emit([{"id": id, **{k: v for k, v in numbers.items() if k != "notes"}}], form)
        return
    click.echo(f"Experiment {id} ({experiment.state}): {assigned(experiment.point)}")
    click.echo(str(experiment.why))
    used = {k: v for k, v in numbers.items() if isinstance(v, float)}
    if experiment.origin == "model" and used:
        click.echo("  ".join(f"{key} {value:.4g}" for key, value in used.items()))
    for event in events:
        detail = "; ".join(f"{k}: {v}" for k, v in event.detail.items() if v not in (None, "", [], {}))
        click.echo(f"{event.at[:19]}Z  {event.who}  {event.what}{f'  ({detail})' if detail else ''}")
