"""The gate: hosts, origins, content types, sizes, tokens, and nothing that becomes markup."""

from __future__ import annotations

import json
import logging
import re
import socket

import pytest

from equiwarp import Campaign
from equiwarp.web import view_pages
from equiwarp.web.app import create_app
from equiwarp.web.bodies import MOST_BYTES
from equiwarp.web.security import HEADERS, Gate, hosts_for, new_token, own_page
from tests.web.conftest import HOST, RUN, Server, TestClient, small

TOKEN = "a-token-that-nobody-guesses-0123456789"
JSON = {"content-type": "application/json"}


@pytest.fixture
def guarded(store):
    app = create_app(store, Gate(hosts_for(["127.0.0.1"], 8765), TOKEN))
    with TestClient(app, base_url=f"http://{HOST}", headers={"origin": f"http://{HOST}"}) as made:
        yield made


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "", "127.0.0.1:8765.evil"]
)
def test_another_host_header_is_refused(client, host):
    assert client.get("/", headers={"host": host}).status_code == 421


def test_the_right_host_passes_in_any_case(store):
    app = create_app(store, Gate(hosts_for(["localhost", "::1"], 80)))
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/", headers={"host": "LOCALHOST"}).status_code == 200
        assert client.get("/", headers={"host": "[::1]:80"}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "http://127.0.0.1",
        f"ftp://{HOST}",
        "http://[",
        f"http://{HOST}@evil.example",
    ],
)
@pytest.mark.parametrize("path", ["/c/1/ask", "/api/campaigns/1/ask", "/who", "/login"])
def test_posts_from_another_origin_are_refused(client, campaign, origin, path):
    before = len(campaign.events())
    assert client.post(path, headers={"origin": origin, **JSON}, content=b"{}").status_code == 403
    assert len(campaign.events()) == before


def test_a_cross_site_post_without_origin_is_refused(client, campaign):
    del client.headers["origin"]
    answer = client.post("/c/1/ask", data={"n": "1"}, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


def test_a_program_without_origin_may_use_the_api(client, campaign):
    del client.headers["origin"]
    assert client.post("/api/campaigns/1/ask", json={"n": 1}).status_code == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_the_api_takes_json_under_its_own_name_only(client, campaign, kind):
    answer = client.post("/api/campaigns/1/ask", content=b'{"n": 1}', headers={"content-type": kind})
    assert answer.status_code == 415


def test_every_answer_carries_the_headers(client, campaign):
    for path in ("/", "/c/1", "/api/campaigns", "/nowhere", "/static/page.js", "/vendor/plotly.js", "/c/9"):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)


def test_the_policy_allows_no_inline_script():
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";"))
    assert policy["script-src"] == "'self'"
    assert policy["default-src"] == "'none'"
    assert "unsafe-inline" not in policy["style-src"]
    assert policy["frame-ancestors"] == "'none'"


def test_no_page_has_inline_script_or_handlers(client, campaign):
    for path in ("/", "/new", "/c/1", "/c/1/e/1", "/api", "/login"):
        page = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"<[^>]+\son\w+=", page)
        assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)


@pytest.mark.parametrize("path", ["/c/1/ask", "/api/campaigns/1/ask", "/new"])
def test_a_body_beyond_the_limit_is_refused(client, campaign, path):
    answer = client.post(path, content=b" " * (MOST_BYTES + 1), headers=JSON)
    assert answer.status_code == 413
    if path.startswith("/api/"):
        assert "split it" in answer.json()["message"]
    else:  # people get a page
        assert answer.headers["content-type"].startswith("text/html")
        assert "split it" in answer.text
        assert 'href="/"' in answer.text


def test_a_body_without_a_length_is_counted(client, campaign):
    blocks = (b" " * 100_000 for _ in range(20))
    assert client.post("/api/campaigns/1/ask", content=blocks, headers=JSON).status_code == 413


