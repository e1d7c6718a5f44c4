"""Domains as plain data: what a campaign file says and what a store keeps.

One model a kind of domain, told apart by ``type``. :func:`domain_to_dict` and
:func:`domain_from_dict` are inverse to each other for everything that data can describe; a Python
callable (or a domain class of your own) leaves its name only, and asks for the domain again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from equiwarp.domains import Box, Candidates, Constrained, Domain, Parameter, Simplex, Sphere
from equiwarp.domains.constrained import label
from equiwarp.domains.expressions import Expression
from equiwarp.exceptions import InvalidInput, SpecError
from equiwarp.spec.problems import explain

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True)]


class Model(BaseModel):
    """Unknown fields are mistakes; texts are stripped."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True)


class ParameterModel(Model):
    """One parameter of a box."""

    name: Text
    low: Number | None = None
    high: Number | None = None
    unit: Text = ""
    scale: Literal["linear", "log"] = "linear"
    step: Number | None = None
    levels: list[Number] | None = None

    @model_validator(mode="after")
    def _possible(self) -> ParameterModel:
        if not self.name:
            raise InvalidInput("needs a name")
        self.build()
        return self

    def build(self) -> Parameter:
        if self.levels is not None and self.step is not None:
            raise InvalidInput("step and levels exclude each other: give one of them")
        if self.levels is None and (self.low is None or self.high is None):
            raise InvalidInput("needs low and high, or a list of levels")
        fields = self.model_dump(exclude={"name"}, exclude_none=True)
        return Parameter.of(fields)


class Kind(Model):
    """What the continuous kinds share: constraints on top."""

    constraints: list[Text] = []
    callables: list[Text] = []

    def whole(self) -> Domain:
        raise NotImplementedError

    def build(self) -> Domain:
        """The domain; refuses what only Python can describe."""
        if self.callables:
            raise InvalidInput(
                f"the constraint {self.callables[0]} is a Python callable, which cannot be stored; "
                "pass the same domain again when reopening the campaign"
            )
        whole = self.whole()
        return Constrained(whole, self.constraints) if self.constraints else whole


class BoxModel(Kind):
    """Independent parameters."""

    type: Literal["box"] = "box"
    parameters: list[ParameterModel]

    @model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        return _listed(data, "parameters")

    def whole(self) -> Domain:
        return Box([(p.name, p.build()) for p in self.parameters])


class ComponentModel(Model):
    """One component of a mixture."""

    name: Text
    low: Number = 0.0


class SimplexModel(Kind):
    """A mixture."""

    type: Literal["simplex"] = "simplex"
    components: list[ComponentModel]
    total: Number = 1.0
    unit: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        return _listed(data, "components")

    def whole(self) -> Domain:
        Simplex([c.name for c in self.components])  # refuses duplicates, which a dict would hide
        return Simplex({c.name: c.low for c in self.components}, self.total, self.unit)


class SphereModel(Kind):
    """Directions."""

    type: Literal["sphere"] = "sphere"
    dim: Annotated[int, Field(strict=True)]

    def whole(self) -> Domain:
        return Sphere(self.dim)


class CandidatesModel(Model):
    """A list of experiments: in a file ``csv = "list.csv"``, which is read before this model sees it."""

    type: Literal["candidates"] = "candidates"
    names: list[Text]
    rows: list[list[Number]]

    def build(self) -> Domain:
        for i, row in enumerate(self.rows):
            if len(row) != len(self.names):
                raise InvalidInput(
                    f"row {i + 1} has {len(row)} values, but there are {len(self.names)} names"
                )
        return Candidates(self.rows, self.names)


class PythonModel(Model):
    """A domain that only Python can describe: its name is kept, to say what is missing."""

    type: Literal["python"] = "python"
    description: Text

    def build(self) -> Domain:
        raise InvalidInput(
            f"{self.description} is a domain written in Python, which cannot be stored; "
            "pass the same domain again when reopening the campaign"
        )


DomainModel = Annotated[
    BoxModel | SimplexModel | SphereModel | CandidatesModel | PythonModel, Field(discriminator="type")
]


def domain_to_dict(domain: Domain) -> dict[str, Any]:
    """A domain as JSON-able data, the same for equal domains. Callables leave their names only."""
    if isinstance(domain, Constrained):
        data = domain_to_dict(domain.base)
        data["constraints"] = [c.text for c in domain.constraints if isinstance(c, Expression)]
        if domain.callables:
            data["callables"] = [label(c) for c in domain.callables]
        return data
    if type(domain) is Box:
        pairs = zip(domain.names, domain.parameters, strict=True)
        return {"type": "box", "parameters": [_parameter(name, p) for name, p in pairs]}
    if type(domain) is Simplex:
        parts = [{"name": n, "low": low} for n, low in zip(domain.names, domain.lower, strict=True)]
        return {"type": "simplex", "components": parts, "total": domain.total, "unit": domain.unit}
    if type(domain) is Sphere:
        return {"type": "sphere", "dim": domain.dim}
    if type(domain) is Candidates:
        return {"type": "candidates", "names": list(domain.names), "rows": domain.points.tolist()}
    return {"type": "python", "description": repr(domain)}


def domain_from_dict(data: Mapping[str, Any]) -> Domain:
    """The domain of :func:`domain_to_dict`; every mistake of hand-written data in one :class:`SpecError`."""
    try:
        model = TypeAdapter[Any](DomainModel).validate_python(dict(data))
    except ValidationError as error:
        # A root of "domain" makes the paths read as they do in a campaign file.
        raise SpecError(explain(error, {"domain": data}, vocabulary(), ("domain",))) from None
    return model.build()


def vocabulary() -> set[str]:
    """All fields that a description of a domain may have."""
    models = (ParameterModel, BoxModel, ComponentModel, SimplexModel, SphereModel, CandidatesModel)
    return {name for model in models for name in model.model_fields}


def _parameter(name: str, p: Parameter) -> dict[str, Any]:
    levels = None if p.levels is None else list(p.levels)
    return {
        "name": name, "low": p.low, "high": p.high, "unit": p.unit,
        "scale": p.scale, "step": p.step, "levels": levels,
    }  # fmt: skip


def _listed(data: Any, field: str) -> Any:
    """Tables by name, such as ``pH = {low = 3, high = 9}`` or ``pH = [3, 9]``, as a list of named tables."""
    if not isinstance(data, Mapping) or not isinstance(data.get(field), Mapping):
        return data
    return {**data, field: [_named(name, value) for name, value in data[field].items()]}


def _named(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {**value, "name": name}
    if isinstance(value, list) and len(value) == 2:
        return {"name": name, "low": value[0], "high": value[1]}
    return {"name": name, "low": value}
