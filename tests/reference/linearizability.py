"""Is a recorded history of concurrent clients what one client could have done, one call after another?

Every call must seem to happen at one moment between its beginning and its end (Herlihy and Wing 1990). The
search is that of Wing and Gong (1993) with the memory of Lowe (2017), which porcupine uses too: take any call
that began before every other open one ended, see whether the model allows its answer, go on, or come back.
Histories of different experiments are independent, so each is checked on its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

#: The answer of a call that nobody heard: it happened once after its beginning, or never.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Call:
    """A call, its answer, and when it began and ended; the end of an unknown one is infinite."""

    verb: str
    given: Any
    answer: Any
    began: float
    ended: float = math.inf


#: From a state and a call to the next state, or None if the model gives another answer.
Model = Callable[[Hashable, Call], Hashable | None]


def linearizable(calls: Iterable[Call], model: Model, state: Hashable) -> bool:
    """Whether some order of the calls explains all answers."""
    history = sorted(calls, key=lambda call: call.began)
    must = sum(1 << i for i, call in enumerate(history) if call.answer != UNKNOWN)
    seen: set[tuple[int, Hashable]] = set()
    stack: list[tuple[int, Hashable]] = [(0, state)]
    while stack:
        done, now = stack.pop()
        if done & must == must:
            return True
        if (done, now) in seen:
            continue
        seen.add((done, now))
        left = [i for i in range(len(history)) if not done >> i & 1]
        horizon = min(history[i].ended for i in left)
        for i in left:
            if history[i].began <= horizon:
                after = model(now, history[i])
                if after is not None:
                    stack.append((done | 1 << i, after))
    return False


def one_experiment(value: Any, call: Call) -> Any:
    """An experiment that was handed out: the state is its value, ``("none",)`` before there is one."""
    nothing, new = ("none",), (call.given,)
    if call.verb == "read":
        return value if call.answer in (value, UNKNOWN) else None
    if call.verb == "tell":
        allowed, after = value in (nothing, new), new
    elif call.verb == "amend":
        allowed, after = value != nothing, new
    else:  # amend what was seen to be the first of the two
        seen, wanted = call.given
        new = after = (wanted,)
        allowed = value in ((seen,), new)
    if call.answer == UNKNOWN:
        return after if allowed else value
    if call.answer == "ok":
        return after if allowed else None
    return None if allowed else value  # a conflict


def numbers(state: Any, call: Call) -> Any:
    """Ids that are handed out: the state is the last one, and what each key was given."""
    last, keys = state
    known = dict(keys)
    if call.given is not None and call.given in known:
        return state if call.answer in (known[call.given], UNKNOWN) else None
    if call.answer not in (last + 1, UNKNOWN):
        return None
    if call.given is not None:
        known[call.given] = last + 1
    return last + 1, tuple(sorted(known.items()))
