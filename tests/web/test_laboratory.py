"""A day in the laboratory over the page and its API."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from equiwarp import Box, Campaign, Candidates, Parameter, Product
from equiwarp.exceptions import StoreBusy
from equiwarp.spec import Response
from equiwarp.web import clock
from tests.web.conftest import small

API = "/api/campaigns/1"


@pytest.fixture
def film(store):
    """Two responses, a block, a plausible range; six experiments are pending."""
    responses = (Response("yield", "%", 0.05, low=0, high=100), Response("purity"))
    spec = small(responses=responses, blocks={"day": "offset"})
    with Campaign.from_spec(spec, store=store, who="anna") as made:
        made.ask(6)
        yield made


def post(client, path, **body):
    return client.post(f"{API}/{path}", json=body)


def test_values_in_part_limits_settings_and_samples_over_the_api(client, film):
    half = post(client, "experiments/1/tell", values={"yield": 5.0}, sample="S-1", at={"pH": 4.5}).json()
    assert (half["state"], half["values"], half["sample"]) == ("pending", {"yield": 5.0}, "S-1")
    assert half["point"]["pH"] == 4.5
    assert half["asked"]["pH"] != 4.5
    whole = post(client, "experiments/1/tell", values={"purity": "<0.5"}).json()
    assert (whole["state"], whole["below"]) == ("done", ["purity"])
    over = post(client, "experiments/3/tell", values=["≥90", "> 4"]).json()
    assert (over["state"], over["above"]) == ("done", ["yield", "purity"])
    assert "&gt;90" in client.get("/c/1").text
    assert client.post("/c/1/e/4/tell", data={"value-1": "≥7"}, follow_redirects=False).status_code == 303
    assert film.experiment(4).shown == {"purity": ">7"}
    assert post(client, "experiments/2/tell", values=[500.0, 1.0]).status_code == 422
    assert post(client, "experiments/2/tell", values=[500.0, 1.0], sure=True).json()["state"] == "done"
    assert post(client, "experiments/2/amend", values={"purity": 2.0}).json()["values"]["purity"] == 2.0
    assert client.get(f"{API}/map").json()["design"][0]["value"] is not None


def test_what_a_map_shows_as_measured_is_what_its_response_has(client, film):
    film.tell(1, {"yield": 5.0})
    film.tell(2, {"yield": 6.0, "purity": "<0.5"})
    film.tell(3, {"yield": 7.0})
    drawn = [client.get(f"{API}/map", params={"response": j}).json() for j in (0, 1)]
    assert [d["values"] for d in drawn] == [3, 1]
    roles = [[p["role"] for p in d["design"][:4]] for d in drawn]
    assert roles == [["done", "done", "done", "pending"], ["pending", "done", "pending", "pending"]]
    assert [p["state"] for p in drawn[0]["design"][:2]] == ["pending", "done"]
    assert [p["limit"] for p in drawn[1]["design"][:2]] == [None, "<0.5"]
    assert client.get(f"{API}/residuals").json()["limits"] == {"2": {"purity": "<0.5"}}


def test_what_was_added_without_a_response_is_not_measured_on_its_map(client, film):
    """It was drawn as measured, and on a curve at the height of the curve."""
    (id,) = film.add([list(film.experiment(1).point.values())], [[5.0, None]], again=True)
    drawn = [client.get(f"{API}/map", params={"response": j}).json() for j in (0, 1)]
    assert [id in [p["id"] for p in d["design"]] for d in drawn] == [True, False]


def test_the_history_says_of_a_limit_that_it_is_one(client, film):
    film.tell(1, ["<50", 2.5])
    film.amend(1, ["<40", ">7"])
    history = client.get("/c/1/e/1").text.split("<h2>History</h2>")[1]
    assert "yield = &lt;50 %, purity = 2.5" in history
    assert "&lt;50, 2.5 &rarr; &lt;40, &gt;7" in history


def test_the_other_verbs_over_the_api(client, film):
    film.tell(1, [1.0, 2.0])
    assert post(client, "experiments/1/withdraw", reason="contaminated").json()["state"] == "withdrawn"
    assert post(client, "experiments/1/undo").json()["state"] == "done"
    assert post(client, "experiments/1/note", text="cloudy", block={"day": "Mon"}).json()["notes"] == [
        "cloudy"
    ]
    assert [e["repeats"] for e in post(client, "experiments/1/repeat", n=2).json()] == [1, 1]
    held = post(client, "claim", n=1, lease=600).json()[0]
    assert held["lease"]
    assert post(client, f"experiments/{held['id']}/renew", lease=900).json()["lease"] > held["lease"]
    rules = {"fixed": {"temperature": 40}, "shared": ["pH"], "order": "random", "block": {"day": "Tue"}}
    assert post(client, "ask", n=2, **{**rules, "shared": None}).json()[0]["block"] == {"day": "Tue"}
    assert post(client, "ask", n=2, fixed={"speed": 1}).status_code == 422


def test_experiments_are_held_for_a_while_and_for_longer_from_the_page(client, film):
    assert "Held until" not in client.get("/c/1").text
    assert client.post("/c/1/ask", data={"n": "1", "hours": "0.5"}, follow_redirects=False).status_code == 303
    held = film.experiments("pending")[-1]
    soon = datetime.now(UTC) + timedelta(minutes=31)
    assert held.lease < soon.isoformat()
    assert "Held until" in client.get("/c/1").text
    page = client.get(f"/c/1/e/{held.id}").text
    assert f'action="/c/1/e/{held.id}/renew"' in page
    client.post(f"/c/1/e/{held.id}/renew", data={"hours": "2"})
    assert film.experiment(held.id).lease > (soon + timedelta(hours=1)).isoformat()
    refused = client.post("/c/1/ask", data={"n": "1", "hours": "soon"})
    assert (refused.status_code, "not a number" in refused.text) == (422, True)
    assert post(client, "ask", n=1, lease=60).json()[0]["lease"] < soon.isoformat()
    assert post(client, "ask", n=1, lease=-1).status_code == 422
    again = [post(client, "claim", n=1, key="tray 7").json()[0]["id"] for _ in range(2)]
    assert again[0] == again[1]


def test_the_servers_clock_writes_down_that_a_lease_has_ended(client, film, monkeypatch):
    held = film.claim(1, lease=60)[0]
    store, version = film.store, client.get(API).json()["version"]
    assert clock.end_leases(store) == []
    late = (datetime.now(UTC) + timedelta(seconds=61)).isoformat(timespec="microseconds")
    monkeypatch.setattr("equiwarp.store.campaign_transaction.now", lambda: late)
    monkeypatch.setattr("equiwarp.store.transaction.now", lambda: late)
    assert clock.end_leases(store) == [1]
    assert clock.end_leases(store) == []
    last = film.events(held.id)[-1]
    assert (last.who, last.what, last.detail) == ("clock", "released", {"lease": "ended"})
    assert client.get(API).json()["version"] > version


def test_the_servers_clock_goes_on_after_a_store_that_was_busy(film, monkeypatch):
    calls = []

    def look(store):
        calls.append(store)
        if len(calls) == 1:
            raise StoreBusy("later")

    async def some_time():
        with anyio.move_on_after(60):
            task = asyncio.create_task(clock.tick(film.store, period=0.0))
            while len(calls) < 3:
                await asyncio.sleep(0.001)
            task.cancel()

    monkeypatch.setattr(clock, "end_leases", look)
    asyncio.run(some_time())
    assert calls[:3] == [film.store] * 3


def test_descriptions_change_over_the_api(client, film):
    assert post(client, "rename", name="second").json()["name"] == "second"
    assert (
        post(client, "rename", of="parameter", old="pH", name="acidity").json()["parameters"][1] == "acidity"
    )
    assert post(client, "rename", of="response", name="x").status_code == 422
    assert post(client, "widen", parameter="temperature", high=120).status_code == 200
    assert "no list of settings" in post(client, "widen", parameter="temperature", add=[7]).json()["message"]
    assert "no list of candidates" in post(client, "widen", rows={"a": [1.0]}).json()["message"]
    assert post(client, "widen").status_code == 422
    changed = post(
        client, "change", noise={"purity": 0.1}, stop={"error": 2.0}, plausible={"yield": [None, 50]}
    )
    assert changed.json()["stop"]["error"] == 2.0
    assert changed.json()["plausible"]["yield"] == [None, 50]
    assert post(client, "change", stop={"eror": 2.0}).status_code == 422
    assert "second" in client.get("/").text
    assert "acidity" in client.get("/c/1").text


def test_tables_say_what_was_known_and_what_differs(client, film):
    old = "temperature,pH,yield,purity\n50,5,10,1\n"
    assert post(client, "measurements", csv=old).json() == {"added": 1, "outside": 0, "known": 0}
    assert post(client, "measurements", csv=old).json() == {"added": 0, "outside": 0, "known": 1}
    assert post(client, "measurements", csv=old, again=True).json()["added"] == 1
    plate = client.get(f"{API}/plate.csv").text.splitlines()
    cells = plate[1].split(",")
    moved = ",".join([cells[0], "33.25", cells[2], "7", *[""] * (len(cells) - 4)])
    text = f"{plate[0]}\n{moved}\n"
    assert post(client, "plate", csv=text).status_code == 422
    assert post(client, "plate", csv=text, actual=True).json()["told"] == 1
    assert film.experiment(int(cells[0])).values == {"yield": 7.0}


def test_the_forms_of_the_page_work_without_script(client, film):
    def form(path, **data):
        return client.post(f"/c/1/{path}", data=data, follow_redirects=False)

    assert (
        form("e/1/tell", **{"value-0": "5", "at-1": "4.5", "sample": "S-1", "block-0": "Mon"}).status_code
        == 303
    )
    first = film.experiment(1)
    assert (first.values, first.point["pH"], first.sample, first.block) == (
        {"yield": 5.0}, 4.5, "S-1", {"day": "Mon"},
    )  # fmt: skip
    page = client.get("/c/1").text
    assert "yield: <b>5</b>" in page
    assert form("e/1/tell", **{"value-1": "<0.5"}).status_code == 303
    assert form("e/2/tell", **{"value-0": "500"}).status_code == 422
    assert form("e/2/tell", **{"value-0": "500", "sure": "yes"}).status_code == 303
    assert form("e/1/withdraw", reason="contaminated").status_code == 303
    assert "Undo: it was not withdrawn" in client.get("/c/1/e/1").text
    assert form("e/1/undo").status_code == 303
    assert form("e/1/note", text="cloudy").status_code == 303
    assert "cloudy" in client.get("/c/1/e/1").text
    assert form("e/1/repeat", n="2").status_code == 303
    assert form("e/1/repeat", n="many").status_code == 422
    rules = {"n": "2", "fix-0": "40", "order": "random", "block-0": "Tue"}
    assert form("ask", **rules).status_code == 303
    assert {e.point["temperature"] for e in film.experiments("pending")[-2:]} == {40.0}
    assert "no experiment of the domain" in form("ask", **{"n": "1", "fix-0": "400"}).text
    assert "purity" in client.get("/c/1?rows=all").text


def test_the_description_changes_on_a_page_of_its_own(client, film):
    def form(verb, **data):
        return client.post(f"/c/1/settings/{verb}", data=data, follow_redirects=False)

    page = client.get("/c/1/settings").text
    assert "Change the description" in page
    assert "temperature, now 20 to 90 °C</option>" in page  # bounds say what they are now
    assert page.count('<span class="unit">in %</span>') == 3  # noise and plausible values of the yield
    assert form("rename", of="parameter pH", name="acidity").status_code == 303
    assert form("rename", of="campaign", name="second").status_code == 303
    assert form("widen", parameter="temperature", high="120").status_code == 303
    refused = form("widen", parameter="temperature", high="80")
    assert refused.status_code == 422
    assert "outwards" in refused.text
    assert form("change", **{"noise-1": "0.3", "low-0": "", "high-0": "50", "error": "2"}).status_code == 303
    assert film.spec.responses[0].low is None
    assert film.spec.responses[1].noise == 0.3
    assert film.spec.stop.error == 2
    assert film.domain.names == ("temperature", "acidity")
    assert form("burn").status_code == 404


def test_limits_of_earlier_measurements_over_the_api_and_on_the_page(client, film):
    table = "temperature,pH,yield,purity\n40,5,<2,0.5\n45,6,>90,\n"
    assert post(client, "measurements?dry_run=true", csv=table).json()["rows"][0][-3:-1] == ["<2", 0.5]
    page = client.post("/c/1/measurements", data={"pasted": table.replace(",", "\t")})
    assert "&lt;2<" in page.text
    assert post(client, "measurements", csv=table).json()["added"] == 2
    assert [e.shown for e in film.experiments()[-2:]] == [{"yield": "<2", "purity": 0.5}, {"yield": ">90"}]


def test_levels_and_categories_grow_on_the_page(client, store):
    domain = Box({"pressure": Parameter(1, 5, levels=[1, 5]), "solvent": ["water", "oil"]})

    def form(**data):
        return client.post("/c/1/settings/widen", data=data, follow_redirects=False)

    with Campaign("paint", domain, store=store) as made:
        assert "List of candidates" not in client.get("/c/1/settings").text
        assert form(parameter="pressure", add="2.5; 20").status_code == 303
        assert form(parameter="solvent", add="acetone").status_code == 303
        assert "has the setting" in form(parameter="solvent", add="oil").text
        made.ask(1)
        assert made.domain.categories["solvent"] == ("water", "oil", "acetone")
        assert made.domain.describe()[0]["high"] == 20


def test_a_list_of_candidates_grows_on_the_page(client, store):
    def form(data, **files):
        return client.post("/c/1/settings/list", data=data, files=files or None, follow_redirects=False)

    both = Product(Candidates([[1.0, 2.0], [3.0, 4.0]], ("u", "v")), Box({"heat": (20, 90)}))
    with Campaign("list", both, store=store) as made:
        page = client.get("/c/1/settings").text
        assert "A table with the columns u, v" in page
        assert '<option value="heat">heat, now 20 to 90</option>' in page
        assert '<option value="u">' not in page
        assert form({"pasted": "v\tu\n2,5\t1,5\n4\t3"}).status_code == 303
        more = form({}, csv=("more.csv", b"u,v\n8,9\n7,7\n"))
        assert more.status_code == 303
        refused = form({"pasted": "u;v\n8;much"})
        assert refused.status_code == 422
        assert "line 2, column &#39;v&#39;: &#39;much&#39; is not a number" in refused.text
        assert "8;much" in refused.text
        assert "no row below the header" in form({"pasted": "u;v"}).text
        assert "are on the list of candidates already" in form({"pasted": "u;v\n8;9"}).text
        assert [event.detail["after"] for event in made.events() if event.what == "widened"] == [3, 5]
        made.ask(1)
        assert made.domain.contains([[1.5, 2.5, 30.0], [7.0, 7.0, 30.0]]).all()


def test_a_category_is_fixed_and_told_over_the_api_and_on_the_page(client, store):
    domain = Box({"heat": (20, 90), "solvent": ["water", "oil"]})
    with Campaign("paint", domain, store=store, noise=0.1) as made:
        made.ask(1)
    (asked,) = post(client, "ask", n=1, fixed={"solvent": "oil"}).json()
    assert asked["point"]["solvent"] == "oil"
    assert "did you mean 'oil'?" in post(client, "ask", n=1, fixed={"solvent": "oill"}).text
    told = post(client, f"experiments/{asked['id']}/tell", values=[1.0], at={"solvent": "water"}).json()
    assert (told["point"]["solvent"], told["asked"]["solvent"]) == ("water", "oil")
    page = client.get("/c/1").text
    assert '<select id="fix-1" name="fix-1" data-fix="solvent">' in page
    assert '<select id="at1-1" name="at-1" data-at="solvent">' in page
    client.post("/c/1/ask", data={"n": "2", "fix-1": "oil"})
    with Campaign("paint", store=store) as made:
        assert [e.point["solvent"] for e in made.experiments("pending")[-2:]] == ["oil", "oil"]
