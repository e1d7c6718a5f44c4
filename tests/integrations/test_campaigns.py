"""From every host one line to the map: what was measured there is in the campaign, and what failed, too."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from ax.exceptions.core import UnsupportedError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from baybe import Campaign as BaybeCampaign
from baybe.parameters import NumericalContinuousParameter, NumericalDiscreteParameter
from baybe.searchspace import SearchSpace
from baybe.targets import NumericalTarget
from gest_api.vocs import VOCS
from xopt import Evaluator, Xopt

import equiwarp as ew
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations import to_campaign
from equiwarp.integrations.ax import EquiwarpNode
from equiwarp.integrations.baybe import EquiwarpRecommender
from equiwarp.integrations.bluesky import MappingOptimizer
from equiwarp.integrations.gest import EquiwarpGenerator, resume_xopt

optuna.logging.set_verbosity(optuna.logging.ERROR)


def truth(a: float, b: float) -> float:
    return float(np.sin(3 * a) + b)


def measure_for_xopt(point: dict) -> dict:
    return {"signal": truth(point["a"], point["b"])}


def an_optuna_study() -> optuna.Study:
    """One that never heard of equiwarp; its third trial fails."""

    def objective(trial: optuna.Trial) -> float:
        a, b = trial.suggest_float("a", 0, 1), trial.suggest_float("b", 0, 1)
        if trial.number == 2:
            raise RuntimeError("spilt")
        return truth(a, b)

    study = optuna.create_study(study_name="optuna-study", sampler=optuna.samplers.RandomSampler(0))
    study.set_metric_names(["signal"])
    study.optimize(objective, n_trials=9, catch=RuntimeError)
    return study


def an_ax_client() -> Client:
    client = Client()
    ranges = [RangeParameterConfig(name=n, bounds=(0, 1), parameter_type="float") for n in "ab"]
    client.configure_experiment(ranges, name="ax-client")
    client.configure_optimization(objective="signal")
    client.set_generation_strategy(GenerationStrategy(name="map", nodes=[EquiwarpNode(noise=0.05, n0=8)]))
    for index, point in client.get_next_trials(9).items():
        if index == 2:
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, raw_data={"signal": (truth(point["a"], point["b"]), 0.05)})
    return client


def a_baybe_campaign() -> BaybeCampaign:
    space = SearchSpace.from_product(
        [NumericalContinuousParameter("a", (0, 1)), NumericalContinuousParameter("b", (0, 1))]
    )
    campaign = BaybeCampaign(space, NumericalTarget("signal"), EquiwarpRecommender(noise=0.05))
    batch = campaign.recommend(9)
    batch["signal"] = [truth(a, b) for a, b in zip(batch["a"], batch["b"], strict=True)]
    batch.loc[batch.index[2], "signal"] = np.nan
    campaign.add_measurements(batch.iloc[[0, 1, 3, 4, 5, 6, 7, 8]])
    return campaign


def an_xopt() -> Xopt:
    vocs = VOCS(variables={"a": [0, 1], "b": [0, 1]}, objectives={"signal": "EXPLORE"})
    xopt = Xopt(
        generator=EquiwarpGenerator(vocs, noise=0.05, n0=8), evaluator=Evaluator(function=measure_for_xopt)
    )
    for _ in range(8):
        xopt.step()
    return xopt


def a_bluesky_optimizer() -> MappingOptimizer:
    mapper = MappingOptimizer(ew.Box({"a": (0, 1), "b": (0, 1)}), ["signal"], noise=0.05)
    points = mapper.suggest(9)
    mapper.register_failures([points.pop(2)])
    mapper.ingest([{**p, "signal": truth(p["a"], p["b"])} for p in points])
    return mapper


HOSTS = {
    "optuna-study": (an_optuna_study, 1),
    "ax-client": (an_ax_client, 1),
    "campaign": (a_baybe_campaign, 0),
    "xopt": (an_xopt, 0),
    "mappingoptimizer": (a_bluesky_optimizer, 1),
}


@pytest.mark.parametrize("name", HOSTS)
def test_one_line_from_a_host_to_the_map(name: str, tmp_path: Path) -> None:
    make, failures = HOSTS[name]
    host = make()
    campaign = to_campaign(host, store=tmp_path / "host.db")
    assert campaign.name == name
    assert campaign.responses == ("signal",)
    done = campaign.experiments("done")
    assert len(done) == 8
    for experiment in done:
        assert experiment.value == pytest.approx(truth(experiment.point["a"], experiment.point["b"]))
    assert len(campaign.experiments("failed")) == failures
    known = campaign.map()
    assert known.error()[0].value > 0
    middle = known.predict([[done[0].point["a"], done[0].point["b"]]])
    assert middle.mean[0, 0] == pytest.approx(done[0].value, abs=0.3)

    # Again, with nothing new: nothing is added and nothing is said.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = to_campaign(host, store=tmp_path / "host.db")
    assert len(again.experiments()) == 8 + failures


def test_what_the_host_knows_of_noise_is_kept(tmp_path: Path) -> None:
    ax = to_campaign(an_ax_client(), store=tmp_path / "ax.db")
    assert [dict(e.noise) for e in ax.experiments("done")] == [{"signal": 0.05}] * 8
    mapper = to_campaign(a_bluesky_optimizer(), "mine", store=tmp_path / "b.db")
    assert [r.noise for r in mapper.spec.responses] == [0.05]
    said = to_campaign(an_ax_client(), store=tmp_path / "said.db", noise=0.2)
    assert [r.noise for r in said.spec.responses] == [0.2]


def test_a_discrete_space_of_baybe_is_a_list(tmp_path: Path) -> None:
    space = SearchSpace.from_product([NumericalDiscreteParameter(n, [0, 0.25, 0.5, 1]) for n in "ab"])
    campaign = BaybeCampaign(space, NumericalTarget("signal"), EquiwarpRecommender())
    batch = campaign.recommend(6)
    campaign.add_measurements(batch.assign(signal=[truth(a, b) for a, b in batch[["a", "b"]].to_numpy()]))
    ours = to_campaign(campaign, store=tmp_path / "list.db")
    assert len(ours.experiments("done")) == 6
    assert {tuple(e.point.values()) for e in ours.experiments("done")} == set(
        map(tuple, batch[["a", "b"]].to_numpy().tolist())
    )


def test_nothing_measured_and_no_host_are_errors(tmp_path: Path) -> None:
    mapper = MappingOptimizer(ew.Box({"a": (0, 1)}), ["signal"])
    with pytest.raises(InvalidInput, match="not measured anything"):
        to_campaign(mapper, store=tmp_path / "x.db")
    with pytest.raises(InvalidInput, match="DataFrame is none of the hosts"):
        to_campaign(pd.DataFrame(), store=tmp_path / "x.db")
    assert list(tmp_path.iterdir()) == []


def test_ax_predicts_through_the_map(tmp_path: Path) -> None:
    """Ax asks an adapter of its own to predict, and external nodes have none; the map is the way."""
    client = an_ax_client()
    with pytest.raises(UnsupportedError, match="not predictive"):
        client.predict([{"a": 0.5, "b": 0.5}])
    prediction = to_campaign(client, store=tmp_path / "ax.db").map().predict({"a": [0.5], "b": [0.5]})
    assert prediction.mean.item() == pytest.approx(truth(0.5, 0.5), abs=0.3)


def test_a_dump_of_xopt_can_be_resumed(tmp_path: Path) -> None:
    xopt = an_xopt()
    xopt.dump(str(tmp_path / "xopt.yml"))
    resumed = resume_xopt(tmp_path / "xopt.yml", EquiwarpGenerator(xopt.vocs, noise=0.05, n0=8))
    assert len(resumed.data) == 8
    assert np.allclose(resumed.generator.loop.x, xopt.generator.loop.x, atol=1e-8)
    for one in (xopt, resumed):
        one.step()
    last = [one.data[["a", "b", "signal"]].to_numpy(dtype=float)[-1] for one in (xopt, resumed)]
    assert np.allclose(*last, atol=1e-6)


def test_a_trial_that_failed_outside_the_bounds_is_left_out(tmp_path: Path) -> None:
    study = an_optuna_study()
    study.enqueue_trial({"a": 3.0, "b": 0.5})

    def spilt(trial: optuna.Trial) -> float:
        trial.suggest_float("a", 0, 1), trial.suggest_float("b", 0, 1)
        raise RuntimeError("spilt")

    study.optimize(spilt, n_trials=1, catch=RuntimeError)
    with to_campaign(study, store=tmp_path / "lab.db") as campaign:
        assert campaign.status().counts["failed"] == 1
