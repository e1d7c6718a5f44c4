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
        ("colours", 2, "'colours' is not one of"),
    ],
)
def test_what_cannot_be_drawn_is_refused(sh, words, code, said):
    assert said in sh("plot", *words.split(), code=code).stderr
    assert not list(sh.folder.glob("*.png"))


def test_without_a_name_the_figure_is_called_after_what_it_shows(sh):
    assert "Wrote profile.png." in sh("plot", "profile").output
