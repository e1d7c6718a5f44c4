"""Layer 1: where one can measure. Imports nothing of the other layers."""

from equiwarp.domains.base import Array, Domain
from equiwarp.domains.box import Box, Parameter
from equiwarp.domains.candidates import Candidates
from equiwarp.domains.constrained import Constrained
from equiwarp.domains.simplex import Simplex
from equiwarp.domains.sphere import Sphere

__all__ = ["Array", "Box", "Candidates", "Constrained", "Domain", "Parameter", "Simplex", "Sphere"]
