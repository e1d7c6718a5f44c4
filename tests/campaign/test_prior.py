"""Campaigns with a prior: chosen for the difference, kept in the store, said by every face."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.campaign.opening import open_campaign
from equiwarp.cli import main
from equiwarp.report.document import write_report
from equiwarp.store import Store
from equiwarp.store.transfer import archive

LINE = ew.Box({"x": (0, 1)})
FILE = 'name = "filed"\n{}\n[domain]\ntype = "box"\nparameters = {{x = [0, 1]}}\n'


def dear(x):
    """Forrester et al. (2007)."""
    return (6 * x - 2) ** 2 * np.sin(12 * x - 4)


def cheap(points):
    return 0.5 * dear(points[:, 0]) + 10 * (points[:, 0] - 0.5) - 5


@pytest.fixture
def place(tmp_path):
    """A store with the campaign of a simulator."""
    coarse = ew.Campaign("coarse", LINE, store=tmp_path / "lab.db", noise=0.01)
    x = LINE.sample(24, np.random.default_rng(0))
    coarse.add(x, cheap(x))
    coarse.close()
    return tmp_path / "lab.db"


def measure(campaign, n):
    for _ in range(n):
        (experiment,) = campaign.ask()
        campaign.tell(experiment.id, float(dear(experiment.point["x"])))
    return campaign


def begin(place, prior, name="dear", **more):
    return measure(ew.Campaign(name, LINE, store=place, noise=0.01, n0=4, prior=prior, **more), 6)


def ahead(campaign):
    return [proposal.point for proposal in campaign.preview(3)]


def test_a_reopened_campaign_chooses_the_same_whatever_became_of_the_prior(place, tmp_path):
    with ew.Campaign("coarse", store=place) as coarse:
        begun = begin(place, coarse)
        chosen, error = ahead(begun), begun.map().error()[0].value
        coarse.add([[0.77]], [500.0])
        for prior in (None, coarse, "coarse"):
            again = ew.Campaign("dear", store=place, prior=prior)
            assert ahead(again) == chosen
    assert again.map().error()[0].value == pytest.approx(error)
    begun.rename("dearest")
    assert ahead(begun) == chosen
    moved = ew.Campaign("dearest", store=archive(place, "dearest", tmp_path / "one.db"))
    assert ahead(moved) == chosen  # the values of the prior went along
    assert moved.spec.to_dict()["prior"] == {"campaign": "coarse"}


def test_it_is_the_difference_that_is_chosen_for(place):
    begun = begin(place, "coarse")
    known = begun.map()
    assert known.prior_worth()[0].scale == pytest.approx(2.0, abs=0.05)
    plain = begin(place, None, "plain")
    assert [e.point for e in begun.experiments()][:4] == [e.point for e in plain.experiments()][:4]
    assert [e.point for e in begun.experiments()][4:] != [e.point for e in plain.experiments()][4:]
    # Where the prior knows all, the choice is that of constant values.
    exact = ew.Campaign("exact", LINE, store=place, noise=0.01, n0=4, prior=lambda p: dear(p[:, 0]))
    flat = ew.Campaign("flat", LINE, store=place, noise=0.01, n0=4)
    for a, b in zip(exact.ask(4), flat.ask(4), strict=True):
        exact.tell(a.id, float(dear(a.point["x"])))
        flat.tell(b.id, 0.0)
    assert ahead(exact) == ahead(flat)
    fixed = begun.preview(1, fixed={"x": 0.5})[0]
    assert "times the prior coarse" in fixed.why.notes[0]


def test_under_an_aim_it_is_said_that_the_prior_does_not_choose(place):
    begun = begin(place, "coarse", "aimed", aim=ew.Aim(near=1.0))
    said = "for the aim, without the prior coarse"
    assert begun.status().notes == (f"experiments are chosen {said}",)
    [proposal] = begun.preview(1)
    assert "without the prior coarse" in str(proposal.why)
    assert "difference" not in str(proposal.why)


def test_a_function_is_given_again_as_function_constraints_are(place):
    chosen = ahead(begin(place, cheap))
    assert ahead(ew.Campaign("dear", store=place, prior=cheap)) == chosen
    with pytest.raises(ew.Mismatch, match=r"only Python can describe \(the function cheap\); pass the same"):
        ew.Campaign("dear", store=place)
    with pytest.raises(ew.Mismatch, match=r"prior.function is 'cheap' in the store and 'measure' here"):
        ew.Campaign("dear", store=place, prior=measure)


@pytest.mark.parametrize(
    ("prior", "error", "message"),
    [
        ("none", ew.StoreMissing, "there is no campaign 'none' in .*; there are: coarse, empty"),
        ("empty", ew.InvalidInput, "campaign 'empty' has no measurement yet"),
        ("coarse@nowhere.db", ew.StoreMissing, "nowhere.db"),
        ({"campaign": "coarse", "stor": "a.db"}, ew.SpecError, "stor"),
        (3, ew.InvalidType, "a map, a campaign or a function"),
    ],
)
def test_a_prior_that_is_not_there_is_refused_before_anything_is_written(place, prior, error, message):
    ew.Campaign("empty", LINE, store=place)
    with pytest.raises(error, match=message):
        ew.Campaign("dear", LINE, store=place, prior=prior)
    assert ew.Campaign.names(place) == ["coarse", "empty"]


def test_a_prior_has_no_prior_and_the_same_parameters(place):
    begin(place, "coarse")
    with pytest.raises(ew.InvalidInput, match="campaign 'dear' has a prior itself, coarse"):
        ew.Campaign("dearer", LINE, store=place, prior="dear")
    with pytest.raises(ew.InvalidInput, match="depends on 'x', and the parameters here are y"):
        ew.Campaign("other", ew.Box({"y": (0, 1)}), store=place, prior="coarse")
    with pytest.raises(ew.InvalidInput, match="the prior coarse knows the parameter as 'x'"):
        ew.Campaign("dear", store=place).rename_parameter("x", "z")


def test_campaign_files_name_a_campaign_of_the_same_store_or_of_another(place, tmp_path):
    path = tmp_path / "filed.toml"
    path.write_text(FILE.format('prior = "coarse"'))
    spec = ew.CampaignSpec.from_toml(path)
    assert open_campaign(Store(place), spec, "me")[1].prior.name == "coarse"
    assert ew.Campaign.from_spec(spec, place).spec.to_dict()["prior"] == {"campaign": "coarse"}
    path.write_text(FILE.format('prior = {campaign = "coarse", store = "lab.db"}'))  # beside the file
    other = ew.Campaign.from_spec(ew.CampaignSpec.from_toml(path), tmp_path / "other.db")
    assert other.spec.to_dict()["prior"] == {"campaign": "coarse", "store": str(place)}
    path.write_text(FILE.format('prior = {map = "abc"}'))
    with pytest.raises(ew.SpecError, match="prior: name a campaign, such as"):
        ew.CampaignSpec.from_toml(path)


def test_the_command_line_says_what_the_prior_is_worth(place, tmp_path):
    path = tmp_path / "filed.toml"
    path.write_text(FILE.format("n0 = 4"))
    call = CliRunner().invoke
    made = call(main, ["new", str(path), "--prior", "coarse", "--store", str(place)])
    assert made.exit_code == 0, made.output
    measure(ew.Campaign("filed", store=place), 6)
    where = ["--store", str(place), "--campaign", "filed"]
    status = call(main, ["status", *where]).output
    assert "prior of value" in status
    assert "coarse" in status
    assert "+ difference: the prior accounts for 9" in status or "the prior accounts for 100" in status
    assert (
        "Experiments that the prior coarse saved so far: more than 60 (value)."
        in call(main, ["forecast", "-n", "2", *where]).stderr
    )
    why = call(main, ["why", "6", *where]).output
    assert "Note: chosen for the difference from " in why
    assert "times the prior coarse" in why


def test_the_report_says_it(place, tmp_path):
    begun = begin(place, "coarse")
    write_report(begun, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<h2>The prior</h2>" in page
    assert "experiments are chosen for the difference from the prior coarse" in page


def test_a_run_takes_a_prior(place, tmp_path):
    with ew.Campaign("coarse", store=place) as coarse:
        campaign = ew.run(
            lambda x: float(dear(x)), LINE, store=tmp_path / "run.db", budget=8, n0=4, noise=0.01,
            executor="threads", workers=2, prior=coarse,
        )  # fmt: skip
    assert campaign.status().prior == "coarse"
    assert campaign.map().prior_worth()[0].scale == pytest.approx(2.0, abs=0.05)


def test_a_visitor_of_the_server_reaches_no_other_store(place):
    pytest.importorskip("fastapi")
    from equiwarp.web.new_campaign import spec_of_toml

    assert spec_of_toml(FILE.format('prior = "coarse"')).prior == {"campaign": "coarse"}
    for text in (f'prior = "coarse@{place}"', f'prior = {{campaign = "coarse", store = "{place}"}}'):
        with pytest.raises(ew.SpecError, match="name a campaign of this server's store"):
            spec_of_toml(FILE.format(text))
