"""A product of directions and numbers on the page: the globe, with all else held."""

from __future__ import annotations

import equiwarp as ew

SKY = ew.Constrained(
    ew.Product(ew.Sphere(2), ew.Box({"distance": (1, 10), "lens": ["long", "wide"]})),
    ["distance <= 6 + 4 * x3"],
)


def test_a_product_with_a_globe_has_cards_and_a_map(client, store):
    with ew.Campaign("sky", SKY, store=store, noise=0.05, n0=8, strategy="lookahead-gp") as c:
        for e in c.ask(8):
            c.tell(e.id, e.point["x3"] + e.point["distance"] / 5)
        (asked,) = c.ask()
    page = client.get("/c/1")
    assert page.status_code == 200
    assert f"{asked.point['distance']:.6g}" in page.text
    assert asked.point["lens"] in page.text
    told = client.post(f"/c/1/e/{asked.id}/tell", data={"value-0": "1.5", "since": asked.since})
    assert told.status_code == 200
    with ew.Campaign("sky", store=store) as again:
        assert again.experiment(asked.id).value == 1.5
