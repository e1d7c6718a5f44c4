"""Laws of a domain's chart: a bijection with the unit cube that keeps volumes, and what goes with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.testing.conformance import Laws
from equiwarp.testing.drawing import cube_points, first_row, generator

#: How far a point may be from where it started, in the cube and in kernel coordinates.
RETURN = 1e-7
#: Half the width of a central difference in the cube.
STEP = 1e-5
#: Volume elements may differ by this share of themselves; the differences leave some 1e-6.
ELEMENT = 1e-3


def frames(domain: Domain) -> list[Array | None]:
    """The chart's own frame, and one that a lopsided density would choose, where there is such a thing."""
    x = domain.sample(32, generator(1))
    moved = domain.frame(x, np.linspace(0.1, 3.0, len(x)))
    return [None] if moved is None else [None, moved]


def shapes(domain: Domain) -> str | None:
    u = cube_points(domain, 5)
    x = domain.from_cube(u)
    if x.shape != (5, domain.columns):
        return f"from_cube of shape {u.shape} gives {x.shape}, not (5, {domain.columns})"
    if domain.to_cube(x).shape != u.shape:
        return f"to_cube of shape {x.shape} gives {domain.to_cube(x).shape}, not {u.shape}"
    z = domain.embed(x)
    if z.ndim != 2 or len(z) != 5 or z.shape[1] < domain.dim:
        return f"embed of shape {x.shape} gives {z.shape}, not (5, e) with e >= dim = {domain.dim}"
    for name, made in (("from_cube", x), ("to_cube", domain.to_cube(x)), ("embed", z)):
        bad = first_row(~np.isfinite(made))
        if bad is not None:
            return f"{name} of u = {u[bad]} is {made[bad]}"
    return None


def unchanged_input(domain: Domain) -> str | None:
    u = cube_points(domain, 5)
    x = domain.from_cube(u)
    for name in ("to_cube", "embed", "contains", "snap"):
        given = x.copy()
        getattr(domain, name)(given)
        if not np.array_equal(given, x):
            return f"{name} changed x = {x[0]} to {given[0]}"
    for name in ("from_cube", "embed_cube"):
        given = u.copy()
        getattr(domain, name)(given)
        if not np.array_equal(given, u):
            return f"{name} changed u = {u[0]} to {given[0]}"
    return None


def there_and_back(domain: Domain) -> str | None:
    for frame in frames(domain):
        u = cube_points(domain)
        back = domain.to_cube(domain.from_cube(u, frame), frame)
        row = first_row(~(np.abs(back - u) <= RETURN))
        if row is not None:
            return f"frame {frame}: u = {u[row]} comes back as {back[row]}"
        x = domain.sample(64, generator())
        again = domain.from_cube(domain.to_cube(x, frame), frame)
        row = first_row(~(np.abs(domain.embed(again) - domain.embed(x)) <= RETURN))
        if row is not None:
            return f"frame {frame}: x = {x[row]} comes back as {again[row]}"
    return None


def short_way(domain: Domain) -> str | None:
    for frame in frames(domain):
        u = cube_points(domain)
        short, long = domain.embed_cube(u, frame), domain.embed(domain.from_cube(u, frame))
        if short.shape != long.shape:
            return f"embed_cube gives shape {short.shape}, embed of from_cube {long.shape}"
        row = first_row(~(np.abs(short - long) <= RETURN))
        if row is not None:
            return f"frame {frame}, u = {u[row]}: embed_cube {short[row]}, embed of from_cube {long[row]}"
    return None


def jacobian(domain: Domain, u: Array, frame: Array | None = None) -> Array:
    """Derivative of the kernel coordinates by the cube's, ``(n, e, dim)``, by central differences."""
    columns = []
    for step in STEP * np.eye(domain.dim):
        ahead, behind = (domain.embed(domain.from_cube(u + sign * step, frame)) for sign in (1, -1))
        columns.append((ahead - behind) / (2 * STEP))
    return np.stack(columns, axis=2)


def smooth_axes(J: Array) -> NDArray[np.bool_]:
    """Which axes of the cube move the kernel coordinates; others do so by jumps, as a category's does."""
    return np.median(np.linalg.norm(J, axis=1), axis=0) > 0


