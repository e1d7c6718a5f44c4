"""Where a map has to be good: everywhere, near a level, in a region of values, where the user says."""

from equiwarp.aims.aim import Aim
from equiwarp.aims.bound import BoundAim

__all__ = ["Aim", "BoundAim"]
