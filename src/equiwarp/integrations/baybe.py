"""BayBE: a recommender that maps, for any ``Campaign``.

Continuous spaces become a box, a constrained box or a mixture; discrete spaces become a list of
candidates in BayBE's own encoding, so categories and substances have the distances that BayBE gives
them; a hybrid space is the product of both. The targets of the objective are the responses; their
directions do not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from attrs import define, field
from baybe.exceptions import IncompatibilityError, NotEnoughPointsLeftError
from baybe.objectives.base import Objective
from baybe.recommenders.base import RecommenderProtocol
from baybe.searchspace import SearchSpace, SearchSpaceType, SubspaceContinuous, SubspaceDiscrete

from equiwarp.domains import Array, Box, Candidates, Constrained, Domain, Product
from equiwarp.engine.configuration import point_keys
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations.guide import Guide
from equiwarp.integrations.host_record import HostRecord
from equiwarp.integrations.spaces import Halfspace, constrained
from equiwarp.strategy import DEFAULT_STRATEGY, find

#: Encoded columns beyond which the warp's conditional tables would not fit into memory.
MOST_WARPED = 10


@define(slots=False)
class EquiwarpRecommender(RecommenderProtocol):  # type: ignore[misc, unused-ignore]
    """Recommend where the targets are least known, geometry corrected.

    Parameters
    ----------
    strategy, noise, seed, n0
        See :class:`equiwarp.integrations.guide.Guide`.

    Notes
    -----
    Refused with the reason: cardinality and interpoint constraints, equalities other than a mixture of all
    continuous parameters, and constraints on whole batches. Rows without a finite value for every target
    are avoided, not used. In a hybrid space every entry of the discrete part may be recommended again.
    """

    strategy: str = DEFAULT_STRATEGY
    noise: float | None = None
    seed: int = 0
    n0: int | None = None
    _guide: Guide = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        self._guide = Guide(self.strategy, self.noise, self.seed, self.n0)

    def recommend(
        self,
        batch_size: int,
        searchspace: SearchSpace,
        objective: Objective | None = None,
        measurements: pd.DataFrame | None = None,
        pending_experiments: pd.DataFrame | None = None,
    ) -> pd.DataFrame:
        """The next batch in experimental representation, one row per experiment."""
        if measurements is not None and len(measurements) and objective is None:
            raise IncompatibilityError("without an objective nothing says which columns were measured")
        space = _space_of(searchspace, batch_size)
        if find(self.strategy).warp == "reconstruction" and space.domain.dim > MOST_WARPED:
            raise IncompatibilityError(
                f"the space has {space.domain.dim} encoded columns and the warp is made for up to "
                f"{MOST_WARPED}: use strategy='equalized'"
            )
        x, y, waiting = _design(space, objective, measurements, pending_experiments)
        points = self._guide.points(space.domain, x, y, batch_size, waiting, space.allowed)
        return space.rows(points)


class _Continuous:
    """A continuous subspace as a box, a constrained box or a mixture."""

    allowed: Array | None = None

    def __init__(self, space: SubspaceContinuous) -> None:
        self.domain: Domain = _continuous_domain(space)

    def read(self, frame: pd.DataFrame) -> Array:
        return frame[list(self.domain.names)].to_numpy(dtype=float)

    def rows(self, points: Array) -> pd.DataFrame:
        return pd.DataFrame(points, columns=list(self.domain.names))


class _Discrete:
    """A discrete subspace as a list of candidates, of which some are allowed this time."""

    def __init__(self, space: SubspaceDiscrete, batch_size: int) -> None:
        if space.constraints_batch:
            raise IncompatibilityError(
                f"{type(space.constraints_batch[0]).__name__} ties a whole batch together; the points of a "
                "map are chosen one by one"
            )
        self.space = space
        self.domain: Domain = Candidates({str(name): column for name, column in space.comp_rep.items()})
        experimental, encoded = space.get_candidates()
        self.allowed: Array | None = encoded.to_numpy(dtype=float)
        self.index: dict[bytes, Any] = {}
        for key, label in zip(point_keys(self.domain, self.allowed), experimental.index, strict=True):
            self.index.setdefault(key, label)
        if len(self.index) < batch_size:
            raise NotEnoughPointsLeftError(
                f"{batch_size} experiments were asked for, and {len(self.index)} are left to recommend."
            )

    def read(self, frame: pd.DataFrame) -> Array:
        """Encoded, then the nearest entry of the list: BayBE tolerates values beside its levels."""
        encoded = self.space.transform(frame, allow_extra=True)
        return self.domain.snap(encoded.to_numpy(dtype=float))

    def rows(self, points: Array) -> pd.DataFrame:
        return self.space.exp_rep.loc[[self.index[key] for key in point_keys(self.domain, points)]]


class _Hybrid:
    """Both at once: the product of a continuous domain and a list."""

    allowed: Array | None = None

    def __init__(self, space: SearchSpace) -> None:
        self.continuous, self.discrete = _Continuous(space.continuous), _Discrete(space.discrete, 1)
        own = self.continuous.domain
        both = Product(own.whole, self.discrete.domain)
        # Constraints between continuous parameters hold for the product, too.
        rules = own.callables if isinstance(own, Constrained) else ()  # the domain we made ourselves
        self.domain: Domain = Constrained(both, rules, columnwise=True) if rules else both
        self.columns = own.columns

    def read(self, frame: pd.DataFrame) -> Array:
        return np.hstack([self.continuous.read(frame), self.discrete.read(frame)])

    def rows(self, points: Array) -> pd.DataFrame:
        first = self.continuous.rows(points[:, : self.columns])
        second = self.discrete.rows(points[:, self.columns :])
        return pd.concat([first.set_index(second.index), second], axis=1)


_Space = _Continuous | _Discrete | _Hybrid


def _space_of(searchspace: SearchSpace, batch_size: int) -> _Space:
    if searchspace.type is SearchSpaceType.CONTINUOUS:
        return _Continuous(searchspace.continuous)
    if searchspace.type is SearchSpaceType.DISCRETE:
        return _Discrete(searchspace.discrete, batch_size)
    return _Hybrid(searchspace)


def record_of(campaign: Any) -> HostRecord:
    """What a campaign has measured; discrete parameters in BayBE's encoding."""
    if campaign.objective is None:
        raise InvalidInput("the campaign has no objective, so nothing says which columns were measured")
    space = _space_of(campaign.searchspace, 0)
    x, y, lost = _design(space, campaign.objective, campaign.measurements, None)
    names = tuple(target.name for target in campaign.objective.targets)
    noise = getattr(campaign.recommender, "noise", None)
    return HostRecord(space.domain, names, x, y, noise, failed=() if lost is None else lost)


