"""BayBE: the recommender in real campaigns, on continuous, constrained, mixed and discrete spaces."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from baybe import Campaign
from baybe.constraints import ContinuousCardinalityConstraint, ContinuousLinearConstraint
from baybe.exceptions import IncompatibilityError, NotEnoughPointsLeftError
from baybe.parameters import CategoricalParameter, NumericalContinuousParameter, NumericalDiscreteParameter
from baybe.searchspace import SearchSpace
from baybe.targets import NumericalTarget

import equiwarp as ew
from equiwarp.integrations.baybe import EquiwarpRecommender

TARGET = NumericalTarget("yield")
TEMPERATURE = NumericalContinuousParameter("temperature", (20, 90))
PH = NumericalContinuousParameter("pH", (3, 9))
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def furnace(frame: pd.DataFrame) -> pd.DataFrame:
    values = np.exp(-(((frame["temperature"] - 40) / 10) ** 2)) + 0.1 * frame["pH"]
    return frame.assign(**{"yield": values})


def test_a_continuous_campaign_follows_suggest() -> None:
    space = SearchSpace.from_product([TEMPERATURE, PH])
    recommender = EquiwarpRecommender(noise=0.05, n0=6, seed=1)
    campaign = Campaign(space, TARGET, recommender)
    for _ in range(4):
        campaign.add_measurements(furnace(campaign.recommend(2)))
    names = list(space.parameter_names)
    x, y = campaign.measurements[names].to_numpy(), campaign.measurements["yield"].to_numpy()
    box = ew.Box({name: (20, 90) if name == "temperature" else (3, 9) for name in names})
    expected = ew.suggest(box, x[:6], y[:6], 2, noise=0.05, seed=1).points
    assert np.allclose(expected, x[6:], rtol=0, atol=1e-12)


def test_pending_experiments_are_avoided() -> None:
    space = SearchSpace.from_product([TEMPERATURE, PH])
    campaign = Campaign(space, TARGET, EquiwarpRecommender(noise=0.05, n0=4))
    campaign.add_measurements(furnace(campaign.recommend(6)))
    pending = campaign.recommend(2)
    free = campaign.recommend(2, pending_experiments=pending)
    points = BOX.to_cube(pd.concat([pending, free])[["temperature", "pH"]].to_numpy())
    assert (np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(4)).min() > 0.1


def test_a_discrete_campaign_never_repeats_and_ends_with_the_list() -> None:
    space = SearchSpace.from_product(
        [
            NumericalDiscreteParameter("temperature", [20, 30, 45, 70]),
            NumericalDiscreteParameter("pH", [3, 5, 9]),
            CategoricalParameter("solvent", ["water", "oil"]),
        ]
    )
    campaign = Campaign(
        space,
        TARGET,
        EquiwarpRecommender(noise=0.05, n0=4),
        allow_recommending_already_measured=False,
        allow_recommending_already_recommended=False,
    )
    seen = []
    for _ in range(6):
        rows = campaign.recommend(4)
        seen += [tuple(row) for row in rows[["temperature", "pH", "solvent"]].to_numpy()]
        campaign.add_measurements(furnace(rows))
    assert len(set(seen)) == 24
    # The opening fills the space: both solvents are among the first four.
    assert {solvent for _, _, solvent in seen[:4]} == {"water", "oil"}
    with pytest.raises(NotEnoughPointsLeftError):
        campaign.recommend(1)


def test_excluded_candidates_stay_excluded() -> None:
    space = SearchSpace.from_product(
        [
            NumericalDiscreteParameter("temperature", np.linspace(20, 90, 15)),
            NumericalDiscreteParameter("pH", np.linspace(3, 9, 13)),
        ]
    )
    campaign = Campaign(space, TARGET, EquiwarpRecommender(noise=0.05, n0=5))
    hot = campaign.searchspace.discrete.exp_rep.query("temperature > 60")
    campaign.toggle_discrete_candidates(hot, exclude=True)
    for _ in range(3):
        rows = campaign.recommend(4)
        assert rows["temperature"].max() <= 60
        campaign.add_measurements(furnace(rows))


def test_inequalities_and_mixtures_are_kept() -> None:
    limit = ContinuousLinearConstraint(["temperature", "pH"], "<=", [1.0, 10.0], 100.0)
    campaign = Campaign(
        SearchSpace.from_product([TEMPERATURE, PH], [limit]), TARGET, EquiwarpRecommender(n0=4)
    )
    for _ in range(2):
        rows = campaign.recommend(4)
        assert (rows["temperature"] + 10 * rows["pH"]).max() <= 100 + 1e-6
        campaign.add_measurements(furnace(rows))

    parts = [NumericalContinuousParameter(name, (0.0, 0.7)) for name in ("Cu", "Zn", "Sn")]
    whole = ContinuousLinearConstraint(["Cu", "Zn", "Sn"], "=", [1.0, 1.0, 1.0], 1.0)
    mixture = Campaign(SearchSpace.from_product(parts, [whole]), TARGET, EquiwarpRecommender(n0=4))
    for _ in range(2):
        rows = mixture.recommend(4)
        assert rows[["Cu", "Zn", "Sn"]].sum(axis=1).to_numpy() == pytest.approx(1.0)
        assert rows[["Cu", "Zn", "Sn"]].max(axis=None) <= 0.7 + 1e-9
        mixture.add_measurements(rows.assign(**{"yield": rows["Cu"] ** 2}))


@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_several_targets_and_missing_values(missing: float) -> None:
    from baybe.objectives import ParetoObjective

    space = SearchSpace.from_product([TEMPERATURE, PH])
    objective = ParetoObjective([TARGET, NumericalTarget("cost", minimize=True)])
    rows = furnace(pd.DataFrame({"temperature": [30.0, 50.0, 70.0], "pH": [4.0, 5.0, 6.0]}))
    rows["cost"] = [1.0, missing, 3.0]
    recommender = EquiwarpRecommender(n0=0, noise=0.05)
    answer = recommender.recommend(2, space, objective, rows)
    names = list(space.parameter_names)
    done, lost = rows.iloc[[0, 2]], rows.iloc[[1]]
    box = ew.Box({name: (20, 90) if name == "temperature" else (3, 9) for name in names})
    expected = ew.suggest(
        box,
        done[names].to_numpy(),
        done[["yield", "cost"]].to_numpy(),
        2,
        noise=0.05,
        pending=lost[names].to_numpy(),
    )
    assert np.array_equal(answer[names].to_numpy(), expected.points)


def test_a_hybrid_space_is_a_product() -> None:
    rule = ContinuousLinearConstraint(["temperature", "pH"], "<=", [1.0, 10.0], 120.0)
    solvent = CategoricalParameter("solvent", ["water", "oil", "ethanol"])
    space = SearchSpace.from_product([TEMPERATURE, PH, solvent], [rule])
    campaign = Campaign(space, TARGET, EquiwarpRecommender(noise=0.05, n0=8))
    campaign.add_measurements(furnace(campaign.recommend(8)))
    campaign.add_measurements(furnace(campaign.recommend(4)))
    seen = campaign.measurements
    assert set(seen["solvent"][:8]) == {"water", "oil", "ethanol"}
    assert (seen["temperature"] + 10 * seen["pH"] <= 120 + 1e-6).all()
    assert len(seen[["temperature", "pH", "solvent"]].drop_duplicates()) == 12


def test_a_campaign_with_it_can_be_saved() -> None:
    space = SearchSpace.from_product([TEMPERATURE, PH])
    campaign = Campaign(space, TARGET, EquiwarpRecommender(noise=0.05, n0=4, seed=5))
    campaign.add_measurements(furnace(campaign.recommend(5)))
    again = Campaign.from_json(campaign.to_json())
    assert again.recommender == campaign.recommender
    assert again.recommend(2).equals(campaign.recommend(2))


@pytest.mark.parametrize(
    ("parameters", "constraints", "reason"),
    [
        (
            [TEMPERATURE, PH],
            [ContinuousLinearConstraint(["temperature", "pH"], "=", [1.0, 2.0], 50.0)],
            "mixture",
        ),
        (
            [NumericalContinuousParameter("a", (0, 1)), NumericalContinuousParameter("b", (0, 1))],
            [ContinuousCardinalityConstraint(["a", "b"], max_cardinality=1)],
            "one dimension",
        ),
        (
            [TEMPERATURE, PH],
            [ContinuousLinearConstraint(["temperature"], "<=", [1.0], 100.0, interpoint=True)],
            "one by one",
        ),
    ],
)
def test_what_cannot_be_mapped_is_refused_with_the_reason(parameters, constraints, reason: str) -> None:
    space = SearchSpace.from_product(parameters, constraints)
    with pytest.raises(IncompatibilityError, match=reason):
        EquiwarpRecommender().recommend(1, space)


def test_a_strategy_that_cannot_warp_a_space_names_one_that_can() -> None:
    space = SearchSpace.from_product([CategoricalParameter("c", [str(i) for i in range(14)])])
    with pytest.raises(IncompatibilityError, match="strategy='equalized'"):
        EquiwarpRecommender(strategy="equiwarp").recommend(1, space)
    assert len(EquiwarpRecommender().recommend(1, space)) == 1
