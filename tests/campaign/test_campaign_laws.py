"""Laws of a campaign: it is deterministic, avoids what is spoken for, and always answers."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

import equiwarp as ew
from equiwarp.campaign import chooser
from equiwarp.campaign.chooser import full_noise
from equiwarp.exceptions import Conflict, Exhausted
from equiwarp.store import doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def response(point):
    return float(np.sin(point["temperature"] / 20) * point["pH"])


def run(campaign, rounds):
    for _ in range(rounds):
        experiment = campaign.ask()[0]
        campaign.tell(experiment.id, response(experiment.point))
    return campaign


def trajectory(campaign):
    return [(e.id, e.point, e.value, e.why.as_dict()) for e in campaign.experiments()]


def test_50_rounds_equal_25_a_restart_and_25_more_bit_for_bit(tmp_path):
    whole = run(ew.Campaign("a", BOX, store=tmp_path / "whole.db", seed=5, noise=0.1), 50)
    first = run(ew.Campaign("a", BOX, store=tmp_path / "halves.db", seed=5, noise=0.1), 25)
    first.close()
    second = run(ew.Campaign("a", store=tmp_path / "halves.db"), 25)
    assert trajectory(second) == trajectory(whole)
    other = run(ew.Campaign("a", BOX, store=tmp_path / "other.db", seed=6, noise=0.1), 1)
    assert trajectory(other)[0] != trajectory(whole)[0]


class TellsInAnyOrder(RuleBasedStateMachine):
    """Two campaigns get the same values, failures and corrections, in different orders."""

    pending = Bundle("pending")
    told = Bundle("told")

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp(prefix="equiwarp-order-"))
        self.now, self.later = (
            ew.Campaign("c", BOX, store=self.folder / f"{name}.db", strategy="fps", n0=3, noise=0.1)
            for name in ("now", "later")
        )
        self.waiting = []

    def do(self, verb, *arguments):
        getattr(self.now, verb)(*arguments)
        self.waiting.append((verb, arguments))

    @rule(target=pending, n=st.integers(1, 2))
    def ask(self, n):
        # The second campaign hears everything only now, in the opposite order.
        corrections = [w for w in self.waiting if w[0] == "amend"]
        for verb, arguments in [w for w in reversed(self.waiting) if w[0] != "amend"] + corrections:
            getattr(self.later, verb)(*arguments)
        self.waiting.clear()
        here, there = self.now.ask(n), self.later.ask(n)
        assert [(e.id, e.point, e.why) for e in here] == [(e.id, e.point, e.why) for e in there]
        return here[0].id

    @rule(target=told, number=consumes(pending), value=st.floats(-1e6, 1e6))
    def tell(self, number, value):
        self.do("tell", number, value)
        return number

    @rule(number=consumes(pending))
    def tell_failed(self, number):
        self.do("tell_failed", number, "tripped")

    @rule(number=consumes(pending))
    def abandon(self, number):
        self.do("abandon", number)

    @rule(number=consumes(told), value=st.floats(-1e6, 1e6))
    def amend(self, number, value):
        self.do("amend", number, value)

    @rule(number=told, value=st.floats(2e6, 3e6))
    def tell_something_else(self, number, value):
        with pytest.raises(Conflict):
            self.now.tell(number, value)

    @invariant()
    def no_point_twice(self):
        if hasattr(self, "now"):
            points = [tuple(e.point.values()) for e in self.now.experiments()]
            assert len(set(points)) == len(points)

    def teardown(self):
        if hasattr(self, "now"):
            assert doctor(self.folder / "now.db").ok
            self.now.close()
            self.later.close()
            shutil.rmtree(self.folder)


TestTellsInAnyOrder = TellsInAnyOrder.TestCase
TestTellsInAnyOrder.settings = settings(
    max_examples=8, stateful_step_count=12, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


def distance_to(campaign, experiment, others):
    Z = campaign.domain.embed(np.array([list(e.point.values()) for e in [experiment, *others]]))
    return np.linalg.norm(Z[1:] - Z[0], axis=1).min()


@pytest.mark.parametrize("verb", ["tell_failed", "abandon"])
def test_failed_and_abandoned_regions_do_not_attract_repeats(tmp_path, verb):
    """The most uncertain place fails: the next ones must be elsewhere, not right beside it."""
    c = ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy="eig", n0=4, noise=0.1)
    run(c, 6)
    unlucky = c.ask()[0]
    getattr(c, verb)(unlucky.id, "tripped")
    after = [c.ask()[0] for _ in range(3)]
    spacing = BOX.spacing()
    assert distance_to(c, unlucky, after) > 0.5 * spacing


def test_a_failed_place_is_tried_again_after_enough_successes_and_later_after_two_failures(tmp_path):
    levels = ew.Box({"x": {"levels": list(range(40))}})
    c = ew.Campaign("c", levels, store=tmp_path / "lab.db", strategy="fps", n0=1)
    first = c.ask()[0]
    c.tell_failed(first.id)
    seen = []
    for _ in range(39):
        e = c.ask()[0]
        if e.point == first.point:
            break
        seen.append(e)
        c.tell(e.id, 0.0)
    assert len(seen) >= chooser.SHIELD
    assert e.point == first.point
    c.tell_failed(e.id)
    again = c.ask()[0]
    assert again.point != first.point


def test_a_finite_domain_is_exhausted_with_a_message_and_failures_get_their_chance(tmp_path):
    levels = ew.Box({"x": {"levels": [1, 2, 3, 4]}})
    c = ew.Campaign("c", levels, store=tmp_path / "lab.db", strategy="fps", n0=1)
    one, two, three = (c.ask()[0] for _ in range(3))
    c.tell(one.id, 1.0)
    c.tell_failed(two.id)
    c.abandon(three.id)
    four = c.ask()[0]
    again = c.ask()[0]
    assert again.point == two.point
    assert {e.point["x"] for e in (one, two, three, four)} == {1, 2, 3, 4}
    with pytest.raises(Exhausted, match=r"0 are left of the 4.*2 are pending"):
        c.ask()


@pytest.mark.parametrize("strategy", ["equiwarp", "nipv"])
@pytest.mark.parametrize(
    ("values", "noise"),
    [
        (np.linspace(0, 1, 50), None),  # fifty repeats with scatter
        (np.zeros(50), None),  # and without
        (np.full(50, 7.25), 0.0),  # constant, and said to be exact
        (np.linspace(0, 1, 50), 0.0),  # contradictory and said to be exact
        (np.linspace(-1e100, 1e100, 50), None),
        (np.linspace(0, 1e-200, 50), 1.0),
    ],
)
def test_fifty_repeats_of_a_point_and_extreme_values_are_answered(tmp_path, strategy, values, noise):
    c = ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy=strategy, n0=4, noise=noise)
    c.add(np.full((50, 2), [40.0, 5.0]), values)
    batch = c.ask(2)
    assert BOX.contains(np.array([list(e.point.values()) for e in batch])).all()
    for e in batch:
        c.tell(e.id, float(values[0]))
    assert BOX.contains(np.array([list(e.point.values()) for e in c.ask(2)])).all()


@pytest.mark.parametrize(
    "domain",
    [
        ew.Sphere(2),
        ew.Simplex({"water": 0.1, "salt": 0.0, "oil": 0.2}),
        ew.Constrained(BOX, ["temperature + 5*pH <= 100"]),
        ew.Candidates({"a": list(range(30)), "b": [i * i for i in range(30)]}),
        ew.Box({"dose": {"low": 1, "high": 1000, "scale": "log"}, "n": {"low": 0, "high": 6, "step": 1}}),
    ],
    ids=["sphere", "simplex", "constrained", "candidates", "levels"],
)
def test_every_kind_of_domain_can_be_a_campaign(tmp_path, domain):
    c = ew.Campaign("c", domain, store=tmp_path / "lab.db", strategy="eig", n0=3)
    for _ in range(6):
        e = c.ask()[0]
        point = np.array([list(e.point.values())])
        assert domain.contains(point).all()
        c.tell(e.id, float(point.sum()))
    again = ew.Campaign("c", domain, store=tmp_path / "lab.db")
    assert [e.point for e in again.experiments()] == [e.point for e in c.experiments()]
    assert len(again.ask(2)) == 2


def test_part_known_noise_is_completed_by_an_estimate():
    rng = np.random.default_rng(0)
    x = BOX.sample(30, rng)
    y = (x[:, :1] - 55) / 20 + 0.3 * rng.standard_normal((30, 1))
    noise = np.full((30, 1), np.nan)
    assert full_noise(BOX, x, y, noise) is None
    noise[:10] = 0.25
    full = full_noise(BOX, x, y, noise)
    assert (full[:10] == 0.25).all()
    assert np.isfinite(full).all()
    assert 0.1 < full[20, 0] < 0.6


def test_a_handle_that_remembers_answers_like_a_fresh_one(tmp_path):
    """Tables and pools are kept between asks of one handle; the answers must not show it."""
    domain = ew.Constrained(BOX, ["temperature + 5*pH <= 100"])
    kept = ew.Campaign("c", domain, store=tmp_path / "kept.db", n0=3, noise=0.1)
    fresh = [ew.Campaign("c", domain, store=tmp_path / "fresh.db", n0=3, noise=0.1) for _ in range(6)]
    for handle in fresh:
        here, there = kept.ask()[0], handle.ask()[0]
        assert (here.point, here.why) == (there.point, there.why)
        kept.tell(here.id, response(here.point))
        handle.tell(there.id, response(there.point))


def test_a_map_uses_every_measurement_and_starts_from_the_last_one(tmp_path):
    c = ew.Campaign("c", BOX, store=tmp_path / "lab.db", n0=3, noise=0.1)
    x = BOX.sample(64, np.random.default_rng(0))
    c.add(x[:60], np.sin(x[:60, 0]))
    c.map()
    c.add(x[60:], np.sin(x[60:, 0]))
    again = c.map()
    assert len(again.x) == 64
    fresh = ew.build_map(BOX, x, np.sin(x[:, 0]), 0.1, seed=c.spec.seed)
    np.testing.assert_allclose(again.predict(x).mean, fresh.predict(x).mean, atol=0.02)


def test_noise_is_bounded_by_what_the_values_can_say_and_kept_where_they_say_nothing():
    x = BOX.sample(8, np.random.default_rng(0))
    known = np.full((8, 1), 0.1)
    tiny = np.linspace(0, 1e-200, 8)[:, None]
    assert full_noise(BOX, x, tiny, known).max() < 1e-193
    constant = np.full((8, 1), 0.3) + np.linspace(0, 1e-17, 8)[:, None]
    rounding = np.nextafter(0.3, [0.0, 1.0] * 4)[:, None]
    for y in (constant, rounding, np.zeros((8, 1))):
        np.testing.assert_array_equal(full_noise(BOX, x, y, known), known)
