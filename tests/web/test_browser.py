"""The page in a real browser: a whole campaign, hostile texts, two tabs, the keyboard, axe, three widths."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from equiwarp import Campaign
from equiwarp.spec import CampaignSpec, Response
from equiwarp.web.security import POLICY
from tests.web.conftest import Server, needed, small, value_of

pytestmark = pytest.mark.browser
SLOW = 45_000  # milliseconds; a busy machine must not make a test fail


class Visitor:
    """A browser window of its own that records what should not happen."""

    def __init__(self, browser, url, width=1280, scheme="light"):
        self.url = url
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, color_scheme=scheme, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.trouble, self.requests = [], []
        self.page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        self.page.on("console", lambda m: m.type == "error" and self.trouble.append(f"console: {m.text}"))
        self.page.on("dialog", lambda d: (self.trouble.append("dialog"), d.dismiss()))
        self.page.on("request", lambda r: self.requests.append(r.url))

    def open(self, path):
        self.page.goto(self.url + path)
        ready(self.page)
        return self.page

    def close(self):
        self.context.close()
        outside = [r for r in self.requests if not r.startswith((self.url, "data:", "blob:"))]
        assert outside == []


@pytest.fixture
def visitor(browser, server):
    made = Visitor(browser, server.url)
    yield made
    made.close()


def ready(page):
    """Wait for the script: before it runs, a form posts as it would without, and the page is another."""
    page.wait_for_selector("html[data-ready]", state="attached")


def told(page, experiment, value):
    ready(page)
    page.fill(f"#e{experiment} [data-response]", str(value))
    page.click(f"#e{experiment} .tell button")
    page.wait_for_selector(f"#e{experiment}", state="detached")


def test_a_whole_campaign_from_creation_to_report(visitor, server, store, tmp_path):
    page = visitor.open("/new")
    ready(page)  # the script hides what other kinds of domains need, and the button moves up
    page.click("text=Begin the campaign")
    page.wait_for_selector("#name-problem")  # a mistake is shown at its field, and nothing was begun
    ready(page)
    for name, value in {
        "name": "furnace", "p0-name": "temperature", "p0-low": "20", "p0-high": "90", "p0-unit": "°C",
        "p1-name": "pH", "p1-low": "3", "p1-high": "9", "r0-name": "yield", "r0-unit": "%",
        "r0-noise": "0.05",
    }.items():  # fmt: skip
        page.fill(f"#{name}", value)
    page.click("text=Begin the campaign")
    page.wait_for_selector("#campaign")
    ready(page)

    page.fill("#n", "6")
    page.click("text=Suggest experiments")
    page.wait_for_selector("#e6")
    ready(page)
    with Campaign("furnace", store=store) as campaign:
        points = {e.id: e.point for e in campaign.experiments()}
        assert f"{points[1]['temperature']:.6g} °C" in page.inner_text("#e1 .point")
        page.fill("#e1 [data-response]", "1,5")
        page.click("#e1 .tell button")
        page.wait_for_function("() => document.querySelector('#e1 .problem').textContent.includes('1.5')")
        for experiment in (1, 2, 3):
            told(page, experiment, value_of(points[experiment]))
        page.click("#e4 .failed summary")
        page.fill("#f4", "furnace tripped")
        page.click("text=Mark as failed >> visible=true")
        page.wait_for_selector("#e4", state="detached")
        assert campaign.experiment(4).reason == "furnace tripped"

        with page.expect_download() as download:
            page.click("text=Download the plate")
        rows = download.value.path().read_text().splitlines()
        filled = [rows[0], *(r[:-1] + f"{value_of(points[int(r.split(',')[0])])}," for r in rows[1:])]
        plate = tmp_path / "plate.csv"
        plate.write_text("\n".join(filled) + "\n")
        page.set_input_files("#plate-file", plate)
        page.click("text=Check the plate")
        page.click(".preview >> text=Take the plate")
        page.wait_for_selector("#e6", state="detached")
        assert campaign.experiment(6).value == value_of(points[6])

        page.wait_for_selector("#map-plot .plot-container", state="attached")
        page.wait_for_function(
            "() => document.getElementById('map-said').textContent.includes('5 measurements')"
        )
        page.select_option("#m-layer", "warped")
        page.wait_for_function(
            "() => document.getElementById('map-said').textContent.includes('full method')"
        )
        page.wait_for_function(
            "() => document.getElementById('error-numbers').textContent.includes('error of yield')"
        )
        assert page.is_hidden("#advice")  # no stop rule was set

        page.click("table.rows a >> text=/^2$/")
        page.fill("#a-0", "2.25")
        page.fill("#reason", "misread")
        page.click("text=Correct >> visible=true >> nth=-1")
        page.wait_for_selector(".history >> text=misread")
        assert campaign.experiment(2).value == 2.25
    page.goto(server.url + "/c/1")
    with page.expect_download(timeout=600_000) as download:  # it fits many maps
        page.click("text=Report (HTML)", timeout=600_000)
    report = download.value.path().read_text()
    assert "furnace tripped" in report
    assert "data:image/png" in report
    expected = ("422", "status of 422")  # the browser itself notes refused requests
    assert [t for t in visitor.trouble if not any(e in t for e in expected)] == []


PAYLOAD = '"><img src=x onerror=window.hit=1><script>window.hit=1</script>'


def test_hostile_texts_stay_texts(visitor, store):
    from equiwarp import Box

    box = Box({PAYLOAD: {"low": 0, "high": 1, "unit": PAYLOAD}, "b<b>": (0, 1)})
    spec = CampaignSpec(PAYLOAD, box, (Response("y" + PAYLOAD, PAYLOAD, 0.1),), "sobol", description=PAYLOAD)
    with Campaign.from_spec(spec, store=store, who=PAYLOAD) as campaign:
        asked = campaign.ask(6)
        campaign.tell_failed(asked[0].id, PAYLOAD)
        for e in asked[1:5]:
            campaign.tell(e.id, e.point["b<b>"])
        campaign.amend(asked[1].id, 3.0, reason=PAYLOAD)
    for path in ("/", "/c/1", "/c/1/e/1", "/c/1/e/2"):
        page = visitor.open(path)
        if path == "/c/1":
            page.wait_for_function(
                "() => document.getElementById('map-said').textContent.includes('4 measurements')"
            )
            page.wait_for_function("() => document.querySelector('#map-plot .xtitle')")
            page.wait_for_function("() => !document.getElementById('error-note').hidden")
            assert page.locator("#map-plot .xtitle").text_content().startswith(PAYLOAD[:12])
        assert page.evaluate("window.hit") is None
        assert page.locator("img[src=x]").count() == 0
    assert visitor.trouble == []


def test_two_people_see_each_other_and_neither_overwrites(browser, server, campaign):
    anna, berta = Visitor(browser, server.url), Visitor(browser, server.url)
    experiment = campaign.experiments("pending")[0].id
    ours, theirs = anna.open("/c/1"), berta.open("/c/1")
    theirs.fill(f"#e{experiment} [data-response]", "9.5")
    told(ours, experiment, 4.5)
    theirs.wait_for_selector(f"table.rows a >> text=/^{experiment}$/", timeout=20_000)
    theirs.wait_for_selector(f"#e{experiment}.superseded")
    assert theirs.input_value(f"#e{experiment} [data-response]") == "9.5"
    theirs.click(f"#e{experiment} .tell button")
    theirs.wait_for_function(
        f"() => document.querySelector('#e{experiment} .problem').textContent.includes('4.5')"
    )
    assert campaign.experiment(experiment).value == 4.5

    stale, fresh = anna.open("/c/1/e/1"), berta.open("/c/1/e/1")
    fresh.fill("#a-0", "7")
    fresh.click("form[data-verb=amend] button")
    fresh.wait_for_selector(".history >> text=amended")
    stale.fill("#a-0", "8")
    stale.click("form[data-verb=amend] button")
    stale.wait_for_function(
        "() => document.querySelector('form .problem').textContent.includes('after it was shown')"
    )
    assert campaign.experiment(1).value == 7.0
    anna.close()
    berta.close()


def test_the_keyboard_is_enough(visitor, campaign):
    experiment = campaign.experiments("pending")[0].id
    page = visitor.open("/")
    focus_on(page, "document.activeElement.getAttribute('href') === '/c/1'")
    page.keyboard.press("Enter")
    page.wait_for_selector("#campaign")
    mine = f"document.activeElement.closest('#e{experiment}')"
    focus_on(page, f"{mine} && document.activeElement.dataset.response")
    page.keyboard.type("3.25")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#e{experiment}", state="detached")
    assert campaign.experiment(experiment).value == 3.25
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    page.keyboard.press("Tab")
    assert page.evaluate(outline) != "none"


def focus_on(page, condition):
    """Press Tab until the condition holds."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"Boolean({condition})"):
            return
    raise AssertionError(f"Tab never reached {condition}")


