"""The equalizer's table and the warp's transport in torch: the same numbers, with gradients.

Nothing is computed here that :mod:`equiwarp.geometry` does not compute. The tables are its own; only
the lookups are written a second time, because ``optimize_acqf`` needs to differentiate them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from equiwarp.geometry import cache
from equiwarp.geometry.equalizer import bracket, nearest_noise
from equiwarp.geometry.reference import Reference, axis_nodes, cube_table
from equiwarp.geometry.transport import Conditional, Transport
from equiwarp.gp.kernels import Matern52


class TorchEqualizer(torch.nn.Module):
    """g(u) on the unit cube for any design size; see :class:`equiwarp.geometry.equalizer.Equalizer`.

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
        self._log_tables: dict[int, Tensor] = {}

    def forward(self, u: Tensor, n: int) -> Tensor:
        """g at points ``batch x D`` of the cube, for a design of n points, ``batch``."""
        lower, upper, weight = bracket(max(n, 1))
        log_g = self._log_ratio(u, lower)
        if weight > 0:
            log_g = (1 - weight) * log_g + weight * self._log_ratio(u, upper)
        return log_g.clamp(max=0.0).exp()

    def _log_ratio(self, u: Tensor, n: int) -> Tensor:
        """log of centre over reference variance, interpolated in the variance as the core does."""
        return -multilinear(self._relative_table(n).to(u), u).log()

    def _relative_table(self, n: int) -> Tensor:
        if n not in self._log_tables:
            reference = Reference(self.dim, Matern52(self.lengthscale), nearest_noise(self.noise), n)
            table, centre = cache.remember(reference, cube_table)
            self._log_tables[n] = torch.as_tensor(table / centre, dtype=torch.float64)
        return self._log_tables[n]


def multilinear(table: Tensor, u: Tensor) -> Tensor:
    """Lookup of the folded table ``(count,) * D`` at points ``batch x D`` of the cube."""
    dim, count = table.dim(), table.shape[0]
    nodes = torch.as_tensor(axis_nodes(dim), dtype=u.dtype, device=u.device)
    distance = torch.minimum(u, 1.0 - u).clamp(0.0, 0.5)
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
