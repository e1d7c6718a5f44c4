"""Small texts with large costs, bodies without an end, and guesses: each is refused in words, cheaply."""

from __future__ import annotations

import asyncio
import json
import tracemalloc

import pytest

from equiwarp.web import bodies
from equiwarp.web.app import create_app
from equiwarp.web.bodies import MOST_BYTES
from equiwarp.web.bounds import MOST_DEPTH, MOST_PARTS
from equiwarp.web.guesses import FIRST, LONGEST, MOST_WAITING, Guesses
from equiwarp.web.security import Gate, Guard, hosts_for
from tests.web.conftest import HOST, TestClient

JSON = {"content-type": "application/json"}
BOX = {"type": "box", "parameters": [{"name": "t", "low": 0, "high": 1}]}
DOTTED = ".".join("a" * 32_000) + " = 1"


@pytest.mark.parametrize(
    "toml",
    [
        DOTTED,
        f"name = 'x'\n{DOTTED}",
        f"[{'.'.join('a' * 9000)}]",
        f"x = {{{DOTTED}}}",
        f"x = {{b = 1, {DOTTED}}}",
        ". ".join(['"a"'] * 9000) + " = 1",
        f"[[ {'a.' * MOST_PARTS}b ]]",
        "x = " + "[" * 190_000,  # if every bracket looked at all that follow, this would not end
        "\n".join(f"a{i} = 1" for i in range(30_000)),
        "# " + "x" * 300_000,
    ],
)
def test_a_costly_campaign_file_is_refused_before_it_is_read(client, toml):
    tracemalloc.start()
    answer = client.post("/api/check", json={"toml": toml})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["path"] == "toml"
    assert peak < 20e6  # 64 kB of dotted keys took 4 GB
    assert client.post("/new/toml", data={"toml": toml}).status_code == 422


def test_campaign_files_as_people_write_them_pass(client):
    toml = (
        'name = "x"\ndescription = "versions 1.2.3.4.5.6.7.8.9.10.11 of it"\n'
        "[domain]\ntype = 'box'\n[[domain.parameters]]\nname = 't'\nlow = 0\nhigh = 1\n"
    )
    assert client.post("/api/check", json={"toml": toml}).status_code == 200
    assert toml.count(".") > MOST_PARTS


def nested(levels):
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize("levels", [MOST_DEPTH, 900, 100_000])
@pytest.mark.parametrize("path", ["/api/check", "/api/campaigns", "/api/campaigns/1/ask"])
def test_deeply_nested_json_is_refused_in_words(client, campaign, caplog, levels, path):
    for body in (f'{{"spec": {nested(levels)}}}', "[" * levels, f'{{"spec": {{"name": {nested(levels)}}}}}'):
        answer = client.post(path, content=body.encode(), headers=JSON)
        assert answer.status_code == 422
        assert answer.json()["message"]
    assert caplog.text == ""


def test_brackets_in_texts_and_shallow_json_pass(client, campaign):
    spec = {"name": "[" * 100 + '\\"{', "description": "{" * 500 + '"', "domain": BOX}
    assert client.post("/api/check", json={"spec": spec}).status_code == 200
    nested_toml = f"x = {'[' * 200}{']' * 200}"
    assert client.post("/api/check", json={"toml": nested_toml}).status_code == 422


def test_many_keys_and_many_constraints_are_refused(client):
    many = {"name": "x", "domain": BOX, **{f"k{i}": 1 for i in range(30_000)}}
    assert "keys" in client.post("/api/check", json={"spec": many}).json()["message"]
    constraints = {"name": "x", "domain": {**BOX, "constraints": ["t <= 1"] * 100}}
    assert client.post("/api/check", json={"spec": constraints}).json()["problems"][0]["path"] == (
        "domain.constraints"
    )


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\x07", "\x7f", "\x9b", "\u2028", "\n", "\t"])
@pytest.mark.parametrize("field", ["name", "parameter", "unit", "response"])
def test_names_read_as_they_are_written(client, letter, field):
    text = f"a{letter}b"
    parameter = {"name": "t", "low": 0, "high": 1, "unit": "s"}
    spec = {"name": "x", "domain": {"type": "box", "parameters": [parameter]}, "responses": [{"name": "y"}]}
    if field == "name":
        spec["name"] = text
    elif field == "response":
        spec["responses"] = [{"name": text}]
    else:
        parameter[{"parameter": "name", "unit": "unit"}[field]] = text
    answer = client.post("/api/check", json={"spec": spec})
    assert answer.status_code == 422
    assert answer.json()["problems"]


def test_descriptions_may_have_lines_and_letters_of_all_scripts_pass(client):
    spec = {"name": "μ می‌خواهم 👩‍🔬", "description": "one\n\ttwo", "domain": BOX}
    assert client.post("/api/check", json={"spec": spec}).status_code == 200


