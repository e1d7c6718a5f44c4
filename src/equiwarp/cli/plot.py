"""`plot`: one figure of the map, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equiwarp.cli.common import campaign_options, opened, patience
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from equiwarp.campaign import Campaign
    from equiwarp.domains.view import View

FORMS = ("png", "svg", "pdf")
FIGURES = ("map", "categories", "error", "profile", "sensitivity")


@click.command()
@click.argument("what", type=click.Choice(FIGURES))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="A .png, .svg or .pdf file."
)
@click.option("--response", help="Which one, by name; the first by default.")
@click.option("--axis", "axes", multiple=True, help="A parameter to draw along; repeatable.")
@click.option("--at", "held", multiple=True, help="Where another one is held, as NAME=VALUE; repeatable.")
@campaign_options
def plot(
    what: str,
    out: Path | None,
    response: str | None,
    axes: tuple[str, ...],
    held: tuple[str, ...],
    store: str,
    campaign: str | None,
    who: str | None,
) -> None:
    """One figure, for a talk or a paper.

    \b
    map          the value and its uncertainty over two parameters, with the measurements
    categories   the value in each category of a parameter, beside each other; --axis says of which
    error        the map's error so far, and as forecast
    profile      the value along each parameter, the others held
    sensitivity  how much of the map's variance each parameter explains

    \b
    Examples:
      equiwarp plot map -o map.png
      equiwarp plot map --axis pH --axis minutes --at temperature=60 -o map.svg
      equiwarp plot categories --axis solvent --at time=30 -o solvents.png
      equiwarp plot map --at solvent=oil -o oil.png
      equiwarp plot error -o error.pdf
      equiwarp plot profile --response yield -o profile.png
      equiwarp plot sensitivity -o sensitivity.svg
    """
    from equiwarp.domains.followed import followed
    from equiwarp.plotting.style import image_file

    path = Path(f"{what}.png") if out is None else out
    form = path.suffix.lower().lstrip(".")
    if form not in FORMS:
        raise InvalidInput(f"{path}: choose a name that ends with {', '.join(f'.{f}' for f in FORMS)}")
    with opened(store, campaign, who) as c:
        view = followed(c.domain) if what == "profile" else c.domain.view()
        j, at = _which(c, response), _places(view, held)
        patience("Fitting and drawing")
        figure = _figure(c, what, j, axes, at)
        path.write_bytes(image_file(figure, form))
    click.echo(f"Wrote {path}.")


def _which(c: Campaign, response: str | None) -> int:
    names = c.responses
    if response is not None and response not in names:
        raise InvalidInput(f"there is no response {response!r}; choose from {', '.join(names)}")
    return 0 if response is None else names.index(response)


def _places(view: View, held: tuple[str, ...]) -> dict[str, float]:
    """``temperature=60`` or ``solvent=oil``, where an axis is held."""
    from equiwarp._util.text import offered
    from equiwarp.tables.cells import read_number

    found: dict[str, float] = {}
    for word in held:
        name, equals, text = word.rpartition("=")
        if not equals:
            raise click.UsageError(f"--at {word}: write a name and a value, as in --at {word}=60")
        name, text = name.strip(), text.strip()
        axis = view.axis(name)  # an error that lists them if there is none of that name
        if not axis.labels:
            found[name] = read_number(text, f"--at {name}")
        elif text in axis.labels:
            found[name] = float(axis.labels.index(text))
        else:
            raise InvalidInput(f"--at {word}: there is no category {text!r}{offered(text, axis.labels)}")
    return found


def _figure(c: Campaign, what: str, j: int, axes: tuple[str, ...], at: dict[str, float]) -> Figure:
    from equiwarp.maps.course import course_of
    from equiwarp.plotting.category_figures import category_axis, category_figure
    from equiwarp.plotting.figures import course_figure, map_figure
    from equiwarp.plotting.profile_figures import profile_figure, sensitivity_figure
    from equiwarp.plotting.slices import cut
    from equiwarp.plotting.style import labelled, safe

    units, name = {response.name: response.unit for response in c.spec.responses}, c.responses[j]
    label = labelled(name, units.get(name, ""))
    fitted = c.map()
    if what == "error":
        return course_figure(course_of(fitted, c.spec.stop), j, label, c.spec.stop.limits(name)[0])
    if what == "sensitivity":
        return sensitivity_figure(fitted.sensitivity(), name)
    if what == "categories":
        return category_figure(fitted, j, label, category_axis(c.domain, axes[0] if axes else None), at)
    if what == "profile":
        return profile_figure(fitted, j, label, axes, at)
    slice = cut(c.domain, axes, at)
    figure = map_figure(fitted, slice, j, label)
    if slice.held:
        figure.suptitle(safe(f"at {slice.held}"), fontsize=9)
    return figure
