"""Looking into maps in a real browser: profiles, what matters, odd values, places, history, parallel axes."""

from __future__ import annotations

import pytest

from equiwarp import Campaign
from tests.web.browser.visiting import WATCH_SHIFTS, Visitor, click_map, says

pytestmark = pytest.mark.browser


def test_a_map_is_looked_into(visitor, lab):
    path = lab.path("mixed")
    page = visitor.open(f"{path}/profiler")
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
    shared = page.url.removeprefix(lab.url)
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
    with Campaign("mixed", store=lab.store) as campaign:
        made = campaign.experiments()[-1]
        assert made.state == "pending"
        assert made.point["solvent"] == "oil"
        assert made.point["temperature"] > 85

    visitor.open(f"{path}/effects")
    page.wait_for_selector("#curves .mean >> nth=0", state="attached")
    assert page.locator("#shares-0 .whisker").count() == 6
    names = page.locator("#curves .response >> nth=0 >> .name").all_text_contents()
    assert names == ["temperature (°C)", "time (min)", "solvent"]
    assert page.locator("#effect-0-1 .tick").all_text_contents()[-5:] == ["1", "3", "10", "30", "100"]  # log

    visitor.open(f"{path}/residuals")
    assert page.locator("#scatter-0 .dot-far").get_attribute("data-experiment") == "7"  # the slip stands out
    page.click("#scatter-0 [data-experiment='7']")
    page.wait_for_selector("#picked >> text=Experiment 7")
    assert page.locator("tr.picked").count() == 2
    assert "equiwarp" not in page.inner_text("#odd")
    page.click("#picked >> text=Withdraw")
    page.wait_for_selector("form#withdraw")
    visitor.open(f"{lab.path('alloys')}/profiler")  # a list has no axis to follow, and nothing is asked for
    page.wait_for_selector("text=has no axis to follow")
    assert visitor.trouble == []


def test_a_finger_moves_the_profile(browser, lab):
    visitor = Visitor(browser, lab.url, width=390, error=False, has_touch=True, is_mobile=True)
    page = visitor.open(f"{lab.path('kiln')}/profiler")
    page.wait_for_selector("#profile-0-0 .mean", state="attached")
    page.locator("#profile-0-0").scroll_into_view_if_needed()
    panel, desktop = page.locator("#profile-0-0").bounding_box(), page.context.new_cdp_session(page)
    level = panel["y"] + panel["height"] / 2
    for step, share in (("touchStart", 0.5), ("touchMove", 0.7), ("touchMove", 0.97)):
        finger = {"x": panel["x"] + panel["width"] * share, "y": level}
        desktop.send("Input.dispatchTouchEvent", {"type": step, "touchPoints": [finger]})
    desktop.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(
        "() => JSON.parse(new URLSearchParams(location.search).get('at') || '{}').temperature > 1150"
    )
    assert visitor.trouble == []
    visitor.close()


def test_the_map_is_clicked_shared_and_taken_back_in_time(browser, lab):
    visitor = Visitor(browser, lab.url)
    page, path = visitor.page, lab.path("mixed")
    page.add_init_script(WATCH_SHIFTS)
    visitor.open(f"{path}?layer=deviation&response=1&axis=time&axis=temperature")
    page.wait_for_selector("#map-plot .plot-container", state="attached")
    page.wait_for_selector("#error-note >> text=Shown: cost")  # the error is that of the response shown
    assert "standard deviation of the map of cost" in page.inner_text("#map-said")
    assert page.input_value("#m-axis-0") == "time"
    assert page.evaluate("window.shift") < 0.1  # nothing moved while it was computed
    for name, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("Data (CSV)", b"what,measurements,yield,")):
        with page.expect_download() as taken:
            page.click(f"#error-save >> text={name}")
        assert taken.value.path().read_bytes().startswith(begins)
    course = taken.value.path().read_text().splitlines()
    assert {line.partition(",")[0] for line in course[1:]} == {"so far", "forecast"}
    page.select_option("#m-response", "0")
    page.wait_for_selector("#error-note >> text=Shown: yield")
    page.select_option("#m-response", "1")
    says(page, "map-said", "cost")
    page.wait_for_selector("#map-card:not(.waiting)")
    click_map(page, "#map-plot", 0.31, 0.77)
    page.wait_for_selector("#place >> text=Add an experiment here")
    assert "±" in page.inner_text("#place .says")
    with Campaign("mixed", store=lab.store) as campaign:
        added = len(campaign.experiments()) + 1
        page.click("#place >> text=Add an experiment here")
        page.wait_for_selector(f"#e{added}")
        assert 20 < campaign.experiment(added).point["temperature"] < 55
    page.hover("tr[data-experiment='16']")  # the table points into the map
    page.wait_for_function(
        "() => document.getElementById('map-plot').data.some((t) => t.marker && t.marker.size === 22)"
    )
    page.click("text=History: the map as it was")
    page.focus("#m-upto")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    says(page, "m-upto-said", "after 10 of 16")
    assert "upto=10" in page.url
    with page.expect_download() as taken:
        page.click("#map-save >> text=SVG")
    assert taken.value.path().read_bytes().startswith(b"<svg")
    assert visitor.trouble == []
    visitor.close()


