"""``check_strategy``: does a strategy keep its promises?"""

from __future__ import annotations

from collections.abc import Iterable

from equiwarp.domains import Domain
from equiwarp.strategy import Strategy, find, strategies
from equiwarp.testing.conformance import ConformanceError, Laws, enforce
from equiwarp.testing.strategy_laws import STRATEGY_LAWS
from equiwarp.testing.trial import Trial, small_domains, trials


def check_strategy(strategy: str | Strategy, domains: Iterable[Domain] | None = None) -> None:
    """Check that a strategy of your own does what campaigns and benchmarks rely on.

    It must propose new points of the domain, give the same answer to the same question whatever the order of
    pool and measurements, and cope with what happens on a bench. It may refuse a domain that it is not made
    for with an error of :mod:`equiwarp.exceptions`, but not all of them. The check returns nothing if all is
    well.

    Parameters
    ----------
    strategy : str or Strategy
        One of your own, or a registered name.
    domains : iterable of Domain, optional
        Where to try it; each needs at least twenty points. By default a small domain of each kind.

    Raises
    ------
    ConformanceError
        If a law does not hold. It is an ``AssertionError``; its message has the law as a sentence, the
        input and the numbers.
    InvalidInput
        If the strategy is a name that is not registered.

    Examples
    --------
    >>> import equiwarp as ew
    >>> from equiwarp.strategy.variance import Variance
    >>> from equiwarp.testing import check_strategy
    >>> mine = ew.Strategy("mine", Variance(), equalizer=True, summary="variance, equalized")
    >>> check_strategy(mine, [ew.Box.unit(2)])

    A strategy that calls itself what another one is called is refused:

    >>> check_strategy(ew.Strategy("fps", Variance(), summary="variance"))
    Traceback (most recent call last):
    ...
    equiwarp.testing.conformance.ConformanceError: A strategy has a name of its own and a summary.
      part: 'fps'
      found: the name 'fps' belongs to another strategy: farthest point from everything measured
    """
    found = find(strategy)
    enforce(NAME_LAW, found, repr(found.name))
    attempts = trials(found, small_domains() if domains is None else domains)
    for trial in attempts:
        if trial.refusal is None:
            enforce(STRATEGY_LAWS, trial, f"{found.name!r} on {trial.domain!r}")
    if all(trial.refusal for trial in attempts):
        raise ConformanceError(
            "A strategy can be used on one of the domains at least.", repr(found.name), _refusals(attempts)
        )


def _refusals(attempts: list[Trial]) -> str:
    return "; ".join(f"{trial.domain!r}: {trial.refusal}" for trial in attempts) or "no domain was given"


def _named(strategy: Strategy) -> str | None:
    registered = strategies().get(strategy.name)
    if registered is not None and registered != strategy:
        return f"the name {strategy.name!r} belongs to another strategy: {registered.summary}"
    if not strategy.name.strip() or not strategy.summary.strip():
        return f"name = {strategy.name!r}, summary = {strategy.summary!r}: people read both"
    return None


NAME_LAW: Laws[Strategy] = {"A strategy has a name of its own and a summary.": _named}
