"""The paper's figures: they draw, show the stored numbers, cut nothing off, and say what lacks."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from equiwarp.bench.area import area_reduction
from equiwarp.bench.cell import Cell, Job
from equiwarp.bench.figures import (
    FIGURES,
    ar_budget,
    curves,
    lengthscales,
    scores,
    selection_bias,
    sphere_warp,
    warp_anatomy,
    warp_overview,
)
from equiwarp.bench.figures.lengthscales import shares_near_face
from equiwarp.bench.figures.stored_runs import Band, StoredRuns, mean_over_benchmarks, seeds_text
from equiwarp.bench.figures.style import ARM_STYLES, arm_style
from equiwarp.bench.functions.catalogue import benchmarks
from equiwarp.bench.pages.cases_page import ALL_ARMS
from equiwarp.bench.readouts.scoring import keep_trajectory
from equiwarp.bench.storage.csv_records import write_records
from equiwarp.bench.studies.cost import Cost
from equiwarp.bench.studies.lengthscale import CUBE_STUDY, SPHERE_STUDY, LengthscaleStudy
from equiwarp.cli.bench import bench
from equiwarp.exceptions import MissingCells
from equiwarp.strategy import strategies

ROUNDS = 6
SELF_CONTAINED = ("warp-overview", "equalizer", "warp-anatomy", "selection-bias")
#: How fast the error of each arm falls in the made-up cells.
PACE = {"fps": 0.02, "sobol": 0.015, "random": 0.01, "eig": 0.02, "equiwarp": 0.06, "warp": 0.05}


def made_up(benchmark: str, arm: str, seed: int, factor: float = 1.0, rounds: int = ROUNDS) -> Cell:
    """A cell with a real initial design, random further points, and an error that falls at the arm's pace."""
    rng = np.random.default_rng([seed, len(arm), round(100 * factor)])
    spec = benchmarks()[benchmark]
    x = np.concatenate([spec.domain.sample(spec.n0, rng), spec.domain.sample(rounds, rng)])
    decay = np.exp(-PACE.get(arm, 0.03) * np.arange(rounds + 1))
    error = decay * (1 + 0.05 * rng.standard_normal(rounds + 1))
    return Cell(benchmark, arm, factor, seed, rounds, x, np.zeros(len(x)), error, 0.0, {})


def store(root: Path, cell: Cell) -> Cell:
    return cell.save(
        root / Job(cell.benchmark, cell.arm, cell.seed, cell.rounds, cell.lengthscale_factor).place
    )


def fill(root: Path, wanted: set[tuple[str, str, float]], readouts: tuple[str, ...] = ()) -> Path:
    """Store made-up cells of three seeds, and the same numbers as their scores under other readouts."""
    for benchmark, arm, factor in sorted(wanted):
        for seed in range(3):
            cell = store(root, made_up(benchmark, arm, seed, factor))
            for readout in readouts:
                keep_trajectory(cell, readout, cell.error_1nn)
    return root


def swept(study: LengthscaleStudy) -> set[tuple[str, str, float]]:
    """Cells of a study, at three of its factors."""
    factors = study.factors[::2]
    once = {(name, arm, 1.0) for name in study.benchmarks for arm in study.references}
    return once | {(name, arm, f) for name in study.benchmarks for arm in study.arms for f in factors}


@pytest.fixture(scope="module")
def cubes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Main-table cells on every cube, with all readouts."""
    arms = ("fps", "sobol", "eig", "equalized", "equiwarp", "warp")
    names = [name for name, b in benchmarks().items() if not b.sphere]
    wanted = {(name, arm, 1.0) for name in names for arm in arms}
    return fill(tmp_path_factory.mktemp("cubes"), wanted, ("3nn", "5nn", "gp"))


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both lengthscale studies, the arms of the sphere's table, and a cost study."""
    spheres = [name for name, b in benchmarks().items() if b.sphere]
    table = {(name, arm, 1.0) for name in spheres for arm in ("fps", "sobol", "random", "eig", "equiwarp")}
    root = fill(tmp_path_factory.mktemp("sweeps"), swept(CUBE_STUDY) | swept(SPHERE_STUDY) | table)
    costs = [Cost(what, 3, 100, 0.1, 0.01) for what in ("g", "eig", "equalized", "nipv", "epig", "equiwarp")]
    write_records(root / "studies" / "cost.csv", [asdict(c) for c in costs])
    return root


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures saved during a test."""
    seen: list[Figure] = []
    save = Figure.savefig

    def remember(figure: Figure, *args: Any, **kwargs: Any) -> None:
        save(figure, *args, **kwargs)
        seen.append(figure)

    monkeypatch.setattr(Figure, "savefig", remember)
    return seen


@pytest.fixture
def few_designs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few reference designs: the layout does not depend on them."""
    monkeypatch.setattr(scores, "REFERENCE_DESIGNS", 4)
    monkeypatch.setattr(warp_overview, "DESIGNS", 8)
    monkeypatch.setattr(selection_bias, "PROFILED_DESIGNS", 2)


