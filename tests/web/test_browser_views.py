"""Looking into a map in a real browser: drag a profile, see what matters, find the odd value."""

from __future__ import annotations

import pytest

from equiwarp import Box, Campaign
from equiwarp.spec import CampaignSpec, Response
from tests.web.test_browser import Visitor

pytestmark = pytest.mark.browser


@pytest.fixture
def mixed(store):
    """Two responses; a number, a log scale and a category; one value is wrong."""
    box = Box(
        {
            "temperature": {"low": 20, "high": 90, "unit": "°C"},
            "time": {"low": 1, "high": 100, "scale": "log"},
            "solvent": ["water", "oil"],
        }
    )
    two = (Response("yield", "%", 0.1), Response("cost", "€", 0.1))
    with Campaign.from_spec(CampaignSpec("mixed", box, two, "sobol", n0=6), store=store) as made:
        for e in made.ask(16):
            t, oil = e.point["temperature"], e.point["solvent"] == "oil"
            made.tell(e.id, {"yield": t / 10 + 3 * oil + (9 if e.id == 7 else 0), "cost": 5 - t / 30})
        yield made


def test_a_map_is_looked_into(browser, server, mixed):
    visitor = Visitor(browser, server.url)
    page = visitor.open("/c/1/profiler")
    page.wait_for_selector("#profiles .mean >> nth=0", state="attached")
    assert page.locator("#profiles svg.panel").count() == 6
    before = page.inner_text("#read-out")
    panel = page.locator("#profile-0-0").bounding_box()
    page.mouse.move(panel["x"] + 60, panel["y"] + 60)
    page.mouse.down()
    page.mouse.move(panel["x"] + panel["width"] - 14, panel["y"] + 60, steps=3)
    page.mouse.up()
    page.wait_for_function(
        "() => JSON.parse(new URLSearchParams(location.search).get('at') || '{}').temperature > 85"
    )
    assert page.inner_text("#read-out") != before
    page.focus("#s-2")  # the keyboard moves the category
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "() => document.querySelectorAll('#profile-0-2 .bar')[1].classList.contains('set')"
    )
    page.wait_for_function("() => location.search.includes('solvent')")
    shared = page.url.removeprefix(server.url)
    read = page.inner_text("#read-out")
    page.evaluate("scrollTo(0, 600)")
    assert 0 <= page.locator("#read-out").bounding_box()["y"] < 120  # pinned
    visitor.open(shared)  # the address holds the setting
    page.wait_for_function("(text) => document.getElementById('read-out').innerText === text", arg=read)
    for name, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("Data (CSV)", b"along,at,yield")):
        with page.expect_download() as taken:
            page.click(f"#profiles-save >> text={name}")
        assert taken.value.path().read_bytes().startswith(begins)
    page.click("text=Add an experiment at this setting")
    page.wait_for_selector("#added a")
    made = mixed.experiments("pending")[0].point
    assert made["solvent"] == "oil"
    assert made["temperature"] > 85

    visitor.open("/c/1/effects")
    page.wait_for_selector("#curves .mean >> nth=0", state="attached")
    assert page.locator("#shares-0 .whisker").count() == 6

    visitor.open("/c/1/residuals")
    page.click("#scatter-0 [data-experiment='7']")
    page.wait_for_selector("#picked >> text=Experiment 7")
    assert page.locator("tr.picked").count() == 2
    assert "equiwarp" not in page.inner_text("#odd")
    page.click("#picked >> text=Withdraw")
    page.wait_for_selector("form#withdraw")
    assert visitor.trouble == []
    visitor.close()


def test_the_map_is_clicked_shared_and_taken_back_in_time(browser, server, mixed):
    visitor = Visitor(browser, server.url)
    page = visitor.page
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const e of list.getEntries())"
        " if (!e.hadRecentInput) window.shift += e.value; })"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    visitor.open("/c/1?layer=deviation&response=1&axis=time&axis=temperature")
    page.wait_for_selector("#map-plot .plot-container", state="attached")
    page.wait_for_function("() => !document.getElementById('error-note').hidden")
    assert "standard deviation of the map of cost" in page.inner_text("#map-said")
    assert page.input_value("#m-axis-0") == "time"
    assert page.evaluate("window.shift") < 0.1  # nothing moved while it was computed
    area = page.locator("#map-plot .nsewdrag").first.bounding_box()
    place = {"x": area["width"] * 0.31, "y": area["height"] * 0.77}
    page.locator("#map-plot .nsewdrag").first.click(position=place)
    page.wait_for_selector("#place >> text=Add an experiment here")
    assert "±" in page.inner_text("#place .says")
    page.click("#place >> text=Add an experiment here")
    page.wait_for_selector("#e17")
    made = mixed.experiment(17).point
    assert 20 < made["temperature"] < 55
    page.hover("tr[data-experiment='16']")  # the table points into the map
    page.wait_for_function(
        "() => document.getElementById('map-plot').data.some((t) => t.marker && t.marker.size === 22)"
    )
    page.click("text=History: the map as it was")
    page.focus("#m-upto")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "() => document.getElementById('m-upto-said').textContent.startsWith('after 10 of 16')"
    )
    assert "upto=10" in page.url
    with page.expect_download() as taken:
        page.click("#map-save >> text=SVG")
    assert taken.value.path().read_bytes().startswith(b"<svg")
    assert visitor.trouble == []
    visitor.close()
