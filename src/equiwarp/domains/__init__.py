"""Where one can measure: boxes, mixtures, spheres, lists, constraints, and products of them.

There is one file per domain, and a registry of their kinds.
"""

from equiwarp.domains.base import Domain
from equiwarp.domains.box import Box
from equiwarp.domains.candidates import Candidates
from equiwarp.domains.category import Category
from equiwarp.domains.constrained import Constrained
from equiwarp.domains.parameter import Parameter
from equiwarp.domains.product import Product
from equiwarp.domains.registry import register
from equiwarp.domains.simplex import Simplex
from equiwarp.domains.sphere import Sphere
from equiwarp.domains.view import Array

__all__ = [
    "Array",
    "Box",
    "Candidates",
    "Category",
    "Constrained",
    "Domain",
    "Parameter",
    "Product",
    "Simplex",
    "Sphere",
    "register",
]
