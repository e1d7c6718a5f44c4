"""Strategies of other packages: found by name in a fresh process, and never in anyone's way."""

from __future__ import annotations

import pytest

from tests.fresh import fresh, start

MODULE = """
from equiwarp.strategy import Strategy
from equiwarp.strategy.distance import Distance

mine = Strategy("mine", Distance(), summary="of another package")
twice = Strategy("twice", Distance())
number = 5


def made():
    return Strategy("made", Distance())


def failing():
    raise OSError("no licence")


def leaving():
    raise SystemExit("no display")
"""
ENTRIES = """
[equiwarp.strategies]
mine = some_lab:mine
made = some_lab:made
broken = some_lab_without_this:thing
failing = some_lab:failing
leaving = some_lab:leaving
number = some_lab:number
misnamed = some_lab:mine
twice = some_lab:twice
"""
TOML = """
name = "furnace"
strategy = "{}"
n0 = 2
[domain]
type = "box"
parameters = {{ a = [0, 1] }}
"""


def distribution(folder, name, entries):
    """A package as an installer leaves it: a module and the metadata that announces it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)
    (folder / f"{name}.py").write_text(MODULE)
    return folder


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return distribution(tmp_path_factory.mktemp("site"), "some_lab", ENTRIES)


def test_installed_strategies_are_listed_after_ours_and_broken_ones_are_left_out(lab, tmp_path):
    code = """
import json, equiwarp as ew
names = list(ew.strategies())
print(json.dumps([names[0], names[-3:], len(ew.strategies()) == len(names), ew.strategies()["mine"].summary]))
"""
    assert fresh(code, tmp_path, lab) == ["fps", ["made", "mine", "twice"], True, "of another package"]


def test_an_installed_strategy_serves_suggest_a_campaign_file_and_the_command_line(lab, tmp_path):
    (tmp_path / "furnace.toml").write_text(TOML.format("mine"))
    code = """
import json, equiwarp as ew
box = ew.Box({"a": (0, 1)})
points = [ew.suggest(box, [[0.0], [1.0]], [0, 1], strategy=s).points[0, 0] for s in ("mine", "made", "fps")]
campaign = ew.Campaign.from_spec(ew.CampaignSpec.from_toml("furnace.toml"), store="a.db")
told = [campaign.tell(e.id, 1.0) for e in campaign.ask(2)]
print(json.dumps([points, campaign.ask()[0].why.strategy]))
"""
    points, chosen_by = fresh(code, tmp_path, lab)
    assert points[0] == points[1] == points[2] == pytest.approx(0.5, abs=0.01)
    assert chosen_by == "mine"
    done = start(["-c", "from equiwarp.cli import main; main()", "check", "furnace.toml"], tmp_path, lab)
    assert done.returncode == 0, done.stderr
    assert "strategy mine" in done.stdout


REFUSED = {
    "broken": "MissingPart: strategy 'broken' of the package 'some_lab' cannot be loaded, ModuleNotFound",
    "failing": "MissingPart: strategy 'failing' of the package 'some_lab' cannot be loaded, OSError: no lic",
    "leaving": "MissingPart: strategy 'leaving' of the package 'some_lab' cannot be loaded, SystemExit: no ",
    "number": "MissingPart: strategy 'number' of the package 'some_lab' is 5, not a Strategy",
    "misnamed": "MissingPart: strategy 'misnamed' of the package 'some_lab' calls itself 'mine'",
    "mien": "InvalidInput: unknown strategy 'mien'; choose one of fps, sobol,",
}


def test_a_strategy_that_cannot_be_used_is_reported_when_it_is_named(lab, tmp_path):
    code = f"""
import json, equiwarp as ew
from equiwarp.bench.arms import find_arm
from equiwarp.strategy import find
def error_of(attempt):
    try:
        attempt()
    except ew.EquiwarpError as error:
        return type(error).__name__ + ": " + str(error)
box = ew.Box.unit(1)
print(json.dumps({{
    name: [
        error_of(lambda: find(name)),
        error_of(lambda: ew.CampaignSpec("a", box, strategy=name)),
        error_of(lambda: find_arm(name)),
    ]
    for name in {list(REFUSED)}
}}))
"""
    for name, (alone, in_a_file, as_an_arm) in fresh(code, tmp_path, lab).items():
        assert alone.startswith(REFUSED[name])
        unknown = f"InvalidInput: unknown arm {name!r}"
        assert as_an_arm.startswith(alone if alone.startswith("MissingPart") else unknown)
        assert in_a_file.startswith("SpecError: 1 mistake")
        assert REFUSED[name].split(": ", 1)[1] in in_a_file


def test_a_name_of_ours_is_refused_and_one_name_of_two_packages_too(lab, tmp_path):
    entries = (
        "[equiwarp.strategies]\nfps = other_lab:mine\nlookahead = other_lab:mine\ntwice = other_lab:twice\n"
    )
    other = distribution(tmp_path / "other", "other_lab", entries)
    code = """
import json, warnings, equiwarp as ew
from equiwarp.strategy import find, package_of
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    names = list(ew.strategies())
try:
    find("twice")
except ew.InvalidInput as error:
    twice = str(error)
said = [f"{w.category.__name__}: {w.message}" for w in caught]
ours = find("fps").summary == "farthest point from everything measured"
packages = [package_of(name) for name in ("mine", "fps", "no")]
print(json.dumps([said, twice, ours, "twice" in names, *packages]))
"""
    said, twice, ours, listed, *packages = fresh(code, tmp_path, lab, other)
    assert len(said) == 2
    assert all("EquiwarpWarning: the package 'other_lab' registers" in text for text in said)
    assert "'fps', which is a name of equiwarp's own" in said[0]
    assert twice == "strategy 'twice' is registered by other_lab and some_lab: uninstall all but one"
    assert (ours, listed) == (True, False)
    assert packages == ["some_lab", None, None]


def test_a_name_of_ours_is_found_without_looking_at_other_packages(lab, tmp_path):
    code = """
import importlib.metadata, json


real = importlib.metadata.entry_points
def watched(**chosen):  # pydantic looks for plug-ins of its own
    if chosen.get("group") == "equiwarp.strategies":
        raise AssertionError("other packages were looked at")
    return real(**chosen)
importlib.metadata.entry_points = watched
import equiwarp as ew
from equiwarp.strategy import find
find("equiwarp"), find("lookahead"), ew.strategies()["eig"], "fps" in ew.strategies()
ew.suggest(ew.Box.unit(1), [[0.1], [0.8]], [1, 2], noise=0.1)
ew.Campaign("a", ew.Box.unit(1), store="a.db").ask()
try:
    find("mine")
    noticed = False
except AssertionError:
    noticed = True
print(json.dumps(noticed))
"""
    assert fresh(code, tmp_path, lab) is True
