"""The dense reference: a plain implementation of the same round, to compare with in time and in choices.

It is named as ``module:function``, because the one that this project has is an oracle of its tests and no
part of the package. The function takes a run configuration and measurements and returns a row of the pool.
"""

from __future__ import annotations

from collections.abc import Callable

from equiwarp.bench.loading import load_object
from equiwarp.engine.configuration import RunConfiguration
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import InvalidInput

#: Found when the command runs at the top of a checkout.
DENSE = "tests.reference.dense:dense_choose"

DenseChoose = Callable[[RunConfiguration, Measurements], int]


def load_dense(path: str = DENSE) -> DenseChoose:
    """The dense reference by its name; a plain word where it is missing."""
    try:
        found: DenseChoose = load_object(path)
    except InvalidInput as error:
        raise InvalidInput(
            f"no dense reference {path!r}: run at the top of a checkout of equiwarp, or give --dense "
            f"module:function ({error})"
        ) from error
    return found
