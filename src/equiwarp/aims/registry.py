"""The kinds of goals, by the word that a campaign file has for them."""

from __future__ import annotations

from equiwarp.aims.goal import Goal
from equiwarp.aims.levels import Above, Below, Between, Near
from equiwarp.aims.weighted import Weight

KINDS: dict[str, type[Goal]] = {
    "near": Near,
    "above": Above,
    "below": Below,
    "between": Between,
    "weight": Weight,
}
