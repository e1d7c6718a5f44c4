"""`equiwarp demo`: what a newcomer sees first."""

from __future__ import annotations

import re

from click.testing import CliRunner
from PIL import Image

from equiwarp.cli import main


def test_the_demo_compares_three_maps_and_draws_ours(tmp_path):
    picture = tmp_path / "demo.png"
    result = CliRunner().invoke(main, ["demo", "--budget", "32", "--seed", "1", "--out", str(picture)])
    assert result.exit_code == 0, result.output
    errors = re.findall(
        r"^  (equiwarp|farthest point \(FPS\)|plain variance \(EIG\)) +(0\.\d{4})", result.output, re.M
    )
    assert len(errors) == 3
    assert all(0.02 < float(error) < 0.4 for _, error in errors)  # worse than noise, better than guessing
    assert len({error for _, error in errors}) == 3
    with Image.open(picture) as image:
        assert min(image.size) > 300
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100  # a map, not an empty page


def test_a_budget_below_the_start_is_refused_before_anything_is_measured(tmp_path):
    result = CliRunner().invoke(main, ["demo", "--budget", "20", "--out", str(tmp_path / "demo.png")])
    assert result.exit_code == 2
    assert "21<=x<=500" in result.output
    assert not list(tmp_path.iterdir())
