"""Priors from what people have; and one that is a map: its measurements, to be kept and drawn again.

What is kept are values, not fitted models: the same values give the same map tomorrow, in another process and
in a store that was copied to another machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput, InvalidType
from equiwarp.maps.prior import Prior
from equiwarp.models import MapModel, find_model
from equiwarp.models.average import fit_average
from equiwarp.models.repeats import credible_noise

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


@dataclass(frozen=True)
class MappedValues:
    """The measurements of a map that serves as a prior. Called with points, it predicts.

    Attributes
    ----------
    digest : str
        Of all that follows; two with the same are equal.
    x, y, noise : (n, columns), (n, k) and (n, k) arrays
        The noise may be None, or NaN throughout for some responses: it is then estimated.
    models, responses : tuple of str
    """

    digest: str
    domain: Domain = field(compare=False)
    x: Array = field(compare=False)
    y: Array = field(compare=False)
    noise: Array | None = field(compare=False)
    models: tuple[str, ...] = field(compare=False)
    responses: tuple[str, ...] = field(compare=False)

    @classmethod
    def of(cls, map: Map) -> MappedValues:
        """The measurements of a map."""
        if map.prior is not None:
            raise InvalidInput(
                f"the prior is a map that has a prior itself, {map.prior.name}; a map of measurements alone "
                "can be kept with a campaign"
            )
        each = [map.assumed_noise(j) for j in range(len(map.models))]
        known = any(noise is not None for noise in each)
        noise = np.column_stack([np.full(len(map.x), np.nan) if d is None else d for d in each])
        return cls.made(map.domain, (map.x, map.y, noise if known else None), map.families, map.responses)

    @classmethod
    def made(
        cls,
        domain: Domain,
        measured: tuple[Array, Array, Array | None],
        models: Sequence[str],
        responses: Sequence[str],
    ) -> MappedValues:
        """From points, values and their noise."""
        values = cls("", domain, *measured, tuple(models), tuple(responses))
        text = repr(sorted(values.numbers().items())) + repr(domain)
        return replace(values, digest=hashlib.sha256(text.encode()).hexdigest()[:16])

    def as_prior(self) -> Prior:
        """The prior that the map of these values is."""
        if not self.measured.any():
            raise InvalidInput(
                "the prior is a map in which no response has a value; there is nothing to believe"
            )
        return Prior(
            f"map of {len(self.x)} values", self, self.domain.names, self.responses,
            categories=self.domain.categories, silent=tuple(np.flatnonzero(~self.measured).tolist()),
            source={"map": self.digest},
        )  # fmt: skip

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which of the responses have a value, ``(k,)``: of others a prior says nothing."""
        return np.asarray(~np.isnan(self.y).all(axis=0))

    def __call__(self, x: Array) -> Array:
        """The map's mean ``(n, k)`` at points ``(n, columns)``, also outside its domain; 0 if unmeasured."""
        Z, found = self.domain.embed(x), np.zeros((len(x), self.y.shape[1]))
        for j, model in zip(np.flatnonzero(self.measured), _fitted(self), strict=True):
            found[:, j] = model.predict(Z)
        return found

    def numbers(self) -> dict[str, Any]:
        """All but the domain as plain data, ready for JSON."""
        return {
            "x": self.x.tolist(), "y": _with_gaps(self.y),
            "noise": None if self.noise is None else _with_gaps(self.noise),
            "models": list(self.models), "responses": list(self.responses),
        }  # fmt: skip

    @classmethod
    def from_numbers(cls, domain: Domain, numbers: Mapping[str, Any]) -> MappedValues:
        """What :meth:`numbers` wrote, over its domain."""
        noise = numbers["noise"]
        x = np.array(numbers["x"], dtype=float).reshape(-1, domain.columns)
        y = np.array(numbers["y"], dtype=float)
        known = None if noise is None else np.array(noise, dtype=float)
        return cls.made(domain, (x, y, known), numbers["models"], numbers["responses"])


#: Values that each family of a prior's map is taken to have predicted alone. Fewer than of a map that people
#: read: a prior has many values as a rule, and what one poor family adds to it would have to be learnt again.
ALONE = 0.1


@lru_cache(maxsize=8)
def _fitted(values: MappedValues) -> tuple[MapModel, ...]:
    """The models of each measured response. They are remembered: that saves time and changes nothing."""
    domain, found = values.domain, []
    families = {name: find_model(name) for name in values.models}
    families = {name: family for name, family in families.items() if family.applies(domain)}
    for j in np.flatnonzero(values.measured):
        y = values.y[:, j]
        rows = np.flatnonzero(~np.isnan(y))
        Z, own = domain.embed(values.x[rows]), y[rows]
        noise = None if values.noise is None else values.noise[rows, j]
        noise = None if noise is None or np.isnan(noise).any() else credible_noise(Z, own, noise)
        found.append(fit_average(families, domain, Z, own, noise, {}, ALONE))
    return tuple(found)


def _with_gaps(values: Array) -> list[list[float | None]]:
    """Rows of numbers, with None where JSON has no word for it."""
    return [[None if np.isnan(v) else float(v) for v in row] for row in values]


def read_prior(prior: Any) -> Prior:
    """A prior from what somebody gave: a map, a campaign, a function of points, or a prior itself."""
    if isinstance(prior, Prior):
        return prior
    if hasattr(prior, "map") and hasattr(prior, "tell"):  # a campaign
        return replace(read_prior(prior.map()), name=prior.name)
    if hasattr(prior, "predict") and hasattr(prior, "families"):
        return MappedValues.of(prior).as_prior()
    if callable(prior):
        name = getattr(prior, "__name__", type(prior).__name__)
        return Prior("function" if name == "<lambda>" else name, prior, source={"function": name})
    raise InvalidType(f"prior must be a map, a campaign or a function of points, got {prior!r}")
