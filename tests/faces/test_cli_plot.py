"""`equiwarp plot`: one figure as a file of the kind that its name says."""

from __future__ import annotations

import pytest

from tests.faces.test_cli_campaign import TOML, Shell

STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def sh(tmp_path, monkeypatch):
    shell = Shell(tmp_path, monkeypatch)
    shell.write("tea.toml", TOML)
    shell("new", "tea.toml")
    shell("ask", "-n", 8, "--csv", "plate.csv")
    for e in shell.json("export"):
        shell("tell", e["id"], f"taste={e['temperature'] / 10}", f"cost={e['minutes']}")
    return shell


@pytest.mark.parametrize(
    "words",
    [
        "map -o m.png",
        "map --axis minutes --axis temperature --response cost -o m.svg",
        "error -o e.pdf",
        "profile --at minutes=2.5 -o p.png",
        "sensitivity --response cost -o s.png",
    ],
)
def test_a_figure_is_written_in_the_form_of_its_name(sh, words):
    name = words.split()[-1]
    assert f"Wrote {name}." in sh("plot", *words.split()).output
    written = (sh.folder / name).read_bytes()
    assert written.startswith(STARTS[name.rpartition(".")[2]])
    assert len(written) < 2_000_000  # it has to go into a paper, or into a mail


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("map -o m.gif", 1, "m.gif: choose a name that ends with .png, .svg, .pdf"),
        ("map --response smell", 1, "there is no response 'smell'; choose from taste, cost"),
        ("map --axis pH", 1, "there is no axis 'pH'; choose from temperature, minutes"),
        ("profile --at pH=3", 1, "there is no axis 'pH'; choose from temperature, minutes"),
        ("profile --at minutes", 2, "--at minutes: write a name and a value, as in --at minutes=60"),
        ("profile --at minutes=long", 1, "--at minutes: 'long' is not a number"),
        ("profile --at minutes=1000", 1, "--at minutes=1000: minutes runs from 1 to 10"),
        ("map --at minutes=2", 1, "--at minutes: the figure runs along temperature, minutes; leave it out"),
        ("error --at minutes=2", 2, "plot error is about all parameters: leave --axis and --at out"),
        ("colours", 2, "'colours' is not one of"),
    ],
)
def test_what_cannot_be_drawn_is_refused(sh, words, code, said):
    assert said in sh("plot", *words.split(), code=code).stderr
    assert not list(sh.folder.glob("*.png"))


def test_without_a_name_the_figure_is_called_after_what_it_shows(sh):
    assert "Wrote profile.png." in sh("plot", "profile").output


MIX = """
name = "paint"
responses = [{name = "gloss"}]
[domain]
type = "product"
constraints = ["resin >= 2 * pigment"]
[[domain.parts]]
type = "simplex"
components = [{name = "resin"}, {name = "water"}, {name = "pigment"}]
total = 100
unit = "%"
[[domain.parts]]
type = "box"
parameters = {oven = {low = 20, high = 60, step = 10}}
"""


def test_profiles_run_through_a_mixture_that_adds_up_and_is_allowed(tmp_path, monkeypatch):
    shell = Shell(tmp_path, monkeypatch)
    shell.write("paint.toml", MIX)
    shell("new", "paint.toml")
    shell("ask", "-n", 8, "--csv", "plate.csv")
    for e in shell.json("export"):
        shell("tell", e["id"], e["resin"] + e["oven"])

    def title(*words):
        said = shell("plot", "profile", *words, "-o", "p.svg").stderr
        return said, (shell.folder / "p.svg").read_text(encoding="utf-8").replace("\n", " ")

    said, drawn = title()
    places = [
        f"resin = {e['resin']:.4g} %, water = {e['water']:.4g} %, pigment = {e['pigment']:.4g} %, "
        f"oven = {e['oven']:.4g}"
        for e in shell.json("export")
    ]
    assert any(place in drawn for place in places)  # a third of each is not allowed
    assert "is not allowed" not in said
    _, drawn = title("--at", "pigment=10", "--at", "water=20", "--at", "oven=42")
    assert "resin = 70 %, water = 20 %, pigment = 10 %, oven = 40" in drawn
    said, drawn = title("--at", "pigment=60")
    assert "resin = 20 %, water = 20 %, pigment = 60 %, oven = 40 is not allowed" in said
    refused = "water = 50 %, pigment = 60 %: that leaves too little for resin"
    assert refused in shell("plot", "profile", "--at", "pigment=60", "--at", "water=50", code=1).stderr
    hold = "--axis oven: the figure runs along resin, water, pigment; hold oven with --at oven=VALUE"
    assert hold in shell("plot", "map", "--axis", "oven", code=1).stderr
