"""The study of priors: published values of its functions, a row, and a page with the table in its place."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.bench.functions import multi_fidelity as pairs
from equiwarp.bench.studies.prior import BEGIN, END, prior_table, run_prior, with_table


def test_the_functions_have_their_published_values():
    assert pairs.forrester(np.array([[0.757249]]))[0] == pytest.approx(-6.02074, abs=1e-5)
    assert pairs.branin(np.array([[np.pi, 2.275], [-np.pi, 12.275]])) == pytest.approx(
        [0.397887] * 2, abs=1e-5
    )
    assert pairs.currin(np.array([[0.216667, 0.0]]))[0] == pytest.approx(13.7987, abs=1e-3)
    assert pairs.park(np.ones((1, 4)))[0] == pytest.approx(25.5893, abs=1e-4)
    for pair in pairs.PAIRS:
        x = pair.domain.sample(50, np.random.default_rng(0))
        together = np.corrcoef(pair.dear(x), pair.cheap(x))[0, 1]
        assert np.isfinite(pair.cheap(x)).all()
        assert (abs(together) < 0.1) == ("wrong" in pair.name), (pair.name, together)


def test_a_run_goes_on_where_it_stopped_and_fills_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr("equiwarp.bench.studies.prior.PAIRS", pairs.PAIRS[:1])
    rows = run_prior(tmp_path / "prior.csv", range(1))
    assert run_prior(tmp_path / "prior.csv", range(1)) == rows
    assert rows[0]["prior"] < 0.1 * rows[0]["nothing"]
    page = with_table(f"before\n{BEGIN}\nold\n{END}\nafter\n", prior_table(rows))
    assert "| Forrester, 1D | 6 |" in page
    assert "old" not in page
    assert page.startswith("before\n")
    with pytest.raises(ew.InvalidInput, match="no place for the table"):
        with_table("nothing", "table")
