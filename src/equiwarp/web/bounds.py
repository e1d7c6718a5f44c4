"""Small texts can cost much: what is looked at before a text from the network is parsed.

A parser of TOML needs time and memory that grow with the square of a dotted key's length; nested JSON ends in
the interpreter's own limit. Both are bounded here by one pass over the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

from equiwarp.exceptions import InvalidInput

#: How deep a description may be nested, how many parts a dotted key may have, and letters and keys in all.
MOST_DEPTH, MOST_PARTS, LONGEST_TOML, MOST_KEYS = 32, 8, 200_000, 20_000

_JSON_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
# Nothing is gone back over, and every bracket begins anew: a row of n would take n^2 steps otherwise.
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE)
#: Control characters but for tabs and ends of lines, halves of characters, and what turns the text around
#: it: a name with one of them does not read as it is written.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def require_plain_json(body: bytes) -> None:
    """Refuse JSON that is nested too deeply or has too many keys."""
    bare = _JSON_STRING.sub(b"", body)
    if bare.count(b":") > MOST_KEYS:
        raise InvalidInput(f"more than {MOST_KEYS:,} keys; send a table as CSV text")
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if bracket in b"[{" else -1
        if depth > MOST_DEPTH:
            raise InvalidInput(f"nested more than {MOST_DEPTH} deep; descriptions have a few levels")


def require_plain_toml(text: str) -> None:
    """Refuse a campaign file that would take long to read."""
    if len(text) > LONGEST_TOML:
        raise InvalidInput(
            f"more than {LONGEST_TOML:,} letters; give a list of candidates as a CSV file instead"
        )
    if text.count("=") > MOST_KEYS:
        raise InvalidInput(f"more than {MOST_KEYS:,} keys")
    if _LONG_KEY.search(text):
        raise InvalidInput(f"a key with more than {MOST_PARTS} parts; campaign files need three")


def storable(text: str) -> str:
    """Text that UTF-8 and every database can hold, and that reads as it is written."""
    found = _UNSEEN.search(text)
    if found is not None:
        raise InvalidInput(
            f"the text holds the character U+{ord(found[0]):04X}, which cannot be seen, or cannot be "
            "stored, or turns the text around it; remove it"
        )
    return text


def nameable(text: str) -> str:
    """Text for a name or a unit: storable, on one line."""
    if any(letter in text for letter in "\n\r\t"):
        raise InvalidInput("a name has one line, without tabs")
    return storable(text)


class BoundedRequest(Request):
    """A request whose JSON is looked at before it is parsed."""

    async def json(self) -> Any:
        body = await self.body()
        try:
            require_plain_json(body)
        except InvalidInput as error:  # the route passes on this kind of error only
            raise HTTPException(422, str(error)) from None
        return json.loads(body)


class BoundedRoute(APIRoute):
    """A route that reads JSON with :class:`BoundedRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            return await handler(BoundedRequest(request.scope, request.receive))

        return bounded
