"""Small things that were wrong once, in a real browser: units, keys, names at an edge, a box, a ring."""

from __future__ import annotations

import re

import pytest

from equiwarp import Sphere
from equiwarp.spec import CampaignSpec, Response
from tests.web.browser.test_directions import WATCH_MARKS
from tests.web.browser.visiting import Visitor

pytestmark = pytest.mark.browser

#: What the box of the first experiment says, line by line.
FIRST_BOX = """async () => {
  const { pointReading } = await import("/static/map_readings.js");
  const got = await fetch("/api" + location.pathname.replace("/c/", "/campaigns/") + "/map");
  const answer = await got.json();
  return pointReading(answer, answer.design[0]);
}"""


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("process", r"pressure [\d.]+ bar, angle [\d.]+ °, flow [\d.]+ L/min, stirrer \d+ rpm, catalyst \w+"),
        ("probe", r"azimuth [\d.-]+°, elevation [\d.-]+°, frequency [\d.]+ GHz, signal [\d.-]+ mV"),
    ],
    ids=["process", "probe"],
)
def test_the_box_of_an_experiment_has_every_setting_with_its_unit(visitor, lab, name, settings):
    lines = visitor.open_map(lab.path(name)).evaluate(FIRST_BOX)
    assert lines[0] == "Experiment 1, measured"
    assert re.search(settings, ", ".join(lines))


#: The colour of each key and of the bars that it stands for, as they come out on the page.
KEYS = """() => {
  const draw = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  const seen = (colour, opacity) => {
    draw.clearRect(0, 0, 1, 1);
    Object.assign(draw, { fillStyle: colour, globalAlpha: opacity });
    draw.fillRect(0, 0, 1, 1);
    return [...draw.getImageData(0, 0, 1, 1).data];
  };
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  return ["set", "all"].map((kind) => {
    const not = kind === "set" ? ".set" : ":not(.set)", bar = style(`.shares .bar${not}`);
    return [seen(style(`.key${not}`).backgroundColor, 1), seen(bar.fill, Number(bar.fillOpacity))];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_keys_have_the_colours_of_their_bars(browser, lab, scheme):
    visitor = Visitor(browser, lab.url, error=False, color_scheme=scheme)
    page = visitor.open(f"{lab.path('kiln')}/effects")
    page.wait_for_selector(".shares .bar", state="attached")
    for key, bar in page.evaluate(KEYS):
        assert key == pytest.approx(bar, abs=3)
    alone = page.evaluate("document.querySelector('.key.set').nextSibling.textContent")
    assert alone == "alone"
    visitor.close()


#: How far names of axes begin and end on a globe, and how wide it is.
WATCH_ENDS = """
const written = CanvasRenderingContext2D.prototype, fill = written.fillText;
window.ends = [];
written.fillText = function (text, x) {
  const half = this.measureText(text).width / 2;
  if (text.startsWith("towards")) window.ends.push([x - half, x + half, this.canvas.clientWidth]);
  return fill.apply(this, arguments);
};
"""


@pytest.fixture(scope="module")
def compass(lab):
    """Directions with long names, one of them measured at the right edge of the globe."""
    names = ["towards east", "towards sun", "towards up"]
    made, path = lab.begin(
        CampaignSpec("towards", Sphere(2, names), (Response("gain", "dBi", 0.1),), "sobol")
    )
    made.add([[1.0, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 1, 0]], [4.0, 1.0, 2.0, 3.0])
    made.close()
    return path


def test_on_a_phone_names_at_the_edge_of_a_globe_are_whole(browser, lab, compass):
    visitor = Visitor(browser, lab.url, width=390, error=False)
    visitor.page.add_init_script(WATCH_ENDS)
    for facing in ("80,0", "-80,0", "10,0", "170,0"):
        visitor.open_map(f"{compass}?facing={facing}")
        ends = visitor.page.evaluate("window.ends")
        assert ends
        assert all(left >= 0 and right <= wide for left, right, wide in ends)
    visitor.close()


def test_the_box_beside_the_pointer_breaks_no_line(browser, lab, compass):
    visitor = Visitor(browser, lab.url, width=390, error=False)
    visitor.page.add_init_script(WATCH_MARKS)
    page = visitor.open_map(f"{compass}?facing=80,0")
    page.locator("#globe").scroll_into_view_if_needed()
    box = page.locator("#globe").bounding_box()
    marks = [c for c in page.evaluate("window.circles") if c[2] == 4.5]
    x, y, _ = max(marks)  # at the right: a box as wide as the room there would break its lines
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.wait_for_selector("#tip:not([hidden])")
    heights = page.evaluate("[...document.querySelectorAll('#tip div')].map((line) => line.clientHeight)")
    assert len(heights) >= 3
    assert max(heights) == min(heights)
    visitor.close()


def test_on_a_phone_the_pages_are_named_in_one_row(browser, lab):
    visitor = Visitor(browser, lab.url, width=390, error=False)
    tops = visitor.open("/").evaluate(
        "[...document.querySelectorAll('.top nav a')].map((link) => link.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1 < len(tops)
    visitor.close()


def test_the_experiment_of_a_row_has_a_ring_on_the_surface(visitor, lab):
    visitor.page.add_init_script(WATCH_MARKS)
    page = visitor.open_map(f"{lab.path('kiln')}?picture=surface")
    page.wait_for_function("() => window.circles.some((c) => c[2] === 4)")
    marks = page.evaluate("window.circles.filter((c) => c[2] === 4)")
    page.evaluate("window.circles = []")
    page.locator("tr[data-experiment]").last.hover()
    page.wait_for_function("() => window.circles.some((c) => c[2] === 11)")
    ring = page.evaluate("window.circles.find((c) => c[2] === 11)")
    assert any(ring[:2] == pytest.approx(mark[:2]) for mark in marks)
