"""``check_domain`` rejects what it should reject: at least one wrong domain for each of its laws."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.domains.chart import CIRCLE, INTERVAL
from equiwarp.testing import ConformanceError, check_domain
from equiwarp.testing.chart_laws import CHART_LAWS
from equiwarp.testing.domain_laws import DOMAIN_LAWS

LAWS = (*CHART_LAWS, *DOMAIN_LAWS)


class FlatEmbedding(ew.Box):
    def embed(self, x):
        return self.to_cube(x)[:, 0]


class ChangesItsInput(ew.Box):
    def to_cube(self, x, frame=None):
        u = super().to_cube(x)
        x[:] = 0.5
        return u


class NotInverse(ew.Box):
    def to_cube(self, x, frame=None):
        return super().to_cube(x) ** 1.01


class OtherShortWay(ew.Box):
    def embed_cube(self, u, frame=None):
        return 1 - u


class Squeezed(ew.Box):
    """A bijection with dense and thin places."""

    def to_cube(self, x, frame=None):
        return super().to_cube(x) ** 0.9

    def from_cube(self, u, frame=None):
        return super().from_cube(u ** (1 / 0.9))

    def embed(self, x):
        return super().to_cube(x)

    def embed_cube(self, u, frame=None):
        return u ** (1 / 0.9)


class TooLarge(ew.Box):
    volume = 1.2


class HalfTangent(ew.Box):
    def tangent(self, z, gradient):
        return gradient / 2


class ForgetfulTangent(ew.Sphere):
    """Idempotent and symmetric, but it drops a direction that stays on the sphere."""

    def tangent(self, z, gradient):
        return 0 * gradient


class NoStart(ew.Box):
    n0 = 0


class ScattersOutside(ew.Box):
    def scatter(self, n, streams, start=0):
        return super().scatter(n, streams, start) + 1000


class BetweenSteps(ew.Box):
    def scatter(self, n, streams, start=0):
        return self.from_cube(np.array([streams(i).random(self.dim) for i in range(start, start + n)]))


class RepeatsItself(ew.Box):
    def pool(self, n, rng):
        x = super().pool(n, rng)
        return np.concatenate([x, x[:1]])


class GlobalRandomness(ew.Box):
    def pool(self, n, rng):
        return self.from_cube(np.random.random((n, self.dim)))  # noqa: NPY002  (the mistake under test)


class OtherBeginning(ew.Box):
    def sample(self, n, rng, start=0):
        return super().sample(n, rng, start)[::-1]


class Lopsided(ew.Box):
    def scatter(self, n, streams, start=0):
        u = np.array([streams(i).random(self.dim) for i in range(start, start + n)])
        return self.from_cube(u.reshape(n, self.dim) ** 1.3)


class SamplesOneSide(ew.Box):
    def sample(self, n, rng, start=0):
        return self.from_cube(self.to_cube(super().sample(n, rng, start)) ** 1.3)


class JudgedOnOneSide(ew.Box):
    """The map's error is a mean over these points."""

    def everywhere(self, n, rng):
        return self.from_cube(self.to_cube(super().everywhere(n, rng)) ** 1.3)


class ChoosesFromOneHalf(ew.Box):
    def pool(self, n, rng):
        x = super().pool(n, rng)
        return x[self.to_cube(x)[:, 0] < 0.5]


class MovesTheRest(ew.Box):
    def with_column(self, x, column, values):
        moved = super().with_column(x, column, values)
        moved[:, 1 - column] = np.median(x[:, 1 - column])
        return moved


class SetsNothing(ew.Box):
    def with_column(self, x, column, values):
        return x.copy()


class Generous(ew.Box):
    def contains(self, x):
        return np.all(np.abs(self.to_cube(x) - 0.5) < 0.6, axis=1)

    def problem(self, point):
        return None if self.contains(point[None])[0] else "outside"


class OtherSetting(ew.Box):
    """Steps down to the next setting, which need not be the nearest."""

    def snap(self, x):
        below = x.copy()
        below[:, 0] = np.floor(x[:, 0] * 10 + 1e-9) / 10
        return below


class RoundsToOnePlace(ew.Box):
    def rounded_to(self, x, tenths):
        return np.tile([1.0, 15.0], (len(x), 1))


class ShownElsewhere(ew.Box):
    def coordinates(self, x):
        return super().coordinates(x)[:, ::-1]


class FacesOfABall(ew.Sphere):
    has_faces = True


class AnotherUnit(ew.Box):
    volume = 100.0

    def embed(self, x):
        return self.to_cube(x) * [1, 100]

    def embed_cube(self, u, frame=None):
        return u * np.array([1, 100])


class EveryBox(ew.Box):
    __hash__ = ew.Box.__hash__

    def __eq__(self, other):
        return isinstance(other, ew.Box)


class NoReasons(ew.Box):
    def problem(self, point):
        return None


class Everywhere(NoReasons):
    def contains(self, x):
        return np.ones(len(x), dtype=bool)


class NeedsAPoint(ew.Box):
    def contains(self, x):
        return super().contains(x) & (x[0, 0] < np.inf)


class OnlyItself(ew.Box):
    __hash__ = ew.Box.__hash__

    def __eq__(self, other):
        return self is other


class OwnHash(ew.Box):
    def __hash__(self):
        return id(self)


class SaysNothing(ew.Box):
    __repr__ = object.__repr__