def test_without_the_token_nothing_is_shown(guarded, store):
    with Campaign.from_spec(small("secret plan"), store=store):
        pass
    for path in ("/", "/c/1", "/new", "/api", "/c/1/parts"):
        answer = guarded.get(path, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"].split("?")[0]) == (303, "/login")
    for path in (
        "/api/campaigns",
        "/api/campaigns/1/export.csv",
        "/api/openapi.json",
        "/api/campaigns/1/report.html",
        "/api/campaigns/1/map.png",
    ):
        assert guarded.get(path).status_code == 401
    assert guarded.post("/c/1/ask", data={"n": "1"}).status_code == 401
    assert "secret plan" not in guarded.get("/login").text


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}x", "Bearer ", f"Basic {TOKEN}", TOKEN, "Bearer é"])
def test_a_wrong_token_is_refused(guarded, header):
    assert (
        guarded.get("/api/campaigns", headers={"authorization": header.encode("latin-1")}).status_code == 401
    )


def test_a_program_sends_the_token_as_a_bearer(guarded):
    assert guarded.get("/api/campaigns", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_person_exchanges_the_token_for_a_cookie(guarded):
    answer = guarded.post("/login", data={"token": TOKEN}, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in answer.headers["set-cookie"]
    assert guarded.get("/").status_code == 200
    assert guarded.post("/login", data={"token": "wrong"}).status_code == 403


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("/c/12", "/c/12"),
        ("/c/1/e/3", "/c/1/e/3"),
        ("/new", "/new"),
        ("/", "/"),
        ("//evil.example/", "/"),
        ("/c/1/parts", "/"),
    ],
)
def test_after_signing_in_one_is_where_one_wanted_to_be(guarded, asked, shown):
    sent = guarded.get(f"http://{HOST}{asked}", follow_redirects=False)
    page = guarded.get(sent.headers["location"]).text
    to = re.search(r'name="to" value="([^"]*)"', page)[1]
    wrong = guarded.post("/login", data={"token": "wrong", "to": to}).text
    assert f'name="to" value="{to}"' in wrong
    answer = guarded.post("/login", data={"token": TOKEN, "to": to}, follow_redirects=False)
    assert answer.headers["location"] == shown


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "/\\evil.example", "/c/1?x=\r\nSet-Cookie:a"]
)
def test_signing_in_leads_to_no_other_site(guarded, to):
    answer = guarded.post("/login", data={"token": TOKEN, "to": to}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_a_forged_cookie_is_refused(guarded):
    name = Gate(hosts_for(["127.0.0.1"], 8765), TOKEN).cookie
    forged = Gate(hosts_for(["127.0.0.1"], 8765), "another").session
    for value in (forged, TOKEN, "", "é"):
        headers = {"cookie": f"{name}={value}".encode("latin-1")}
        assert guarded.get("/api/campaigns", headers=headers).status_code == 401


def test_tokens_are_long_and_different():
    assert len(new_token()) >= 40
    assert new_token() != new_token()


PAYLOADS = [
    "javascript:window.hit=1",
    "<script>window.hit=1</script>",
    '"><img src=x onerror=window.hit=1>',
    "{{ 7*7 }} {% raw %}",
    "</textarea></title><svg onload=window.hit=1>",
    '=HYPERLINK("http://evil")',
]


@pytest.mark.parametrize("payload", [*PAYLOADS, " ".join(PAYLOADS)])
def test_texts_never_become_markup(client, payload):
    spec = {
        "name": payload, "description": payload,
        "responses": [{"name": payload + "r", "unit": payload}],
        "domain": {"type": "box", "parameters": [{"name": payload, "low": 0, "high": 1, "unit": payload}]},
        "n0": 2,
    }  # fmt: skip
    assert client.post("/api/campaigns", json={"spec": spec}).status_code == 201
    client.post("/who", data={"who": payload, "to": "/c/1"})
    client.post("/api/campaigns/1/ask", json={"n": 2})
    client.post("/api/campaigns/1/experiments/1/fail", json={"reason": payload})
    client.post("/api/campaigns/1/experiments/2/tell", json={"values": 1.0})
    client.post("/api/campaigns/1/experiments/2/amend", json={"values": 2.0, "reason": payload})
    paths = ["/", "/c/1", "/c/1/e/1", "/c/1/e/2", "/c/1/parts"]
    if payload not in PAYLOADS:  # pictures take their time: the report meets all of them at once
        paths.append("/api/campaigns/1/report.html")
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        page = answer.text
        assert not re.search(r"<(script>|img src=x|svg onload)", page), path
        assert 'href="javascript' not in page
    assert client.get("/api/campaigns").json()[0]["name"] == payload
    assert ("{{ 7*7 }}" in client.get("/c/1").text) == ("{{ 7*7 }}" in payload)


def test_downloads_cannot_be_run_by_a_spreadsheet(client, campaign):
    e = campaign.experiments("pending")[0]
    campaign.tell_failed(e.id, "=cmd()")
    table = client.get("/api/campaigns/1/export.csv")
    assert "'=cmd()" in table.text
    assert table.headers["content-disposition"].startswith("attachment")


def test_static_files_do_not_leave_their_folder(client):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        answer = client.get(path)
        assert answer.status_code == 404 or "create_app" not in answer.text


def ask_for(server, path, headers):
    """The first bytes of an answer, as a plain client gets them."""
    lines = f"GET {path} HTTP/1.1\r\nHost: localhost:{server.port}\r\n{headers}Connection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 30) as line:
        line.sendall(lines.encode())
        return line.recv(1000)


def test_another_address_needs_a_token_and_says_so(store, tmp_path):
    server = Server(store, tmp_path, "--host", "0.0.0.0")
    try:
        said = server.log.read_text()
        token = re.search(r"/login#(\S+)", said)
        assert token
        assert "need the token" in said
        assert b" 401 " in ask_for(server, "/api/campaigns", "")
        assert b" 200 " in ask_for(
            server, f"/api/campaigns?token={token[1]}", f"Authorization: Bearer {token[1]}\r\n"
        )
    finally:
        server.stop()
    assert server.log.read_text().count(token[1]) == 1  # printed once, logged never


def test_a_short_token_is_refused(tmp_path):
    from click.testing import CliRunner

    from equiwarp.cli import main

    answer = CliRunner().invoke(main, ["serve", "--token", "short", "--store", str(tmp_path / "x.db")])
    assert answer.exit_code == 2
    assert "at least" in answer.output
    assert not (tmp_path / "x.db").exists()
    assert RUN


def test_tokens_do_not_reach_the_log(guarded, caplog):
    with caplog.at_level(logging.DEBUG, logger="equiwarp"):
        guarded.post("/login", data={"token": TOKEN})
        guarded.get("/api/campaigns", headers={"authorization": f"Bearer {TOKEN}"})
    assert TOKEN not in caplog.text


def test_the_store_is_never_unpickled():
    from pathlib import Path

    import equiwarp.web

    for path in Path(equiwarp.web.__file__).parent.rglob("*.py"):
        assert "pickle" not in path.read_text(encoding="utf-8")


def test_json_that_is_not_json_is_refused_without_repeating_it(client, campaign):
    for body in (b"{", b'{"n": NaN}', b'{"n": 1e999}', b"[" * 5000, json.dumps({"n": "\ud800"}).encode()):
        answer = client.post("/api/campaigns/1/ask", content=body, headers=JSON)
        assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    ("address", "ours"),
    [
        *[(path, True) for path in ("/", "/new", "/api", "/glossary", "/c/3", "/c/3/e/12", "/c/3/settings")],
        *[(f"/c/3/{view}", True) for view in ("profiler", "effects", "residuals", "parallel")],
        ("/c/3?layer=deviation&at=%7B%22time%22%3A5%7D", True),
        *[(path, False) for path in ("//evil.example", "/\\evil.example", "https://evil.example", "/c/x")],
        *[(path, False) for path in ("/c/3?a b", "/c/3?a\r\nSet-Cookie: x", "/c/3#x", "/c/3?" + "x" * 5000)],
    ],
)
def test_only_pages_of_ours_are_led_back_to_after_signing_in(address, ours):
    assert own_page(address) is ours


def test_every_view_of_a_map_is_one_to_be_led_back_to():
    paths = [route.path.replace("{id}", "1") for route in view_pages.router.routes]
    assert "/c/1/parallel" in paths
    assert [path for path in paths if not own_page(path)] == []
