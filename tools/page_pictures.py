"""The pictures of the page in the README and the docs: `python -m tools.page_pictures`, from the root.

A simulated kiln is mapped for a few rounds, and a process of six parameters stands beside it; then Debian's
chromium looks at their pages. The same seed gives the same pictures, apart from dates.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from io import BytesIO
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from equiwarp import Box, Campaign, StopRule
from equiwarp.spec import CampaignSpec, Response
from tests.web.conftest import CHROMIUM, Server
from tests.web.zoo import fill

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ROUNDS, BATCH = 5, 4
WAIT = 600_000  # milliseconds; a busy machine takes its time
noise = Random(1)


def density(point: dict[str, float]) -> float:
    """What the simulated kiln gives."""
    u, v = (point["temperature"] - 700) / 500, math.log(point["time"] / 5) / math.log(60)
    peak = math.exp(-(((u - 0.6) / 0.18) ** 2) - ((v - 0.5) / 0.2) ** 2)
    return round(40 + 35 * peak + 12 * u + noise.gauss(0, 0.3), 2)


def fire(store: str) -> None:
    """A start of eight, some rounds of four, and four to run; one firing failed."""
    box = Box(
        {
            "temperature": {"low": 700, "high": 1200, "unit": "°C"},
            "time": {"low": 5, "high": 300, "unit": "min", "scale": "log"},
        }
    )
    about = "Where does the density of the fired bodies rise?"
    spec = CampaignSpec(
        "kiln firing",
        box,
        (Response("density", "%", 0.3),),
        n0=8,
        description=about,
        stop=StopRule(error=1.0),
    )
    with Campaign.from_spec(spec, store=store, who="anna") as campaign:
        for n in [8, *[BATCH] * ROUNDS]:
            for e in campaign.ask(n):
                campaign.tell(e.id, density(e.point))
        campaign.tell_failed(campaign.ask(BATCH)[0].id, "the thermocouple slipped out")


#: Colours of small marks, for which the shades of a map leave no room: what would be next, what is to be run.
MARKS = ((255, 176, 0), (209, 36, 106))


def few_colours(whole: Image.Image) -> Image.Image:
    """The same in 256 colours: a third of the size, and nobody sees it."""
    most = 256 - len(MARKS)
    common = whole.quantize(most, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*common[: 3 * most], *(part for colour in MARKS for part in colour)])
    return whole.quantize(palette=palette, dither=Image.Dither.NONE)


def save(page: Page, name: str) -> None:
    """What the page shows, as a file of the docs."""
    whole = Image.open(BytesIO(page.screenshot())).convert("RGB")
    few_colours(whole).save(IMAGES / f"page-{name}.png", optimize=True)


def shoot(url: str) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        for name, scheme, layer in (("campaign", "light", "mean"), ("layers", "dark", "score")):
            size = {"width": 1280, "height": 1200}
            page = browser.new_page(viewport=size, color_scheme=scheme)
            page.set_default_timeout(WAIT)
            page.goto(f"{url}/c/1")
            page.wait_for_function("() => !document.getElementById('error-note').hidden")
            page.wait_for_function("() => document.getElementById('error-busy').hidden")
            page.select_option("#m-layer", layer)
            if layer != "mean":
                page.wait_for_function("() => !document.querySelector('.next-key').hidden")
            page.wait_for_timeout(1000)  # the drawing itself
            save(page, name)
            page.close()
        page = browser.new_page(viewport={"width": 1280, "height": 1090})
        page.set_default_timeout(WAIT)
        page.goto(f"{url}/c/1/profiler")
        page.wait_for_selector("#profiles .mean >> nth=0", state="attached")
        page.wait_for_timeout(1000)
        save(page, "profiler")
        page.goto(f"{url}/c/2/parallel?kept=%7B%22rate%22%3A%5B13%2Cnull%5D%7D")
        page.wait_for_selector("#lines polyline >> nth=0", state="attached")
        page.wait_for_timeout(1000)
        save(page, "parallel")
        browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        fire(f"{folder}/kiln.db")
        fill(f"{folder}/kiln.db", only=("process",))
        server = Server(f"{folder}/kiln.db", Path(folder))
        try:
            shoot(server.url)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
