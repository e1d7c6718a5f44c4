"""The mixed and periodic suites: every parameter matters, angles close, and more experiments help."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.bench.functions.catalogue import find_benchmark, mixed_benchmarks


def test_there_are_enough_of_each_kind():
    kinds = [{axis.kind for axis in b.domain.chart_axes} for b in mixed_benchmarks().values()]
    assert sum("categories" in found for found in kinds) >= 4
    assert sum("circle" in found for found in kinds) >= 2


@pytest.mark.parametrize("name", mixed_benchmarks())
def test_every_parameter_matters_and_angles_close(name):
    benchmark = find_benchmark(name)
    domain, rng = benchmark.domain, np.random.default_rng(0)
    x = domain.sample(256, rng)
    y = benchmark(x)
    assert y.std() > 0.1
    for i, axis in enumerate(domain.chart_axes):
        other = x.copy()
        other[:, i] = rng.permutation(x[:, i])
        assert np.abs(benchmark(other) - y).max() > 0.01
        if axis.kind == "circle":
            first, last = x.copy(), x.copy()
            first[:, i], last[:, i] = 0.0, 360.0
            np.testing.assert_allclose(benchmark(first), benchmark(last), atol=1e-9)


def test_a_map_of_a_mixed_function_gets_better():
    benchmark = find_benchmark("reaction-mixed")
    test = benchmark.domain.sample(512, np.random.default_rng(9))
    x = benchmark.domain.sample(benchmark.n0, np.random.default_rng(0))
    errors = []
    for _ in range(2):
        found = ew.build_map(benchmark.domain, x, benchmark(x), noise=0.01).predict(test).mean[:, 0]
        errors.append(np.sqrt(np.mean((found - benchmark(test)) ** 2)))
        more = ew.suggest(benchmark.domain, x, benchmark(x), n=20, strategy="lookahead-gp", noise=0.01).points
        x = np.vstack([x, more])
    assert errors[1] < 0.6 * errors[0]
