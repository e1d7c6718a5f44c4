"""``Suggestion``: the chosen points, why they were chosen, and what had to be done about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from equiwarp._util.display import html_of
from equiwarp.domains import Array, Domain
from equiwarp.engine.explanation import Explanation


@dataclass(frozen=True)
class Suggestion:
    """Where to measure next.

    Attributes
    ----------
    points : (n, columns) array
        In the domain's own units.
    explain : tuple of Explanation
        One per point.
    notes : tuple of str
        Whatever was not as plain as it looks: jitter, estimated noise, approximations.
    """

    domain: Domain
    strategy: str
    points: Array
    explain: tuple[Explanation, ...]
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.points)

    def table(self) -> dict[str, list[float]]:
        """Columns by parameter name, ready for a dataframe."""
        return {name: self.points[:, i].tolist() for i, name in enumerate(self.domain.names)}

    def __repr__(self) -> str:
        header = f"Suggestion({len(self)} by {self.strategy!r})"
        rows = [
            "  " + ", ".join(f"{n}={v:.6g}" for n, v in zip(self.domain.names, p, strict=True))
            for p in self.points
        ]
        return "\n".join([header, *rows])

    def _repr_html_(self) -> str:
        return html_of(self)
