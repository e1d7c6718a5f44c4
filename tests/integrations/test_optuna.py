"""Optuna: the sampler in real studies, with its storage, parallel trials, and what it refuses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

import equiwarp as ew
from equiwarp.integrations.optuna import EquiwarpSampler, _distributions

optuna.logging.set_verbosity(optuna.logging.ERROR)
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def measure(trial: optuna.Trial) -> float:
    t, ph = trial.suggest_float("temperature", 20, 90), trial.suggest_float("pH", 3, 9)
    return float(np.exp(-(((t - 40) / 10) ** 2)) + 0.1 * ph)


def columns(study: optuna.Study) -> np.ndarray:
    return np.array([[t.params["temperature"], t.params["pH"]] for t in study.trials if t.params])


def test_a_study_follows_suggest_trial_for_trial() -> None:
    """The order of parameters is Optuna's, so the comparison is made in a box with the same order."""
    study = optuna.create_study(sampler=EquiwarpSampler(BOX, noise=0.05, n0=6, seed=3))
    study.optimize(measure, n_trials=9)
    box = ew.Box({"pH": (3, 9), "temperature": (20, 90)})
    x, y = columns(study)[:, ::-1], [t.value for t in study.trials]
    for n in (6, 7, 8):
        expected = ew.suggest(box, x[:n], y[:n], 1, noise=0.05, seed=3).points[0]
        assert np.array_equal(expected, x[n])
    opening = ew.suggest(box, [], [], 6, "sobol", seed=3).points
    assert np.array_equal(opening, x[:6])


def test_running_trials_are_pending_and_failed_ones_are_not_repeated() -> None:
    study = optuna.create_study(sampler=EquiwarpSampler(BOX, noise=0.05, n0=4))
    study.optimize(measure, n_trials=4)
    running = [study.ask() for _ in range(3)]
    for trial in running:
        trial.suggest_float("temperature", 20, 90), trial.suggest_float("pH", 3, 9)
    handed_out = BOX.to_cube(columns(study)[4:])
    distance = np.linalg.norm(handed_out[:, None] - handed_out[None], axis=2) + np.eye(3)
    assert distance.min() > 0.15  # nobody gets what somebody else is measuring

    failed = running[0].params
    study.tell(running[0], state=TrialState.FAIL)
    study.tell(running[1], 1.0)
    study.tell(running[2], 1.0)
    study.optimize(measure, n_trials=3)
    later = columns(study)[7:]
    apart = np.linalg.norm(BOX.to_cube(later) - BOX.to_cube(np.array([list(failed.values())])), axis=1)
    assert apart.min() > 0.05


def test_a_study_in_a_database_continues_as_if_never_interrupted(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    whole = optuna.create_study(sampler=EquiwarpSampler(BOX, noise=0.05, n0=4))
    whole.optimize(measure, n_trials=8)
    for _ in range(2):
        part = optuna.create_study(
            study_name="map",
            storage=url,
            load_if_exists=True,
            sampler=EquiwarpSampler(BOX, noise=0.05, n0=4),
        )
        part.optimize(measure, n_trials=4)
    assert np.array_equal(columns(part), columns(whole))


def test_parallel_trials_are_all_different() -> None:
    study = optuna.create_study(sampler=EquiwarpSampler(BOX, noise=0.05, n0=4))
    study.optimize(measure, n_trials=8, n_jobs=2)
    assert len(np.unique(columns(study), axis=0)) == 8
    assert all(t.state == TrialState.COMPLETE for t in study.trials)


def test_parallel_trials_in_a_database_are_all_different(tmp_path) -> None:
    study = optuna.create_study(
        storage=f"sqlite:///{tmp_path}/study.db", sampler=EquiwarpSampler(BOX, noise=0.05, n0=32)
    )
    study.optimize(measure, n_trials=16, n_jobs=4)
    assert len(np.unique(columns(study), axis=0)) == 16


@pytest.fixture
def two_processes(tmp_path) -> list[optuna.Study]:
    """The same study of a database, as two processes see it: each with a sampler of its own."""
    return [
        optuna.create_study(
            study_name="map",
            storage=f"sqlite:///{tmp_path}/study.db",
            load_if_exists=True,
            sampler=EquiwarpSampler(BOX, noise=0.05, n0=8),
        )
        for _ in range(2)
    ]


def test_a_choice_that_another_process_made_meanwhile_is_made_again(two_processes) -> None:
    first, second = two_processes
    choose, met = first.sampler._guide.points, []

    def slowly(*known: object) -> np.ndarray:
        point = choose(*known)
        if not met:  # while this one thinks, the other chooses, measures and is done
            met.append(point[0].tolist())
            second.optimize(measure, n_trials=1)
        return point

    first.sampler._guide.points = slowly
    first.optimize(measure, n_trials=1)
    chosen = columns(first)[:, ::-1].tolist()  # Optuna's order of parameters is that of the alphabet
    assert len(chosen) == 2
    assert met[0] in chosen  # they did meet
    assert chosen[0] != chosen[1]


def test_processes_that_meet_at_a_place_part_from_it(two_processes) -> None:
    """Both choose knowing the same; neither may then take what the other takes next."""
    together = Barrier(2, timeout=120)
    for study in two_processes:
        choose, first_call = study.sampler._guide.points, iter([True])

        def at_once(*known: object, choose=choose, first_call=first_call) -> np.ndarray:
            point = choose(*known)
            if next(first_call, False):
                together.wait()
            return point

        study.sampler._guide.points = at_once
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda study: study.optimize(measure, n_trials=1), two_processes))
    chosen = columns(two_processes[0])
    assert len(np.unique(chosen, axis=0)) == len(chosen) == 2


