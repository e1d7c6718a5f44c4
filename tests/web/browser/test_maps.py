"""How maps of all kinds look in a real browser: edges, corners, marks, words, globes, surfaces."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from equiwarp import Aim
from tests.web.browser.visiting import Visitor, click_map, says
from tests.web.conftest import small

pytestmark = pytest.mark.browser
PLOT = "document.getElementById('map-plot')"
#: What is written on a canvas, with the right end of each text, and how often a broken ring is drawn.
WATCH_CANVAS = """
const pen = CanvasRenderingContext2D.prototype, { fillText, arc } = pen;
window.texts = [];
window.broken = window.faint = 0;
pen.fillText = function (text, x, y) {
  const at = this.getTransform().transformPoint({ x, y }), width = this.measureText(text).width;
  const end = at.x + width * ({ left: 1, right: 0 }[this.textAlign] ?? 0.5);
  const upright = Math.abs(this.getTransform().b) > 0.5;
  if (this.canvas.id) window.texts.push([text, upright ? at.x : end, this.canvas.width]);
  return fillText.apply(this, arguments);
};
pen.arc = function () {
  if (this.getLineDash().length) window.broken += 1;
  else if (this.globalAlpha < 1) window.faint += 1;
  return arc.apply(this, arguments);
};
"""


def test_the_map_reads_in_names_units_and_deviations(visitor, lab):
    page = visitor.open_map(lab.path("kiln"))
    heat = f"{PLOT}.data[0]"
    said = page.evaluate(f"{heat}.text[0][0]")
    assert re.fullmatch(r"temperature 700 °C<br>time 5 min<br><b>density [\d.-]+ ± [\d.]+ %</b>", said)
    assert page.evaluate(f"{heat}.colorbar.title.text") == "density in %"
    marks = page.evaluate(
        f"{PLOT}.data.filter((t) => t.mode === 'markers').map((t) => [t.marker, t.text[0], t.cliponaxis])"
    )
    done = next(text for marker, text, _ in marks if marker["size"] == 9)
    assert re.fullmatch(
        r"Experiment \d+, measured<br>temperature [\d.]+ °C<br>time [\d.]+ min<br><b>density [\d.]+ %</b>",
        done,
    )
    assert all(clip is False for _, _, clip in marks)  # what stands on the border is not cut
    page.select_option("#m-layer", "deviation")
    says(page, "map-said", "standard deviation")
    rings = page.evaluate(
        f"{PLOT}.data.filter((t) => t.marker?.symbol === 'circle-open').map((t) => t.marker.color)"
    )
    assert rings == ["#ffffff", "#d1246a"]  # a pale ring below the red one: it shows on dark and on light
    assert page.evaluate(f"{PLOT}.data[0].opacity ?? 1") == 1
    page.select_option("#m-layer", "score")
    says(page, "map-said", "spreads its points evenly")  # there is nothing that its rule maximises
    page.select_option("#m-layer", "equalized")
    says(page, "map-said", "divided by what any design")
    assert page.evaluate(f"{heat}.colorbar.title.text") == "the same, edges evened out"  # the lab's words
    term = page.locator("#map-said a.term")
    assert term.inner_text() == "equalizer"
    assert "geometric reasons" in term.get_attribute("title")
    term.click()
    page.wait_for_selector("dt#equalizer >> text=equalizer")
    assert visitor.trouble == []


def test_an_angle_goes_round(visitor, lab):
    """Ticks are quarters of the way around, both ends are one place, and the page says so."""
    page = visitor.open_map(f"{lab.path('process')}?axis=angle&axis=temperature")
    assert page.evaluate(f"{PLOT}.layout.xaxis.tickvals") == [0, 90, 180, 270, 360]
    rows = np.array(page.evaluate(f"{PLOT}.data[0].z"))
    np.testing.assert_allclose(rows[:, 0], rows[:, -1], rtol=1e-5)
    assert np.ptp(rows[5]) > 0.5  # and it is not flat in between
    assert "The two ends of angle are one and the same." in page.inner_text("#map-said")
    visitor.open(f"{lab.path('process')}/profiler")
    page.wait_for_selector("#profile-0-2 .mean", state="attached")
    ticks = page.locator("#profile-0-2 .tick").all_text_contents()
    assert ticks[-5:] == ["0", "90", "180", "270", "360"]
    curve = page.locator("#profile-0-2 .mean").get_attribute("d")
    ends = [place.split(",")[1] for place in (curve[1:].partition("L")[0], curve.rpartition("L")[2])]
    assert ends[0] == ends[1]
    assert visitor.trouble == []


def test_times_are_those_of_the_readers_clock(browser, lab):
    shown = []
    for zone in ("America/New_York", "Asia/Tokyo"):
        visitor = Visitor(browser, lab.url, error=False, timezone_id=zone, locale="en-GB")
        page = visitor.open(f"{lab.path('sweep')}/e/1")
        shown.append(page.locator("time[datetime]").first.text_content())
        visitor.close()
    hours = [int(text.split(", ")[1][:2]) for text in shown]
    assert (hours[1] - hours[0]) % 24 in (13, 14)


def test_the_page_says_what_it_waits_for_and_what_failed(visitor, lab):
    def stalled(route):  # the first answer never comes
        visitor.context.unroute("**/map?*")

    visitor.context.route("**/map?*", stalled)
    page = visitor.open(lab.path("reactor"))
    page.wait_for_function(
        "() => /Fitting the map … \\d+ s/.test(document.getElementById('map-busy').textContent)"
    )
    assert page.inner_text("#map-said") == "The map of 14 values is on its way."
    page.select_option("#m-layer", "deviation")  # what was asked before is given up
    says(page, "map-said", "standard deviation")
    page.wait_for_selector("#map-card:not(.waiting)")
    visitor.context.route("**/vendor/plotly.js", lambda route: route.abort())
    visitor.page.goto(visitor.url + lab.path("reactor"))
    says(page, "map-said", "did not arrive")
    visitor.context.unroute("**/vendor/plotly.js")


def test_the_page_says_how_far_a_fit_is(visitor, lab):
    visitor.context.route("**/map?*", lambda route: None)  # the answer never comes
    visitor.context.route("**/progress", lambda route: route.fulfill(json={"done": 2, "total": 6}))
    page = visitor.open(lab.path("reactor"))
    page.wait_for_function(
        "() => /Fitting the map, step 3 of 6 … \\d+ s/.test(document.getElementById('map-busy').textContent)"
    )
    assert page.evaluate("document.querySelector('#map-busy progress').position") == pytest.approx(2 / 6)


def test_before_the_first_value_no_title_stands_over_nothing(browser, lab):
    made, path = lab.begin("nothing yet", measured=0)
    made.close()
    visitor = Visitor(browser, lab.url, width=390, error=False)
    page = visitor.open_map(path)
    assert page.inner_text("#map-said") == "The map appears with the first value."
    assert page.evaluate(f"{PLOT}.layout.annotations") == []
    assert page.evaluate(f"{PLOT}.data.some((t) => t.mode === 'markers')")  # what is to be run is there
    assert visitor.trouble == []
    visitor.close()


def test_a_large_campaign_shows_a_coarse_map_first(visitor, lab, rng):
    made, path = lab.begin(small("large", strategy="sobol"))
    x = made.domain.sample(310, rng)
    made.add(x, x[:, 0] / 10 + x[:, 1])
    made.close()
    page = visitor.open(path)
    says(page, "map-said", "310 measurements")
    asked = [r.partition("coarse=")[2] for r in visitor.requests if "/map?" in r]
    assert asked == ["true", "false"]
    marks = page.evaluate(f"{PLOT}.data.filter((t) => t.mode === 'markers').map((t) => t.marker.size)")
    assert max(marks) < 7  # of so many, each is smaller: the map is seen between them
    visitor.open(f"{path}/residuals")
    page.wait_for_selector("#scatter-0 circle >> nth=0", state="attached")
    dots = "[...document.querySelectorAll('#scatter-0 circle.stem')].map((dot) => dot.r.baseVal.value)"
    assert max(page.evaluate(dots)) < 5  # nor do they hide each other beside what was predicted
    assert visitor.trouble == []


def test_the_edge_of_constraints_is_a_line_and_corners_of_a_triangle_are_blends(visitor, lab):
    page = visitor.open_map(lab.path("reactor"))
    cover = page.evaluate(f"(({{ x, y }}) => [x, y])({PLOT}.data.find((t) => t.fill === 'toself'))")
    places = np.array([(a, b) for a, b in zip(*cover, strict=True) if a is not None])
    on_edge = np.abs(places[:, 0] * places[:, 1] - 3000) < 3
    assert on_edge.sum() > 100  # of the curve itself, not of cells
    inside = places[:, 0] * places[:, 1] < 3000 - 3
    assert not inside.any()
    heat = page.evaluate(f"{PLOT}.data[0].z.flat().filter((v) => v === null).length")
    gaps = page.evaluate(
        "fetch('/api' + location.pathname.replace('/c/', '/campaigns/') + '/map')"
        ".then((r) => r.json()).then((a) => a.layers.mean.filter((v) => v === null).length)"
    )
    assert heat < gaps  # colours reach below the cover

    visitor.open_map(lab.path("blend"))
    texts = page.evaluate(f"{PLOT}.layout.annotations.map((a) => a.text)")
    corners, ticks = texts[:3], [float(t) for t in texts[3:]]
    assert corners[0].startswith("<b>resin</b> 0.9<br>")  # not resin alone
    assert "with water 0.1" in corners[0]
    assert corners[2].startswith("<b>pigment</b> 0.7<br>")
    assert "with resin 0.2, water 0.1" in corners[2]
    assert len(ticks) >= 9
    assert all(abs(v * 10 - round(v * 10)) < 1e-9 for v in ticks)  # round numbers
    assert visitor.trouble == []


def test_the_globe_is_whole_on_a_phone_and_speaks_in_angles(browser, lab):
    visitor = Visitor(browser, lab.url, width=390, error=False)
    visitor.page.add_init_script(WATCH_CANVAS)
    page = visitor.open_map(lab.path("antenna"))
    texts = page.evaluate("window.texts")
    assert "gain in dBi" in [t[0] for t in texts]  # the scale says what it is
    numbers = sorted({float(t[0]) for t in texts if re.fullmatch(r"-?[\d.]+", t[0])})
    assert len(numbers) >= 3
    assert len({round(b - a, 6) for a, b in itertools.pairwise(numbers)}) == 1  # even steps
    assert all(right <= wide for _, right, wide in texts)  # none is cut
    before = page.evaluate("document.getElementById('globe').toDataURL()")
    page.focus("#globe")
    for _ in range(10):  # once around: what is to be run on the far side is a broken ring
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.getElementById('globe').toDataURL()") != before
    assert page.evaluate("window.broken") > 0
    assert "Broken rings are to run on the far side." in page.inner_text("#map-said")
    box = page.locator("#globe").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.45)
    page.wait_for_selector("#tip:not([hidden])")
    tip = page.inner_text("#tip")
    assert re.search(r"azimuth -?[\d.]+°, elevation -?[\d.]+°", tip)
    assert re.search(r"gain [\d.-]+( ± [\d.]+)? dBi|to run|failed", tip)
    assert re.search(r"azimuth\s+-?[\d.]+ °\s+elevation\s+-?[\d.]+ °", page.inner_text(".cards"))
    visitor.open_map(lab.path("probe"))
    assert page.evaluate("window.faint") > 0  # measured at other frequencies than the one shown
    visitor.open_map(lab.path("blend"))
    assert page.evaluate(f"{PLOT}.data[0].colorbar.orientation") == "h"  # the map has the whole width
    assert page.locator("#map-plot .nsewdrag").bounding_box()["width"] > 280
    assert page.evaluate(f"{PLOT}.layout.annotations.at(-1).text") == "gloss in GU"
    busy, bar = (page.locator(s).first.bounding_box() for s in ("#map-busy", "#map-plot .cbfills"))
    assert bar["y"] - busy["y"] - busy["height"] < 40  # no gap above the colours
    page.set_viewport_size({"width": 1280, "height": 900})  # and it is drawn anew where there is room
    page.wait_for_function(f"() => {PLOT}.data?.[0].colorbar?.orientation !== 'h'")
    page.wait_for_function("() => document.querySelector('#map-plot .nsewdrag')?.getBBox().width > 400")
    assert page.locator("#map-plot .cbbg").first.bounding_box()["height"] > 300
    assert visitor.trouble == []
    visitor.close()


def test_responses_are_overlaid_and_each_category_has_its_map(visitor, lab):
    page = visitor.open_map(f"{lab.path('mixed')}?layer=overlay")
    page.wait_for_selector("#limits:not([hidden])")
    heat = f"{PLOT}.data[0]"
    page.fill("#g-0-from", "7")
    page.fill("#g-1-to", "4")
    page.wait_for_function(f"() => {PLOT}.data.filter((t) => t.name === 'level').length === 6")
    good = page.evaluate(
        "fetch('/api' + location.pathname.replace('/c/', '/campaigns/') + '/map?overlay=true')"
        ".then((r) => r.json()).then((a) => a.overlaid.map((r) => [r.mean, r.deviation]))"
    )
    drawn = np.array(page.evaluate(f"{heat}.z")).ravel()
    limits = page.evaluate("[...document.querySelectorAll('#limits input')].map((i) => i.value)")
    expected = np.ones(len(drawn))
    for (mean, deviation), low, high in zip(good, limits[::2], limits[1::2], strict=True):
        z = [((float(v) - np.array(mean)) / np.array(deviation)) if v else None for v in (low, high)]
        upper, lower = (1.0 if z[1] is None else _normal(z[1])), (0.0 if z[0] is None else _normal(z[0]))
        expected = expected * (upper - lower)
    np.testing.assert_allclose(drawn, expected, atol=1e-5)
    said = page.evaluate(f"{heat}.text[5][5]")
    assert re.search(r"yield [\d.-]+ ± [\d.]+ %<br>cost [\d.-]+ ± [\d.]+ €<br><b>all good: \d+ %</b>", said)
    assert "good=" in page.url

    page.select_option("#m-layer", "mean")
    solvent = page.locator(".slider[data-axis=solvent] select")
    solvent.select_option("each")
    page.wait_for_function("() => document.querySelectorAll('#small-maps .plot-container').length === 2")
    captions = page.locator("#small-maps figcaption").all_inner_texts()
    assert captions == ["solvent: water", "solvent: oil"]
    water, oil = page.evaluate(
        "[...document.querySelectorAll('#small-maps [data-k]')].map((n) => n.data[0])"
        ".map((heat) => [heat.zmin, heat.zmax, heat.z[9][9]])"
    )
    assert water[:2] == oil[:2]  # one scale for both
    assert oil[2] > water[2] + 1  # the category's own map
    assert page.is_hidden("#map-plot")
    assert "each=solvent" in page.url
    click_map(page, "#small-maps [data-k='1']", 0.52, 0.13)
    page.wait_for_selector("#place .says b")
    assert "oil" in page.inner_text("#place")
    with page.expect_download() as taken:
        page.click("#map-save >> text=Data (CSV)")
    rows = taken.value.path().read_text().splitlines()
    assert rows[0].startswith("solvent,temperature,time,mean")
    assert {row.split(",")[0] for row in rows[1:]} == {"water", "oil"}
    solvent.select_option("0")
    page.wait_for_selector("#map-plot:not([hidden])")
    assert visitor.trouble == []


def _normal(z):
    from scipy.special import ndtr

    return ndtr(z)


#: How many patches a surface has whose one cell lacks so many corners.
PATCHES = """async (missing) => {
  const { Surface } = await import("/static/surface.js"), sheet = Object.create(Surface.prototype);
  const values = [1, 2, 3, 4].map((v, i) => (i < missing ? null : v)), none = () => {};
  Object.assign(sheet, {
    data: { grid: [[0, 1], [0, 1]], shape: [2, 2], values }, low: 1, high: 4,
    colours: Array(128).fill([0, 0, 0]), at: (p) => p, space: (x, y, v) => [x, y, v],
  });
  let patches = 0;
  const fill = () => { patches += 1; };
  sheet.sheet({ beginPath: none, closePath: none, stroke: none, moveTo: none, lineTo: none, fill });
  return patches;
}"""


def test_at_the_edge_of_constraints_a_surface_ends_in_triangles(visitor):
    page = visitor.open("/")
    assert [page.evaluate(PATCHES, missing) for missing in (0, 1, 2)] == [1, 1, 0]


def test_a_map_is_a_surface_for_those_who_want_one_and_shows_the_aim(visitor, lab):
    made, path = lab.begin("aimed", aim=Aim(near={"yield": 3.0}))
    made.close()
    visitor.page.add_init_script(WATCH_CANVAS)
    page = visitor.open_map(f"{path}?picture=surface")
    assert page.is_visible("#surface")
    assert page.is_hidden("#map-plot")
    picture = "document.getElementById('surface').toDataURL()"
    texts = page.evaluate("window.texts")
    assert {"temperature (°C)", "pH"} <= {text for text, _, _ in texts}
    assert all(right <= wide for _, right, wide in texts)  # none is cut
    assert "white line" not in page.inner_text("#map-said")  # it is drawn on the flat map alone
    assert page.is_hidden("#map-legend >> text=to run")
    before = page.evaluate(picture)
    page.hover("#surface")
    page.wait_for_selector("#tip:not([hidden])")
    said = r"temperature [\d.]+ °C\s+pH [\d.]+\s+yield [\d.-]+( ± [\d.]+)? %"
    assert re.search(said, page.inner_text("#tip"))  # of the place, or of the experiment there
    page.click("#surface")
    page.wait_for_selector("#place .says b")
    page.focus("#surface")
    page.keyboard.press("ArrowRight")
    after = page.evaluate(picture)
    assert after != before
    box = page.locator("#surface").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 190)
    page.mouse.up()
    assert page.evaluate(picture) != after
    with page.expect_download() as taken:
        page.click("#map-save >> text=PNG")
    assert taken.value.path().read_bytes().startswith(b"\x89PNG")
    page.select_option("#m-picture", "")
    page.wait_for_selector("#map-plot:not([hidden])")
    levels = page.evaluate(f"{PLOT}.data.filter((t) => t.name === 'level').map((t) => t.contours.start)")
    assert levels == [3, 3]  # the contour that the aim is about, pale on dark
    assert "The white line is where yield is 3 %." in page.inner_text("#map-said")
    assert page.evaluate(f"{PLOT}.data[0].opacity") < 0.8  # five values: it must not look certain
    assert "this is a guess" in page.inner_text("#map-said")
    assert page.is_hidden("#map-legend >> text=failed")  # none has
    assert "picture" not in page.url
    assert visitor.trouble == []
