"""An aim at the terminal and in the report."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.cli import main
from equiwarp.report.document import report_html

BOX = ew.Box({"temperature": ew.Parameter(20, 90, unit="°C")})


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "f.db"
    with ew.Campaign("furnace", BOX, store=path, responses=[ew.Response("yield", "%", 1.0)]) as c:
        t = np.linspace(20, 90, 9)
        c.add(t[:, None], 100 * np.exp(-(((t - 60) / 20) ** 2)))
    return str(path)


def terminal(*words):
    answer = CliRunner().invoke(main, list(words), catch_exceptions=False)
    return answer.exit_code, answer.output


def test_the_terminal_changes_it_and_says_what_has_become_of_it(store):
    assert (
        terminal("change", "--aim-near", "yield=60", "--aim-weight", "temperature > 30", "--store", store)[0]
        == 0
    )
    with ew.Campaign("furnace", store=store) as c:
        assert c.spec.aim == ew.Aim(near={"yield": 60}, weight="temperature > 30")
        html = report_html(c)
    assert "the contour yield = 60 % is known to within" in html
    code, said = terminal("status", "--store", store)
    assert code == 0
    assert "the contour yield = 60 % is known to within" in said
    assert "along temperature; " in said
    known = json.loads(terminal("status", "--store", store, "--format", "json")[1])
    assert known["aim"]["contours"][0]["level"] == 60
    assert terminal("change", "--aim-between", "40:60", "--store", store)[0] == 0
    with ew.Campaign("furnace", store=store) as c:
        assert c.spec.aim == ew.Aim(between=[40, 60])
    assert terminal("change", "--aim-everywhere", "--store", store)[0] == 0
    assert "contour" not in terminal("status", "--store", store)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--aim-near", "yeild=60"], "did you mean 'yield'"),
        (["--aim-near", "high"], "not a number"),
        (["--aim-between", "40"], "LOW:HIGH"),
        (["--aim-everywhere", "--aim-near", "3"], "no other aim"),
        (["--aim-weight", "temp > 3"], "unknown parameter 'temp'"),
    ],
)
def test_the_terminal_refuses(store, words, said):
    answer = CliRunner().invoke(main, ["change", *words, "--store", store])
    assert answer.exit_code in (1, 2)
    assert said in answer.output
