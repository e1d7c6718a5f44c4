"""Parameters without visible effect, and edges of the domain where the function still rises."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.structure import predicted_share
from equiwarp.maps.diagnostics.subject import Subject
from equiwarp.maps.effects import effect_points, effects
from equiwarp.models.average import Average
from equiwarp.models.base import MapModel

#: A map must predict this share of its values' variance before one speaks of what it shows.
TRUSTED = 0.6
#: Total share of the map's variance below which a parameter has no visible effect.
INVISIBLE = 0.01
#: Where parameters hang together, one can explain much alone though the map hardly changes with it while the
#: others are held: there it must also explain less than this alone. A list of 100 entries cannot tell less.
INVISIBLE_ALONE = 0.1
#: Models of the average that count for this much have a say in it. Chosen on random functions.
HAS_A_SAY = 0.1
#: Points for it: fewer than for the indices themselves, since only small ones matter.
POINTS = 1024
#: Points in a bin at least: what a parameter of a short list explains alone must be told from chance.
FEWEST = 25
#: How far from an edge the map is compared with the edge itself, as a share of the parameter's range.
STEP = 0.1
#: Smaller shares are none.
LEAST_SAID = 1e-5
#: Deviations by which the edge must lie higher; standard errors that a share may be larger by.
FAR = 2.0


def inert(subject: Subject) -> Iterator[MapFinding]:
    """Parameters that explain next to nothing of the map, alone or together with others."""
    domain = subject.map.domain
    if not _independent(domain) or domain.columns < 2 or predicted_share(subject) < TRUSTED:
        return
    points = effect_points(domain, subject.map.seed, POINTS, subject.map.coordinates, FEWEST)
    # A parameter that one model of the average does without may matter to another that predicts as well.
    found = [effects(points, model.predict) for model in _models(subject)]
    total = np.max([e.total for e in found], axis=0)
    alone = np.max([e.first + FAR * e.first_error for e in found], axis=0)
    share = total if _free(domain) else np.maximum(total, alone)
    for j in np.flatnonzero((total < INVISIBLE) & (share < INVISIBLE_ALONE)):
        most = f"at most {100 * share[j]:.1g} %" if share[j] > LEAST_SAID else "nothing"
        sentence = (
            f"{domain.names[j]} has no visible effect on {subject.name} so far: it accounts for {most} "
            f"of the map's variance."
        )
        more = "add further categories" if domain.names[j] in domain.categories else "widen its range"
        advice = f"If that is what you expect, leave it fixed in a further campaign; otherwise {more}."
        yield MapFinding(
            "inert", subject.name, sentence, advice, (), {"total": float(total[j]), "parameter": float(j)}
        )


def _independent(domain: Domain) -> bool:
    """Whether each column of a point is a parameter that can be set on its own."""
    return domain.cartesian or (len(domain.groups) == domain.columns and bool(_special(domain)))


def _free(domain: Domain) -> bool:
    """Whether parameters can be set whatever the others are: no list or condition ties them together."""
    return domain.whole is domain and not domain.holds_list


def _special(domain: Domain) -> list[int]:
    """Axes of the chart without ends: angles and categories."""
    return [j for j, axis in enumerate(domain.chart_axes) if axis.kind != "interval"]


def _models(subject: Subject) -> list[MapModel]:
    """The models of an average that count, or the one model that there is."""
    model = subject.model
    if not isinstance(model, Average):
        return [model]
    return [m for m, weight in zip(model.members, model.weights, strict=True) if weight >= HAS_A_SAY]


def edges(subject: Subject) -> Iterator[MapFinding]:
    """Where the highest place of the map lies on an edge, and the map still rises towards it."""
    domain = subject.map.domain
    axes = domain.view().axes
    faces = domain.has_faces or (_special(domain) and _independent(domain) and domain.whole is domain)
    if not faces or len(axes) != domain.columns or predicted_share(subject) < TRUSTED:
        return
    top = _highest(subject)
    named, numbers = [], {}
    for j, axis in enumerate(axes):
        u = domain.to_cube(top)[0]
        side = round(float(u[j]))
        inside = u.copy()
        inside[j] = abs(side - STEP)
        if j in _special(domain) or abs(u[j] - side) > 0.02 or _alike(subject, u, j):
            continue
        mean, sd = subject.model.predict(subject.at_cube(np.array([u, inside])), return_std=True)
        far = float((mean[0] - mean[1]) / max(np.hypot(sd[0], sd[1]), 1e-300))
        if far > FAR:
            unit = f" {axis.unit}" if axis.unit else ""
            named.append(f"{axis.name} = {axis.high if side else axis.low:g}{unit}")
            numbers[axis.name] = far
    if named:
        sentence = (
            f"The highest values of {subject.name} lie at the edge of the domain, and the map still rises "
            f"towards {' and '.join(named)}."
        )
        advice = "If higher values matter and can be set, widen these bounds."
        yield MapFinding("edge", subject.name, sentence, advice, (), numbers)


def _highest(subject: Subject) -> Array:
    """The highest of many points ``(1, columns)``, climbed along each coordinate once more."""
    domain, model = subject.map.domain, subject.model
    u = domain.to_cube(domain.sample(POINTS, np.random.default_rng(subject.map.seed)))
    best = u[[int(np.argmax(model.predict(subject.at_cube(u))))]]
    for j in range(domain.dim):
        tried = np.repeat(best, 21, axis=0)
        tried[1:, j] = np.linspace(0.0, 1.0, 20)
        best = tried[[int(np.argmax(model.predict(subject.at_cube(tried))))]]
    return domain.from_cube(best)


def _alike(subject: Subject, u: Array, j: int) -> bool:
    """Whether both ends of a coordinate are one place, as those of an angle are."""
    ends = np.array([u, u])
    ends[:, j] = 0.0, 1.0
    Z = subject.map.domain.embed_cube(ends)
    return bool(np.allclose(Z[0], Z[1]))
