"""``check_domain``: does a domain keep its promises?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidType
from equiwarp.testing.chart_laws import CHART_LAWS
from equiwarp.testing.conformance import Laws, enforce
from equiwarp.testing.domain_laws import DOMAIN_LAWS
from equiwarp.testing.drawing import generator, non_uniformity

#: Points of the independent sampler; 2,000 notice a density that is off by a tenth.
UNIFORM_POINTS = 2000


def check_domain(domain: Domain, uniform: Callable[[int, np.random.Generator], Array] | None = None) -> None:
    """Check that a domain of your own does what the rest of equiwarp relies on.

    The chart must be one-to-one with the unit cube and keep volumes; embedding, membership, sampling,
    tangent, equality and plain data must fit together. Use it in a test or a notebook; it takes a fraction
    of a second and returns nothing if all is well.

    Parameters
    ----------
    domain : Domain
        The domain to check.
    uniform : callable, optional
        ``uniform(n, rng)`` returns n uniform points ``(n, columns)`` of the whole chart, drawn in another
        way than the chart does it: for a sphere, say, Gaussian vectors divided by their lengths. The chart
        must map them to uniform points of the cube. A right chart fails this test with a chance of 1e-4.

    Raises
    ------
    ConformanceError
        If a law does not hold. It is an ``AssertionError``; its message has the law as a sentence, the
        input and the numbers.
    InvalidType
        If it is not a Domain.

    Examples
    --------
    >>> import equiwarp as ew
    >>> from equiwarp.testing import check_domain
    >>> check_domain(ew.Box({"temperature": (20, 90), "pH": (3, 9)}))

    A domain that squeezes its points towards one side is caught:

    >>> class Squeezed(ew.Box):
    ...     def to_cube(self, x, frame=None):
    ...         return super().to_cube(x) ** 0.5
    ...
    ...     def from_cube(self, u, frame=None):
    ...         return super().from_cube(u**2)
    ...
    ...     def embed(self, x):
    ...         return super().to_cube(x)
    ...
    ...     def embed_cube(self, u, frame=None):
    ...         return u**2
    >>> check_domain(Squeezed({"pH": (3, 9)}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    equiwarp.testing.conformance.ConformanceError: Equal volumes of the cube are equal...
      part: Box({'pH': (3, 9)})
      found: frame None, u = ...: the volume element is ..., elsewhere ...
    """
    if not isinstance(domain, Domain):
        raise InvalidType(f"check_domain checks a Domain, got {domain!r}")
    laws: Laws[Domain] = {**CHART_LAWS, **DOMAIN_LAWS}
    if uniform is not None:
        laws = {**laws, "Points drawn uniformly in another way are uniform in the chart.": _agrees(uniform)}
    enforce(laws, domain, repr(domain))


def _agrees(uniform: Callable[[int, np.random.Generator], Array]) -> Callable[[Domain], str | None]:
    return lambda domain: non_uniformity(domain.to_cube(uniform(UNIFORM_POINTS, generator(7))))
