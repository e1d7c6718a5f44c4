"""``check_model``: does a map model keep its promises?"""

from __future__ import annotations

from collections.abc import Iterable

from equiwarp.domains import Box, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.models import MapModel, find_model
from equiwarp.testing.conformance import ConformanceError, enforce
from equiwarp.testing.model_laws import MODEL_LAWS
from equiwarp.testing.model_trial import model_trials
from equiwarp.testing.trial import small_domains


def check_model(model: str | type[MapModel], domains: Iterable[Domain] | None = None) -> None:
    """Check that a map model of your own does what maps, their error and their forecast rely on.

    It must predict with deviations and covariances that belong together, say what it would have predicted
    without each value, follow the units of the data, and cope with what happens on a bench. Domains to which
    the model does not apply are passed over. The check returns nothing if all is well.

    Parameters
    ----------
    model : str or subclass of MapModel
        One of your own, or a registered name.
    domains : iterable of Domain, optional
        Where to try it; each needs at least twenty points. By default a small domain of each kind, and a box
        of three parameters.

    Raises
    ------
    ConformanceError
        If a law does not hold. It is an ``AssertionError``; its message has the law as a sentence, the
        input and the numbers.
    InvalidInput
        If the model is a name that is not registered, or no subclass of MapModel.

    Examples
    --------
    >>> import equiwarp as ew
    >>> from equiwarp.models.matern import MaternModel
    >>> from equiwarp.testing import check_model
    >>> check_model(MaternModel, [ew.Box.unit(2)])

    A model whose deviation is not that of its covariance is refused:

    >>> class Sure(MaternModel):
    ...     def predict(self, X, return_std=False):
    ...         found = super().predict(X, return_std)
    ...         return (found[0], 0.5 * found[1]) if return_std else found
    >>> check_model(Sure, [ew.Box.unit(2)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    equiwarp.testing.conformance.ConformanceError: Covariances are those of a function, with the predicted...
      part: Sure on Box({'x1': (0, 1), 'x2': (0, 1)})
      found: place 0: variance ..., deviation ...
    """
    family = find_model(model) if isinstance(model, str) else model
    if not (isinstance(family, type) and issubclass(family, MapModel)):
        raise InvalidInput(f"model: {model!r} is no subclass of MapModel; pass the class itself or its name")
    tried = list((*small_domains(), Box.unit(3)) if domains is None else domains)
    trials = model_trials(family, tried)
    for trial in trials:
        enforce(MODEL_LAWS, trial, f"{family.__name__} on {trial.domain!r}")
    if not trials:
        named = "; ".join(map(repr, tried)) or "no domain was given"
        raise ConformanceError("A model applies to one of the domains at least.", family.__name__, named)
