"""``CampaignSpec``: everything that is said once about a campaign, before the first measurement."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TextIO

from pydantic import Field, ValidationError, create_model, field_validator

from equiwarp._util.arguments import items_of
from equiwarp.domains import Domain
from equiwarp.domains.base import require_domain
from equiwarp.domains.expressions import Expression
from equiwarp.exceptions import ExpressionError, InvalidInput, InvalidType, Problem, SpecError, TableError
from equiwarp.maps.stopping import StopRule
from equiwarp.models import DEFAULT_MODEL, require_model
from equiwarp.spec.domains import (
    Known,
    Model,
    Number,
    Text,
    domain_model,
    domain_to_dict,
    known,
    make_known,
    names_in,
    vocabulary,
)
from equiwarp.spec.problems import explain
from equiwarp.strategy import Strategy, find, full_name, strategies

#: A campaign's map is a Gaussian process, and this one has the best mean under that readout.
DEFAULT_STRATEGY = "lookahead-gp"

#: Columns of plates and exports ("noise RESPONSE" is one too): no parameter or response may be so called.
RESERVED = ("id", "failed", "noise", "state", "origin", "inside", "reason", "created", "since")
#: Of these, what a stored campaign may have used before the column was there.
RESERVED_LATER = ("since",)


@dataclass(frozen=True)
class Response:
    """One quantity that is measured in every experiment of a campaign.

    Parameters
    ----------
    name : str
        What people call it; a column of every table.
    unit : str
        Shown beside values; nothing is computed from it.
    noise : float or None
        Standard deviation of one measurement in this unit; None estimates it.

    Examples
    --------
    >>> import equiwarp as ew
    >>> ew.Response("yield", "%", noise=0.5).unit
    '%'
    """

    name: str = "value"
    unit: str = ""
    noise: float | None = None


@dataclass(frozen=True)
class CampaignSpec:
    """The description of a campaign: all that is said once, before the first measurement.

    It is what a campaign file holds. It is checked when it is made.

    Parameters
    ----------
    name : str
        Name of the campaign, at most 200 characters.
    domain : Domain
        Where one can measure.
    responses : sequence of Response
        What is measured.
    strategy : str or Strategy
        A name from :func:`equiwarp.strategies`, or one of your own under a name that is not registered.
    n0 : int, optional
        Size of the space-filling start; the domain's own ``n0`` by default.
    seed : int
        Everything that is suggested derives from it.
    stop : StopRule
        When mapping may stop; by default there is no rule.
    description : str
        Any text for people.
    model : str
        The family of models that the map is made of: "matern", or one that another package registers.
    stored : bool
        Whether it comes from a store: then it may use names that became reserved later.

    Raises
    ------
    SpecError
        If a field is impossible. It lists every mistake with its field.
    InvalidType
        If domain, responses or stop are of another kind.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90)})
    >>> spec = ew.CampaignSpec("furnace", box, (ew.Response("yield", "%"),), n0=4)
    >>> spec.strategy, spec.n0
    ('lookahead-gp', 4)
    """

    name: str
    domain: Domain
    responses: tuple[Response, ...] = (Response(),)
    strategy: str | Strategy = DEFAULT_STRATEGY
    n0: int | None = None
    seed: int = 0
    stop: StopRule = field(default_factory=StopRule)
    description: str = ""
    model: str = DEFAULT_MODEL
    stored: InitVar[bool] = False

    def __post_init__(self, stored: bool) -> None:
        self._check_kinds()
        object.__setattr__(self, "responses", tuple(self.responses))
        object.__setattr__(self, "strategy", _registered(self.strategy))
        object.__setattr__(self, "n0", self.domain.n0 if self.n0 is None else self.n0)
        plain = self._plain()
        problems = _unknown(self.strategy) + _unknown_model(self.model) + _check(plain, FieldsModel)[1]
        problems += _names_clash(plain, self.domain.names, stored) + _unsuited(self.strategy, self.domain)
        if problems:
            raise SpecError(problems)

    def _check_kinds(self) -> None:
        """What the rest is made of; whether it is possible is checked field by field."""
        require_domain(self.domain)
        for response in items_of(self.responses, "responses"):
            if not isinstance(response, Response):
                raise InvalidType(f"responses are Response objects, got {response!r}")
        if not isinstance(self.stop, StopRule):
            raise InvalidType(f"stop is a StopRule, got {self.stop!r}")

    def _plain(self) -> dict[str, Any]:
        responses, strategy = [asdict(r) for r in self.responses], strategy_name(self.strategy)
        return {
            "name": self.name, "responses": responses, "strategy": strategy, "n0": self.n0,
            "seed": self.seed, "stop": asdict(self.stop), "description": self.description,
            "model": self.model,
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The description as plain data, as a campaign file holds it.

        Returns
        -------
        dict
            Ready for JSON. A strategy of your own is in it by name only, and so are constraints that are
            Python callables: see :func:`~equiwarp.spec.domain_to_dict`.
        """
        return {**self._plain(), "domain": domain_to_dict(self.domain)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], source: str = "", stored: bool = False) -> CampaignSpec:
        """A description from plain data, as a campaign file holds it.

        Parameters
        ----------
        data : mapping
            The fields by name; only ``name`` and ``domain`` are required.
        source : str
            Where the data came from, to be named in an error.
        stored : bool
            Whether it was stored: then it may use names that became reserved later.

        Returns
        -------
        CampaignSpec

        Raises
        ------
        SpecError
            If a field is missing, unknown or impossible. It lists every mistake with its field.
        InvalidType
            If the data is not a mapping.

        Examples
        --------
        >>> import equiwarp as ew
        >>> domain = {"type": "box", "parameters": {"temperature": {"low": 20, "high": 90, "unit": "C"}}}
        >>> ew.CampaignSpec.from_dict({"name": "furnace", "domain": domain}).domain
        Box({'temperature': Parameter(20, 90, unit='C')})
        """
        if not isinstance(data, Mapping):
            raise InvalidType(f"a description is a mapping of its fields, got {data!r}")
        data = dict(data)
        make_known(data.get("domain"))
        names = names_in(data.get("domain"))
        problems = _unknown(data.get("strategy", DEFAULT_STRATEGY))
        problems += _unknown_model(data.get("model", DEFAULT_MODEL))
        model, mistakes = _check(data, file_model(known()))
        problems += mistakes + _bad_constraints(data, names) + _names_clash(data, names, stored)
        domain: Domain | None = None
        if not problems:
            assert isinstance(model, FileModel)
            try:
                domain = model.domain.build()
                problems += _unsuited(model.strategy, domain)
            except ValueError as error:
                problems.append(Problem("domain", str(error)))
        if problems:
            raise SpecError(dict.fromkeys(problems), source)
        assert domain is not None
        assert isinstance(model, FileModel)
        fields = model.model_dump(exclude={"domain", "responses", "stop"})
        responses = tuple(Response(**r.model_dump()) for r in model.responses)
        stop = StopRule(**model.stop.model_dump())
        return cls(**fields, domain=domain, responses=responses, stop=stop, stored=stored)

    @classmethod
    def from_toml(cls, path: str | Path) -> CampaignSpec:
        """Read a campaign file.

        Parameters
        ----------
        path : str or Path
            A TOML file. The list of candidates that it may name (``csv = "..."``) is looked up beside it.

        Returns
        -------
        CampaignSpec

        Raises
        ------
        SpecError
            If it cannot be read or used. It names the file and lists every mistake with its field.
        OSError
            If there is no such file.
        """
        path = Path(path)
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError:
            raise SpecError([Problem("", "it is not UTF-8 text; save it as UTF-8")], str(path)) from None
        except tomllib.TOMLDecodeError as error:
            raise SpecError([Problem("", f"not valid TOML: {error}")], str(path)) from None
        domain = data.get("domain")
        if isinstance(domain, dict) and domain.get("type") == "candidates" and "csv" in domain:
            data["domain"] = _with_rows(domain, path)
        return cls.from_dict(data, str(path))