def test_enqueued_trials_are_spoken_for() -> None:
    study = optuna.create_study(sampler=EquiwarpSampler(BOX, noise=0.05, n0=2))
    study.optimize(measure, n_trials=4)
    trial = study.ask()
    wanted = {
        "temperature": trial.suggest_float("temperature", 20, 90),
        "pH": trial.suggest_float("pH", 3, 9),
    }
    again = optuna.create_study(sampler=EquiwarpSampler(BOX, noise=0.05, n0=2))
    again.add_trials(study.trials[:4])
    again.enqueue_trial(wanted)
    waiting = again.trials[-1]
    assert waiting.state == TrialState.WAITING
    places = again.sampler.sample_relative(
        again, again._storage.get_trial(again._storage.create_new_trial(again._study_id)), _distributions(BOX)
    )
    assert places != wanted


def test_the_space_is_inferred_after_the_first_trial() -> None:
    study = optuna.create_study(sampler=EquiwarpSampler(noise=0.05, n0=3))
    study.optimize(measure, n_trials=6)
    x = columns(study)[:, ::-1]
    box = ew.Box({"pH": (3, 9), "temperature": (20, 90)})
    expected = ew.suggest(box, x[:5], [t.value for t in study.trials[:5]], 1, noise=0.05).points[0]
    assert np.array_equal(expected, x[5])


def test_integers_steps_and_logarithms_stay_what_they_are() -> None:
    space = {
        "n": IntDistribution(1, 9),
        "step": FloatDistribution(0.0, 1.0, step=0.25),
        "rate": FloatDistribution(1e-4, 1.0, log=True),
        "fixed": IntDistribution(7, 7),
    }

    def objective(trial: optuna.Trial) -> float:
        n, s = trial.suggest_int("n", 1, 9), trial.suggest_float("step", 0.0, 1.0, step=0.25)
        rate, fixed = trial.suggest_float("rate", 1e-4, 1.0, log=True), trial.suggest_int("fixed", 7, 7)
        assert isinstance(n, int)
        return n * s + np.log(rate) + fixed

    study = optuna.create_study(sampler=EquiwarpSampler(space, noise=0.1, n0=4))
    study.optimize(objective, n_trials=8)
    for trial in study.trials:
        assert trial.params["step"] in (0.0, 0.25, 0.5, 0.75, 1.0)
        assert trial.params["fixed"] == 7
    assert np.mean([t.params["rate"] < 0.01 for t in study.trials]) > 0.25  # log scale, not linear


def test_several_objectives_are_several_responses() -> None:
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=EquiwarpSampler(BOX, noise=0.05, n0=4)
    )
    study.optimize(lambda t: (measure(t), -(t.params["pH"] ** 2)), n_trials=6)
    assert len(study.get_trials(states=(TrialState.COMPLETE,))) == 6


@pytest.mark.parametrize(
    "domain", [ew.Sphere(2), ew.Box({"n": {"levels": [1.0, 2.0, 5.0]}})], ids=["sphere", "levels"]
)
def test_domains_that_optuna_cannot_express_are_refused(domain: ew.Domain) -> None:
    with pytest.raises(ValueError, match=r"equiwarp\.Campaign"):
        EquiwarpSampler(domain)


def test_mixtures_are_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="cannot say that they depend on each other"):
        EquiwarpSampler(ew.Simplex(["Cu", "Zn", "Sn"]))


def test_categories_are_texts_between_which_there_is_no_order() -> None:
    space = {"solvent": CategoricalDistribution(["water", "ethanol"]), "heat": FloatDistribution(20, 90)}
    study = optuna.create_study(sampler=EquiwarpSampler(space, n0=4, noise=0.1))

    def objective(trial: optuna.Trial) -> float:
        solvent = trial.suggest_categorical("solvent", ["water", "ethanol"])
        return trial.suggest_float("heat", 20, 90) + 10 * (solvent == "water")

    study.optimize(objective, n_trials=8)
    assert {trial.params["solvent"] for trial in study.trials[:4]} == {"water", "ethanol"}
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 8
    box = ew.Box({"solvent": ["water", "ethanol"], "heat": (20, 90)})
    assert EquiwarpSampler(box)._space == space


def test_categories_that_are_numbers_are_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="choose between texts"):
        EquiwarpSampler({"grade": CategoricalDistribution([1, 2, 5])})
    study = optuna.create_study(sampler=EquiwarpSampler())
    with pytest.raises(ValueError, match="choose between texts"):
        study.optimize(lambda t: t.suggest_categorical("grade", [1, 2, 5]), n_trials=1)


def test_a_parameter_that_only_some_trials_have_is_refused() -> None:
    study = optuna.create_study(sampler=EquiwarpSampler(BOX))
    with pytest.raises(ValueError, match="one domain"):
        study.optimize(lambda t: t.suggest_float("pressure", 0, 1), n_trials=1)


@pytest.mark.parametrize("space", [None, BOX], ids=["found", "given"])
def test_a_trial_that_was_enqueued_outside_the_bounds_does_not_end_the_study(space) -> None:
    """Optuna warns of it and runs it all the same."""
    study = optuna.create_study(sampler=EquiwarpSampler(space, noise=0.05, n0=3))
    study.optimize(measure, n_trials=4)
    study.enqueue_trial({"temperature": 150.0, "pH": 5.0})
    study.optimize(measure, n_trials=1)
    assert study.trials[4].params["temperature"] == 150.0
    study.enqueue_trial({"temperature": 10.0, "pH": 5.0})  # this one waits
    waiting, new = study.ask(), study.ask()
    assert waiting.suggest_float("temperature", 20, 90) == 10.0
    assert 20 <= new.suggest_float("temperature", 20, 90) <= 90
