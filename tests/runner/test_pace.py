"""How many experiments are chosen ahead: none where choosing is quick, enough where it is not."""

from __future__ import annotations

import pytest

from equiwarp.runner.judging import JudgingPace
from equiwarp.runner.pace import MOST_AHEAD, Pace


def pace(choosing, experiment):
    found = Pace()
    found.chosen(choosing)
    found.finished(experiment)
    return found


def test_nothing_is_chosen_ahead_before_anything_is_known_or_while_choosing_is_quick():
    assert Pace().stock(64) == (0, 0)
    assert pace(0.05, 600).stock(8) == (0, 0)
    assert pace(0.01, 1).stock(1) == (0, 0)


def test_as_many_are_ready_as_end_while_the_next_are_chosen():
    least, enough = pace(0.5, 1.0).stock(64)  # 32 end in the half second
    assert 32 <= least < enough <= 100
    assert pace(0.4, 1.0).stock(1)[0] == 1
    assert pace(100, 1.0).stock(8) == (8 * MOST_AHEAD // 2, 8 * MOST_AHEAD)


def simulated(workers, seconds, fixed, each):
    """The part of the time that workers are busy in a simulation: a choice of n takes fixed + each n."""
    now, busy, ready, asked = 0.0, 0.0, 0, None
    ends, found = [], Pace()
    for _ in range(200_000):
        ends.sort()
        while ends and ends[0] <= now:
            ends.pop(0)
            found.finished(seconds)
        if asked is not None and asked[0] <= now:
            ready += asked[1]
            found.chosen(asked[2])
            asked = None
        begin = min(ready, workers - len(ends))
        ends += [now + seconds] * begin
        busy, ready = busy + begin * seconds, ready - begin
        least, enough = found.stock(workers)
        free = workers - len(ends)
        if asked is None and ready < free + least:
            n = free + enough - ready
            asked = now + fixed + each * n, n, fixed + each * n
        now = min([asked[0]] if asked else [], default=now + seconds)
        now = min([now, *ends[:1]])
        if now > 60 * seconds:
            break
    return busy / (workers * now)


@pytest.mark.parametrize(
    ("workers", "seconds", "fixed", "each"),
    [(64, 1.0, 0.38, 0.0033), (64, 1.0, 0.1, 0.002), (1, 1.0, 0.4, 0.01), (8, 0.5, 0.2, 0.005)],
)
def test_workers_are_busy_where_choosing_can_keep_up(workers, seconds, fixed, each):
    assert simulated(workers, seconds, fixed, each) > 0.93  # the first two choices make all of them wait


def test_without_choosing_ahead_they_would_not_be():
    class Never(Pace):
        def stock(self, workers):
            return 0, 0

    stock, Pace.stock = Pace.stock, Never.stock
    try:
        assert simulated(64, 1.0, 0.38, 0.0033) < 0.75
    finally:
        Pace.stock = stock


def test_a_map_is_drawn_for_new_values_and_for_a_fifth_of_the_time():
    judging = JudgingPace()
    assert not judging.due(4, now=0)
    assert judging.due(5, now=0)
    judging.begun(5)
    judging.ended(seconds=2.0, now=10.0)
    assert not judging.due(5, now=1000.0)
    assert not judging.due(6, now=17.0)
    assert judging.due(6, now=18.0)