def _design(
    space: _Space, objective: Objective | None, measured: pd.DataFrame | None, pending: pd.DataFrame | None
) -> tuple[Array | list[Any], Array | list[Any], pd.DataFrame | None]:
    waiting = [] if pending is None else [space.read(pending)]
    if measured is None or not len(measured) or objective is None:
        return [], [], waiting[0] if waiting else None
    values = measured[[target.name for target in objective.targets]].astype(float)
    complete = np.isfinite(values.to_numpy()).all(axis=1)
    if not complete.all():
        waiting.append(space.read(measured[~complete]))
    return (
        space.read(measured[complete]) if complete.any() else [],
        values.to_numpy()[complete],
        np.concatenate(waiting) if waiting else None,
    )


def _continuous_domain(space: SubspaceContinuous) -> Domain:
    if space.constraints_nonlin:
        raise IncompatibilityError(
            f"{type(space.constraints_nonlin[0]).__name__}: a map needs a domain of one dimension; map "
            "each choice of active parameters by itself"
        )
    if space.has_interpoint_constraints:
        raise IncompatibilityError(
            "interpoint constraints tie a batch together; the points of a map are chosen one by one"
        )
    box = Box({p.name: (p.bounds.lower, p.bounds.upper) for p in space.parameters})
    below, equal = (
        [_halfspace(c) for c in group] for group in (space.constraints_lin_ineq, space.constraints_lin_eq)
    )
    try:
        return constrained(box, below, equal)
    except ValueError as error:
        raise IncompatibilityError(str(error)) from None


def _halfspace(constraint: Any) -> Halfspace:
    sign = -1.0 if constraint.operator == ">=" else 1.0
    weights = tuple(
        (name, sign * w) for name, w in zip(constraint.parameters, constraint.coefficients, strict=True)
    )
    return Halfspace(weights, sign * constraint.rhs)
