"""Ten campaigns of all kinds in one store: what the page has to show well. No model chooses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from equiwarp import Box, Campaign, Candidates, Constrained, Product, Simplex, Sphere, StopRule
from equiwarp.domains import Domain
from equiwarp.spec import CampaignSpec, Response

Point = Mapping[str, Any]


def _kiln(p: Point) -> list[float]:
    u, v = (p["temperature"] - 700) / 500, math.log(p["time"] / 5) / math.log(60)
    return [40 + 35 * math.exp(-(((u - 0.6) / 0.25) ** 2) - ((v - 0.5) / 0.3) ** 2) + 12 * u]


def _mixed(p: Point) -> list[float]:
    t, oil = p["temperature"], p["solvent"] == "oil"
    return [t / 10 + 3 * oil + math.log10(p["time"]), 5 - t / 30 + oil]


def _process(p: Point) -> list[float]:
    turn = math.cos(math.radians(p["angle"]))
    rest = p["flow"] * 2 + (p["catalyst"] == "nickel") * 3 + p["stirrer"] / 200 - p["pressure"] / 4
    return [p["temperature"] / 10 + turn + rest, 50 + p["temperature"] / 5 - p["pressure"] * 3]


def _blend(p: Point) -> list[float]:
    return [100 * p["water"] * p["resin"] + 20 * p["pigment"]]


def _paint(p: Point) -> list[float]:
    return [30 * p["resin"] - 10 * p["water"] + p["temperature"] / 10]


def _antenna(p: Point) -> list[float]:
    return [math.exp(2 * p["x1"]) + p["x2"] * p["x3"]]


def _probe(p: Point) -> list[float]:
    return [p["x1"] + p["frequency"] / 10]


def _alloys(p: Point) -> list[float]:
    return [300 + 40 * p["nickel"] - 3 * (p["chrome"] - 12) ** 2]


def _reactor(p: Point) -> list[float]:
    return [p["temperature"] * p["minutes"] / 100 + p["minutes"] / 5]


def _sweep(p: Point) -> list[float]:
    return [math.sin(p["wavelength"] / 40) * 10 + 20]


def _lists() -> Candidates:
    rng = np.random.default_rng(4)
    rows = {"nickel": rng.uniform(0, 10, 60).round(1), "chrome": rng.uniform(8, 18, 60).round(1)}
    return Candidates(rows)


def kinds() -> list[tuple[CampaignSpec, Callable[[Point], list[float]], int]]:
    """Each campaign with what its bench measures and how many of its first experiments are measured."""
    celsius = {"low": 20, "high": 90, "unit": "°C"}
    minutes = {"low": 1, "high": 100, "scale": "log", "unit": "min"}
    kiln = Box(
        {
            "temperature": {"low": 700, "high": 1200, "unit": "°C"},
            "time": {"low": 5, "high": 300, "scale": "log", "unit": "min"},
        }
    )
    process = Box(
        {
            "temperature": celsius,
            "pressure": {"low": 1, "high": 8, "unit": "bar"},
            "angle": {"low": 0, "high": 360, "unit": "°", "periodic": True},
            "flow": {"low": 0.1, "high": 2.0, "unit": "L/min", "step": 0.1},
            "stirrer": {"levels": [100, 200, 400, 800], "unit": "rpm"},
            "catalyst": ["nickel", "palladium", "none"],
        }
    )
    two = (Response("yield", "%", 0.1), Response("cost", "€", 0.1))
    reactor = Constrained(
        Box({"temperature": celsius, "minutes": {"low": 5, "high": 60, "unit": "min"}}),
        ["temperature * minutes <= 3000"],
    )
    blend = Simplex({"resin": 0.2, "water": 0.1, "pigment": 0.0})
    paint = Product(Simplex({"resin": 0, "water": 0, "pigment": 0}), Box({"temperature": celsius}))
    probe = Product(Sphere(2), Box({"frequency": {"low": 1, "high": 10, "unit": "GHz"}}))
    wave = Box({"wavelength": {"low": 300, "high": 700, "unit": "nm"}})
    solvents = Box({"temperature": celsius, "time": minutes, "solvent": ["water", "oil"]})
    made: list[tuple[str, Domain, tuple[Response, ...], Callable[[Point], list[float]], int]] = [
        ("kiln", kiln, (Response("density", "%", 0.3),), _kiln, 18),
        ("mixed", solvents, two, _mixed, 16),
        ("process", process, (Response("rate", "mol/h", 0.3), Response("purity", "%", 0.5)), _process, 24),
        ("blend", blend, (Response("gloss", "GU", 0.2),), _blend, 12),
        ("paint", paint, (Response("hardness", "N", 0.2),), _paint, 14),
        ("antenna", Sphere(2), (Response("gain", "dBi", 0.1),), _antenna, 14),
        ("probe", probe, (Response("signal", "mV", 0.1),), _probe, 14),
        ("alloys", _lists(), (Response("strength", "MPa", 2.0),), _alloys, 14),
        ("reactor", reactor, (Response("conversion", "%", 0.2),), _reactor, 14),
        ("sweep", wave, (Response("absorbance", "", 0.2),), _sweep, 8),
    ]
    stop = StopRule(error=1.0)
    return [
        (CampaignSpec(name, domain, responses, "sobol", n0=n + 4, stop=stop), bench, n)
        for name, domain, responses, bench, n in made
    ]


def fill(store: str, only: tuple[str, ...] = ()) -> None:
    """Begin all of them, or some, each with three experiments to run and one that failed."""
    for spec, bench, n in kinds():
        if only and spec.name not in only:
            continue
        with Campaign.from_spec(spec, store=store, who="anna") as campaign:
            asked = campaign.ask(n + 4)
            for e in asked[:n]:
                values = bench(e.point)
                if spec.name == "mixed" and e.id == 7:
                    values[0] += 9  # a slip
                campaign.tell(e.id, [round(v, 4) for v in values])
            campaign.tell_failed(asked[n].id, "it tripped")
