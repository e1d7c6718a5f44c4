"""Parts of a calculation that do not depend on each other: one after the other, or in a thread each.

Linear algebra has threads of its own, and both at once get in each other's way. So threads are used only
within :func:`side_by_side`, by someone who has seen to that. Answers are the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")
_wanted: ContextVar[bool] = ContextVar("side_by_side", default=False)


@contextlib.contextmanager
def side_by_side() -> Iterator[None]:
    """Within it, :func:`each` uses threads."""
    before = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(before)


def each(work: Callable[[Item], Found], items: Iterable[Item]) -> list[Found]:
    """``work(item)`` of every item, in their order."""
    todo = list(items)
    if len(todo) < 2 or not _wanted.get():
        return [work(item) for item in todo]
    with ThreadPoolExecutor(len(todo)) as pool:
        return list(pool.map(work, todo))
