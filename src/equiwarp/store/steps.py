"""Named points in the life of a change, so that tests can end a process at each of them.

The code calls :func:`reached` where a crash would be most unwelcome. Nothing happens there unless
something has been put into :data:`watchers`.
"""

from __future__ import annotations

from collections.abc import Callable

#: Called with the name of every point that is passed.
watchers: list[Callable[[str], None]] = []


def reached(name: str) -> None:
    """Tell the watchers, if there are any."""
    for watch in watchers:
        watch(name)
