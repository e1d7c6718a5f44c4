"""Map models by name: ours, and those of other packages, which a campaign file can name."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.models import DEFAULT_MODELS, MapModel, find_model, model_names
from tests.fresh import fresh

PACKAGE = """
import numpy as np
from equiwarp.models import MapModel


class Average(MapModel):
    "Predicts the average everywhere, with the deviation of the values."

    @classmethod
    def fit_map(cls, domain, Z, y, noise, earlier=None):
        made = cls()
        made.y, made.noise_ = y, 0.0 if noise is None else float(noise[0])
        return made

    def predict(self, X, return_std=False):
        mean, sd = np.full(len(X), self.y.mean()), np.full(len(X), self.y.std())
        return (mean, sd) if return_std else mean

    def leave_one_out(self):
        return self.y - self.y.mean(), np.full(len(self.y), self.y.std())

    def covariance(self, A, B):
        return np.full((len(A), len(B)), self.y.var())
"""
TOML = """
name = "furnace"
models = "average"

[domain]
type = "box"
parameters = [{name = "t", low = 0, high = 10}]
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A package on the path that offers a model, as an installer would leave it."""
    (tmp_path / "averages.py").write_text(PACKAGE, encoding="utf-8")
    info = tmp_path / "averages-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: averages\nVersion: 1.0\n", encoding="utf-8")
    entries = "[equiwarp.models]\naverage = averages:Average\nwrong = averages:np\n"
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "averages", raising=False)
    monkeypatch.setattr("equiwarp.models.registry._PLUGINS._loaded", {})
    return tmp_path


def test_ours_is_the_default_and_is_a_map_model():
    m = ew.build_map(ew.Box.unit(1), [[0.1], [0.9]], [0.0, 1.0], noise=0.1)
    assert m.families == DEFAULT_MODELS
    assert set(m.models[0].weights_) == set(DEFAULT_MODELS) - {"additive", "pairs", "single-index"}  # one parameter
    assert all(issubclass(find_model(name), MapModel) for name in DEFAULT_MODELS)


def test_a_model_that_does_not_suit_the_domain_is_left_out_or_refused():
    x = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    m = ew.build_map(ew.Sphere(2), x, [0.0, 1.0, 2.0], noise=0.1)
    assert not {"additive", "warped"} & set(m.models[0].weights_)
    with pytest.raises(ew.InvalidInput, match="warped: no such model is for Sphere"):
        ew.build_map(ew.Sphere(2), x, [0.0, 1.0, 2.0], models="warped")
    with pytest.raises(ew.InvalidInput, match="twice: matern, matern"):
        ew.build_map(ew.Sphere(2), x, [0.0, 1.0, 2.0], models=("matern", "matern"))


def test_what_was_stored_with_one_model_opens():
    spec = ew.CampaignSpec("furnace", ew.Box.unit(1)).to_dict()
    del spec["models"]
    former = ew.CampaignSpec.from_dict({**spec, "model": "matern"}, stored=True)
    assert former.models == DEFAULT_MODELS
    with pytest.raises(ew.SpecError, match="model"):
        ew.CampaignSpec.from_dict({**spec, "model": "matern"})


def test_a_campaign_file_can_name_the_model_of_another_package(lab, tmp_path):
    file = tmp_path / "furnace.toml"
    file.write_text(TOML, encoding="utf-8")
    with ew.Campaign.from_spec(ew.CampaignSpec.from_toml(file), store=tmp_path / "lab.db") as c:
        for e in c.ask(6):
            c.tell(e.id, e.point["t"])
    with ew.Campaign("furnace", store=tmp_path / "lab.db") as again:
        m = again.map()
    mean = float(np.mean(m.y))
    np.testing.assert_allclose(m.predict([[1.0], [9.0]]).mean, [[mean], [mean]])
    np.testing.assert_allclose(m.error()[0].model, np.std(m.y))
    assert m.forecast(2).shape == (3, 1)
    assert "average" in model_names()


def test_a_campaign_says_what_its_model_lacks(lab, tmp_path):
    file = tmp_path / "furnace.toml"
    file.write_text(TOML.replace("average", "kriging"), encoding="utf-8")
    with pytest.raises(
        ew.SpecError, match=r"models: unknown map model 'kriging'; choose one of matern, additive"
    ):
        ew.CampaignSpec.from_toml(file)
    with pytest.raises(ew.MissingPart, match=r"'wrong' of the package 'averages' is .*not a subclass"):
        ew.build_map(ew.Box.unit(1), [[0.1]], [0.0], models="wrong")
    with pytest.raises(ew.InvalidInput, match="models must be a list, got 3"):
        ew.build_map(ew.Box.unit(1), [[0.1]], [0.0], models=3)


def test_describing_a_campaign_loads_no_model(tmp_path):
    code = (
        "import sys, json, equiwarp as ew; ew.CampaignSpec('c', ew.Box.unit(1));"
        "print(json.dumps('sklearn' in sys.modules))"
    )
    assert fresh(code, tmp_path) is False
