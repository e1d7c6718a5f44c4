"""A new domain is one file and one line: everything else works by itself, and says so when it is missing."""

from __future__ import annotations

import json
import sys
from importlib import import_module

import numpy as np
import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.cli import main
from equiwarp.domains import register, registry
from equiwarp.exceptions import MissingPart, SpecError
from equiwarp.report.document import report_html
from equiwarp.spec import CampaignSpec, domain_from_dict, domain_to_dict
from tests.checks import assert_uniform
from tests.domains.annulus import Annulus

TOML = """
name = "ring"
seed = 3
n0 = 6
[domain]
type = "annulus"
inner = 1
outer = 2.5
constraints = ["x >= -2"]
[[responses]]
name = "yield"
noise = 0.05
"""


@pytest.fixture
def known(monkeypatch):
    """A registry that forgets afterwards what was registered in it."""
    monkeypatch.setattr(registry, "_known", dict(registry.kinds()))
    monkeypatch.setattr(registry._PLUGINS, "_loaded", {})


@pytest.fixture
def ring(known):
    register(Annulus)


def test_the_toy_is_a_domain():
    ring = Annulus(1, 2)
    u = np.random.default_rng(0).random((500, 2))
    np.testing.assert_allclose(ring.to_cube(ring.from_cube(u)), u, atol=1e-9)
    angle, radius = np.random.default_rng(1).random((2, 4000))
    spread = np.sqrt(1 + 3 * radius)
    points = np.column_stack(
        [spread * np.cos(2 * np.pi * angle - np.pi), spread * np.sin(2 * np.pi * angle - np.pi)]
    )
    assert_uniform(ring.to_cube(points))


def test_a_new_domain_goes_all_the_way_by_one_line(ring, tmp_path):
    file, store = tmp_path / "ring.toml", tmp_path / "lab.db"
    file.write_text(TOML, encoding="utf-8")
    said = CliRunner().invoke(main, ["check", str(file)])
    assert said.exit_code == 0, said.output
    assert "coordinate" in said.output
    assert "Allowed by 'x >= -2'" in said.output
    spec = CampaignSpec.from_toml(file)
    assert spec.domain == ew.Constrained(Annulus(1, 2.5), ["x >= -2"])
    with ew.Campaign.from_spec(spec, store=store) as campaign:
        for e in [*campaign.ask(6), *campaign.ask(2)]:
            campaign.tell(e.id, e.point["x"] ** 2)
        map = campaign.map()
        assert np.isfinite(map.predict([[1.5, 0.0]]).mean).all()
        assert report_html(campaign).count("<figure ") == 5
        assert "<img" in map._repr_html_()
    with ew.Campaign("ring", store=store) as again:
        assert again.domain == spec.domain
        assert again.status().counts["done"] == 8
        again.tell(again.ask()[0].id, 1.0)
    with ew.Campaign("ring", Annulus(1, 2.5), store=tmp_path / "other.db") as plain:
        assert plain.domain == Annulus(1, 2.5)


def test_the_page_shows_it(ring, tmp_path):
    testclient = pytest.importorskip("tests.web.conftest")
    with ew.Campaign("ring", Annulus(1, 2), store=tmp_path / "lab.db", noise=0.1, n0=6) as campaign:
        for e in campaign.ask(6):
            campaign.tell(e.id, e.point["y"])
    gate = testclient.Gate(testclient.hosts_for(["127.0.0.1"], 8765))
    app = testclient.create_app(str(tmp_path / "lab.db"), gate)
    with testclient.TestClient(app, base_url=f"http://{testclient.HOST}") as client:
        shown = client.get("/api/campaigns/1/map").json()
        assert client.get("/c/1").status_code == 200
    assert [axis["name"] for axis in shown["axes"]] == ["chart 1", "chart 2"]
    assert len(shown["design"]) == 6


def test_what_is_stored_says_which_package_it_needs(ring, monkeypatch, tmp_path):
    with ew.Campaign("ring", Annulus(1, 2), store=tmp_path / "lab.db"):
        pass
    stored = json.loads(json.dumps(domain_to_dict(Annulus(1, 2))))
    assert stored == {"type": "annulus", "inner": 1.0, "outer": 2.0, "package": "tests"}
    assert domain_from_dict(stored) == Annulus(1, 2)
    monkeypatch.setattr(registry, "_known", {k: v for k, v in registry.kinds().items() if v in registry.OURS})
    with pytest.raises(MissingPart, match=r"kind 'annulus'.*install the package 'tests'"):
        ew.Campaign("ring", store=tmp_path / "lab.db")


def test_a_kind_that_nobody_stored_may_be_misspelt(known):
    with pytest.raises(SpecError, match="unknown type 'anulus'; use 'box', 'simplex', 'sphere', 'cand"):
        CampaignSpec.from_dict({"name": "x", "domain": {"type": "anulus", "inner": 1, "outer": 2}})


