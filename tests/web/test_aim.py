"""Where the map must be good, over HTTP and on the page of settings."""

from __future__ import annotations

import pytest

import equiwarp as ew


def test_the_aim_is_changed_over_http(client, campaign):
    answer = client.post("/api/campaigns/1/change", json={"aim": {"above": {"yield": 4}}})
    assert answer.status_code == 200
    assert answer.json()["aim"] == {"above": {"yield": 4.0}}
    assert campaign.spec.aim == ew.Aim(above={"yield": 4})
    refused = client.post("/api/campaigns/1/change", json={"aim": {"above": {"gain": 4}}})
    assert refused.status_code == 422
    assert "no response 'gain'" in refused.text
    assert client.post("/api/campaigns/1/change", json={"aim": {}}).status_code == 200
    assert campaign.spec.aim == ew.Aim()


@pytest.mark.parametrize(
    ("typed", "aim", "words"),
    [
        ({"kind": "near", "response": "yield", "level": "4.5"}, {"near": {"yield": 4.5}}, "yield near 4.5 %"),
        (
            {"kind": "between", "response": "yield", "level": "2", "upper": "5", "weight": "pH > 4"},
            {"between": {"yield": [2.0, 5.0]}, "weight": "pH &gt; 4"},
            "yield between 2 and 5 %, weighted by pH &gt; 4",
        ),
        ({"kind": "everywhere", "level": "4"}, {}, "everywhere"),
    ],
)
def test_the_form_says_it(client, campaign, typed, aim, words):
    sent = client.post("/c/1/settings/aim", data=typed, follow_redirects=False)
    assert sent.status_code == 303
    assert f"Now: {words}." in client.get("/c/1/settings").text
    assert campaign.spec.aim == ew.Aim.of({k: "pH > 4" if k == "weight" else v for k, v in aim.items()})


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"kind": "near", "response": "yield"}, "give the level"),
        ({"kind": "between", "response": "yield", "level": "3"}, "give both levels"),
        ({"kind": "near", "response": "yield", "level": "high"}, "not a number"),
        ({"kind": "everywhere", "weight": "heat"}, "unknown parameter"),
    ],
)
def test_the_form_refuses_and_keeps_what_was_typed(client, campaign, typed, said):
    sent = client.post("/c/1/settings/aim", data=typed)
    assert sent.status_code == 422
    assert said in sent.text
    assert campaign.spec.aim == ew.Aim()
    if typed.get("weight"):
        assert 'value="heat"' in sent.text
