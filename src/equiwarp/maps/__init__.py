"""The map of a campaign: predictions, their error, a forecast, and when one may stop."""

from equiwarp.maps.map import Map, build_map
from equiwarp.maps.stopping import StopAdvice, StopRule

__all__ = ["Map", "StopAdvice", "StopRule", "build_map"]