def test_mistakes_in_the_data_of_a_new_domain_are_named(ring):
    data = {"name": "x", "domain": {"type": "annulus", "inner": "1", "outr": 2, "constraints": ["z < 1"]}}
    with pytest.raises(SpecError) as caught:
        CampaignSpec.from_dict(data)
    assert {problem.path: problem.message for problem in caught.value.problems} == {
        "domain.inner": "must be a number without quotes, got '1'",
        "domain.outer": "is missing",
        "domain.outr": "is not a known field here; did you mean 'outer'?",
    }
    with pytest.raises(SpecError, match="domain: the radii must be positive and ascending, got 3"):
        CampaignSpec.from_dict({"name": "x", "domain": {"type": "annulus", "inner": 3, "outer": 2}})
    with pytest.raises(SpecError, match="'y' is also the name of a parameter"):
        CampaignSpec.from_dict(
            {"name": "x", "responses": [{"name": "y"}], "domain": {"type": "annulus", "inner": 1, "outer": 2}}
        )


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package on the path that offers a domain of a kind, as an installer would leave it."""

    def install(kind: str, target: str) -> None:
        (tmp_path / "rings.py").write_text(
            "import equiwarp as ew\nclass Ring(ew.Sphere):\n    kind = 'ring'\n", encoding="utf-8"
        )
        info = tmp_path / "rings-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rings\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[equiwarp.domains]\n{kind} = {target}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "rings", raising=False)

    return install


def test_installed_packages_offer_domains_by_entry_points(known, installed):
    installed("ring", "rings:Ring")
    assert "ring" not in registry.kinds()
    domain = domain_from_dict({"type": "ring", "dim": 2})
    assert type(domain).__module__ == "rings"
    assert domain_to_dict(domain) == {"type": "ring", "dim": 2, "package": "rings"}


def test_an_installed_domain_that_a_program_imports_itself_is_found_too(known, installed):
    installed("ring", "rings:Ring")
    domain = import_module("rings").Ring(2)
    assert "ring" not in registry.kinds()
    assert domain_to_dict(domain) == {"type": "ring", "dim": 2, "package": "rings"}


def test_what_is_stored_of_a_new_domain_compares_equal_when_it_is_read_again(known, tmp_path):
    class Between(Annulus):
        kind = "between"

        def __init__(self, radii: tuple[float, float], label: str | None = None) -> None:
            super().__init__(*radii)
            self.radii, self.label = np.array(radii), label

    register(Between)
    domain = Between((1, 2))
    plain = domain_to_dict(domain)
    assert plain == json.loads(json.dumps(plain))
    assert plain["radii"] == [1, 2]
    with ew.Campaign("ring", domain, store=tmp_path / "lab.db"):
        pass
    with ew.Campaign("ring", domain, store=tmp_path / "lab.db") as again:
        assert again.domain == domain


def test_a_domain_that_forgets_what_it_was_made_from_is_told(known):
    class Forgetful(Annulus):
        kind = "forgetful"

        def __init__(self, middle: float) -> None:
            super().__init__(middle - 1, middle + 1)

    register(Forgetful)
    with pytest.raises(TypeError, match="Forgetful is made from 'middle' and does not keep it"):
        domain_to_dict(Forgetful(3))


def test_an_entry_point_under_a_wrong_name_is_refused(known, installed):
    installed("disc", "rings:Ring")
    with pytest.raises(
        MissingPart, match=r"'disc' of the package 'rings' leads to a domain of the kind 'ring'"
    ):
        registry.find("disc")
    assert "ring" not in registry.kinds()  # or it would be known here, and nowhere else


def test_an_entry_point_that_leads_to_no_class_of_domains_is_refused_by_its_name(known, installed):
    """As any other broken part: a list of campaigns names the one that needs it, and shows the others."""
    installed("ring", "rings:ew")
    with pytest.raises(
        MissingPart, match=r"'ring' of the package 'rings' is <module 'equiwarp'.*, not a subcl"
    ):
        domain_from_dict({"type": "ring", "dim": 2})


def test_a_package_that_cannot_be_loaded_is_named(known, installed):
    installed("ring", "rings:Rign")
    with pytest.raises(
        MissingPart, match=r"domain 'ring' of the package 'rings' cannot be loaded, AttributeError.*Rign"
    ):
        domain_from_dict({"type": "ring", "dim": 2})


def test_what_cannot_be_registered_is_refused(ring):
    class Nameless(ew.Sphere):
        """Its kind is its base's."""

    class Second(ew.Sphere):
        kind = "annulus"

    with pytest.raises(TypeError, match="by its class"):
        register(Annulus(1, 2))
    with pytest.raises(ValueError, match="Nameless needs a name of its own in `kind`, got 'sphere'"):
        register(Nameless)
    with pytest.raises(ValueError, match=r"'annulus' is tests.domains.annulus.Annulus already"):
        register(Second)
    assert register(Annulus) is Annulus
    with pytest.raises(TypeError):
        registry.kinds()["mine"] = Annulus
