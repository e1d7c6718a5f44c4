"""The verbs of ``Campaign`` for what happens in a laboratory, and for what must change later.

They are a part of :class:`equiwarp.Campaign`, in a file of their own; what they do is in ``laboratory`` and
``changing`` beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from equiwarp.aims import Aim
from equiwarp.campaign import changing, laboratory, widening
from equiwarp.campaign.experiment import Experiment
from equiwarp.maps.stopping import StopRule


class LaboratoryVerbs(ABC):
    """What :class:`equiwarp.Campaign` can do beside asking, telling and looking."""

    @abstractmethod
    def _do(self, verb: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Run a verb on the campaign as it is now."""

    def withdraw(self, id: int, reason: str = "") -> Experiment:
        """Take back a value that is neither wrong nor right, such as that of a contaminated sample.

        It stays in the history and leaves the map. :meth:`repeat` measures there again.

        Parameters
        ----------
        id : int
            The experiment's id.
        reason : str
            Why.

        Returns
        -------
        Experiment
            The experiment as it is now.

        Raises
        ------
        Conflict
            If it has no value.
        UnknownExperiment
            If there is no such id.
        """
        return self._do(laboratory.withdraw, id, str(reason))

    def undo(self, id: int) -> Experiment:
        """Undo the last failure, abandonment, release or withdrawal of an experiment.

        Parameters
        ----------
        id : int
            The experiment's id.

        Returns
        -------
        Experiment
            The experiment, in the state that it had before.

        Raises
        ------
        Conflict
            If there is nothing to undo, or its location was handed out again meanwhile.
        UnknownExperiment
            If there is no such id.
        """
        return self._do(laboratory.undo, id)

    def note(
        self, id: int, text: str = "", *, sample: str | None = None, block: Mapping[str, Any] | None = None
    ) -> Experiment:
        """Write down something about an experiment.

        Parameters
        ----------
        id : int
            The experiment's id.
        text : str
            A note. Earlier ones stay.
        sample : str, optional
            Identifier of the sample.
        block : dict, optional
            The block that the experiment belongs to, by column.

        Returns
        -------
        Experiment
            The experiment as it is now.

        Raises
        ------
        UnknownExperiment
            If there is no such id.
        """
        return self._do(laboratory.note, id, text, sample, block)

    def repeat(self, id: int, n: int = 1) -> list[Experiment]:
        """Hand out n experiments at the settings of another one. The map pools them.

        Repeats are also what the noise is best estimated from.

        Parameters
        ----------
        id : int
            Id of the experiment to repeat, in any state.
        n : int
            How many times.

        Returns
        -------
        list of Experiment
            Their ``repeats`` is the id of the first one.

        Raises
        ------
        UnknownExperiment
            If there is no such id.
        """
        return self._do(laboratory.repeat, id, n)

    def renew(self, id: int, lease: timedelta | float = 3600.0) -> Experiment:
        """Hold a claimed experiment for longer.

        Parameters
        ----------
        id : int
            The experiment's id.
        lease : timedelta or float
            For how long from now; a number is in seconds.

        Returns
        -------
        Experiment
            Its ``lease`` says until when.

        Raises
        ------
        Conflict
            If it is not held any more.
        """
        return self._do(laboratory.renew, id, lease)

    # What must change later

    def rename(self, name: str) -> None:
        """Give the campaign another name.

        Parameters
        ----------
        name : str
            The new one.

        Raises
        ------
        Conflict
            If the store has a campaign of that name.
        """
        self._do(changing.rename, name)
        self._do(_look_again)

    def rename_parameter(self, old: str, name: str) -> None:
        """Give a parameter another name, in constraints and costs too.

        Parameters
        ----------
        old, name : str
            The present name and the new one.

        Raises
        ------
        InvalidInput
            If there is no such parameter, or the new name cannot be used.
        """
        self._do(changing.rename_parameter, old, name)
        self._do(_look_again)

    def rename_response(self, old: str, name: str) -> None:
        """Give a response another name.

        Parameters
        ----------
        old, name : str
            The present name and the new one.

        Raises
        ------
        InvalidInput
            If there is no such response, or the new name cannot be used.
        """
        self._do(changing.rename_response, old, name)
        self._do(_look_again)

    def widen(
        self,
        parameter: str,
        low: float | None = None,
        high: float | None = None,
        *,
        add: Sequence[float | str] | None = None,
    ) -> None:
        """Move the bounds of a parameter outwards, or add to its levels or categories.

        Experiments that were handed out stay as they are. What was added outside may be inside now.

        Parameters
        ----------
        parameter : str
            Its name.
        low, high : float, optional
            The new bounds, in its unit.
        add : sequence of float or str, optional
            More levels of a parameter that has levels, or more categories of one that has categories.

        Raises
        ------
        InvalidInput
            If a bound would move inwards, or by less than a whole step, or a setting is there already.
        """
        self._do(widening.widen, parameter, low, high, add)
        self._do(_look_again)

    def widen_list(self, rows: Any) -> None:
        """Add experiments to the list of candidates.

        Parameters
        ----------
        rows : dict of columns, dataframe, or (m, columns) array-like
            The new experiments, in the units of the list. Rows that are on the list already count once.

        Raises
        ------
        InvalidInput
            If the domain has no list, a value is not a finite number, or all rows are on the list.
        """
        self._do(widening.widen_list, rows)
        self._do(_look_again)

    def change(
        self,
        *,
        stop: StopRule | None = None,
        noise: Any = None,
        plausible: Mapping[str, Sequence[float | None]] | None = None,
        description: str | None = None,
        change_cost: Mapping[str, float] | None = None,
        blocks: Any = None,
        aim: Aim | Mapping[str, Any] | str | None = None,
    ) -> None:
        """Change other parts of the description; what is left out stays.

        Parameters
        ----------
        stop : StopRule, optional
            When mapping may stop.
        noise : float, sequence or dict, optional
            Standard deviation of one measurement, for values that came without their own.
        plausible : dict of str to (low, high), optional
            Plausible ranges by response; None leaves a side open.
        description : str, optional
            Any text for people.
        change_cost : dict, optional
            What it costs to change each parameter over its whole range.
        blocks : sequence of str or dict, optional
            All columns that are recorded with every experiment; new ones may come, none may go.
        aim : Aim, mapping or "everywhere", optional
            Where the map has to be good.

        Raises
        ------
        InvalidInput
            If a response or a parameter is unknown.
        SpecError
            If the campaign cannot be described so.
        """
        wanted = changing.Wanted(stop, noise, plausible, description, change_cost, blocks, aim)
        self._do(changing.change, wanted)
        self._do(_look_again)


def _look_again(context: Any) -> None:
    """Looks once, so that the campaign goes by its new description from here on."""
    context.store.read(lambda transaction: transaction.look())
