"""The application: routes, errors, static files, and the gate in front of them."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

import equiwarp
from equiwarp.store import Store
from equiwarp.web import api, api_laboratory, api_views, pages, reports, settings_page, view_pages
from equiwarp.web.clock import tick
from equiwarp.web.errors import EXPECTED, failure_of, status_of
from equiwarp.web.glossary import GLOSSARY, slug
from equiwarp.web.guesses import Guesses
from equiwarp.web.hub import Hub
from equiwarp.web.security import Gate, Guard

HERE = Path(__file__).parent


def create_app(store: str | Path | Store, gate: Gate, who: str = "page") -> FastAPI:
    """The page for a store, behind a gate."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        ticking = asyncio.create_task(tick(app.state.hub.store))
        yield
        ticking.cancel()
        app.state.hub.close()

    app = FastAPI(
        title="equiwarp",
        version=equiwarp.__version__,
        description="Campaigns that map an unknown function with as few experiments as possible.",
        docs_url=None,  # the usual documentation pages load their script from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
    )
    app.state.hub, app.state.gate, app.state.templates = Hub(store, who), gate, _templates()
    app.state.guesses = guesses = Guesses()
    app.include_router(api.router)
    app.include_router(api_laboratory.router)
    app.include_router(reports.router)
    app.include_router(api_views.router)
    app.include_router(view_pages.router)
    app.include_router(settings_page.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_api_route("/vendor/plotly.js", plotly, include_in_schema=False)
    for kind in (RequestValidationError, HTTPException, *EXPECTED):
        app.add_exception_handler(kind, _answer)
    app.add_middleware(GZipMiddleware, compresslevel=5)
    app.add_middleware(Guard, gate=gate, guesses=guesses)
    return app


async def _answer(request: Request, error: Exception) -> Response:
    """Expected trouble: JSON for programs, a page for people."""
    status, failure = status_of(error), failure_of(error)
    if request.url.path.startswith("/api/"):
        return JSONResponse(failure.model_dump(), status_code=status)
    return pages.render(request, "error.html", status, message=failure.message)


def _templates() -> Environment:
    """Everything that is put into a page is escaped, and a missing value is a fault."""
    environment = Environment(
        loader=PackageLoader("equiwarp.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["num"] = _num
    environment.filters["ticks"] = _ticks
    environment.filters["exact"] = lambda value: repr(float(value))
    environment.filters["when"] = _when
    environment.filters["slug"] = slug
    environment.globals["glossary"] = GLOSSARY
    environment.globals["foreign_styles"] = _foreign_styles
    environment.globals["version"] = equiwarp.__version__
    return environment


def _when(text: Any) -> Markup:
    """A time; the script shows it as the reader's clock does."""
    shown = f"{str(text)[:16].replace('T', ' ')} UTC"
    return Markup('<time datetime="{}">{}</time>').format(str(text), shown)


def _num(value: Any) -> str:
    """A number to read: six digits; the name of a category as it is."""
    return "" if value is None else value if isinstance(value, str) else f"{float(value):.6g}"


def _ticks(text: str) -> Markup:
    """A description in which `names` are code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _script() -> bytes:
    return files("plotly").joinpath("package_data").joinpath("plotly.min.js").read_bytes()


@cache
def _plotly() -> bytes:
    return gzip.compress(_script(), 6)


@cache
def _foreign_styles() -> list[str]:
    """Ids of style sheets that plotly would put into the page as text, which the policy forbids.

    They belong to kinds of maps that we do not draw. An element of that id keeps plotly from trying.
    """
    return [id.decode() for id in re.findall(rb'getElementById\("([0-9a-f]{64})"\)', _script())]


@cache
def _plotly_tag() -> str:
    return f'"{hashlib.sha256(_plotly()).hexdigest()[:32]}"'


def plotly(request: Request) -> Response:
    """The script inside the plotly package, packed; nothing at all for those who have it."""
    headers = {"cache-control": "private, max-age=86400", "vary": "accept-encoding", "etag": _plotly_tag()}
    if _plotly_tag() in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    headers["content-encoding"] = "gzip"
    return Response(_plotly(), media_type="text/javascript; charset=utf-8", headers=headers)
