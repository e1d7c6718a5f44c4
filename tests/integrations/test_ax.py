"""Ax: the node in full ``Client`` loops, and the acquisition function by its name."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from ax.adapter.registry import Generators
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.core.parameter import ParameterType, RangeParameter
from ax.core.parameter_constraint import ParameterConstraint
from ax.core.search_space import SearchSpace
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UnsupportedError
from ax.exceptions.storage import JSONEncodeError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.storage.json_store.load import load_experiment
from ax.storage.json_store.save import save_experiment

import equiwarp as ew
from equiwarp.integrations.ax import EquiwarpNode, domain_of, record_of
from equiwarp.integrations.botorch import EqualizedVariance

logging.getLogger("ax").setLevel(logging.ERROR)
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
TEMPERATURE = RangeParameterConfig(name="temperature", bounds=(20, 90), parameter_type="float")
PH = RangeParameterConfig(name="pH", bounds=(3, 9), parameter_type="float")


def client(node, parameters=(TEMPERATURE, PH), constraints=(), objective: str = "purity") -> Client:
    made = Client()
    made.configure_experiment(parameters=list(parameters), parameter_constraints=list(constraints))
    made.configure_optimization(objective=objective)
    made.set_generation_strategy(GenerationStrategy(name="map", nodes=[node]))
    return made


def furnace(p: dict) -> float:
    return float(np.exp(-(((p["temperature"] - 40) / 10) ** 2)) + 0.1 * p["pH"])


def rows(parameters: list[dict]) -> np.ndarray:
    return np.array([[p["temperature"], p["pH"]] for p in parameters])


def test_a_client_loop_with_pending_and_failed_trials() -> None:
    """The order of events decides; the points are those of `suggest` on the same situation."""
    ax = client(EquiwarpNode(noise=0.05, n0=4, seed=3))
    for index, p in ax.get_next_trials(6).items():
        ax.complete_trial(index, raw_data={"purity": furnace(p)})
    running = ax.get_next_trials(3)
    (first, p1), (second, _), (third, p3) = running.items()
    ax.complete_trial(first, raw_data={"purity": furnace(p1)})
    ax.mark_trial_failed(second)

    trials = ax._experiment.trials
    done = [t.arm.parameters for t in trials.values() if t.status == TrialStatus.COMPLETED]
    y = [furnace(p) for p in done]
    spoken = [trials[second].arm.parameters, p3]  # failed, running
    (new,) = ax.get_next_trials(1).values()
    expected = ew.suggest(BOX, rows(done), y, 1, noise=0.05, pending=rows(spoken), seed=3).points[0]
    assert np.array_equal(expected, rows([new])[0])

    ax.mark_trial_abandoned(third)
    everything = rows([t.arm.parameters for t in trials.values()])
    assert len(np.unique(everything, axis=0)) == 10


def test_standard_errors_are_noise() -> None:
    ax = client(EquiwarpNode(n0=4))
    done, sems = [], []
    for i, (index, p) in enumerate(ax.get_next_trials(5).items()):
        sems.append(0.02 * (i + 1))
        ax.complete_trial(index, raw_data={"purity": (furnace(p), sems[-1])})
        done.append(p)
    (new,) = ax.get_next_trials(1).values()
    y = [furnace(p) for p in done]
    expected = ew.suggest(BOX, rows(done), y, 1, noise=np.array(sems)[:, None]).points[0]
    assert np.array_equal(expected, rows([new])[0])


def test_integers_choices_constraints_and_two_metrics() -> None:
    parameters = [
        RangeParameterConfig(name="n", bounds=(1, 9), parameter_type="int"),
        RangeParameterConfig(name="rate", bounds=(1e-3, 1.0), parameter_type="float", scaling="log"),
        ChoiceParameterConfig(name="mesh", values=[10, 20, 50], parameter_type="int", is_ordered=True),
    ]
    ax = client(EquiwarpNode(noise=0.1, n0=4), parameters, ["n + 0.1 * mesh <= 10"], "a, b")
    for _ in range(2):
        for index, p in ax.get_next_trials(4).items():
            assert isinstance(p["n"], int)
            assert p["mesh"] in (10, 20, 50)
            assert p["n"] + 0.1 * p["mesh"] <= 10 + 1e-9
            ax.complete_trial(index, raw_data={"a": p["n"] * p["rate"], "b": float(p["mesh"])})


def test_trials_outside_the_space_do_not_disturb() -> None:
    ax = client(EquiwarpNode(noise=0.05, n0=2))
    index = ax.attach_trial({"temperature": 120.0, "pH": 5.0})
    ax.complete_trial(index, raw_data={"purity": 1.0})
    inside = BOX.contains(rows(list(ax.get_next_trials(3).values())))
    assert inside.all()


def test_an_arm_that_was_measured_again_keeps_both_values_and_errors() -> None:
    ax = client(EquiwarpNode(n0=2))
    for value, sem in ((1.0, 0.1), (2.0, 0.3)):
        index = ax.attach_trial({"temperature": 50.0, "pH": 5.0})
        ax.complete_trial(index, raw_data={"purity": (value, sem)})
    assert len({trial.arm.name for trial in ax._experiment.trials.values()}) == 1
    found = record_of(ax)
    assert found.y.tolist() == [[1.0], [2.0]]
    assert found.row_noise.tolist() == [[0.1], [0.3]]


def test_a_choice_between_texts_has_categories() -> None:
    solvent = ChoiceParameterConfig(name="solvent", values=["water", "oil"], parameter_type="str")
    ax = client(EquiwarpNode(n0=4, noise=0.1), [solvent, PH])
    seen = []
    for _ in range(8):
        for index, arm in ax.get_next_trials(1).items():
            seen.append((arm["solvent"], arm["pH"]))
            ax.complete_trial(index, raw_data={"purity": arm["pH"] + 3 * (arm["solvent"] == "oil")})
    assert {name for name, _ in seen[:4]} == {"water", "oil"}
    assert len(set(seen)) == 8


def test_a_choice_between_numbers_without_an_order_is_refused_with_the_reason() -> None:
    grade = ChoiceParameterConfig(name="grade", values=[1, 2, 5], parameter_type="int", is_ordered=False)
    with pytest.raises(UnsupportedError, match="a choice of names"):
        client(EquiwarpNode(), [grade, PH]).get_next_trials(1)


def test_equalities_are_mixtures_or_refused() -> None:
    parts = [RangeParameter(name, ParameterType.FLOAT, 0.0, 0.8) for name in ("Cu", "Zn", "Sn")]
    whole = SearchSpace(parts, [ParameterConstraint(equality="Cu + Zn + Sn == 1")])
    domain = domain_of(whole)
    points = domain.sample(64, np.random.default_rng(0))
    assert domain.dim == 2
    assert points.sum(axis=1) == pytest.approx(1.0)
    assert points.max() <= 0.8 + 1e-9
    skewed = SearchSpace(parts, [ParameterConstraint(equality="Cu + 2 * Zn == 1")])
    with pytest.raises(UnsupportedError, match="mixture"):
        domain_of(skewed)


def test_outcome_constraints_and_fixed_parameters_are_refused() -> None:
    ax = client(EquiwarpNode())
    with pytest.raises(UnsupportedError, match="fixed parameter"):
        ax.get_next_trials(1, fixed_parameters={"pH": 5.0})
    ax.configure_optimization(objective="purity", outcome_constraints=["cost <= 1"])
    with pytest.raises(UnsupportedError, match="outcome constraints"):
        ax.get_next_trials(1)


def test_the_experiment_is_all_there_is_to_save(tmp_path) -> None:
    """Ax refuses to save nodes of other packages; ours has nothing to save."""
    ax = client(EquiwarpNode(noise=0.05, n0=3))
    for index, p in ax.get_next_trials(5).items():
        ax.complete_trial(index, raw_data={"purity": furnace(p)})
    with pytest.raises(JSONEncodeError):
        ax.save_to_json_file(str(tmp_path / "client.json"))
    save_experiment(ax._experiment, str(tmp_path / "experiment.json"))
    again = Client()
    again.set_experiment(load_experiment(str(tmp_path / "experiment.json")))
    again.set_generation_strategy(GenerationStrategy(name="map", nodes=[EquiwarpNode(noise=0.05, n0=3)]))
    (here,), (there,) = (c.get_next_trials(1).values() for c in (ax, again))
    assert np.array_equal(rows([here]), rows([there]))


def test_ax_can_name_the_acquisition_function() -> None:
    """Ax fits its own model, builds EqualizedVariance from the registry and optimises it, batch and all."""
    spec = GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs={"botorch_acqf_class": EqualizedVariance},
    )
    node = GenerationNode(name="equalized", generator_specs=[spec], fallback_specs={})
    ax = client(node)
    sobol = ew.suggest(BOX, [], [], 8, "sobol").points
    for t, ph in sobol.tolist():
        p = {"temperature": t, "pH": ph}
        ax.complete_trial(ax.attach_trial(p), raw_data={"purity": furnace(p)})
    new = rows(list(ax.get_next_trials(3).values()))
    assert BOX.contains(new).all()
    u = BOX.to_cube(np.concatenate([sobol, new]))
    distance = np.linalg.norm(u[8:, None] - u[None], axis=2)
    assert np.sort(distance, axis=1)[:, 1].min() > 0.1
