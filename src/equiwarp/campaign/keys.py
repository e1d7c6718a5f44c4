"""Keys of clients: whoever does not know whether a request got through repeats it under the same key."""

from __future__ import annotations

import hashlib
from typing import Any

from equiwarp.campaign.context import CampaignContext
from equiwarp.exceptions import InvalidInput


def key_token(context: CampaignContext, verb: str, key: Any) -> str:
    """A client's key as the store keeps it; those of other campaigns and other verbs are different."""
    if not isinstance(key, str) or not key:
        raise InvalidInput(f"key must be a text of at least one character, got {key!r}")
    text = f"{verb} {context.store.actor.campaign} {key}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()
