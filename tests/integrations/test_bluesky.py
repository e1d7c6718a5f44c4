"""bluesky-adaptive 0.x: the recommender in a real RunEngine with simulated motors and a detector."""

from __future__ import annotations

import numpy as np
import pytest
from bluesky import RunEngine
from bluesky_adaptive import per_event, per_start
from bluesky_adaptive.recommendations import NoRecommendation
from ophyd.sim import SynAxis, SynSignal

import equiwarp as ew
from equiwarp.integrations.bluesky import LockStepRecommender
from equiwarp.maps.stopping import StopRule

BOX = ew.Box({"x": (-2.0, 2.0), "y": (0.0, 3.0)})


class Bench:
    """Two motors, and a detector that sees a peak."""

    def __init__(self) -> None:
        self.x, self.y = SynAxis(name="x"), SynAxis(name="y")
        self.det = SynSignal(func=self.signal, name="det")
        self.positions: list[tuple[float, float]] = []

    def signal(self) -> float:
        x, y = self.x.position, self.y.position
        return float(np.exp(-((x - 0.5) ** 2) - (y - 1.5) ** 2))

    def watch(self, name: str, doc: dict) -> None:
        if name == "event":
            self.positions.append((doc["data"]["x"], doc["data"]["y"]))


def run(package, recommender: LockStepRecommender, max_count: int) -> Bench:
    bench = Bench()
    callback, queue = package.recommender_factory(recommender, ["x", "y"], ["det"], max_count=max_count)
    engine = RunEngine({})
    engine.subscribe(bench.watch)
    first = {bench.x: 0.1, bench.y: 0.2}
    engine(package.adaptive_plan([bench.det], first, to_recommender=callback, from_recommender=queue))
    return bench


@pytest.mark.parametrize("package", [per_event, per_start])
def test_the_run_engine_goes_where_suggest_says(package) -> None:
    recommender = LockStepRecommender(BOX, noise=0.02, n0=4, seed=1)
    bench = run(package, recommender, max_count=8)
    x = np.array(bench.positions)
    y = np.exp(-((x[:, 0] - 0.5) ** 2) - (x[:, 1] - 1.5) ** 2)
    assert len(x) >= 9
    for n in range(4, len(x)):
        expected = ew.suggest(BOX, x[:n], y[:n], 1, noise=0.02, seed=1).points[0]
        assert np.allclose(expected, x[n])
    n = len(recommender.loop.x)  # at its limit, the factory ends the plan without passing on the last event
    assert n == len(x) - 1
    assert recommender.map().predict(x[:n]).mean.ravel() == pytest.approx(y[:n], abs=0.1)


def test_the_plan_ends_when_the_map_is_good_enough() -> None:
    recommender = LockStepRecommender(BOX, noise=0.02, n0=6, stop=StopRule(error=0.2))
    bench = run(per_event, recommender, max_count=200)
    assert len(bench.positions) < 60
    assert recommender.advice().stop
    with pytest.raises(NoRecommendation, match="within the limit"):
        recommender.suggest(1)
    assert recommender.map().error()[0].value <= 0.2


def test_without_a_stop_rule_it_never_stops() -> None:
    recommender = LockStepRecommender(BOX, noise=0.02, n0=6)
    bench = run(per_event, recommender, max_count=12)
    assert len(bench.positions) == 13  # the plan's own limit
    assert recommender.suggest(1).shape == (2,)


def test_readbacks_just_outside_are_on_the_face() -> None:
    recommender = LockStepRecommender(BOX, n0=4)
    recommender.ingest([2.01, 1.0], [0.3])
    assert recommender.loop.x == [[2.0, 1.0]]
    with pytest.raises(ValueError, match=r"x = 2\.5 is outside"):
        recommender.ingest([2.5, 1.0], [0.3])
    with pytest.raises(ValueError, match="as many responses"):
        recommender.ingest([1.5, 1.0], [0.3, 0.4])


def test_a_readback_is_near_on_the_scale_of_its_axis_and_an_angle_goes_on_around() -> None:
    """On a log scale one percent of the range would be many times the lower end."""
    box = ew.Box(
        {
            "angle": ew.Parameter(0, 360, periodic=True),
            "dose": ew.Parameter(0.001, 1000, scale="log"),
            "mesh": {"levels": [1, 2, 5]},
        }
    )
    recommender = LockStepRecommender(box, n0=4)
    recommender.ingest([361.0, 1050.0, 5.01], [0.3])
    recommender.ingest([-1.0, 0.00095, 2.0], [0.3])
    assert recommender.loop.x == [[1.0, 1000.0, 5.0], [359.0, 0.001, 2.0]]
    for dose in (-5.0, 0.0, 0.0005):
        with pytest.raises(ValueError, match=r"dose = .* is outside"):
            recommender.ingest([10.0, dose, 1.0], [0.3])


def test_a_dead_detector_is_a_failure_not_a_value() -> None:
    recommender = LockStepRecommender(BOX, noise=0.02, n0=2)
    recommender.ingest_many([[0.0, 1.0], [1.0, 2.0]], [[0.3], [np.nan]])
    assert len(recommender.loop.x) == 1
    assert recommender.loop.failed == [[1.0, 2.0]]
    u = BOX.to_cube(np.array([recommender.suggest(1), [1.0, 2.0]]))
    assert np.linalg.norm(u[0] - u[1]) > 0.1


@pytest.mark.parametrize("domain", [ew.Simplex(["Cu", "Zn", "Sn"]), ew.Sphere(2)], ids=["mixture", "sphere"])
def test_other_domains_are_as_good_as_a_box(domain: ew.Domain) -> None:
    recommender = LockStepRecommender(domain, ["a", "b"], noise=0.05, n0=4)
    for _ in range(6):
        point = recommender.suggest(1)
        assert domain.contains(point[None])[0]
        recommender.ingest(point, [point[0], point[1] ** 2])
    assert len(recommender.map().models) == 2
