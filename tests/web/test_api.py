"""The JSON API: what the page uses, and what programs may rely on."""

from __future__ import annotations

import base64
import time

import numpy as np
import pytest

from equiwarp import Box, Campaign, Candidates, Simplex, Sphere, build_map
from equiwarp.spec import CampaignSpec, Response
from tests.web.conftest import small, value_of


def test_a_round_through_the_api(client, campaign):
    asked = client.post("/api/campaigns/1/ask", json={"n": 1}).json()
    experiment, point = asked[0]["id"], asked[0]["point"]
    told = client.post(f"/api/campaigns/1/experiments/{experiment}/tell", json={"values": value_of(point)})
    assert told.json()["state"] == "done"
    found = client.get(f"/api/campaigns/1/experiments/{experiment}").json()
    assert [e["what"] for e in found["events"]] == ["asked", "told"]
    assert found["why"]["words"]


def test_the_same_value_again_is_welcome_and_another_one_a_conflict(client, campaign):
    url = "/api/campaigns/1/experiments/1/tell"
    value = campaign.experiment(1).value
    assert client.post(url, json={"values": value}).status_code == 200
    answer = client.post(url, json={"values": value + 1})
    assert answer.status_code == 409
    assert repr(value) in answer.json()["message"]
    assert campaign.experiment(1).value == value


@pytest.mark.parametrize("verb", ["tell", "fail", "abandon"])
def test_what_was_decided_on_an_outdated_view_is_refused(client, campaign, verb):
    e = campaign.experiments("pending")[0]
    campaign.tell_failed(e.id, "by somebody else")
    body = {"since": e.since, **({"values": 1.0} if verb == "tell" else {})}
    answer = client.post(f"/api/campaigns/1/experiments/{e.id}/{verb}", json=body)
    assert answer.status_code == 409
    assert "by somebody else" in answer.json()["message"]
    assert campaign.experiment(e.id).state == "failed"


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        {"yield": 1},
        [None, 2],
        {"yield": "<1", "purity": 2.0},
        ["≤ 1", ">90"],
    ],
    ids=str,
)
def test_a_request_that_is_repeated_because_its_answer_got_lost_is_no_conflict(client, store, values):
    """It says what it was decided on, and that has changed by the request itself."""
    spec = small(responses=(Response("yield", "%", 0.05), Response("purity", "", 0.05)))
    with Campaign.from_spec(spec, store=store) as c:
        first, second = c.ask(2)
    url = f"/api/campaigns/1/experiments/{first.id}/"
    told = [client.post(url + "tell", json={"values": values, "since": first.since}) for _ in range(2)]
    assert [answer.status_code for answer in told] == [200, 200]
    assert told[0].json() == told[1].json()
    other = client.post(url + "tell", json={"values": {"yield": 7}, "since": first.since})
    assert other.status_code == 409
    url = f"/api/campaigns/1/experiments/{second.id}/"
    for verb, seen in (("fail", second.since), ("abandon", None)):
        seen = seen or client.get(url[:-1]).json()["since"]
        body = {"reason": "spilt", "since": seen}
        assert [client.post(url + verb, json=body).status_code for _ in range(2)] == [200, 200]
        assert client.post(url + verb, json={**body, "reason": "dropped"}).status_code == 409


def test_a_stale_amendment_is_refused_within_the_store(client, campaign):
    e = campaign.experiment(1)
    first = client.post("/api/campaigns/1/experiments/1/amend", json={"values": 5.0, "since": e.since})
    assert first.status_code == 200
    second = client.post("/api/campaigns/1/experiments/1/amend", json={"values": 6.0, "since": e.since})
    assert second.status_code == 409
    assert campaign.experiment(1).value == 5.0


def test_the_version_grows_with_every_change(client, campaign):
    before = client.get("/api/campaigns/1/version").json()["version"]
    client.post("/api/campaigns/1/experiments/1/amend", json={"values": 5.0})
    assert client.get("/api/campaigns/1/version").json()["version"] > before


@pytest.mark.parametrize(
    "values", ["NaN", "Infinity", "1e400", '"1.5"', "true", "null", "{}", "[]", "[1, 2]"]
)
def test_what_is_no_value_is_refused(client, campaign, values):
    e = campaign.experiments("pending")[0]
    body = f'{{"values": {values}}}'
    headers = {"content-type": "application/json"}
    answer = client.post(f"/api/campaigns/1/experiments/{e.id}/tell", content=body, headers=headers)
    assert answer.status_code == 422
    assert campaign.experiment(e.id).state == "pending"


def test_mistakes_of_a_description_come_with_their_paths(client):
    spec = {
        "name": "x",
        "domain": {"type": "box", "parameters": [{"name": "t", "low": 2, "high": 1}]},
        "seeed": 1,
    }
    answer = client.post("/api/check", json={"spec": spec})
    assert answer.status_code == 422
    assert {p["path"] for p in answer.json()["problems"]} == {"domain.parameters.t", "seeed"}
    for problem in answer.json()["problems"]:  # an instrument shows nothing but the message
        assert f"{problem['path']}: {problem['message']}" in answer.json()["message"]


