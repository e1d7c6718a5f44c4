"""gest-api: the generator in its own interface, and driven by Xopt."""

from __future__ import annotations

import numpy as np
import pytest
from gest_api.vocs import VOCS
from xopt import Evaluator, Xopt
from xopt.stopping_conditions import MaxEvaluationsCondition

import equiwarp as ew
from equiwarp.integrations.gest import EquiwarpGenerator

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def vocs(**changes) -> VOCS:
    fields = {"variables": {"temperature": [20, 90], "pH": [3, 9]}, "objectives": {"yield": "EXPLORE"}}
    return VOCS(**{**fields, **changes})


def furnace(inputs: dict) -> dict:
    return {"yield": float(np.exp(-(((inputs["temperature"] - 40) / 10) ** 2)) + 0.1 * inputs["pH"])}


def test_xopt_drives_it_and_the_points_are_those_of_suggest() -> None:
    generator = EquiwarpGenerator(vocs(), noise=0.05, n0=6, seed=2)
    xopt = Xopt(
        generator=generator,
        evaluator=Evaluator(function=furnace),
        stopping_condition=MaxEvaluationsCondition(max_evaluations=10),
    )
    xopt.run()
    x, y = xopt.data[["temperature", "pH"]].to_numpy(), xopt.data["yield"].to_numpy()
    assert len(x) == 10
    for n in range(6, 10):
        expected = ew.suggest(BOX, x[:n], y[:n], 1, noise=0.05, seed=2).points[0]
        assert np.array_equal(expected, x[n])
    assert not xopt.generator.loop.pending
    assert xopt.generator.map().predict(x).mean.ravel() == pytest.approx(y, abs=0.1)


def test_xopt_can_fail_and_bring_points_of_its_own() -> None:
    calls = []

    def moody(inputs: dict) -> dict:
        calls.append(inputs)
        if len(calls) % 3 == 0:
            raise RuntimeError("furnace tripped")
        return furnace(inputs)

    xopt = Xopt(
        generator=EquiwarpGenerator(vocs(), noise=0.05, n0=4),
        evaluator=Evaluator(function=moody),
        strict=False,
    )
    xopt.random_evaluate(2, seed=0)
    for _ in range(7):
        xopt.step()
    loop = xopt.generator.loop
    assert len(loop.x) == 6
    assert len(loop.failed) == 3
    assert not loop.pending
    assert len(np.unique(np.array(loop.x + loop.failed), axis=0)) == 9


def test_what_was_suggested_is_pending_until_it_is_ingested() -> None:
    generator = EquiwarpGenerator(vocs(), noise=0.05, n0=3, batch=2)
    rows = generator.suggest(3)
    for row in rows:
        row.update(furnace(row))
    generator.ingest(rows)
    one, two = generator.suggest(), generator.suggest(2)
    points = BOX.to_cube(np.array([[r["temperature"], r["pH"]] for r in one + two]))
    assert len({r["_id"] for r in rows + one + two}) == 7
    assert (np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(4)).min() > 0.1
    x, y = [[r["temperature"], r["pH"]] for r in rows], [r["yield"] for r in rows]
    pending = [[r["temperature"], r["pH"]] for r in one]
    expected = ew.suggest(BOX, x, y, 2, noise=0.05, pending=pending).points
    assert np.array_equal(expected, [[r["temperature"], r["pH"]] for r in two])


def test_constants_levels_and_several_objectives() -> None:
    problem = vocs(
        variables={"n": {1, 2, 5}, "x": [0, 1]},
        objectives={"f": "EXPLORE", "g": "EXPLORE"},
        constants={"pressure": 1.5},
    )
    generator = EquiwarpGenerator(problem, n0=3, noise=[0.1, 0.1])
    for _ in range(5):
        rows = generator.suggest(1)
        assert rows[0]["n"] in (1, 2, 5)
        assert rows[0]["pressure"] == 1.5
        generator.ingest([{**r, "f": r["x"], "g": -r["n"]} for r in rows])
    assert len(generator.map().models) == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"objectives": {"f": "MINIMIZE"}}, "declare it EXPLORE"),
        ({"objectives": {}}, "nothing to map"),
        ({"constraints": {"c": ["LESS_THAN", 0.0]}}, "unknown before a measurement"),
        ({"variables": {"solvent": {"water", 3.0}}}, "numbers only, or texts only"),
        ({"variables": {"humidity": "CONTEXTUAL"}}, "cannot be set"),
    ],
)
def test_what_cannot_be_mapped_is_refused_with_the_reason(changes: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        EquiwarpGenerator(vocs(**changes))


def test_wrong_results_are_refused_whole() -> None:
    generator = EquiwarpGenerator(vocs(), n0=3)
    (row,) = generator.suggest(1)
    good = {**row, "yield": 1.0}
    for bad, reason in [
        ({**good, "_id": 7}, "never handed out"),
        ({"temperature": 30.0, "yield": 1.0}, "'pH'"),
        ({"temperature": 30.0, "pH": 99.0, "yield": 1.0}, "outside"),
        ({"temperature": 30.0, "pH": 4.0}, "none of"),
    ]:
        with pytest.raises(ValueError, match=reason):
            generator.ingest([good, bad])
        assert not generator.loop.x
        assert len(generator.loop.pending) == 1
