"""Messages name the value and the remedy: what people do wrong first, and what they are told."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.cli import main
from equiwarp.exceptions import EquiwarpError, InvalidInput, UnknownExperiment

BOX = ew.Box({"a": (0, 1), "flow rate": (0, 2)})


def said(wrong, kind=EquiwarpError):
    with pytest.raises(kind) as caught:
        wrong()
    return str(caught.value)


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "a.db") as made:
        yield made


@pytest.mark.parametrize(
    "use",
    [
        lambda domain: ew.Campaign("c", domain, store="a.db"),
        lambda domain: ew.suggest(domain, [[0.5]], [1.0]),
        lambda domain: ew.build_map(domain, [[0.5]], [1.0]),
        lambda domain: ew.CampaignSpec("c", domain),
        lambda domain: ew.Constrained(domain, ["a < 1"]),
    ],
)
def test_a_dict_as_domain_is_shown_how_to_become_one(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = "a domain is expected, such as a Box, got {'a': (0, 1)}; write Box({'a': (0, 1)})"
    assert said(lambda: use({"a": (0, 1)})) == expected
    assert said(lambda: use([1, 2])) == "a domain is expected, such as a Box, got [1, 2]"


def test_noise_in_words(campaign, tmp_path):
    (experiment,) = campaign.ask()
    for wrong in (
        lambda: ew.Campaign("d", BOX, noise="low", store=tmp_path / "a.db"),
        lambda: ew.suggest(BOX, [[0.1, 0.2]], [1.0], noise="low"),
        lambda: ew.build_map(BOX, [[0.1, 0.2]], [1.0], noise="low"),
        lambda: campaign.tell(experiment.id, 1.0, noise="low"),
        lambda: campaign.add([[0.1, 0.2]], [1.0], noise="low"),
    ):
        assert "'low' is not a number; give a standard deviation in the units of" in said(wrong, InvalidInput)
        assert "or None to estimate it" in said(wrong)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"low": 0, "high": 1, "stp": 1}, "'stp' is not a field of a parameter; did you mean 'step'?"),
        ({"low": 0, "high": 1, "scal": "log"}, "did you mean 'scale'?"),
        ({"min": 0, "max": 1}, "'min' is not a field of a parameter; there are low, high, unit, scale,"),
        ({"low": 0}, "needs low and high, or a list of levels, got {'low': 0}"),
        ({}, "needs low and high, or a list of levels, got {}"),
        ({"levels": ["red", "blue"]}, "levels are numbers, got 'red'; "),
    ],
)
def test_a_misspelt_field_of_a_parameter_and_levels_that_are_text(fields, words):
    message = said(lambda: ew.Box({"a": fields}), InvalidInput)
    assert message.startswith("parameter 'a': ")
    assert words in message


def test_text_levels_of_a_parameter():
    assert "levels are numbers, got 'red'; " in said(lambda: ew.Parameter(0, 1, levels=["red", "blue"]))


def test_an_experiment_instead_of_its_id(campaign):
    (experiment,) = campaign.ask()
    for verb in (
        lambda: campaign.tell(experiment, 1.0),
        lambda: campaign.tell_failed(experiment),
        lambda: campaign.abandon(experiment),
        lambda: campaign.amend(experiment, 1.0),
        lambda: campaign.experiment(experiment),
        lambda: campaign.events(experiment),
        lambda: campaign.tell_many([(experiment, 1.0, None)]),
    ):
        assert said(verb, UnknownExperiment).endswith("got the experiment itself; pass its id, 1")
    assert "a proposal has no id" in said(lambda: campaign.tell(campaign.preview()[0], 1.0))
    assert said(lambda: campaign.tell("1", 1.0)).endswith("got '1'; write it without quotes")
    assert len(said(lambda: campaign.tell([9] * 999, 1.0))) < 150


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name(name, tmp_path):
    store = tmp_path / "a.db"
    empty = "must not be empty; call it something"
    assert f"name: {empty}" in said(lambda: ew.Campaign(name, BOX, store=store))
    assert f"responses[1].name: {empty}" in said(lambda: ew.Campaign("a", BOX, store=store, responses=[name]))
    nameless = "2 has an empty name; call it something"
    assert said(lambda: ew.Box({"a": (0, 1), name: (0, 1)})) == f"parameter {nameless}"
    assert said(lambda: ew.Simplex(["a", name])) == f"component {nameless}"


@pytest.mark.parametrize(
    ("name", "text", "column"),
    [
        ("flow rate", "flow rate <= 1", 1),
        ("flow rate", "2 * a + flow  rate <= 1", 9),
        ("flow rate", "`flow rate` + flow rate <= 1", 15),
        ("T (C)", "T (C) <= 0.5", 1),
        ("2nd", "2nd <= 0.5", 1),
        ("pH-value", "pH-value <= 0.5", 1),
    ],
)
def test_a_name_of_several_words_in_a_constraint(name, text, column):
    box = ew.Box({"a": (0, 1), name: (0, 2)})
    message = said(lambda: ew.Constrained(box, [text]), InvalidInput)
    assert f"column {column}: the name {name!r} is not a single word" in message
    assert message.endswith(f"write it between backticks: `{name}`")
    ew.Constrained(box, [f"`{name}` <= 1"])  # the remedy works


def test_other_mistakes_beside_such_a_name_are_still_called_by_theirs():
    assert "not a valid expression" in said(lambda: ew.Constrained(BOX, ["a + <= 1"]))
    assert "unknown parameter 'b'" in said(lambda: ew.Constrained(BOX, ["`flow rate` + b <= 1"]))


@pytest.mark.parametrize("id", [2**63, 10**30, 0, -(10**30)])
def test_ids_that_no_store_can_hold_are_unknown(campaign, id):
    for verb in (campaign.experiment, campaign.abandon, campaign.events, lambda id: campaign.tell(id, 1.0)):
        assert said(lambda: verb(id), UnknownExperiment) == f"there is no experiment {id} in this campaign"  # noqa: B023


@pytest.mark.parametrize("words", ["tell {} 1", "why {}", "fail {}", "abandon {}", "amend {} 1"])
def test_such_ids_are_no_fault_of_ours_on_the_command_line(campaign, words):
    store = campaign.store.name
    result = CliRunner().invoke(main, [*words.format(10**30).split(), "--store", store])
    assert result.exit_code == 1, result.output
    assert f"error: there is no experiment {10**30} in this campaign" in result.stderr


def test_several_responses_in_the_words_of_the_terminal(tmp_path):
    store = str(tmp_path / "b.db")
    with ew.Campaign("b", BOX, store=store, responses=["thickness", "cost per g"]) as c:
        c.ask()
    for words in (["1", "5"], ["1", "5", "6", "7"], ["1", "thicknes=5"]):
        result = CliRunner().invoke(main, ["tell", *words, "--store", store])
        assert result.exit_code == 1
        assert "give thickness=VALUE 'cost per g=VALUE'" in result.stderr
        assert "dict" not in result.stderr
