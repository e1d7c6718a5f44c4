"""Who is at the page, and in which colours: a name and a theme of their own, kept in cookies."""

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


THEME_COOKIE, THEMES = "equiwarp-theme", ("auto", "light", "dark")


def theme_of(request: Request) -> str:
    """The colours that the visitor chose; those of the system if none."""
    chosen = request.cookies.get(THEME_COOKIE, "auto")
    return chosen if chosen in THEMES else "auto"


def remember_theme(response: Response, theme: str) -> None:
    response.set_cookie(THEME_COOKIE, theme, max_age=365 * 86_400, httponly=True, samesite="strict", path="/")
