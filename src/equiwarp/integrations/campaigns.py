"""From any host to the map, its error and the page: what a host has measured, as a campaign.

    campaign = to_campaign(study, store="study.db")
    campaign.map().error()

and ``equiwarp serve --store study.db`` shows it in the browser.
"""

from __future__ import annotations

import contextlib
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.exceptions import Exhausted, InvalidInput, KnownMeasurements
from equiwarp.integrations.host_record import HostRecord
from equiwarp.integrations.loop import Loop

if TYPE_CHECKING:
    from pathlib import Path

    from equiwarp.campaign import Campaign

#: Packages whose objects can become a campaign, and the adapter whose `record_of` reads them.
ADAPTERS = {"optuna": "optuna", "ax": "ax", "baybe": "baybe", "xopt": "gest"}


def to_campaign(
    host: Any, name: str | None = None, *, store: str | Path = "equiwarp.db", noise: Any = None
) -> Campaign:
    """What a host has measured, as a campaign with a map, its error, a forecast and a page.

    Called again with the same name and store, it adds what is new. Experiments that are still running in the
    host are left to it.

    Parameters
    ----------
    host : object
        An Optuna ``Study``, an Ax ``Client`` or ``Experiment``, a BayBE ``Campaign``, an ``Xopt``, or a
        generator, recommender or optimizer of :mod:`equiwarp.integrations`. It need not have used equiwarp so
        far.
    name : str, optional
        Of the campaign; by default the host's own name for it, or what the host is called.
    store : path or URL
        Where the campaign is kept.
    noise : float or dict, optional
        Standard deviation of a measurement; by default what the host knows, else it is estimated.

    Returns
    -------
    Campaign

    Raises
    ------
    InvalidInput
        If the host is not one of these, or has measured nothing yet.
    Mismatch
        If the store holds a campaign of this name that is another problem.
    """
    from equiwarp.campaign import Campaign

    record = record_of(host)
    if not len(record.x):
        raise InvalidInput("the host has not measured anything yet: there is no map of nothing")
    campaign = Campaign(
        name or _name_of(host),
        record.domain,
        noise=record.noise if noise is None else noise,
        store=store,
        responses=list(record.responses),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KnownMeasurements)  # what an earlier call has added
        campaign.add(np.array(record.x), np.array(record.y), record.row_noise if noise is None else None)
    for point in _inside(record):
        with contextlib.suppress(Exhausted):  # an earlier call has told it
            (experiment,) = campaign.ask(1, fixed=record.domain.named(point))
            campaign.tell_failed(experiment.id, "failed in the host")
    return campaign


def _inside(record: HostRecord) -> list[Array]:
    """Where experiments failed, within the domain: elsewhere nothing would be suggested anyway."""
    points = np.array([*record.failed], dtype=float).reshape(-1, record.domain.columns)
    return list(points[record.domain.contains(points)])


def record_of(host: Any) -> HostRecord:
    """What a host knows, read by the adapter of the package that it comes from."""
    loop = getattr(host, "loop", None)
    if isinstance(loop, Loop):
        return HostRecord(loop.domain, loop.responses, loop.x, loop.y, loop.guide.noise, failed=loop.failed)
    for kind in type(host).__mro__:
        package = kind.__module__.partition(".")[0]
        if package in ADAPTERS:
            adapter = import_module(f"equiwarp.integrations.{ADAPTERS[package]}")
            found: HostRecord = adapter.record_of(host)
            return found
    raise InvalidInput(
        f"{type(host).__name__} is none of the hosts that can become a campaign: an Optuna study, an Ax "
        "client or experiment, a BayBE campaign, an Xopt, or a generator, recommender or optimizer of "
        "equiwarp.integrations"
    )


def _name_of(host: Any) -> str:
    """The host's own name, where it has one."""
    named = getattr(host, "_experiment", host)  # a client of Ax
    name = getattr(named, "study_name", None) or getattr(named, "name", None)
    return name if isinstance(name, str) and name else type(host).__name__.lower()
