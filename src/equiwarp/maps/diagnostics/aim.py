"""An aim that no value has come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from equiwarp.maps.diagnostics.finding import MapFinding

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


def out_of_reach(map: Map) -> Iterator[MapFinding]:
    """Goals at levels that lie beyond all values."""
    aim = map.bound_aim
    if aim is None:
        return
    for goal in aim.goals:
        remark = aim.out_of_reach(goal, map.y)
        if remark:
            advice = "Check level and unit; if they are right, what you aim at may not be in this domain."
            sentence = f"{remark[0].upper()}{remark[1:]}."
            yield MapFinding("aim", aim.responses[aim.column(goal)], sentence, advice)