def renamed():
    """A sphere whose plain data forgets what its columns are called."""
    sphere = ew.Sphere(2, names=["east", "north", "up"])
    sphere.to_dict = lambda: {"type": "sphere", "dim": 2}
    return sphere


class OpenCircle(ew.Box):
    chart_axes = (CIRCLE, INTERVAL)


class LooseColumn(ew.Box):
    groups = ((0,),)


AXES = {"a": (0, 2), "b": (10, 20)}
STEPS = {"a": {"low": 0, "high": 1, "step": 0.1}, "b": (0, 1)}
#: A wrong domain, the law that it breaks (by its first words), and a part of what is said about it.
WRONG = [
    (FlatEmbedding(AXES), "The chart and the embedding", "(5,)"),
    (ChangesItsInput(AXES), "What the chart is given", "to_cube changed x"),
    (NotInverse(AXES), "The chart goes there", "comes back as"),
    (OtherShortWay(AXES), "embed_cube", "embed of from_cube"),
    (Squeezed(AXES), "Equal volumes", "the volume element is"),
    (TooLarge(AXES), "Equal volumes", "volume is 1.2, but the chart covers 1 in"),
    (HalfTangent(AXES), "The tangent", "projecting twice differs from once by 0.25"),
    (ForgetfulTangent(2), "The tangent", "a direction along the domain loses"),
    (NoStart(AXES), "A domain describes itself", "n0 = 0"),
    (ScattersOutside(AXES), "Points that are drawn lie", "scatter, row 0"),
    (BetweenSteps(STEPS), "Points that are drawn can be set", "scatter, row"),
    (RepeatsItself(AXES), "No two points", "rows 0 and 256 of the pool"),
    (GlobalRandomness(AXES), "The same seed draws", "pool with the same generator gives"),
    (OtherBeginning(AXES), "A longer sample", "sample(7, start=0)"),
    (Lopsided(AXES), "Points are drawn uniformly", "scatter: coordinate 0"),
    (SamplesOneSide(AXES), "Points are drawn uniformly", "sample: coordinate 0"),
    (JudgedOnOneSide(AXES), "Points are drawn uniformly", "everywhere: coordinate 0"),
    (ChoosesFromOneHalf(AXES), "Points are drawn uniformly", "pool: coordinate 0"),
    (MovesTheRest(AXES), "A column that is drawn anew", "column 0 drawn anew: coordinate 1"),
    (SetsNothing(AXES), "A column that is drawn anew", "column 0 set to"),
    (Generous(AXES), "What is inside", "counts as inside; from the chart it comes back as"),
    (OtherSetting(STEPS), "A point is set", "is nearer"),
    (RoundsToOnePlace(AXES), "Rounded points", "to 4 more digits is [ 1. 15.]"),
    (ShownElsewhere(AXES), "A picture shows", "is shown at"),
    (FacesOfABall(2), "Where there are faces", "there are 3 kernel coordinates for dim = 2"),
    (AnotherUnit(AXES), "Where there are faces", "a point has the kernel coordinates"),
    (EveryBox(AXES), "Equal domains", "it is equal to Box({'not a'"),
    (NoReasons(AXES), "contains and problem", "contains says False of"),
    (Everywhere(AXES), "contains and problem", "far away from all samples"),
    (NeedsAPoint(AXES), "No points", "IndexError"),
    (OnlyItself(AXES), "Equal domains", "a copy is not equal"),
    (OwnHash(AXES), "Equal domains", "a copy is equal, but its hash is"),
    (SaysNothing(AXES), "Equal domains", "say what describes it"),
    (OpenCircle(AXES), "The axes of the chart", "its ends are 1 apart"),
    (LooseColumn(AXES), "Every kernel coordinate", "of 2 kernel coordinates"),
    (renamed(), "Plain data", "('x1', 'x2', 'x3'), not ('east', 'north', 'up')"),
]


@pytest.mark.parametrize(("domain", "law", "said"), WRONG, ids=[type(w[0]).__name__ for w in WRONG])
def test_a_wrong_domain_is_rejected_by_its_law_with_numbers(domain, law, said):
    with pytest.raises(ConformanceError) as caught:
        check_domain(domain)
    assert caught.value.law.startswith(law), str(caught.value)
    assert said in caught.value.finding


def test_every_law_rejects_something():
    assert [law for law in LAWS if not any(law.startswith(w[1]) for w in WRONG)] == []


def test_points_that_are_uniform_in_another_way_are_asked_for_the_last_word():
    box = ew.Box.unit(2)
    check_domain(box, uniform=lambda n, rng: rng.random((n, 2)))
    with pytest.raises(ConformanceError, match="Points drawn uniformly in another way"):
        check_domain(box, uniform=lambda n, rng: rng.random((n, 2)) ** 1.2)


def test_the_checks_leave_the_global_random_state_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    check_domain(ew.Box.unit(1))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_failure_is_an_assertion_of_ours_that_reads_as_sentences_and_can_be_sent_to_another_process():
    error = ConformanceError("Proposals are new.", "'mine' on Sphere(2)", "point 0 is old")
    assert isinstance(error, AssertionError)
    assert isinstance(error, ew.EquiwarpError)
    assert str(error) == "Proposals are new.\n  part: 'mine' on Sphere(2)\n  found: point 0 is old"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(ew.InvalidType, match="checks a Domain, got 3"):
        check_domain(3)
