"""Domains as plain data: what a campaign file says of a domain, and what a store keeps of it.

A kind of domain names the fields of its data (:meth:`PlainData.fields`), writes them
(:meth:`PlainData.to_dict`) and reads them (:meth:`PlainData.from_dict`). A constructor that takes plain
values needs none of this: its own parameters are the fields. The types are checked by
:mod:`equiwarp.spec.domains`, which also turns every mistake into a sentence.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_type_hints

from equiwarp.exceptions import InvalidType

#: The fields of plain data: a type and a default for each name; ``...`` marks one that must be given.
Fields = Mapping[str, tuple[Any, Any]]
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Rows:
    """The type of a field that holds named rows, such as the parameters of a box.

    People may write a list of tables with a ``name`` each, or one table that has them by name.

    Attributes
    ----------
    fields : Fields
        Of one row, its name included.
    check : callable, optional
        Gets each row and raises :class:`equiwarp.exceptions.InvalidInput` if it is impossible.
    """

    fields: Fields
    check: Callable[[Data], object] | None = None


@dataclass(frozen=True)
class Parts:
    """The type of a field that holds domains, each as the plain data of its own kind.

    :meth:`PlainData.from_dict` gets them as domains.
    """


class PlainData:
    """The half of a domain that knows how it is written down.

    Attributes
    ----------
    kind : str
        What a campaign file calls this kind of domain; empty for one that cannot be written down.
    constrainable : bool
        Whether constraints can be put on top of it.
    """

    kind: ClassVar[str] = ""
    constrainable: ClassVar[bool] = True

    @classmethod
    def fields(cls) -> Fields:
        """What a campaign file may say about this kind of domain.

        Returns
        -------
        mapping of str to (type, default)
            ``...`` as default marks a field that must be given; :class:`Rows` is the type of a list of
            named rows. By default the fields are the parameters of the constructor.
        """
        hints = get_type_hints(cls.__init__)
        given = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {p.name: (hints.get(p.name, Any), ... if p.default is p.empty else p.default) for p in given}

    def to_dict(self) -> dict[str, Any]:
        """The domain as plain data, which a campaign file or a store can hold.

        An implementation writes the same data for equal domains, and all that :meth:`from_dict` needs.

        Returns
        -------
        dict
            Ready for JSON, with the ``kind`` under "type".

        Raises
        ------
        InvalidType
            If the constructor takes something that the object does not keep under the same name.
        """
        missing = [name for name in self.fields() if not hasattr(self, name)]
        if missing:
            raise InvalidType(
                f"{type(self).__name__} is made from {missing[0]!r} and does not keep it; "
                "keep it under that name, or write `fields`, `to_dict` and `from_dict`"
            )
        return {"type": self.kind, **{name: _jsonable(getattr(self, name)) for name in self.fields()}}

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        """The domain that plain data describes; it undoes :meth:`to_dict`.

        Parameters
        ----------
        data : mapping
            Values by field, of the types that :meth:`fields` names.

        Returns
        -------
        Domain

        Raises
        ------
        InvalidInput
            If the types are right and the values are impossible all the same.
        """
        return cls(**{name: data[name] for name in cls.fields() if name in data})

    def conditions(self) -> dict[str, Any]:
        """What constraints add to the plain data of the whole domain.

        Returns
        -------
        dict
            Empty for a domain without constraints.
        """
        return {}

    @classmethod
    def names_in(cls, data: Data) -> list[str]:
        """The column names that plain data would give, even if some of it is wrong.

        They serve to check constraints in a campaign file together with everything else.

        Parameters
        ----------
        data : mapping
            As a person wrote it; nothing about it is checked yet.

        Returns
        -------
        list of str
            Empty if one cannot tell.
        """
        for field, (type, _) in cls.fields().items():
            if isinstance(type, Rows):
                return _row_names(data.get(field))
        names = data.get("names")
        return [str(name) for name in names] if isinstance(names, list) else []

    @classmethod
    def categories_in(cls, data: Data) -> dict[str, tuple[str, ...]]:
        """The categories that plain data would give by column name, even if some of it is wrong.

        Parameters
        ----------
        data : mapping
            As a person wrote it; nothing about it is checked yet.

        Returns
        -------
        dict of str to tuple of str
            Empty if there are none, or one cannot tell.
        """
        return {}


def _jsonable(value: Any) -> Any:
    """A value as JSON gives it back, so that what was stored compares equal: arrays and tuples as lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    return [_jsonable(item) for item in value] if isinstance(value, list | tuple) else value


def _row_names(rows: Any) -> list[str]:
    if isinstance(rows, Mapping):
        return [str(name) for name in rows]
    listed = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    return [row["name"].strip() for row in listed if isinstance(row.get("name"), str)]
