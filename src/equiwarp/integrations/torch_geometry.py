"""The equalizer's table and the warp's transport in torch: the same numbers, with gradients.

Nothing is computed here that :mod:`equiwarp.geometry` does not compute. The tables are its own; only
the lookups are written a second time, because ``optimize_acqf`` needs to differentiate them.
"""

from __future__ import annotations

import numpy as np
import torch
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch import Tensor

from equiwarp._util.seeds import stream
from equiwarp.domains import Box
from equiwarp.geometry import cache
from equiwarp.geometry.equalizer import MOST_TABULATED, lookup, measure, nearest_noise
from equiwarp.geometry.reference import POOL_DESIGNS, Reference, axis_nodes, cube_table, pool_designs
from equiwarp.geometry.transport import Conditional, Transport
from equiwarp.gp.kernels import Matern52

#: Points of the cube among which the interior of a box in many dimensions is sought, as in a usual pool.
INTERIOR_POOL = 4096


class TorchEqualizer(torch.nn.Module):
    """g(u) on the unit cube for any design size; see :class:`equiwarp.geometry.equalizer.Equalizer`.

    In up to eight dimensions it is the core's table; beyond, where that would not fit into memory, the
    reference variance is measured as the core measures it on a pool, in the same designs.

    Parameters
    ----------
    dim : int
    lengthscale : float
        Of an isotropic Matern-5/2 in the unit cube.
    noise : float
        Standard deviation of a measurement, relative to that of the values.
    """

    def __init__(self, dim: int, lengthscale: float, noise: float) -> None:
        super().__init__()
        self.dim = dim
        self.lengthscale = lengthscale
        self.noise = noise
        self._tables: dict[int, Tensor] = {}
        self._designs: dict[int, MeasuredVariance] = {}

    def forward(self, u: Tensor, n: int) -> Tensor:
        """g at points ``batch x D`` of the cube, for a design of n points, ``batch``."""
        lower, upper, weight, depth = lookup(n, self.dim)
        log_g = -self._relative(u, lower, depth).log()
        if weight > 0:
            log_g = (1 - weight) * log_g - weight * self._relative(u, upper, depth).log()
        return log_g.clamp(max=0.0).exp()

    def _relative(self, u: Tensor, n: int, depth: float) -> Tensor:
        """Reference variance over that of the interior, interpolated in the variance as the core does."""
        reference = Reference(self.dim, Matern52(self.lengthscale), nearest_noise(self.noise), n)
        if self.dim > MOST_TABULATED:
            if n not in self._designs:
                self._designs[n] = MeasuredVariance(reference)
            return self._designs[n](u)
        if n not in self._tables:
            table, centre = cache.remember(reference, cube_table)
            self._tables[n] = torch.as_tensor(table / centre, dtype=torch.float64)
        return multilinear(self._tables[n].to(u), u, depth)


class MeasuredVariance:
    """The reference variance at any point of the cube over that of its interior, in many dimensions."""

    def __init__(self, reference: Reference) -> None:
        box = Box.unit(reference.dim)
        pool = box.sample(INTERIOR_POOL, stream(0, "reference-interior"))
        self.interior = measure(box, reference, pool)[1]
        self.ell = reference.kernel.ell
        X = np.stack(list(pool_designs(box, reference, POOL_DESIGNS)))
        gram = np.stack([reference.kernel.gram(x) for x in X])
        noise = reference.noise**2 * np.eye(reference.n)
        self.X = torch.as_tensor(X)
        self.L = psd_safe_cholesky(torch.as_tensor(gram + noise))

    def __call__(self, u: Tensor) -> Tensor:
        """At points ``batch x D``: ``batch``."""
        points = u.reshape(-1, u.shape[-1]).to(self.X)
        total = torch.zeros(len(points), dtype=points.dtype)
        for X, L in zip(self.X, self.L, strict=True):
            for image in (points, 1.0 - points):  # a design and its mirror image are as good as each other
                r = (X[:, None] - image[None]).square().sum(dim=-1).clamp_min(1e-30).sqrt() * (
                    5**0.5 / self.ell
                )
                k = (1.0 + r + r**2 / 3.0) * torch.exp(-r)
                V = torch.linalg.solve_triangular(L, k, upper=False)
                total = total + (1.0 - V.square().sum(dim=0)).clamp_min(0.0)
        relative = total / (2 * len(self.X) * self.interior)
        return relative.reshape(u.shape[:-1]).to(u)


