"""Where one can measure: boxes, mixtures, spheres, lists, constraints.

There is one file per domain, and a registry of their kinds.
"""

from equiwarp.domains.base import Domain
from equiwarp.domains.box import Box
from equiwarp.domains.candidates import Candidates
from equiwarp.domains.constrained import Constrained
from equiwarp.domains.parameter import Parameter
from equiwarp.domains.registry import register
from equiwarp.domains.simplex import Simplex
from equiwarp.domains.sphere import Sphere
from equiwarp.domains.view import Array

__all__ = [
    "Array",
    "Box",
    "Candidates",
    "Constrained",
    "Domain",
    "Parameter",
    "Simplex",
    "Sphere",
    "register",
]