def shown_labels(axis: Any) -> list[Any]:
    """Tick labels within the view: matplotlib keeps a few beyond it and does not draw them."""
    if not axis.axes.axison:
        return []
    low, high = sorted(axis.get_view_interval())
    return [
        tick.label1
        for tick in axis.get_major_ticks()
        if tick.label1.get_visible() and low <= tick.get_loc() <= high
    ]


def misplaced(figure: Figure) -> list[str]:
    """Texts that leave the figure, and panel titles or legends that lie on one another."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    width, height = figure.canvas.get_width_height()
    found = []
    titles = []
    for axes in figure.axes:
        for title in (axes.title, axes._left_title):  # type: ignore[attr-defined]
            if title.get_text():
                titles.append(title)
        ticks = [label for axis in (axes.xaxis, axes.yaxis) for label in shown_labels(axis)]
        for text in [*ticks, axes.xaxis.label, axes.yaxis.label, *axes.texts, *titles]:
            if not (text.get_text() and text.get_visible()):
                continue
            box = text.get_window_extent(renderer)
            if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
                found.append(f"cut off: {text.get_text()!r}")
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in titles]
    boxes += [("legend", legend.get_window_extent(renderer)) for legend in figure.legends]
    for (a, first), (b, second) in combinations(boxes, 2):
        if first.overlaps(second):
            found.append(f"{a!r} lies on {b!r}")
    return found


def test_every_figure_of_the_paper_has_a_name() -> None:
    assert " ".join(FIGURES) == (
        "warp-overview equalizer warp-anatomy sphere-warp sphere-panel cube-lengthscale "
        "ar-budget main-curves selection-bias all-curves readouts"
    )


def test_knowing_the_names_does_not_load_matplotlib() -> None:
    code = "import sys, equiwarp.bench.figures; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("few_designs")
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_draws_and_nothing_is_cut_off(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, drawn: list[Figure]
) -> None:
    needs = "sweeps" if "sphere" in name or "lengthscale" in name else "cubes"
    results = tmp_path if name in SELF_CONTAINED else request.getfixturevalue(needs)
    out = tmp_path / "new" / f"{name}.png"
    FIGURES[name](results, out)
    assert out.read_bytes().startswith(b"\x89PNG")
    (figure,) = drawn
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]  # type: ignore[attr-defined]
    assert pixels.std() > 5
    assert misplaced(figure) == []


def test_the_layout_check_notices_a_cut_title_and_overlap() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = Figure(figsize=(3, 2))
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    left.set_title("a title that is far too long for its panel", loc="left")
    right.set_title("another title that leaves the figure", loc="left")
    figure.canvas.draw()
    problems = misplaced(figure)
    assert any(p.startswith("cut off") for p in problems)
    assert any("lies on" in p for p in problems)


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in SELF_CONTAINED])
def test_a_figure_without_cells_says_which_command_makes_them(name: str, tmp_path: Path) -> None:
    with pytest.raises(MissingCells, match="equiwarp bench run") as error:
        FIGURES[name](tmp_path, tmp_path / "figure.png")
    commands = [line.strip() for line in str(error.value).splitlines() if "bench run" in line]
    for command in commands:
        context = bench.commands["run"].make_context("run", shlex.split(command)[3:])
        assert set(context.params["benchmarks"]) <= set(benchmarks())
        assert set(context.params["arms"]) <= set(strategies())
    assert not (tmp_path / "figure.png").exists()


def test_only_what_lacks_is_asked_for(tmp_path: Path) -> None:
    store(tmp_path, made_up("peaks-2d", "fps", 0))
    runs = StoredRuns.of(tmp_path, ["peaks-2d", "levy-2d"], ["fps", "eig"])
    with pytest.raises(MissingCells) as error:
        runs.require(["peaks-2d", "levy-2d"], ["fps", "eig"], rounds=50)
    text = str(error.value)
    assert f"--benchmarks peaks-2d --arms eig --seeds 10 --rounds 50 --out {tmp_path}" in text
    assert "--benchmarks levy-2d --arms fps,eig" in text


def test_running_reductions_are_the_tables_area_reductions(cubes: Path) -> None:
    runs = StoredRuns.of(cubes, ["peaks-2d"], ["fps", "equiwarp"])
    running = runs.reductions("peaks-2d", "equiwarp")
    for seed, values in running.items():
        ours, fps = (made_up("peaks-2d", arm, seed).error_1nn for arm in ("equiwarp", "fps"))
        expected = [area_reduction(ours, fps, t) for t in range(1, ROUNDS + 1)]
        np.testing.assert_allclose(values, expected)


def test_a_curve_shows_the_mean_over_the_seeds_that_all_arms_have(tmp_path: Path) -> None:
    for arm, seeds in (("fps", (0, 1, 2, 3)), ("eig", (1, 2, 3))):
        for seed in seeds:
            store(tmp_path, made_up("zhou-2d", arm, seed))
    runs = StoredRuns.of(tmp_path, ["zhou-2d"], ["fps", "eig"])
    axes = Figure().subplots()
    assert curves.error_curves(axes, runs, "zhou-2d", ("fps", "eig")) == [3, 3]
    deviation = made_up("zhou-2d", "fps", 0).seeded.deviation
    for line, arm in zip(axes.get_lines(), ("fps", "eig"), strict=True):
        mean = np.mean([made_up("zhou-2d", arm, seed).error_1nn for seed in (1, 2, 3)], axis=0)
        np.testing.assert_allclose(line.get_ydata(), mean / deviation**2)
        assert line.get_label() == ARM_STYLES[arm].label


def test_a_band_is_the_t_interval() -> None:
    from scipy import stats

    rows = np.random.default_rng(2).standard_normal((5, 4))
    band = Band.of(rows)
    low, high = stats.t.interval(0.95, 4, rows.mean(axis=0), stats.sem(rows, axis=0))
    np.testing.assert_allclose(band.mean - band.half, low)
    np.testing.assert_allclose(band.mean + band.half, high)
    assert np.isnan(Band.of(rows[:2]).half).all()
    with pytest.raises(ValueError, match="no seed"):
        Band.of([])


def test_benchmarks_are_averaged_within_shared_seeds() -> None:
    one = {0: np.array([1.0, 2.0]), 1: np.array([3.0, 4.0])}
    two = {1: np.array([5.0, 6.0, 7.0]), 2: np.array([9.0, 9.0, 9.0])}
    band = mean_over_benchmarks([one, two])
    assert band is not None
    np.testing.assert_allclose(band.mean, [4.0, 5.0])
    assert mean_over_benchmarks([{0: np.ones(2)}, {1: np.ones(2)}]) is None


def test_a_sweep_rests_on_the_seeds_that_every_point_has(tmp_path: Path) -> None:
    for seed in (0, 1, 2, 3):
        store(tmp_path, made_up("zhou-2d", "fps", seed))
        store(tmp_path, made_up("zhou-2d", "eig", seed))
    for seed in (1, 2, 3):
        store(tmp_path, made_up("zhou-2d", "eig", seed, 2.0, rounds=4))
    axes = Figure().subplots()
    runs = StoredRuns.of(tmp_path, ["zhou-2d"], ["fps", "eig"])
    assert lengthscales.sweep_panel(axes, runs, ["zhou-2d"], ("eig",), (), 100) == (4, [3])
    drawn = next(line for line in axes.get_lines() if line.get_marker() == ARM_STYLES["eig"].marker)
    expected = [
        np.mean([runs.reductions("zhou-2d", "eig", factor)[seed][3] for seed in (1, 2, 3)])
        for factor in (1.0, 2.0)
    ]
    np.testing.assert_allclose(np.asarray(drawn.get_ydata(), dtype=float), expected)
    np.testing.assert_allclose(np.asarray(drawn.get_xdata(), dtype=float), [1.0, 2.0])


def test_where_only_the_joint_form_of_epig_was_swept_it_is_drawn_under_its_name(tmp_path: Path) -> None:
    for factor in (1.0, 2.0):
        store(tmp_path, made_up("zhou-2d", "epig-joint", 0, factor))
    store(tmp_path, made_up("zhou-2d", "epig", 0))
    runs = StoredRuns.of(tmp_path, ["zhou-2d"], ["epig", "epig-joint"])
    assert lengthscales.drawn_arms(runs, ["zhou-2d"], ("nipv", "epig")) == ("nipv", "epig-joint")
    store(tmp_path, made_up("zhou-2d", "epig", 0, 2.0))
    runs = StoredRuns.of(tmp_path, ["zhou-2d"], ["epig", "epig-joint"])
    assert lengthscales.drawn_arms(runs, ["zhou-2d"], ("nipv", "epig")) == ("nipv", "epig")


def test_a_sweep_without_a_common_seed_is_refused(tmp_path: Path) -> None:
    store(tmp_path, made_up("zhou-2d", "eig", 0))
    store(tmp_path, made_up("zhou-2d", "eig", 1, 2.0))
    for seed in (0, 1):
        store(tmp_path, made_up("zhou-2d", "fps", seed))
    runs = StoredRuns.of(tmp_path, ["zhou-2d"], ["fps", "eig"])
    with pytest.raises(MissingCells, match="no seed of zhou-2d has every arm and lengthscale"):
        lengthscales.sweep_panel(Figure().subplots(), runs, ["zhou-2d"], ("eig",), (), 100)


def test_a_mean_beyond_the_common_range_is_shown_at_its_edge() -> None:
    axes = Figure().subplots()
    axes.plot([1.0, 2.0], [-52.0, 3.0], marker="o")
    lengthscales.fixed_range(axes)
    assert axes.get_ylim() == lengthscales.AR_LIMITS
    assert [text.get_text() for text in axes.texts] == ["-52"]
    np.testing.assert_allclose(axes.get_lines()[-1].get_xydata(), [[1.0, lengthscales.AR_LIMITS[0]]])


def test_the_number_of_seeds_is_said_in_words() -> None:
    assert seeds_text([10, 10]) == "10 seeds"
    assert seeds_text([4, 10]) == "4 to 10 seeds"
    assert seeds_text([1]) == "1 seed (none below 3)"


@pytest.mark.parametrize(("low", "high"), [(0.001, 2.0), (0.3, 0.4), (0.8, 1.7), (0.81, 0.83)])
def test_a_log_axis_has_a_handful_of_ticks(low: float, high: float) -> None:
    ticks = curves.log_ticks(low, high)
    assert 3 <= len(ticks) <= 8
    assert low <= min(ticks) < max(ticks) <= high


def test_every_arm_has_a_look_of_its_own() -> None:
    paper = "fps sobol random eig equalized equiwarp warp kumaraswamy nipv epig refit neumann"
    assert set(paper.split()) <= set(ARM_STYLES)
    looks = {(style.color, str(style.line)) for style in ARM_STYLES.values()}
    assert len(looks) == len(ARM_STYLES)
    assert len({style.marker for style in ARM_STYLES.values()}) == len(ARM_STYLES)
    assert arm_style("module:mine").label == "module:mine"


#: Linear maps of colours to what people without M, L or S cones see (Machado et al. 2009, severity 1).
BLINDNESS = {
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize(
    "arms",
    [curves.DRAWING_ORDER, ar_budget.BUDGET_ARMS, CUBE_STUDY.arms, sphere_warp.OTHER_ARMS, ALL_ARMS],
)
def test_arms_drawn_together_differ_for_the_colour_blind(kind: str, arms: tuple[str, ...]) -> None:
    for a, b in combinations(arms, 2):
        first, second = (np.array(BLINDNESS[kind]) @ to_rgb(ARM_STYLES[arm].color) for arm in (a, b))
        apart = float(np.linalg.norm(first - second))
        assert apart > 0.2 or ARM_STYLES[a].line != ARM_STYLES[b].line, f"{a} and {b} look alike"


def test_the_camera_sees_the_cap_in_front() -> None:
    centre = np.array([1.0, 2.0, 3.0]) / np.sqrt(14)
    frame = sphere_warp.camera(centre)
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert (frame @ centre)[2] == pytest.approx(np.cos(sphere_warp.EYE_TILT))


def test_the_steep_share_of_a_uniform_score_is_the_part_itself() -> None:
    side = 40
    first, _ = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    truth = np.tanh(20 * (first.ravel() - 0.5))
    assert warp_anatomy.steep_share(truth, np.ones(side**2), 0.2) == pytest.approx(0.2, abs=0.03)
    assert warp_anatomy.steep_share(truth, np.gradient(truth.reshape(side, side), axis=1).ravel(), 0.2) > 0.8


def test_the_share_near_a_face() -> None:
    assert shares_near_face(np.array([[0.01, 0.5], [0.5, 0.97], [0.5, 0.5], [0.06, 0.9]])) == 0.5


def test_a_drawn_equalizer_is_one_inside_and_small_at_a_corner() -> None:
    from equiwarp.gp.kernels import Matern52

    points = np.array([[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [0.02, 0.5], [0.5, 0.98]])
    g = scores.precise_equalizer(Matern52(0.22), 0.05, 20, points)
    assert g[0] == 1.0
    assert g[1] == g[2] < 0.4
    assert g[3] == pytest.approx(g[4])