def multilinear(table: Tensor, u: Tensor, depth: float = 1.0) -> Tensor:
    """Lookup of the folded table ``(count,) * D`` at points ``batch x D``, so much deeper inside the cube."""
    dim, count = table.dim(), table.shape[0]
    nodes = torch.as_tensor(axis_nodes(dim), dtype=u.dtype, device=u.device)
    distance = (depth * torch.minimum(u, 1.0 - u)).clamp(0.0, 0.5)
    low = torch.searchsorted(nodes, distance.detach().contiguous(), right=True).sub(1).clamp(0, count - 2)
    fraction = (distance - nodes[low]) / (nodes[low + 1] - nodes[low])
    flat = table.reshape(-1)
    place = torch.zeros_like(low[..., 0])[None]
    weight = torch.ones_like(fraction[..., 0])[None]
    for axis in range(dim):
        step = count ** (dim - 1 - axis)
        first = place + low[..., axis] * step
        place = torch.cat([first, first + step])
        high = weight * fraction[..., axis]
        weight = torch.cat([weight - high, high])
    return (weight * flat[place]).sum(dim=0)


class TorchTransport(torch.nn.Module):
    """A Knothe-Rosenblatt map of the unit cube and its inverse; the tables are buffers."""

    def __init__(self, transport: Transport) -> None:
        super().__init__()
        plans = [conditional.plan for conditional in transport.conditionals]
        # A box of numbers: the same number of cells along every coordinate, or no condition at all.
        self._shape = tuple((plan.cells[0] if plan.cells else 1, len(plan.given)) for plan in plans)
        for i, conditional in enumerate(transport.conditionals):
            self.register_buffer(f"cdf_{i}", _table(conditional))

    def forward(self, u: Tensor) -> Tensor:
        """Image of points ``batch x D``."""
        columns = [self._forward(i, u[..., :i], u[..., i]) for i in range(len(self._shape))]
        return torch.stack(columns, dim=-1)

    def inverse(self, v: Tensor) -> Tensor:
        """The points whose images are ``batch x D``."""
        columns: list[Tensor] = []
        for i in range(len(self._shape)):
            before = torch.stack(columns, dim=-1) if columns else v[..., :0]
            columns.append(self._backward(i, before, v[..., i]))
        return torch.stack(columns, dim=-1)

    def _cdf(self, i: int, like: Tensor) -> Tensor:
        return self.get_buffer(f"cdf_{i}").to(like)

    def _forward(self, i: int, before: Tensor, u: Tensor) -> Tensor:
        cdf = self._cdf(i, u)
        bins = cdf.shape[1] - 1
        rows, weights = self._mixture(i, before)
        position = (u * bins).clamp(0.0, bins)
        bin_ = position.detach().long().clamp(max=bins - 1)
        flat = cdf.reshape(-1)
        left = rows * (bins + 1) + bin_
        start = (weights * flat[left]).sum(dim=0)
        rise = (weights * (flat[left + 1] - flat[left])).sum(dim=0)
        return start + (position - bin_) * rise

    def _backward(self, i: int, before: Tensor, v: Tensor) -> Tensor:
        cdf = self._cdf(i, v)
        bins = cdf.shape[1] - 1
        rows, weights = self._mixture(i, before)
        mixed = (weights[..., None] * cdf[rows]).sum(dim=0)
        bin_ = (mixed[..., 1:-1] <= v[..., None]).sum(dim=-1).clamp(0, bins - 1)
        start = mixed.gather(-1, bin_[..., None])[..., 0]
        stop = mixed.gather(-1, bin_[..., None] + 1)[..., 0]
        return (bin_ + ((v - start) / (stop - start)).clamp(0.0, 1.0)) / bins

    def _mixture(self, i: int, before: Tensor) -> tuple[Tensor, Tensor]:
        """Rows of the table and their weights, ``2 ** given x batch``, at conditions ``batch x given``."""
        cells, given = self._shape[i]
        position = (before * cells - 0.5).clamp(0.0, cells - 1.0)
        low = position.detach().long().clamp(max=max(cells - 2, 0))
        rows = torch.zeros(before.shape[:-1], dtype=torch.long, device=before.device)[None]
        weights = torch.ones(before.shape[:-1], dtype=before.dtype, device=before.device)[None]
        for axis in range(given):
            step = cells ** (given - 1 - axis)
            first = rows + low[..., axis] * step
            rows = torch.cat([first, first + (step if cells > 1 else 0)])
            high = weights * (position[..., axis] - low[..., axis])
            weights = torch.cat([weights - high, high])
        return rows, weights


def _table(conditional: Conditional) -> Tensor:
    return torch.as_tensor(conditional.cdf, dtype=torch.float64)
