"""Where data and model disagree: each fault is found and named, and a clean campaign is left alone."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.bench.functions.random_families import FAMILIES, random_function
from equiwarp.bench.studies.findings import cases, measured
from equiwarp.maps.diagnostics.contradicted import MOST_REFITTED, contradicted, spread
from equiwarp.maps.diagnostics.drift import explained_by_settings
from equiwarp.maps.diagnostics.structure import predicted_share
from equiwarp.maps.diagnostics.subject import Subject
from equiwarp.maps.effects import effect_points, effects
from equiwarp.maps.noise import KnownNoise

BOX = ew.Box({"temperature": {"low": 20, "high": 90, "unit": "°C"}, "pH": (3, 9)})
NOISE = 0.3


def smooth(x):
    """A hill in the middle of both parameters, deviation about 2.5: no edge is its highest place."""
    u = BOX.to_cube(x)
    return 40 + 12 * np.exp(-3 * ((u - [0.45, 0.55]) ** 2).sum(axis=1)) + np.sin(6 * u[:, 0])


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = BOX.sample(n, rng)
    return x, smooth(x) + NOISE * rng.standard_normal(n)


def found(x, y, noise=NOISE, box=BOX, **more):
    return ew.build_map(box, x, y, noise, **more).diagnostics()


def kinds(findings):
    return [f.kind for f in findings]


def test_a_clean_campaign_is_left_alone():
    for seed in range(4):
        assert found(*data(seed=seed)) == ()


@pytest.mark.parametrize("noise", [NOISE, None])
@pytest.mark.parametrize("row", [0, 17, 39])
def test_a_value_that_the_others_contradict_is_named(row, noise):
    x, y = data()
    wrong = y.copy()
    wrong[row] += 10 * y.std()
    map = ew.build_map(BOX, x, wrong, noise, responses={"yield": "%"})
    [finding] = [f for f in map.diagnostics() if f.kind == "contradicted"]
    assert finding.experiments == (row,)
    assert finding.response == "yield"
    assert finding.sentence.startswith(f"Row {row}: the others contradict yield = {wrong[row]:.6g} %;")
    assert finding.numbers["predicted"] == pytest.approx(smooth(x[[row]])[0], abs=3 * NOISE + 0.5)
    assert f"map.without([{row}])" in finding.advice
    without = ew.build_map(BOX, np.delete(x, row, 0), np.delete(y, row), noise)
    assert finding.numbers["error_without"] == pytest.approx(without.error()[0].value, rel=1e-6)
    assert finding.numbers["error"] == pytest.approx(map.error()[0].value)
    np.testing.assert_allclose(map.without([row]).predict(x[:3]).mean, without.predict(x[:3]).mean, rtol=1e-6)


def test_what_is_said_of_a_value_has_the_digits_that_tell_it_from_the_others():
    """Of air pressure in Pa, the first three digits are those of every value."""
    x, y = data()
    y = 101_000 + y
    y[5] += 40
    [finding] = [f for f in found(x, y, responses={"pressure": "Pa"}) if f.kind == "contradicted"]
    mean, deviation = finding.numbers["predicted"], finding.numbers["deviation"]
    assert finding.sentence == (
        f"Row 5: the others contradict pressure = {y[5]:.0f} Pa; they predict "
        f"{mean:.2f} ± {deviation:.2f} Pa, {abs(y[5] - mean) / deviation:.0f} deviations away."
    )


def test_values_that_are_wrong_together_do_not_mask_each_other():
    """Neighbours that are all too high look right to each other."""
    x, y = data(60, seed=2)
    near = np.argsort(np.linalg.norm(BOX.to_cube(x) - 0.3, axis=1))[:3]
    y[near] += 10 * y.std()
    off = [f.experiments[0] for f in found(x, y) if f.kind == "contradicted"]
    assert sorted(off) == sorted(near)


def test_good_values_are_hardly_ever_accused():
    """Steep faces and fronts included; a lone value beyond a front is the one that may be."""
    box, accused = ew.Box.unit(3), []
    for family in FAMILIES:
        for seed in range(2):
            rng = np.random.default_rng(seed)
            x = box.sample(50, rng)
            y = random_function(family, 3, seed)(x) + 0.05 * rng.standard_normal(50)
            accused += [(family, seed)] * bool(contradicted(Subject.of(ew.build_map(box, x, y, 0.05), 0))[0])
    assert len(accused) <= 1


def test_in_a_large_map_residuals_alone_decide(monkeypatch):
    monkeypatch.setattr("equiwarp.maps.diagnostics.contradicted.MOST_REFITTED", 30)
    assert MOST_REFITTED > 100
    x, y = data()
    assert contradicted(Subject.of(ew.build_map(BOX, x, y, NOISE), 0))[0] == {}
    y[11] += 10 * y.std()
    assert list(contradicted(Subject.of(ew.build_map(BOX, x, y, NOISE), 0))[0]) == [11]


def test_the_numbers_of_a_value_of_a_large_map_are_those_of_the_others(monkeypatch):
    """Repeats of a place that the model misses look far off together; if one stays, the others know it."""
    monkeypatch.setattr("equiwarp.maps.diagnostics.contradicted.MOST_REFITTED", 30)
    x, y = sine(60)
    x, y = np.append(x, np.full((3, 1), 0.5), axis=0), np.append(y, 3.0 * np.sin(3.0) + np.full(3, 8 * NOISE))
    y[-3:] += NOISE * np.array([0.8, 0.6, -1.4])
    off, rest = contradicted(Subject.of(ew.build_map(ew.Box.unit(1), x, y, NOISE, models="matern"), 0))
    residual, expected = rest.left_out
    scale = spread(np.abs(residual) / expected)
    assert list(off) == [60, 61]
    for row, far in off.items():
        mean, sd = rest.model.predict(x[[row]], return_std=True)
        assert far == pytest.approx(abs(y[row] - mean[0]) / (scale * np.hypot(sd[0], NOISE)), rel=1e-6)


def test_a_value_is_judged_by_the_noise_that_the_map_takes():
    """Where repeats refute the stated noise, predictions are no more exact than the repeats show."""
    x, y = sine()
    x, y = np.append(x, x[::4], axis=0), np.append(y, y[::4] + 0.4 * (-1.0) ** np.arange(8))
    y[10] += 4.0
    said = [
        next(f for f in found(x, y, noise, ew.Box.unit(1), models="matern") if f.kind == "contradicted")
        for noise in (NOISE, NOISE / 100)
    ]
    for key in ("deviation", "deviations_away"):
        assert said[1].numbers[key] == pytest.approx(said[0].numbers[key], rel=0.1)


def sine(n=32):
    """Values of a sine on a line."""
    x = np.linspace(0, 1, n)[:, None]
    return x, 3.0 * np.sin(6 * x[:, 0]) + NOISE * np.random.default_rng(0).standard_normal(n)


def test_the_spread_of_residuals_is_robust_and_at_least_one():
    z = np.abs(np.random.default_rng(0).standard_normal(2000))
    assert spread(z) == pytest.approx(1.0, abs=0.06)
    assert spread(z / 9) == 1.0
    assert spread(3 * z) == pytest.approx(3.0, abs=0.2)
    z[:40] = 1e6
    assert spread(z) < 1.2


@pytest.mark.parametrize(("stated", "word"), [(NOISE / 6, "larger"), (6 * NOISE, "smaller")])
def test_stated_noise_that_the_values_contradict_is_said(stated, word):
    x, y = data(80, seed=1)
    [finding] = [f for f in found(x, y, stated) if f.kind == "noise"]
    assert finding.numbers["stated"] == pytest.approx(stated)
    assert finding.numbers["estimated"] == pytest.approx(NOISE, rel=0.4)
    assert word in finding.advice


@pytest.mark.parametrize(("factor", "word"), [(5.0, "more"), (0.0, "less")])
def test_repeats_that_disagree_with_the_noise_are_said(factor, word):
    x, y = data(40)
    again = y[0] + factor * NOISE * np.array([1.1, -0.9, 0.5, -1.3, 0.2, 0.8])
    repeated = np.vstack([x, np.repeat(x[:1], 6, axis=0)])
    [finding] = [f for f in found(repeated, np.concatenate([y, again])) if f.kind == "replicates"]
    assert f"{word} than the stated noise of 0.3 allows" in finding.sentence
    assert finding.experiments == (0, 40, 41, 42, 43, 44, 45)
    assert finding.numbers["scatter"] == pytest.approx(np.std([y[0], *again], ddof=1))


def test_repeats_that_agree_with_the_noise_are_not():
    x, y = data(40)
    again = y[0] + NOISE * np.array([1.1, -0.9, 0.5, -1.3, 0.2, 0.8])
    assert found(np.vstack([x, np.repeat(x[:1], 6, axis=0)]), np.concatenate([y, again])) == ()


def test_repeats_that_differ_without_any_stated_noise_are_said():
    x = [[0.5, 0.5], [0.5, 0.5], [0.2, 0.3], [0.2, 0.3], [0.9, 0.1], [0.1, 0.9], [0.7, 0.7]]
    y = [1.0, 2.0, 3.0, 4.0, 1.0, 0.0, 2.0]
    m = ew.build_map(ew.Box.unit(2), x, y, noise=0)
    [finding] = [f for f in m.diagnostics() if f.kind == "replicates"]
    assert "scatter by 0.707, more than the stated noise of 0 allows" in finding.sentence
    assert finding.advice.endswith("Until then the map takes 0.707 for the noise of every value.")
    assert finding.experiments == (0, 1, 2, 3)
    assert m.error()[0].value < 3


def test_that_one_place_alone_is_taken_for_noisier_is_said():
    x, y = data(40)
    repeated = np.vstack([x, x[:4]])
    again = y[:4] + NOISE * np.array([0.1, -0.4, 0.5, 60.0])
    [finding] = [f for f in found(repeated, np.concatenate([y, again])) if f.kind == "replicates"]
    assert finding.advice.endswith("for the noise of rows 3 and 43.")


@pytest.mark.parametrize("noise", [0.01, None])
def test_limits_that_are_repeated_are_no_copies(noise):
    """What lies below a limit is the same number however often it is measured."""
    x = np.append(np.linspace(0, 1, 20), [0.95] * 3)[:, None]
    y = np.exp(-4 * x[:, 0]) + 0.01 * np.random.default_rng(1).standard_normal(23)
    limit = y < 0.1
    assert limit[-3:].all()
    stated = None if noise is None else np.full((23, 1), noise)
    known = KnownNoise(stated, np.where(limit, 0.1 / np.sqrt(12), 0.0)[:, None])
    y[limit] = 0.05
    assert "replicates" not in kinds(found(x, y, known, ew.Box.unit(1), models="matern"))
    y[np.flatnonzero(~limit)[:4]] = y[0]
    x[np.flatnonzero(~limit)[:4]] = x[0]
    [finding] = [f for f in found(x, y, known, ew.Box.unit(1), models="matern") if f.kind == "replicates"]
    assert finding.experiments == tuple(np.flatnonzero(~limit)[:4])
    if noise:
        assert finding.numbers["noise"] == pytest.approx(noise)


@pytest.mark.parametrize("n", [1, 12])
def test_a_response_of_which_there_are_limits_only_is_looked_at(n):
    x, width = np.linspace(0, 1, n)[:, None], np.full((n, 1), 0.5 / np.sqrt(12))
    known = KnownNoise(None, width)
    assert "replicates" not in kinds(found(x, np.full(n, 0.25), known, ew.Box.unit(1), models="matern"))


def test_equal_repeats_without_noise_are_no_contradiction():
    """Means of equal values differ from them by a rounding error."""
    x, y = data(12)
    assert "replicates" not in kinds(found(np.vstack([x, x, x]), np.tile(y, 3), 0.0))
    m = ew.build_map(BOX, np.vstack([x, x, x]), np.full(36, 0.1), noise=0.0)
    assert (m.credible_noise[0] == 0.0).all()


def test_two_equal_values_have_no_variance_to_predict():
    x, _ = data(2)
    assert found(x, np.ones(2)) == ()
    assert predicted_share(Subject.of(ew.build_map(BOX, x, np.ones(2), NOISE), 0)) == 0.0


def test_noise_that_could_not_be_estimated_is_called_so():
    """In six dimensions forty values are so far apart that noise and function look alike."""
    box = ew.Box.unit(6)
    rng = np.random.default_rng(0)
    x = box.sample(40, rng)
    y = random_function("isotropic", 6, 1)(x) + 0.05 * rng.standard_normal(40)
    [finding] = [f for f in found(x, y, None, box) if f.kind == "noise unknown"]
    assert finding.numbers["low"] < finding.numbers["high"]
    assert "noise unknown" not in kinds(found(x, y, 0.05, box))
    assert "noise unknown" not in kinds(found(*data(80), None))


@pytest.mark.parametrize("noise", [1.0, None])
def test_pure_noise_is_called_so(noise):
    rng = np.random.default_rng(4)
    x = BOX.sample(40, rng)
    assert "no structure" in kinds(found(x, rng.standard_normal(40), noise))
    subject = Subject.of(ew.build_map(BOX, *data(), NOISE), 0)
    assert predicted_share(subject) > 0.9


def test_constant_values_are_called_so_in_their_units():
    x, _ = data(10)
    [finding] = found(x, np.full(10, 3.25), 0.1, responses={"thickness": "nm"})
    assert finding.kind == "constant"
    assert "All 10 values of thickness are 3.25 nm" in finding.sentence
    assert f"{finding.numbers['error']:.3g} nm" in finding.sentence


@pytest.mark.parametrize("direction", [1, -1])
def test_drift_along_the_order_of_measurement_is_found(direction):
    x, y = data(60, seed=3)
    drifting = y + direction * 12 * NOISE * np.linspace(0, 1, 60)
    [finding] = [f for f in found(x, drifting) if f.kind == "drift"]
    assert ("upwards" if direction > 0 else "downwards") in finding.sentence
    assert 2 * NOISE < direction * finding.numbers["change"] < 20 * NOISE
    assert "drift" not in kinds(found(x, y))


def test_an_order_that_follows_a_parameter_is_no_drift():
    """Whoever scans the temperature cannot tell its effect from drift."""
    x, y = data(60, seed=3)
    scan = np.argsort(x[:, 0])
    subject = Subject.of(ew.build_map(BOX, x[scan], y[scan] + 5 * np.linspace(0, 1, 60), NOISE), 0)
    assert explained_by_settings(subject, np.linspace(-1, 1, 60)) > 0.95
    assert "drift" not in kinds(subject.map.diagnostics())


def test_a_parameter_without_visible_effect_is_named():
    box = ew.Box({"temperature": (20, 90), "stirring": (100, 900)})
    rng = np.random.default_rng(5)
    x = box.sample(40, rng)
    y = 5 * np.sin(x[:, 0] / 12) + 0.1 * rng.standard_normal(40)
    named = [f.sentence for f in found(x, y, 0.1, box) if f.kind == "inert"]
    assert len(named) == 1
    assert named[0].startswith("stirring has no visible effect")


def test_a_share_of_nothing_is_called_nothing():
    x = BOX.sample(30, np.random.default_rng(0))
    [finding] = [f for f in found(x, 1e5 * (1 + x[:, 0] / 300), 1e-4) if f.kind == "inert"]
    assert finding.sentence.endswith("so far: it accounts for nothing of the map's variance.")


def test_parameters_that_hang_together_are_not_called_inert():
    """Each alone explains everything, though with the other one held it can hardly be changed."""
    a = np.linspace(0, 1, 200)
    listed = ew.Candidates({"a": a, "b": a**2})
    narrow = ew.Constrained(ew.Box({"a": (0, 1), "b": (0, 1)}), ["a - b <= 0.005", "b - a <= 0.005"])
    beside = ew.Product(listed, ew.Box({"c": (0, 1)}))
    for domain, x in (
        (listed, listed.points[::12]),
        (beside, beside.sample(40, np.random.default_rng(0))),
        (narrow, narrow.sample(20, np.random.default_rng(0))),
    ):
        named = [f.sentence[0] for f in found(x, 3 * x[:, 0], 0.05, domain) if f.kind == "inert"]
        assert not {"a", "b"} & set(named)


@pytest.mark.parametrize("n", [200, 1000])
def test_a_column_of_a_list_that_does_nothing_is_named(n):
    listed = ew.Candidates(np.random.default_rng(2).random((n, 3)), ["a", "b", "c"])
    x = listed.points[:40]
    [inert] = [f for f in found(x, 3 * x[:, 0] + x[:, 1], 0.05, listed) if f.kind == "inert"]
    assert inert.sentence.startswith("c has no visible effect")


def test_an_edge_where_the_map_still_rises_is_named():
    x, _ = data(40)
    u = BOX.to_cube(x)
    rising = 10 * u[:, 0] - 6 * (u[:, 1] - 0.5) ** 2 + 0.1 * np.random.default_rng(0).standard_normal(40)
    [edge] = [f for f in found(x, rising, 0.1) if f.kind == "edge"]
    assert "still rises towards temperature = 90 °C." in edge.sentence
    [edge] = [f for f in found(x, -rising, 0.1) if f.kind == "edge"]
    assert "temperature = 20 °C and pH =" in edge.sentence


def test_categories_and_angles_have_no_edge_but_may_have_no_effect():
    box = ew.Box({"heat": (20, 90), "turn": ew.Parameter(0, 360, periodic=True), "gas": ["air", "argon"]})
    rng = np.random.default_rng(2)
    x = box.sample(60, rng)
    y = x[:, 0] / 7 + 3 * np.cos(np.radians(x[:, 1])) + 0.1 * rng.standard_normal(60)
    findings = found(x, y, 0.1, box)
    [edge] = [f.sentence for f in findings if f.kind == "edge"]
    assert edge.endswith("still rises towards heat = 90.")
    [inert] = [f for f in findings if f.kind == "inert"]
    assert inert.sentence.startswith("gas has no visible effect")
    assert "add further categories" in inert.advice
    [edge] = [f.sentence for f in found(x, y + 20 * x[:, 2], 0.1, box) if f.kind == "edge"]
    assert "gas" not in edge


def test_every_response_is_examined_by_itself():
    x, y = data()
    other = y.copy()
    other[7] += 10 * y.std()
    both = found(x, np.column_stack([y, other]), responses=["good", "bad"])
    assert [(f.kind, f.response, f.experiments) for f in both] == [("contradicted", "bad", (7,))]


def test_experiments_of_a_campaign_are_called_by_their_ids(tmp_path):
    with ew.Campaign("c", BOX, noise=NOISE, store=tmp_path / "c.db", strategy="fps") as c:
        c.ask(3)  # pending: the ids of the measurements begin later
        x, y = data()
        y[5] += 10 * y.std()
        c.add(x, y)
        map = c.map()
        assert map.ids == tuple(range(4, 44))
        [finding] = map.diagnostics()
        assert finding.experiments == (9,)
        assert "`equiwarp withdraw 9`" in finding.advice
        assert finding.sentence.startswith("Experiment 9:")
        left = map.without(finding.experiments)
        assert left.ids == tuple(i for i in range(4, 44) if i != 9)
        assert left.diagnostics() == ()
        with pytest.raises(ew.InvalidInput, match="has no measurement 2; it has 40 of them from 4 to 43"):
            map.without([2])


def test_few_values_or_other_domains_are_no_trouble():
    for domain in (ew.Sphere(2), ew.Simplex(["a", "b", "c"]), ew.Constrained(BOX, ["temperature <= 80"])):
        x = domain.sample(14, np.random.default_rng(0))
        for n in (1, 2, 3, 14):
            ew.build_map(domain, x[:n], x[:n].sum(axis=1) + x[:n, 0], 0.1).diagnostics()
    listed = ew.Candidates({"a": list(range(14)), "b": [(5 * i) % 14 for i in range(14)]})
    ew.build_map(listed, listed.listed, np.arange(14.0), None).diagnostics()


def test_a_response_that_was_not_measured_everywhere_is_examined_where_it_was():
    x, y = data()
    other = y.copy()
    other[[0, 3, 20]] = np.nan
    other[7] += 10 * y.std()
    both = found(x, np.column_stack([y, other]), responses=["all", "some"])
    assert [(f.kind, f.response, f.experiments) for f in both] == [("contradicted", "some", (7,))]
    assert found(x, np.column_stack([y, np.full(40, np.nan)]), responses=["all", "none"]) == ()


@pytest.mark.parametrize("unit", [1e-9, 1e6])
@pytest.mark.parametrize("noise", [0.1, None])
def test_the_error_of_constant_values_follows_their_units(unit, noise):
    """A quarter of the stated noise; without any, a ten-thousandth of the values themselves."""
    x, _ = data(10)
    errors = [
        found(x, np.full(10, 3.25 * u), None if noise is None else u * noise)[0].numbers["error"]
        for u in (1.0, unit)
    ]
    assert errors[1] == pytest.approx(unit * errors[0], rel=1e-3)
    low, high = (0.1, 0.5) if noise else (3e-5, 3e-4)
    assert low < errors[0] / (noise or 3.25) < high


def test_only_the_plain_family_is_fitted_again_for_a_clean_map(monkeypatch):
    """The average takes six times as long; here it is fitted once, and once more without a wrong value."""
    x, y = data()
    map = ew.build_map(BOX, x, y, NOISE)
    wrong = y.copy()
    wrong[4] += 10 * y.std()
    other, fitted = ew.build_map(BOX, x, wrong, NOISE), []
    original = ew.Map.refitted

    def counted(self, rows, noise, models=None):
        fitted.append(models or self.families)
        return original(self, rows, noise, models)

    monkeypatch.setattr(ew.Map, "refitted", counted)
    assert map.diagnostics() == ()
    assert {f if isinstance(f, str) else f[0] for f in fitted} == {"matern"}
    assert all(isinstance(f, str) or len(f) == 1 for f in fitted)
    fitted.clear()
    assert kinds(other.diagnostics()) == ["contradicted"]
    assert sum(not isinstance(f, str) and len(f) > 1 for f in fitted) == 1


def test_a_parameter_that_one_of_the_models_needs_is_not_called_inert():
    """The average all but does without two of eight parameters; one of its models does not."""
    [case] = cases("random", [1002])
    given = measured(case)
    map = ew.build_map(given.domain, given.x, given.y, given.noise)
    total = effects(effect_points(given.domain, 0, 1024), map.models[0].predict).total
    assert total.min() < 0.01
    assert "inert" not in kinds(map.diagnostics())
