"""The cells of a domain's tables: which columns hold text, and how text becomes a number and back.

Arrays of points hold numbers only. A category is its place in the list of categories: 0, 1, and so on.
Wherever people read or write a point they see the text, and every such place asks the domain to translate.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp._util.text import assigned
from equiwarp.domains.view import Array
from equiwarp.exceptions import InvalidInput

#: What a cell of a point holds, as people see it.
Value = float | str


class TextCells:
    """The half of a domain that knows how its points are written in tables."""

    names: tuple[str, ...]

    @property
    def categories(self) -> Mapping[str, tuple[str, ...]]:
        """The columns whose cells are text, each with its texts in the order of their numbers."""
        return {}

    def wrapped(self, x: Array) -> Array:
        """Points with every angle brought into its period; the same array if there is nothing to do.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.

        Returns
        -------
        (n, columns) array
        """
        return x

    def read_value(self, name: str, value: Any, where: str = "") -> float:
        """The number that stands in arrays for a cell that people wrote.

        Parameters
        ----------
        name : str
            The column.
        value : str or float
            A category by its text, anything else by its number.
        where : str
            The place of the cell, for messages; the name of the column by default.

        Returns
        -------
        float

        Raises
        ------
        InvalidInput
            If there is no such category, or a text stands where a number belongs.
        """
        known, place = self.categories.get(name), where or name
        if known is not None:
            return float(category_number(known, value, place))
        if isinstance(value, str | bytes) or not np.isscalar(value):
            shown = str(value) if isinstance(value, str) else value
            raise InvalidInput(f"{place}: {shown!r} is not a number")
        return float(value)  # type: ignore[arg-type]

    def show_value(self, name: str, number: float) -> Value:
        """What people see of a number of a point: the text of a category, and the number itself elsewhere.

        Parameters
        ----------
        name : str
            The column.
        number : float
            As it stands in arrays.

        Returns
        -------
        float or str
        """
        known = self.categories.get(name)
        return float(number) if known is None else known[round(float(number))]

    def named(self, point: Any) -> dict[str, Value]:
        """A point by column name, as people see it.

        Parameters
        ----------
        point : (columns,) array-like
            In the domain's units.

        Returns
        -------
        dict of str to float or str
        """
        return {name: self.show_value(name, v) for name, v in zip(self.names, point, strict=True)}

    def table(self, x: Array) -> dict[str, list[Value]]:
        """Points as columns, as people see them, ready for a dataframe.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.

        Returns
        -------
        dict of str to list
        """
        return {
            name: [self.show_value(name, v) for v in x[:, i].tolist()] for i, name in enumerate(self.names)
        }

    def numbers(self, point: Mapping[str, Any]) -> Array:
        """A point that is given by column name, as arrays hold it; it undoes :meth:`named`.

        Parameters
        ----------
        point : mapping of str to float or str

        Returns
        -------
        (columns,) array
        """
        return np.array([self.read_value(name, point[name]) for name in self.names])

    def text_of(self, point: Any) -> str:
        """A point in words, such as "temperature = 20.5, solvent = water"; numbers to six digits.

        Parameters
        ----------
        point : (columns,) array-like
            In the domain's units.

        Returns
        -------
        str
        """
        return assigned(self.named(point))


def category_number(known: tuple[str, ...], value: Any, place: str) -> int:
    """The place of a text among the categories of a column, or an error that offers the nearest one."""
    text = str(value).strip()
    if isinstance(value, str):
        # Some programs write an accent as a character of its own; it looks the same and is the same name.
        written = [unicodedata.normalize("NFC", name) for name in known]
        if (same := unicodedata.normalize("NFC", text)) in written:
            return written.index(same)
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(text.casefold(), folded, n=1, cutoff=0.6)
    listed = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    remedy = f"did you mean {folded[near[0]]!r}?" if near else f"there are {listed}"
    shown = repr(text) if isinstance(value, str) else repr(value)
    raise InvalidInput(f"{place}: there is no category {shown}; {remedy}")
