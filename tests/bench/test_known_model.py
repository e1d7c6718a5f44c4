"""The study without values: what a design leaves under a known model, and that it resumes."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.bench.pages.known_model_part import known_model_part
from equiwarp.bench.studies import known_model
from equiwarp.bench.studies.known_model import KnownModelCase
from equiwarp.domains import Box
from equiwarp.engine.configuration import prepare
from equiwarp.strategy.map_models import TargetChoice


def matern(A, B, ell):
    r = np.sqrt(5.0) * np.linalg.norm(A[:, None] - B[None], axis=2) / ell
    return (1 + r + r**2 / 3) * np.exp(-r)


def dense_left(x, test, ell, noise):
    """Variance at the test points, by a full inverse."""
    inverse = np.linalg.inv(matern(x, x, ell) + (noise**2 + 1e-10) * np.eye(len(x)))
    k = matern(test, x, ell)
    return 1.0 - np.einsum("ij,jk,ik->i", k, inverse, k)


def test_what_is_left_and_the_next_point_are_those_of_the_definition(monkeypatch):
    monkeypatch.setattr(known_model, "TARGETS", {"few": TargetChoice(32)})
    case = KnownModelCase(2, 0.4, 0.1, "few", 3)
    ell, domain = 0.4 * np.sqrt(2.0), Box.unit(2)
    configuration = prepare(domain, "fps", 3, pool=domain.pool(40, np.random.default_rng(1)))
    x, model = domain.sample(6, np.random.default_rng(2)), known_model.known_model(case)
    targets = configuration.targets[:32]
    left = known_model.deviation_left(model, x, targets, 0.1)
    assert left == pytest.approx(np.sqrt(dense_left(x, targets, ell, 0.1).mean()), rel=1e-9)
    chosen = known_model.integrated(configuration, model, case, x, 8)
    for n in (6, 7):
        after = [dense_left(np.vstack([chosen[:n], p]), targets, ell, 0.1).mean() for p in configuration.pool]
        np.testing.assert_array_equal(chosen[n], configuration.pool[int(np.argmin(after))])


def test_a_case_is_computed_once_and_the_page_compares_with_farthest_points(tmp_path, monkeypatch):
    monkeypatch.setattr(known_model, "SIZES", (12, 16))
    monkeypatch.setattr(known_model, "POOL", 64)
    cases = [c for c in known_model.known_model_cases([1]) if c.dim == 2 and c.lengthscale == 0.6]
    cases = [c for c in cases if c.noise == 0.05 and c.arm in ("fps", "256 targets")]
    records = known_model.run_known_model(tmp_path / "k.csv", cases)
    assert [(r["arm"], r["points"]) for r in records] == [
        ("fps", 12), ("fps", 16), ("256 targets", 12), ("256 targets", 16),
    ]  # fmt: skip
    assert records[1]["left"] < records[0]["left"] < 1
    left: list[object] = []
    again = known_model.run_known_model(tmp_path / "k.csv", cases, lambda todo: left.extend(todo) or [])
    assert (again, left) == (records, [])
    known = [
        {"dim": 2, "lengthscale": 0.6, "noise": 0.05, "arm": arm, "seed": 1, "points": p, "left": left_over}
        for arm, left_over in (("fps", 0.4), ("256 targets", 0.3))
        for p in (20, 40, 80, 160)
    ]
    assert "| 2 | 0.6 | 5 % | 256 targets | 25 | 25 | 25 | 25 |" in "\n".join(known_model_part(known))