VIEWS = (
    *("/", "/new", "/c/1", "/c/1/e/1", "/api", "/login", "/nowhere"),
    *("/c/1/profiler", "/c/1/effects", "/c/1/residuals"),
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, server, campaign, scheme):
    needed("axe_playwright_python")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    visitor = Visitor(browser, server.url, scheme=scheme)
    for path in VIEWS:
        page = visitor.open(path)
        if path == "/c/1":
            page.wait_for_selector("#map-plot .plot-container", state="attached")
            page.wait_for_function("() => !document.getElementById('error-note').hidden")
        page.evaluate(axe)  # through the debugger: the page's own policy stays in force
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious = [
            (path, v["id"], [n["target"] for n in v["nodes"]][:3])
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert serious == []
    visitor.close()


def test_no_view_is_wider_than_its_window(browser, server, campaign):
    for width in (360, 820, 1440):
        visitor = Visitor(browser, server.url, width=width)
        for path in VIEWS:
            page = visitor.open(path)
            if path == "/c/1":
                page.wait_for_selector("#map-plot .plot-container", state="attached")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, path)
            small_targets = page.evaluate(
                "[...document.querySelectorAll('button, .button, select, input[inputmode]')]"
                ".filter((e) => e.offsetParent && e.getBoundingClientRect().height < 40).length"
            )
            assert small_targets == 0, path  # gloves
        visitor.close()


