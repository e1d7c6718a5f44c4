"""Laws of a domain beside its chart: membership, sampling, identity, plain data."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.spec import domain_from_dict, domain_to_dict
from equiwarp.testing.conformance import Laws
from equiwarp.testing.drawing import first_row, generator, global_seed, non_uniformity

#: Points whose kernel coordinates differ by less are one place.
SAME_PLACE = 1e-9


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


def scattered_uniformly(domain: Domain) -> str | None:
    x = domain.scatter(1000, _streams)
    u = domain.to_cube(x)
    whole = domain.from_cube(generator().random((64, domain.dim)))
    if not (domain.contains(whole).all() and np.array_equal(domain.snap(whole), whole)):
        return None  # only a part of the chart, or only settings of it: not uniform in the cube
    return non_uniformity(u)


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
    "Random points are uniform in the chart.": scattered_uniformly,
    "contains and problem agree, and what is far away is outside.": reasons,
    "No points are a valid input.": no_points,
    "Equal domains are equal, have one hash, and say what they are.": identity,
    "Plain data describes the domain completely.": plain_data,
}
