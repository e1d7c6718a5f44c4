"""The live plot in a real IPython shell: it redraws in place on every verb, and can be silenced."""

from __future__ import annotations

import numpy as np
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

import equiwarp as ew
from equiwarp.integrations.notebook import LivePlot


@pytest.fixture
def shell():
    """An interactive shell whose displays are collected."""
    shell = InteractiveShell.instance()
    shell.display_pub = CapturingDisplayPublisher()
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def campaign(tmp_path):
    box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    with ew.Campaign("furnace", box, noise=0.05, store=tmp_path / "f.db", n0=6) as campaign:
        yield campaign


def test_it_redraws_on_tell(shell, campaign) -> None:
    """Run as a user would, in cells."""
    shell.user_ns.update(c=campaign, LivePlot=LivePlot)
    shell.run_cell("live = LivePlot(c)").raise_error()
    shell.run_cell(
        "for e in c.ask(6):\n    c.tell(e.id, e.point['pH'] + (e.point['temperature'] > 50))"
    ).raise_error()
    shown = shell.display_pub.outputs
    assert "first value" in shown[0]["data"]["text/html"]
    ids = {output["transient"]["display_id"] for output in shown}
    assert len(ids) == 1
    assert [bool(output.get("update")) for output in shown] == [False] + [True] * 7  # one ask, six tells
    pages = [output["data"]["text/html"] for output in shown]
    assert len(set(pages)) == 8
    assert all("image/png" in page for page in pages[2:])
    live = shell.user_ns["live"]
    assert [n for n, _ in live.course] == [1, 2, 3, 4, 5, 6]
    assert all(np.isfinite(error) for _, error in live.course)


def test_what_others_tell_shows_at_the_next_look_and_only_once(shell, campaign, tmp_path) -> None:
    live = LivePlot(campaign)
    (experiment,) = campaign.ask(1)
    with ew.Campaign(
        "furnace", store=campaign.store.path if hasattr(campaign.store, "path") else campaign.store
    ) as other:
        other.tell(experiment.id, 1.0)
    drawn = len(shell.display_pub.outputs)
    live.refresh()
    assert len(shell.display_pub.outputs) == drawn + 1
    live.refresh()
    assert len(shell.display_pub.outputs) == drawn + 1


def test_a_closed_plot_leaves_the_campaign_as_it_was(shell, campaign) -> None:
    live = LivePlot(campaign, show=False)
    live.close()
    before = live._repr_html_()
    (experiment,) = campaign.ask(1)
    campaign.tell(experiment.id, 1.0)
    assert live._repr_html_() == before
    assert "tell" not in vars(campaign)
