"""The gate in front of the page: who may talk to it, from where, and how much at once.

A page on 127.0.0.1 is within reach of every web site that its user visits. Against that stand a list of
allowed Host headers with their ports (DNS rebinding), a check of the Origin of everything that changes
something and cookies that no other site can send (cross-site posts), JSON only under its own content
type (forms cannot send it), and a content security policy without inline script.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Largest bodies: of anything, and of a table of measurements.
MOST_BYTES, MOST_TABLE_BYTES = 1_000_000, 50_000_000
#: What may be fetched without a token: the login and what it is drawn with. Plotly is not among it.
OPEN = ("/login", "/static/")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

#: SHA-256 of nothing: plotly begins with an empty style element and fills it rule by rule.
EMPTY = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
# Plotly styles its drawing through the style attribute, hence 'unsafe-inline' for attributes alone.
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {EMPTY}; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": under it browsers send "Origin: null" with our own forms too.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True)
class Gate:
    """What is allowed.

    Attributes
    ----------
    hosts : frozenset of str
        Host headers, in lower case, with port (without it where it is 80).
    token : str or None
        What a visitor must know; None on the machine's own address.
    """

    hosts: frozenset[str]
    token: str | None = None

    @property
    def cookie(self) -> str:
        """Name of the session cookie. Cookies do not tell ports apart, so the name does."""
        return "equiwarp-" + hashlib.sha256(",".join(sorted(self.hosts)).encode()).hexdigest()[:8]

    @property
    def session(self) -> str:
        """What the cookie holds: proof of the token, not the token."""
        return hmac.new((self.token or "").encode(), b"equiwarp page session", hashlib.sha256).hexdigest()

    def knows(self, token: str) -> bool:
        return self.token is None or hmac.compare_digest(token.encode(), self.token.encode())

    def admits(self, headers: dict[str, str]) -> bool:
        """Whether a request carries the token (as a bearer) or the session cookie."""
        if self.token is None:
            return True
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(credentials.strip()):
            return True
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and hmac.compare_digest(morsel.value.encode(), self.session.encode())

    def same_site(self, headers: dict[str, str]) -> bool:
        """Whether a request that changes something comes from our own page, or from no page at all."""
        origin = headers.get("origin")
        if origin is not None:
            parts = urlsplit(origin) if _splittable(origin) else None
            return parts is not None and parts.scheme in ("http", "https") and parts.netloc in self.hosts
        return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def _splittable(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hosts_for(names: list[str], port: int) -> frozenset[str]:
    """Host headers of these names or addresses at a port."""
    allowed = set()
    for name in names:
        host = f"[{name}]" if ":" in name and not name.startswith("[") else name
        allowed.add(f"{host.lower()}:{port}")
        if port == 80:
            allowed.add(host.lower())
    return frozenset(allowed)


class Guard:
    """ASGI middleware that enforces a :class:`Gate` and adds the headers to every answer."""

    def __init__(self, app: App, gate: Gate) -> None:
        self.app, self.gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no websockets here

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                present = {name.lower() for name, _ in headers}
                extra = {**HEADERS, "cache-control": "no-store"}
                headers += [(k.encode(), v.encode()) for k, v in extra.items() if k.encode() not in present]
                message = {**message, "headers": headers}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(dressed, *refusal, to_program=scope["path"].startswith("/api/"))
            return
        await self.app(scope, _Limited(receive, most_bytes(scope["path"])), dressed)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason, or None if the request may pass."""
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        gate, path, method = self.gate, scope["path"], scope["method"]
        if headers.get("host", "").lower() not in gate.hosts:
            return 421, "this page is not known under that name; who started it can --allow-host it"
        if method not in SAFE_METHODS and not gate.same_site(headers):
            return 403, "the request comes from another site"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > most_bytes(path):
            return 413, f"more than {most_bytes(path):,} bytes; split it"
        if not path.startswith(OPEN) and not gate.admits(headers):
            if path.startswith("/api/") or method not in SAFE_METHODS:
                return 401, "a token is needed: send it as Authorization: Bearer TOKEN"
            return 303, "/login"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if path.startswith("/api/") and method not in SAFE_METHODS and kind != "application/json":
            return 415, "send JSON, with Content-Type: application/json"
        return None


def most_bytes(path: str) -> int:
    """Size limit of a body, by where it is sent."""
    return MOST_TABLE_BYTES if path.endswith(("/plate", "/measurements")) else MOST_BYTES


class _Limited:
    """Counts what is received: a body without a length must not be longer either."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive, self.most, self.seen = receive, most, 0

    async def __call__(self) -> Message:
        message = await self.receive()
        self.seen += len(message.get("body", b""))
        if self.seen > self.most:
            raise HTTPException(413, f"more than {self.most:,} bytes; split it")
        return message


#: What people see who are refused before there is a page. Under a wrong name the style sheet is refused too.
REFUSAL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not possible - equiwarp</title><link rel="stylesheet" href="/static/page.css"></head>
<body><main><h1>That is not possible</h1><p class="problem banner" role="alert">{reason}</p>
{way_out}</main></body></html>
"""
WAY_OUT = '<p><a class="button" href="/">To the campaigns</a></p>'


async def _refuse(send: Send, status: int, reason: str, to_program: bool) -> None:
    """JSON for programs, a page for people."""
    if to_program:
        headers = [(b"content-type", b"application/json")]
        body = json.dumps({"message": reason, "problems": []}).encode()
    else:
        headers, body = (
            [(b"content-type", b"text/html; charset=utf-8")],
            REFUSAL.format(reason=reason, way_out="" if status == 421 else WAY_OUT).encode(),
        )
    if status == 303:
        headers, body = [(b"location", reason.encode())], b""
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
