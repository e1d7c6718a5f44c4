"""One browser, one server and one store with campaigns of all kinds for all browser tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.browser.visiting import Lab, Visitor
from tests.web.conftest import CHROMIUM, Server, needed
from tests.web.zoo import fill


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    path = needed("playwright", "chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=path, args=CHROMIUM)
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """After the browser: where there is none, nothing else is made."""
    folder = tmp_path_factory.mktemp("lab")
    store = str(folder / "lab.db")
    fill(store)
    server = Server(store, folder)
    made = Lab(store, server)
    yield made
    made.close()
    server.stop()


@pytest.fixture
def visitor(browser: Any, lab: Lab) -> Iterator[Visitor]:
    """Somebody who looks at maps and not at their errors."""
    made = Visitor(browser, lab.url, error=False)
    yield made
    made.close()
