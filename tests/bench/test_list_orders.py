"""The study of how lists are begun: its random lists, its orders, and a run that can be resumed."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.cases.crowding import crowding
from equiwarp.bench.functions.random_lists import ENTRIES, KINDS, _ranks, random_list
from equiwarp.bench.pages.list_orders_page import gain_text, less_error
from equiwarp.bench.studies import list_orders
from equiwarp.cli import main
from equiwarp.exceptions import InvalidInput


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 6])
def test_a_random_list_belongs_to_its_seed(kind, dim):
    case, again, other = (random_list(kind, dim, seed) for seed in (1, 1, 2))
    assert case.digest == again.digest != other.digest
    assert ENTRIES // 4 < len(case.domain) <= ENTRIES
    assert case.X.shape == (len(case.domain), dim)
    np.testing.assert_allclose(case.X.min(axis=0), 0.0)
    np.testing.assert_allclose(case.X.max(axis=0), 1.0)
    assert case.Y.std() > 0


def test_some_kinds_crowd_and_others_do_not():
    def mean(kind):
        return np.mean([crowding(random_list(kind, 4, seed).X, 20, 2) for seed in range(3)])

    assert mean("even") + 0.05 < min(mean("clusters"), mean("skewed"))


def test_ranks_are_shared_by_equal_values():
    ranks = _ranks(np.array([[3.0], [1.0], [1.0], [9.0]]))[:, 0]
    assert ranks.tolist() == pytest.approx([2 / 3, 0.5 / 3, 0.5 / 3, 1.0])
    with pytest.raises(InvalidInput, match="unknown kind of list 'gold'; choose one of even"):
        random_list("gold", 2, 0)


@pytest.mark.parametrize("name", list_orders.ORDERS)
def test_an_order_takes_no_entry_twice_and_a_longer_one_only_adds(name):
    Z, order = random_list("clusters", 2, 0).X[:60], list_orders.ORDERS[name]
    whole = order(Z, 60, np.random.default_rng(3))
    assert sorted(whole) == list(range(60))
    np.testing.assert_array_equal(order(Z, 9, np.random.default_rng(3)), whole[:9])


def test_energy_brings_the_distance_to_the_list_down_faster_than_random_entries():
    Z = random_list("clusters", 2, 1).X

    def energy(rows):
        X = Z[rows]
        far = [np.linalg.norm(a[:, None] - b[None], axis=-1).mean() for a, b in ((X, Z), (X, X))]
        return 2 * far[0] - far[1]

    found = {
        name: np.mean([energy(list_orders.ORDERS[name](Z, 12, np.random.default_rng(s))) for s in range(8)])
        for name in ("energy", "balanced", "random")
    }
    assert found["energy"] < found["balanced"] < found["random"]


def test_an_arm_begins_in_one_order_and_aims_in_another():
    case = random_list("skewed", 2, 0)
    [first, *_] = list_orders.judge(case, "random / box", 0)
    [other, *_] = list_orders.judge(case, "box / box", 0)
    assert (first.arm, first.points, other.arm) == ("random / box", 10, "box / box")
    assert first.error != other.error


def test_the_command_resumes_and_writes_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr(list_orders, "STAGES", (10,))
    monkeypatch.setattr(list_orders, "DIMENSIONS", (2,))
    calls = []
    judge = list_orders.judge
    monkeypatch.setattr(list_orders, "judge", lambda *a: calls.append(a[1:]) or judge(*a))
    words = ["bench", "study", "lists", "--out", str(tmp_path), "--seeds", "1", "--arm", "random"]
    words += ["--arm", "balanced / balanced", "--page", str(tmp_path / "page.md")]
    (tmp_path / "notes-lists.md").write_text("What follows.\n", encoding="utf-8")
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert len(calls) == 2 * len(KINDS)
    assert CliRunner().invoke(main, words).exit_code == 0
    assert len(calls) == 2 * len(KINDS)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| `balanced / balanced` |" in page
    assert "What follows." in page


def test_gains_are_against_random_choice_of_the_same_list():
    def record(case, arm, error):
        return {"case": case, "seed": 0, "arm": arm, "points": 20, "error": error}

    records = [record("a", "random", 0.4), record("a", "box / box", 0.2), record("b", "box / box", 0.1)]
    logs = less_error(records, "box / box", 20)
    assert logs == pytest.approx([np.log(2)])
    assert less_error(records, "random", 20, "box / box") == pytest.approx([-np.log(2)])
    assert gain_text(logs) == "50"
    assert gain_text([np.log(2), np.log(0.5)]) == "0 ± 69"
    assert gain_text([]) == "–"
