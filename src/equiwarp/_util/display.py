"""What a notebook shows of our objects: asked for here, drawn in `plotting`.

An object's ``_repr_html_`` calls :func:`html_of`. The pictures are registered by
``equiwarp.plotting.notebook``, which is loaded by its name when a notebook first asks, so that maps and
campaigns need not know of pictures.
"""

from __future__ import annotations

from functools import singledispatch
from html import escape
from importlib import import_module
from typing import Any

#: The module that registers how our objects look.
PICTURES = "equiwarp.plotting.notebook"


def html_of(thing: Any) -> str:
    """HTML of an object, with everything inside and nothing loaded from elsewhere."""
    import_module(PICTURES)
    return drawn(thing)


@singledispatch
def drawn(thing: Any) -> str:
    """The display of one class; what has none is shown as text."""
    return f"<pre>{escape(str(thing))}</pre>"
