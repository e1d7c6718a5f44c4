"""What the API takes: every field bounded, every number finite, every text storable."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from equiwarp.spec.domains import Number
from equiwarp.web.bounds import storable

StorableText = Annotated[str, Field(max_length=2000), AfterValidator(storable)]
TableText = Annotated[str, AfterValidator(storable)]
CampaignId = Annotated[int, Path(ge=1, le=2**53, description="Id of the campaign in the store.")]
ExperimentId = Annotated[int, Path(ge=1, le=2**53, description="Id of the experiment in the campaign.")]
AxisNames = Annotated[list[str], Query(max_length=3, description="Parameters along the axes, one each.")]
HeldAt = Annotated[str, Query(max_length=4000, description="JSON object: where other axes are held.")]
ResponseIndex = Annotated[int, Query(ge=0, le=1000, description="Which response, counted from 0.")]
Values = Number | dict[str, Number] | list[Number]

Reason = Annotated[StorableText, Field(description="Why, in your words; it stays in the history.")]
Since = Annotated[
    StorableText | None,
    Field(description="`since` of the experiment as you saw it; if it has changed since, 409."),
]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Ask(Body):
    n: Annotated[int, Field(strict=True, ge=1, le=96, description="How many.")] = 1


class Tell(Body):
    values: Values = Field(description="One number, or several by response or in order.")
    noise: Values | None = Field(None, description="Standard deviation of this value, if it is known.")
    since: Since = None


class Amend(Tell):
    reason: Reason = ""


class Close(Body):
    reason: Reason = ""
    since: Since = None


class Release(Body):
    older_than: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = Field(
        None, description="Seconds; all pending experiments without it."
    )


class Csv(Body):
    csv: TableText = Field(description="The text of the file, with its header.")


class Spec(Body):
    """A campaign: as data, or as the text of a campaign file."""

    spec: dict[str, Any] | None = Field(None, description="The fields of a campaign file, as JSON.")
    toml: TableText | None = Field(None, description="The text of a campaign file.")
    csv: TableText | None = Field(None, description="The list of candidates, where the domain is one.")


class FieldProblem(BaseModel):
    path: str
    message: str


class Failure(BaseModel):
    """Every refusal: one sentence, and the fields that it is about."""

    message: str
    problems: list[FieldProblem] = []
