"""``Constrained``: the part of a box, a mixture or a sphere where given conditions hold.

The chart, the embedding and the settings are those of the whole domain; points are the feasible ones of
its Sobol sequence, in their order. There is no symmetry left, so the equalizer measures its reference
on the feasible pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import items_of
from equiwarp.domains.base import Domain, distinct, require_domain
from equiwarp.domains.conditions import Condition, holds, label
from equiwarp.domains.expressions import Expression
from equiwarp.domains.sobol import BITS, SobolSequence
from equiwarp.domains.view import Array
from equiwarp.domains.wrapped import Wrapped
from equiwarp.exceptions import InvalidInput, InvalidType

#: Below this feasible share, finding points by rejection takes too long to be useful.
SMALLEST_SHARE = 1e-4
#: Sobol points from which the feasible share is estimated: first a few, and more if it is small.
FIRST_LOOK, SECOND_LOOK = 2**13, 2**17
#: Grids of settings up to this size are listed whole.
LARGEST_GRID = 65_536


class Constrained(Wrapped):
    """The part of a domain in which constraints hold.

    Parameters
    ----------
    base : Domain
        A box, a mixture, a sphere or a product. A list of candidates needs no constraints: leave out what is
        forbidden.
    constraints : sequence of str or callable
        Each one must hold. A text compares expressions of the parameters, such as ``"a + 2 * b <= 10"`` or
        ``"solvent != 'oil'"``; see :mod:`equiwarp.domains.expressions`. A callable gets one point as a dict
        by parameter name and returns whether it is allowed. A callable cannot be stored with a campaign:
        give the same domain again whenever you open it.
    columnwise : bool
        If True, callables get a dict of whole columns and return an array of truth values: much faster.

    Attributes
    ----------
    share : float
        The part of the whole domain that is allowed, between 0 and 1.

    Raises
    ------
    ExpressionError
        If a text cannot be read as a constraint; it says at which character.
    InvalidInput
        If there is no constraint, or hardly anything of the domain is allowed.
    InvalidType
        If the base is a list of candidates, or a constraint is neither text nor callable.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "minutes": (1, 60)})
    >>> safe = ew.Constrained(box, ["temperature * minutes <= 2000"])
    >>> round(safe.share, 2)
    0.66
    """

    symmetry = "none"

    def __init__(
        self,
        base: Domain,
        constraints: Sequence[str | Callable[[dict[str, Any]], Any]],
        columnwise: bool = False,
    ) -> None:
        if require_domain(base).listed is not None:
            raise InvalidType("candidates need no constraints: leave the forbidden rows out of the list")
        if isinstance(constraints, str) or callable(constraints):
            constraints = [constraints]
        constraints = items_of(constraints or (), "constraints")
        if not constraints:
            raise InvalidInput("give at least one constraint, or use the domain without this wrapper")
        earlier: tuple[Condition, ...] = ()
        if isinstance(base, Constrained):
            if base.columnwise != columnwise and base.callables:
                raise InvalidInput("the callables of both must be of one kind: columnwise or not")
            earlier, base = base.constraints, base.base
        super().__init__(base)
        self.columnwise: bool = columnwise
        self.constraints: tuple[Condition, ...] = (*earlier, *(self._read(c) for c in constraints))
        self.share = self._measure_share()
        self.volume = base.volume * self.share

    def _read(self, constraint: str | Callable[[dict[str, Any]], Any]) -> Condition:
        if isinstance(constraint, str):
            return Expression.parse(constraint, self.names, self.categories)
        if callable(constraint):
            return constraint
        raise InvalidType(f"a constraint is an expression or a callable, got {constraint!r}")

    @property
    def callables(self) -> tuple[Callable[[dict[str, Any]], Any], ...]:
        """The constraints that are Python callables and cannot be stored."""
        return tuple(c for c in self.constraints if not isinstance(c, Expression))

    def __repr__(self) -> str:
        rules = ", ".join(label(c) for c in self.constraints)
        return f"Constrained({self.base!r}, [{rules}]{', columnwise=True' if self.columnwise else ''})"

    def __eq__(self, other: object) -> bool:
        mine = (self.base, self.constraints, self.columnwise)
        return isinstance(other, Constrained) and mine == (other.base, other.constraints, other.columnwise)

    def __hash__(self) -> int:
        return hash((self.base, self.constraints))

    def _holds(self, constraint: Condition, x: Array) -> NDArray[np.bool_]:
        """Whether one constraint holds at each point ``(n, columns)``."""
        return holds(constraint, x, self, self.columnwise)

    def _allowed(self, x: Array) -> NDArray[np.bool_]:
        """Whether all constraints hold at each point; the bounds of the whole domain are not checked."""
        mask = np.ones(len(x), dtype=bool)
        for constraint in self.constraints:
            mask[mask] = self._holds(constraint, x[mask])
        return mask

    def contains(self, x: Array) -> NDArray[np.bool_]:
        mask = self.base.contains(x)
        mask[mask] = self._allowed(x[mask])
        return mask

    def problem(self, point: Array) -> str | None:
        outside = self.base.problem(point)
        if outside is not None:
            return outside
        for constraint in self.constraints:
            if not self._holds(constraint, point[None])[0]:
                return f"{self.text_of(point)} violates the constraint {label(constraint)}"
        return None

    def sample(self, n: int, rng: np.random.Generator, start: int = 0) -> Array:
        """Points ``start`` to ``start + n`` of the feasible ones of a scrambled Sobol sequence."""
        return self._first(start + n, rng, self._settable)[start:]

    def everywhere(self, n: int, rng: np.random.Generator) -> Array:
        """The allowed ones among points that stand for the domain without constraints."""
        return self._first(n, rng, self.base.standing_for)

    def _settable(self, u: Array) -> Array:
        return self.base.snap(self.base.from_cube(u))

    def _first(self, n: int, rng: np.random.Generator, place: Callable[[Array], Array]) -> Array:
        """The first n allowed points of a scrambled Sobol sequence; ``place`` says where its rows lie."""
        found: list[Array] = []
        count = 0
        for chunk in self._feasible(rng, n, place):
            found.append(chunk)
            count += len(chunk)
            if count >= n:
                break
        return np.concatenate(found)[:n] if found else np.empty((0, self.columns))

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        sampled = super().pool(n, rng)
        if self._grid is None or len(self._grid) > n:
            return sampled
        return distinct(np.concatenate([sampled, self._grid]))

    def scatter(self, n: int, streams: Callable[[int], np.random.Generator], start: int = 0) -> Array:
        points = [self._one(streams(i)) for i in range(start, start + n)]
        return np.array(points).reshape(n, self.columns)

    def _one(self, rng: np.random.Generator) -> Array:
        while True:  # ends: the feasible share was measured when the domain was made
            x = self.base.snap(self.base.from_cube(rng.random((64, self.dim))))
            hits = np.flatnonzero(self._allowed(x))
            if len(hits):
                return x[hits[0]]

    def _feasible(
        self, rng: np.random.Generator, needed: int, place: Callable[[Array], Array]
    ) -> Iterator[Array]:
        """Feasible points of one Sobol sequence, in chunks that grow to what the share makes likely."""
        sequence = SobolSequence(self.dim, rng)
        likely = int(needed / self.share * 1.2) + 64
        power, drawn = min(likely.bit_length(), 17), 0
        while drawn < min(64 * likely + SECOND_LOOK, 1 << BITS):
            u = self.base.covering(np.clip(sequence.draw(power), 1e-12, 1.0 - 1e-12), drawn)
            drawn += 1 << power
            x = place(u)
            yield x[self._allowed(x)]
        raise InvalidInput(f"{needed} allowed points were not found among {drawn}; {self._remedy()}")

    def _measure_share(self) -> float:
        """The feasible share of the domain, or an error that names the constraint which leaves too little."""
        share = 0.0
        for count in (FIRST_LOOK, SECOND_LOOK):
            x = self.base.sample(count, np.random.default_rng(0))
            share = float(self._allowed(x).mean())
            if share * count >= 64:
                return share
        if share >= SMALLEST_SHARE:
            return share
        raise InvalidInput(f"{self._blame(x)} {share:.2g} of the domain; {self._remedy()}")

    def _blame(self, x: Array) -> str:
        alone = [float(self._holds(c, x).mean()) for c in self.constraints]
        worst = int(np.argmin(alone))
        if alone[worst] < SMALLEST_SHARE or len(alone) == 1:
            return f"the constraint {label(self.constraints[worst])} leaves only"
        together = " and ".join(label(c) for c in self.constraints)
        return f"each constraint leaves room, but {together} together leave only"

    def _remedy(self) -> str:
        return "correct it, narrow the bounds around what is allowed, or list the experiments as Candidates"

    @cached_property
    def _grid(self) -> Array | None:
        """All allowed combinations, where every parameter has settings and they are few enough."""
        grid = self.base.combinations(LARGEST_GRID)
        return None if grid is None else grid[self._allowed(grid)]

    def remarks(self) -> list[str]:
        rules = ", ".join(label(c) for c in self.constraints)
        return [*self.base.remarks(), f"Allowed by {rules}: {100 * self.share:.3g} % of the domain."]

    def conditions(self) -> dict[str, Any]:
        """The constraints that are text, and the names of those that only Python can describe."""
        texts = [c.text for c in self.constraints if isinstance(c, Expression)]
        named = {"callables": [label(c) for c in self.callables]} if self.callables else {}
        return {"constraints": texts, **named}

    def to_dict(self) -> dict[str, Any]:
        return {**self.base.to_dict(), **self.conditions()}
