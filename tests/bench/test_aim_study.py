"""The study of aims: others' criteria against plain formulas, and a run that can be resumed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import entr
from scipy.stats import norm

import equiwarp as ew
from equiwarp.bench.pages.aim_page import aim_page, paired_table
from equiwarp.bench.peers.contours import CRITERIA, ContourInputs
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.studies import aim as study
from equiwarp.models.matern import MaternModel

BOX = ew.Box.unit(1)


@pytest.fixture(scope="module")
def inputs():
    x = np.linspace(0, 1, 6)[:, None]
    y = np.sin(5 * x[:, 0])
    model = MaternModel.fit_map(BOX, x, y, np.full(6, 0.1))
    P = np.linspace(0.03, 0.97, 9)[:, None]
    U = np.linspace(0, 1, 20)[:, None]
    return ContourInputs(model, P, U, *model.predict(P, return_std=True), 0.3, 0.1, float(y.std()))


def test_criteria_of_one_place_are_the_published_formulas(inputs):
    m, s, t = inputs.mean, inputs.deviation, 0.3
    f = m + s * norm.ppf((np.arange(20_000) + 0.5) / 20_000)[:, None]  # draws of the belief
    np.testing.assert_allclose(CRITERIA["straddle"](inputs), 1.96 * s - np.abs(m - t))
    np.testing.assert_allclose(CRITERIA["target"](inputs), np.mean(np.abs(f - t) < 0.1, axis=0), atol=1e-3)
    expected = np.maximum(0, s - np.abs(f - t)).mean(axis=0)
    np.testing.assert_allclose(CRITERIA["feasibility"](inputs), expected, rtol=1e-3, atol=1e-6)
    p = norm.cdf((m - t) / s)
    np.testing.assert_allclose(CRITERIA["mee"](inputs), np.minimum(p, 1 - p), atol=1e-12)
    wide = np.sqrt(s**2 + 0.05 * inputs.scale**2)
    ratio = CRITERIA["tmse"](inputs) / (s**2 * norm.pdf(t, m, wide))
    np.testing.assert_allclose(ratio, ratio[0])
    new = np.sqrt(1 / (1 / s**2 + 1 / 0.1**2))
    expected = norm.cdf(-np.abs(m - t) / s) - norm.cdf(-np.abs(m - t) / new)
    np.testing.assert_allclose(CRITERIA["csur"](inputs), expected)


def test_a_look_ahead_is_the_mean_over_values_that_may_be_measured(inputs):
    """Drawn from the prediction, taken in by conditioning, one pool point at a time."""
    found = {name: CRITERIA[name](inputs) for name in ("sur", "class error", "mi", "eavc", "icu", "timse")}
    mean, sd = inputs.model.predict(inputs.U, return_std=True)
    p = norm.cdf((mean - 0.3) / sd)
    for i in (1, 4):
        c = inputs.model.covariance(inputs.P[[i]], inputs.U)[0]
        unit = inputs.deviation[i] ** 2 + 0.1**2
        surprise = np.sqrt(unit) * norm.ppf((np.arange(20_000) + 0.5) / 20_000)
        after, left = mean + np.outer(surprise, c / unit), np.sqrt(sd**2 - c**2 / unit)
        q = norm.cdf((after - 0.3) / left)
        expected = {
            "sur": np.mean(p * (1 - p)) - np.mean(q * (1 - q)),
            "class error": np.mean(np.minimum(p, 1 - p)) - np.mean(np.minimum(q, 1 - q)),
            "mi": np.mean(entr(p) + entr(1 - p)) - np.mean(entr(q) + entr(1 - q)),
            "eavc": np.mean(np.abs((q - p).mean(axis=1))),
            "icu": np.mean(norm.cdf(-np.abs(mean - 0.3) / sd) - norm.cdf(-np.abs(mean - 0.3) / left)),
            "timse": np.sqrt(2 * np.pi) * np.mean(c**2 / unit * norm.pdf(0.3, mean, sd)),
        }
        for name, value in expected.items():
            assert found[name][i] == pytest.approx(value, rel=0.1 if name == "eavc" else 0.01), name


def test_a_run_goes_on_where_it_stopped_and_fills_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "POINTS", (11, 12))
    monkeypatch.setattr(study, "POOL", 64)
    path = tmp_path / "aim.csv"
    arms = ("fps", "fps + aim", "straddle")
    first = study.run_aims(path, [(0, "smooth-box-2d")], arms[:2])
    text = path.read_text()
    again = study.run_aims(path, [(0, "smooth-box-2d")], arms)
    assert path.read_text().startswith(text)
    assert again[: len(first)] == first
    assert {r["arm"] for r in study.whole_cases(read_records(path), arms)} == set(arms)
    assert study.whole_cases(read_records(path), (*arms, "mi")) == []
    assert all(0 <= r["area"] <= 1 and r["error"] > 0 for r in again)


def test_the_page_says_who_is_better_among_named_and_among_random_functions():
    records = [
        {
            "benchmark": b,
            "seed": 0,
            "arm": arm,
            "points": n,
            "area": 0.02 if arm == "mi" else 0.04,
            "error": 0.1,
        }
        for b, arms in (
            ("a", study.ARMS),
            ("b", study.ARMS),
            ("random:local-2d-0", ("map + aim", "look-ahead + aim")),
        )
        for arm in arms
        for n in study.POINTS
    ]
    records.append({**records[-1], "benchmark": "c", "arm": "fps"})  # no other arm has finished it
    text = aim_page(records, "equiwarp bench study aim")
    assert "2 cases: a, b; seeds 0." in text
    assert "| `mi` | 2.00 ± 0.00 |" in text
    assert "| `mi` | 0.50 ± 0.00 (2 of 2)" in text
    assert "1 cases: seven families" in text
    assert "`look-ahead + aim` is `map` that looks for the contour by the chance" in text
    assert "| `mi` | 0.50 ± 0.00 (2 of 2)" in paired_table(records)  # as far as ours has got
    assert "| `fps` | – |" in paired_table([r for r in records if r["arm"] == "fps"])


@pytest.mark.parametrize("name", study.FUNCTIONS)
def test_a_level_can_be_told_from_most_of_the_domain(name):
    """Three tenths of Gramacy-Lee lie above 7e-7, and three quarters within the noise of that."""
    seeded = study.SeededBenchmark(study.find_benchmark(name), 0)
    level, truth = study.level_of(seeded), study.held_out(seeded.benchmark)[1]
    assert np.mean(np.abs(truth - level) < seeded.noise) < 0.12
    assert 0.04 < np.mean(truth > level) < 0.32
    assert (np.mean(truth > level) < 0.25) == (name == "gramacy-lee-2d")


def test_the_functions_of_a_group():
    assert len(study.aim_benchmarks("random", 3)) == 14
    assert "random:local-3d-3" in study.aim_benchmarks("random", 3)
    assert tuple(study.aim_benchmarks("named", 3)) == study.FUNCTIONS
