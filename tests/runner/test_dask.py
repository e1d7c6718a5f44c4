"""Runs on a Dask cluster: a client as the executor, a worker that is killed, the command line."""

from __future__ import annotations

import functools
import os
import signal
import sys
from importlib import import_module

import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.bench.sweeps.cluster import dask_client
from equiwarp.cli import main
from equiwarp.runner.executors import capacity
from tests.runner import functions
from tests.runner.test_processes import LIMIT, until

distributed = import_module("distributed") if os.environ.get("CI") else pytest.importorskip("distributed")
BOX = ew.Box({"x": (0, 1), "y": (0, 2)})


@pytest.fixture(scope="module")
def client():
    with dask_client(2, 2, None) as found:
        yield found


def test_a_client_and_its_executor_are_executors(client):
    assert capacity(client.get_executor()) == 2
    for executor in (client, client.get_executor()):
        campaign = ew.run(functions.product, BOX, budget=6, executor=executor, strategy="fps", progress=False)
        assert all(e.value == e.point["x"] * e.point["y"] for e in campaign.experiments("done"))
        assert campaign.status().counts["done"] == 6


def test_an_exception_on_a_worker_is_recorded_with_its_traceback(client):
    campaign = ew.run(
        functions.fails_on_the_left, BOX, budget=6, executor=client, strategy="fps", progress=False
    )
    failed = campaign.experiments("failed")
    assert failed
    assert failed[0].reason.startswith("ValueError: no solution")
    assert "in fails_on_the_left" in failed[0].reason


def test_a_killed_workers_experiments_are_computed_by_others(client, tmp_path):
    function = functools.partial(functions.waits_for, folder=tmp_path)
    runner = ew.start_run(function, BOX, budget=5, executor=client, strategy="fps")
    until(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
    victim = next(iter(tmp_path.glob("begun-*"))).name.removeprefix("begun-")
    os.kill(int(victim), signal.SIGKILL)
    (tmp_path / "go").touch()
    campaign = runner.wait(LIMIT)
    assert not runner.running
    assert [e.state for e in campaign.experiments()] == ["done"] * 5


def test_a_cancelled_run_leaves_the_cluster_to_others(client, tmp_path):
    function = functools.partial(functions.waits_for, folder=tmp_path)
    runner = ew.start_run(function, BOX, budget=5, executor=client, strategy="fps")
    until(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
    runner.cancel()
    campaign = runner.wait(LIMIT)
    (tmp_path / "go").touch()  # Dask cannot end a call: it runs to its end, and nobody waits for it
    assert campaign.status().counts["pending"] == 0
    assert client.submit(functions.product, 2, 3).result(LIMIT) == 6


def test_the_command_line_runs_programs_on_a_cluster(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sim.toml").write_text(
        'name = "sim"\nstrategy = "fps"\n[domain]\ntype = "box"\nparameters = {x = [0, 1], y = [0, 2]}\n'
    )
    address = client.scheduler.address
    words = ["run", "sim.toml", "--budget", "4", "--scheduler", address, "--store", "sim.db"]
    words += ["--command", f"{sys.executable} -c 'import sys; print(sys.argv[1])' {{x}} {{y}}"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    campaign = ew.Campaign("sim", store="sim.db")
    assert {e.value == e.point["x"] for e in campaign.experiments("done")} == {True}
    assert len(list((tmp_path / "sim-runs").iterdir())) == 4
