"""How a check fails: with the law as a sentence, the part, and the numbers that break it.

A *law* is a function that returns None where it holds, or a text with the input and the numbers where
it does not. An error raised by the part itself breaks the law, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from equiwarp.exceptions import EquiwarpError

T = TypeVar("T")
#: A law by its sentence.
Laws = Mapping[str, Callable[[T], str | None]]


class ConformanceError(EquiwarpError, AssertionError):
    """A law does not hold for a part under test.

    Attributes
    ----------
    law : str
        The law, as a sentence.
    part : str
        The part under test, as it shows itself.
    finding : str
        The input and the numbers.

    Examples
    --------
    >>> from equiwarp.testing import ConformanceError
    >>> print(ConformanceError("The chart goes there and back.", "Sphere(2)", "u = 0.1 comes back as 0.3"))
    The chart goes there and back.
      part: Sphere(2)
      found: u = 0.1 comes back as 0.3
    """

    def __init__(self, law: str, part: str, finding: str) -> None:
        super().__init__(law, part, finding)
        self.law, self.part, self.finding = law, part, finding

    def __str__(self) -> str:
        return f"{self.law}\n  part: {self.part}\n  found: {self.finding}"


def enforce(laws: Laws[T], subject: T, part: str) -> None:
    """Run the laws in their order; the first that does not hold is raised."""
    for law, holds in laws.items():
        try:
            finding = holds(subject)
        except Exception as error:
            finding = f"{type(error).__name__}: {error}"
            raise ConformanceError(law, part, finding) from error
        if finding is not None:
            raise ConformanceError(law, part, finding)
