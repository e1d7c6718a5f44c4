"""Small matrices are worked on by one thread, and the threads come back."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (its library has threads of its own)
from threadpoolctl import threadpool_info, threadpool_limits

from equiwarp import Box, build_map
from equiwarp._util.threads import one_thread


def blas_threads():
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


def test_inside_there_is_one_thread_and_afterwards_there_are_as_many_as_before():
    with one_thread():
        with one_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_gives_the_threads_back():
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert blas_threads() == {2}


def test_of_two_that_overlap_neither_keeps_the_limit():
    entered, leave, seen = threading.Event(), threading.Event(), []

    def other():
        with threadpool_limits(2, user_api="blas"), one_thread():
            seen.append(blas_threads())
            entered.set()
            leave.wait(60)

    beside = threading.Thread(target=other)
    with one_thread():
        beside.start()
        entered.wait(60)
    leave.set()
    beside.join()
    assert seen == [{1}]
    assert blas_threads() == {2}


def test_a_map_is_fitted_on_one_thread(monkeypatch):
    seen = []
    from equiwarp.models import fitting

    descend = fitting._descend
    monkeypatch.setattr(fitting, "_descend", lambda *args: (seen.append(blas_threads()), descend(*args))[1])
    x = np.random.default_rng(0).random((12, 2))
    build_map(Box.unit(2), x, np.sin(5 * x[:, 0]), noise=0.1, models=("matern",))
    assert seen
    assert all(threads == {1} for threads in seen)
    assert blas_threads() == {2}
