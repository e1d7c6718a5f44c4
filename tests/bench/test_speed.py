"""The speed commands measure, compare and publish; what they would say of a wrong reference is tested too."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from equiwarp.bench.speed import dense, floor, measure, publish, same_points, steady
from equiwarp.bench.speed.peer_times import TIMED_PEERS
from equiwarp.bench.speed.report import SizeReport, SpeedReport
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.cli import main
from equiwarp.engine.configuration import RunConfiguration
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import InvalidInput
from equiwarp.strategy import strategies

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


def size(n: int, steady_ms: float) -> SizeReport:
    times = {"steady": steady_ms, "floor": 2.0, "dense": 40.0, "stateless": 8.0, "dense_beside": 20.0}
    return {
        "dim": 2,
        "n": n,
        "milliseconds": {"equiwarp": times},
        "peers": {"scikit-learn deviation": 12.0, "BoTorch variance": "absent (torch)"},
    }


def report(*sizes: SizeReport) -> SpeedReport:
    return {"machine": "a machine", "versions": {"numpy": "2"}, "sizes": list(sizes)}


def test_a_later_report_replaces_the_same_size_and_nothing_outside_the_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{publish.BEGIN}\nold\n{publish.END}\nafter\n", encoding="utf-8")
    same: SpeedReport = {"same": {"dim": 2, "rounds": 9, "differ": {"eig": 1}}}
    publish.publish([report(size(100, 9.0), size(50, 1.0)), report(size(100, 4.0)), same], page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{publish.BEGIN}\n## Results")
    assert text.endswith(f"{publish.END}\nafter\n")
    assert "|  | N = 50 | N = 100 |" in text
    assert "| `equiwarp` | 1 (0.5) | 4 (2.0) |" in text
    assert "| scikit-learn deviation | 12 | 12 |" in text
    assert "| BoTorch variance | absent (torch) | absent (torch) |" in text
    first, second = (row for row in read_records(tmp_path / publish.DATA) if row["who"] == "equiwarp")
    assert (first["n"], second["n"], second["steady"], second["dense"]) == (50, 100, 4.0, 40.0)
    assert (tmp_path / publish.FIGURE).stat().st_size > 5000
    assert "Of 9 rounds in 2 dimensions" in text
    publish.publish([report(size(100, 4.0))], page)
    assert "N = 50" not in page.read_text(encoding="utf-8")


def test_a_page_without_markers_and_reports_without_a_machine_are_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no markers\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="must have the lines"):
        publish.publish([report()], page)
    with pytest.raises(InvalidInput, match="on which machine"):
        publish.joined([{"sizes": []}])


def test_the_page_of_the_repository_can_be_published_to() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert (text.count(publish.BEGIN), text.count(publish.END)) == (1, 1)


def test_the_fast_path_chooses_as_the_dense_one_and_a_wrong_one_is_noticed() -> None:
    reference = dense.load_dense()
    found = list(same_points.choices(["eig", "equiwarp"], 2, 3, reference))
    assert [(one.strategy, one.round) for one in found] == [
        (s, r) for s in ("eig", "equiwarp") for r in range(3)
    ]
    assert {one.difference for one in found} == {None}

    def wrong(configuration: RunConfiguration, measurements: Measurements) -> int:
        return (reference(configuration, measurements) + 1) % len(configuration.pool)

    assert all(one.difference for one in same_points.choices(["eig"], 2, 2, wrong))


def test_the_command_ends_with_an_error_where_points_differ(tmp_path: Path) -> None:
    path = tmp_path / "same.json"
    command = ["bench", "speed", "same-points", "eig", "--rounds", "2", "--json", str(path)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert json.loads(path.read_text())["same"] == {"dim": 2, "rounds": 2, "differ": {"eig": 0}}
    done = CliRunner().invoke(main, [*command, "--dense", "tests_bench_user:first_of_the_pool"])
    assert done.exit_code == 1
    assert "do not choose the same points" in done.output
    assert json.loads(path.read_text())["same"]["differ"] == {"eig": 2}


def test_a_missing_reference_is_named_with_its_remedy_before_anything_is_measured() -> None:
    done = CliRunner().invoke(main, ["bench", "speed", "run", "--dense", "no_such_module:choose"])
    assert done.exit_code == 1
    assert "no dense reference 'no_such_module:choose'" in done.output
    assert "--dense" in done.output


def test_a_small_run_measures_and_writes(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    command = ["bench", "speed", "run", "--dim", "2", "--n", "20", "--strategy", "eig", "--ours-only"]
    done = CliRunner().invoke(main, [*command, "--budget", "0.01", "--json", str(path)])
    assert done.exit_code == 0, done.output
    assert "D = 2, N = 20: milliseconds" in done.output
    [found] = json.loads(path.read_text())["sizes"]
    assert list(found["milliseconds"]) == ["equiwarp", "eig"]
    assert set(found["milliseconds"]["equiwarp"]) == {"steady", "floor", "dense", "stateless", "dense_beside"}
    assert all(value > 0 for row in found["milliseconds"].values() for value in row.values())
    publish.numbers_text(publish.joined([json.loads(path.read_text())]))


def test_peers_that_are_not_installed_are_said_to_be_absent() -> None:
    found = measure.time_peers(2, 20, sys.executable)
    assert list(found) == list(TIMED_PEERS)
    assert isinstance(found["scikit-learn deviation"], float)
    for value in found.values():
        assert isinstance(value, float) or value.startswith(("absent", "more than")), value


def test_floors_and_dense_references_are_of_strategies_that_exist() -> None:
    assert set(floor.FLOORS) | set(measure.DENSE_STRATEGIES) <= set(strategies())
    for name in floor.FLOORS:
        work = floor.floor_of(steady.SteadyRun.of(name, 2, 20).configuration, 20)
        assert work is not None
        work()
    assert floor.floor_of(steady.SteadyRun.of("sobol", 2, 20).configuration, 20) is None


def test_a_steady_run_grows_by_what_it_suggests() -> None:
    run = steady.SteadyRun.of("equiwarp", 2, 20)
    run.advance()
    run.advance()
    assert run.measurements.x.shape == (22, 2)
    assert (run.measurements.y[-1:] == steady.response(run.measurements.x[-1:])).all()
    pool = {row.tobytes() for row in run.configuration.pool}
    assert all(row.tobytes() in pool for row in run.measurements.x[20:])


def test_works_are_timed_in_turns() -> None:
    order: list[str] = []
    works: dict[str, steady.Work] = {"a": lambda: order.append("a"), "b": lambda: order.append("b")}
    found = steady.side_by_side(works, budget=60.0, most=2)
    assert order == ["a", "b"] * 3, "once to warm up, then in turns"
    assert set(found) == {"a", "b"}
