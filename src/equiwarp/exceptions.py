"""All errors and warnings of equiwarp, in one place.

All errors derive from :class:`EquiwarpError`, and each also from the built-in that says the same, so
that ``except ValueError`` works as people expect. ``exit_code`` is what a command ends with.
"""

# ruff: noqa: N818  (the names say what happened; callers read `except Conflict`)

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

__all__ = [
    "CampaignChanged",
    "ComputationEnded",
    "Conflict",
    "EquiwarpError",
    "EquiwarpWarning",
    "Exhausted",
    "ExpressionError",
    "Implausible",
    "InvalidInput",
    "InvalidType",
    "KnownMeasurements",
    "Mismatch",
    "MissingCells",
    "MissingPart",
    "OutsideDomain",
    "Problem",
    "RunStopped",
    "SpecError",
    "StoreBusy",
    "StoreCancelled",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreMoved",
    "StoreNewer",
    "StoreOvertaken",
    "StoreReadOnly",
    "StoreRefused",
    "StoreTimeout",
    "StoreUnreachable",
    "StoreUnsuitable",
    "TableError",
    "UnknownCampaign",
    "UnknownExperiment",
    "WorkerLost",
    "WrappedAngle",
]

#: Exit codes of the command line.
WRONG_INPUT, CONFLICT, STORE = 1, 3, 4


class EquiwarpError(Exception):
    """Anything that equiwarp refuses or cannot do; the message says what, where and the way out."""

    exit_code: ClassVar[int] = WRONG_INPUT


class InvalidInput(EquiwarpError, ValueError):
    """A value that cannot be used; the message names it, its place and the remedy."""


class InvalidType(EquiwarpError, TypeError):
    """A value of a type that cannot be used here; the message names it and what is expected."""


class ExpressionError(InvalidInput):
    """A constraint that cannot be read; ``column`` is the character at fault, counted from 1."""

    def __init__(self, text: str, column: int, message: str) -> None:
        super().__init__(f"constraint {text!r}, column {column}: {message}")
        self.text, self.column, self.message = text, column, message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.column, self.message)


class Problem(NamedTuple):
    """One mistake in a description: where it is, and what to do about it.

    Attributes
    ----------
    path : str
        The field as people read it, such as ``domain.parameters.pH.low``.
    message : str
        What is wrong there and what to do about it.
    code : str
        What kind of mistake it is, for programs: ``missing``, ``constraint``, or pydantic's word for it.
    place : tuple of str and int
        The same place for programs: the keys and positions (from 0) that lead to the field, such as
        ``("domain", "parameters", 1, "low")``. Empty if the path says it all.
    """

    path: str
    message: str
    code: str = "invalid"
    place: tuple[str | int, ...] = ()

    @property
    def keys(self) -> tuple[str | int, ...]:
        """The place, made from the path where it is empty; empty for the description as a whole."""
        return self.place or tuple(self.path.split(".") if self.path else ())


class SpecError(InvalidInput):
    """A description that cannot be used: ``problems`` lists every mistake, ``summary`` counts them."""

    def __init__(self, problems: Iterable[Problem], source: str = "") -> None:
        self.problems, self.source = tuple(problems), source
        where = f" in {source}" if source else ""
        count = "1 mistake" if len(self.problems) == 1 else f"{len(self.problems)} mistakes"
        self.summary = f"{count}{where}:"
        lines = [f"  {p.path}: {p.message}" if p.path else f"  {p.message}" for p in self.problems]
        super().__init__("\n".join([self.summary, *lines]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems, self.source)


class TableError(InvalidInput):
    """A table that cannot be used; the text names file, row and column. Nothing of it was taken.

    Attributes
    ----------
    place : str
        The file, line and column; empty for a number that stands in no table.
    message : str
        What is wrong there.
    code : str
        What kind of mistake it is, for programs: ``empty``, ``not_a_number``, ``not_finite`` and so on;
        ``several`` where there are several mistakes.
    remedy : str
        What to do about it; empty where the message says so.
    problems : tuple of TableError
        Every mistake with its own place, where there are several; empty otherwise.
    """

    def __init__(
        self,
        place: str,
        message: str,
        code: str = "invalid",
        remedy: str = "",
        problems: Iterable[TableError] = (),
    ) -> None:
        where, advice = f"{place}: " if place else "", f"; {remedy}" if remedy else ""
        super().__init__(f"{where}{message}{advice}")
        self.place, self.message, self.code, self.remedy = place, message, code, remedy
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.place, self.message, self.code, self.remedy, self.problems)