def equal_volumes(domain: Domain) -> str | None:
    u = cube_points(domain)
    share = float(np.mean(domain.contains(domain.snap(domain.from_cube(cube_points(domain, 4096, 2, 0.0))))))
    for frame in frames(domain):
        J = jacobian(domain, u, frame)
        smooth = smooth_axes(J)
        element = np.sqrt(np.linalg.det(np.swapaxes(J, 1, 2)[:, smooth] @ J[:, :, smooth]))
        usual = float(np.median(element))
        row = first_row(~(np.abs(element - usual) <= ELEMENT * usual))
        if row is not None:
            found = f"the volume element is {element[row]:.6g}, elsewhere {usual:.6g}"
            return f"frame {frame}, u = {u[row]}: {found}"
        # Five standard errors of the share, and a hundredth for what the domain knows of it.
        slack = 0.01 + 5 * np.sqrt((1 - share) / max(share, 1e-9) / 4096)
        if smooth.all() and not abs(domain.volume - usual * share) <= slack * usual * share:
            return (
                f"volume is {domain.volume:.6g}, but the chart covers {usual:.6g} in kernel coordinates, "
                f"of which a share of {share:.4g} lies in the domain"
            )
    return None


def tangent_projects(domain: Domain) -> str | None:
    u = cube_points(domain, 16)
    z, J = domain.embed(domain.from_cube(u)), jacobian(domain, u)
    e = z.shape[1]
    P = np.stack([domain.tangent(z, np.tile(axis, (len(z), 1))) for axis in np.eye(e)], axis=2)  # (n, e, e)
    row = first_row(~(np.abs(P @ P - P) <= RETURN))
    if row is not None:
        return f"at z = {z[row]} projecting twice differs from once by {np.abs(P @ P - P)[row].max():.2g}"
    row = first_row(~(np.abs(P - np.swapaxes(P, 1, 2)) <= RETURN))
    if row is not None:
        return f"at z = {z[row]} the projection is oblique: {P[row].round(4).tolist()}"
    lost = np.abs(P @ J - J)
    row = first_row(~(lost <= 1e-4 * (1 + np.abs(J).max())))
    if row is not None:
        return f"at z = {z[row]} a direction along the domain loses {lost[row].max():.3g} of its length"
    rank = np.trace(P, axis1=1, axis2=2)
    row = first_row(~(np.abs(rank - domain.continuous) <= RETURN))
    if row is not None:
        return f"at z = {z[row]} it keeps {rank[row]:.3g} directions of {domain.continuous}"
    return None


def axes_told(domain: Domain) -> str | None:
    """Categories move the kernel coordinates by jumps; on a circle both ends are one place."""
    axes = domain.chart_axes
    if len(axes) != domain.dim:
        return f"chart_axes names {len(axes)} axes of {domain.dim}"
    u = cube_points(domain, 16)
    smooth = smooth_axes(jacobian(domain, u))
    for i, axis in enumerate(axes):
        if smooth[i] == (axis.kind == "categories"):
            how = "smoothly" if smooth[i] else "by jumps"
            return f"axis {i} of the cube is said to be {axis.kind!r}, but moves points {how}"
        first, last = u.copy(), u.copy()
        first[:, i], last[:, i] = 1e-9, 1.0 - 1e-9
        gap = np.abs(domain.embed_cube(first) - domain.embed_cube(last)).max()
        if axis.kind == "circle" and gap > 1e-6:
            return f"axis {i} of the cube is said to be a circle, but its ends are {gap:.3g} apart"
    return None


def faces_told(domain: Domain) -> str | None:
    """Who says that kernel coordinates fill the unit cube is reflected at its faces, or looked up there."""
    if not domain.has_faces and domain.symmetry != "cube":
        return None
    said = "has_faces" if domain.has_faces else "symmetry = 'cube'"
    z = domain.embed_cube(cube_points(domain, 256, 3, 0.0))
    if z.shape[1] != domain.dim:
        return f"{said}, but there are {z.shape[1]} kernel coordinates for dim = {domain.dim}"
    row = first_row(~((z >= -RETURN) & (z <= 1 + RETURN)))
    if row is not None:
        return f"{said}, but a point has the kernel coordinates {z[row]}"
    reach = z.max(axis=0) - z.min(axis=0)
    return None if (reach > 0.5).all() else f"{said}, but kernel coordinates reach over {reach} of it"


def grouped(domain: Domain) -> str | None:
    e = domain.embed(domain.from_cube(cube_points(domain, 1))).shape[1]
    found = [column for group in domain.groups for column in group]
    return (
        None if sorted(found) == list(range(e)) else f"groups are {domain.groups}, of {e} kernel coordinates"
    )


CHART_LAWS: Laws[Domain] = {
    "The chart and the embedding give finite numbers, a row a point.": shapes,
    "What the chart is given stays as it is.": unchanged_input,
    "The chart goes there and back.": there_and_back,
    "embed_cube is the embedding of from_cube.": short_way,
    "Equal volumes of the cube are equal volumes of the domain, and add up to its own.": equal_volumes,
    "The tangent projects gradients onto the directions that stay in the domain.": tangent_projects,
    "The axes of the chart are what the domain says: intervals, circles, categories.": axes_told,
    "Where there are faces, kernel coordinates fill the unit cube.": faces_told,
    "Every kernel coordinate belongs to one group.": grouped,
}
