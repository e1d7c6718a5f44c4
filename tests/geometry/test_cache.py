"""Equalizer tables on disk: found again, never trusted blindly, never needed."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.geometry import cache
from equiwarp.geometry.reference import Reference, cube_table
from equiwarp.gp.kernels import Matern52

REFERENCE = Reference(1, Matern52(0.2), 0.1, 8)
TABLE = cube_table(REFERENCE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EQUIWARP_CACHE", str(tmp_path / "tables"))
    return tmp_path / "tables"


class Counted:
    """A computation that counts how often it is made."""

    def __init__(self):
        self.calls = 0

    def __call__(self, _):
        self.calls += 1
        return TABLE


def test_the_second_process_finds_what_the_first_computed(folder):
    compute = Counted()
    first, second = cache.remember(REFERENCE, compute), cache.remember(REFERENCE, compute)
    assert compute.calls == 1
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1] == second[1]
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    "other",
    [
        Reference(1, Matern52(0.2001), 0.1, 8),
        Reference(1, Matern52(0.2), 0.15, 8),
        Reference(1, Matern52(0.2), 0.1, 11),
        Reference(2, Matern52(0.2), 0.1, 8),
    ],
    ids=["lengthscale", "noise", "size", "dimension"],
)
def test_everything_a_table_depends_on_is_in_its_key(folder, other):
    cache.remember(REFERENCE, lambda _: TABLE)
    assert cache.key_of(other) != cache.key_of(REFERENCE)
    asked = []
    cache.remember(other, lambda wanted: (asked.append(True), cube_table(wanted))[1])
    assert asked
    assert len(list(folder.iterdir())) == 2


def damage_truncate(path):
    path.write_bytes(path.read_bytes()[:60])


def damage_text(path):
    path.write_text("not a table")


def damage_empty(path):
    path.write_bytes(b"")


def damage_foreign(path):
    """A sound file of another key, as after a collision or a copy by hand."""
    with np.load(path) as stored:
        np.savez(path, table=stored["table"], centre=stored["centre"], key=np.array("something else"))


def damage_values(path):
    with np.load(path) as stored:
        table, centre, key = stored["table"].copy(), stored["centre"], stored["key"]
    table[0] = np.nan
    np.savez(path, table=table, centre=centre, key=key)


def damage_shape(path):
    with np.load(path) as stored:
        table, centre, key = stored["table"][:-1], stored["centre"], stored["key"]
    np.savez(path, table=table, centre=centre, key=key)


def damage_number(path):
    """Another number in an otherwise sound file."""
    with np.load(path) as stored:
        content = dict(stored)
    content["table"] = content["table"] * np.linspace(1.0, 1.001, content["table"].size)
    np.savez(path, **content)


def damage_centre(path):
    with np.load(path) as stored:
        content = dict(stored)
    np.savez(path, **{**content, "centre": content["centre"] * 1.01})


def damage_pickle(path):
    """An object array would run code when unpickled; it must not be loaded."""
    np.savez(path, table=np.array([{"a": 1}], dtype=object), centre=np.array(1.0), key=np.array("x"))


@pytest.mark.parametrize(
    "damage",
    [
        damage_truncate,
        damage_text,
        damage_empty,
        damage_foreign,
        damage_values,
        damage_shape,
        damage_number,
        damage_centre,
        damage_pickle,
    ],
)
def test_a_corrupt_or_foreign_file_is_ignored_and_rewritten(folder, damage):
    expected = cache.remember(REFERENCE, lambda _: TABLE)
    (path,) = folder.iterdir()
    damage(path)
    compute = Counted()
    again = cache.remember(REFERENCE, compute)
    assert compute.calls == 1
    np.testing.assert_array_equal(again[0], expected[0])
    cache.remember(REFERENCE, compute)
    assert compute.calls == 1, "the damaged file was not replaced"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EQUIWARP_CACHE", str(tmp_path / "file"))
    compute = Counted()
    cache.remember(REFERENCE, compute)
    assert compute.calls == 1


def test_an_empty_variable_turns_the_cache_off(tmp_path, monkeypatch):
    monkeypatch.setenv("EQUIWARP_CACHE", "")
    assert cache.folder() is None
    compute = Counted()
    cache.remember(REFERENCE, compute)
    cache.remember(REFERENCE, compute)
    assert compute.calls == 2


def test_without_the_variable_it_follows_the_desktop_convention(tmp_path, monkeypatch):
    monkeypatch.delenv("EQUIWARP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "equiwarp"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "equiwarp"


def test_no_temporary_file_is_left_behind(folder):
    cache.remember(REFERENCE, lambda _: TABLE)
    assert [p.suffix for p in folder.iterdir()] == [".npz"]