def test_a_globe_turns_with_the_arrow_keys(visitor, store, rng):
    from equiwarp import Sphere

    spec = CampaignSpec("globe", Sphere(2), (Response("v", noise=0.1),))
    with Campaign.from_spec(spec, store=store) as campaign:
        x = spec.domain.sample(6, rng)
        campaign.add(x, x[:, 0])
    page = visitor.open("/c/1")
    page.wait_for_selector("#globe[data-drawn]")  # its place is kept from the start
    picture = "document.getElementById('globe').toDataURL()"
    before = page.evaluate(picture)
    page.focus("#globe")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(picture) != before
    assert visitor.trouble == []


def test_the_error_is_that_of_the_response_shown(visitor, store):
    two = (Response("yield", "%", 0.1), Response("impurity", "mg/g", 0.1))
    with Campaign.from_spec(small(responses=two), store=store) as campaign:
        for e in campaign.ask(5):
            campaign.tell(e.id, [e.point["pH"], e.point["temperature"]])
    page = visitor.open("/c/1")
    for response, name in (("0", "yield"), ("1", "impurity")):
        page.select_option("#m-response", response)
        page.wait_for_selector(f"#error-note >> text=Shown: {name}")
    assert visitor.trouble == []


def test_without_script_the_forms_still_work(browser, server, campaign):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    experiment = campaign.experiments("pending")[0].id
    page.goto(f"{server.url}/c/1")
    page.fill(f"#e{experiment} [data-response]", "5.5")
    page.click(f"#e{experiment} .tell button")
    page.wait_for_selector("text=Saved.")
    assert campaign.experiment(experiment).value == 5.5
    context.close()


def test_without_script_the_map_is_a_picture(browser, server, campaign):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    with page.expect_response(lambda r: "/map.png" in r.url, timeout=SLOW) as served:
        page.goto(f"{server.url}/c/1")
    assert served.value.status == 200
    picture = page.locator(".still img")
    picture.wait_for(state="visible", timeout=SLOW)
    assert "map of yield over temperature and pH" in picture.get_attribute("alt")
    box = picture.bounding_box()
    assert box["width"] > 300
    assert not page.locator("#map-form").is_visible()  # it would do nothing
    context.close()


def test_the_policy_is_in_force(visitor, campaign):
    page = visitor.open("/c/1")
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'hit = 1'; document.head.append(s)"
    )
    assert page.evaluate("window.hit") is None
    assert "script-src 'self'" in POLICY
    assert json.dumps(small().to_dict())


