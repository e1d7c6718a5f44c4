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
import logging
import re
import secrets
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException

from equiwarp.web.bodies import PIECE, BoundedBody, Message, Receive, too_long
from equiwarp.web.guesses import Guesses

Scope = Message
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: What may be fetched without a token: the login and what it is drawn with. Plotly is not among it.
OPEN = ("/login", "/static/")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
log = logging.getLogger("equiwarp.page")

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

    def __init__(self, app: App, gate: Gate, guesses: Guesses, piece: float = PIECE) -> None:
        self.app, self.gate, self.guesses, self.piece = app, gate, guesses, piece

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no websockets here
        answer = _Answer(send, scope["path"])
        body = BoundedBody(receive, scope["path"], self.piece)
        refusal = self._refusal(scope, body.most)
        if refusal is not None:
            status, reason = refusal
            if status == 401 and _bearer(scope) and not await self.guesses.slow_down(address_of(scope)):
                status, reason = 429, "too many wrong tokens; wait a while"
            if status == 413 and not _expects(scope):
                await body.throw_away()
            await answer.refuse(status, reason)
            return
        try:
            await self.app(scope, body, answer.send)
        except HTTPException as error:  # raised while a body was read outside the routes
            await answer.refuse(error.status_code, str(error.detail))
        except Exception as error:
            log.error("%s %s: %s", scope["method"], scope["path"][:200], in_one_line(error))
            await answer.refuse(
                500, "the server made a mistake, which its log describes; nothing was changed by it"
            )

    def _refusal(self, scope: Scope, most: int) -> tuple[int, str] | None:
        """Status and reason, or None if the request may pass."""
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        gate, path, method = self.gate, scope["path"], scope["method"]
        if headers.get("host", "").lower() not in gate.hosts:
            return 421, "this page is not known under that name; who started it can --allow-host it"
        if method not in SAFE_METHODS and not gate.same_site(headers):
            return 403, "the request comes from another site"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length[:18]) > most:
            return 413, too_long(most)
        if not path.startswith(OPEN) and not gate.admits(headers):
            if path.startswith("/api/") or method not in SAFE_METHODS:
                return 401, "a token is needed: send it as Authorization: Bearer TOKEN"
            return 303, login_address(path, scope.get("query_string", b"").decode("latin-1"))
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if path.startswith("/api/") and method not in SAFE_METHODS and kind != "application/json":
            return 415, "send JSON, with Content-Type: application/json"
        return None


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


#: Answers after which the connection is closed: the client may still be sending.
CLOSING = (408, 413, 429)


class _Answer:
    """The way out: headers on every answer, and refusals as JSON for programs or a page for people."""

    def __init__(self, send: Send, path: str) -> None:
        self._send, self.path, self.begun = send, path, False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = list(message.get("headers", []))
            present = {name.lower() for name, _ in headers}
            # Static files have an ETag: asking whether they changed costs little.
            keep = "no-cache" if self.path.startswith("/static/") else "no-store"
            extra = {**HEADERS, "cache-control": keep}
            if message["status"] in CLOSING:
                extra["connection"] = "close"
            headers += [(k.encode(), v.encode()) for k, v in extra.items() if k.encode() not in present]
            message = {**message, "headers": headers}
        await self._send(message)

    async def refuse(self, status: int, reason: str) -> None:
        """Say no, unless an answer is on its way already."""
        if self.begun:
            return
        headers = [(b"content-type", b"text/html; charset=utf-8")]
        page = REFUSAL.format(reason=escape(reason), way_out="" if status == 421 else WAY_OUT)
        body = page.encode()
        if self.path.startswith("/api/"):
            headers = [(b"content-type", b"application/json")]
            body = json.dumps({"message": reason, "problems": []}).encode()
        if status == 303:
            headers, body = [(b"location", reason.encode())], b""
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if status == 429:
            headers.append((b"retry-after", b"60"))
        headers.append((b"content-length", str(len(body)).encode()))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def login_address(path: str, query: str = "") -> str:
    """Where one signs in to see a page of ours, and what it shows; it leads back there."""
    to = f"{path}?{query}" if query and own_page(f"{path}?{query}") else path
    return f"/login?to={quote(to, safe='/')}" if to != "/" and own_page(to) else "/login"


def own_page(path: str) -> bool:
    """Whether an address is a page of ours: what somebody else made us redirect to might not be."""
    views = r"e/\d{1,16}|profiler|effects|residuals|parallel|settings"
    page = rf"/(new|api|glossary|c/\d{{1,16}}(/({views}))?)?"
    return re.fullmatch(rf"{page}(\?[\w%&=+.,:~*()!'-]{{1,4000}})?", path, re.ASCII) is not None


def address_of(scope: Scope) -> str:
    """Where a request comes from."""
    return str((scope.get("client") or ("unknown",))[0])


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key.lower() == name), b"")


def _bearer(scope: Scope) -> bool:
    return _header(scope, b"authorization").lower().startswith(b"bearer ")


def _expects(scope: Scope) -> bool:
    """Whether the client sends its body only after it was told to go on."""
    return _header(scope, b"expect").lower() == b"100-continue"


def in_one_line(error: Exception) -> str:
    """An error for the log: its kind, its words, and the last places that it passed."""
    places = traceback.extract_tb(error.__traceback__)[-4:]
    way = " < ".join(f"{Path(p.filename).name}:{p.lineno} {p.name}" for p in reversed(places))
    return f"{type(error).__name__}: {' '.join(str(error).split())[:500]} ({way})"
