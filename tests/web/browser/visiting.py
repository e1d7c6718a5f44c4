"""A visitor in a real browser, and the laboratory that all browser tests share."""

from __future__ import annotations

from typing import Any

from equiwarp import Campaign
from equiwarp.spec import CampaignSpec
from equiwarp.store import Store
from tests.web.conftest import Server, small, value_of

SLOW = 240_000  # milliseconds; a busy machine must not make a test fail
#: What the page hears of the error where a test does not look at it, so that nothing is computed for it.
NO_ERROR = {
    "working": False,
    "done": 0,
    "total": 1,
    "doing": "",
    "problem": "",
    "course": None,
    "findings": [],
}
WATCH_SHIFTS = (
    "window.shift = 0; new PerformanceObserver((list) => { for (const e of list.getEntries())"
    " if (!e.hadRecentInput) window.shift += e.value; })"
    ".observe({ type: 'layout-shift', buffered: true })"
)


class Lab:
    """One store with ten campaigns of all kinds, one server for it, and what tests begin beside them."""

    def __init__(self, store: str, server: Server) -> None:
        self.store, self.url = store, server.url
        self._names = Store(store)

    def path(self, name: str) -> str:
        """The page of a campaign."""
        found = self._names.read(lambda transaction: transaction.entry_named(name))
        assert found is not None, name
        return f"/c/{found.id}"

    def begin(self, spec: CampaignSpec | str, measured: int = 5, **changes: Any) -> tuple[Campaign, str]:
        """A campaign of a test's own and its page; by name, a furnace with six experiments, some measured."""
        described = small(spec, **{"strategy": "sobol", **changes}) if isinstance(spec, str) else spec
        made = Campaign.from_spec(described, store=self.store, who="anna")
        if isinstance(spec, str):
            for e in made.ask(6)[:measured]:
                made.tell(e.id, value_of(e.point))
        return made, self.path(made.name)

    def close(self) -> None:
        self._names.close()


class Visitor:
    """A browser window of its own that records what should not happen."""

    def __init__(self, browser: Any, url: str, width: int = 1280, error: bool = True, **options: Any) -> None:
        self.url = url
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, accept_downloads=True, **options)
        if not error:
            self.context.route("**/error", lambda route: route.fulfill(json=NO_ERROR))
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        self.page.on("console", lambda m: m.type == "error" and self.trouble.append(f"console: {m.text}"))
        self.page.on("dialog", lambda d: (self.trouble.append("dialog"), d.dismiss()))
        self.page.on("request", lambda r: self.requests.append(r.url))

    def open(self, path: str) -> Any:
        """A page whose script runs."""
        self.page.goto(self.url + path)
        ready(self.page)
        return self.page

    def open_map(self, path: str) -> Any:
        """A campaign whose map is drawn."""
        page = self.open(path)
        page.wait_for_selector("[data-drawn]:not([hidden])")
        page.wait_for_selector("#map-card:not(.waiting)")
        return page

    def close(self) -> None:
        self.context.close()
        outside = [r for r in self.requests if not r.startswith((self.url, "data:", "blob:"))]
        assert outside == []


def ready(page: Any) -> None:
    """Wait for the script: before it runs, a form posts as it would without, and the page is another."""
    page.wait_for_selector("html[data-ready]", state="attached")


def says(page: Any, element: str, text: str) -> None:
    """Wait until an element says something."""
    page.wait_for_function(
        "([id, text]) => document.getElementById(id).textContent.includes(text)", arg=[element, text]
    )


def click_map(page: Any, drawing: str, across: float, down: float) -> None:
    """Click at a share of a drawing's size; a click before it has followed the pointer is lost."""
    plot = page.locator(f"{drawing} .nsewdrag").first
    area = plot.bounding_box()
    place = {"x": area["width"] * across, "y": area["height"] * down}
    plot.hover(position=place)
    page.wait_for_selector(f"{drawing} .hovertext", state="attached")
    plot.click(position=place)


def told(page: Any, experiment: int, value: float) -> None:
    ready(page)
    page.fill(f"#e{experiment} [data-response]", str(value))
    page.click(f"#e{experiment} .tell button")
    page.wait_for_selector(f"#e{experiment}", state="detached")
