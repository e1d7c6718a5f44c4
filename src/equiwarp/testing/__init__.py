"""Checks that a domain or strategy of your own does what it must.

Each check runs a list of laws and raises :class:`ConformanceError`, an ``AssertionError``, at the first that
does not hold. Our own domains and strategies pass the same checks in our tests.
"""

from equiwarp.testing.conformance import ConformanceError
from equiwarp.testing.domain import check_domain
from equiwarp.testing.strategy import check_strategy

__all__ = ["ConformanceError", "check_domain", "check_strategy"]
