"""An order of a list whose every beginning stands for the whole: a share for every crowd, none twice."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.domains.balanced_order import DEEPEST, balanced_order, leaves


@pytest.mark.parametrize("m", [2, 3, 7, 64, 65, 500])
def test_it_is_a_permutation_and_a_longer_one_only_adds(m):
    tree = leaves(np.random.default_rng(m).random((m, 3)))
    assert sorted(tree) == list(range(m))
    whole = balanced_order(tree, m, np.random.default_rng(1))
    assert sorted(whole) == list(range(m))
    for n in {1, 2, m // 3, m - 1} - {0}:
        np.testing.assert_array_equal(balanced_order(tree, n, np.random.default_rng(1)), whole[:n])
    assert len(balanced_order(tree, m + 9, np.random.default_rng(1))) == m


def test_every_part_of_the_list_has_its_share():
    """The first 2^k entries of 2^K lie in 2^k different branches of the tree, and so do all later blocks."""
    tree = leaves(np.random.default_rng(0).random((256, 2)) ** 3)
    place = np.argsort(tree)
    order = place[balanced_order(tree, 256, np.random.default_rng(5))]
    for k in (1, 2, 8, 32, 128):
        for block in order.reshape(-1, k):
            assert len(set(block * k // 256)) == k


def test_a_crowd_has_its_share_of_a_short_beginning():
    rng = np.random.default_rng(3)
    Z = np.vstack([0.05 * rng.random((950, 4)), rng.random((50, 4))])
    for seed in range(20):
        first = balanced_order(leaves(Z), 20, np.random.default_rng(seed))
        assert (first >= 950).sum() <= 4  # one is the share of the outliers


def test_the_seed_decides_which_entries_come_first():
    tree = leaves(np.random.default_rng(0).random((300, 2)))
    starts = {tuple(balanced_order(tree, 5, np.random.default_rng(seed))) for seed in range(20)}
    assert len(starts) > 12


def test_a_long_list_is_halved_so_often_and_no_more():
    m = (1 << DEEPEST) * 3
    Z = np.random.default_rng(0).random((m, 1))
    tree = leaves(Z)
    assert sorted(tree) == list(range(m))
    order = np.argsort(np.argsort(Z[:, 0]))[tree]
    assert (order // 3 == np.arange(m) // 3).all()  # each part has the three that lie together