class MissingPart(InvalidInput):
    """A part, such as a strategy or a domain, is named but not installed; the message says where to look."""


class MissingCells(InvalidInput):
    """Benchmark results that a figure or table needs have not been computed yet."""


class Exhausted(InvalidInput):
    """More experiments were asked for than the domain has left."""


class Implausible(InvalidInput):
    """A value outside the plausible range of its response; say that you are sure, and it is taken."""


class Conflict(InvalidInput):
    """A change that contradicts what is stored, such as a second value; what is stored stays as it is."""

    exit_code = CONFLICT


class Mismatch(InvalidInput):
    """A campaign of this name exists and differs from the one described."""

    exit_code = CONFLICT


class UnknownExperiment(EquiwarpError, LookupError):
    """No experiment of this campaign has that id."""


class UnknownCampaign(EquiwarpError, LookupError):
    """No campaign of this store has that id."""


class RunStopped(EquiwarpError, RuntimeError):
    """A run cannot go on: every experiment fails, or no worker is left; what was measured is kept."""


class WorkerLost(EquiwarpError, RuntimeError):
    """A worker ended while it computed an experiment, for instance because it was killed."""


class ComputationEnded(EquiwarpError, RuntimeError):
    """A computation was ended before it had an answer: nobody waits for it, or the machine ended it."""


class StoreError(EquiwarpError, RuntimeError):
    """The store cannot be used; the subclasses say why."""

    exit_code = STORE


class StoreMissing(StoreError):
    """There is no such file, or no such campaign in it."""


class StoreBusy(StoreError):
    """Others have kept the store busy for too long; try again."""


class StoreCancelled(StoreError):
    """Somebody cancelled the statement on the database server; nothing of the change was kept."""


class StoreTimeout(StoreError):
    """The database server ended the work because it took longer than the server allows; nothing was kept."""


class StoreReadOnly(StoreError):
    """The store can be read but not written."""


class StoreFull(StoreError):
    """There is no room to write; nothing of the last change was kept."""


class StoreDamaged(StoreError):
    """The file is not a store, or its contents were damaged."""


class StoreMoved(StoreError):
    """The file was deleted, moved or replaced while it was open; nothing was written."""


class StoreNewer(StoreError):
    """The store was written by a newer version of equiwarp."""


class CampaignChanged(StoreError):
    """The description of a campaign was changed by somebody else; open it again."""


class StoreOvertaken(StoreError):
    """Somebody else made the same entry a moment earlier; nothing of the change was kept."""


class StoreUnsuitable(StoreError):
    """The place cannot keep a store safely, for instance a network share."""


class StoreRefused(StoreError):
    """The database server does not let us in: a wrong password, or no such user."""


class StoreUnreachable(StoreError):
    """The database server does not answer."""


class EquiwarpWarning(UserWarning):
    """Something was done that you may want to know of."""


class OutsideDomain(EquiwarpWarning):
    """Some measurements lie outside the domain; they help to predict, and nothing is suggested there."""


class KnownMeasurements(EquiwarpWarning):
    """Rows to add had the same settings and values as measurements that are there; they were left out."""


class WrappedAngle(EquiwarpWarning):
    """An angle was given outside its period and read as the same angle within it."""
