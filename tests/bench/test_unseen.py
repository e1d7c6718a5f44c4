"""The functions held back: known values, and the study that runs them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.functions import unseen
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.studies import unseen_functions
from equiwarp.cli import main

#: Function, point of the unit cube, value there as published or by hand.
KNOWN = (
    (unseen.branin, ((np.pi + 5) / 15, 2.275 / 15), 0.397887),
    (unseen.franke, (0.0, 0.0), 0.766421),
    (unseen.ackley, (0.5, 0.5), 0.0),
    (unseen.rosenbrock, (0.75, 0.75, 0.75), 0.0),
    (unseen.ishigami, (0.75, 0.75, 0.5), 8.0),
    (unseen.michalewicz, (2.20 / np.pi, 1.57 / np.pi), -1.8013),
    (unseen.plane, (0.25, 0.5), 0.75),
    (unseen.peak, (0.3, 0.3), 1.0),
    (unseen.front, (0.5, 0.6), 0.3 * np.sin(2.0)),
)


@pytest.mark.parametrize(("function", "at", "value"), KNOWN)
def test_known_values(function: object, at: tuple[float, ...], value: float) -> None:
    [found] = function(np.array([at]))  # type: ignore[operator]
    assert found == pytest.approx(value, abs=2e-4)


def test_borehole_at_the_middle_of_its_ranges() -> None:
    """By hand: 2 pi T_u (H_u - H_l) / (ln(r/r_w) (1 + 2 L T_u / (ln(r/r_w) r_w^2 K_w) + T_u/T_l))."""
    ln = np.log(25050 / 0.1)
    below = ln * (1 + 2 * 1400 * 89335 / (ln * 0.01 * 10950) + 89335 / 89.55)
    assert unseen.borehole(np.full((1, 8), 0.5))[0] == pytest.approx(2 * np.pi * 89335 * 290 / below)


def test_every_function_of_the_study_is_a_benchmark() -> None:
    for name in unseen_functions.unseen_titles():
        benchmark = find_benchmark(name)
        x = benchmark.domain.sample(64, np.random.default_rng(0))
        assert np.ptp(benchmark(x)) > 0
    assert len(unseen_functions.unseen_titles()) == 12
    assert len(unseen_functions.unseen_jobs(2)) == 12 * 2 * 5


def test_the_command_prints_a_table_for_each_readout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unseen_functions, "UNSEEN_FUNCTIONS", (("plane", 2),))
    monkeypatch.setattr(unseen_functions, "UNSEEN_ARMS", ("sobol", "equiwarp"))
    arguments = ["bench", "unseen", "--seeds", "2", "--rounds", "2", "--workers", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    for readout in ("1nn", "gp-map"):
        assert f"\n{readout}\n" in done.output
    assert done.output.count("| Plane (2D) |") == 2
    assert "±" in done.output
