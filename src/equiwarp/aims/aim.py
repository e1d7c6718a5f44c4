"""``Aim``: where the map has to be good, as the user says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equiwarp._util.text import offered
from equiwarp.aims.bound import BoundAim
from equiwarp.aims.goal import Goal
from equiwarp.aims.registry import KINDS
from equiwarp.domains import Domain
from equiwarp.exceptions import InvalidInput, InvalidType


@dataclass(frozen=True, init=False)
class Aim:
    """Where the map has to be good. Without any goal: everywhere.

    An aim becomes a weight from 0 to 1 at every place, given what the map believes there. The same weight
    enters the choice of the next experiment, the map's error and forecast, the stop rule and the report.

    Goals of one aim work together. A place counts if it is near *any* of the levels, lies in *all* of the
    regions, and as much as the weight says.

    Do not aim before you know roughly what values to expect: where nothing is near the level, there is
    nothing to go by but the uncertainty, and the map will be poor elsewhere.

    Parameters
    ----------
    **said : goals by their kind
        ``near``, a level or a list of them: find the contour, where a response crosses the level.
        ``above`` or ``below``, a level: map the region well in which a response exceeds it or stays below.
        ``between``, two levels: map the region well in which a response lies between them.
        Levels are of the only response, or in a dict by response.
        ``weight``, an expression of the parameters as in a constraint, such as ``"temperature / 100"`` or
        ``"1 + 4 * (temperature > 60)"``: it counts relative to its largest value.

    Attributes
    ----------
    goals : tuple of Goal
        What was said, one by one.

    Raises
    ------
    InvalidInput
        If a kind of goal is unknown, or a level is not a finite number.

    Examples
    --------
    With one response, a level is enough; with several, say which:

    >>> import equiwarp as ew
    >>> ew.Aim(near=60)
    Aim(near=60.0)
    >>> ew.Aim(above={"yield": 80}, below={"cost": 5}, weight="temperature <= 70")
    Aim(above={'yield': 80.0}, below={'cost': 5.0}, weight='temperature <= 70')

    It is given wherever a map or a suggestion is wanted:

    >>> x, y = [[0.1], [0.3], [0.5], [0.7], [0.9]], [0.0, 0.1, 0.6, 0.9, 1.0]
    >>> s = ew.suggest(ew.Box.unit(1), x, y, 1, "equiwarp", noise=0.01, aim=ew.Aim(near=0.5))
    >>> bool(0.3 < s.points[0, 0] < 0.5)  # where the contour must be
    True
    """

    goals: tuple[Goal, ...]

    def __init__(self, **said: Any) -> None:
        for kind in said:
            if kind not in KINDS:
                raise InvalidInput(f"aim: unknown goal {kind!r}{offered(kind, KINDS)}")
        goals: list[Goal] = []
        for kind, cls in KINDS.items():  # the order in which they were said means nothing
            if said.get(kind) is not None:
                goals += cls.read(said[kind], f"aim.{kind}")
        object.__setattr__(self, "goals", tuple(goals))

    @classmethod
    def of(cls, given: Any) -> Aim:
        """Read what a user gave for an aim.

        Parameters
        ----------
        given : Aim, mapping or None
            An aim, its goals by kind as in a campaign file, or None for everywhere.

        Returns
        -------
        Aim

        Raises
        ------
        InvalidInput
            If a goal cannot be read.
        InvalidType
            If it is of another kind.
        """
        if isinstance(given, Aim):
            return given
        if given is None or given == "everywhere":
            return cls()
        if not isinstance(given, Mapping):
            raise InvalidType(f'aim is an Aim or a dict such as {{"near": 60}}, got {given!r}')
        return cls(**{str(kind): goal for kind, goal in given.items()})

    def __bool__(self) -> bool:
        """Whether there is any goal."""
        return bool(self.goals)

    def __repr__(self) -> str:
        return f"Aim({', '.join(f'{kind}={given!r}' for kind, given in self.to_dict().items())})"

    @property
    def at_levels(self) -> bool:
        """Whether a goal is about levels of a response."""
        return any(goal.levels for goal in self.goals)

    def to_dict(self) -> dict[str, Any]:
        """The aim as plain data, as a campaign file holds it.

        Returns
        -------
        dict
            Goals by kind; empty for everywhere.
        """
        found: dict[str, Any] = {}
        for kind, cls in KINDS.items():
            by_response: dict[str | None, list[Any]] = {}
            for goal in (goal for goal in self.goals if type(goal) is cls):
                by_response.setdefault(goal.response, []).append(goal.plain)
            plain = {name: some[0] if len(some) == 1 else some for name, some in by_response.items()}
            if plain:
                found[kind] = plain.get(None, plain)
        return found

    def renamed(self, old: str, new: str) -> Aim:
        """The aim with another name for a response.

        Parameters
        ----------
        old, new : str

        Returns
        -------
        Aim
        """
        return self._with(
            tuple(replace(g, response=new) if g.response == old else g for g in self.goals)  # type: ignore[type-var]
        )

    def _with(self, goals: tuple[Goal, ...]) -> Aim:
        aim = Aim()
        object.__setattr__(aim, "goals", goals)
        return aim

    def on(self, domain: Domain, responses: Sequence[str], units: Sequence[str] = ()) -> BoundAim | None:
        """The aim on a domain, for these responses; None if it is everywhere.

        Parameters
        ----------
        domain : Domain
        responses, units : sequence of str
            What is measured, by name, and in which units.

        Returns
        -------
        BoundAim or None

        Raises
        ------
        InvalidInput
            If a response or a parameter is unknown, or a weight is not finite or nowhere above 0.
        """
        names = tuple(responses)
        for goal in self.goals:
            if goal.response is not None and goal.response not in names:
                raise InvalidInput(
                    f"aim: there is no response {goal.response!r}{offered(goal.response, names)}"
                )
            if goal.response is None and goal.levels and len(names) != 1:
                example = f'{{"{names[0]}": {goal.levels[0]:g}}}' if names else "a dict"
                raise InvalidInput(
                    f"aim: the level {goal.levels[0]:g} is of which response? There are {', '.join(names)}; "
                    f"write {example}"
                )
        if not self.goals:
            return None
        return BoundAim(
            tuple(goal.prepared(domain) for goal in self.goals), names, tuple(units) or ("",) * len(names)
        )
