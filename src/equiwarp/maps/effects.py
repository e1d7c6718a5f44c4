"""What each parameter does to a map: shares of its variance and main effects, for every kind of domain.

With f the map's mean at a point drawn uniformly from the domain and x_j one thing that can be set there,

    first-order index   S_j = Var(E[f | x_j]) / Var(f)                  what x_j explains alone
    total index         T_j = E[Var(f | all but x_j)] / Var(f)          what it explains with the others

are Sobol's (1993) and Homma and Saltelli's (1996) indices. E[f | x_j] is the main effect; it is averaged in
narrow bins of x_j, which needs no independent inputs. For T_j, x_j is drawn anew with the rest held (Jansen
1999): `Domain.with_column` says what the rest is. In a box it is the other parameters, in a mixture the
proportions of the other components; a constraint restricts what is drawn to what is allowed. On a list
nothing can be drawn: the pair of a point is the one nearest to it in the other columns that has another value
in this one, and it counts for as much as a value that is drawn anew is another one.

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
#: Points at which it is seen whether parameters depend on each other.
DEPEND_POINTS = 1024
#: Points in a bin at least: a short list has fewer bins.
FEWEST = 8
#: How often a value outside the constraints is drawn anew; after that the pair is found as on a list.
REDRAWS = 30
#: Parts of the sample; how much the estimate changes without each in turn gives its error.
PARTS = 8
#: Which parts are looked at: all, and all but one in turn.
KEPT = np.vstack([np.ones(PARTS), 1 - np.eye(PARTS)])
#: Values whose deviation is this share of their size are all alike.
ALIKE = 1e-12
#: Multiples of this fill the unit interval most evenly.
GOLDEN = (5**0.5 - 1) / 2
#: Neighbours on a list among which one with another value of the column is looked for, at first and at most;
#: those that are this near to equally far away count as equally near.
NEIGHBOURS, MOST_NEIGHBOURS, AS_NEAR = 16, 1024, 1e-9


@dataclass(frozen=True)
class EffectPoints:
    """Where a map is asked, in kernel coordinates: the same points for all maps that are compared.

    Attributes
    ----------
    Z : (n, e) array
    moved : tuple of (n, e) arrays
        One for each setting: the same points with this one drawn anew.
    others : tuple of (n,) arrays
        How likely a draw is another value, where only such were drawn; 1 elsewhere.
    bins : tuple of (n,) arrays of int
        Which bin of each setting a point lies in.
    centres, spreads : tuple of (b,) arrays
        Mean of the setting in each bin, in its units, and its variance there.
    """

    Z: Array
    moved: tuple[Array, ...]
    others: tuple[Array, ...]
    bins: tuple[RowNumbers, ...]
    centres: tuple[Array, ...]
    spreads: tuple[Array, ...]


@dataclass(frozen=True)
class Effects:
    """What the settings do to a map, and the standard errors of that: the points are finitely many.

    Attributes
    ----------
    first, total : (c,) arrays
        First-order and total index of each setting.
    first_error, total_error : (c,) arrays
    curves : tuple of (b,) arrays
        Main effect of each setting over its bins, in the units of the map.
    curve_errors : tuple of (b,) arrays
    """

    first: Array
    total: Array
    first_error: Array
    total_error: Array
    curves: tuple[Array, ...]
    curve_errors: tuple[Array, ...]


def effect_points(
    domain: Domain,
    seed: int,
    n: int = EFFECT_POINTS,
    place: Callable[[Array], Array] | None = None,
    fewest: int = FEWEST,
) -> EffectPoints:
    """Points spread over the domain, and for each setting the points with this one drawn anew.

    ``place`` says where points lie for the model that will be asked; by default at their kernel coordinates.
    Bins have ``fewest`` points and more.
    """
    place = place or domain.embed
    rng = stream(seed, "effects")
    x = _even(domain, _drawn(domain, n, rng)) if domain.listed is None else _listed(domain.listed, n, rng)
    values = settings_at(domain, x)
    columns = range(values.shape[1])
    if domain.listed is None:
        moved = [_redrawn(domain, x, j, rng) for j in columns]
    else:
        moved = [x[_nearest_other(x, j, rng)] for j in columns]
    labels, centres, spreads = zip(*(_binned(values[:, j], fewest) for j in columns), strict=True)
    anew = tuple(place(points) for points in moved)
    others_only = domain.whole.holds_list and len(columns) > 1  # of a single column, all are equally near
    others = tuple(_another(values[:, j]) if others_only else np.ones(len(x)) for j in columns)
    return EffectPoints(place(x), anew, others, labels, centres, spreads)


def depend(domain: Domain, seed: int) -> bool:
    """Whether what can be set of one parameter depends on the others: in mixtures, on lists, by constraints.

    Where all are independent, a value of one goes with the values of the others of any point.
    """
    rng = stream(seed, "depend")
    values = settings_at(domain, domain.sample(DEPEND_POINTS, rng))
    values = values[np.arange(DEPEND_POINTS) % len(values)]  # a short list has fewer
    as_columns = settings(domain) == domain.names
    for k in range(values.shape[1]):
        mixed = values.copy()
        mixed[:, k] = rng.permutation(values[:, k])
        points = mixed if as_columns else points_along(domain, mixed)
        if not domain.contains(points).all():
            return True
    return False


def effects(points: EffectPoints, mean: Callable[[Array], Array]) -> Effects:
    """The effects of every setting on a map, given its mean at kernel coordinates."""
    values = mean(points.Z)
    f, middle, unit = _in_own_unit(values)
    part = np.arange(len(f)) * PARTS // len(f)  # in a row: every eighth point of a sequence is in one corner
    size, sums, squares = (np.bincount(part, v, PARTS) for v in (np.ones(len(f)), f, f**2))
    left = np.maximum(KEPT @ size, 1)  # a short list leaves parts empty
    variance = KEPT @ squares / left - (KEPT @ sums / left) ** 2
    first, total, curves, errors = [], [], [], []
    for j, Z in enumerate(points.moved):
        explained, curve, error = _main_effect(f, part, points, j)
        first.append(_share(explained, variance))
        jumps = np.bincount(part, points.others[j] * ((values - mean(Z)) / unit) ** 2 / 2, PARTS)
        total.append(_share(KEPT @ jumps / left, variance))
        curves.append(middle + unit * curve)
        errors.append(unit * error)
    (first_now, first_error), (total_now, total_error) = (np.array(v).T for v in (first, total))
    return Effects(first_now, total_now, first_error, total_error, tuple(curves), tuple(errors))


def _in_own_unit(f: Array) -> tuple[Array, float, float]:
    """Values ``(n,)`` less their mean and over their deviation, and these two; zeros if the values are alike.

    Whether they are is judged by their own size: the unit in which a response is given is no matter. Nor are
    values squared as they are given: the squares of tiny ones would be zero.
    """
    largest = float(np.abs(f).max())
    scaled = f / largest if largest > 0 else np.zeros(len(f))
    middle = float(scaled.mean())
    deviation = float(scaled.std())
    if deviation <= ALIKE:
        return np.zeros(len(f)), float(f.mean()), largest or 1.0
    return (scaled - middle) / deviation, middle * largest, deviation * largest


def _share(of: Array, variance: Array) -> tuple[float, float]:
    """A share of the variance and its standard error (a jackknife), given both ``(k,)`` as in ``KEPT``."""
    shares = np.divide(of, variance, out=np.zeros(len(of)), where=variance > ALIKE)
    error = np.sqrt((PARTS - 1) * np.var(shares[1:]))
    return float(np.clip(shares[0], 0.0, 1.0)), float(error)


def _main_effect(f: Array, part: RowNumbers, points: EffectPoints, j: int) -> tuple[Array, Array, Array]:
    """Variance that a setting explains alone ``(k,)``, as in ``KEPT``; its main effect ``(b,)`` and error.

    The error of a bin's mean is seen in how the parts differ there (a ratio estimate). Every part of a Sobol
    sequence is even, so it is far below that of points drawn by chance. The variance between the bins less
    that of these errors is what the effect varies by from bin to bin; along each it goes on at its slope.
    """
    b = len(points.centres[j])
    cell = part * b + points.bins[j]
    each, sums = (np.bincount(cell, v, PARTS * b).reshape(PARTS, b) for v in (np.ones(len(f)), f))
    weights = KEPT @ each
    count = np.maximum(weights, 1)
    curve = KEPT @ sums / count
    curve = np.where(weights > 0, curve, curve[0])  # a bin that only the part left out has points of
    parts = KEPT @ (each > 0)
    # The squares of sums - curve * each, added up over the parts that are kept.
    off = KEPT @ sums**2 - 2 * curve * (KEPT @ (sums * each)) + curve**2 * (KEPT @ each**2)
    error2 = np.maximum(off, 0.0) / count**2 * parts / np.maximum(parts - 1, 1)
    weights /= np.maximum(weights.sum(axis=1), 1)[:, None]
    middle = np.sum(weights * curve, axis=1)[:, None]
    slope: Array = np.gradient(curve, points.centres[j], axis=1) if b > 1 else np.zeros_like(curve)
    along = slope**2 * points.spreads[j]
    return np.sum(weights * ((curve - middle) ** 2 - error2 + along), axis=1), curve[0], np.sqrt(error2[0])


def _binned(column: Array, fewest: int) -> tuple[RowNumbers, Array, Array]:
    """The bin of each value, and mean and variance in each bin: its few settings, or equally many values."""
    settings, labels = np.unique(column, return_inverse=True)
    bins = min(BINS, max(2, len(column) // fewest))
    if len(settings) > bins:
        labels = np.searchsorted(np.quantile(column, np.arange(1, bins) / bins), column, side="right")
        _, labels = np.unique(labels, return_inverse=True)
    count = np.bincount(labels)
    centres = np.bincount(labels, column) / count
    return labels, centres, np.bincount(labels, (column - centres[labels]) ** 2) / count


def _redrawn(domain: Domain, x: Array, k: int, rng: np.random.Generator) -> Array:
    """Points ``(n, columns)`` with one setting drawn anew, where that stays allowed."""
    moved = x.copy()
    waiting = np.arange(len(x))
    values = np.sort(settings_at(domain, _drawn(domain.whole, len(x), rng))[:, k])
    old = settings_at(domain, x)[:, k]
    rank = np.argsort(np.argsort(old, kind="stable")) / len(x)
    for _ in range(REDRAWS):
        # A golden step from the old value's rank: old and new values fill their square evenly. Those refused
        # draw by chance: one step for all would send them to the same side.
        first = len(waiting) == len(x)
        step = rng.random() + GOLDEN * np.arange(len(x)) if first else rng.random(len(x))
        drawn = values[((rank + step) % 1.0 * len(values)).astype(int)]
        tried = with_setting(domain, x[waiting], k, drawn[waiting])
        allowed = domain.contains(tried)
        if domain.whole.holds_list:  # else most of what is allowed would be a point as it is
            allowed &= settings_at(domain, tried)[:, k] != old[waiting]
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


def _drawn(domain: Domain, n: int, rng: np.random.Generator) -> Array:
    """A uniform sample ``(n, columns)``: of a list beside other parameters, entries count alike."""
    return domain.everywhere(n, rng) if domain.whole.holds_list else domain.sample(n, rng)


def _listed(listed: Array, n: int, rng: np.random.Generator) -> Array:
    """Rows of a list ``(n, columns)`` by chance: a part of them must not be a corner of the list."""
    return listed[rng.permutation(len(listed))[:n]]


def _another(column: Array) -> Array:
    """How likely one of these values ``(n,)`` is another than each of them."""
    _, which, count = np.unique(column, return_inverse=True, return_counts=True)
    return np.asarray(1.0 - count[which] / len(column))


def _nearest_other(x: Array, column: int, rng: np.random.Generator) -> RowNumbers:
    """For each row the nearest one in the other columns among those with another value in this column.

    Of equally near ones, each row has one by chance. A row that has none near it keeps its place.
    """
    from scipy.spatial import cKDTree

    spread = np.ptp(x, axis=0)
    others = np.delete(x / np.where(spread > 0, spread, 1.0), column, axis=1)
    if others.shape[1] == 0:
        return rng.permutation(len(x))
    order = rng.permutation(len(x))  # the tree takes equally near ones in the order of the rows
    tree, found, waiting = cKDTree(others[order]), np.arange(len(x)), np.arange(len(x))
    count = min(NEIGHBOURS, len(x))
    while len(waiting):
        away, near = (part.reshape(len(waiting), -1) for part in tree.query(others[waiting], k=count))
        near = order[near]
        away = np.where(x[near, column] != x[waiting, column][:, None], away, np.inf)
        least = away.min(axis=1)
        has, tied = np.isfinite(least), away <= least[:, None] + AS_NEAR
        pick = np.argmax(tied * rng.random(tied.shape), axis=1)
        found[waiting[has]] = near[has, pick[has]]
        waiting = waiting[~has]
        if count >= min(MOST_NEIGHBOURS, len(x)):
            break
        count = min(4 * count, len(x))
    return found
