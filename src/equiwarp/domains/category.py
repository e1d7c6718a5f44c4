"""``Category``: a parameter of a box whose values are names, between which there is no order.

Kernel coordinates are the corners of a regular simplex: one column per category, so that any two categories
are equally far apart. How far is stated here as a share of the box; the map's models learn it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import items_of, number
from equiwarp.domains.chart import ChartAxis
from equiwarp.domains.view import Array, Axis
from equiwarp.exceptions import InvalidInput

#: More categories than this are a list of experiments: see :class:`equiwarp.Candidates`.
MOST_CATEGORIES = 50
#: How far apart two categories are for the acquisition, as a share of the box.
USUAL_DISTANCE = 0.5
#: Longest name of a category, which has to fit into a cell of a table.
LONGEST_CATEGORY = 100


@dataclass(frozen=True, repr=False)
class Category:
    """One parameter of a :class:`Box` that is chosen from a list of names.

    A plain list of texts is enough: ``Box({"solvent": ["water", "ethanol"]})``.

    Parameters
    ----------
    categories : sequence of str
        Two to fifty different names.
    distance : float
        How different two categories are taken to be before values say so: as different as two settings of
        a number that are this share of its range apart. The models of the map learn it from the values.

    Raises
    ------
    InvalidInput
        If there are fewer than two or more than fifty names, a name is empty, appears twice or reads as a
        number, or the distance is not positive.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "solvent": ["water", "ethanol", "oil"]})
    >>> box.named([35.0, 2.0])
    {'temperature': 35.0, 'solvent': 'oil'}
    """

    categories: tuple[str, ...]
    distance: float = USUAL_DISTANCE

    #: A category has neither a unit nor a scale; who asks every parameter for them gets an answer.
    unit, scale, discrete, periodic = "", "linear", True, False

    def __post_init__(self) -> None:
        names = items_of(self.categories, "categories")
        object.__setattr__(self, "categories", tuple(_checked(name) for name in names))
        _check_all(self.categories)
        apart = number(self.distance, "the distance between categories")
        if not 0 < apart < np.inf:
            raise InvalidInput(f"the distance between categories must be positive, got {self.distance}")
        object.__setattr__(self, "distance", apart)

    @classmethod
    def _of(cls, spec: Any) -> Category:
        """From a list of texts, or a mapping with ``categories`` and perhaps ``distance``."""
        if isinstance(spec, Mapping):
            unknown = [key for key in spec if key not in ("categories", "distance")]
            if unknown:
                raise InvalidInput(f"a parameter with categories has no {unknown[0]}: leave it out")
            return cls(**spec)
        return cls(spec)

    def _to_row(self, name: str) -> dict[str, Any]:
        """The row of a campaign file that describes it."""
        return {"name": name, "categories": list(self.categories), "distance": self.distance}

    def __repr__(self) -> str:
        more = f", distance={self.distance:g}" if self.distance != USUAL_DISTANCE else ""
        return f"Category({list(self.categories)}{more})"

    @property
    def _brief(self) -> str:
        """How a box shows it."""
        return repr(self) if self.distance != USUAL_DISTANCE else repr(list(self.categories))

    @property
    def low(self) -> float:
        return 0.0

    @property
    def high(self) -> float:
        return len(self.categories) - 1.0

    @property
    def settings(self) -> Array:
        """The numbers of the categories, ``(k,)``."""
        return np.arange(len(self.categories), dtype=float)

    @property
    def _chart_axis(self) -> ChartAxis:
        return ChartAxis("categories", len(self.categories))

    @property
    def _width(self) -> int:
        """Kernel coordinates that it takes."""
        return len(self.categories)

    def _to_unit(self, values: Array) -> Array:
        """The middle of the category's part of the axis; every category has an equal part."""
        return (values + 0.5) / len(self.categories)

    def _from_unit(self, u: Array) -> Array:
        """Numbers that are not whole yet; :meth:`snap` makes them categories."""
        return u * len(self.categories) - 0.5

    def snap(self, values: Array) -> Array:
        """The nearest categories ``(n,)``."""
        # Half is rounded up, as the parts of the axis are closed on the left.
        return np.clip(np.floor(values + 0.5), 0.0, self.high)

    @cached_property
    def corners(self) -> Array:
        """Kernel coordinates of the categories, ``(k, k)``: all pairs are ``distance`` apart."""
        return np.eye(len(self.categories)) * (self.distance / np.sqrt(2.0))

    def _embed_unit(self, u: Array) -> Array:
        """Kernel coordinates ``(n, k)`` at places ``(n,)`` of the axis."""
        return self.corners[self.snap(self._from_unit(u)).astype(np.intp)]

    def _holds(self, values: Array) -> NDArray[np.bool_]:
        """Whether these are numbers of categories."""
        return (np.abs(values - np.round(values)) <= 1e-9) & (values > -0.5) & (values < self.high + 0.5)

    def _problem(self, name: str, value: float) -> str | None:
        """Why a number is no category; None if it is one."""
        if self._holds(np.array([value]))[0]:
            return None
        return f"{name} = {value:g} is not the number of a category, 0 to {self.high:g}"

    def _axis(self, name: str) -> Axis:
        return Axis(name, "", self.low, self.high, settings=tuple(self.settings), labels=self.categories)

    def _describe(self, name: str) -> dict[str, Any]:
        shown = ", ".join(self.categories)
        kind = f"{len(self.categories)} categories: {shown}"
        return {"name": name, "unit": "", "low": None, "high": None, "kind": kind}

    def _remarks(self, name: str) -> list[str]:
        return []


def _checked(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidInput(f"a category is a text, got {name!r}; numbers are levels = [...]")
    text = str(name).strip()
    if not text:
        raise InvalidInput("a category has an empty name: give it one, such as 'none'")
    if len(text) > LONGEST_CATEGORY or any(ord(c) < 32 for c in text):
        raise InvalidInput(f"{text[:30]!r} is no name of a category: one line, {LONGEST_CATEGORY} characters")
    try:
        float(text)
    except ValueError:
        return text
    raise InvalidInput(
        f"the category {text!r} reads as a number: write levels = [...] for numbers, "
        f"or a name such as '{text} mM' for a category"
    )


def _check_all(names: tuple[str, ...]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        alike = unicodedata.normalize("NFC", name).casefold()
        if alike in seen:
            raise InvalidInput(f"the category {name!r} appears twice, as {seen[alike]!r}; remove one")
        seen[alike] = name
    if len(names) < 2:
        raise InvalidInput(f"categories need at least two names, got {list(names)}")
    if len(names) > MOST_CATEGORIES:
        raise InvalidInput(
            f"{len(names)} categories are more than {MOST_CATEGORIES}: group them, or list the experiments "
            "as Candidates with columns of numbers that describe them"
        )
