"""``Suggestion``: the chosen points, why they were chosen, and what had to be done about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from equiwarp._util.display import html_of
from equiwarp.domains import Array, Domain
from equiwarp.engine.explanation import Explanation


@dataclass(frozen=True)
class Suggestion:
    """The points to measure next, and why they were chosen. :func:`equiwarp.suggest` makes it.

    Attributes
    ----------
    domain : Domain
        Where one can measure.
    strategy : str
        Name of the strategy that chose.
    points : (n, columns) array
        In the domain's units, in the order of choice. A category is its number; :meth:`table` has its name.
    explain : tuple of Explanation
        The reason for each point.
    notes : tuple of str
        What the method did beyond the plain formulas: estimated noise, jitter, approximations.

    Examples
    --------
    >>> import equiwarp as ew
    >>> oven = ew.Box({"temperature": ew.Parameter(20, 80, step=30), "pH": ew.Parameter(4, 7, step=3)})
    >>> s = ew.suggest(oven, [[20, 4], [80, 7]], [1.0, 2.5], n=2, strategy="fps", noise=0.1)
    >>> s
    Suggestion(2 by 'fps')
      temperature=80, pH=4
      temperature=20, pH=7
    >>> s.points[0]
    array([80.,  4.])
    >>> str(s.explain[0])
    'Chosen by fps.'
    """

    domain: Domain
    strategy: str
    points: Array
    explain: tuple[Explanation, ...]
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.points)

    def table(self) -> dict[str, list[float | str]]:
        """The points as columns, ready for a dataframe.

        Returns
        -------
        dict of str to list
            n values under each parameter's name, in the domain's units; categories by their names.

        Examples
        --------
        >>> import equiwarp as ew
        >>> alloys = ew.Candidates({"Cu": [10.0, 20.0, 30.0], "Zn": [5.0, 1.0, 8.0]})
        >>> ew.suggest(alloys, [[10, 5], [20, 1]], [1.0, 2.5], noise=0.1).table()
        {'Cu': [30.0], 'Zn': [8.0]}
        """
        return self.domain.table(self.points)

    def __repr__(self) -> str:
        header = f"Suggestion({len(self)} by {self.strategy!r})"
        rows = ["  " + self.domain.text_of(point).replace(" = ", "=") for point in self.points]
        return "\n".join([header, *rows])

    def _repr_html_(self) -> str:
        return html_of(self)
