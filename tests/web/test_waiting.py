"""One slow campaign keeps nobody waiting: asks, maps and what is known, while other work never ends."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import anyio
import numpy as np
import pytest

from equiwarp import Campaign
from equiwarp.exceptions import ComputationEnded
from equiwarp.plotting.slices import cut
from equiwarp.web import tasks, waiting
from equiwarp.web.hub import CALLER, CHOOSING, LOOKING, Caller, Hub
from equiwarp.web.jobs import HeavyJob
from tests.web.conftest import Server, small, value_of
from tests.web.endless import endless, endless_steps
from tests.web.patience import answer, at_last, until

RUNS = 1999  # fitting so many values takes longer than any test waits


def slow_campaign(store, name="slow", runs=RUNS):
    """A campaign whose map takes minutes."""
    made = Campaign.from_spec(small(name), store=store)
    x = made.domain.sample(runs, np.random.default_rng(0))
    made.add(x, np.sin(x[:, 0] / 9) + x[:, 1])
    return made


@pytest.fixture
def tabs(client):
    """Open requests in threads of their own; they end with the page's work."""
    opened = []

    def open_tab(path):
        opened.append(threading.Thread(target=client.get, args=(path,), daemon=True))
        opened[-1].start()
        return opened[-1]

    yield open_tab
    client.app.state.hub.stop()
    for tab in opened:
        tab.join(600)


def test_others_ask_and_see_their_maps_while_one_campaign_is_fitted(client, tabs, campaign, store):
    slow_campaign(store).close()
    Campaign.from_spec(small("empty"), store=store).close()
    waiting = [tabs("/api/campaigns/2/map"), tabs("/api/campaigns/2/map?layers=1")]
    client.get("/api/campaigns/2/error")
    until(lambda: client.app.state.hub.looking._running, "a fit under way")
    assert client.post("/api/campaigns/3/ask", json={"n": 2}).status_code == 200
    assert client.post("/api/campaigns/1/ask", json={"n": 2}).status_code == 200  # by the strategy
    assert client.get("/api/campaigns/1/map").status_code == 200
    assert client.get("/api/campaigns/2/map?coarse=1").json()["coarse"]
    assert all(tab.is_alive() for tab in waiting)


def test_what_is_known_is_answered_while_every_process_is_busy(client, campaign):
    hub = client.app.state.hub
    first = client.get("/api/campaigns/1/map?layers=1").json()
    for other in range(50, 50 + 2 * LOOKING):
        hub.looking.submit(HeavyJob(other, endless, ()))
    for other in range(50, 50 + 2 * CHOOSING):
        hub.choosing.submit(HeavyJob(other, endless, ()))
    until(lambda: len(hub.looking._running) == LOOKING, "work in every process")
    assert client.get("/api/campaigns/1/map?layers=1").json() == first
    assert client.get("/c/1").status_code == 200
    e = campaign.experiments("pending")[0]
    told = client.post(f"/api/campaigns/1/experiments/{e.id}/tell", json={"values": value_of(e.point)})
    assert told.status_code == 200


def test_an_ask_fits_nothing_again(campaign, store, monkeypatch):
    hub, fits = Hub(store), []
    submit = hub.looking.submit
    monkeypatch.setattr(hub.looking, "submit", lambda job: (fits.append(job.work), submit(job)))
    before = answer(hub.fitted(1))
    campaign.ask(2)
    after = answer(hub.fitted(1))
    hub.close()
    assert len(after.map.pending) == len(before.map.pending) + 2
    assert after.measurements == before.measurements
    assert fits == [tasks.fit, tasks.renew]


@pytest.fixture
def hub(store, campaign):
    made = Hub(store)
    yield made
    made.close()


class Gone:
    """A request whose client leaves after so many looks."""

    def __init__(self, looks):
        self.looks = looks

    async def is_disconnected(self):
        self.looks -= 1
        return self.looks < 0


def test_what_is_known_begins_no_work(store, campaign, monkeypatch):
    hub = Hub(store)
    fitted, slice = answer(hub.fitted(1)), cut(campaign.domain)
    known = [hub.fitted(1), hub.predicted(1, fitted, slice), hub.layered(1, fitted, slice)]
    first = [answer(job) for job in known]
    begun = []
    monkeypatch.setattr(hub.looking, "submit", begun.append)
    again = [hub.fitted(1), hub.predicted(1, fitted, slice), hub.layered(1, fitted, slice)]
    hub.close()
    assert begun == []
    assert all(job.future.result(0) is known for job, known in zip(again, first, strict=True))


def test_asks_have_processes_of_their_own_and_what_the_page_shows_does_not_take_them(
    store, campaign, monkeypatch
):
    hub = Hub(store)
    campaign.ask(1)  # the rest of the start: what comes now is chosen
    for name in ("choosing", "looking"):
        where = ComputationEnded(name)
        monkeypatch.setattr(getattr(hub, name), "submit", lambda job, where=where: job.fail(where))
    with pytest.raises(ComputationEnded, match="choosing"):
        hub.campaign(1).ask(1)
    seen = contextvars.copy_context()
    seen.run(CALLER.set, Caller(lambda: False, background=True))
    with pytest.raises(ComputationEnded, match="looking"):
        seen.run(hub.campaign(1).preview, 1)
    hub.close()


