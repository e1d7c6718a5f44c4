"""One constraint: an expression or a Python callable, asked at points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains.cells import TextCells
from equiwarp.domains.expressions import Expression
from equiwarp.domains.view import Array
from equiwarp.exceptions import InvalidInput

Condition = Expression | Callable[[dict[str, Any]], Any]


def holds(condition: Condition, x: Array, domain: TextCells, columnwise: bool = False) -> NDArray[np.bool_]:
    """Whether a condition holds at each point ``(n, columns)``, ``(n,)``.

    A callable gets one point after another as a dict, or all of them as columns if it is columnwise, with
    categories by their names.
    """
    if isinstance(condition, Expression):
        return condition(x)
    if not columnwise:
        return np.fromiter((bool(condition(domain.named(row))) for row in x.tolist()), bool, count=len(x))
    columns: dict[str, Any] = {name: x[:, i] for i, name in enumerate(domain.names)}
    for name, known in domain.categories.items():
        columns[name] = np.array(known)[columns[name].astype(np.intp)]
    answer = np.asarray(condition(columns))
    if answer.shape != (len(x),):
        raise InvalidInput(
            f"{label(condition)} returned shape {answer.shape} for columns of length {len(x)}; "
            "return one truth value per point, or pass columnwise=False"
        )
    return answer.astype(bool)


def label(condition: Condition) -> str:
    """How messages call a condition."""
    if isinstance(condition, Expression):
        return repr(condition.text)
    return f"{getattr(condition, '__qualname__', type(condition).__name__)}()"
