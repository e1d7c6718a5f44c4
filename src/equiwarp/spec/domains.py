"""Domains as plain data: what a campaign file says and what a store keeps, checked field by field.

Every kind of domain names the fields of its data (:meth:`equiwarp.domains.plain.PlainData.fields`); the
models that check them are made here from that. ``domain_to_dict`` and :func:`domain_from_dict` are
inverse to each other for everything that data can describe; a Python callable (or a domain class of
your own that is not registered) leaves its name only, and asks for the domain again.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    create_model,
)

from equiwarp._util.text import unstorable
from equiwarp.domains import Constrained, Domain, registry
from equiwarp.domains.box_rows import is_list_of_names
from equiwarp.domains.plain import Fields, Parts, Rows
from equiwarp.exceptions import InvalidInput, SpecError
from equiwarp.spec.plain_domains import Known, known, make_known
from equiwarp.spec.problems import explain


def _storable(text: str) -> str:
    if unstorable(text):
        raise InvalidInput("holds characters that cannot be stored; leave them out")
    return text


# Not Field(strict=True): pydantic below 2.12 shares one field between all that use the alias, and with it
# the default of one of them.
Number = Annotated[float, Strict(), AllowInfNan(False)]
Whole = Annotated[int, Strict()]
Text = Annotated[str, Strict(), AfterValidator(_storable)]
#: What stands in a model for each plain type: a number in quotes is a mistake, not a number.
STRICT: dict[Any, Any] = {float: Number, int: Whole, str: Text, bool: Annotated[bool, Strict()]}


class Model(BaseModel):
    """Unknown fields are mistakes; texts are stripped."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True)


class KindModel(Model):
    """The data of one kind of domain."""

    domain_class: ClassVar[type[Domain]]

    def build(self) -> Domain:
        data = self.model_dump()
        for name in data:
            value = getattr(self, name)
            if isinstance(value, list) and any(isinstance(part, KindModel) for part in value):
                data[name] = [part.build() for part in value]
        return self.domain_class.from_dict(data)


class ConstrainedModel(KindModel):
    """The data of a kind on top of which constraints can be put."""

    constraints: list[Text] = []
    callables: list[Text] = []

    def build(self) -> Domain:
        """The domain; refuses what only Python can describe."""
        if self.callables:
            raise InvalidInput(
                f"the constraint {self.callables[0]} is a Python callable, which cannot be stored; "
                "pass the same domain again when reopening the campaign"
            )
        whole = super().build()
        return Constrained(whole, self.constraints) if self.constraints else whole


class PythonModel(Model):
    """A domain that only Python can describe: its name is kept, to say what is missing."""

    type: Literal["python"] = "python"
    description: Text

    def build(self) -> Domain:
        raise InvalidInput(
            f"{self.description} is a domain written in Python, which cannot be stored; "
            "pass the same domain again when reopening the campaign"
        )


def domain_from_dict(data: Mapping[str, Any]) -> Domain:
    """The domain of :func:`domain_to_dict`; every mistake of hand-written data in one :class:`SpecError`."""
    make_known(data)
    try:
        model = _adapter(known()).validate_python(dict(data))
    except ValidationError as error:
        # A root of "domain" makes the paths read as they do in a campaign file.
        raise SpecError(explain(error, {"domain": data}, vocabulary(), ("domain",))) from None
    return model.build()


def vocabulary() -> set[str]:
    """All fields that a description of a domain may have."""
    return {name for kind, domain in registry.kinds().items() for name in _vocabulary(kind, domain)}


def domain_model(known: Known) -> Any:
    """The type that checks data of any of these kinds, told apart by ``type``."""
    models = [_model(kind, domain, known) for kind, domain in known]
    return Annotated[Union[*models, PythonModel], Field(discriminator="type")]


@cache
def _adapter(known: Known) -> TypeAdapter[Any]:
    return TypeAdapter(domain_model(known))


@cache
def _model(kind: str, domain: type[Domain], known: Known) -> type[KindModel]:
    base = ConstrainedModel if domain.constrainable else KindModel
    fields: dict[str, Any] = {"type": (Literal[kind], kind), **_typed(domain.fields(), known)}
    if domain not in registry.OURS:
        fields["package"] = (Text, "")
    made: type[KindModel] = create_model(domain.__name__, __base__=base, **fields)
    made.domain_class = domain
    return made


def _typed(fields: Fields, known: Known = ()) -> dict[str, Any]:
    return {name: (_checked(kind, known), default) for name, (kind, default) in fields.items()}


def _checked(kind: Any, known: Known) -> Any:
    """The type that checks a field of this kind."""
    if isinstance(kind, Rows):
        return _rows(kind)
    return _parts(known) if isinstance(kind, Parts) else _strict(kind)


def _parts(known: Known) -> Any:
    """A list of domains of any kind that is not made of parts itself."""
    simple = [(kind, domain) for kind, domain in known if not _has_parts(domain)]
    models = [_model(kind, domain, ()) for kind, domain in simple]
    return list[Annotated[reduce(or_, models), Field(discriminator="type")]]  # type: ignore[misc]


def _has_parts(domain: type[Domain]) -> bool:
    return any(isinstance(kind, Parts) for kind, _ in domain.fields().values())


def _strict(kind: Any) -> Any:
    """A type with every plain number and text in it made strict."""
    origin, inner = get_origin(kind), tuple(_strict(part) for part in get_args(kind))
    if origin in (Union, types.UnionType):
        return reduce(or_, inner)
    if origin in (list, tuple, dict):
        return origin[inner]
    return STRICT.get(kind, kind)


def _rows(rows: Rows) -> Any:
    """A list of named tables, or a table of tables by name, such as ``pH = {low = 3, high = 9}``."""
    row_model: Any = create_model("Row", __base__=Model, **_typed(rows.fields))

    def possible(row: Model) -> Model:
        if rows.check is not None:
            rows.check(row.model_dump())
        return row

    return Annotated[list[Annotated[row_model, AfterValidator(possible)]], BeforeValidator(_listed)]


def _listed(value: Any) -> Any:
    return [_named(name, row) for name, row in value.items()] if isinstance(value, Mapping) else value


def _named(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {**value, "name": name}
    if is_list_of_names(value):
        return {"name": name, "categories": value}
    if isinstance(value, list) and len(value) == 2:
        return {"name": name, "low": value[0], "high": value[1]}
    return {"name": name, "low": value}


def _vocabulary(kind: str, domain: type[Domain]) -> set[str]:
    rows = [type for type, _ in domain.fields().values() if isinstance(type, Rows)]
    return {*_model(kind, domain, known()).model_fields, *(name for row in rows for name in row.fields)}
