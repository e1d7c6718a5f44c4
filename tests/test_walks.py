"""One can follow a piece of work through the house in one sitting: the walks of CONTRIBUTING stay short."""

from __future__ import annotations

import pytest

from tools import packages, walks

#: Most files, and most changes from one file to another. A walk that grows needs a better house, not a
#: larger number here. Those of suggest, ask and map include fits of models, in which likelihood and
#: covariance call each other at every step.
LIMITS = {
    "suggest": (35, 1150),
    "ask": (52, 1400),
    "tell": (15, 42),
    "map": (40, 3800),
    "click": (23, 77),
    "cell": (34, 345),
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return walks.measured(tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("name", LIMITS)
def test_a_walk_stays_short(measured, name):
    files, changes = measured[name]
    most_files, most_changes = LIMITS[name]
    assert len(files) <= most_files, files
    assert changes <= most_changes


def test_contributing_lists_the_walks_as_they_are(measured):
    text = walks.PAGE.read_text(encoding="utf-8").split(walks.BEGIN)[1].split(walks.END)[0]
    assert text.strip() == walks.text_of(measured), "run: python tools/walks.py --write"


def test_the_picture_of_the_packages_is_up_to_date():
    assert packages.PICTURE.read_text(encoding="utf-8") == packages.picture(), "run: python tools/packages.py"


def test_another_import_would_change_the_picture():
    order, found = ["low", "high"], packages.imports()
    assert "high imports low" not in packages.picture()
    found.clear()
    found["exceptions", "_util"] = 1
    assert "exceptions imports _util: 1" in packages.draw(["exceptions", "_util"], found), order
