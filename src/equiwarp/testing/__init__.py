"""Checks that a domain, strategy or map model of your own does what it must.

Each check runs a list of laws and raises :class:`ConformanceError`, an ``AssertionError``, at the first that
does not hold. Our own domains, strategies and models pass the same checks in our tests.
"""

from equiwarp.testing.conformance import ConformanceError
from equiwarp.testing.domain import check_domain
from equiwarp.testing.model import check_model
from equiwarp.testing.strategy import check_strategy

__all__ = ["ConformanceError", "check_domain", "check_model", "check_strategy"]
