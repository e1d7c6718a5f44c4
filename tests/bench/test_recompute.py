"""The designs of the repository come out again bit for bit; a design that does not is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.storage.packed import pack_designs, read_packed
from equiwarp.bench.storage.recompute import compare_designs, recompute, sample_of
from equiwarp.cli import main

DESIGNS = Path(__file__).parents[2] / "docs" / "results" / "designs"

#: Benchmark, arm label, seed: every criterion, three lengthscales, two to six dimensions and both spheres.
SAMPLE = (
    ("levy-2d", "equiwarp", 0),
    ("gramacy-lee-2d", "lookahead-nn", 3),
    ("zhou-2d", "kumaraswamy", 1),
    ("peaks-2d", "eig@0.5", 0),
    ("beale-2d", "gpcam-gradient", 0),
    ("smooth-box-2d", "random", 2),
    ("hartmann-3d", "equalized", 1),
    ("styblinski-tang-3d", "nipv@2", 0),
    ("smooth-box-3d", "refit", 0),
    ("hartmann-4d", "lookahead-gp", 0),
    ("levy-4d", "epig-joint", 2),
    ("friedman-5d", "warp", 0),
    ("airfoil-5d", "neumann", 0),
    ("levy-5d", "sobol", 1),
    ("levy-3d", "oracle", 0),
    ("hartmann-6d", "equalized", 0),
    ("cap-s2", "equiwarp", 0),
    ("two-caps-s2", "eig@4", 0),
    ("cap-s3", "lookahead-nn", 1),
    ("two-caps-s3", "fps", 0),
)


@pytest.mark.parametrize(("benchmark", "label", "seed"), SAMPLE)
def test_a_stored_design_is_computed_again_to_the_last_bit(benchmark: str, label: str, seed: int) -> None:
    [packed] = [
        one
        for one in read_packed(DESIGNS / f"{benchmark}.npz")
        if (one.label, one.record["seed"]) == (label, seed)
    ]
    found = recompute(packed, 6)
    assert found.distance == 0.0, str(found)


def test_points_outside_the_pool_of_a_sphere_are_the_same_but_for_the_last_bits() -> None:
    [packed] = [
        one
        for one in read_packed(DESIGNS / "two-caps-s3.npz")
        if (one.label, one.record["seed"]) == ("sobol", 0)
    ]
    found = recompute(packed, 20)
    assert found.distance < 1e-15  # 0 on some machines
    assert found.sound


def test_a_difference_in_the_last_bits_is_told_from_another_design() -> None:
    cell = compute(Job("two-caps-s3", "sobol", 0, 3))
    x = cell.x.copy()
    x[-1] = np.nextafter(x[-1], 2)
    found = compare_designs(replace(cell, x=x), cell)
    assert 0.0 < found.distance < 1e-15
    assert found.sound
    assert "the same but for the last bits" in str(found)


def test_a_design_value_or_error_that_differs_is_noticed() -> None:
    cell = compute(Job("levy-2d", "equiwarp", 0, 4))
    assert compare_designs(cell, cell).distance == 0.0
    x = cell.x.copy()
    x[22] = cell.seeded.pool[0]
    moved = compare_designs(replace(cell, x=x), cell)
    assert (moved.first, moved.sound) == (3, False)
    assert "differs from round 3 on" in str(moved)
    y = np.append(cell.y[:-1], cell.y[-1] + 1e-6)
    assert not compare_designs(replace(cell, y=y), cell).sound
    errors = 1.001 * cell.error_1nn
    assert not compare_designs(replace(cell, error_1nn=errors), cell).sound
    assert not compare_designs(replace(cell, error_1nn=errors, x=cell.x + 1e-16), cell).sound


def test_the_sample_has_every_arm_that_is_installed_and_spreads_over_benchmarks() -> None:
    sample = sample_of(DESIGNS, 1)
    arms = {packed.record["arm"] for packed in sample}
    assert {"equiwarp", "lookahead-gp", "oracle", "gpcam-gradient", "random"} <= arms
    assert len({packed.label for packed in sample}) == len(sample)
    assert len({packed.record["benchmark"] for packed in sample}) == 22
    with pytest.raises(ValueError, match="has no cell of these arms"):
        sample_of(DESIGNS, 1, arms=["eigg"])


def test_the_command_ends_with_an_error_where_a_design_does_not_come_out(tmp_path: Path) -> None:
    cell = compute(Job("cap-s2", "fps", 0, 3))
    pack_designs([cell], tmp_path)
    arguments = ["bench", "recompute", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "computed again: 1; the same to the last bit: 1" in done.output
    x = cell.x.copy()
    x[-1] = cell.seeded.pool[0]
    pack_designs([replace(cell, x=x)], tmp_path)
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "1 of 1 designs come out differently" in done.output
