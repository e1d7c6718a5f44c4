"""equiwarp: map an unknown function with as few experiments as possible.

>>> import equiwarp as ew
>>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
>>> s = ew.suggest(box, x=[[30, 4], [60, 7]], y=[1.0, 2.5], n=1, noise=0.05)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from equiwarp import exceptions
from equiwarp.exceptions import *  # noqa: F403

if TYPE_CHECKING:
    from equiwarp.aims import Aim
    from equiwarp.campaign import Campaign, Experiment
    from equiwarp.domains import Box, Candidates, Constrained, Domain, Parameter, Product, Simplex, Sphere
    from equiwarp.engine.algorithm import suggest
    from equiwarp.engine.suggestion import Suggestion
    from equiwarp.maps.map import Map, build_map
    from equiwarp.maps.stopping import StopAdvice, StopRule
    from equiwarp.runner.entry import run, start_run
    from equiwarp.runner.handle import Runner
    from equiwarp.runner.progress import RunProgress
    from equiwarp.spec import CampaignSpec, Response
    from equiwarp.strategy import Strategy, strategies

    __version__: str

#: Public names and where they live; imported on first use, so that `import equiwarp` is cheap.
_PUBLIC = {
    "Aim": "equiwarp.aims",
    "Box": "equiwarp.domains",
    "Campaign": "equiwarp.campaign",
    "CampaignSpec": "equiwarp.spec",
    "Candidates": "equiwarp.domains",
    "Constrained": "equiwarp.domains",
    "Domain": "equiwarp.domains",
    "Experiment": "equiwarp.campaign",
    "Map": "equiwarp.maps.map",
    "Parameter": "equiwarp.domains",
    "Product": "equiwarp.domains",
    "Response": "equiwarp.spec",
    "RunProgress": "equiwarp.runner.progress",
    "Runner": "equiwarp.runner.handle",
    "Simplex": "equiwarp.domains",
    "Sphere": "equiwarp.domains",
    "StopAdvice": "equiwarp.maps.stopping",
    "StopRule": "equiwarp.maps.stopping",
    "Strategy": "equiwarp.strategy",
    "Suggestion": "equiwarp.engine.suggestion",
    "build_map": "equiwarp.maps.map",
    "run": "equiwarp.runner.entry",
    "start_run": "equiwarp.runner.entry",
    "strategies": "equiwarp.strategy",
    "suggest": "equiwarp.engine.algorithm",
}

__all__ = [
    "Aim",
    "Box",
    "Campaign",
    "CampaignSpec",
    "Candidates",
    "Constrained",
    "Domain",
    "Experiment",
    "Map",
    "Parameter",
    "Product",
    "Response",
    "RunProgress",
    "Runner",
    "Simplex",
    "Sphere",
    "StopAdvice",
    "StopRule",
    "Strategy",
    "Suggestion",
    "build_map",
    "run",
    "start_run",
    "strategies",
    "suggest",
    *exceptions.__all__,
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # 15 ms that only those pay who ask

        return version("equiwarp")
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'equiwarp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
