"""Directions in a real browser: followed along two angles, clicked and highlighted on the globe."""

from __future__ import annotations

import re

import pytest

from equiwarp import Campaign, Sphere
from equiwarp.spec import CampaignSpec, Response
from tests.web.browser.test_maps import WATCH_CANVAS
from tests.web.browser.visiting import says

pytestmark = pytest.mark.browser


def test_a_direction_beside_a_frequency_has_its_profiles(visitor, lab):
    page = visitor.open(f"{lab.path('probe')}/profiler")
    page.wait_for_selector("#profiles .mean >> nth=2", state="attached")
    names = page.locator("#profiles .name").all_text_contents()
    assert names == ["azimuth (°)", "elevation (°)", "frequency (GHz)"]
    assert page.locator("#profile-0-0 .tick").all_text_contents()[-5:] == ["-180", "-90", "0", "90", "180"]
    assert page.locator("#profile-0-1 .tick").all_text_contents()[-5:] == ["-90", "-45", "0", "45", "90"]
    page.fill("#settings .exact >> nth=0", "90")
    page.press("#settings .exact >> nth=0", "Enter")
    page.wait_for_function("() => location.search.includes('azimuth%22%3A90')")
    page.click("text=Add an experiment at this setting")
    page.wait_for_selector("#added a")
    with Campaign("probe", store=lab.store) as campaign:
        made = campaign.experiments()[-1].point
    assert made == pytest.approx({"x1": 0.0, "x2": 1.0, "x3": 0.0, "frequency": 5.5}, abs=1e-6)
    page.click("text=See it on the map")
    page.wait_for_selector("#globe[data-drawn]")
    assert "facing=90,0" in page.url.replace("%2C", ",")
    box = page.locator("#globe").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.5)
    page.wait_for_selector("#tip:not([hidden])")
    assert visitor.trouble == []


#: Where circles of marks were drawn last, as the page has them.
WATCH_MARKS = """
const drawn = CanvasRenderingContext2D.prototype, circle = drawn.arc;
window.circles = [];
drawn.arc = function (x, y, r) { window.circles.push([x, y, r]); return circle.apply(this, arguments); };
"""


def test_globe_and_table_point_at_each_other_and_a_click_opens_what_was_measured(visitor, lab):
    named = CampaignSpec(
        "compass", Sphere(2, ["north", "west", "up"]), (Response("gain", "dBi", 0.1),), "sobol"
    )
    made, path = lab.begin(named)
    made.add([[1.0, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 1, 0]], [4.0, 1.0, 2.0, 3.0])
    made.close()
    visitor.page.add_init_script(WATCH_CANVAS + WATCH_MARKS)
    page = visitor.open_map(f"{path}?facing=0,0")
    texts = page.evaluate("window.texts.map(([text]) => text)")
    assert {"north", "west", "up"} <= set(texts)  # not x1, x2, x3
    front = [c for c in page.evaluate("window.circles") if c[2] == 4.5]
    box = page.locator("#globe").bounding_box()
    centre = min(front, key=lambda c: abs(c[1] - box["height"] / 2) + abs(c[0] - front[0][0]))
    page.mouse.move(box["x"] + centre[0], box["y"] + centre[1])
    says(page, "tip", "Experiment 1, measured")
    assert "gain 4 dBi" in page.inner_text("#tip")
    page.mouse.click(box["x"] + centre[0], box["y"] + centre[1])
    page.wait_for_selector("#place >> text=Experiment 1: gain 4 dBi")
    page.evaluate("window.circles = []")
    page.hover("tr[data-experiment='2']")  # it lies on the far side, and stands out all the same
    page.wait_for_function("() => window.circles.some((c) => c[2] === 11)")
    page.focus("#globe")
    page.keyboard.press("ArrowRight")
    facing = re.search(r"facing=(-?\d+)%2C(-?\d+)", page.url)
    assert facing
    assert int(facing[1]) == -9  # a step to the right turns it by 0.15
    page.click("#globe", position={"x": centre[0] + 60, "y": centre[1] + 60})
    page.wait_for_selector("#place >> text=Profile through here")
    assert re.search(r"azimuth -?[\d.]+°, elevation -?[\d.]+°", page.inner_text("#place"))
    assert visitor.trouble == []
