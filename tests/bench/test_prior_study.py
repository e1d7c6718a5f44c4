"""The study of priors: published values of its functions, a row, and a page with the table in its place."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.bench.functions import multi_fidelity as pairs
from equiwarp.bench.functions.random_pairs import KINDS, random_pair, random_pairs
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


@cache
def pairs_of(seed):
    """All pairs of a seed; to draw them takes longer than to look at them."""
    return random_pairs(seed)


@pytest.mark.parametrize("dim", [1, 2, 4])
def test_a_random_pair_is_the_same_today_and_tomorrow_and_goes_together_as_its_kind_says(dim):
    together = {kind: [] for kind in KINDS}
    for seed in range(4):
        for pair in pairs_of(seed):
            if len(pair.bounds) != dim:
                continue
            kind = pair.name.partition(",")[0]
            x = pair.domain.sample(200, np.random.default_rng(1))
            values = pair.cheap(x)
            assert np.isfinite(values).all()
            if seed == 3:  # to draw it anew takes as long as all the rest
                assert np.array_equal(values, random_pair(kind, dim, seed).cheap(x))
            slope = np.column_stack([x, np.ones(len(x))])  # what a straight line explains is no likeness
            rests = [y - slope @ np.linalg.lstsq(slope, y, rcond=None)[0] for y in (values, pair.dear(x))]
            together[kind].append(abs(np.corrcoef(*rests)[0, 1]))
    typical = {kind: np.median(found) for kind, found in together.items()}
    assert typical["scaled"] > 0.999
    assert dim == 1 or typical["unrelated"] < 0.3  # of one parameter, any two smooth curves may look alike
    assert all(typical[kind] > 0.5 for kind in ("shifted", "blurred", "bent", "differing")), typical


def test_a_kind_of_pair_that_nobody_knows_is_refused():
    with pytest.raises(ew.InvalidInput, match="unknown kind of pair 'crooked'; choose one of scaled"):
        random_pair("crooked", 2, 0)
    with pytest.raises(ew.InvalidInput, match="pairs have 1, 2, 4 dimensions, not 3"):
        random_pair("scaled", 3, 0)
