"""The report: one file that needs nothing else, with every figure also beside it."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp import Box, Campaign, Constrained, Product, Simplex, Sphere
from equiwarp.cli import main
from equiwarp.maps.course import course_of, earlier_counts
from equiwarp.maps.map import build_map
from equiwarp.maps.stopping import StopRule
from equiwarp.plotting.figures import course_figure
from equiwarp.plotting.layers import layers_of
from equiwarp.plotting.slices import cut
from equiwarp.report.document import report_html, write_report
from equiwarp.spec import CampaignSpec, Response

BOX = Box({"temperature": {"low": 20, "high": 90, "unit": "°C"}, "pH": (3, 9)})


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    spec = CampaignSpec("furnace <b>", BOX, (Response("yield $x$", "%", 0.1),), description="why & what")
    with Campaign.from_spec(spec, store=tmp_path_factory.mktemp("report") / "lab.db") as made:
        x = BOX.sample(8, np.random.default_rng(20240607))
        made.add(x, np.sin(x[:, 0] / 20) + x[:, 1])
        yield made


@pytest.fixture(scope="module")
def files(campaign, tmp_path_factory):
    """Its report and the pictures beside it, drawn once for all who read in it."""
    return write_report(campaign, tmp_path_factory.mktemp("report") / "out" / "report.html")


def test_the_report_is_one_self_contained_file(files):
    text = files[0].read_text(encoding="utf-8")
    assert "furnace &lt;b&gt;" in text
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert "<script" not in text
    assert "@bottom-right { content: counter(page)" in text  # on paper, pages have numbers
    inside = [base64.b64decode(code) for code in re.findall(r"base64,([^\"]+)", text)]
    assert inside == [path.read_bytes() for path in files[1:]]
    assert all(png.startswith(b"\x89PNG") for png in inside)
    assert {path.name for path in files[1:]} == {
        f"report-{n}.png" for n in ("map-1-1", "error-1", "choice-1", "profile-1", "residuals-1")
    }


def test_the_report_says_what_the_map_says(campaign, files):
    text = files[0].read_text(encoding="utf-8")
    error = campaign.map().error()[0]
    assert f">{error.value:.3g}<" in text
    assert f"{error.value:.6g}" not in text  # an estimate is not worth six digits
    assert f"{campaign.experiment(1).point['pH']:.6g}" in text


def test_the_report_has_date_author_units_profile_and_measured_against_predicted(campaign, files):
    text = files[0].read_text(encoding="utf-8")
    assert re.search(rf"Report of \d+ \w+ 20\d\d, \d\d:\d\d UTC, by {campaign.who}", text)
    assert "Which parameters matter?" in text
    assert {"report-profile-1.png", "report-residuals-1.png"} <= {path.name for path in files}
    assert "@page" in text
    assert "so the two numbers differ" in text  # the error of the map beside leave-one-out


def test_directions_are_angles_in_the_report(tmp_path):
    spec = CampaignSpec("globe", Sphere(2), (Response("v", noise=0.1),), "sobol")
    with Campaign.from_spec(spec, store=tmp_path / "lab.db") as made:
        made.add([[0.0, -1.0, 0.0], [0.6, 0.0, 0.8]], [1.0, 2.0])
        text = report_html(made)
    assert "<th>azimuth (°)</th><th>elevation (°)</th><th>x1</th>" in re.sub(r' scope="col"', "", text)
    assert "<td>-90</td><td>0</td>" in text
    assert "<td>0</td><td>53.1</td>" in text


def test_a_campaign_without_values_has_a_report_too(tmp_path):
    with Campaign("new", BOX, store=tmp_path / "lab.db") as made:
        assert "no map before the first value" in report_html(made)


@pytest.mark.parametrize(
    "domain", [Box({"a": {"low": 1, "high": 9, "scale": "log"}}), BOX, Simplex(["a", "b", "c"]), Sphere(2)]
)
@pytest.mark.parametrize("pending", [0, 1, 3])
def test_every_kind_of_domain_can_be_drawn(tmp_path, rng, domain, pending):
    spec = CampaignSpec("one", domain, (Response("v", noise=0.1),), "sobol")
    with Campaign.from_spec(spec, store=tmp_path / "lab.db") as made:
        x = domain.sample(6, rng)
        made.add(x, x[:, 0])
        if pending:
            made.ask(pending)
        # Map, profile, effects, predictions and course.
        assert report_html(made).count("<figure ") == 5


def test_the_command_writes_it_and_does_not_overwrite(campaign, tmp_path):
    command = ["report", str(tmp_path / "r.html"), "--store", campaign.store.name]
    first = CliRunner().invoke(main, command)
    assert first.exit_code == 0, first.output
    assert (tmp_path / "r-map-1-1.png").exists()
    assert CliRunner().invoke(main, command).exit_code == 1


def test_a_slice_lies_where_it_was_cut():
    box = Box({"a": (0, 1), "b": (0, 10), "c": {"low": 1, "high": 100, "scale": "log"}})
    slice = cut(box, ("c", "a"), {"b": 99.0})
    assert [axis.name for axis in slice.axes] == ["c", "a"]
    assert slice.at == {"b": 10.0}  # held within its bounds
    assert np.all(slice.points[:, 1] == 10.0)
    place = slice.place(np.array([[0.25, 3.0, 7.0]]))
    assert place.tolist() == [[7.0, 0.25]]
    assert slice.apart(np.array([[0.25, 3.0, 7.0]])) == pytest.approx([0.7])


def test_a_ternary_holds_the_other_components():
    mix = Simplex({"a": 0.1, "b": 0.0, "c": 0.0, "d": 0.0})
    slice = cut(mix, ("a", "b", "d"), {"c": 0.3})
    inside = slice.points[slice.inside]
    assert np.allclose(inside[:, 2], 0.3)
    assert np.allclose(inside.sum(axis=1), 1.0)
    assert inside[:, 0].min() >= 0.1 - 1e-9
    with pytest.raises(ValueError, match="leave nothing"):
        cut(mix, ("a", "b", "d"), {"c": 0.9})
    assert cut(mix, ("a", "b", "d")).at == {"c": pytest.approx(0.9 / 4)}  # its fair share


def test_cells_that_stick_out_of_a_triangle_show_its_edge():
    slice = cut(Simplex(["a", "b", "c"]))
    across, up = (m.ravel() for m in np.meshgrid(*slice.grid))
    beyond = slice.inside & (up > np.sqrt(3) * across + 1e-9)  # left of the edge between a and c
    assert beyond.any()
    assert np.all(slice.points[beyond, 1] == 0.0)
    assert np.all(slice.domain.contains(slice.points[slice.inside]))


def test_constraints_are_drawn_more_finely():
    domain = Constrained(BOX, ["pH < 6"])
    assert cut(domain).shape == tuple(2 * n for n in cut(BOX).shape)


def test_unknown_axes_are_refused():
    with pytest.raises(ValueError, match="no axis 'nope'"):
        cut(BOX, ("nope",))


def test_the_layers_shape_the_choice(rng):
    x = Box.unit(2).sample(8, rng)
    map = build_map(Box.unit(2), x, np.tanh(8 * (x[:, 0] - 0.5)), noise=0.05)
    slice = cut(Box.unit(2), cells=12)
    layers = layers_of(map, slice)
    middle = np.argmin(np.abs(slice.points - 0.5).sum(axis=1))
    corner = np.argmin(slice.points.sum(axis=1))
    assert layers.equalizer[corner] < 0.7 < layers.equalizer[middle]
    assert layers.stretch[middle] > 1 > layers.stretch[corner]


def test_the_course_ends_with_the_present_error(rng):
    x = Box.unit(1).sample(12, rng)
    map = build_map(Box.unit(1), x, np.sin(6 * x[:, 0]), noise=0.05)
    steps = []
    course = course_of(map, StopRule(error=1e-9), ahead=2, progress=lambda *s: steps.append(s))
    assert course.counts.tolist() == [*earlier_counts(12), 12]
    assert course.errors[-1, 0] == map.error()[0].value
    assert len(course.forecast) == 3
    assert not course.advice.stop
    assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize(("times", "drawn"), [(0.5, True), (1.5, True), (20.0, False)])
@pytest.mark.parametrize("response", [0, 1])
def test_a_goal_is_named_where_it_is_drawn_and_everything_is_in_sight(rng, times, drawn, response):
    x = Box.unit(1).sample(12, rng)
    y = np.column_stack([np.sin(6 * x[:, 0]), 40 * np.cos(9 * x[:, 0])])
    course = course_of(build_map(Box.unit(1), x, y, noise=[0.05, 2.0]), StopRule(), ahead=3)
    highest = max(course.errors[:, response].max(), course.forecast.high[:, response].max())
    [axes] = course_figure(course, response, "y", times * highest).axes
    named = [text.get_text() for text in axes.get_legend().get_texts()]
    assert ("good enough" in named) == drawn
    top = axes.get_ylim()[1]
    assert top >= highest
    assert (top >= times * highest) == drawn


def test_no_rule_holds_before_anything_could_contradict_the_model() -> None:
    box = Box.unit(2)
    x = box.sample(6, np.random.default_rng(0))
    rule = StopRule(error=1e3)
    few = build_map(box, x[:4], np.ones(4), 0.01).stop(rule)
    assert not few.stop
    assert few.reason == "values so far: 4, too few to judge the map's error"
    assert build_map(box, x, x[:, 0], 0.01).stop(rule).stop


def test_the_advice_names_every_response_and_is_silent_without_a_rule(tmp_path):
    """Each with its unit and limit; an error of the first response alone decides nothing."""
    responses = (Response("conductivity", "S/cm", 0.1), Response("thickness", "nm", 0.1))
    x = np.linspace(0, 1, 8)[:, None]
    for name, rule in (("limited", StopRule(error=7)), ("free", StopRule())):
        spec = CampaignSpec(name, Box.unit(1), responses, stop=rule, strategy="fps")
        with Campaign.from_spec(spec, store=tmp_path / "stop.db") as c:
            c.add(x, {"conductivity": np.sin(3 * x[:, 0]), "thickness": 900 * np.cos(9 * x[:, 0])})
            text = report_html(c)
        assert ('<p class="advice">' in text) == (name == "limited")
        if name == "limited":
            assert "Going on is worth it: the map error of conductivity is" in text
            assert "S/cm, within the limit of 7 S/cm; the map error of thickness is" in text
            assert "nm, above the limit of 7 nm." in text


def test_it_says_what_is_odd_and_which_parameters_matter(tmp_path, rng):
    x = BOX.sample(24, rng)
    y = np.sin(x[:, 0] / 20) + x[:, 1] / 9
    y[3] += 30
    with Campaign("odd", BOX, noise=0.05, store=tmp_path / "odd.db", strategy="fps") as c:
        c.add(x, y)
        text = report_html(c)
    assert "<h2>What the data say</h2><ul><li>Experiment 4: the others contradict value = " in text
    assert "<h2>Which parameters matter?</h2>" in text
    assert "<td>temperature</td>" in text


def test_blocks_and_samples_stand_beside_the_values_and_offsets_are_said(tmp_path):
    blocks, late = {"day": "offset", "operator": "record"}, [0, 1, 1, 0, 0, 1, 1, 0]
    spec = CampaignSpec("days", BOX, (Response("yield", "%", 0.1),), blocks=blocks)
    with Campaign.from_spec(spec, store=tmp_path / "lab.db") as made:
        for i, e in enumerate(made.ask(8)):
            made.tell(
                e.id, e.point["pH"] + 5 * late[i], sample=f"S-{e.id}" if i else "",
                block={"day": ("Monday", "Tuesday")[late[i]], "operator": "Ann"},
            )  # fmt: skip
        text, offsets = report_html(made), made.offsets()["yield"]["day"]
    said = re.search(r"<h2>Offsets of blocks</h2>.*?</table>", text)[0]
    assert "<th>yield (%)</th>" in said
    assert f"<td>day = Monday</td><td>{offsets['Monday']:+.4g}</td>" in said
    assert offsets["Tuesday"] - offsets["Monday"] == pytest.approx(5, abs=0.5)
    assert "<th>day</th><th>operator</th><th>sample</th><th>state</th>" in text
    assert "<td>Tuesday</td><td>Ann</td><td>S-2</td><td>done</td>" in text


def test_a_mixture_beside_a_process_is_drawn_in_one_triangle(tmp_path):
    domain = Product(Simplex(["resin", "water", "pigment"]), Box({"oven": (20, 60)}))
    with Campaign("paint", domain, store=tmp_path / "lab.db", noise=0.1) as made:
        x = domain.sample(6, np.random.default_rng(0))
        made.add(x, x[:, 0] + x[:, 3] / 60)
        text = report_html(made)
    assert len(re.findall(r"<figcaption>The map of value over resin", text)) == 1
