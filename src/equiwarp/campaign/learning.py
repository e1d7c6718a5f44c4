"""``LearningChooser``: models are fitted beside the choices, for runs that ask all the time.

While it learns beside, a choice uses the models that were fitted for the one before, given all values of now,
and a thread fits them anew for the next one. Otherwise it is a chooser as any other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.chooser import Chooser, Chosen, acquisition_measurements
from equiwarp.engine.round import Round, RoundCache
from equiwarp.spec import CampaignSpec
from equiwarp.store import ExperimentArrays
from equiwarp.strategy import Criterion


class LearningChooser(Chooser):
    """A chooser that can fit its models beside its choices.

    Attributes
    ----------
    beside : bool
        Whether it does so now. What it answers then depends on when the fits end.
    """

    def __init__(self, spec: CampaignSpec) -> None:
        super().__init__(spec)
        self.beside = False
        self._learnt: Any = None
        self._fitting: threading.Thread | None = None

    def described_by(self, spec: CampaignSpec) -> LearningChooser:
        return LearningChooser(spec)

    def let(self, choose: Callable[..., Chosen], *arguments: Any) -> Chosen:
        learnt = self._learnt
        if not self.beside or learnt is None or choose is not Chooser.suggest:
            answer = choose(self, *arguments)
            self._learnt = self._cache.learnt
            return answer
        known, _, ask, *_ = arguments
        if self._fitting is None or not self._fitting.is_alive():
            self._fitting = threading.Thread(
                target=self._learn, args=(known, ask), daemon=True, name="equiwarp-fit"
            )
            self._fitting.start()
        self._cache = replace(self._cache, learnt=learnt, keep_learnt=True)
        return choose(self, *arguments)

    def _learn(self, known: ExperimentArrays, ask: int) -> None:
        """Fit the models to these experiments; if that fails, the next choice does it, and says why."""
        try:
            known, _ = self.differences(known)
            measurements = acquisition_measurements(self.spec.domain, known, known.x[:0])
            # The round itself must not learn: until Python 3.12, no other round has inputs meanwhile.
            cache = RoundCache(learnt=self._learnt, keep_learnt=True)
            configuration = self.configuration(ask)
            inputs = Round(configuration, measurements, cache).inputs
            criterion = configuration.strategy.criterion
            assert isinstance(criterion, Criterion)
            self._learnt = criterion.learn(inputs, self._learnt)
        except Exception:
            self._learnt = None


def learn_beside(campaign: Campaign) -> LearningChooser:
    """The chooser of the campaign from now on."""
    context = campaign._context
    chooser = LearningChooser(context.spec)
    campaign._context = replace(context, chooser=chooser)
    return chooser