@pytest.mark.parametrize(
    "domain",
    [
        {"type": "sphere", "dim": 10**9},
        {"type": "box", "parameters": [{"name": "t", "low": 0, "high": 1, "step": 1e-12}]},
        {"type": "box", "parameters": [{"name": f"p{i}", "low": 0, "high": 1} for i in range(200)]},
    ],
)
def test_descriptions_that_would_exhaust_the_machine_are_refused(client, domain):
    assert client.post("/api/check", json={"spec": {"name": "x", "domain": domain}}).status_code == 422


def test_the_map_has_mean_deviation_and_the_design(client, campaign):
    got = client.get("/api/campaigns/1/map", params={"axis": ["pH", "temperature"]}).json()
    assert [a["name"] for a in got["axes"]] == ["pH", "temperature"]
    assert len(got["layers"]["mean"]) == got["shape"][0] * got["shape"][1]
    assert min(got["layers"]["deviation"]) >= 0
    assert {p["state"] for p in got["design"]} == {"done", "pending"}
    first = next(p for p in got["design"] if p["id"] == 1)
    point = campaign.experiment(1).point
    assert np.allclose(first["place"], [point["pH"], point["temperature"]], rtol=1e-5)


def test_the_layers_are_the_papers(client, campaign):
    layers = client.get("/api/campaigns/1/map", params={"layers": True}).json()["layers"]
    variance, g = np.array(layers["variance"]), np.array(layers["equalizer"])
    assert np.allclose(layers["equalized"], variance * g, rtol=1e-4, atol=1e-6)
    assert g.max() <= 1.0
    assert g.min() < 0.8  # the corners are discounted
    assert not np.allclose(layers["warped"], layers["equalized"])
    assert campaign.spec.strategy == "map"
    assert max(layers["score"]) == pytest.approx(1.0)
    assert min(layers["score"]) >= 0.0
    # Next to a measurement nothing is left to find, whatever the paper's layers say.
    assert not np.allclose(layers["score"], np.array(layers["warped"]) / max(layers["warped"]), atol=0.05)


@pytest.mark.parametrize(
    "query",
    [
        {"axis": ["nope"]},
        {"at": "{"},
        {"at": "[1]"},
        {"at": '{"pH": 1e999}'},
        {"at": '{"ph": 5}'},
        {"response": 7},
    ],
)
def test_a_map_that_cannot_be_drawn_says_why(client, campaign, query):
    answer = client.get("/api/campaigns/1/map", params=query)
    assert answer.status_code == 422
    assert answer.json()["message"]


def test_the_course_of_the_error_arrives_with_progress(client, campaign):
    first = client.get("/api/campaigns/1/error").json()
    assert first["working"]
    end = time.monotonic() + 120
    while (got := client.get("/api/campaigns/1/error").json())["working"] and time.monotonic() < end:
        time.sleep(0.1)
    assert got["problem"] == ""
    assert got["course"]["counts"][-1] == 5
    assert got["course"]["errors"][-1][0] == pytest.approx(campaign.map().error()[0].value)
    assert got["course"]["may_stop"] is False
    assert "the map error of yield is" in got["course"]["reason"]
    assert got["course"]["reason"].endswith("%, above the limit of 0.01 %")
    assert got["done"] == got["total"]
    assert not got["outdated"]


def test_before_the_first_value_there_is_a_design_and_no_map(client, store):
    with Campaign.from_spec(CampaignSpec("new", Box({"a": (0, 1), "b": (0, 1)})), store=store) as c:
        c.ask(2)
    got = client.get("/api/campaigns/1/map").json()
    assert (got["layers"], len(got["design"]), got["measurements"]) == ({}, 2, 0)


@pytest.mark.parametrize(
    ("domain", "kind"),
    [
        (Box({"a": {"low": 1, "high": 100, "scale": "log"}}), "line"),
        (Simplex(["a", "b", "c"]), "ternary"),
        (Simplex(["a", "b", "c", "d"]), "ternary"),
        (Simplex(["a", "b"]), "line"),
        (Sphere(2), "globe"),
        (Sphere(1), "line"),
        (Sphere(3), "plane"),
        (Candidates([[i, i % 3] for i in range(9)], ["a", "b"]), "list"),
        (Box({"a": (0, 1), "b": {"levels": [1, 2, 5]}, "c": (0, 1)}), "plane"),
    ],
)
def test_every_domain_has_a_picture(client, store, domain, kind, rng):
    with Campaign.from_spec(CampaignSpec("one", domain, (Response("v", noise=0.1),)), store=store) as c:
        x = domain.sample(6, rng)
        c.add(x, x[:, 0])
    got = client.get("/api/campaigns/1/map").json()
    assert got["kind"] == kind
    assert len(got["layers"]["mean"]) == np.prod(got["shape"])
    assert any(v is not None for v in got["layers"]["mean"])
    assert len(got["design"]) == 6


