"""``run`` and ``start_run``: hand over a function, come back to a map."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from equiwarp.campaign import Campaign
from equiwarp.domains import Domain
from equiwarp.exceptions import EquiwarpError, InvalidInput
from equiwarp.maps.stopping import StopRule
from equiwarp.runner.asking import left_of
from equiwarp.runner.executors import Workers
from equiwarp.runner.function import Simulator, is_async, read_function
from equiwarp.runner.handle import OnInterrupt, Runner
from equiwarp.runner.loop import RunLoop
from equiwarp.runner.ownership import RunIdentity
from equiwarp.runner.plan import RunPlan
from equiwarp.runner.progress import ProgressReport, read_report
from equiwarp.spec import CampaignSpec
from equiwarp.store import Store

#: What removes the temporary stores of campaigns.
_TEMPORARY = weakref.WeakKeyDictionary[Campaign, "weakref.finalize[Any, Campaign]"]()


def run(
    function: Callable[..., Any],
    domain: Domain | CampaignSpec | Campaign,
    *,
    store: str | Path | Store | None = None,
    budget: int | None = None,
    stop: StopRule | None = None,
    executor: Any = None,
    workers: int | None = None,
    progress: bool | ProgressReport | None = None,
    on_interrupt: OnInterrupt = "finish",
    **more: Any,
) -> Campaign:
    """Map a function: choose experiments, compute them on all workers, until the budget or the rule ends it.

    Every value is stored when it is there. A run that was ended, even by ``kill -9``, continues from its
    store when it is started again, and several runs may work on one store.

    Parameters
    ----------
    function : callable
        Called with the parameters by name, or with one array in the order of the domain's columns; it may be
        a coroutine function. It returns a number, or a sequence or dict of several responses. An exception
        is a failed experiment, and its traceback is recorded.
    domain : Domain, CampaignSpec or Campaign
        Where the function can be evaluated; or the description of a campaign, or a campaign to go on with.
    store : path or URL, optional
        Where values are kept; by default in a temporary file that goes with the campaign object. If the run
        is interrupted or cannot go on, that file is kept, and the error says where.
    budget : int, optional
        Experiments of the campaign in all, failed ones and those of other runs included.
    stop : StopRule, optional
        Stop when the map is good enough; by default the rule of the description, if there is one.
    executor : Executor, Dask client, "processes" or "threads", optional
        Where the function is computed; by default in processes of this machine.
    workers : int, optional
        How many experiments at once; by default as many as the executor takes, one per core for ours.
    progress : bool or callable, optional
        Show a line of progress, or call this with a :class:`RunProgress` now and then; by default a line
        on a terminal.
    on_interrupt : "finish" or "release"
        What Ctrl-C does with experiments that are being computed: wait for them, or give them back. A
        second Ctrl-C gives them back in either case.
    **more
        What :func:`start_run` takes beside these.

    Returns
    -------
    Campaign
        With all values; ``campaign.map()`` draws the map.

    Raises
    ------
    InvalidInput
        If nothing would ever end the run, or the function does not take the domain's parameters.
    RunStopped
        If the run cannot go on: the first experiments all fail, or no worker is left.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"x": (0, 1), "y": (0, 2)})
    >>> campaign = ew.run(lambda x, y: x * y, box, budget=8, executor="threads")
    >>> campaign.status().counts["done"]
    8
    """
    if on_interrupt not in ("finish", "release"):
        raise InvalidInput(f'on_interrupt must be "finish" or "release", got {on_interrupt!r}')
    runner = start_run(
        function,
        domain,
        store=store,
        budget=budget,
        stop=stop,
        executor=executor,
        workers=workers,
        progress=progress,
        must_end=True,
        **more,
    )
    try:
        return runner.wait_for_people(on_interrupt)
    except BaseException as error:
        _keep(runner.campaign, error)
        raise


def start_run(
    function: Callable[..., Any],
    domain: Domain | CampaignSpec | Campaign,
    *,
    store: str | Path | Store | None = None,
    budget: int | None = None,
    stop: StopRule | None = None,
    executor: Any = None,
    workers: int | None = None,
    progress: bool | ProgressReport | None = False,
    duration: Any = None,
    timeout: Any = None,
    retries: int = 1,
    ahead: int | None = None,
    must_end: bool = False,
    **campaign: Any,
) -> Runner:
    """Begin what :func:`run` does in the background, for notebooks; returns at once.

    Parameters
    ----------
    function, domain, store, budget, stop, executor, workers, progress
        As for :func:`run`. Without a budget, rule or duration it goes on until it is cancelled.
    duration : float or timedelta, optional
        Begin nothing new after so many seconds.
    timeout : float or timedelta, optional
        An experiment that takes longer has failed. Processes and coroutines are ended; threads and other
        executors cannot end a call, so that its worker is busy until it returns.
    retries : int
        How often an experiment is begun again whose worker was lost, or that failed with an ``OSError``.
    ahead : int, optional
        How many experiments to choose before a worker is free; by default as many as keep workers busy.
        With 0 and one worker, the same seed gives the same experiments.
    must_end : bool
        Whether to refuse a run that nothing would end.
    **campaign
        For a new campaign, as for :class:`Campaign`: name (that of the function by default), noise, seed,
        strategy, n0, responses, prior, who.

    Returns
    -------
    Runner
        A handle: progress, wait, cancel, a live picture.

    Raises
    ------
    InvalidInput
        If the function does not take the domain's parameters, or a number makes no sense.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"x": (0, 1)})
    >>> runner = ew.start_run(lambda x: 3 * x, box, budget=5, executor="threads")
    >>> campaign = runner.wait()
    >>> runner.progress().done
    5
    """
    opened = _opened(function, domain, store, campaign)
    simulator = read_function(function, opened.domain.names)
    rule = opened.spec.stop if stop is None else stop
    plan = RunPlan.of(budget, rule, duration, timeout, retries, ahead)
    if must_end and not plan.ends and opened.domain.listed is None:
        raise InvalidInput("nothing would end this run: give it a budget, a stop rule or a duration")
    chosen = Workers.of(executor, workers, is_async(function))
    return start(opened, simulator, chosen, plan, read_report(progress, left_of(opened, plan.budget)))


def start(
    campaign: Campaign, simulator: Simulator, workers: Workers, plan: RunPlan, report: ProgressReport | None
) -> Runner:
    """A run of parts that were read and checked, for faces."""
    workers.count()  # an executor that does not say how many it takes is refused now
    me = RunIdentity.new()
    signed = Campaign.from_spec(campaign.spec, campaign.store, me.sign(campaign.who))
    return Runner(campaign, RunLoop(signed, simulator, workers, plan, me, report))


def _opened(function: Any, domain: Any, store: Any, described: dict[str, Any]) -> Campaign:
    """The campaign of a run: the one that was given, or one that is opened or begun."""
    if isinstance(domain, Campaign):
        if store is not None or described:
            named = ", ".join([*(["store"] if store is not None else []), *described])
            raise InvalidInput(f"the campaign is there already; leave out {named}")
        return domain
    folder = None
    if store is None:
        folder = tempfile.mkdtemp(prefix="equiwarp-run-")
        store = Path(folder) / "run.db"
    if isinstance(domain, CampaignSpec):
        found = Campaign.from_spec(domain, store, **described)
    else:
        name = getattr(function, "__name__", "run")
        described = {"name": name if name.isidentifier() else "run", **described}
        found = Campaign(domain=domain, store=store, **described)
    if folder is not None:
        _TEMPORARY[found] = weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def _keep(campaign: Campaign, error: BaseException) -> None:
    """Keep the temporary store of a run that did not end well, and say where: nobody has the campaign."""
    removal = _TEMPORARY.get(campaign)
    if removal is None:
        return
    with contextlib.suppress(EquiwarpError):  # a store that cannot be read is kept too
        if not campaign.status().measured:
            return
    if removal.detach():
        error.add_note(
            f"The values so far are in {campaign.store.name}; a run with this as its store goes on."
        )
