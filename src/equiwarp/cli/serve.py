"""`serve`: the page, on this machine unless told otherwise."""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
import webbrowser
from typing import Any
from urllib.parse import quote

import click

from equiwarp.cli.common import store_option
from equiwarp.exceptions import InvalidInput

#: A token that can be guessed protects nothing.
SHORTEST_TOKEN = 16


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one."
)
@click.option("--token", envvar="EQUIWARP_TOKEN", show_envvar=True, help="What visitors must know.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="Another name that visitors use; repeatable."
)
@click.option("-c", "--campaign", envvar="EQUIWARP_CAMPAIGN", help="Open this one rather than the list.")
@click.option("--browser/--no-browser", default=None, help="Open a browser.  [default: on a terminal]")
@store_option
def serve(
    host: str,
    port: int,
    token: str | None,
    allow_host: tuple[str, ...],
    campaign: str | None,
    browser: bool | None,
    store: str,
) -> None:
    """The page: see the map, take the next experiments, type in the values.

    It listens on this machine alone. Any other address needs a token; without --token one is made and
    printed. The traffic is not encrypted: beyond a network that you trust, put a proxy with TLS before it.

    \b
    Examples:
      equiwarp serve
      equiwarp serve --store furnace.db --port 8765
      equiwarp serve --host 0.0.0.0 --allow-host bench.lab.example
    """
    try:
        from equiwarp.web.app import create_app
        from equiwarp.web.serving import serve as run
    except ModuleNotFoundError as error:
        raise click.UsageError(f"the page needs: pip install 'equiwarp[web]'  ({error})") from None
    from equiwarp.campaign.opening import this_person
    from equiwarp.web.security import Gate, hosts_for

    local = _is_local(host)
    made = token is None and not local
    token = _checked(token, local)
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    gate = Gate(hosts_for([*_names(host, local), *allow_host], port), token)
    app = create_app(store, gate, this_person())
    shown = host if host not in ("0.0.0.0", "::") else socket.gethostname()
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
    path = _path(app, campaign)
    click.echo(f"The page of {app.state.hub.store.name}: {address}{path}")
    sign_in = None if token is None else f"{address}/login#{quote(token)}"
    if sign_in is not None:
        if not local:
            click.echo("Other machines can reach this address, so visitors need the token.", err=True)
        if made:
            click.echo(f"Sign in at {sign_in}")
    click.echo("Stop it with Ctrl-C.", err=True)
    if browser or (browser is None and sys.stdout.isatty()):
        threading.Timer(0.8, webbrowser.open, [sign_in or address + path]).start()
    run(app, listener)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _checked(token: str | None, local: bool) -> str | None:
    from equiwarp.web.security import new_token

    if token is None:
        return None if local else new_token()
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise click.UsageError(
            f"a token needs at least {SHORTEST_TOKEN} plain characters; leave it out to get one"
        )
    return token


def _names(host: str, local: bool) -> list[str]:
    """Names under which visitors may reach this address."""
    if local:
        return ["127.0.0.1", "localhost", "::1", host]
    if host not in ("0.0.0.0", "::"):
        return [host]
    name = socket.gethostname()
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    except OSError:
        found = set()
    return ["127.0.0.1", "localhost", "::1", name, *sorted(found)]


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise InvalidInput(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; "
            "choose another one with --port, or 0 for any that is free"
        ) from None


def _path(app: Any, campaign: str | None) -> str:
    """Where visitors begin: the campaign that was named, the only one, or the list."""
    hub = app.state.hub
    if campaign is None:
        entries = hub.entries()
        return f"/c/{entries[0].id}" if len(entries) == 1 else "/"
    entry = hub.named(campaign)
    if entry is None:
        raise InvalidInput(f"there is no campaign {campaign!r} in {hub.store.name}")
    return f"/c/{entry.id}"
