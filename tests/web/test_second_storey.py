"""What the page's newer drawings stand on: overlays, places, directions, the list, words, work."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest

from equiwarp import Aim, Box, Campaign, Product, Sphere
from equiwarp.spec import CampaignSpec, Response
from equiwarp.web import as_json, tasks
from equiwarp.web.glossary import GLOSSARY, slug
from tests.web.conftest import small, value_of

DOCS = Path(__file__).parents[2] / "docs"


def test_an_overlay_has_every_response_of_the_same_map(client, store):
    two = (Response("yield", "%", 0.1), Response("cost", "€", 0.1))
    with Campaign.from_spec(small(responses=two), store=store) as made:
        for e in made.ask(5):
            made.tell(e.id, [value_of(e.point), e.point["pH"]])
    plain = client.get("/api/campaigns/1/map?response=1").json()
    found = client.get("/api/campaigns/1/map?response=1&overlay=true").json()
    assert "overlaid" not in plain
    assert [(r["response"], r["unit"]) for r in found["overlaid"]] == [("yield", "%"), ("cost", "€")]
    assert found["overlaid"][1]["mean"] == plain["layers"]["mean"]
    assert found["overlaid"][0]["mean"] != found["overlaid"][1]["mean"]


def test_the_levels_of_an_aim_come_with_the_map_of_its_response(client, store):
    with Campaign.from_spec(small(aim=Aim(between={"yield": [2.0, 3.0]})), store=store) as made:
        for e in made.ask(4):
            made.tell(e.id, value_of(e.point))
    assert client.get("/api/campaigns/1/map").json()["levels"] == [2.0, 3.0]


def test_places_are_the_maps_own_word_all_over_the_domain(client, campaign):
    found = client.get("/api/campaigns/1/places").json()
    assert [p["name"] for p in found["parameters"]] == ["temperature", "pH"]
    assert found["parameters"][0]["unit"] == "°C"
    x = np.array(found["map"]["at"])
    assert len(x) == 384
    np.testing.assert_allclose(
        np.array(found["map"]["values"])[:9], campaign.map().predict(x[:9]).mean, rtol=1e-3
    )
    assert found["measured"]["ids"] == list(campaign.map().ids)
    low, high = x.min(axis=0), x.max(axis=0)
    assert (low < [25, 3.5]).all()
    assert (high > [85, 8.5]).all()


@pytest.mark.parametrize(
    ("vector", "azimuth", "elevation"),
    [([1, 0, 0], 0.0, 0.0), ([0, -1, 0], -90.0, 0.0), ([0, 0, 1], 0.0, 90.0), ([0.6, 0.0, -0.8], 0.0, -53.1)],
)
def test_a_direction_is_two_angles_also_beside_other_parameters(vector, azimuth, elevation):
    point = dict(zip(("x1", "x2", "x3"), map(float, vector), strict=True))
    assert as_json.direction(Sphere(2), point) == {"azimuth": azimuth, "elevation": elevation}
    both = Product(Box({"f": (1, 2)}), Sphere(2))
    assert as_json.direction(both, {"f": 1.5, **point}) == {"azimuth": azimuth, "elevation": elevation}
    assert as_json.direction(Box({"f": (1, 2)}), {"f": 1.0}) == {}


def test_cards_and_pages_of_directions_have_angles(client, store):
    spec = CampaignSpec("globe", Sphere(2), (Response("v", noise=0.1),), "sobol")
    with Campaign.from_spec(spec, store=store) as made:
        asked = made.ask(1)[0]
        angles = as_json.direction(spec.domain, asked.point)
        made.add([[0.6, 0.0, -0.8]], [1.5])
    for path in ("/c/1", "/c/1/e/1"):
        page = client.get(path).text
        for name, angle in angles.items():  # large, and the vector small below
            assert f'<dt>{name}</dt><dd><span class="number">{angle:g}</span>' in page
        assert re.search(r'<p class="quiet">x1 <b>[\d.-]+</b>, x2 <b>', page)
    rows = client.get("/c/1").text.partition('<table class="rows">')[2]
    assert 'azimuth <span class="unit">°</span>' in rows
    assert '<td class="r">0</td><td class="r">-53.1</td>' in rows
    assert ">x1<" not in rows


def test_directions_are_angles_between_parallel_axes_too(client, store):
    both = Product(Box({"f": (1, 2)}), Sphere(2))
    with Campaign.from_spec(CampaignSpec("both", both, (Response("v", noise=0.1),)), store=store) as made:
        made.add([[1.5, 0.0, -1.0, 0.0], [1.2, 0.6, 0.0, 0.8]], [1.0, 2.0])
    found = client.get("/api/campaigns/1/places").json()
    assert [axis["name"] for axis in found["parameters"]] == ["f", "azimuth", "elevation"]
    np.testing.assert_allclose(found["measured"]["at"], [[1.5, -90, 0], [1.2, 0, 53.1301]], atol=1e-3)
    assert np.ptp(np.array(found["map"]["at"])[:, 1]) > 300


def test_several_values_of_an_experiment_are_named(client, store):
    two = (Response("yield", "%", 0.1), Response("cost", "€", 0.1))
    with Campaign.from_spec(small(responses=two), store=store) as made:
        made.tell(made.ask(1)[0].id, [3.5, 2.0])
    page = client.get("/c/1/e/1").text
    assert "Value: <b>yield 3.5 %, cost 2 €</b>" in page
    assert "yield = 3.5 %, cost = 2 €" in page  # in its history, too


def test_a_campaign_is_put_away_and_taken_out_with_its_history_whole(client, campaign, store):
    assert client.get("/api/campaigns").json()[0]["archived"] is False
    for _ in range(2):  # said twice, written down once
        client.post("/c/1/archive", data={"archived": "yes"})
    assert client.get("/api/campaigns").json()[0]["archived"] is True
    assert "Put away: 1" in client.get("/").text
    client.post("/c/1/archive", data={"archived": "no"})
    assert client.get("/api/campaigns").json()[0]["archived"] is False
    assert [e.what for e in campaign.events()[-2:]] == ["put away", "taken out"]
    assert client.post("/c/9/archive", data={"archived": "yes"}).status_code == 404
    assert campaign.experiment(1).value == value_of(campaign.experiment(1).point)


def test_words_of_the_page_are_those_of_the_documentation(client):
    said = (DOCS / "glossary.md").read_text(encoding="utf-8")
    entries = {name.strip(): text.strip() for name, text in re.findall(r"^(\S.*)\n:   (.*)$", said, re.M)}
    for name, text in GLOSSARY.items():
        assert entries.get(name) == text, name
    page = client.get("/glossary").text
    assert all(f'id="{slug(name)}"' in page for name in GLOSSARY)


def test_terms_on_the_pages_lead_to_the_words(client, campaign):
    pages = client.get("/c/1").text + client.get("/new").text
    linked = set(re.findall(r'href="/glossary#([\w-]+)"', pages))
    assert {"plate", "strategy", "space-filling-start", "equalizer", "stretch", "warp", "variance"} <= linked
    assert linked <= {slug(name) for name in GLOSSARY}
    options = re.findall(r"<option[^>]*>([^<]*)</option>", client.get("/c/1").text)
    for word in ("equalizer", "stretch", "lookahead", "variance", "warped"):
        assert not any(word in option for option in options), word


def test_upper_bounds_of_a_mixture_are_constraints(client, store):
    fields = {"kind": "simplex", "name": "mix", "parameters": "3", "r0-name": "y", "p2-high": "0.3"}
    fields |= {f"p{i}-name": name for i, name in enumerate(("water", "fine oil", "sea salt"))}
    assert client.post("/new", data=fields, follow_redirects=False).status_code == 303
    with Campaign("mix", store=store) as made:
        assert made.domain.contains(np.array([[0.4, 0.35, 0.25], [0.3, 0.3, 0.4]])).tolist() == [True, False]
    refused = client.post("/new", data={**fields, "name": "other", "p2-high": "much"})
    assert 'id="p2-high-problem"' in refused.text


def _views_of_the_next_choice(client, work):
    """Acquisition layers belong to a state: they are computed once, and anew when a value comes."""
    work.clear()
    layers = "/api/campaigns/1/map?layers=true"
    other = f"{layers}&axis=pH&axis=temperature"
    first = client.get(layers).json()
    assert "equalized" in first["layers"]
    assert work == [tasks.layers]
    assert [client.get(layers).json() for _ in range(2)] == [first, first]
    assert work == [tasks.layers]
    client.get(other)  # another picture is computed, once
    client.get(other)
    client.get(layers)
    assert work.count(tasks.layers) == 2
    there = {"n": 1, "fixed": {"temperature": 21.0, "pH": 3.1}}
    asked = client.post("/api/campaigns/1/ask", json=there).json()[0]
    assert client.post(f"/api/campaigns/1/experiments/{asked['id']}/tell", json={"values": 9.0}).is_success
    work.clear()
    renewed = client.get(layers).json()
    assert tasks.fit in work
    assert work.count(tasks.layers) == 1
    assert renewed["layers"]["equalized"] != first["layers"]["equalized"]


def test_a_map_is_computed_once_and_a_cached_one_without_work(client, store, monkeypatch):
    """Of 40 values: one fit and one prediction the first time; then nothing but the answer itself."""
    with Campaign.from_spec(small("forty"), store=store) as made:
        x = made.domain.sample(40, np.random.default_rng(0))
        made.add(x, [value_of({"temperature": t, "pH": ph}) for t, ph in x])
    hub, work = client.app.state.hub, []
    submit = hub.looking.submit
    monkeypatch.setattr(hub.looking, "submit", lambda job: (work.append(job.work), submit(job)))
    first = client.get("/api/campaigns/1/map").json()
    assert work == [tasks.fit, tasks.predict]
    began = time.process_time()
    again = client.get("/api/campaigns/1/map").json()
    cached = time.process_time() - began
    assert work == [tasks.fit, tasks.predict]
    assert again == first
    _views_of_the_next_choice(client, work)
    # The answer is a picture of 48 x 48 cells put into JSON: it takes no more than a few of those.
    began = time.process_time()
    as_json.six_digits(np.random.default_rng(0).normal(size=48 * 48 * 2 * 10))
    assert cached < 4 * (time.process_time() - began)