def test_many_parameters_are_looked_at_between_parallel_axes(visitor, lab):
    page = visitor.open(f"{lab.path('process')}/parallel")
    page.wait_for_selector("#lines polyline >> nth=0", state="attached")
    assert page.locator("#lines .strip").count() == 8  # six parameters, two responses
    page.set_viewport_size({"width": 820, "height": 900})  # a tablet has room for all of them
    page.wait_for_function("() => document.querySelector('.wide').scrollWidth <= 820")
    assert "sideways" not in page.inner_text("#parallel-said")
    page.set_viewport_size({"width": 390, "height": 900})
    says(page, "parallel-said", "Push the drawing sideways")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert {"100", "200", "400", "800"} <= set(page.locator("#lines .tick").all_text_contents())  # levels
    says(page, "parallel-said", "384 places; nothing is limited")
    strip = page.locator("#lines .strip[data-axis='6']").bounding_box()  # the rate: its upper part
    across = strip["x"] + strip["width"] / 2
    page.mouse.move(across, strip["y"] + 12)
    page.mouse.down()
    page.mouse.move(across, strip["y"] + strip["height"] * 0.45, steps=4)
    page.mouse.up()
    says(page, "parallel-said", "of 384 places are left: temperature")
    rate = float(page.input_value("#keep-6-0"))
    page.select_option("#keep-5", "1")  # with the keyboard's means: one category
    says(page, "parallel-said", "catalyst palladium")
    assert page.locator("#lines polyline.kept").count() < page.locator("#lines polyline.pale").count()
    shared = page.url.removeprefix(lab.url)
    left = page.inner_text("#parallel-said")
    visitor.open(shared)
    page.wait_for_function("(text) => document.getElementById('parallel-said').innerText === text", arg=left)
    with page.expect_download() as taken:
        page.click("#parallel-save >> text=Data (CSV)")
    head, *rows = taken.value.path().read_text().splitlines()
    assert head.split(",")[6] == "rate"
    assert all(float(row.split(",")[6]) >= rate for row in rows)
    page.select_option("#par-what", "measured")
    says(page, "parallel-said", "24 measurements")
    page.fill("#keep-0-0", "1000")
    says(page, "parallel-said", "None of 24 measurements is left")
    assert visitor.trouble == []


def test_the_list_is_searched_and_what_is_done_with_is_put_away(browser, lab):
    visitor = Visitor(browser, lab.url)
    campaign, _ = lab.begin("done with")
    campaign.close()
    page = visitor.open("/")
    assert page.locator(".campaigns > li").first.get_attribute("data-name") == "done with"  # used last
    card = page.locator("li[data-name='kiln']")
    card.scroll_into_view_if_needed()  # of those in sight, one after the other
    card.locator("text=/map error [0-9.]+/").wait_for()  # computed for whoever looks at the list
    assert card.locator("time").text_content().endswith(("AM", "PM"))  # on the reader's clock
    page.fill("#search-for", "KIL")
    assert page.locator(".campaigns > li >> visible=true").count() == 1
    page.fill("#search-for", "no such name")
    assert page.is_visible("#none-found")
    page.fill("#search-for", "")
    page.click("button[aria-label='Put done with away']")
    page.wait_for_selector("summary >> text=Put away: 1")
    assert not page.is_visible("li[data-name='done with']")
    page.click("summary >> text=Put away: 1")
    page.click("button[aria-label='Take done with out again']")
    page.wait_for_selector("li[data-name='done with'] >> visible=true")
    with Campaign("done with", store=lab.store) as campaign:
        assert [e.what for e in campaign.events()[-2:]] == ["put away", "taken out"]
    assert visitor.trouble == []
    visitor.close()
