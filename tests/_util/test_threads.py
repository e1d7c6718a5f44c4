"""Small matrices are worked on by one thread, and the threads come back."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (its library has threads of its own)
from threadpoolctl import threadpool_info, threadpool_limits

from equiwarp import Box, build_map
from equiwarp._util import threads
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


def test_a_thread_has_its_limit_although_another_one_had_it_first():
    seen = []

    def other():
        with one_thread():
            seen.append(blas_threads())
        seen.append(blas_threads())

    with one_thread():
        pass
    beside = threading.Thread(target=other)
    beside.start()
    beside.join()
    assert seen == [{1}, {2}]


def test_an_error_gives_the_threads_back():
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert blas_threads() == {2}


def test_of_two_that_overlap_the_second_keeps_its_limit_and_gives_back_what_the_first_found():
    entered, leave, seen = threading.Event(), threading.Event(), []

    def other():
        with one_thread():
            seen.append(blas_threads())
            entered.set()
            leave.wait(60)
            seen.append(blas_threads())

    beside = threading.Thread(target=other)
    with one_thread():
        beside.start()
        entered.wait(60)
    leave.set()
    beside.join()
    assert seen == [{1}, {1}]
    assert blas_threads() == {2}


class Libraries:
    """Stands for libraries that are built in another way: how often their threads were given back."""

    def __init__(self):
        self.restored = 0

    def limit(self, limits):
        assert limits == 1
        return self

    def restore_original_limits(self):
        self.restored += 1


def test_a_number_that_each_thread_has_for_itself_is_given_back_by_each(monkeypatch):
    per_thread, shared = Libraries(), Libraries()
    monkeypatch.setattr(threads, "_libraries", lambda: (per_thread, shared))

    def other():
        with one_thread(), one_thread():
            pass

    with one_thread():
        beside = threading.Thread(target=other)
        beside.start()
        beside.join()
        assert (per_thread.restored, shared.restored) == (1, 0)
    assert (per_thread.restored, shared.restored) == (2, 1)


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
