"""`plot`: one figure of the map, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equiwarp.cli.common import campaign_options, opened, patience
from equiwarp.cli.output import note
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from equiwarp.campaign import Campaign
    from equiwarp.domains.view import Axis, View
    from equiwarp.maps.map import Map

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

    if what in ("error", "sensitivity") and (axes or held):
        raise click.UsageError(f"plot {what} is about all parameters: leave --axis and --at out")
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
            _require_within(axis, found[name], word)
        elif text in axis.labels:
            found[name] = float(axis.labels.index(text))
        else:
            raise InvalidInput(f"--at {word}: there is no category {text!r}{offered(text, axis.labels)}")
    return found


def _require_within(axis: Axis, value: float, word: str) -> None:
    """Refuse a place beyond the ends of an axis, where nothing is drawn."""
    if not axis.low <= value <= axis.high:
        ends = f"{axis.text(axis.low)} to {axis.text(axis.high)}"
        raise InvalidInput(f"--at {word}: {axis.name} runs from {ends}")


def _require_drawn(along: list[str], axes: tuple[str, ...]) -> None:
    """Refuse axes that the map does not run along."""
    for name in axes:
        if name not in along:
            hold = f"hold {name} with --at {name}=VALUE"
            raise InvalidInput(f"--axis {name}: {_drawn(along)}; {hold}")


def _require_held(along: list[str], at: dict[str, float]) -> None:
    """Refuse to hold what the figure runs along."""
    for name in at:
        if name in along:
            raise InvalidInput(f"--at {name}: {_drawn(along)}; leave it out, or choose other axes")


def _names(axes: tuple[Axis, ...]) -> list[str]:
    return [axis.name for axis in axes]


def _drawn(along: list[str]) -> str:
    return f"the figure runs along {', '.join(along)}" if along else "the figure is a globe"


def _setting(map: Map, at: dict[str, float]) -> dict[str, float]:
    """The setting through which profiles run: as on the page and in the report, a mixture adds up."""
    from equiwarp.domains.followed import followed
    from equiwarp.plotting.profiles import require_axes, setting_at, setting_of, usual_setting

    require_axes(map.domain)
    point = setting_at(map.domain, at) if at else usual_setting(map)
    setting = setting_of(map.domain, point)
    if not map.domain.contains(point[None])[0]:
        view = followed(map.domain)
        where = ", ".join(f"{axis.name} = {axis.text(setting[axis.name])}" for axis in view.axes)
        note(f"note: {where} is not allowed; profiles are drawn where they come to what is")
    return setting


def _figure(c: Campaign, what: str, j: int, axes: tuple[str, ...], at: dict[str, float]) -> Figure:
    from equiwarp.maps.course import course_of
    from equiwarp.plotting.category_figures import category_axis, category_figure, category_slices
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
        axis = category_axis(c.domain, axes[0] if axes else None)
        _require_held([axis.name, *_names(category_slices(c.domain, axis, at)[0].axes)], at)
        return category_figure(fitted, j, label, axis, at)
    if what == "profile":
        return profile_figure(fitted, j, label, axes, _setting(fitted, at))
    slice = cut(c.domain, axes, at)
    along = _names(slice.axes)
    _require_drawn(along, axes)
    _require_held(along if c.domain.listed is None else list(c.domain.names), at)
    figure = map_figure(fitted, slice, j, label)
    if slice.held:
        figure.suptitle(safe(f"at {slice.held}"), fontsize=9)
    return figure