def test_the_map_reads_in_names_units_and_deviations(visitor, campaign):
    page = visitor.open("/c/1")
    page.wait_for_selector("#map-plot .plot-container", state="attached")
    heat = "document.getElementById('map-plot').data[0]"
    said = page.evaluate(f"{heat}.text[0][0]")
    assert re.fullmatch(r"temperature 20 °C<br>pH 3<br><b>yield [\d.-]+ ± [\d.]+ %</b>", said)
    assert page.evaluate(f"{heat}.colorbar.title.text") == "yield in %"
    assert "So few values say little yet" in page.inner_text("#map-said")
    assert page.locator("time[datetime]").first.text_content().endswith(("AM", "PM"))
    assert visitor.trouble == []


def test_the_page_says_what_it_waits_for_and_what_failed(visitor, campaign):
    def stalled(route):  # the first answer never comes
        visitor.context.unroute("**/map?*")

    visitor.context.route("**/map?*", stalled)
    page = visitor.open("/c/1")
    page.wait_for_function(
        "() => /Fitting the map … \\d+ s/.test(document.getElementById('map-busy').textContent)"
    )
    assert page.inner_text("#map-said") == "The map of 5 values is on its way."
    page.select_option("#m-layer", "score")  # what was asked before is given up
    page.wait_for_function("() => document.getElementById('map-said').textContent.includes('maximises')")
    page.wait_for_selector("#map-card:not(.waiting)")
    visitor.context.route("**/vendor/plotly.js", lambda route: route.abort())
    visitor.page.goto(visitor.url + "/c/1")
    page.wait_for_function("() => document.getElementById('map-said').textContent.includes('did not arrive')")
    visitor.context.unroute("**/vendor/plotly.js")


def test_a_large_campaign_shows_a_coarse_map_first(visitor, store, rng):
    with Campaign.from_spec(small("large"), store=store) as made:
        x = made.domain.sample(310, rng)
        made.add(x, x[:, 0] / 10 + x[:, 1])
    page = visitor.open("/c/1")
    page.wait_for_function(
        "() => document.getElementById('map-said').textContent.includes('310 measurements')"
    )
    asked = [r.partition("coarse=")[2] for r in visitor.requests if "/map?" in r]
    assert asked == ["true", "false"]
    assert visitor.trouble == []


def test_messages_are_in_sight_and_go_when_they_are_done_with(visitor, campaign, tmp_path):
    experiment = campaign.experiments("pending")[0].id
    page = visitor.open("/c/1")
    field, problem = f"#e{experiment} [data-response]", f"#e{experiment} .tell .problem"
    page.fill(field, "1,5")
    page.click(f"#e{experiment} .tell button")
    page.wait_for_selector(f"{problem}:not(:empty)")
    page.fill(field, "")
    assert page.text_content(problem) == ""

    book = tmp_path / "plate.xls"
    book.write_bytes(b"PK\x03\x04\x00")
    page.set_input_files("#plate-file", book)
    page.click("text=Check the plate")
    page.wait_for_selector("text=save it as .xlsx or CSV")
    broken = tmp_path / "plate.csv"
    broken.write_bytes(f"id,yield,failed\n{experiment},,it\x01tripped\n".encode())
    page.set_input_files("#plate-file", broken)
    page.click("text=Check the plate")
    page.wait_for_selector("text=U+0001")  # the reason, not only that there is one

    plate = tmp_path / "filled.csv"
    plate.write_text(f"id,yield\n{experiment},4.5\n")
    page.set_input_files("#plate-file", plate)
    page.click("text=Check the plate")
    page.click(".preview >> text=Take the plate")
    page.wait_for_selector("#said:not(:empty)")
    box = page.locator("#said").bounding_box()
    assert 0 <= box["y"] < 900  # at the top of the window, although the page is scrolled down
    assert page.evaluate("scrollY") > 0

    visitor.open("/c/1/e/1")
    page.fill("#a-0", "2.25")
    page.click("form[data-verb=amend] button")
    page.wait_for_selector("#said >> text=Corrected")


def test_a_link_with_the_token_signs_in_on_an_open_page_too(browser, store, campaign, tmp_path):
    token = "a-token-that-nobody-guesses"
    server = Server(store, tmp_path, "--token", token)
    assert "Other machines" not in server.log.read_text()  # it is this machine alone
    visitor = Visitor(browser, server.url)
    page = visitor.open("/c/1")
    assert "/login?to=/c/1" in page.url
    page.evaluate(f"location.hash = {json.dumps(token)}")
    page.wait_for_selector("#campaign")  # the page that was asked for
    visitor.close()
    server.stop()
