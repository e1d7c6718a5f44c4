"""Fifty clients telling and reading at once: no error, and nothing that was acknowledged is lost.

Five seconds by default; EQUIWARP_LOAD_SECONDS=30 for the long run.
"""

from __future__ import annotations

import http.client
import json
import os
import threading
import time

from equiwarp import Campaign
from tests.web.conftest import small

CLIENTS = 50
SECONDS = float(os.environ.get("EQUIWARP_LOAD_SECONDS", "5"))


class Client(threading.Thread):
    """Asks for an experiment, tells its value, and reads, again and again."""

    def __init__(self, port: int, share: int, end: float) -> None:
        super().__init__(daemon=True)
        self.port, self.share, self.end = port, share, end
        self.told: dict[int, float] = {}
        self.errors: list[str] = []
        self.requests, self.slowest = 0, 0.0

    def send(self, method: str, path: str, body: object = None) -> object:
        began = time.monotonic()
        data = None if body is None else json.dumps(body)
        self.line.request(method, path, data, {"content-type": "application/json"})
        answer = self.line.getresponse()
        text = answer.read()
        self.requests += 1
        self.slowest = max(self.slowest, time.monotonic() - began)
        if answer.status != 200:
            self.errors.append(f"{method} {path}: {answer.status} {text[:200]!r}")
            return None
        return json.loads(text) if path.startswith("/api") else text

    def run(self) -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        base = "/api/campaigns/1"
        try:
            while time.monotonic() < self.end and not self.errors:
                asked = self.send("POST", f"{base}/ask", {"n": 1})
                if not asked:
                    break
                experiment = asked[0]["id"]
                value = self.share + experiment / 1e6
                url = f"{base}/experiments/{experiment}"
                if self.send("POST", f"{url}/tell", {"values": value, "since": asked[0]["since"]}):
                    self.told[experiment] = value
                self.send("GET", url)
                self.send("GET", f"{base}/version")
        except Exception as error:
            self.errors.append(repr(error))
        finally:
            self.line.close()


def test_fifty_clients_lose_nothing(server, store):
    with Campaign.from_spec(small(strategy="sobol"), store=store) as campaign:
        end = time.monotonic() + SECONDS
        clients = [Client(server.port, i, end) for i in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(SECONDS + 90)
        assert [e for c in clients for e in c.errors] == []
        assert not any(c.is_alive() for c in clients)
        told = {experiment: value for c in clients for experiment, value in c.told.items()}
        assert len(told) == sum(len(c.told) for c in clients)  # nobody got the same experiment
        assert len(told) >= CLIENTS / 2
        kept = {e.id: e.value for e in campaign.experiments("done")}
    assert kept == told
    requests, slowest = sum(c.requests for c in clients), max(c.slowest for c in clients)
    print(f"{requests} requests, {len(told)} values in {SECONDS:g} s; slowest {slowest:.2f} s")