def test_asks_have_threads_of_their_own():
    askers = anyio.CapacityLimiter(1)

    async def look():
        return await waiting.asked(Gone(10**9), askers, lambda: askers.borrowed_tokens)

    assert asyncio.run(look()) == 1


def test_waiting_for_a_fit_holds_no_thread():
    async def look():
        threads, job = anyio.to_thread.current_default_thread_limiter(), HeavyJob(1, endless, ())
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def begin():
            loop.call_soon_threadsafe(begun.set)
            return job

        visitor = asyncio.create_task(waiting.answer_of(Gone(10**9), begin))
        await begun.wait()
        for _ in range(3000):  # the thread that began the job is on its way back
            if not threads.borrowed_tokens:
                break
            await asyncio.sleep(0.02)
        held = threads.borrowed_tokens
        job.succeed(7)
        return held, await visitor

    assert asyncio.run(look()) == (0, 7)


def test_work_for_a_client_that_left_is_dropped(hub):
    job = HeavyJob(1, endless, ())
    hub.looking.submit(job)
    with pytest.raises(ComputationEnded, match="nobody waits"):
        at_last(
            lambda: asyncio.run(waiting.answer_of(Gone(2), lambda: job)),
            "that a request ends whose client left",
        )
    until(job.future.done, "that the work ends which nobody waits for")
    with pytest.raises(ComputationEnded, match="nobody waits"):
        job.future.result()


def test_nothing_is_handed_out_to_a_client_that_left(hub, campaign, monkeypatch):
    monkeypatch.setattr(tasks, "choose", endless)
    campaign.ask(1)  # the rest of the start: what comes now is chosen
    before = len(campaign.experiments())
    page = hub.campaign(1)
    with pytest.raises(ComputationEnded, match="nobody waits"):
        at_last(
            lambda: asyncio.run(waiting.asked(Gone(2), hub.cache(1).askers, lambda: page.ask(1))),
            "that an ask ends whose client left",
        )
    until(lambda: not hub.choosing._running, "that the choice ends which nobody waits for")
    assert len(campaign.experiments()) == before


def test_the_course_of_the_error_is_dropped_when_nobody_looks(hub, monkeypatch):
    monkeypatch.setattr(tasks, "judge", endless)
    work = hub.course(1)
    until(lambda: hub.course(1).doing == "following the error", "a map to follow the error of")
    assert hub.course(1) is work
    work.watched -= 1e6
    until(lambda: not work.running, "that the course ends which nobody looks at")
    assert hub.course(1) is not work  # whoever looks again begins anew


def test_the_server_stops_whatever_it_computes(store, tmp_path):
    slow_campaign(store).close()
    server, answers = Server(store, tmp_path), []

    def request():
        try:
            with urllib.request.urlopen(f"{server.url}/api/campaigns/1/map", timeout=600) as page:
                answers.append(page.status)
        except HTTPError as error:  # an answer, to be closed like any other
            with error:
                answers.append(error.code)
        except OSError:
            answers.append(0)

    visitor = threading.Thread(target=request, daemon=True)
    visitor.start()
    until(lambda: len(session(server.process.pid)) >= 4, "a process that has the job")
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(600)
    visitor.join(600)
    assert answers == [503]  # the fit was ended, and whoever waited for it was told
    until(lambda: not session(server.process.pid), "the end of all processes")
    assert "Traceback" not in server.log.read_text()


STUCK = """
import socket, sys, threading
from equiwarp.web.app import create_app
from equiwarp.web.security import Gate, hosts_for
from equiwarp.web.serving import serve
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
app = create_app(sys.argv[1], Gate(hosts_for(["127.0.0.1"], port)))

@app.get("/stuck")
def stuck():
    print("stuck", flush=True)
    threading.Event().wait()

print(port, flush=True)
serve(app, listener)
"""


@pytest.mark.parametrize("stuck", ["def stuck", "async def stuck"], ids=["a thread", "the event loop"])
def test_the_server_stops_although_something_of_it_never_ends(store, campaign, stuck):
    """Such as what waits for a disk that is gone."""
    command = [sys.executable, "-c", STUCK.replace("def stuck", stuck), store]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline())

        def visit():
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/stuck"):
                pass

        threading.Thread(target=visit, daemon=True).start()
        assert at_last(process.stdout.readline, "a visitor").strip() == "stuck"
        process.send_signal(signal.SIGTERM)
        try:
            until(lambda: process.poll() is not None, "the end of a server that is stuck")
        finally:
            process.kill()


def session(leader):
    """Processes of the server's session that have not ended: itself, two of Python's, those that compute."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(place.name))
    return found


def test_a_fit_says_how_far_it_is(client, campaign):
    hub = client.app.state.hub
    fit = hub.fitted(1)
    fitted = answer(fit)
    families = len(fitted.map.models[0].weights_)  # those that apply: two parameters are one pair
    assert families == len(fitted.map.families) - 1
    assert fit.steps == (families, families)
    assert client.get("/api/campaigns/1/progress").json() == {"done": 0, "total": 0}  # nothing is under way
    hub._shared(1, ("background",), endless, (), background=True)
    hub._shared(1, ("watched",), endless_steps, (), reports=True)
    until(lambda: hub.steps(1) != (0, 0), "a step")
    assert client.get("/api/campaigns/1/progress").json() == {"done": 2, "total": 6}
    assert client.get("/api/campaigns/99/progress").status_code == 404
    hub.stop()
