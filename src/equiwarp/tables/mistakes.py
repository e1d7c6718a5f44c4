"""All mistakes of a table at once: they are collected while it is read, and refuse it at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from equiwarp.exceptions import TableError

T = TypeVar("T")
#: After so many mistakes the rest of a table is not looked at: something else is wrong with it.
MOST_FOUND = 200
#: So many are listed in a message.
MOST_LISTED = 20


class Mistakes:
    """Collects what is wrong with the table called ``source``."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[TableError] = []

    def note(self, error: TableError) -> None:
        """Remember a mistake; too many of them end the reading here."""
        self.found.append(error)
        if len(self.found) >= MOST_FOUND:
            self.check()

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Remember the mistake that the block raises, and go on behind it."""
        try:
            yield
        except TableError as error:
            self.note(error)

    def attempt(self, read: Callable[[], T], otherwise: T) -> T:
        """What ``read`` returns, or ``otherwise`` if it raises, which is remembered."""
        try:
            return read()
        except TableError as error:
            self.note(error)
            return otherwise

    def check(self) -> None:
        """Refuse the table if anything is wrong with it."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise self._all()

    def _all(self) -> TableError:
        lines = [self._line(error) for error in self.found[:MOST_LISTED]]
        more = len(self.found) - MOST_LISTED
        if more > 0:
            lines.append(f"and {more} more")
        count = (
            f"{len(self.found)} mistakes" if len(self.found) < MOST_FOUND else f"{MOST_FOUND} mistakes so far"
        )
        text = "\n".join([f"{count}; nothing was taken", *(f"  {line}" for line in lines)])
        return TableError(self.source, text, "several", problems=self.found)

    def _line(self, error: TableError) -> str:
        """A mistake without the name of the file, which stands above all of them."""
        return str(error).removeprefix(self.source).lstrip(",: ")
