"""Importing equiwarp is cheap, has no side effects, and leaves the heavy libraries alone."""

from __future__ import annotations

import pytest

import equiwarp as ew
from tests.fresh import fresh

HEAVY = ("scipy.stats", "sklearn", "matplotlib", "sqlalchemy", "torch", "pandas", "fastapi", "distributed")


def test_import_pulls_in_nothing_heavy_and_touches_no_file(tmp_path):
    code = "import sys, json, equiwarp; print(json.dumps(sorted(sys.modules)))"
    loaded = fresh(code, tmp_path)
    assert "equiwarp" in loaded
    assert [m for m in loaded if m.split(".")[0] in ("numpy", "scipy") or m.startswith(HEAVY)] == []
    assert list(tmp_path.iterdir()) == []


def test_describing_a_domain_loads_neither_scipy_stats_nor_a_model(tmp_path):
    code = (
        "import sys, json, equiwarp as ew; ew.Box({'a': (0, 1)}); ew.Sphere(2); ew.strategies();"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert [m for m in fresh(code, tmp_path) if m.startswith(HEAVY)] == []


BOX = "ew.Box({'a': (0, 1), 'b': (0, 1)})"


@pytest.mark.parametrize(
    ("domain", "strategy", "also"),
    [
        (BOX, "equiwarp", ("scipy.spatial",)),
        (BOX, "fps", ("scipy.spatial", "scipy.optimize")),
        (BOX, "lookahead-gp", ("scipy.optimize",)),
        (f"ew.Constrained({BOX}, ['a + b <= 1'])", "fps", ("scipy.spatial",)),
        ("ew.Simplex(['a', 'b', 'c'])", "fps", ("scipy.spatial",)),
    ],
)
def test_a_suggestion_needs_neither_scipy_stats_nor_sklearn_nor_a_database(tmp_path, domain, strategy, also):
    """Nor SciPy's trees and distances, where a few lines of NumPy do: loading them takes longer."""
    code = (
        "import sys, json, os; os.environ['EQUIWARP_CACHE'] = '';"
        f"import equiwarp as ew, numpy as np; domain = {domain};"
        "x = domain.pool(8, np.random.default_rng(0));"
        f"ew.suggest(domain, x, list(range(8)), noise=0.1, strategy={strategy!r});"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert [m for m in fresh(code, tmp_path) if m.startswith((*HEAVY, *also))] == []
    assert list(tmp_path.iterdir()) == []


def test_public_functions_stay_functions_after_their_modules_are_imported(tmp_path):
    code = (
        "import json, equiwarp.engine.algorithm, equiwarp.strategy.base;"
        "import equiwarp as ew;"
        "print(json.dumps([callable(ew.suggest), callable(ew.strategies), len(ew.strategies()) >= 12]))"
    )
    assert fresh(code, tmp_path) == [True, True, True]


def test_every_public_name_resolves_and_a_wrong_one_does_not():
    for name in ew.__all__:
        assert getattr(ew, name) is not None
        assert name in dir(ew)
    with pytest.raises(AttributeError, match="no attribute 'sugest'"):
        _ = ew.sugest


def test_the_registry_has_the_twelve_names_and_is_read_only():
    registry = ew.strategies()
    expected = {"fps", "sobol", "random", "eig", "equalized", "equiwarp", "warp", "kumaraswamy", "nipv"}
    assert set(registry) >= expected | {"epig", "epig-joint", "refit", "neumann"}
    assert all(strategy.name == name and strategy.summary for name, strategy in registry.items())
    with pytest.raises(TypeError):
        registry["mine"] = registry["eig"]


def test_asking_on_the_command_line_loads_no_more_than_it_needs(tmp_path):
    """Loading takes most of its time: what only maps, migrations, tables or the page need stays away."""
    begin = (
        "import equiwarp as ew; box = ew.Box({'a': (0, 1), 'b': (0, 1)});"
        "c = ew.Campaign('c', box, store='a.db', n0=6, noise=0.1, strategy='lookahead-gp');"
        "[c.tell(e.id, e.point['a']) for e in c.ask(6)]; c.close(); print(0)"
    )
    ask = (
        "import sys, json, io, contextlib; from equiwarp.cli import main;"
        "contextlib.redirect_stdout(io.StringIO()).__enter__();"
        "main(['ask', '--store', 'a.db'], standalone_mode=False);"
        "sys.__stdout__.write(json.dumps(sorted(sys.modules)))"
    )
    fresh(begin, tmp_path)
    loaded = fresh(ask, tmp_path)
    assert "equiwarp.strategy.lookahead_gp" in loaded  # it was a choice of the strategy
    others = (
        *(
            "alembic",
            "narwhals",
            "pydantic",
            "scipy.optimize",
            "scipy.spatial",
            "scipy.special",
            "multiprocessing",
        ),
        *("sqlalchemy.orm", "sqlalchemy.dialects.postgresql", "equiwarp.maps.map", "equiwarp.models.average"),
    )
    assert [m for m in loaded if m.startswith((*set(HEAVY) - {"sqlalchemy"}, *others))] == []


def test_a_command_that_ends_does_not_look_for_cycles_among_its_modules(tmp_path):
    code = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count())); import equiwarp.cli"
    assert fresh(code, tmp_path) > 1000


def test_commands_that_choose_and_map_nothing_load_no_linear_algebra(tmp_path):
    """Nor do the first experiments of a campaign, which are points of a sequence."""
    begin = (
        "import equiwarp as ew; c = ew.Campaign('c', ew.Box({'a': (0, 1)}), store='a.db', n0=6, noise=0.1);"
        "c.close(); print(0)"
    )
    commands = ["list", "ask -n 3", "tell 1 2.5", "fail 2 tripped", "amend 1 3.5", "why 1", "status --quick"]
    run = (
        "import sys, json, io, contextlib; from equiwarp.cli import main;"
        "contextlib.redirect_stdout(io.StringIO()).__enter__();"
        f"[main([*words.split(), '--store', 'a.db'], standalone_mode=False) for words in {commands!r}];"
        "sys.__stdout__.write(json.dumps(sorted(sys.modules)))"
    )
    fresh(begin, tmp_path)
    loaded = fresh(run, tmp_path)
    assert "equiwarp.campaign.telling" in loaded
    parts = ("linalg", "optimize", "spatial", "special", "sparse", "stats")
    others = (
        *(f"scipy.{part}" for part in parts),
        "alembic",
        "narwhals",
        "openpyxl",
        "numpy.testing",
        "pydantic",
    )
    assert [m for m in loaded if m.startswith((*set(HEAVY) - {"sqlalchemy"}, *others))] == []
    # What is loaded takes nearly all of their time: 640 modules when this was written, 780 before.
    assert len(loaded) < 700
