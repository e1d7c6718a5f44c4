"""How many experiments are chosen ahead: none where choosing is quick, enough where it is not."""

from __future__ import annotations

import pytest

from equiwarp.runner.judging import JudgingPace
from equiwarp.runner.pace import MOST_AHEAD, Pace
from tools.run_speed import simulated


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
