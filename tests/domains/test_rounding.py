"""Settings that people can type: rounded points stay in the domain, near, and as they are once rounded."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.domains.base import place_of
from equiwarp.spec import domain_from_dict, domain_to_dict
from tests.cases import DOMAINS


@pytest.mark.parametrize("name", DOMAINS)
def test_rounding_keeps_points_inside_near_and_as_they_are(name, rng):
    domain = DOMAINS[name]
    x = domain.sample(200, rng)
    before = x.copy()
    rounded = domain.rounded(x)
    np.testing.assert_array_equal(x, before)  # the argument is left alone
    assert domain.contains(rounded).all()
    away = np.abs(domain.embed(rounded) - domain.embed(x)).max()
    assert away <= 1e-3 * np.sqrt(domain.columns)
    np.testing.assert_array_equal(domain.rounded(rounded), rounded)


def digits(value):
    """How many digits one has to type."""
    return len(Decimal(repr(float(value))).normalize().as_tuple().digits)


@pytest.mark.parametrize(
    ("low", "high", "decimals"), [(0, 1, 3), (20, 90, 2), (0, 1e4, -1), (-3, 3e-3 - 3, 6)]
)
def test_a_linear_parameter_is_rounded_to_a_thousandth_of_its_range_or_finer(low, high, decimals, rng):
    box = ew.Box({"a": (low, high)})
    x = box.sample(300, rng)
    np.testing.assert_array_equal(box.rounded(x), np.round(x, decimals))
    assert np.abs(box.rounded(x) - x).max() > 0.4 * 10.0**-decimals


def test_on_a_log_scale_the_share_of_the_value_counts(rng):
    box = ew.Box({"a": {"low": 1e-6, "high": 1e6, "scale": "log"}})
    x = box.sample(500, rng)
    rounded = box.rounded(x)
    away = np.abs(rounded / x - 1).max()
    assert 0.002 < away <= 0.5 * 1e-3 * np.log(1e12)
    assert max(digits(v) for v in rounded[:, 0]) <= 3


def test_a_resolution_is_kept_to(rng):
    box = ew.Box(
        {
            "quarters": ew.Parameter(0.1, 9.9, resolution=0.25),
            "percent": ew.Parameter(1, 1000, scale="log", resolution=0.1),
            "any": ew.Parameter(0, 1, resolution=0),
        }
    )
    x = box.sample(500, rng)
    rounded = box.rounded(x)
    quarters = rounded[:, 0]
    inner = (quarters > 0.1) & (quarters < 9.9)
    np.testing.assert_array_equal(quarters[inner] % 0.25, 0)
    assert {0.25, 0.5, 9.75} <= set(quarters)
    assert np.abs(rounded[:, 1] / x[:, 1] - 1).max() <= 0.05
    assert max(digits(v) for v in rounded[:, 1]) == 2
    np.testing.assert_array_equal(rounded[:, 2], x[:, 2])


def test_steps_levels_and_lists_are_settable_already(rng):
    for name in ("levels", "allowed levels", "candidates"):
        x = DOMAINS[name].sample(20, rng)
        assert DOMAINS[name].rounded(x) is x


@pytest.mark.parametrize("unit", [1e-30, 1e-12, 1.0, 1e12, 1e30])
def test_decimals_are_short_at_every_scale(unit, rng):
    box = ew.Box({"a": (unit, 3 * unit), "b": {"low": unit, "high": 1e3 * unit, "scale": "log"}})
    assert max(digits(v) for v in box.rounded(box.sample(99, rng)).ravel()) <= 4


def test_decimals_are_short_far_from_zero_too(rng):
    box = ew.Box({"a": (1e6, 1e6 + 0.01)})
    assert max(digits(v) for v in box.rounded(box.sample(99, rng)).ravel()) <= 12


MIXTURES = [
    ew.Simplex({"a": 20, "b": 0, "c": 0}, total=100),
    ew.Simplex(list("abcde")),
    ew.Simplex(["a", "b"], 0.3),
]


@pytest.mark.parametrize("mix", MIXTURES, ids=str)
def test_mixtures_add_up(mix, rng):
    rounded = mix.rounded(mix.sample(300, rng))
    np.testing.assert_allclose(rounded.sum(axis=1), mix.total, rtol=1e-12)
    assert max(digits(v) for v in rounded.ravel()) <= 5


def test_a_point_beside_a_constraint_gets_the_digits_that_it_needs(rng):
    strip = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 0.5005", "x1 + x2 >= 0.5"])
    x = strip.sample(300, rng)
    assert not strip.contains(np.round(x, 3)).all()
    rounded = strip.rounded(x)
    assert strip.contains(rounded).all()
    assert max(digits(v) for v in rounded.ravel()) <= 7


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"resolution": -1}, "resolution must lie between 0 and 9, got -1"),
        ({"resolution": 10}, "resolution must lie between 0 and 9, got 10"),
        ({"resolution": "fine"}, "resolution must be a number, got 'fine'"),
        ({"resolution": 2, "scale": "log"}, "on a log scale it is a share of the value, got 2"),
        ({"resolution": 0.1, "step": 1}, "with a step or levels needs no resolution"),
    ],
)
def test_an_impossible_resolution_is_refused(fields, said):
    with pytest.raises(ew.exceptions.InvalidInput, match="a") as caught:
        ew.Box({"a": {"low": 1, "high": 10, **fields}})
    assert said in str(caught.value)


def test_a_resolution_is_described_and_written_down():
    box = ew.Box({"a": ew.Parameter(0, 9, unit="V", resolution=0.25), "b": (0, 1)})
    assert repr(box) == "Box({'a': Parameter(0, 9, unit='V', resolution=0.25), 'b': (0, 1)})"
    assert domain_from_dict(domain_to_dict(box)) == box
    assert [row["kind"] for row in box.describe()] == [
        "linear, any value, rounded to 0.25",
        "linear, any value",
    ]
    log = ew.Box({"a": {"low": 1, "high": 10, "scale": "log", "resolution": 0.02}})
    assert log.describe()[0]["kind"] == "log, any value, rounded to 2 %"


def test_points_that_differ_by_a_rounding_error_are_repeats_of_one_place():
    Z = np.array([[0.3, 1.0], [0.2, 1.0], [0.1 + 0.2, 1.0], [0.3 + 1e-6, 1.0], [0.2, 1.0 - 1e-15]])
    assert Z[0, 0] != Z[2, 0]
    first, second, again, apart, last = place_of(Z).tolist()
    assert (first, second) == (again, last)
    assert len({first, second, apart}) == 3
