"""Every view once, in light and dark, at three widths: axe finds nothing, nothing is too wide."""

from __future__ import annotations

from importlib.resources import files

import pytest

from tests.web.browser.visiting import WATCH_SHIFTS, Visitor
from tests.web.conftest import needed

pytestmark = pytest.mark.browser
WIDTHS = (390, 820, 1280)
KINDS = ("mixed", "process", "blend", "paint", "antenna", "probe", "alloys", "reactor", "sweep")


def settled(page):
    """Wait until what the page computes is drawn."""
    if page.locator("#map-card").count():
        page.wait_for_selector("[data-drawn]:not([hidden])")
    page.wait_for_function("() => [...document.querySelectorAll('.busy')].every((line) => line.hidden)")


def require_room(page, path):
    """At every width nothing is wider than the window, and what is touched is large enough for gloves."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        try:  # drawings follow the window after a moment
            page.wait_for_function(
                "(w) => document.documentElement.scrollWidth <= w", arg=width, timeout=20_000
            )
        except Exception as error:
            raise AssertionError(f"{path} is wider than {width}") from error
        small_targets = page.evaluate(
            "[...document.querySelectorAll('button, .button, select, input[inputmode]')]"
            ".filter((e) => e.offsetParent && e.getBoundingClientRect().height < 40).map((e) => e.outerHTML)"
        )
        assert small_targets == [], (width, path)


def test_every_view_in_light_and_dark_at_three_widths(browser, lab):
    needed("axe_playwright_python")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    kiln, process = lab.path("kiln"), lab.path("process")
    views = (
        *("/", "/new", "/api", "/login", "/nowhere", "/glossary", f"{kiln}/e/1", f"{kiln}/settings"),
        *(f"{process}/{view}" for view in ("profiler", "effects", "residuals", "parallel")),
        *(f"{process}?layer=overlay", f"{process}?each=catalyst", f"{kiln}?picture=surface"),
    )
    visitor = Visitor(browser, lab.url, error=False)
    for path in views:
        page = visitor.open(path)
        settled(page)
        page.evaluate(axe)  # through the debugger: the page's own policy stays in force
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found] == [], (path, scheme)
        require_room(page, path)
    visitor.close()


def test_campaigns_of_all_kinds_fit_at_three_widths(browser, lab):
    visitor = Visitor(browser, lab.url, error=False)
    for kind in KINDS:
        page = visitor.open(lab.path(kind))
        settled(page)
        require_room(page, kind)
        page.set_viewport_size({"width": 1, "height": 900})  # as a window is for a moment when it is arranged
        page.wait_for_timeout(250)  # plotly follows after 100 ms
        page.set_viewport_size({"width": 590, "height": 900})
        assert visitor.trouble == [], kind  # drawings without room for one number are not attempted
    visitor.close()


def test_nothing_moves_while_it_is_computed(browser, lab):
    """Layout shifts of a campaign whose map and error arrive, on a desk and on a phone."""
    for width in (1280, 390):
        visitor = Visitor(browser, lab.url, width=width)
        visitor.page.add_init_script(WATCH_SHIFTS)
        page = visitor.open(lab.path("kiln"))
        settled(page)
        page.wait_for_function("() => !document.getElementById('error-note').hidden")
        assert page.evaluate("window.shift") < 0.1, width
        assert visitor.trouble == []
        visitor.close()
