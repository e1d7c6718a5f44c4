"""A goal in the user's own words: a weight as an expression of the parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.aims.goal import Belief, Goal
from equiwarp.domains import Array, Domain
from equiwarp.domains.expressions import Expression
from equiwarp.exceptions import ExpressionError, InvalidInput

#: Points at which a weight is tried before it is used.
TRIED = 2048


@dataclass(frozen=True)
class Weight(Goal):
    """A term such as ``temperature / 100`` or ``1 + 4 * (temperature > 60)``, as in a constraint.

    It counts relative to its largest value on the domain; below 0 it counts as 0.
    """

    certain: ClassVar[bool] = True

    text: str
    expression: Expression | None = field(default=None, compare=False, repr=False)
    largest: float = field(default=1.0, compare=False, repr=False)

    @classmethod
    def read(cls, given: Any, what: str) -> Iterator[Goal]:
        if not isinstance(given, str) or not given.strip():
            raise InvalidInput(f"{what} must be an expression of the parameters in quotes, got {given!r}")
        yield cls(given)

    @property
    def plain(self) -> str:
        return self.text

    def prepared(self, domain: Domain) -> Weight:
        try:
            expression = Expression.parse(self.text, domain.names, domain.categories, term=True)
        except ExpressionError as error:
            raise InvalidInput(f"aim.weight {self.text!r}, column {error.column}: {error.message}") from None
        x = domain.sample(TRIED, stream(0, "aim"))
        tried = expression.values(x)
        for row in np.flatnonzero(~np.isfinite(tried))[:1]:
            where = domain.text_of(x[row])
            raise InvalidInput(
                f"aim.weight {self.text!r} is {tried[row]} at {where}; it must be finite everywhere"
            )
        largest = float(tried.max())
        if not largest > 0:
            raise InvalidInput(
                f"aim.weight {self.text!r} is nowhere above 0, so the map would be for nothing; its largest "
                f"value is {largest:g}"
            )
        return replace(self, expression=expression, largest=largest)

    def weights(self, x: Array, belief: Belief | None) -> Array:
        assert self.expression is not None
        with np.errstate(all="ignore"):
            return np.clip(np.nan_to_num(self.expression.values(x) / self.largest), 0.0, 1.0)

    def words(self, name: str, unit: str) -> str:
        return f"weighted by {self.text}"
