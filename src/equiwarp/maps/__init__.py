"""The map: predictions, their error, a forecast, and when one may stop."""

from equiwarp.maps.error import ErrorEstimate
from equiwarp.maps.map import Map, build_map
from equiwarp.maps.prediction import Prediction
from equiwarp.maps.stopping import StopAdvice, StopRule

__all__ = ["ErrorEstimate", "Map", "Prediction", "StopAdvice", "StopRule", "build_map"]
