"""What each parameter does to a map: shares of its variance and main effects, for every kind of domain.

With f the map's mean at a point drawn uniformly from the domain and x_j one thing that can be set there,

    first-order index   S_j = Var(E[f | x_j]) / Var(f)                  what x_j explains alone
    total index         T_j = E[Var(f | all but x_j)] / Var(f)          what it explains with the others

are Sobol's (1993) and Homma and Saltelli's (1996) indices. E[f | x_j] is the main effect; it is averaged in
narrow bins of x_j, which needs no independent inputs. For T_j, x_j is drawn anew with the rest held (Jansen
1999): `Domain.with_column` says what the rest is. In a box it is the other parameters, in a mixture the
proportions of the other components; a constraint restricts what is drawn to what is allowed. On a list
nothing can be drawn: the pair of a point is the one nearest to it in the other columns.

A direction is set by azimuth and elevation (`domains.followed.settings`), which are independent where its
columns are not: a positioner turns about these two, and the profiler runs along them. A direction as one
parameter would say nothing on a sphere alone, where its share is always 1. What the angles say depends on
what is up: the third column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.domains import Array, Domain
from equiwarp.domains.followed import points_along, settings, settings_at, with_setting
from equiwarp.gp.posterior import RowNumbers

#: Points at which effects are measured, and bins of a main effect: a power of two, so that a Sobol sequence
#: fills every bin evenly and its mean scatters less.
EFFECT_POINTS, BINS = 4096, 32
#: How often a value outside the constraints is drawn anew; after that the pair is found as on a list.
REDRAWS = 30
#: Parts of the sample whose scatter gives the error of the estimate.
PARTS = 8
#: Multiples of this fill the unit interval most evenly.
GOLDEN = (5**0.5 - 1) / 2
#: Neighbours on a list among which one with another value of the column is looked for.
NEIGHBOURS = 16


@dataclass(frozen=True)
class EffectPoints:
    """Where a map is asked, in kernel coordinates: the same points for all maps that are compared.

    Attributes
    ----------
    Z : (n, e) array
    moved : tuple of (n, e) arrays
        One for each setting: the same points with this one drawn anew.
    bins : tuple of (n,) arrays of int
        Which bin of each setting a point lies in.
    centres : tuple of (b,) arrays
        Mean value of the setting in each bin, in its units.
    """

    Z: Array
    moved: tuple[Array, ...]
    bins: tuple[RowNumbers, ...]
    centres: tuple[Array, ...]


@dataclass(frozen=True)
class Effects:
    """First-order and total index ``(c,)`` of each setting, and its main effect ``(b,)`` over the bins."""

    first: Array
    total: Array
    curves: tuple[Array, ...]


def effect_points(
    domain: Domain, seed: int, n: int = EFFECT_POINTS, place: Callable[[Array], Array] | None = None
) -> EffectPoints:
    """Points spread over the domain, and for each setting the points with this one drawn anew.

    ``place`` says where points lie for the model that will be asked; by default at their kernel coordinates.
    """
    place = place or domain.embed
    rng = stream(seed, "effects")
    x = _even(domain, domain.sample(n, rng)) if domain.listed is None else _listed(domain.listed, n, rng)
    values = settings_at(domain, x)
    columns = range(values.shape[1])
    if domain.listed is None:
        moved = [_redrawn(domain, x, j, rng) for j in columns]
    else:
        moved = [x[_nearest_other(x, j, rng)] for j in columns]
    binned = [_binned(values[:, j]) for j in columns]
    return EffectPoints(
        place(x),
        tuple(place(points) for points in moved),
        tuple(labels for labels, _ in binned),
        tuple(centres for _, centres in binned),
    )


def effects(points: EffectPoints, mean: Callable[[Array], Array]) -> Effects:
    """The effects of every setting on a map, given its mean at kernel coordinates."""
    f = mean(points.Z)
    moved = [mean(Z) for Z in points.moved]
    return _effects(points, f, moved, slice(None))


def sampling_error(points: EffectPoints, mean: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Standard errors ``(c,)`` of first-order and total indices, because the points are finitely many."""
    f = mean(points.Z)
    moved = [mean(Z) for Z in points.moved]
    parts = [_effects(points, f, moved, slice(i, None, PARTS)) for i in range(PARTS)]
    first, total = (np.std([getattr(p, kind) for p in parts], axis=0, ddof=1) for kind in ("first", "total"))
    return first / np.sqrt(PARTS), total / np.sqrt(PARTS)


