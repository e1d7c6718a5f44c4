"""Named random streams."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp._util.seeds import stream


def test_a_stream_is_its_seed_its_purpose_and_its_numbers():
    same = stream(3, "pool", 1).random(5)
    np.testing.assert_array_equal(stream(3, "pool", 1).random(5), same)
    np.testing.assert_array_equal(stream(np.int64(3), "pool", 1).random(5), same)
    for other in (stream(4, "pool", 1), stream(3, "probes", 1), stream(3, "pool", 2), stream(3, "pool")):
        assert not np.allclose(other.random(5), same)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None, True])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with pytest.raises(ValueError, match=r"seed must be a whole number of at least 0, got"):
        stream(seed, "pool")


def test_streams_leave_the_global_generator_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the legacy state is what must not change
    stream(0, "pool").random(100)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