def test_a_fault_of_ours_is_one_line_in_the_log_and_an_answer(client, campaign, caplog, monkeypatch):
    def fault(*_):
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr("equiwarp.web.as_json.campaign", fault)
    answer = client.get("/api/campaigns/1")
    assert answer.status_code == 500
    assert "mistake" in answer.json()["message"]
    page = client.get("/c/1")
    assert (page.status_code, page.headers["content-type"]) == (500, "text/html; charset=utf-8")
    assert page.headers["x-frame-options"] == "DENY"
    assert len(caplog.records) == 2
    assert caplog.records[0].getMessage().count("\n") == 0
    assert "ZeroDivisionError: first line second line (test_bounds.py" in caplog.records[0].getMessage()


class Wire:
    """The two ends of an ASGI application: what is sent to it, and what it answers."""

    def __init__(self, *pieces):
        self.pieces, self.answered = list(pieces), []

    async def receive(self):
        if not self.pieces:
            await asyncio.Event().wait()  # the client sends no more, and stays
        return self.pieces.pop(0)

    async def send(self, message):
        self.answered.append(message)

    @property
    def status(self):
        return self.answered[0]["status"]

    @property
    def headers(self):
        return dict(self.answered[0]["headers"])


async def read_all(scope, receive, send):
    """An application that reads the whole body first."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def through_the_guard(wire, *headers, piece=0.05):
    guard = Guard(read_all, Gate(hosts_for(["127.0.0.1"], 8765)), Guesses(), piece)
    named = [(b"host", HOST.encode()), (b"content-type", b"application/json"), *headers]
    scope = {"type": "http", "path": "/api/campaigns/1/ask", "method": "POST", "headers": named}
    asyncio.run(guard(scope, wire.receive, wire.send))
    return wire


def piece(size, more=True):
    return {"type": "http.request", "body": b" " * size, "more_body": more}


def test_an_unfinished_body_is_closed_after_a_while():
    wire = through_the_guard(Wire(piece(10)))
    assert wire.status == 408
    assert wire.headers[b"connection"] == b"close"
    assert "send it again" in json.loads(wire.answered[1]["body"])["message"]


def test_a_body_that_arrives_drop_by_drop_is_closed_too(monkeypatch):
    monkeypatch.setattr(bodies, "WHOLE", -1.0)  # the time for all of it is over, though each piece is in time
    wire = through_the_guard(Wire(piece(1), piece(1, more=False)))
    assert wire.status == 408
    assert "did not arrive within" in json.loads(wire.answered[1]["body"])["message"]


@pytest.mark.parametrize("declared", [False, True])
def test_a_body_beyond_the_limit_is_read_to_its_end_before_it_is_refused(declared):
    size = MOST_BYTES // 4
    length = [(b"content-length", str(8 * size).encode())] if declared else []
    wire = through_the_guard(Wire(*[piece(size)] * 7, piece(size, more=False)), *length)
    assert wire.status == 413
    assert wire.pieces == []  # the client has sent everything and can read the answer
    assert "split it" in json.loads(wire.answered[1]["body"])["message"]


def test_a_body_that_is_announced_and_too_long_is_refused_before_it_is_sent():
    headers = (b"content-length", b"9999999"), (b"expect", b"100-continue")
    wire = through_the_guard(Wire(piece(5)), *headers)
    assert wire.status == 413
    assert len(wire.pieces) == 1


def test_guesses_take_longer_and_longer_and_one_after_the_other(caplog):
    pauses, under_way = [], []

    async def sleep(seconds):
        under_way.append(seconds)
        assert len(under_way) == 1
        await asyncio.sleep(0)
        under_way.clear()
        pauses.append(seconds)

    async def guess():
        guesses = Guesses(sleep)
        several = await asyncio.gather(*(guesses.slow_down("10.0.0.1") for _ in range(MOST_WAITING + 3)))
        assert several.count(False) == 3
        assert await guesses.slow_down("10.0.0.2")

    asyncio.run(guess())
    assert pauses[-1] == FIRST
    assert max(pauses) == LONGEST
    assert "3 wrong tokens from 10.0.0.1" in caplog.text


def test_wrong_bearers_are_slowed_and_the_right_one_is_not(store):
    app = create_app(store, Gate(hosts_for(["127.0.0.1"], 8765), "a-token-that-nobody-guesses"))
    counted = []

    async def slow_down(address):
        counted.append(address)
        return len(counted) < 3

    app.state.guesses.slow_down = slow_down
    with TestClient(app, base_url=f"http://{HOST}") as client:
        statuses = [
            client.get("/api/campaigns", headers={"authorization": f"Bearer {token}"}).status_code
            for token in ("wrong", "a-token-that-nobody-guesses", "also wrong", "still wrong")
        ]
        assert statuses == [401, 200, 401, 429]
        assert client.get("/api/campaigns").status_code == 401
        assert len(counted) == 3
        login = client.post("/login", data={"token": "wrong"})
        assert login.status_code == 429


def test_static_files_are_kept_by_the_browser_and_pages_are_packed(client, campaign):
    for path in ("/static/page.js", "/vendor/plotly.js"):
        first = client.get(path)
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304, path
        assert "no-store" not in first.headers["cache-control"]
    for path in ("/c/1", "/api/campaigns/1/map"):
        packed = client.get(path, headers={"accept-encoding": "gzip"})
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["cache-control"] == "no-store"
        plain = client.get(path, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
