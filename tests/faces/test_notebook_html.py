"""What notebooks show of suggestions, maps and campaigns: escaped, self-contained, for every domain."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import equiwarp as ew
from equiwarp._util import markup
from equiwarp.maps.map import build_map

DOMAINS = [
    ew.Box.unit(1),
    ew.Box({"temperature": (20, 90), "rate": {"low": 0.01, "high": 1.0, "scale": "log"}, "pH": (3, 9)}),
    ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 1.2"]),
    ew.Sphere(2),
    ew.Simplex(["Cu", "Zn", "Sn"]),
    ew.Candidates(np.random.default_rng(0).random((40, 2))),
]


class Tags(HTMLParser):
    """Checks that tags nest, and collects the text and the addresses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.sources: list[str] = []
        self.feed(html)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in ("img", "br") or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_tables_escape_and_leave_unknown_cells_empty() -> None:
    html = markup.table([("<b>", [1.23456789, float("nan")]), ("x", ["a & b", None])], "<i>")
    assert Tags(html).texts == ["<i>", "<b>", "x", "1.23457", "a & b"]
    assert "<b>" not in html.replace("<tbody>", "")


def test_a_checker_that_accepts_broken_html_would_be_useless() -> None:
    with pytest.raises(AssertionError):
        Tags("<table><tr></table></tr>")


def test_a_suggestion_shows_points_reasons_and_notes() -> None:
    box = ew.Box({"<script>": (0, 1), "score": (0, 1)})
    suggestion = ew.suggest(box, [[0.2, 0.3], [0.8, 0.5]], [1.0, 2.0], n=2, strategy="eig")
    texts = Tags(suggestion._repr_html_()).texts
    assert texts[1:7] == ["<script>", "score", "variance", "equalizer", "stretch", "score"]
    assert f"{suggestion.points[0, 0]:.6g}" in texts
    assert any("noise was not given" in text for text in texts)


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda d: type(d).__name__)
def test_a_map_shows_its_error_and_a_picture_per_response(domain: ew.Domain) -> None:
    x = domain.sample(12, np.random.default_rng(1))
    y = np.stack([np.sin(3 * x[:, 0]), x[:, -1]], axis=1)
    map = build_map(domain, x, y, noise=0.05, pending=domain.sample(2, np.random.default_rng(2)))
    page = Tags(map._repr_html_())
    assert f"{map.error()[1].value:.6g}" in page.texts
    assert len(page.sources) == 2
    for source in page.sources:
        assert source.startswith("data:image/png;base64,")
        picture = base64.b64decode(source.split(",")[1])
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 4000


def test_a_campaign_shows_where_it_stands(tmp_path) -> None:
    box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    with ew.Campaign("furnace <1>", box, noise=0.1, store=tmp_path / "f.db", n0=3) as campaign:
        assert "nothing yet" in campaign._repr_html_()
        first, second, _ = campaign.ask(3)
        campaign.tell(first.id, 3.25)
        campaign.tell_failed(second.id, "tripped")
        page = Tags(campaign._repr_html_())
    assert re.match(r"Campaign furnace <1> \(map\): .*1 done.*1 failed", page.texts[0])
    assert "3.25" in page.texts
    assert f"{first.point['temperature']:.6g}" in page.texts
    assert not page.sources
