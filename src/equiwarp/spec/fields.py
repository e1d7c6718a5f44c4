"""The fields of a campaign file, as pydantic checks them one by one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    Discriminator,
    Field,
    Tag,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)

from equiwarp.exceptions import InvalidInput, Problem
from equiwarp.models import DEFAULT_MODELS
from equiwarp.spec.domains import Model, Number, Text, domain_model, vocabulary
from equiwarp.spec.plain_domains import Known
from equiwarp.spec.problems import BY_NAME, FOR_ALL, explain
from equiwarp.strategy import DEFAULT_STRATEGY

#: A longer start than anybody can measure.
MOST_START = 1_000_000
#: Beyond this, costs that are added lose what they differ by.
LARGEST_COST = 10**12


class ResponseModel(Model):
    name: Annotated[Text, Field(min_length=1)] = "value"
    unit: Text = ""
    noise: Annotated[Number, Field(ge=0)] | None = None
    low: Number | None = None
    high: Number | None = None

    @model_validator(mode="after")
    def _possible(self) -> ResponseModel:
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise InvalidInput(
                f"the plausible range ends at {self.high:g}, which is not above its low end {self.low:g}"
            )
        return self


def _kind_of_limit(given: Any) -> str:
    return BY_NAME if isinstance(given, Mapping) else FOR_ALL


_Positive = Annotated[Number, Field(gt=0)]
#: One number for every response, or a table of numbers by the response's name.
_Limit = Annotated[
    Annotated[_Positive | None, Tag(FOR_ALL)]
    | Annotated[dict[Text, _Positive], Field(min_length=1), Tag(BY_NAME)],
    Discriminator(_kind_of_limit),
]


class StopModel(Model):
    error: _Limit = None
    gain_per_experiment: _Limit = None


class PriorModel(Model):
    """Where a prior came from; a campaign file can name a campaign only."""

    campaign: Annotated[Text, Field(min_length=1)] | None = None
    store: Annotated[Text, Field(min_length=1)] | None = None
    map: Text | None = None
    function: Text | None = None


class FieldsModel(Model):
    """All but the domain."""

    name: Annotated[Text, Field(min_length=1, max_length=200)]
    responses: tuple[ResponseModel, ...] = (ResponseModel(),)
    strategy: Text = DEFAULT_STRATEGY
    n0: Annotated[int, Field(strict=True, ge=1, le=MOST_START)] | None = None
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)] = 0
    stop: StopModel = StopModel()
    description: Text = ""
    models: tuple[Text, ...] = DEFAULT_MODELS

    @field_validator("models", mode="before")
    @classmethod
    def _one_or_several(cls, models: Any) -> Any:
        return (models,) if isinstance(models, str) else models

    blocks: dict[Text, Literal["record", "offset"]] = Field(default_factory=dict)
    change_cost: dict[Text, Annotated[Number, Field(ge=0, le=LARGEST_COST)]] = Field(default_factory=dict)
    #: What the goals may be, the goals themselves know: see :func:`equiwarp.spec.checks.bad_aim`.
    aim: dict[Text, Any] = Field(default_factory=dict)
    prior: PriorModel | None = None

    @field_validator("prior", mode="before")
    @classmethod
    def _one_word(cls, prior: Any) -> Any:
        return prior_reference(prior) if isinstance(prior, str) else prior

    @field_validator("responses")
    @classmethod
    def _at_least_one(cls, responses: tuple[ResponseModel, ...]) -> tuple[ResponseModel, ...]:
        if not responses:
            raise InvalidInput("name at least one response, or leave the list out")
        return responses


class FileModel(FieldsModel):
    """All fields of a campaign file; :func:`file_model` fills in what a domain may be."""

    domain: Any

    @field_validator("prior")
    @classmethod
    def _a_campaign(cls, prior: PriorModel | None) -> PriorModel | None:
        if prior is not None and prior.campaign is None:
            raise InvalidInput(
                'name a campaign, such as prior = "coarse", or prior = {campaign = "coarse", store = '
                '"simulation.db"} for one of another store; a map or a function can be given in Python'
            )
        return prior


def prior_reference(text: str) -> dict[str, str]:
    """``coarse`` or ``coarse@simulation.db``: a campaign of the same store or of another one."""
    campaign, at, store = text.partition("@")
    return {"campaign": campaign, "store": store} if at else {"campaign": text}


@cache
def file_model(known: Known) -> type[FileModel]:
    """The fields of a campaign file with these kinds of domains."""
    return create_model("FileModel", __base__=FileModel, domain=(domain_model(known), ...))


def check_fields(
    data: Mapping[str, Any], model: type[FieldsModel]
) -> tuple[FieldsModel | None, list[Problem]]:
    """The data as a model, or every mistake in it."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        models = (FileModel, ResponseModel, StopModel, PriorModel)
        words = {name for m in models for name in m.model_fields} | vocabulary()
        return None, explain(error, data, words)
