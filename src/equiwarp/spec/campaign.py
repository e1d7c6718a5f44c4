"""``CampaignSpec``: everything that is said once about a campaign, before the first measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, InitVar, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TextIO

from equiwarp._util.arguments import items_of
from equiwarp.aims import Aim, BoundAim
from equiwarp.domains import Domain
from equiwarp.domains.base import require_domain
from equiwarp.exceptions import InvalidType, Problem, SpecError, TableError
from equiwarp.maps.stopping import StopRule
from equiwarp.models import DEFAULT_MODELS
from equiwarp.spec.checks import (
    bad_aim,
    bad_constraints,
    names_clash,
    registered,
    strategy_name,
    unknown_costs,
    unknown_models,
    unknown_responses,
    unknown_strategy,
    unsuited,
)
from equiwarp.spec.plain_domains import domain_to_dict, kept_domain, known, make_known, names_in
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy, usual_start

#: What the fields of a stored description are if nobody has tampered with it.
KINDS = {"name": str, "strategy": str, "description": str, "n0": int, "seed": int, "models": list | tuple}
NUMBER = float | int | None
#: How deep a campaign file may be nested.
MOST_LEVELS = 32
RESPONSE_KINDS: dict[str, Any] = {"name": str, "unit": str, "noise": NUMBER, "low": NUMBER, "high": NUMBER}


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
    low, high : float or None
        What is plausible. A value below or above is taken only from somebody who is sure of it.

    Examples
    --------
    >>> import equiwarp as ew
    >>> ew.Response("yield", "%", noise=0.5).unit
    '%'
    """

    name: str = "value"
    unit: str = ""
    noise: float | None = None
    low: float | None = None
    high: float | None = None


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
        Size of the space-filling start; by default ``domain.small_n0`` for `map`, ``domain.n0`` for others.
    seed : int
        Everything that is suggested derives from it.
    stop : StopRule
        When mapping may stop; by default there is no rule.
    description : str
        Any text for people.
    models : tuple of str
        The families of models whose average is the map: all of ours unless told otherwise, or some of them,
        or such that another package registers. ("matern",) is the plain map of the paper.
    blocks : dict of str to "record" or "offset"
        Columns that are recorded with every experiment, such as the day, the operator or the batch of
        material. The values of one that is an "offset" may be higher or lower as a whole; the map estimates
        by how much.
    change_cost : dict of str to float
        What it costs to change a parameter over its whole range, in any unit; half the range costs half.
        Batches come in the order that costs least.
    prior : str, dict, Map, Campaign or callable, optional
        What is believed of the function: a campaign of the same store by its name, one of another store as
        "name@store" or ``{"campaign": ..., "store": ...}``; or a map, or a function of points.
    aim : Aim
        Where the map has to be good; everywhere by default.
    stored : bool
        Whether it comes from a store: then it may use names that became reserved later.

    Raises
    ------
    SpecError
        If a field is impossible. It lists every mistake with its field.
    InvalidType
        If domain, responses, stop or aim are of another kind.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90)})
    >>> spec = ew.CampaignSpec("furnace", box, (ew.Response("yield", "%"),), n0=4)
    >>> spec.strategy, spec.n0
    ('map', 4)
    """

    name: str
    domain: Domain
    responses: tuple[Response, ...] = (Response(),)
    strategy: str | Strategy = DEFAULT_STRATEGY
    n0: int | None = None
    seed: int = 0
    stop: StopRule = field(default_factory=StopRule)
    description: str = ""
    models: tuple[str, ...] = DEFAULT_MODELS
    blocks: Mapping[str, str] = field(default_factory=dict)
    change_cost: Mapping[str, float] = field(default_factory=dict)
    prior: Any = None
    aim: Aim = field(default_factory=Aim)
    stored: InitVar[bool] = False

    def __post_init__(self, stored: bool) -> None:
        from equiwarp.spec.fields import FieldsModel, check_fields  # what was stored needs no pydantic

        self._check_kinds()
        object.__setattr__(self, "responses", tuple(self.responses))
        object.__setattr__(self, "strategy", registered(self.strategy))
        models = (self.models,) if isinstance(self.models, str) else tuple(self.models)
        object.__setattr__(self, "models", models)
        object.__setattr__(self, "prior", _read_prior(self.prior))
        size = usual_start(self.strategy, self.domain) if self.n0 is None else self.n0
        object.__setattr__(self, "n0", size)
        plain = self._plain()
        problems = (
            unknown_strategy(self.strategy)
            + unknown_models(self.models)
            + check_fields(plain, FieldsModel)[1]
        )
        problems += names_clash(plain, self.domain.names, stored) + unsuited(self.strategy, self.domain)
        problems += unknown_responses(plain)
        problems += unknown_costs(plain, self.domain.names)
        problems += bad_aim(self.aim, self.domain, [r.name for r in self.responses])
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
        if not isinstance(self.aim, Aim):
            raise InvalidType(f"aim is an Aim, got {self.aim!r}")
        if not isinstance(self.change_cost, Mapping):
            raise InvalidType(
                f'change_cost is a dict of parameters such as {{"temperature": 30}}, got {self.change_cost!r}'
            )

    def _plain(self) -> dict[str, Any]:
        responses, strategy = [asdict(r) for r in self.responses], strategy_name(self.strategy)
        return {
            "name": self.name, "responses": responses, "strategy": strategy, "n0": self.n0,
            "seed": self.seed, "stop": asdict(self.stop), "description": self.description,
            "models": list(self.models), "blocks": dict(self.blocks), "change_cost": dict(self.change_cost),
            **({} if self.prior is None else {"prior": dict(getattr(self.prior, "source", self.prior))}),
            "aim": self.aim.to_dict(),
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
        from equiwarp.spec.fields import FileModel, check_fields, file_model

        data = _renamed(data) if stored else dict(data)
        make_known(data.get("domain"))
        names = names_in(data.get("domain"))
        problems = unknown_strategy(data.get("strategy", DEFAULT_STRATEGY))
        problems += unknown_models(data.get("models", DEFAULT_MODELS))
        model, mistakes = check_fields(data, file_model(known()))
        problems += mistakes + bad_constraints(data, names) + names_clash(data, names, stored)
        problems += unknown_responses(data)
        problems += unknown_costs(data, names)
        domain: Domain | None = None
        if not problems:
            assert isinstance(model, FileModel)
            try:
                domain = model.domain.build()
                problems += unsuited(model.strategy, domain)
                problems += bad_aim(model.aim, domain, [r.name for r in model.responses])
            except ValueError as error:
                problems.append(Problem("domain", str(error)))
        if problems:
            raise SpecError(dict.fromkeys(problems), source)
        assert domain is not None
        assert isinstance(model, FileModel)
        given = model.model_dump(exclude={"domain", "responses", "stop", "prior", "aim"})
        if model.prior is not None:
            given["prior"] = model.prior.model_dump(exclude_none=True)
        responses = tuple(Response(**r.model_dump()) for r in model.responses)
        stop = StopRule(**model.stop.model_dump())
        aim = Aim.of(model.aim)
        return cls(**given, domain=domain, responses=responses, stop=stop, aim=aim, stored=stored)

    @classmethod
    def _from_store(cls, data: Mapping[str, Any], objects: Mapping[str, Any]) -> CampaignSpec:
        """A description that a store kept; ``objects`` are what only Python knows of it.

        It was checked when it was made; where that is not plain, it is checked again.
        """
        data = _renamed(data)
        plain = not objects.keys() - {"prior"} and not set(data) - {f.name for f in fields(cls)}
        kept = _kept_fields(data, objects.get("prior")) if plain else {}
        if not kept:
            return replace(cls.from_dict(data, stored=True), **objects, stored=True)
        made = object.__new__(cls)
        for name, value in kept.items():
            object.__setattr__(made, name, value)
        return made

    def bound_aim(self) -> BoundAim | None:
        """The aim on this domain and these responses.

        Returns
        -------
        BoundAim or None
            None if the map is to be good everywhere.
        """
        return self.aim.on(self.domain, [r.name for r in self.responses], [r.unit for r in self.responses])

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
            return cls._of_file(path)
        except RecursionError:
            raise _too_deep(path) from None

    @classmethod
    def _of_file(cls, path: Path) -> CampaignSpec:
        import tomllib

        try:
            text = path.read_text(encoding="utf-8-sig")
            data = tomllib.loads(text)
        except UnicodeDecodeError:
            raise SpecError([Problem("", "it is not UTF-8 text; save it as UTF-8")], str(path)) from None
        except tomllib.TOMLDecodeError as error:
            from equiwarp.spec.problems import toml_problem

            raise SpecError([Problem("", toml_problem(error, text))], str(path)) from None
        if _has_more_levels(data, MOST_LEVELS):
            raise _too_deep(path)
        domain = data.get("domain")
        if isinstance(domain, dict) and domain.get("type") == "candidates" and "csv" in domain:
            data["domain"] = _with_rows(domain, path)
        prior = data.get("prior")
        if isinstance(prior, dict) and isinstance(prior.get("store"), str) and "://" not in prior["store"]:
            data["prior"] = {**prior, "store": str(path.parent / prior["store"])}
        return cls.from_dict(data, str(path))


def _has_more_levels(data: Any, most: int) -> bool:
    """Whether tables and lists are nested deeper; the parser of some Python versions reads any depth."""
    level = [data]
    for _ in range(most):
        level = [
            inner
            for value in level
            if isinstance(value, (dict, list))
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    return any(isinstance(value, (dict, list)) for value in level)


def _too_deep(path: Path) -> SpecError:
    return SpecError([Problem("", "it is nested too deeply; campaign files have a few levels")], str(path))


def _kept_fields(data: Mapping[str, Any], prior: Any = None) -> dict[str, Any]:
    """The fields of a description that a store kept; empty if something about them is not plain."""
    domain = kept_domain(data["domain"])
    usual = {f.name: f.default for f in fields(CampaignSpec) if f.default is not MISSING}
    said = {**usual, "blocks": {}, "change_cost": {}, **data}
    try:
        if domain is None or not _has_kinds(said, KINDS) or unknown_strategy(said["strategy"]):
            return {}
        if unknown_models(said["models"]) or not all(
            _has_kinds(r, RESPONSE_KINDS) for r in said["responses"]
        ):
            return {}
        return said | {
            "domain": domain,
            "responses": tuple(Response(**_floats(r)) for r in data["responses"]),
            "change_cost": _floats(said["change_cost"]),
            "strategy": registered(said["strategy"]),
            "stop": StopRule(**data.get("stop", {})),
            "models": tuple(said["models"]),
            "prior": _read_prior(prior),
            "aim": Aim.of(data.get("aim", {})),
        }
    except (ValueError, TypeError, KeyError):
        return {}


def _has_kinds(data: Mapping[str, Any], kinds: Mapping[str, Any]) -> bool:
    return all(isinstance(data[name], kind) for name, kind in kinds.items() if name in data)


def _floats(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data with whole numbers as floats, which JSON does not tell apart."""
    return {name: float(value) if isinstance(value, int) else value for name, value in data.items()}


def _read_prior(prior: Any) -> Any:
    """None, the plain data that names a campaign, or a :class:`~equiwarp.maps.prior.Prior`."""
    if prior is None:
        return None
    if isinstance(prior, str):
        from equiwarp.spec.fields import prior_reference

        return prior_reference(prior)
    if isinstance(prior, Mapping):
        return dict(prior)
    from equiwarp.maps.prior_map import read_prior

    return read_prior(prior)


def _renamed(data: Mapping[str, Any]) -> dict[str, Any]:
    """A description from when a map had one ``model``: whoever left that alone gets the average."""
    fields = {key: value for key, value in data.items() if key != "model"}
    former = data.get("model", "matern")
    return fields if former == "matern" else {"models": [former], **fields}


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
