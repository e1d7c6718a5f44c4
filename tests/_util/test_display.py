"""Notebook displays are registered by plotting and loaded when a notebook asks, not before."""

from __future__ import annotations

import subprocess
import sys

from equiwarp._util.display import html_of


def test_maps_and_campaigns_know_no_pictures_until_a_notebook_asks():
    code = (
        "import sys, equiwarp as ew, equiwarp.campaign\n"
        "m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.1)\n"
        "str(m)\n"
        "early = [n for n in sys.modules if n.startswith(('equiwarp.plotting', 'matplotlib'))]\n"
        "assert not early, early\n"
        "assert '<img' in m._repr_html_()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_has_no_picture_is_shown_as_text():
    assert html_of("a < b") == "<pre>a &lt; b</pre>"
