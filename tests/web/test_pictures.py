"""Pictures of the page in the docs keep the colours of small marks."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("playwright", reason="pictures are made with a browser")
Image = pytest.importorskip("PIL.Image")


def test_few_colours_keep_those_of_small_marks():
    from tools.page_pictures import few_colours

    down, across = np.mgrid[0:256, 0:256]
    blues = np.stack([across * 0.9, (across + down) / 2.2, 120 + down / 2], axis=2).astype(np.uint8)
    marks = {(20, 20): (255, 176, 0), (90, 200): (209, 36, 106)}  # what would be next, what is to be run
    for (y, x), colour in marks.items():
        blues[y : y + 6, x : x + 6] = colour
    few = np.asarray(few_colours(Image.fromarray(blues)).convert("RGB")).astype(int)
    for (y, x), colour in marks.items():
        assert np.abs(few[y + 2, x + 2] - colour).max() < 16
    assert np.abs(few - blues).mean() < 6
