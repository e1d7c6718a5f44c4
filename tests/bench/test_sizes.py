"""The table of large stores: commands are really run, and numbers stand where they belong."""

from __future__ import annotations

import pytest

from equiwarp.bench.speed.cold import cold_text, measure_cold
from equiwarp.bench.speed.size_cells import Needed, SizeCells, StoreSize
from equiwarp.bench.speed.sizes import (
    BEGIN,
    COMMANDS,
    END,
    MAP_COMMANDS,
    measure_commands,
    put_on_page,
    table_text,
)
from equiwarp.cli import COMMANDS as ALL_COMMANDS
from equiwarp.exceptions import InvalidInput

SMALL = StoreSize(n=30, dim=2, pending=5, campaigns=2)


def test_commands_are_run_on_a_store_of_that_size():
    (told,) = measure_commands(SMALL, ["tell {id} 1.5"])
    assert told.command == "tell {id} 1.5"
    assert told.seconds > 0
    assert 20 < told.mebibytes < 400


def test_a_command_that_fails_is_no_number():
    with pytest.raises(InvalidInput, match="no experiment"):
        list(measure_commands(SMALL, ["tell 999 1.5"]))


def test_a_command_that_takes_too_long_is_ended():
    (ended,) = measure_commands(SMALL, ["map"], longest=0.01)
    assert ended.seconds is None


def test_what_was_measured_is_not_measured_again(tmp_path):
    path = tmp_path / "cells.csv"
    known, ended = Needed("list", 0.125, 58.5), Needed("doctor", None, 60.0)
    for needed in (known, ended):
        SizeCells(path).put(SMALL, needed)
    found = list(measure_commands(SMALL, ["list", "doctor"], cells=SizeCells(path)))
    assert found == [known, ended]  # no command was run: the numbers are those of the file
    (other,) = measure_commands(StoreSize(3, 2, 5, 1), ["list"], cells=SizeCells(path))
    assert other.seconds not in (None, known.seconds)
    assert SizeCells(path).get(StoreSize(3, 2, 5, 1), "list") == other
    assert SizeCells(path).get(SMALL, "list") == known


def test_the_table_has_a_row_for_each_command_and_a_pair_of_columns_for_each_size(tmp_path):
    sizes = [StoreSize(10), StoreSize(1000)]
    rows = {"tell {id} 1": [Needed("", 0.5, 60.2), Needed("", None, 100.0)]}
    text = table_text(sizes, rows, 900)
    assert "| command | N = 10: s | MiB | N = 1,000: s | MiB |" in text
    assert "| `tell ID 1` | 0.50 | 60 | more than 900 | 100 |" in text
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put_on_page(text, page)
    put_on_page(text, page)
    assert page.read_text() == f"before\n{text}\nafter\n"
    page.write_text("no markers")
    with pytest.raises(InvalidInput, match="once each"):
        put_on_page(text, page)


def test_a_first_ask_is_measured_in_the_start_and_after_it():
    found = measure_cold(["fps"], 1)
    assert list(found) == ["loading the libraries", "`ask`, `fps`, in the start", "`ask`, `fps`, after it"]
    assert all(seconds > 0 for seconds in found.values())
    assert "| `ask`, `fps`, in the start | 0.51 |" in cold_text({"`ask`, `fps`, in the start": 0.512}, 1)


def test_every_command_for_a_store_is_in_the_table():
    elsewhere = {"init", "check", "new", "serve", "demo", "bench", "run", "plot"}  # plot: as map
    elsewhere |= {"abandon", "withdraw", "undo", "note", "claim", "renew", "repeat"}  # as fail and ask
    elsewhere |= {"rename", "widen", "change"}  # rare
    elsewhere |= {"backup", "restore", "verify", "archive", "import"}  # they copy the file
    assert {command.split()[0] for command in (*COMMANDS, *MAP_COMMANDS)} >= set(ALL_COMMANDS) - elsewhere
