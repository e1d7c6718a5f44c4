"""What the API takes: every field bounded, every number finite, every text storable."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from equiwarp.spec.domains import Number
from equiwarp.web.bounds import nameable, storable

StorableText = Annotated[str, Field(max_length=2000), AfterValidator(storable)]
TableText = Annotated[str, AfterValidator(storable)]
CampaignId = Annotated[int, Path(ge=1, le=2**53, description="Id of the campaign in the store.")]
ExperimentId = Annotated[int, Path(ge=1, le=2**53, description="Id of the experiment in the campaign.")]
AxisNames = Annotated[list[str], Query(max_length=3, description="Parameters along the axes, one each.")]
HeldAt = Annotated[str, Query(max_length=4000, description="JSON object: where other axes are held.")]
ResponseIndex = Annotated[int, Query(ge=0, le=1000, description="Which response, counted from 0.")]
UpTo = Annotated[
    int | None, Query(ge=1, le=10_000_000, description="The map as it was after so many measurements.")
]
Minus = Annotated[
    str,
    Query(
        pattern=r"^(|now|[1-9]\d{0,15})$",
        description="Also the difference to the map as it is `now`, or to another campaign's, by its id.",
    ),
]
#: A number, or a text such as <0.5 or >90: a limit that the value lies below or above.
OneValue = Number | Annotated[str, Field(max_length=40, pattern=r"^\s*[<>≤≥]")]
Values = OneValue | dict[str, OneValue | None] | list[OneValue | None]
Deviations = Number | dict[str, Number] | list[Number]
Seconds = Annotated[float, Field(gt=0, le=1e8, allow_inf_nan=False)]
BlockTexts = dict[str, Annotated[StorableText, Field(max_length=200)]]

Reason = Annotated[StorableText, Field(description="Why, in your words; it stays in the history.")]
RequestKey = Annotated[
    StorableText | None,
    Field(min_length=1, max_length=200, description="Your name for this request: repeat it safely."),
]
Since = Annotated[
    StorableText | None,
    Field(description="`since` of the experiment as you saw it; if it has changed since, 409."),
]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Ask(Body):
    n: Annotated[int, Field(strict=True, ge=1, le=96, description="How many.")] = 1
    key: RequestKey = None
    fixed: dict[str, Number | str] | None = Field(None, description="Settings that are given, by parameter.")
    shared: Annotated[list[str], Field(max_length=100)] | None = Field(
        None, description="Parameters that are the same in all of them."
    )
    order: Literal["chosen", "cheapest", "random"] | None = Field(None, description="In which order.")
    block: BlockTexts | None = Field(None, description="The block that they belong to, by column.")
    lease: Seconds | None = Field(None, description="Seconds after which they are released by themselves.")


class Claim(Ask):
    lease: Seconds | None = Field(3600.0, description="Seconds after which they are released by themselves.")


class Renew(Body):
    lease: Seconds = Field(3600.0, description="Seconds, from now.")


class MeasuredValue(Body):
    values: Values = Field(
        description="One number, or several by response or in order, some perhaps later; limits: `<1`, `>90`."
    )
    noise: Deviations | None = Field(None, description="Standard deviation of this value, if it is known.")
    since: Since = None
    sure: bool = Field(False, description="Take a value outside the plausible range.")


class Tell(MeasuredValue):
    at: dict[str, Number | str] | None = Field(None, description="Settings that were used instead.")
    sample: StorableText | None = Field(None, description="Identifier of the sample.")
    block: BlockTexts | None = Field(None, description="The block that it belongs to, by column.")


class Amend(MeasuredValue):
    reason: Reason = ""


class NoteText(Body):
    text: StorableText = Field("", description="A note; earlier ones stay.")
    sample: StorableText | None = Field(None, description="Identifier of the sample.")
    block: BlockTexts | None = Field(None, description="The block that it belongs to, by column.")


class Repeat(Body):
    n: Annotated[int, Field(strict=True, ge=1, le=96, description="How many times.")] = 1


class Rename(Body):
    """One of three: the campaign, or a parameter or response with its present name in `old`."""

    of: Literal["campaign", "parameter", "response"] = "campaign"
    old: StorableText | None = Field(None, description="The present name of the parameter or response.")
    name: Annotated[StorableText, AfterValidator(nameable)] = Field(description="The new name.")


class Widen(Body):
    """Bounds or more settings of a parameter, or more rows of the list of candidates."""

    parameter: StorableText | None = None
    low: Number | None = None
    high: Number | None = None
    add: Annotated[list[Number | StorableText], Field(max_length=1000)] | None = Field(
        None, description="More levels or categories."
    )
    rows: dict[str, list[Number]] | None = Field(None, description="More candidates, by column.")


class Change(Body):
    """What is left out stays."""

    stop: dict[str, Any] | None = Field(None, description="The fields of the stop rule.")
    noise: Deviations | None = None
    plausible: dict[str, tuple[Number | None, Number | None]] | None = Field(
        None, description="Low and high by response; null leaves a side open."
    )
    description: StorableText | None = None
    change_cost: dict[str, Number] | None = None
    blocks: dict[StorableText, Literal["record", "offset"]] | None = None
    aim: dict[str, Any] | None = Field(
        None, description='Goals as in a campaign file, such as {"near": {"yield": 60}}; {} is everywhere.'
    )


class Close(Body):
    reason: Reason = ""
    since: Since = None


class Release(Body):
    older_than: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = Field(
        None, description="Seconds; all pending experiments without it."
    )


class TableFile(Body):
    """A table: the text of a CSV file, or the bytes of any file that holds one."""

    csv: TableText | None = Field(None, description="The text of the file, with its header.")
    base64: str | None = Field(None, description="The file itself, CSV or Excel, in base64.")
    name: Annotated[StorableText, Field(max_length=200)] = Field("", description="What messages call it.")
    sure: bool = Field(False, description="Take values outside the plausible ranges.")


class PlateFile(TableFile):
    actual: bool = Field(False, description="Settings that differ are those that were used.")


class MeasurementsFile(TableFile):
    again: bool = Field(False, description="Take rows that are known: they were measured again.")
    key: RequestKey = None


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
