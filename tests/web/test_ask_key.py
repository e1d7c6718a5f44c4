"""A request to ask that is repeated, because nobody knows whether the first got through."""

from __future__ import annotations


def test_the_same_key_hands_out_the_same_experiments(campaign, client):
    ask = lambda **body: client.post("/api/campaigns/1/ask", json=body)  # noqa: E731
    first = ask(n=2, key="plate 7").json()
    assert ask(n=2, key="plate 7").json() == first
    assert ask(n=2, key="plate 8").json() != first
    refused = ask(n=3, key="plate 7")
    assert refused.status_code == 409
    assert "'plate 7' was used to ask for 2 experiments" in refused.json()["message"]
    assert ask(n=1, key="").status_code == 422