class ResponseModel(Model):
    name: Annotated[Text, Field(min_length=1)] = "value"
    unit: Text = ""
    noise: Annotated[Number, Field(ge=0)] | None = None


class StopModel(Model):
    error: Annotated[Number, Field(gt=0)] | None = None
    gain_per_experiment: Annotated[Number, Field(gt=0)] | None = None


class FieldsModel(Model):
    """All but the domain."""

    name: Annotated[Text, Field(min_length=1, max_length=200)]
    responses: tuple[ResponseModel, ...] = (ResponseModel(),)
    strategy: Text = DEFAULT_STRATEGY
    n0: Annotated[int, Field(strict=True, ge=1)] | None = None
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)] = 0
    stop: StopModel = StopModel()
    description: Text = ""
    model: Text = DEFAULT_MODEL

    @field_validator("responses")
    @classmethod
    def _at_least_one(cls, responses: tuple[ResponseModel, ...]) -> tuple[ResponseModel, ...]:
        if not responses:
            raise InvalidInput("name at least one response, or leave the list out")
        return responses


class FileModel(FieldsModel):
    """All fields of a campaign file; :func:`file_model` fills in what a domain may be."""

    domain: Any


@cache
def file_model(known: Known) -> type[FileModel]:
    """The fields of a campaign file with these kinds of domains."""
    return create_model("FileModel", __base__=FileModel, domain=(domain_model(known), ...))


