"""Values that come in part, from other settings, below a limit or beyond what is plausible."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.chooser import acquisition_measurements
from equiwarp.engine.missing import fill_missing
from equiwarp.exceptions import Conflict, Implausible, InvalidInput, OutsideDomain
from equiwarp.gp.kernels import Matern52
from equiwarp.store import doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def two(tmp_path):
    with ew.Campaign(
        "two", BOX, store=tmp_path / "lab.db", responses=["yield", "purity"], noise=0.1, n0=6
    ) as made:
        yield made
    assert doctor(tmp_path / "lab.db").ok


def arrays(c):
    return c._context.store.read(lambda t: t.arrays(2, t.look().noise))


def test_one_response_now_and_the_other_later(two):
    id = two.ask()[0].id
    half = two.tell(id, {"yield": 12.0}, noise={"yield": 0.3})
    assert (half.state, half.values, half.noise) == ("pending", {"yield": 12.0}, {"yield": 0.3})
    assert (half.value, half.missing) == ({"yield": 12.0}, ("purity",))
    assert two.tell(id, {"yield": 12.0}).since == half.since
    with pytest.raises(Conflict, match=r"12\.0.*13\.0"):
        two.tell(id, {"yield": 13.0, "purity": 0.5})
    whole = two.tell(id, {"purity": 0.9})
    assert (whole.state, whole.values, whole.noise) == (
        "done",
        {"yield": 12.0, "purity": 0.9},
        {"yield": 0.3},
    )
    assert [e.what for e in two.events(id)] == ["asked", "told in part", "told"]


def test_noise_of_a_response_without_a_value_is_not_lost_unnoticed(two):
    id = two.ask()[0].id
    with pytest.raises(InvalidInput, match="given for 'purity', of which there is no value here"):
        two.tell(id, {"yield": 12.0}, noise={"purity": 0.1})
    with pytest.raises(InvalidInput, match="nan is no standard deviation; None estimates it"):
        two.tell(id, {"yield": 12.0}, noise=float("nan"))
    assert two.experiment(id).values is None


def test_the_rest_of_the_values_leaves_the_noise_of_the_others(two):
    """It was replaced without a word; a value told again alone with another noise is a conflict as well."""
    id = two.ask(1)[0].id
    two.tell(id, {"yield": 12.0}, noise={"yield": 0.3})
    with pytest.raises(Conflict, match=r"has the noise 0\.3 of yield since .*, and now 0\.4 was told"):
        two.tell(id, {"yield": 12.0, "purity": 3.0}, noise={"yield": 0.4, "purity": 0.5})
    whole = two.tell(id, {"yield": 12.0, "purity": 3.0}, noise={"yield": 0.3, "purity": 0.5})
    assert whole.noise == {"yield": 0.3, "purity": 0.5}


def test_the_rest_of_an_added_measurement_is_kept_with_the_campaigns_noise(two):
    """It is done, as whatever was added; what came later was said to be told, and was lost."""
    (id,) = two.add([[30, 4]], [[12.0, np.nan]], noise=[[0.3, np.nan]])
    assert two.experiment(id).noise == {"yield": 0.3}
    with pytest.raises(Conflict, match="no value of purity to amend; tell it one"):
        two.amend(id, {"purity": 0.5})
    with pytest.raises(Conflict, match="measured elsewhere, withdraw it and add the measurement"):
        two.tell(id, {"purity": 0.9}, at={"temperature": 41.7})
    whole = two.tell(id, {"purity": 0.9})
    assert (whole.state, whole.values, whole.missing) == ("done", {"yield": 12.0, "purity": 0.9}, ())
    assert arrays(two).noise.tolist() == [[0.3, 0.1]]
    with pytest.raises(Conflict, match=r"purity = 0\.9 .* now purity = 0\.8 was told"):
        two.tell(id, {"purity": 0.8})


def test_one_response_can_be_amended_and_only_one_that_has_a_value(two):
    id = two.ask()[0].id
    two.tell(id, {"yield": 12.0})
    with pytest.raises(Conflict, match="no value of purity to amend"):
        two.amend(id, {"purity": 0.5})
    assert two.amend(id, {"yield": 11.0}).state == "pending"
    two.tell(id, {"purity": 0.9})
    assert two.amend(id, {"purity": 0.8}).values == {"yield": 11.0, "purity": 0.8}


def test_the_map_uses_what_it_has_of_each_response(two):
    experiments = two.ask(6)
    for e in experiments:
        two.tell(e.id, {"yield": e.point["temperature"]})
    fitted = two.map()
    assert fitted.y.shape == (6, 2)
    assert np.isnan(fitted.y[:, 1]).all()
    assert len(fitted.pending) == 0
    assert np.isfinite(fitted.error()[0].value)
    assert np.isnan(fitted.error()[1].value)
    for e in experiments[:4]:
        two.tell(e.id, {"purity": e.point["pH"]})
    fitted = two.map()
    alone = ew.build_map(BOX, fitted.x[:4], fitted.y[:4, 1], noise=0.1)
    np.testing.assert_allclose(fitted.predict(fitted.x).mean[:, 1], alone.predict(fitted.x).mean[:, 0])
    # What is still to come of the second response lowers its forecast, not its error.
    waiting = len(fitted.x) - 4
    few = ew.build_map(BOX, fitted.x[:4], fitted.y[:4, 1], noise=0.1, pending=fitted.x[4:])
    np.testing.assert_allclose(fitted.forecast(waiting)[:, 1], few.forecast(waiting)[:, 0], rtol=0.05)
    assert two.ask(2)[1].why.source == "model"


def test_a_failure_of_the_rest_keeps_what_was_told(two):
    one, other = two.ask(2)
    two.tell(one.id, {"yield": 5.0})
    assert two.tell_failed(one.id, "lost the sample").state == "failed"
    two.tell(other.id, [1.0, 2.0])
    assert two.map().y[:, 0].tolist() == [5.0, 1.0]


def test_what_was_closed_with_a_value_is_opened_before_the_value_is_amended(two):
    (one,) = two.ask()
    two.tell(one.id, {"yield": 5.0})
    two.abandon(one.id, "no crystals left")
    with pytest.raises(Conflict, match="abandoned; undo that first"):
        two.amend(one.id, {"yield": 6.0})
    two.undo(one.id)
    assert two.amend(one.id, {"yield": 6.0}).values == {"yield": 6.0}


def test_missing_values_are_filled_with_the_mean_which_that_leaves_as_it_is():
    """Filled in, they change no prediction: the mean of the GP stays what the known values say."""
    rng = np.random.default_rng(0)
    x = BOX.sample(12, rng)
    y = np.column_stack([np.sin(x[:, 0] / 9), x[:, 1] ** 2])
    gappy = y.copy()
    gappy[8:, 1] = np.nan
    filled = fill_missing(BOX, x, gappy, np.full((12, 2), 0.3))
    np.testing.assert_array_equal(filled[:, 0], y[:, 0])
    np.testing.assert_array_equal(filled[:8, 1], y[:8, 1])
    Z, at, kernel = BOX.embed(x), BOX.embed(BOX.sample(5, rng)), Matern52(BOX.spacing())
    centre, scale = y[:8, 1].mean(), y[:8, 1].std()
    share = (0.3 / scale) ** 2

    def mean(n):
        standard = (filled[:n, 1] - centre) / scale
        return kernel(at, Z[:n]) @ np.linalg.solve(kernel(Z[:n], Z[:n]) + share * np.eye(n), standard)

    np.testing.assert_allclose(mean(12), mean(8), atol=1e-10)
    assert fill_missing(BOX, x, np.full((12, 1), np.nan)).tolist() == [[0.0]] * 12


def test_a_row_without_any_value_is_refused_and_so_is_nan_for_the_only_response():
    with pytest.raises(InvalidInput, match="row 1"):
        ew.build_map(BOX, [[30, 4], [50, 5]], [[1.0, 2.0], [np.nan, np.nan]])
    with pytest.raises(InvalidInput, match="row 1"):
        ew.build_map(BOX, [[30, 4], [50, 5]], [1.0, np.nan])
    with pytest.raises(InvalidInput, match="row 0"):
        ew.suggest(BOX, [[30, 4]], [[1.0, np.nan]])


def test_actual_settings_count_and_what_was_asked_stays_on_record(two):
    e = two.ask()[0]
    done = two.tell(e.id, [1.0, 2.0], at={"temperature": 41.7})
    assert done.point == {**e.point, "temperature": 41.7}
    assert done.asked == e.point
    assert two.map().x.tolist() == [[41.7, e.point["pH"]]]
    assert two.events(e.id)[-1].detail["at"]["temperature"] == 41.7
    with pytest.raises(InvalidInput, match="unknown parameter 'speed'"):
        two.tell(two.ask()[0].id, [1.0, 2.0], at={"speed": 3})


def test_actual_settings_outside_the_domain_serve_prediction_only(two):
    e = two.ask()[0]
    with pytest.warns(OutsideDomain, match="temperature = 95"):
        assert not two.tell(e.id, [1.0, 2.0], at={"temperature": 95.0}).inside
    assert len(two.map().x) == 1
    assert acquisition_measurements(BOX, arrays(two), np.empty((0, 2))).n == 0


def test_the_place_that_was_asked_for_is_free_again_if_another_was_measured(tmp_path):
    levels = ew.Box({"x": {"levels": [1, 2, 3]}})
    with ew.Campaign("c", levels, store=tmp_path / "lab.db", strategy="fps", n0=1) as c:
        first = c.ask()[0]
        other = {1.0: 2.0, 2.0: 3.0, 3.0: 1.0}[first.point["x"]]
        c.tell(first.id, 1.0, at={"x": other})
        assert {e.point["x"] for e in c.ask(2)} == {1.0, 2.0, 3.0} - {other}


def test_a_value_above_the_range_of_the_instrument_lies_up_to_what_is_plausible(tmp_path):
    responses = [ew.Response("a", noise=3.0, high=900), ew.Response("b")]
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", responses=responses, n0=4) as c:
        one, two = c.ask(2)
        c.tell(one.id, {"a": ">600", "b": 1.0})
        told = c.tell(two.id, {"a": 5.0, "b": "> 0.123456789"})
        assert (told.above, told.below, told.shown["b"]) == (("b",), (), ">0.123456789")
        assert c.events(two.id)[-1].detail["above"] == ["b"]
        known = c._context.store.read(lambda t: t.arrays(2, t.look().noise, t.look().ranges))
        np.testing.assert_allclose(known.y, [[750.0, 1.0], [5.0, 1.5 * 0.123456789]])
        np.testing.assert_array_equal(known.noise, [[3.0, np.nan], [3.0, np.nan]])
        np.testing.assert_allclose(known.width, [[300 / 12**0.5, 0], [0, 0.123456789 / 12**0.5]])
        assert c.map().y[0].tolist() == [750.0, 1.0]
        c.change(plausible={"a": (700, 1000)})  # what is plausible now counts
        assert c.map().y[0, 0] == 850.0
        with pytest.raises(Conflict, match="has the value a = >600"):
            c.tell(one.id, {"a": "<800"})
        assert c.tell(one.id, {"a": ">600"}).since == c.experiment(one.id).since  # the same again is no news
        for implausible in (">1000", "<700"):
            with pytest.raises(Implausible, match=implausible):
                c.amend(one.id, {"a": implausible})
        assert c.amend(one.id, {"a": "<800"}).shown["a"] == "<800"
        assert c.events(one.id)[-1].detail["before"]["above"] == ["a"]
        assert c.map().y[0, 0] == 750.0  # from 700, the least that is plausible
        assert c.amend(one.id, {"a": ">2000"}, sure=True).shown["a"] == ">2000"
        assert c.map().y[0, 0] == 3000.0
        assert c.amend(one.id, {"a": 710.0}).shown["a"] == 710.0
        for wrong in (">0", ">-3", ">", "> x"):
            with pytest.raises(InvalidInput):
                c.amend(one.id, {"b": wrong})
    assert doctor(tmp_path / "lab.db").ok


def test_a_value_below_the_detection_limit_is_half_of_it_give_or_take(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", noise=0.1, n0=3) as c:
        a, b, d = c.ask(3)
        told = c.tell(a.id, "<0.5")
        assert (told.values, told.below, told.shown) == ({"value": 0.5}, ("value",), {"value": "<0.5"})
        assert c.tell(a.id, " < 0.5").since == told.since
        with pytest.raises(Conflict, match=r"<0\.5.*0\.5"):
            c.tell(a.id, 0.5)
        with pytest.raises(InvalidInput, match="above 0"):
            c.tell(b.id, "<-1")
        known = arrays(c)
        np.testing.assert_allclose(known.y[0], 0.25)
        np.testing.assert_allclose((known.noise[0], known.width[0] ** 2), [[0.1], [0.5**2 / 12]])
        assert c.amend(a.id, 0.3, reason="measured again").below == ()
        assert c.events(a.id)[-1].detail["before"]["below"] == ["value"]
        assert c.amend(a.id, "<0.2").below == ("value",)
        c.tell(b.id, 3.0)
        c.tell(d.id, 4.0)
        assert len(c.map().x) == 3


def test_an_implausible_value_is_taken_only_from_somebody_who_is_sure(tmp_path):
    yields = ew.Response("yield", "%", low=0, high=100)
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", responses=[yields]) as c:
        id = c.ask()[0].id
        for value, words in ((810.0, r"810 is above 100"), (-3.0, r"-3 is below 0")):
            with pytest.raises(Implausible, match=words):
                c.tell(id, value)
            with pytest.raises(Implausible, match=words):
                c.add([[30, 4]], [value])
        assert c.tell(id, 101.0, sure=True).value == 101.0
        with pytest.raises(Implausible):
            c.amend(id, 102.0)
        assert c.amend(id, 102.0, sure=True).value == 102.0
        assert len(c.add([[30, 4]], [-1.0], sure=True)) == 1
        c.change(plausible={"yield": (None, 200)})
        assert c.tell(c.ask()[0].id, -3.0).value == -3.0
    with pytest.raises(ew.SpecError, match="plausible range"):
        ew.CampaignSpec("c", BOX, (ew.Response("yield", low=3, high=1),))


def test_sample_and_block_come_with_the_value(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", blocks=["day"]) as c:
        e = c.ask(block={"day": "Monday"})[0]
        done = c.tell(e.id, 1.0, sample="S-17")
        assert (done.sample, done.block) == ("S-17", {"day": "Monday"})
        with pytest.raises(InvalidInput, match="unknown column 'operator'"):
            c.tell(c.ask()[0].id, 1.0, block={"operator": "Ann"})
        with pytest.raises(InvalidInput, match="one line"):
            c.tell(c.ask()[0].id, 1.0, sample="a\nb")


def test_a_value_told_again_with_something_else_beside_it_is_no_silence(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", blocks=["day"], responses=["y"]) as c:
        id = c.ask()[0].id
        told = c.tell(id, 5.0, noise=0.1)
        assert c.tell(id, 5.0).since == c.tell(id, 5.0, noise=0.1).since == told.since
        with pytest.raises(Conflict, match=r"the noise 0\.1 since .*, and now the noise 0\.2 was told"):
            c.tell(id, 5.0, noise=0.2)
        with pytest.raises(Conflict, match="if it was measured elsewhere, withdraw it"):
            c.tell(id, 5.0, at={"temperature": 21.0})
        noted = c.tell(id, 5.0, sample="S-1", block={"day": "Mon"})
        assert (noted.sample, noted.block) == ("S-1", {"day": "Mon"})
        assert c.tell(id, 5.0, sample="S-1").since == noted.since
        assert [e.what for e in c.events(id)] == ["asked", "told", "noted"]