def _effects(points: EffectPoints, f: Array, moved: list[Array], part: slice) -> Effects:
    values = f[part]
    variance = float(values.var())
    curves, first, total = [], [], []
    for labels, centres, other in zip(points.bins, points.centres, moved, strict=True):
        curve, explained = _main_effect(values, labels[part], len(centres))
        curves.append(curve)
        first.append(explained)
        total.append(float(np.mean((values - other[part]) ** 2)) / 2)
    if variance <= 1e-24 * max(1.0, float(np.abs(values).max()) ** 2):
        none = np.zeros(len(curves))
        return Effects(none, none, tuple(curves))
    shares = [np.clip(np.array(v) / variance, 0.0, 1.0) for v in (first, total)]
    return Effects(shares[0], shares[1], tuple(curves))


def _main_effect(values: Array, labels: RowNumbers, bins: int) -> tuple[Array, float]:
    """Mean in each bin, and the variance of these means without what scatter within the bins adds to it."""
    count = np.maximum(np.bincount(labels, minlength=bins), 1)
    curve = np.bincount(labels, values, bins) / count
    within = np.bincount(labels, (values - curve[labels]) ** 2, bins)
    scatter = within / np.maximum(count - 1, 1)
    between = float(np.sum(count * (curve - values.mean()) ** 2) - np.sum(scatter * (count > 1)))
    return curve, max(0.0, between / len(values))


def _binned(column: Array) -> tuple[RowNumbers, Array]:
    """The bin of each value, and the mean of each bin: its few settings, or equally many values."""
    settings, labels = np.unique(column, return_inverse=True)
    bins = min(BINS, max(2, len(column) // 8))
    if len(settings) > bins:
        labels = np.searchsorted(np.quantile(column, np.arange(1, bins) / bins), column, side="right")
        _, labels = np.unique(labels, return_inverse=True)
    return labels, np.bincount(labels, column) / np.bincount(labels)


def _redrawn(domain: Domain, x: Array, k: int, rng: np.random.Generator) -> Array:
    """Points ``(n, columns)`` with one setting drawn anew, where that stays allowed."""
    moved = x.copy()
    waiting = np.arange(len(x))
    values = np.sort(settings_at(domain, domain.whole.sample(len(x), rng))[:, k])
    rank = np.argsort(np.argsort(settings_at(domain, x)[:, k], kind="stable")) / len(x)
    for _ in range(REDRAWS):
        # A golden step from the old value's rank: old and new values fill their square evenly.
        step = rng.random() + GOLDEN * np.arange(len(x))
        drawn = values[((rank + step) % 1.0 * len(x)).astype(int)]
        tried = with_setting(domain, x[waiting], k, drawn[waiting])
        allowed = domain.contains(tried)
        moved[waiting[allowed]] = tried[allowed]
        waiting = waiting[~allowed]
        if len(waiting) == 0:
            return moved
    moved[waiting] = x[_nearest_other(settings_at(domain, x), k, rng)[waiting]]
    return moved


def _even(domain: Domain, x: Array) -> Array:
    """A uniform sample ``(n, columns)`` whose angles fill every bin as evenly as parameters of a box do.

    The chart of a sphere has its pole elsewhere: what is even there scatters along azimuth and elevation.
    Since these are independent, each takes the ranks of one coordinate of the chart.
    """
    names = settings(domain)
    if names == domain.names or len(names) != domain.dim or domain.whole is not domain:
        return x
    u, values = domain.to_cube(x), settings_at(domain, x)
    for k in (k for k, name in enumerate(names) if name not in domain.names):
        values[np.argsort(u[:, k], kind="stable"), k] = np.sort(values[:, k])
    return points_along(domain, values)


def _listed(listed: Array, n: int, rng: np.random.Generator) -> Array:
    return listed if len(listed) <= n else listed[np.sort(rng.choice(len(listed), n, replace=False))]


def _nearest_other(x: Array, column: int, rng: np.random.Generator) -> RowNumbers:
    """For each row the nearest one in the other columns among those with another value in this column."""
    from scipy.spatial import cKDTree

    spread = np.ptp(x, axis=0)
    others = np.delete(x / np.where(spread > 0, spread, 1.0), column, axis=1)
    if others.shape[1] == 0:
        return rng.permutation(len(x))
    # Equally near ones are taken in an order of chance, not of the list.
    order = rng.permutation(len(x))
    _, near = cKDTree(others[order]).query(others, k=min(NEIGHBOURS, len(x)))
    near = order[near.reshape(len(x), -1)]
    differs = x[near, column] != x[:, [column]]
    return np.where(differs.any(axis=1), near[np.arange(len(x)), differs.argmax(axis=1)], np.arange(len(x)))
