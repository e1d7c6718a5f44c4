"""Layer 1: where one can measure. Imports nothing of the other layers."""

from equiwarp.domains.base import Array, Domain
from equiwarp.domains.box import Box, Parameter
from equiwarp.domains.sphere import Sphere

__all__ = ["Array", "Box", "Domain", "Parameter", "Sphere"]