def strategy_name(strategy: str | Strategy) -> str:
    """The name under which a campaign's strategy is kept."""
    return strategy.name if isinstance(strategy, Strategy) else full_name(strategy)


def _registered(strategy: str | Strategy) -> str | Strategy:
    """The name of a registered strategy, any other object as it is."""
    if not isinstance(strategy, str | Strategy):
        return find(strategy)  # which says what a strategy is
    name = strategy_name(strategy)
    return name if isinstance(strategy, str) or strategies().get(name) == strategy else strategy


def _check(data: Mapping[str, Any], model: type[FieldsModel]) -> tuple[FieldsModel | None, list[Problem]]:
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        models = (FileModel, ResponseModel, StopModel)
        words = {name for m in models for name in m.model_fields} | vocabulary()
        return None, explain(error, data, words)


def _unknown(strategy: Any) -> list[Problem]:
    """A name that is not registered, or an object under a name that means another strategy."""
    try:
        find(strategy if isinstance(strategy, str) else DEFAULT_STRATEGY)  # other kinds: the model's matter
    except InvalidInput as error:
        return [Problem("strategy", str(error))]
    if isinstance(strategy, Strategy) and full_name(strategy.name) in strategies():
        said = f"{strategy.name!r} is the name of another strategy, which is registered; rename yours"
        return [Problem("strategy", said)]
    return []


def _unknown_model(model: Any) -> list[Problem]:
    """A name under which no map model is registered."""
    try:
        require_model(model if isinstance(model, str) else DEFAULT_MODEL)  # other kinds: the model's matter
    except InvalidInput as error:
        return [Problem("model", str(error))]
    return []


def _unsuited(strategy: str | Strategy, domain: Domain) -> list[Problem]:
    there = isinstance(strategy, Strategy) or strategy in strategies()
    if not there or find(strategy).kernel != "neumann" or domain.has_faces:
        return []
    name = strategy_name(strategy)
    return [Problem("strategy", f"{name!r} reflects at the faces of a box; choose another one")]


def _bad_constraints(data: Mapping[str, Any], names: Sequence[str]) -> list[Problem]:
    """Constraints that cannot be read, found even where another field is wrong."""
    domain = data.get("domain")
    constraints = domain.get("constraints") if isinstance(domain, Mapping) else None
    if not names or not isinstance(constraints, list):
        return []
    problems = []
    for i, text in enumerate(constraints):
        try:
            if isinstance(text, str):
                Expression.parse(text, names)
        except ExpressionError as error:
            place = ("domain", "constraints", i)
            problems.append(Problem(f"domain.constraints[{i + 1}]", str(error), "constraint", place))
    return problems


def _names_clash(data: Mapping[str, Any], parameters: Sequence[str], stored: bool) -> list[Problem]:
    """Names that would make two columns of a table the same."""
    reserved = [name for name in RESERVED if not (stored and name in RESERVED_LATER)]
    responses = data.get("responses", [])
    items = responses if isinstance(responses, list) else []
    names = [str(r.get("name", "value")) for r in items if isinstance(r, Mapping)]
    problems = []
    for path, group in (("domain", parameters), ("responses", names)):
        taken = [n for n in group if n.casefold() in reserved or n.casefold().startswith("noise ")]
        problems += [Problem(path, f"{n!r} is a column of every table; rename it") for n in taken]
        twice = dict.fromkeys(n for i, n in enumerate(group) if n in group[:i])
        problems += [Problem(path, f"the name {n!r} appears twice; rename one of the two") for n in twice]
    both = [n for n in dict.fromkeys(names) if n in parameters]
    return problems + [
        Problem("responses", f"{n!r} is also the name of a parameter; rename it") for n in both
    ]


def _with_rows(domain: dict[str, Any], path: Path) -> dict[str, Any]:
    try:
        return with_listed(domain, path.parent / str(domain["csv"]))
    except (OSError, TableError) as error:
        raise SpecError([Problem("domain.csv", str(error))], str(path)) from None


def with_listed(domain: Mapping[str, Any], source: Path | TextIO) -> dict[str, Any]:
    """The data of a list of candidates with the rows of its CSV in it."""
    from equiwarp.tables.table import read_numbers

    table = read_numbers(source, columns=domain.get("columns"))
    rest = {k: v for k, v in domain.items() if k not in ("csv", "columns")}
    return {**rest, "names": list(table.names), "rows": table.rows.tolist()}
