"""Who is at the page: a name that people give themselves, kept in a cookie and recorded with what they do."""

from __future__ import annotations

from urllib.parse import quote, unquote

from fastapi import Request, Response

COOKIE = "equiwarp-who"
LONGEST_NAME = 60


def who_of(request: Request) -> str:
    """The visitor's name; empty if they gave none."""
    name = unquote(request.cookies.get(COOKIE, ""))
    return clean(name)


def clean(name: str) -> str:
    """A name on one line, of a sensible length."""
    return "".join(c for c in name if c.isprintable())[:LONGEST_NAME].strip()


def remember(response: Response, name: str) -> None:
    response.set_cookie(
        COOKIE, quote(clean(name)), max_age=365 * 86_400, httponly=True, samesite="strict", path="/"
    )