def test_a_campaign_that_only_python_can_describe_is_listed_with_the_reason(client, store):
    from equiwarp import Constrained

    domain = Constrained(Box({"a": (0, 1)}), [lambda p: p["a"] > 0.2])
    with Campaign("python", domain, store=store):
        pass
    listed = client.get("/api/campaigns").json()
    assert "Python" in listed[0]["problem"]
    assert client.get("/c/1").status_code == 409


def test_a_table_may_be_looked_at_before_it_is_taken(client, campaign):
    body = {"csv": "id;yield (%)\n6;4,5\n", "name": "p.csv"}
    shown = client.post("/api/campaigns/1/plate?dry_run=true", json=body).json()
    assert shown["columns"] == ["id", "temperature", "pH", "yield", "what"]
    assert [row[-2:] for row in shown["rows"]] == [[4.5, "new"]]
    assert (shown["count"], shown["refused"]) == (1, 0)
    assert campaign.experiment(6).state == "pending"
    body = {"base64": base64.b64encode(body["csv"].encode("utf-16")).decode()}
    nothing = {"told": 0, "failed": 0, "known": 0, "open": 0, "incomplete": 0}
    assert client.post("/api/campaigns/1/plate", json=body).json() == {**nothing, "told": 1}
    assert client.post("/api/campaigns/1/plate", json=body).json() == {**nothing, "known": 1}
    assert campaign.experiment(6).value == 4.5


def test_all_mistakes_of_a_table_come_with_their_places(client, campaign):
    body = {"csv": "id,yield\n1,x\n99,1\n", "name": "p.csv"}
    answer = client.post("/api/campaigns/1/plate", json=body)
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("p.csv: 2 mistakes")
    paths = [problem["path"] for problem in answer.json()["problems"]]
    assert paths == ["p.csv, line 2, column 'yield'", "p.csv, line 3, column 'id'"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"csv": "id\n1\n", "base64": "aWQ="},
        {"base64": "no!"},
        {"base64": "UEsDBA=="},
        {"base64": "0M8R4A=="},
    ],
)
def test_what_is_no_table_is_refused(client, campaign, body):
    assert client.post("/api/campaigns/1/plate", json=body).status_code == 422


def test_without_a_stop_rule_nobody_speaks_of_one_and_a_prior_says_what_it_is_worth(client, store, rng):
    box = small().domain
    x = box.sample(6, rng)
    before = build_map(box, x, [value_of({"temperature": t, "pH": ph}) for t, ph in x], noise=0.05)
    with Campaign("free", box, noise=0.05, strategy="sobol", store=store, prior=before) as c:
        for e in c.ask(5):
            c.tell(e.id, value_of(e.point))
    end = time.monotonic() + 120
    while (got := client.get("/api/campaigns/1/error").json())["working"] and time.monotonic() < end:
        time.sleep(0.1)
    assert got["course"]["now"][0]["value"] > 0
    assert (got["course"]["may_stop"], got["course"]["reason"]) == (None, None)
    assert "the prior accounts for" in got["prior"][0]
    assert "The map begins with a prior: map of 6 values." in client.get("/c/1").text


def test_offsets_of_blocks_come_with_the_error(client, store):
    with Campaign.from_spec(small("days", blocks={"day": "offset"}), store=store) as c:
        for e in c.ask(6):
            c.tell(e.id, value_of(e.point), block={"day": "Monday" if e.id % 3 else "Tuesday"})
        shifts = c.offsets()["yield"]["day"]
    end = time.monotonic() + 120
    while (got := client.get("/api/campaigns/1/error").json())["working"] and time.monotonic() < end:
        time.sleep(0.1)
    said = ", ".join(f"{day} {shift:+.3g} %" for day, shift in shifts.items())
    assert got["offsets"] == [f"Offsets of day, taken off yield before the map is drawn: {said}"]


def test_what_is_odd_comes_with_the_error(client, store):
    with Campaign.from_spec(small("odd"), store=store) as c:
        for e in c.ask(16):
            c.tell(e.id, value_of(e.point) + (50 if e.id == 7 else 0))
    end = time.monotonic() + 120
    while (got := client.get("/api/campaigns/1/error").json())["working"] and time.monotonic() < end:
        time.sleep(0.1)
    [finding] = [f for f in got["findings"] if f["kind"] == "contradicted"]
    assert finding["experiments"] == [7]
    assert finding["sentence"].startswith("Experiment 7: the others contradict yield = ")
    assert got["done"] == got["total"]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        (
            "ask",
            '{"n": "2", "keyy": 3}',
            "body.n: Input should be a valid integer; body.keyy: Extra inputs are not",
        ),
        ("experiments/6/tell", '{"values": NaN}', "body.values: Input should be a finite number"),
        ("experiments/6/tell", '{"values": 0,83}', "JSON decode error"),
        ("experiments/6/tell", '{"a": 1, "b": 1, "c": 1, "d": 1}', "; and 2 more"),
    ],
)
def test_the_message_alone_says_what_is_wrong_with_a_request(client, campaign, path, body, words):
    """An instrument's program shows nothing else."""
    url = f"/api/campaigns/1/{path}"
    answer = client.post(url, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("the request cannot be read: ")
    assert words in answer.json()["message"]
