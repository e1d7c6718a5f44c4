"""Opening a campaign: make it as described, or find it and make sure that it is the one described."""

from __future__ import annotations

import dataclasses
import getpass
import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Row
from sqlalchemy.exc import IntegrityError

from equiwarp._util.text import short
from equiwarp.campaign.responses import numbered, read_deviations
from equiwarp.domains import Domain
from equiwarp.exceptions import Mismatch, StoreMissing
from equiwarp.spec import DEFAULT_STRATEGY, CampaignSpec, Response, domain_to_dict
from equiwarp.store import Store, records
from equiwarp.strategy import full_name


@dataclasses.dataclass(frozen=True)
class Description:
    """What the caller said about the campaign; None where nothing was said."""

    name: str
    domain: Domain | None = None
    noise: Any = None
    responses: tuple[Response, ...] | None = None
    strategy: str | None = None
    n0: int | None = None
    seed: int | None = None
    whole: CampaignSpec | None = None

    def spec(self) -> CampaignSpec:
        """The whole description, silence filled with the defaults."""
        if self.whole is not None:
            return self.whole
        if self.domain is None:
            raise StoreMissing(
                f"there is no campaign {self.name!r} in this store; give a domain to begin it, "
                "or check the name"
            )
        responses = self.responses or _responses(self.noise)
        return CampaignSpec(
            self.name, self.domain, responses, self.strategy or DEFAULT_STRATEGY, self.n0, self.seed or 0
        )

    @property
    def settled(self) -> bool:
        """Whether it was said how many responses there are."""
        return self.responses is not None or isinstance(self.noise, Mapping | list | tuple)


def _responses(noise: Any) -> tuple[Response, ...]:
    if isinstance(noise, Mapping):
        names: tuple[str, ...] = tuple(str(name) for name in noise)
    else:
        names = numbered(len(noise) if isinstance(noise, list | tuple) else 1)
    known = read_deviations(noise, names)
    deviations: list[float] | list[None] = [None] * len(names) if known is None else known
    return tuple(Response(name, noise=d) for name, d in zip(names, deviations, strict=True))


def as_responses(given: Any) -> tuple[Response, ...] | None:
    """Response names or :class:`equiwarp.spec.Response` objects."""
    if given is None:
        return None
    if isinstance(given, str):
        given = [given]
    return tuple(r if isinstance(r, Response) else Response(str(r)) for r in given)


def settings_of(spec: CampaignSpec, settled: bool) -> dict[str, Any]:
    """What the store keeps beside the domain."""
    return {**{k: v for k, v in spec.to_dict().items() if k != "domain"}, "settled": settled}


def spec_of(row: Row[Any], domain: Domain | None) -> CampaignSpec:
    """The description that a campaign was begun with; ``domain`` where only Python can describe it."""
    settings = json.loads(row.settings)
    settings.pop("settled")
    stored = json.loads(row.domain)
    if _needs_python(stored):
        if domain is None:
            raise Mismatch(
                f"campaign {row.name!r} has a domain that only Python can describe "
                f"({stored.get('callables') or stored.get('description')}); pass the same domain again"
            )
        blank = CampaignSpec.from_dict({**settings, "domain": {"type": "sphere", "dim": 1}})
        return dataclasses.replace(blank, domain=domain)
    return CampaignSpec.from_dict({**settings, "domain": stored})


def _needs_python(stored: Mapping[str, Any]) -> bool:
    return stored.get("type") == "python" or bool(stored.get("callables"))


def open_campaign(store: Store, said: Description | CampaignSpec, who: str) -> tuple[Row[Any], CampaignSpec]:
    """The campaign's row and description, begun if it is new, refused if it differs."""
    if isinstance(said, CampaignSpec):
        said = Description(
            said.name, said.domain, None, said.responses, said.strategy, said.n0, said.seed, said
        )
    wanted = said

    def begin(connection: Connection) -> Row[Any]:
        found = records.find(connection, wanted.name)
        if found is not None:
            return found
        spec = wanted.spec()
        return records.create(
            connection, spec.name, domain_to_dict(spec.domain), settings_of(spec, wanted.settled), who
        )

    row = store.read(lambda connection: records.find(connection, wanted.name))
    if row is None:
        wanted.spec()  # a mistake in the description shows before anything is written
        try:
            row = store.write(begin)
        except IntegrityError:  # begun by another process at the same moment
            row = store.write(begin)
    require_same(row, wanted)
    return row, spec_of(row, wanted.domain)


def require_same(row: Row[Any], said: Description) -> None:
    """Refuse a description that differs from the stored one, naming every difference."""
    settings = json.loads(row.settings)
    wanted: dict[str, Any] = {}
    if said.domain is not None:
        wanted["domain"] = domain_to_dict(said.domain)
    if said.strategy is not None:
        wanted["strategy"] = full_name(said.strategy)
    for name in ("n0", "seed"):
        if getattr(said, name) is not None:
            wanted[name] = getattr(said, name)
    if said.responses is not None:
        wanted["responses"] = [dataclasses.asdict(r) for r in said.responses]
    elif said.noise is not None:
        names = [r["name"] for r in settings["responses"]]
        wanted["noise"] = read_deviations(said.noise, names)
    stored = {**settings, "domain": json.loads(row.domain)}
    stored["noise"] = [r["noise"] for r in settings["responses"]]
    differences = [d for name, value in wanted.items() for d in _compare(stored[name], value, name)]
    if differences:
        raise Mismatch(
            f"campaign {row.name!r} exists and differs: {'; '.join(differences[:5])}. "
            "Leave these out to continue it, or choose another name"
        )


def _compare(stored: Any, given: Any, path: str) -> Iterator[str]:
    """Differences between two pieces of plain data, by path."""
    if isinstance(stored, Mapping) and isinstance(given, Mapping):
        for key in dict.fromkeys([*stored, *given]):
            yield from _compare(stored.get(key), given.get(key), f"{path}.{key}")
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        for i, (a, b) in enumerate(zip(stored, given, strict=True)):
            name = a.get("name", i + 1) if isinstance(a, Mapping) else i + 1
            yield from _compare(a, b, f"{path}.{name}")
    elif stored != given:
        yield f"{path} is {short(stored)} in the store and {short(given)} here"


def this_person() -> str:
    """user@machine, for the events."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
