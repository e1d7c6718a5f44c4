"""Whatever is wrong with the input of a public function, the error is one of ours."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew

BOX = ew.Box({"a": (0, 1), "b": (0, 2)})
X, Y = [[0.1, 0.2], [0.5, 1.0], [0.9, 1.5]], [1.0, 2.0, 3.0]
EIG = ew.strategies()["eig"].criterion
NAN = float("nan")


def suggest(domain=BOX, x=X, y=Y, **options):
    return lambda: ew.suggest(domain, x, y, **options)


def built(domain=BOX, x=X, y=Y, noise=0.1):
    return lambda: ew.build_map(domain, x, y, noise=noise)


def spec(name="a", domain=BOX, **fields):
    return lambda: ew.CampaignSpec(name, domain, **fields)


def made(part, *args, **options):
    return lambda: part(*args, **options)


#: The store's path is relative: every test has a folder of its own.
def campaign(name="c", domain=BOX, **options):
    return lambda: ew.Campaign(name, domain, **{"store": "a.db", **options})


def told(value, **options):
    def tell():
        c = ew.Campaign("c", BOX, store="a.db")
        c.tell(c.ask()[0].id, value, **options)

    return tell


def differs():
    ew.Campaign("c", BOX, store="a.db")
    ew.Campaign("c", ew.Sphere(1), store="a.db")


BAD = {
    "suggest: three columns": suggest(x=[[1, 2, 3]], y=[1]),
    "suggest: text in x": suggest(x=[["a", 2]], y=[1]),
    "suggest: no x": suggest(x=None),
    "suggest: rows of two lengths": suggest(x=[[1, 2], [1]], y=[1, 2]),
    "suggest: outside": suggest(x=[[5, 5]], y=[1]),
    "suggest: a missing column": suggest(x={"a": [1]}, y=[1]),
    "suggest: too few values": suggest(y=[1]),
    "suggest: NaN": suggest(y=[1, NAN, 2]),
    "suggest: no y": suggest(y=None),
    "suggest: n = 0": suggest(n=0),
    "suggest: n = 1.5": suggest(n=1.5),
    "suggest: n = '2'": suggest(n="2"),
    "suggest: more than there is": suggest(n=10**6),
    "suggest: unknown strategy": suggest(strategy="nope"),
    "suggest: a list of strategies": suggest(strategy=["fps"]),
    "suggest: no strategy": suggest(strategy=None),
    "suggest: negative noise": suggest(noise=-1),
    "suggest: noise in words": suggest(noise="low"),
    "suggest: noise of two": suggest(noise=[1, 2]),
    "suggest: seed -1": suggest(seed=-1),
    "suggest: seed in words": suggest(seed="a"),
    "suggest: no seed": suggest(seed=None),
    "suggest: lengthscale 0": suggest(lengthscale=0),
    "suggest: lengthscale in words": suggest(lengthscale="a"),
    "suggest: unknown engine": suggest(engine="fast"),
    "suggest: pending outside": suggest(pending=[[9, 9]]),
    "suggest: a dict as domain": suggest(domain={"a": (0, 1)}),
    "suggest: no domain": suggest(domain=None),
    "suggest: neumann on a sphere": suggest(ew.Sphere(2), [[1, 0, 0]], [1], strategy="neumann"),
    "build_map: no data": built(x=[], y=[]),
    "build_map: infinite": built(y=[1, np.inf, 2]),
    "build_map: negative noise": built(noise=-1),
    "build_map: too few values": built(y=[1]),
    "build_map: a text as domain": built(domain="box"),
    "build_map: text in x": built(x=[["a", "b"]], y=[1]),
    "Map.predict: three columns": lambda: built()().predict([[1, 2, 3]]),
    "Map.predict: words": lambda: built()().predict("x"),
    "Map.forecast: -1": lambda: built()().forecast(-1),
    "Map.forecast: words": lambda: built()().forecast("many"),
    "Campaign: no domain": campaign(domain=None),
    "Campaign: a dict as domain": campaign(domain={"a": (0, 1)}),
    "Campaign: empty name": campaign(""),
    "Campaign: a number as name": campaign(3),
    "Campaign: unknown strategy": campaign(strategy="nope"),
    "Campaign: a number as strategy": campaign(strategy=3),
    "Campaign: n0 = 0": campaign(n0=0),
    "Campaign: n0 in words": campaign(n0="many"),
    "Campaign: seed -1": campaign(seed=-1),
    "Campaign: seed 1.5": campaign(seed=1.5),
    "Campaign: negative noise": campaign(noise=-1),
    "Campaign: noise in words": campaign(noise="low"),
    "Campaign: one response twice": campaign(responses=["y", "y"]),
    "Campaign: a parameter as response": campaign(responses=["a"]),
    "Campaign: a number as responses": campaign(responses=5),
    "Campaign: a folder that is not there": campaign(store="nowhere/a.db"),
    "Campaign: a folder as store": campaign(store="."),
    "Campaign: another kind of store": campaign(store="mysql://x/y"),
    "Campaign: another domain than before": differs,
    "Campaign.ask: 0": lambda: campaign()().ask(0),
    "Campaign.ask: '2'": lambda: campaign()().ask("2"),
    "Campaign.ask: 1.5": lambda: campaign()().ask(1.5),
    "Campaign.tell: unknown id": lambda: campaign()().tell(99, 1.0),
    "Campaign.tell: id in words": lambda: campaign()().tell("x", 1.0),
    "Campaign.tell: a value in words": told("high"),
    "Campaign.tell: NaN": told(NAN),
    "Campaign.tell: nothing": told(None),
    "Campaign.tell: negative noise": told(1.0, noise=-1),
    "Campaign.map: no values": lambda: campaign()().map(),
    "Campaign.experiment: unknown": lambda: campaign()().experiment(99),
    "Box: nothing in it": made(ew.Box, {}),
    "Box: bounds the wrong way round": made(ew.Box, {"a": (1, 0)}),
    "Box: bounds in words": made(ew.Box, {"a": ("x", 1)}),
    "Box: NaN": made(ew.Box, {"a": (0, NAN)}),
    "Box: unknown field": made(ew.Box, {"a": {"low": 0, "high": 1, "stp": 1}}),
    "Box: None": made(ew.Box, None),
    "Box: a number": made(ew.Box, 3),
    "Box: a list of numbers": made(ew.Box, [1, 2]),
    "Box: a text": made(ew.Box, "ab"),
    "Box: one name twice": made(ew.Box, [("a", (0, 1)), ("a", (0, 1))]),
    "Box.unit: 0": made(ew.Box.unit, 0),
    "Box.unit: '2'": made(ew.Box.unit, "2"),
    "Box.unit: 2.5": made(ew.Box.unit, 2.5),
    "Parameter: the wrong way round": made(ew.Parameter, 1, 0),
    "Parameter: words": made(ew.Parameter, "a", 1),
    "Parameter: None": made(ew.Parameter, None, 1),
    "Parameter: unknown scale": made(ew.Parameter, 1, 2, scale="cubic"),
    "Parameter: log of 0": made(ew.Parameter, 0, 2, scale="log"),
    "Parameter: negative step": made(ew.Parameter, 0, 1, step=-1),
    "Parameter: step in words": made(ew.Parameter, 0, 1, step="x"),
    "Parameter: one level": made(ew.Parameter, 0, 1, levels=[0.5]),
    "Parameter: levels in words": made(ew.Parameter, 0, 1, levels=["a", "b"]),
    "Parameter: a level outside": made(ew.Parameter, 0, 1, levels=[0, 3]),
    "Parameter: a number as levels": made(ew.Parameter, 0, 1, levels=3),
    "Simplex: one component": made(ew.Simplex, ["a"]),
    "Simplex: one name twice": made(ew.Simplex, ["a", "a"]),
    "Simplex: bounds above the total": made(ew.Simplex, {"a": 0.9, "b": 0.9}),
    "Simplex: negative total": made(ew.Simplex, ["a", "b"], total=-1),
    "Simplex: total in words": made(ew.Simplex, ["a", "b"], total="x"),
    "Simplex: a bound in words": made(ew.Simplex, {"a": "x", "b": 0}),
    "Simplex: a number": made(ew.Simplex, 3),
    "Simplex: None": made(ew.Simplex, None),
    "Sphere: 0": made(ew.Sphere, 0),
    "Sphere: '2'": made(ew.Sphere, "2"),
    "Sphere: 2.5": made(ew.Sphere, 2.5),
    "Sphere: None": made(ew.Sphere, None),
    "Candidates: one row": made(ew.Candidates, [[1, 2]]),
    "Candidates: NaN": made(ew.Candidates, [[1, 2], [NAN, 3]]),
    "Candidates: rows of two lengths": made(ew.Candidates, [[1, 2], [3]]),
    "Candidates: words": made(ew.Candidates, [["a", 2], ["b", 3]]),
    "Candidates: no columns": made(ew.Candidates, {}),
    "Candidates: columns of two lengths": made(ew.Candidates, {"a": [1, 2], "b": [1]}),
    "Candidates: too few names": made(ew.Candidates, [[1, 2], [3, 4]], ["a"]),
    "Candidates: None": made(ew.Candidates, None),
    "Candidates: a number": made(ew.Candidates, 5),
    "Candidates: a word in a column": made(ew.Candidates, {"a": ["x", 2], "b": [1, 2]}),
    "Candidates: a gap in a column": made(ew.Candidates, {"a": [None, 2], "b": [1, 2]}),
    "Candidates: numbers as columns": made(ew.Candidates, {"a": 1, "b": 2}),
    "Constrained: no constraint": made(ew.Constrained, BOX, []),
    "Constrained: half a sentence": made(ew.Constrained, BOX, ["a +"]),
    "Constrained: unknown name": made(ew.Constrained, BOX, ["c < 1"]),
    "Constrained: impossible": made(ew.Constrained, BOX, ["a > 2"]),
    "Constrained: a number in the list": made(ew.Constrained, BOX, [3]),
    "Constrained: a text as domain": made(ew.Constrained, "box", ["a < 1"]),
    "Constrained: no domain": made(ew.Constrained, None, ["a < 1"]),
    "Constrained: a list": made(ew.Constrained, ew.Candidates([[1, 2], [3, 4]]), ["x1 < 2"]),
    "Constrained: None": made(ew.Constrained, BOX, None),
    "Constrained: a number": made(ew.Constrained, BOX, 5),
    "Constrained: one answer for all": made(ew.Constrained, BOX, [lambda c: True], columnwise=True),
    "CampaignSpec: empty name": spec(""),
    "CampaignSpec: no domain": spec(domain=None),
    "CampaignSpec: a dict as domain": spec(domain={"a": (0, 1)}),
    "CampaignSpec: unknown strategy": spec(strategy="x"),
    "CampaignSpec: no strategy": spec(strategy=None),
    "CampaignSpec: a list of strategies": spec(strategy=["fps"]),
    "CampaignSpec: n0 = -1": spec(n0=-1),
    "CampaignSpec: seed in words": spec(seed="x"),
    "CampaignSpec: no response": spec(responses=()),
    "CampaignSpec: a text as response": spec(responses=("y",)),
    "CampaignSpec: a number as responses": spec(responses=3),
    "CampaignSpec: a number as stop rule": spec(stop=3),
    "CampaignSpec.from_dict: empty": made(ew.CampaignSpec.from_dict, {}),
    "CampaignSpec.from_dict: a list": made(ew.CampaignSpec.from_dict, [1]),
    "CampaignSpec.from_dict: None": made(ew.CampaignSpec.from_dict, None),
    "StopRule: negative": made(ew.StopRule, error=-1),
    "StopRule: NaN": made(ew.StopRule, gain_per_experiment=NAN),
    "StopRule: words": made(ew.StopRule, error="low"),
    # A response is checked with its campaign, which names every mistake at once.
    "Response: negative noise": lambda: spec(responses=(ew.Response("y", noise=-1),))(),
    "Response: noise in words": lambda: spec(responses=(ew.Response("y", noise="x"),))(),
    "Response: empty name": lambda: spec(responses=(ew.Response(""),))(),
    "Response: a number as name": lambda: spec(responses=(ew.Response(3),))(),
    "Strategy: neumann through a warp": made(ew.Strategy, "a", EIG, kernel="neumann", warp="reconstruction"),
    "Strategy: unknown kernel": made(ew.Strategy, "a", EIG, kernel="cosine"),
    "Strategy: unknown warp": made(ew.Strategy, "a", EIG, warp="cosine"),
    "Strategy: unknown rule": made(ew.Strategy, "a", EIG, lengthscale="long"),
    "Strategy: a text as criterion": made(ew.Strategy, "a", "variance"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_an_error_of_ours(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ew.EquiwarpError) as caught:
        BAD[case]()
    assert str(caught.value).strip()
