"""Profiler, what matters, measured against predicted: over the API, as pictures, without script."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from equiwarp import Box, Campaign, Candidates, Sphere
from equiwarp.maps.left_out import left_out_of
from equiwarp.spec import CampaignSpec, Response
from equiwarp.web.api_examples import calls, numbers_of
from tests.web.conftest import small

PATHS = ("profiler", "effects", "residuals")


def test_the_profile_is_what_the_map_says(client, campaign):
    at = json.dumps({"temperature": 40, "pH": 5})
    found = client.get(f"/api/campaigns/1/profile?at={at}").json()
    said = campaign.map().predict([[40.0, 5.0]])
    np.testing.assert_allclose(found["here"], [said.mean[0], said.deviation[0]], rtol=1e-5)
    assert found["at"] == {"temperature": 40.0, "pH": 5.0}
    assert [axis["unit"] for axis in found["axes"]] == ["°C", ""]
    along = [[t, 5.0] for t in found["curves"][0]["grid"]]
    np.testing.assert_allclose(
        found["curves"][0]["mean"][0], campaign.map().predict(along).mean[:, 0], rtol=1e-4
    )
    assert found["point"] == {"temperature": 40.0, "pH": 5.0}


def test_what_matters_and_measured_against_predicted_are_the_maps_own(client, campaign):
    answer = client.get("/api/campaigns/1/sensitivity").json()
    shares = answer["effects"]
    assert answer["note"] == campaign.map().sensitivity().note == ""
    own = campaign.map().sensitivity().of("temperature")
    np.testing.assert_allclose(shares[0]["total"], own.total, rtol=1e-6)
    np.testing.assert_allclose(shares[0]["curve"]["mean"], own.curve.mean, rtol=1e-4)
    left = client.get("/api/campaigns/1/residuals").json()
    (one,) = left_out_of(campaign.map())
    np.testing.assert_allclose(left["left_out"][0]["predicted"], one.predicted, rtol=1e-5)
    assert left["left_out"][0]["ids"] == list(campaign.map().ids)
    assert left["units"] == ["%"]


@pytest.mark.parametrize("what", ["profile", "sensitivity", "residuals"])
def test_each_is_a_picture_too(client, campaign, what):
    drawn = client.get(f"/api/campaigns/1/{what}.png")
    assert drawn.content.startswith(b"\x89PNG")
    assert client.get(f"/api/campaigns/1/{what}.png?response=3").status_code == 422


def test_pages_without_script_show_the_pictures(client, campaign):
    for path, what in zip(PATHS, ("profile", "sensitivity", "residuals"), strict=True):
        page = client.get(f"/c/1/{path}")
        assert f"/api/campaigns/1/{what}.png?response=0" in page.text
        assert f'href="/c/1/{path}" aria-current="page"' in page.text


def test_what_cannot_be_shown_is_refused_in_words(client, store):
    spec = CampaignSpec("globe", Sphere(2), (Response("v", noise=0.1),))
    with Campaign.from_spec(spec, store=store) as made:
        for path in PATHS:
            assert "before the first value" in client.get(f"/c/1/{path}").text
        assert "before the first value" in client.get("/api/campaigns/1/residuals").json()["message"]
        made.add(spec.domain.sample(4, np.random.default_rng(0)), [1.0, 2.0, 3.0, 4.0])
    assert [a["name"] for a in client.get("/api/campaigns/1/profile").json()["axes"]] == [
        "azimuth",
        "elevation",
    ]
    listed = CampaignSpec("list", Candidates({"a": [1, 2, 3]}), (Response("v", noise=0.1),))
    with Campaign.from_spec(listed, store=store) as made:
        made.add([[1.0]], [1.0])
    assert "no axis to follow" in client.get("/api/campaigns/2/profile").json()["message"]
    assert "Look at the map instead" in client.get("/c/2/profiler").text


def test_an_axis_that_is_not_there_is_named(client, campaign):
    for query in ('at={"zeal": 1}', "moved=zeal"):
        answer = client.get(f"/api/campaigns/1/profile?{query}")
        assert answer.status_code == 422
        assert "zeal" in answer.json()["message"]


def test_a_cell_of_the_picture_is_a_place_with_its_settings_and_its_prediction(client, campaign):
    whole = client.get("/api/campaigns/1/map").json()
    cell = 5 * whole["shape"][1] + 7
    found = client.get(f"/api/campaigns/1/map/{cell}").json()
    t, ph = whole["grid"][0][7], whole["grid"][1][5]
    assert found["at"] == pytest.approx({"temperature": t, "pH": ph})
    assert found["point"]["temperature"] == pytest.approx(t, abs=0.5)
    said = campaign.map().predict([[t, ph]])
    assert found["predicted"][0]["mean"] == pytest.approx(said.mean[0, 0])
    assert found["predicted"][0]["deviation"] == pytest.approx(said.deviation[0, 0])
    assert found["predicted"][0]["unit"] == "%"
    assert found["experiments"] == []
    assert client.get("/api/campaigns/1/map/9999").status_code == 422


def test_the_map_as_it_was_rests_on_the_first_measurements_alone(client, campaign):
    earlier = client.get("/api/campaigns/1/map?upto=4").json()
    assert earlier["measurements"] == 4
    assert sorted(p["id"] for p in earlier["design"]) == list(campaign.map().ids[:4])
    own = campaign.map().refitted(np.arange(4), campaign.map().noise)
    assert earlier["error"] == pytest.approx(own.error()[0].value)
    now = client.get("/api/campaigns/1/map").json()
    assert now["upto"] is None
    assert now["layers"]["mean"] != earlier["layers"]["mean"]
    assert client.get("/api/campaigns/1/map?upto=99").json()["measurements"] == 5


def test_the_colours_are_the_visitors_choice_and_nothing_else_is_taken(client, campaign):
    assert "data-theme" not in client.get("/c/1").text
    moved = client.post("/theme", data={"theme": "dark", "to": "/c/1/profiler"}, follow_redirects=False)
    assert moved.headers["location"] == "/c/1/profiler"
    assert '<html lang="en" data-theme="dark">' in client.get("/c/1").text
    away = client.post("/theme", data={"theme": "<b>", "to": "//elsewhere.example"}, follow_redirects=False)
    assert away.headers["location"] == "/"
    assert "data-theme" not in client.get("/c/1").text


def test_every_call_on_the_api_page_is_one_that_is_understood(client, campaign):
    """The page's own examples, sent with this campaign's numbers: none is refused as unreadable."""
    numbers = numbers_of(campaign, 1)
    assert numbers.pending == campaign.experiments("pending")[0].id
    assert "curl -s &#39;http://127.0.0.1:8765/api/campaigns/1/map&#39;" in client.get("/api?campaign=1").text
    sent: list[tuple[str, dict]] = []
    requests = SimpleNamespace(post=lambda url, json: sent.append((url, json)))
    for path, methods in client.app.openapi()["paths"].items():
        if "post" in methods:
            curl, python = calls("http://127.0.0.1:8765", path, "post", numbers, guarded=False)
            assert "-H 'Content-Type: application/json'" in curl
            eval(python.removeprefix("answer = ").removesuffix(".json()"), {"requests": requests})
    for url, body in sent:
        if not url.endswith(("/rename", "/claim", "/ask")):  # they would change the numbers, or take long
            answer = client.post(url, json=body)
            assert answer.status_code in (200, 201, 409, 422), (url, answer.text)
            said = answer.json()
            problems = said.get("problems", []) if isinstance(said, dict) else []
            assert [p for p in problems if p["path"].startswith("body")] == [], (url, said)
    assert len(sent) >= 15
    assert client.get("/api").status_code == 200


def test_a_difference_is_one_map_less_the_other(client, campaign, store):
    with Campaign.from_spec(small("other"), store=store) as other:
        for e in other.ask(6):
            other.tell(e.id, 2.0 * e.point["pH"])
    assert "difference-2" in client.get("/c/1").text
    found = client.get("/api/campaigns/1/map?minus=2").json()
    theirs = client.get("/api/campaigns/2/map").json()
    expected = np.array(found["layers"]["mean"]) - theirs["layers"]["mean"]
    np.testing.assert_allclose(found["layers"]["difference"], expected, atol=1e-3)
    earlier = client.get("/api/campaigns/1/map?upto=4&minus=now").json()
    now = client.get("/api/campaigns/1/map").json()
    expected = np.array(earlier["layers"]["mean"]) - now["layers"]["mean"]
    np.testing.assert_allclose(earlier["layers"]["difference"], expected, atol=1e-3)
    with Campaign.from_spec(small("third", responses=(Response("cost"),)), store=store):
        assert "cannot be compared" in client.get("/api/campaigns/1/map?minus=3").json()["message"]


def tilted(name: str, store: str, box: Box, height: dict[str, float], unit: str = "") -> None:
    """A campaign whose value is the heat, and more in some solvents."""
    spec = CampaignSpec(name, box, (Response("y", unit, 0.01),), models=("matern",))
    with Campaign.from_spec(spec, store=store) as made:
        x = [{"heat": heat, "solvent": solvent} for heat in (0, 2, 5, 8, 10) for solvent in height]
        made.add(x, [point["heat"] + height[point["solvent"]] for point in x])


@pytest.mark.parametrize("own_first", [True, False])
def test_what_another_campaign_is_compared_at_is_not_taken_for_its_own_picture(client, store, own_first):
    """The same function between other bounds, its categories listed in another order and one more."""
    height = {"water": 0.0, "oil": 100.0}
    tilted("near", store, Box({"heat": (0, 10), "solvent": ["water", "oil"]}), height)
    tilted("far", store, Box({"heat": (0, 20), "solvent": ["gas", "oil", "water"]}), {**height, "gas": 50.0})
    ask = {"axis": ["heat", "solvent"]}

    def own() -> dict:
        return client.get("/api/campaigns/2/map", params=ask).json()

    before = own() if own_first else None
    found = client.get("/api/campaigns/1/map", params={**ask, "minus": "2"}).json()["layers"]
    np.testing.assert_allclose(found["difference"], 0.0, atol=1.0)
    after = own()
    assert before in (None, after)
    heat, mean = np.array(after["grid"][0]), np.reshape(after["layers"]["mean"], after["shape"])
    np.testing.assert_allclose(mean[1][heat <= 10], heat[heat <= 10] + 100.0, atol=1.0)
    back = client.get("/api/campaigns/2/map", params={**ask, "minus": "1"}).json()["layers"]
    lost = np.reshape([value is None for value in back["difference"]], after["shape"])
    np.testing.assert_array_equal(lost, (heat > 10)[None, :] | np.array([[True], [False], [False]]))


@pytest.mark.parametrize("own_first", [True, False])
def test_pictures_of_one_shape_at_other_points_are_other_pictures(client, store, own_first):
    """Axes, what is held and the number of cells are alike: only the points differ."""
    height = {"water": 0.0, "oil": 1.0}
    for name, high in (("near", 10), ("far", 20)):
        tilted(name, store, Box({"heat": (0, high), "solvent": ["water", "oil"]}), height)
    ask = {"axis": ["heat", "solvent"]}
    own = [client.get("/api/campaigns/2/map", params=ask).json()] if own_first else []
    found = client.get("/api/campaigns/1/map", params={**ask, "minus": "2"}).json()["layers"]
    np.testing.assert_allclose(found["difference"], 0.0, atol=0.3)
    own.append(client.get("/api/campaigns/2/map", params=ask).json())
    for seen in own:
        heat, mean = np.array(seen["grid"][0]), np.reshape(seen["layers"]["mean"], seen["shape"])
        np.testing.assert_allclose(mean[0][heat <= 10], heat[heat <= 10], atol=0.3)


def test_maps_in_other_units_are_not_compared(client, store):
    box, height = Box({"heat": (0, 10), "solvent": ["water", "oil"]}), {"water": 0.0, "oil": 1.0}
    for name, unit in (("a", "g"), ("b", "mg"), ("c", "")):
        tilted(name, store, box, height, unit)
    refused = client.get("/api/campaigns/1/map", params={"minus": "2"})
    assert refused.status_code == 422
    assert "other units; their maps cannot be compared" in refused.json()["message"]
    assert client.get("/api/campaigns/1/map", params={"minus": "3"}).status_code == 200
    assert "difference-3" in client.get("/c/1").text
    assert "difference-2" not in client.get("/c/1").text


def test_cells_of_a_spreadsheet_are_pasted_with_decimal_commas_and_shown_first(client, campaign):
    experiment = campaign.experiments("pending")[0].id
    cells = f"id\tyield\n{experiment}\t3,25\n"
    shown = client.post("/c/1/plate", data={"pasted": cells})
    assert "This is what would be taken" in shown.text
    assert campaign.experiment(experiment).state == "pending"
    packed = re.search(r'name="packed" value="([^"]+)"', shown.text)[1]
    client.post("/c/1/plate", data={"packed": packed, "name": "the pasted cells"})
    assert campaign.experiment(experiment).value == 3.25


def test_pasted_cells_are_read_as_the_same_cells_in_a_file_are(client, campaign):
    experiment = campaign.experiments("pending")[0].id
    cells = f"id\tyield\tnoise\n{experiment}\t1,234\t12.5\n"
    pasted = client.post("/c/1/plate", data={"pasted": cells})
    filed = client.post("/c/1/plate", files={"csv": ("plate.txt", cells.encode("utf-16"))})
    for page in (pasted, filed):
        assert page.status_code == 422
        assert "&#39;1,234&#39; has a comma, but &#39;12.5&#39; (line 2, column &#39;noise&#39;)" in page.text
