"""``Box``: named, bounded parameters, each linear or logarithmic, continuous or in steps.

The chart is affine in each parameter (in its logarithm on a log scale), and the kernel measures
distance in the unit cube, so that no parameter counts more because of its unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains.base import Array, Domain, Symmetry, distinct
from equiwarp.exceptions import InvalidInput

TOO_FEW_LEVELS = "levels need at least two different values, got {}; fix a constant outside the box"


@dataclass(frozen=True)
class Parameter:
    """One axis of a box.

    Parameters
    ----------
    low, high : float
        Bounds, ``low < high``; both positive on a log scale.
    unit : str
        For people only.
    scale : "linear" or "log"
        On a log scale, factors rather than differences count.
    step : float, optional
        The instrument can be set to ``low, low + step, ...`` only.
    levels : sequence of float, optional
        The instrument can be set to these values only; they replace ``step``.
    """

    low: float
    high: float
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"
    step: float | None = None
    levels: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        if not (np.isfinite(self.low) and np.isfinite(self.high)):
            raise InvalidInput(f"bounds must be finite numbers, got ({self.low}, {self.high})")
        if np.isinf(self.high - self.low):
            raise InvalidInput(f"the range from {self.low} to {self.high} is too large: change the unit")
        if not self.low < self.high:
            raise InvalidInput(f"the lower bound must be below the upper one, got ({self.low}, {self.high})")
        if self.scale not in ("linear", "log"):
            raise InvalidInput(f"scale must be 'linear' or 'log', got {self.scale!r}")
        if self.scale == "log" and self.low <= 0:
            raise InvalidInput(f"a log scale needs a positive lower bound, got {self.low}")
        if self.levels is not None:
            self._check_levels()
        elif self.step is not None and not 0 < self.step <= self.high - self.low:
            raise InvalidInput(
                f"step must be positive and at most the range {self.high - self.low:g}, got {self.step}"
            )

    def _check_levels(self) -> None:
        levels = tuple(sorted({float(v) for v in self.levels or ()}))
        if len(levels) < 2:
            raise InvalidInput(TOO_FEW_LEVELS.format(levels))
        if not all(np.isfinite(levels)) or levels[0] < self.low or levels[-1] > self.high:
            raise InvalidInput(f"levels must lie within ({self.low}, {self.high}), got {levels}")
        object.__setattr__(self, "levels", levels)

    @classmethod
    def of(cls, spec: Any) -> Parameter:
        """A parameter from ``(low, high)``, a mapping of fields, or itself."""
        if isinstance(spec, Parameter):
            return spec
        if isinstance(spec, Mapping):
            fields = dict(spec)
            if fields.get("levels") is not None:
                levels = tuple(float(v) for v in fields["levels"])
                if len(set(levels)) < 2:
                    raise InvalidInput(TOO_FEW_LEVELS.format(levels))
                fields.update(levels=levels, low=fields.get("low", min(levels)))
                fields.setdefault("high", max(levels))
            return cls(**fields)
        try:
            low, high = spec
        except (TypeError, ValueError):
            raise InvalidInput(f"expected (low, high), a dict or a Parameter, got {spec!r}") from None
        return cls(low, high)

    @property
    def discrete(self) -> bool:
        return self.step is not None or self.levels is not None

    @cached_property
    def settings(self) -> Array:
        """The values of a discrete parameter, ascending."""
        if self.levels is not None:
            return np.array(self.levels)
        if self.step is None:
            raise InvalidInput("a continuous parameter has no list of settings")
        count = int(np.floor((self.high - self.low) / self.step * (1 + 1e-12) + 1e-9)) + 1
        # Twelve digits: 0.1 + 2 * 0.1 should read 0.3 on a bench.
        return np.round(self.low + self.step * np.arange(count), 12)

    def to_unit(self, values: Array) -> Array:
        if self.scale == "log":
            return np.log(values / self.low) / np.log(self.high / self.low)
        return (values - self.low) / (self.high - self.low)

    def from_unit(self, u: Array) -> Array:
        if self.scale == "log":
            values = self.low * np.exp(u * np.log(self.high / self.low))
        else:
            values = self.low + u * (self.high - self.low)
        return np.clip(values, self.low, self.high)

    def snap(self, values: Array) -> Array:
        """Nearest setting, on the parameter's own scale."""
        if not self.discrete:
            return values
        unit, settings = self.to_unit(values), self.to_unit(self.settings)
        right = np.clip(np.searchsorted(settings, unit), 1, len(settings) - 1)
        nearer_left = unit - settings[right - 1] <= settings[right] - unit
        return self.settings[np.where(nearer_left, right - 1, right)]


