"""``check_model`` rejects what it should reject: at least one wrong model for each of its laws."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.models import DEFAULT_MODELS
from equiwarp.models.matern import MaternModel
from equiwarp.models.warped import WarpedModel
from equiwarp.testing import ConformanceError, check_model
from equiwarp.testing.model_laws import MODEL_LAWS

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


class OfNothing(MaternModel):
    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        return {"mean": y.mean()}


class Quiet(MaternModel):
    """Forgets the noise that was stated."""

    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        made = super().fit_map(domain, Z, y, noise, earlier)
        made.noise_ = 0.0
        return made


class Column(MaternModel):
    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        return found if return_std else found[:, None]


class Negative(MaternModel):
    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        return (found[0], -found[1]) if return_std else found


class Centred(MaternModel):
    """Predicts against the mean of whatever is asked for."""

    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        shift = np.mean(found[0] if return_std else found) if len(X) else 0.0
        return (found[0] - shift, found[1]) if return_std else found - shift


class Sorting(MaternModel):
    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        y.sort()
        return super().fit_map(domain, Z, y, noise, earlier)


class Chance(MaternModel):
    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        shift = 1e-9 * self.chance
        return (found[0] + shift, found[1]) if return_std else found + shift

    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        made = super().fit_map(domain, Z, y, noise, earlier)
        made.chance = np.random.random()  # noqa: NPY002  (the mistake under test)
        return made


class Sure(MaternModel):
    """Its deviation is not that of its covariance."""

    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        return (found[0], 0.5 * found[1]) if return_std else found


class Lopsided(MaternModel):
    def covariance(self, A, B):
        C = super().covariance(A, B)
        return C + 0.1 * np.triu(np.abs(C), 1)


class Strange(MaternModel):
    """Covariances larger than any function can have."""

    def covariance(self, A, B):
        C = super().covariance(A, B)
        same = np.abs(A[:, None] - B).max(axis=2) < 1e-12
        return np.where(same, C, 3 * C)


class ByTheFirst(MaternModel):
    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        made = super().fit_map(domain, Z, y, noise, earlier)
        made.center_ += 0.5 * (y[0] - y.mean())
        return made


class Stubborn(MaternModel):
    """Keeps what an earlier fit found, and doubles the mean."""

    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        made = super().fit_map(domain, Z, y, noise, earlier)
        made.center_ += 0.0 if not earlier else y.std()
        return made


class InSample(MaternModel):
    """What is left of each value when it helped to predict itself."""

    def leave_one_out(self):
        residual, deviation = super().leave_one_out()
        kept = (self.noise_ / deviation) ** 2
        return residual * kept, deviation


class Halved(MaternModel):
    def leave_one_out(self):
        residual, deviation = super().leave_one_out()
        return residual / 2, deviation


class TooWide(MaternModel):
    def leave_one_out(self):
        residual, deviation = super().leave_one_out()
        return residual, 2 * deviation


class OneByOne(MaternModel):
    """A repeated measurement is predicted from its repeats."""

    def leave_one_out(self):
        precision = np.linalg.inv(self.posterior_.L @ self.posterior_.L.T).diagonal()
        return self.scale_ * self.posterior_.alpha / precision, self.scale_ / np.sqrt(precision)


class WithoutNoise(MaternModel):
    def leave_one_out(self):
        residual, deviation = super().leave_one_out()
        return residual, np.sqrt(np.maximum(deviation**2 - self.noise_**2, 1e-9))


class NoiseInPredictions(MaternModel):
    """Says how far another measurement may be off, not the function."""

    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        return (found[0], np.hypot(found[1], self.noise_)) if return_std else found

    def covariance(self, A, B):
        same = np.abs(A[:, None] - B).max(axis=2) < 1e-12
        return super().covariance(A, B) + self.noise_**2 * same


class OneNoise(MaternModel):
    """Takes all values to be equally noisy."""

    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        usual = None if noise is None else np.full(len(y), np.median(noise))
        return super().fit_map(domain, Z, y, usual, earlier)


class NoEstimate(MaternModel):
    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        return super().fit_map(domain, Z, y, np.zeros(len(y)) if noise is None else noise, earlier)


class Settled(MaternModel):
    """Takes in no further values."""

    def conditioned_on(self, domain, Z, y, noise):
        return self


class Timid(MaternModel):
    def draw(self, X, count, seed=0):
        drawn = super().draw(X, count, seed)
        return drawn.mean(axis=0) + 0.7 * (drawn - drawn.mean(axis=0))


class Shifted(MaternModel):
    def draw(self, X, count, seed=0):
        return super().draw(X, count, seed) + 0.3 * self.predict(X, return_std=True)[1]


class AlwaysTheSame(MaternModel):
    def draw(self, X, count, seed=0):
        return super().draw(X, count, 0)


class Optimist(MaternModel):
    def rolled_forward(self, everywhere, ahead):
        found = super().rolled_forward(everywhere, ahead)
        return found * 0.9 ** np.arange(len(found))


class Absolute(MaternModel):
    """Adds a deviation of its own, in no units."""

    def predict(self, X, return_std=False):
        found = super().predict(X, return_std)
        return (found[0], np.hypot(found[1], 0.5)) if return_std else found

    def covariance(self, A, B):
        return super().covariance(A, B) + 0.25


class NeedsVariation(MaternModel):
    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        if len(y) > 1 and not np.ptp(y):
            raise ZeroDivisionError("the values do not vary")
        return super().fit_map(domain, Z, y, noise, earlier)


#: A wrong model, the law that it breaks (by its first words), and a part of what is said about it.
WRONG = {
    OfNothing: ("A fit is a map model", "fit_map gave {'mean'"),
    Quiet: ("A fit is a map model", "noise_ = 0, while a noise of 0.1 was stated"),
    Column: ("There is a finite mean", "the mean has the shape (30, 1), not (30,)"),
    Negative: ("There is a finite mean", "the deviation at place 0 is -"),
    Centred: ("There is a finite mean", "place 3 alone: 0, among others:"),
    Sorting: ("A fit is a map model", "read-only"),
    Chance: ("The same values", "the second time"),
    Sure: ("Covariances are", "place 0: variance"),
    Lopsided: ("Covariances are", "it is not symmetric"),
    Strange: ("Covariances are", "a combination of places has the variance -"),
    ByTheFirst: ("The order of the measurements", "fitted in another order"),
    Stubborn: ("An earlier fit", "fitted from its own hyperparameters"),
    InSample: ("Each value is left out", "times those of fits without each value; value"),
    Halved: ("Each value is left out", "times those of fits without each value; value"),
    TooWide: ("Each value is left out", "deviations are"),
    OneByOne: ("Values at one place", "value 0, at a place that was measured 3 times"),
    WithoutNoise: ("The deviation of a value", "while the noise alone is 0.1"),
    NoiseInPredictions: ("The deviation of a prediction", "was measured 3 times with noise 0.1"),
    OneNoise: ("A value counts for as little", "value 10 is off, and its noise of"),
    NoEstimate: ("Noise that nobody stated", "they scatter by"),
    Settled: ("A model takes in more values", "a fit to 10 values misses all 22 by"),
    Timid: ("Functions are drawn", "draws have the covariance"),
    Shifted: ("Functions are drawn", "the mean of 2000 draws"),
    AlwaysTheSame: ("Functions are drawn", "another seed draws the same functions"),
    Optimist: ("Rolling forward", "after 1 measurements"),
    Absolute: ("A map in other units", "1e+06 y + 0: deviation"),
    NeedsVariation: ("Few, equal", "a constant value: ZeroDivisionError: the values do not vary"),
}


@pytest.mark.parametrize("model", WRONG)
def test_a_wrong_model_is_rejected_by_its_law_with_numbers(model):
    law, said = WRONG[model]
    with pytest.raises(ConformanceError) as caught:
        check_model(model, [BOX])
    assert caught.value.law.startswith(law), str(caught.value)
    assert said in caught.value.finding
    assert caught.value.part == f"{model.__name__} on {BOX!r}"


def test_every_law_rejects_something():
    assert [law for law in MODEL_LAWS if not any(law.startswith(w[0]) for w in WRONG.values())] == []


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_our_families_conform(name):
    check_model(name)  # on every kind of domain that it is made for


def test_a_model_must_apply_somewhere_and_be_a_model():
    with pytest.raises(ConformanceError, match="applies to one of the domains") as caught:
        check_model(WarpedModel, [ew.Sphere(2)])
    assert "Sphere(2)" in caught.value.finding
    with pytest.raises(ew.InvalidInput, match="no subclass of MapModel"):
        check_model(MaternModel(), [BOX])
    with pytest.raises(ew.InvalidInput, match="unknown map model 'no-such'"):
        check_model("no-such")
