"""Where data and model disagree, in sentences: one file a finding."""

from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.survey import diagnose

__all__ = ["MapFinding", "diagnose"]