class Box(Domain):
    """A product of bounded parameters.

    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> box.names
    ('temperature', 'pH')

    Parameters may also be given as pairs ``(name, spec)``, which lets duplicate names be refused.
    A spec is ``(low, high)``, a mapping such as ``{"low": 1, "high": 1000, "scale": "log"}``, or a
    :class:`Parameter`.
    """

    volume = 1.0
    cartesian = True

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        pairs = list(parameters.items() if isinstance(parameters, Mapping) else parameters)
        if not pairs:
            raise InvalidInput("a box needs at least one parameter")
        self.names = tuple(str(name) for name, _ in pairs)
        self._check_names()
        axes = []
        for name, spec in pairs:
            try:
                axes.append(Parameter.of(spec))
            except (ValueError, TypeError) as error:
                raise InvalidInput(f"parameter {name!r}: {error}") from None
        self.parameters = tuple(axes)
        self.dim = len(axes)
        self.symmetry: Symmetry = "none" if any(p.discrete for p in axes) else "cube"

    def _check_names(self) -> None:
        for i, name in enumerate(self.names):
            if not name.strip():
                raise InvalidInput(f"parameter {i} has an empty name")
            if name in self.names[:i]:
                raise InvalidInput(f"duplicate parameter name {name!r}: rename one of the two")

    @classmethod
    def unit(cls, dim: int) -> Box:
        """The unit cube [0, 1]^dim with parameters x1, x2, ..."""
        if dim < 1:
            raise InvalidInput(f"a box needs at least one dimension, got {dim}")
        return cls({f"x{i + 1}": (0.0, 1.0) for i in range(dim)})

    def __repr__(self) -> str:
        axes = (f"{n!r}: ({p.low:g}, {p.high:g})" for n, p in zip(self.names, self.parameters, strict=True))
        return f"Box({{{', '.join(axes)}}})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.names == other.names and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash((self.names, self.parameters))

    def to_cube(self, x: Array, pole: Array | None = None) -> Array:
        if self._linear:
            low, high, _ = self._limits
            return (x - low) / (high - low)
        return np.stack([p.to_unit(x[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def from_cube(self, u: Array, pole: Array | None = None) -> Array:
        return np.stack([p.from_unit(u[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def embed(self, x: Array) -> Array:
        return self.to_cube(x)

    def embed_cube(self, u: Array, pole: Array | None = None) -> Array:
        return u

    @cached_property
    def _linear(self) -> bool:
        return all(p.scale == "linear" for p in self.parameters)

    def contains(self, x: Array) -> NDArray[np.bool_]:
        low, high, slack = self._limits
        return np.all((x >= low - slack) & (x <= high + slack), axis=1)

    @cached_property
    def _limits(self) -> tuple[Array, Array, Array]:
        low = np.array([p.low for p in self.parameters])
        high = np.array([p.high for p in self.parameters])
        return low, high, 1e-9 * (high - low)

    def problem(self, point: Array) -> str | None:
        low, high, slack = self._limits
        for name, value, lo, hi, tolerance in zip(self.names, point, low, high, slack, strict=True):
            if not lo - tolerance <= value <= hi + tolerance:
                return f"{name} = {value:g} is outside [{lo:g}, {hi:g}]"
        return None

    def snap(self, x: Array) -> Array:
        return np.stack([p.snap(x[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        """Distinct Sobol points; where all parameters have settings and few combinations, all of them."""
        sampled = super().pool(n, rng)
        if not all(p.discrete for p in self.parameters):
            return sampled
        if np.prod([float(len(p.settings)) for p in self.parameters]) > n:
            return sampled
        grid = np.array(list(product(*(p.settings for p in self.parameters))))
        return distinct(np.concatenate([sampled, grid]))
