"""Laws of a domain beside its chart: membership, sampling, identity, plain data."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import numpy as np

from equiwarp.domains import Array, Box, Domain
from equiwarp.domains.base import FINEST
from equiwarp.domains.followed import settings
from equiwarp.spec import domain_from_dict, domain_to_dict
from equiwarp.testing.chart_laws import RETURN
from equiwarp.testing.conformance import Laws
from equiwarp.testing.drawing import cube_points, first_row, generator, global_seed, non_uniformity

#: Points whose kernel coordinates differ by less are one place.
SAME_PLACE = 1e-9
#: What is rounded to most digits may be so far away, as a share of the domain's extent.
CLOSELY = 0.01


def described(domain: Domain) -> str | None:
    names = domain.names
    if not names or len(set(names)) < len(names) or not all(isinstance(n, str) and n.strip() for n in names):
        return f"names = {names!r}: give one different name per column"
    if not isinstance(domain.dim, int) or domain.dim < 1:
        return f"dim = {domain.dim!r}, expected a whole number of at least 1"
    if not 0 < domain.volume < np.inf:
        return f"volume = {domain.volume!r}, expected a positive number"
    if domain.symmetry not in ("cube", "homogeneous", "none"):
        return f"symmetry = {domain.symmetry!r}, expected 'cube', 'homogeneous' or 'none'"
    points = len(domain.pool(256, generator()))
    if not isinstance(domain.n0, int) or domain.n0 < 2 or (points < 256 and domain.n0 > points):
        return f"n0 = {domain.n0!r}, expected a whole number from 2 to the number of points there are"
    return None


def _streams(i: int) -> np.random.Generator:
    return generator(1000 + i)


#: Every way to draw points, as ``draw(domain, n)``.
DRAWS: dict[str, Callable[[Domain, int], Array]] = {
    "sample": lambda domain, n: domain.sample(n, generator()),
    "everywhere": lambda domain, n: domain.everywhere(n, generator()),
    "pool": lambda domain, n: domain.pool(n, generator()),
    "scatter": lambda domain, n: domain.scatter(n, _streams),
}


def drawn_inside(domain: Domain) -> str | None:
    for name, draw in DRAWS.items():
        x = draw(domain, 64)
        if x.ndim != 2 or x.shape[1] != domain.columns or len(x) == 0:
            return f"{name} gives shape {x.shape}, not (n, {domain.columns})"
        row = first_row(~domain.contains(x))
        if row is not None:
            return f"{name}, row {row}: {x[row]} is outside, {domain.problem(x[row])}"
    return None


def drawn_settable(domain: Domain) -> str | None:
    for name, draw in DRAWS.items():
        x = draw(domain, 64)
        row = first_row(domain.snap(x) != x)
        if row is not None:
            return f"{name}, row {row}: {x[row]} can only be set as {domain.snap(x)[row]}"
    return None


def pool_distinct(domain: Domain) -> str | None:
    x = domain.pool(256, generator())
    Z = domain.embed(x)
    for i in range(1, len(Z)):
        near = np.flatnonzero(np.abs(Z[:i] - Z[i]).max(axis=1) < SAME_PLACE)
        if len(near):
            return f"rows {near[0]} and {i} of the pool are both {x[i]}"
    return None


def drawn_by_seed(domain: Domain) -> str | None:
    for name, draw in DRAWS.items():
        with global_seed(1):
            first = draw(domain, 32)
        with global_seed(2):
            second = draw(domain, 32)
        if not np.array_equal(first, second):
            return f"{name} with the same generator gives {first[0]} and then {second[0]}"
    return None


def prefixes(domain: Domain) -> str | None:
    longer = domain.sample(20, generator())
    for n, start in ((7, 0), (13, 7)):
        part = domain.sample(n, generator(), start)
        if not np.array_equal(part, longer[start : start + n]):
            return f"sample({n}, start={start}) is not rows {start} to {start + n} of sample(20)"
        random = domain.scatter(n, _streams, start)
        if not np.array_equal(random, domain.scatter(20, _streams)[start : start + n]):
            return f"scatter({n}, start={start}) is not rows {start} to {start + n} of scatter(20)"
    if not np.array_equal(domain.everywhere(7, generator()), domain.everywhere(20, generator())[:7]):
        return "everywhere(7) is not the beginning of everywhere(20)"
    return None


def _fills_its_chart(domain: Domain) -> bool:
    """Whether every point of the chart is one of the domain; else not even uniform points fill the cube."""
    whole = domain.from_cube(generator().random((64, domain.dim)))
    return bool(domain.contains(whole).all()) and np.array_equal(domain.snap(whole), whole)


def drawn_uniformly(domain: Domain) -> str | None:
    if not _fills_its_chart(domain):
        return None
    for name, draw in DRAWS.items():
        uneven = non_uniformity(domain.to_cube(draw(domain, 1000)))
        if uneven is not None:
            return f"{name}: {uneven}"
    return None


def moved_uniformly(domain: Domain) -> str | None:
    if settings(domain) != domain.names or not _fills_its_chart(domain):
        return None  # directions are turned by their angles, which hang together as columns
    x = domain.sample(1000, generator(4))
    other = generator(5).permutation(domain.sample(1000, generator(6)))  # two sequences go hand in hand
    for column in range(domain.columns):
        moved = domain.with_column(x, column, other[:, column])
        row = first_row(~(np.abs(moved[:, column] - other[:, column]) <= 1e-9 * np.ptp(other[:, column])))
        if row is not None:
            return f"column {column} set to {other[row, column]}: row {row} is {moved[row]}"
        if not domain.contains(moved).all():
            continue  # its columns hang together, and who asks draws again, as within constraints
        uneven = non_uniformity(domain.to_cube(moved))
        if uneven is not None:
            return f"column {column} drawn anew: {uneven}"
    return None


def inside_the_chart(domain: Domain) -> str | None:
    """What counts as inside comes back from the chart; the rest has no place there."""
    x = domain.sample(64, generator())
    spread = np.ptp(x, axis=0) + 1e-9 * np.abs(x).max()
    for share in (0.02, 0.2, 2.0):
        near = x + share * spread * generator(6).standard_normal(x.shape)
        near = near[domain.contains(near)]
        back = domain.from_cube(np.clip(domain.to_cube(near), 0.0, 1.0))
        row = first_row(~(np.abs(domain.embed(back) - domain.embed(near)) <= RETURN))
        if row is not None:
            return f"{near[row]} counts as inside; from the chart it comes back as {back[row]}"
    return None


def nearest_settings(domain: Domain) -> str | None:
    wanted = domain.from_cube(cube_points(domain, 32, 8))
    found, drawn = domain.snap(wanted), domain.sample(256, generator())
    row = first_row(domain.snap(found) != found)
    if row is not None:
        return f"{wanted[row]} is set as {found[row]}, and that as {domain.snap(found)[row]}"
    at, settable = domain.embed(wanted), domain.embed(drawn)
    away = np.linalg.norm(domain.embed(found) - at, axis=1)
    nearer = np.linalg.norm(settable - at[:, None], axis=2)
    row = first_row(nearer.min(axis=1) < away * (1 - 1e-6) - SAME_PLACE)
    if row is not None:
        return f"{wanted[row]} is set as {found[row]}, but {drawn[nearer[row].argmin()]} is nearer"
    return None


def rounded_closely(domain: Domain) -> str | None:
    x = domain.sample(64, generator(9))
    rounded = domain.rounded(x)
    row = first_row(~domain.contains(rounded))
    if row is not None:
        return f"{x[row]} is rounded to {rounded[row]}, {domain.problem(rounded[row])}"
    fine = domain.embed(domain.rounded_to(x, FINEST))
    away = np.abs(fine - domain.embed(x)).max(axis=1) / max(
        float(np.ptp(domain.embed(x), axis=0).max()), 1e-300
    )
    row = first_row(away > CLOSELY)
    if row is not None:
        return f"{x[row]} to {FINEST} more digits is {domain.rounded_to(x, FINEST)[row]}"
    return None


def shown_where_it_is(domain: Domain) -> str | None:
    if domain.listed is not None:
        return None  # a picture of two of its columns may have several entries at one place
    x = domain.sample(32, generator(10))
    back = domain.points_at(domain.coordinates(x))
    row = first_row(~(np.abs(domain.embed(back) - domain.embed(x)) <= RETURN))
    return None if row is None else f"{x[row]} is shown at {domain.coordinates(x)[row]}, where {back[row]} is"


def reasons(domain: Domain) -> str | None:
    inside = domain.sample(32, generator())
    rng = generator(3)
    spread = np.ptp(inside, axis=0) + np.abs(inside).max() + 1
    for x in (inside, inside + spread * rng.standard_normal(inside.shape), inside + 1000 * spread):
        contains = domain.contains(x)
        for point, lies_inside in zip(x, contains, strict=True):
            problem = domain.problem(point)
            if lies_inside != (problem is None):
                return f"contains says {bool(lies_inside)} of {point}, problem says {problem!r}"
    if contains.any():
        return f"{x[np.flatnonzero(contains)[0]]} counts as inside, far away from all samples"
    return None


def no_points(domain: Domain) -> str | None:
    nothing = np.empty((0, domain.columns))
    found = {
        "to_cube": (domain.to_cube(nothing).shape, (0, domain.dim)),
        "contains": (domain.contains(nothing).shape, (0,)),
        "snap": (domain.snap(nothing).shape, nothing.shape),
        "sample": (domain.sample(0, generator()).shape, nothing.shape),
    }
    for name, (shape, expected) in found.items():
        if shape != expected:
            return f"{name} of no points has shape {shape}, expected {expected}"
    return None


def identity(domain: Domain) -> str | None:
    twin = copy.deepcopy(domain)
    if twin != domain:
        return "a copy is not equal to the domain: define __eq__ by what describes it"
    if hash(twin) != hash(domain):
        return f"a copy is equal, but its hash is {hash(twin)}, not {hash(domain)}"
    if domain == object() or domain == None:  # noqa: E711  (what __eq__ answers is the question)
        return "it is equal to something that is no domain"
    other = Box({f"not {name}": (0, 1) for name in domain.names})
    if domain == other:
        return f"it is equal to {other!r}"
    if f"at 0x{id(domain):x}" in repr(domain):
        return f"its repr is {domain!r}: say what describes it"
    return None


def plain_data(domain: Domain) -> str | None:
    data = domain_to_dict(domain)
    text = json.dumps(data, allow_nan=False)
    if data.get("type") == "python" or data.get("callables"):
        return None  # described in Python alone, and said so
    back = domain_from_dict(json.loads(text))
    if back != domain or back.names != domain.names:
        return f"{text[:200]} describes {back!r} with the columns {back.names}, not {domain.names}"
    if not np.array_equal(back.sample(16, generator()), domain.sample(16, generator())):
        return f"the domain that {text[:200]} describes draws other samples"
    return None


DOMAIN_LAWS: Laws[Domain] = {
    "A domain describes itself: names, dim, volume, symmetry, n0.": described,
    "Points that are drawn lie in the domain.": drawn_inside,
    "Points that are drawn can be set on the instrument.": drawn_settable,
    "No two points of a pool are the same.": pool_distinct,
    "The same seed draws the same points, whatever happened before.": drawn_by_seed,
    "A longer sample begins with the shorter one.": prefixes,
    "Points are drawn uniformly, whatever they are for.": drawn_uniformly,
    "A column that is drawn anew leaves uniform points uniform.": moved_uniformly,
    "contains and problem agree, and what is far away is outside.": reasons,
    "What is inside is a point of the chart.": inside_the_chart,
    "A point is set at the nearest setting.": nearest_settings,
    "Rounded points are points of the domain, and further digits come close.": rounded_closely,
    "A picture shows points where they are.": shown_where_it_is,
    "No points are a valid input.": no_points,
    "Equal domains are equal, have one hash, and say what they are.": identity,
    "Plain data describes the domain completely.": plain_data,
}
