"""`report`: one self-contained HTML file, and its figures beside it."""

from __future__ import annotations

from pathlib import Path

import click

from equiwarp.cli.common import campaign_options, opened, patience, require_new


@click.command()
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False), default="report.html")
@click.option("--force", is_flag=True, help="Overwrite an existing report.")
@campaign_options
def report(out: Path, force: bool, store: str, campaign: str | None, who: str | None) -> None:
    """Slices of the map and its uncertainty, the design, the error so far and its forecast.

    Writes one HTML file that needs nothing else, and the figures as PNG files beside it.

    \b
    Examples:
      equiwarp report
      equiwarp report furnace.html --campaign furnace
    """
    from equiwarp.report.document import write_report

    require_new(out, force)
    with opened(store, campaign, who) as c:
        patience("Fitting and drawing")
        written = write_report(c, out)
    click.echo(f"Wrote {written[0]} and {len(written) - 1} figures beside it.")
