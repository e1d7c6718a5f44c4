"""The work at the bench in a real browser: a whole campaign, two people, keyboard, forms, no script."""

from __future__ import annotations

import json

import numpy as np
import pytest

from equiwarp import Box, Campaign
from equiwarp.spec import CampaignSpec, Response
from equiwarp.web.security import POLICY
from tests.web.browser.visiting import SLOW, Visitor, ready, says, told
from tests.web.conftest import Server, small, value_of

pytestmark = pytest.mark.browser


def test_a_whole_campaign_from_creation_to_report(browser, lab, tmp_path):
    visitor = Visitor(browser, lab.url)
    page = visitor.open("/new")
    page.click("text=Begin the campaign")
    page.wait_for_selector("#name-problem")  # a mistake is shown at its field, and nothing was begun
    ready(page)
    for name, value in {
        "name": "annealing", "p0-name": "temperature", "p0-low": "20", "p0-high": "90", "p0-unit": "°C",
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
    with Campaign("annealing", store=lab.store) as campaign:
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
            page.click("text=Download the table")
        rows = download.value.path().read_text().splitlines()
        filled = [rows[0], *(r[:-1] + f"{value_of(points[int(r.split(',')[0])])}," for r in rows[1:])]
        plate = tmp_path / "plate.csv"
        plate.write_text("\n".join(filled) + "\n")
        drop(page, "form[data-api$=plate]", plate)
        page.click(".preview >> text=Take the table")
        page.wait_for_selector("#e6", state="detached")
        assert campaign.experiment(6).value == value_of(points[6])

        page.wait_for_selector("#map-plot .plot-container", state="attached")
        says(page, "map-said", "5 measurements")
        page.click("#history summary")  # it is there with the values, without a reload
        assert page.is_visible("#m-upto")
        page.select_option("#m-layer", "warped")
        says(page, "map-said", "full method")
        says(page, "error-numbers", "error of yield")
        assert page.is_hidden("#advice")  # no stop rule was set

        page.click("table.rows a >> text=/^2$/")
        page.fill("#a-0", "2.25")
        page.fill("#reason", "misread")
        page.click("text=Correct >> visible=true >> nth=-1")
        page.wait_for_selector(".history >> text=misread")
        page.wait_for_selector("#said >> text=Corrected")  # a reload does not lose it
        assert campaign.experiment(2).value == 2.25
    page.goto(lab.url + lab.path("annealing"))
    with page.expect_download(timeout=600_000) as download:  # it fits many maps
        page.click("text=Report (HTML)", timeout=600_000)
    report = download.value.path().read_text()
    assert "furnace tripped" in report
    assert "data:image/png" in report
    expected = ("422", "status of 422")  # the browser itself notes refused requests
    assert [t for t in visitor.trouble if not any(e in t for e in expected)] == []
    visitor.close()


def drop(page, form, file):
    """Let go of a file over a form, as the browser sees it when it comes from the desktop."""
    page.locator(form).scroll_into_view_if_needed()
    box = page.locator(form).bounding_box()
    drag = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    desktop = page.context.new_cdp_session(page)
    for step in ("dragEnter", "dragOver", "drop"):
        place = {"x": box["x"] + 40, "y": box["y"] + 40}
        desktop.send("Input.dispatchDragEvent", {"type": step, **place, "data": drag})
        if step == "dragOver":
            page.wait_for_selector(f"{form}.over")
    page.wait_for_selector(f"{form}:not(.over)")


PAYLOAD = '"><img src=x onerror=window.hit=1><script>window.hit=1</script>'


def test_hostile_texts_stay_texts(browser, lab):
    box = Box(
        {PAYLOAD: {"low": 0, "high": 1, "unit": PAYLOAD}, "b<b>": (0, 1), PAYLOAD + "c": ["x", PAYLOAD]}
    )
    two = (Response("y" + PAYLOAD, PAYLOAD, 0.1), Response("z" + PAYLOAD, PAYLOAD, 0.1))
    spec = CampaignSpec(PAYLOAD, box, two, "sobol", n0=9, description=PAYLOAD)
    campaign, path = lab.begin(spec)
    asked = campaign.ask(8)
    campaign.tell_failed(asked[0].id, PAYLOAD)
    for e in asked[1:6]:
        campaign.tell(e.id, [e.point["b<b>"], 1.0])
    campaign.amend(asked[1].id, [3.0, 1.0], reason=PAYLOAD)
    campaign.close()
    visitor = Visitor(browser, lab.url)
    pages = ("/", path, f"{path}/e/1", f"{path}/e/2", f"{path}/parallel", f"{path}/profiler")
    for where in pages:
        page = visitor.open(where)
        if where == path:
            says(page, "map-said", "5 measurements")
            page.wait_for_function("() => document.querySelector('#map-plot .xtitle')")
            page.wait_for_function("() => !document.getElementById('error-note').hidden")
            assert page.locator("#map-plot .xtitle").text_content().startswith(PAYLOAD[:12])
            page.select_option("#m-layer", "overlay")
            says(page, "map-said", "all responses are good")
            page.select_option(".slider select", "each")
            page.wait_for_selector("#small-maps .plot-container")
            page.set_viewport_size({"width": 390, "height": 900})  # names of categories wrap in their cards
            page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
            page.set_viewport_size({"width": 1280, "height": 900})
        elif where.endswith("parallel"):
            page.wait_for_selector("#lines polyline >> nth=0", state="attached")
        elif where.endswith("profiler"):
            page.wait_for_selector("#profiles .mean >> nth=0", state="attached")
        assert page.evaluate("window.hit") is None
        assert page.locator("img[src=x]").count() == 0
    page.evaluate(  # the policy is in force
        "const s = document.createElement('script'); s.textContent = 'hit = 1'; document.head.append(s)"
    )
    assert page.evaluate("window.hit") is None
    assert "script-src 'self'" in POLICY
    assert json.dumps(small().to_dict())
    assert [t for t in visitor.trouble if "Content Security Policy" not in t] == []
    visitor.close()


def test_two_people_see_each_other_and_neither_overwrites(browser, lab):
    anna, berta = (Visitor(browser, lab.url, error=False) for _ in range(2))
    campaign, path = lab.begin("for two")
    experiment = campaign.experiments("pending")[0].id
    ours, theirs = anna.open(path), berta.open(path)
    theirs.fill(f"#e{experiment} [data-response]", "9.5")
    told(ours, experiment, 4.5)
    theirs.wait_for_selector(f"table.rows a >> text=/^{experiment}$/")
    theirs.wait_for_selector(f"#e{experiment}.superseded")
    assert theirs.input_value(f"#e{experiment} [data-response]") == "9.5"
    theirs.click(f"#e{experiment} .tell button")
    theirs.wait_for_function(
        f"() => document.querySelector('#e{experiment} .problem').textContent.includes('4.5')"
    )
    assert campaign.experiment(experiment).value == 4.5

    stale, fresh = anna.open(f"{path}/e/1"), berta.open(f"{path}/e/1")
    fresh.fill("#a-0", "7")
    fresh.click("form[data-verb=amend] button")
    fresh.wait_for_selector(".history >> text=corrected")
    stale.fill("#a-0", "8")
    stale.click("form[data-verb=amend] button")
    stale.wait_for_function(
        "() => document.querySelector('form .problem').textContent.includes('after it was shown')"
    )
    assert campaign.experiment(1).value == 7.0
    anna.close()
    berta.close()
    campaign.close()


def test_the_keyboard_is_enough_and_messages_go_when_they_are_done_with(visitor, lab, tmp_path):
    campaign, path = lab.begin("by keyboard", measured=4)
    first, second = (e.id for e in campaign.experiments("pending"))
    page = visitor.open(path)
    mine = f"document.activeElement.closest('#e{first}')"
    focus_on(page, f"{mine} && document.activeElement.dataset.response")
    page.keyboard.type("3.25")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#e{first}", state="detached")
    assert campaign.experiment(first).value == 3.25
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"

    field, problem = f"#e{second} [data-response]", f"#e{second} .tell .problem"
    page.fill(field, "1,5")
    page.click(f"#e{second} .tell button")
    page.wait_for_selector(f"{problem}:not(:empty)")
    page.fill(field, "1,500")
    page.click(f"#e{second} .tell button")
    page.wait_for_selector(f"{problem} >> text=write 1500 if the comma separates thousands, else 1.500")
    page.fill(field, "")
    assert page.text_content(problem) == ""

    book = tmp_path / "plate.xls"
    book.write_bytes(b"PK\x03\x04\x00")
    page.set_input_files("#plate-file", book)
    page.click("text=Check the table")
    page.wait_for_selector("text=save it as .xlsx or CSV")
    broken = tmp_path / "plate.csv"
    broken.write_bytes(f"id,yield,failed\n{second},,it\x01tripped\n".encode())
    page.set_input_files("#plate-file", broken)
    page.click("text=Check the table")
    page.wait_for_selector("text=U+0001")  # the reason, not only that there is one

    page.set_input_files("#plate-file", [])
    page.fill("#plate-pasted", f"id\tyield\tremark\n{second}\t4,5\tmilky\n")  # as a spreadsheet gives it
    page.click("text=Check the table")
    page.wait_for_selector(".preview td >> text=/^4.5$/")
    assert "the column 'remark' was not read" in page.inner_text(".preview .note")
    assert campaign.experiment(second).state == "pending"  # shown first
    page.click(".preview >> text=Take the table")
    page.wait_for_selector(".preview td", state="detached")  # taken; an older message may still stand
    box = page.locator("#said").bounding_box()
    assert 0 <= box["y"] < 900  # at the top of the window, although the page is scrolled down
    assert page.evaluate("scrollY") > 0
    assert campaign.experiment(second).value == 4.5
    campaign.close()


def focus_on(page, condition):
    """Press Tab until the condition holds."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"Boolean({condition})"):
            return
    raise AssertionError(f"Tab never reached {condition}")


def test_without_script_the_forms_work_and_the_map_is_a_picture(browser, lab):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(SLOW)
    campaign, path = lab.begin("no script")
    experiment = campaign.experiments("pending")[0].id
    with page.expect_response(lambda r: "/map.png" in r.url) as served:
        page.goto(lab.url + path)
    assert served.value.status == 200
    picture = page.locator(".still img")
    picture.wait_for(state="visible")
    assert "map of yield over temperature and pH" in picture.get_attribute("alt")
    assert picture.bounding_box()["width"] > 300
    assert not page.locator("#map-form").is_visible()  # it would do nothing
    page.fill(f"#e{experiment} [data-response]", "5.5")
    page.click(f"#e{experiment} .tell button")
    page.wait_for_selector("text=Saved.")
    assert campaign.experiment(experiment).value == 5.5
    context.close()
    campaign.close()


def test_a_link_with_the_token_signs_in_on_an_open_page_too(browser, lab, tmp_path):
    token = "a-token-that-nobody-guesses"
    server = Server(lab.store, tmp_path, "--token", token)
    assert "Other machines" not in server.log.read_text()  # it is this machine alone
    visitor = Visitor(browser, server.url, error=False)
    page = visitor.open(f"{lab.path('sweep')}?layer=deviation")
    assert f"/login?to={lab.path('sweep')}" in page.url
    page.evaluate(f"location.hash = {json.dumps(token)}")
    page.wait_for_selector("#campaign")  # the page that was asked for, with what it showed
    assert page.url.endswith("?layer=deviation")
    visitor.close()
    server.stop()


def test_the_form_stays_where_one_is_and_fits_the_kind_of_domain(visitor, lab):
    page = visitor.open("/new")
    page.fill("#p0-name", "heat")
    page.fill("#p1-name", "heat")
    page.fill("#name", "twice")
    page.click("text=Add a parameter")
    page.wait_for_selector("#p2-name")
    ready(page)
    assert page.evaluate("document.activeElement.id") == "p2-name"
    assert 0 <= page.locator("#p2-name").bounding_box()["y"] < 900  # in sight
    assert page.input_value("#p1-name") == "heat"
    for i in (0, 1):
        page.fill(f"#p{i}-low", "1")
        page.fill(f"#p{i}-high", "2")
    page.click("text=Begin the campaign")
    page.wait_for_selector("#p1-name-problem")  # the second of the two
    ready(page)
    assert page.locator("#p0-name-problem").count() == 0

    hint = page.locator("label[for=constraints] small")
    seen = {}
    for kind in ("simplex", "sphere", "box"):
        page.check(f"input[name=kind][value={kind}]")
        seen[kind] = hint.inner_text()
    assert "temperature" in seen["box"]
    assert "temperature" not in seen["simplex"] + seen["sphere"]
    visitor.open("/new")
    page.check("input[name=kind][value=simplex]")
    assert page.locator("legend >> text=Component >> visible=true").count() == 3
    page.fill("#name", "a mixture")
    for i, (name, most) in enumerate({"water": "0.8", "fine oil": "", "salt": "0.3"}.items()):
        page.fill(f"#p{i}-name", name)
        page.fill(f"#p{i}-high", most)
    page.click("text=Begin the campaign")
    page.wait_for_selector("#campaign")
    with Campaign("a mixture", store=lab.store) as made:
        assert not made.domain.contains(np.array([[0.9, 0.1, 0.0], [0.5, 0.1, 0.4]])).any()
        assert made.domain.contains(np.array([[0.75, 0.05, 0.2]])).all()
    assert [t for t in visitor.trouble if "422" not in t] == []


def test_what_a_laboratory_needs_has_its_place(visitor, lab):
    """Order, partial values, detection limits, notes, where it works, aim, stop rule, description."""
    two = (Response("yield", "%", 0.1), Response("impurity", "mg/g", 0.1))
    campaign, path = lab.begin(small("laboratory", responses=two, strategy="sobol", change_cost={"pH": 5.0}))
    asked = campaign.ask(6)
    for e in asked[:3]:
        campaign.tell(e.id, [value_of(e.point), 1.0])
    campaign.tell_failed(asked[3].id, "tripped")
    fourth, fifth = asked[4].id, asked[5].id
    page = visitor.open_map(path)
    page.click(".rules summary")
    assert page.locator("#order option").all_inner_texts() == ["cheapest", "best first", "random"]
    page.fill(f"#v{fourth}-1", "<0.5")  # below what can be detected; the yield comes later
    page.click(f"#e{fourth} .tell button")
    page.wait_for_selector(f"#e{fourth} .told >> text=impurity: <0.5")
    assert campaign.experiment(fourth).below == ("impurity",)
    page.select_option("#m-layer", "works")
    says(page, "map-said", "probability that an experiment works here")
    visitor.open(f"{path}/e/{fifth}")
    page.fill("#n-text", "the lamp flickered")
    page.click("form[action$=note] button")
    page.wait_for_selector(".history >> text=the lamp flickered")
    visitor.open(f"{path}/settings")
    page.fill("#error", "0.25")
    page.fill("#description", "for the lamp")
    page.click("form[action$=change] button")
    page.wait_for_selector("#said >> text=Changed")
    ready(page)
    page.select_option("#kind", "near")
    page.fill("#level", "3")
    page.click("form[action$=aim] button")
    page.wait_for_selector("text=Now: yield near 3")
    with Campaign("laboratory", store=lab.store) as again:
        assert again.spec.stop.error == 0.25
        assert again.spec.description == "for the lamp"
    page = visitor.open_map(path)
    levels = "document.getElementById('map-plot').data.filter((t) => t.name === 'level').length"
    assert page.evaluate(levels) == 2  # the aim is drawn
    campaign.close()
    assert visitor.trouble == []
