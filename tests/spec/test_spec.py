"""Campaign files: every kind of domain there and back, and every mistake at once."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.stored_description import needs_python
from equiwarp.exceptions import SpecError
from equiwarp.maps.stopping import StopRule
from equiwarp.spec import CampaignSpec, Response, domain_from_dict, domain_to_dict
from equiwarp.spec.campaign import _kept_fields

BOX = ew.Box(
    {
        "T": {"low": 1, "high": 100, "scale": "log", "unit": "K"},
        "pH": {"levels": [3, 4.5, 5]},
        "dial": {"low": 0, "high": 1, "step": 0.1},
    }
)
DOMAINS = {
    "box": BOX,
    "constrained": ew.Constrained(BOX, ["T * pH <= 200", "dial >= 0.2"]),
    "simplex": ew.Simplex({"a": 0.1, "b": 0.0}, total=100, unit="%"),
    "capped mixture": ew.Constrained(ew.Simplex(["a", "b", "c"]), ["a <= 0.5"]),
    "sphere": ew.Sphere(3),
    "half sphere": ew.Constrained(ew.Sphere(2), ["x3 >= 0"]),
    "candidates": ew.Candidates([[0.1, 1 / 3], [3, 4.5]], ["p", "q"]),
}


@pytest.mark.parametrize("kind", DOMAINS)
def test_domains_survive_the_way_through_json(kind):
    domain = DOMAINS[kind]
    again = domain_from_dict(json.loads(json.dumps(domain_to_dict(domain))))
    assert again == domain
    assert domain_to_dict(again) == domain_to_dict(domain) == domain.to_dict()
    rng = np.random.default_rng
    np.testing.assert_array_equal(again.sample(2, rng(1)), domain.sample(2, rng(1)))


@pytest.mark.parametrize("kind", DOMAINS)
def test_specs_survive_the_way_through_json(kind):
    spec = CampaignSpec(
        "melt",
        DOMAINS[kind],
        (Response("yield", "%", 0.5), Response("cost")),
        strategy="equalized",
        n0=7,
        seed=3,
        stop=StopRule(error=0.1, gain_per_experiment={"cost": 2}),
        description="first try",
    )
    assert CampaignSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


def test_silence_is_filled_with_defaults():
    spec = CampaignSpec.from_dict({"name": "x", "domain": domain_to_dict(BOX)})
    assert spec == CampaignSpec("x", BOX)
    assert spec.n0 == BOX.small_n0
    assert CampaignSpec("x", BOX, strategy="equiwarp").n0 == BOX.n0
    assert spec.responses == (Response("value", "", None),)


def outside(p):
    return p["T"] < 50


class OwnDomain(ew.Sphere):
    """A domain class of a user's own."""


@pytest.mark.parametrize(
    ("domain", "name"),
    [(ew.Constrained(BOX, [outside, "pH <= 4.6"]), r"outside\(\)"), (OwnDomain(2), "Sphere")],
)
def test_what_only_python_can_describe_asks_for_the_domain_again(domain, name):
    stored = json.loads(json.dumps(domain_to_dict(domain)))
    with pytest.raises(ValueError, match=f"{name}.*cannot be stored; pass the same domain again"):
        domain_from_dict(stored)


BAD = {
    "nme": "x",
    "seed": -1,
    "n0": 2.5,
    "strategy": "foo",
    "stop": {"eror": 1, "gain_per_experiment": 0},
    "responses": [{"name": "T", "noise": -1}, {"name": "q", "noise": "1"}],
    "domain": {
        "type": "box",
        "parameters": {
            "T": {"low": 5, "high": 1},
            "pH": [3, "9"],
            "x": {"low": 0, "hihg": 2},
            "z": {"low": -1, "high": 3, "scale": "log"},
            "w": {"low": True, "high": float("nan")},
            "v": {"low": 0, "high": 1, "step": 0.1, "levels": [0, 1]},
            "id": {"low": 0, "high": 1},
        },
        "constraints": ["T + pH < foo", "pH <= 3"],
    },
}
EXPECTED = {
    "name": "is missing",
    "nme": "did you mean 'name'?",
    "seed": "greater than or equal to 0, got -1",
    "n0": "must be a whole number",
    "strategy": "unknown strategy 'foo'; choose one of fps",
    "stop.eror": "did you mean 'error'?",
    "stop.gain_per_experiment": "greater than 0, got 0",
    "responses.T.noise": "greater than or equal to 0, got -1",
    "responses.q.noise": "must be a number without quotes, got '1'",
    "responses": "'T' is also the name of a parameter",
    "domain": "'id' is a column of every table",
    "domain.parameters.T": "the lower bound must be below the upper one",
    "domain.parameters.pH.high": "must be a number without quotes, got '9'",
    "domain.parameters.x.hihg": "did you mean 'high'?",
    "domain.parameters.z": "a log scale needs a positive lower bound",
    "domain.parameters.w.low": "must be a number, got True",
    "domain.parameters.w.high": "must be a finite number, got nan",
    "domain.parameters.v": "step and levels exclude each other",
    "domain.constraints[1]": "column 10: unknown parameter 'foo'",
}


def test_every_mistake_is_reported_at_once_with_its_field():
    with pytest.raises(SpecError) as caught:
        CampaignSpec.from_dict(BAD, "furnace.toml")
    found = {p.path: p.message for p in caught.value.problems}
    assert found.keys() == EXPECTED.keys()
    for path, message in EXPECTED.items():
        assert message in found[path], path
    assert f"{len(EXPECTED)} mistakes in furnace.toml" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("domain", "path", "message"),
    [
        ({}, "domain", "needs a type"),
        ({"type": "cube"}, "domain", "unknown type 'cube'"),
        ("box", "domain", ""),
        ({"type": "box", "parameters": []}, "domain", "at least one parameter"),
        ({"type": "box", "parameters": [{"low": 0, "high": 1}]}, "domain.parameters[1].name", "is missing"),
        (
            {"type": "box", "parameters": [{"name": "", "low": 0, "high": 1}]},
            "domain.parameters[1]",
            "a name",
        ),
        (
            {"type": "box", "parameters": [{"name": "a", "low": 0}]},
            "domain.parameters.a",
            "needs low and high",
        ),
        (
            {"type": "box", "parameters": [{"name": "a", "low": 0, "high": 1}] * 2},
            "domain",
            "the name 'a' appears twice",
        ),
        ({"type": "simplex", "components": {"a": 0.7, "b": 0.4}}, "domain", "leaves nothing of the total"),
        ({"type": "sphere", "dim": 0}, "domain", "at least 1"),
        ({"type": "sphere"}, "domain.dim", "is missing"),
        ({"type": "candidates", "names": ["a"], "rows": [[1, 2]]}, "domain", "row 1 has 2 values"),
        (
            {"type": "box", "parameters": {"a": [0, 1]}, "constraints": ["a <= -5"]},
            "domain",
            "'a <= -5' leaves only 0",
        ),
    ],
)
def test_impossible_domains(domain, path, message):
    with pytest.raises(SpecError) as caught:
        CampaignSpec.from_dict({"name": "x", "domain": domain})
    assert [p.path for p in caught.value.problems if message in p.message] == [path]


@pytest.mark.parametrize("name", ["id", "State", "noise", "noise T"])
def test_names_of_columns_that_every_table_has_are_refused(name):
    with pytest.raises(SpecError, match="is a column of every table"):
        CampaignSpec("x", BOX, (Response(name),))


def test_specs_made_in_python_are_checked_too():
    with pytest.raises(SpecError) as caught:
        CampaignSpec("", BOX, (Response("T"), Response("q", noise=-1)), strategy="foo")
    assert {p.path for p in caught.value.problems} == {"name", "responses", "responses.q.noise", "strategy"}


def test_a_strategy_that_needs_faces_is_refused_elsewhere():
    CampaignSpec("x", BOX, strategy="neumann")
    stored = {"name": "x", "strategy": "neumann", "domain": {"type": "sphere", "dim": 2}}
    with pytest.raises(SpecError, match="strategy: 'neumann' reflects"):
        CampaignSpec.from_dict(stored, "x.toml")


TOML = """
name = "brass"
[domain]
type = "candidates"
csv = "alloys.csv"
columns = ["Cu", "Zn"]
[[responses]]
name = "hardness"
unit = "HV"
"""


def test_files_with_a_list_beside_them(tmp_path):
    (tmp_path / "alloys.csv").write_text("lot,Cu,Zn\nA1,60,40\nA2,70.5,29.5\n", encoding="utf-8")
    (tmp_path / "brass.toml").write_text(TOML, encoding="utf-8")
    spec = CampaignSpec.from_toml(tmp_path / "brass.toml")
    assert spec.domain == ew.Candidates([[60, 40], [70.5, 29.5]], ["Cu", "Zn"])
    assert spec.responses == (Response("hardness", "HV"),)
    (tmp_path / "alloys.csv").write_text("Cu,Zn\n60,40\n70;5,29\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"domain.csv: .*alloys.csv, line 3, column 'Cu': '70;5'"):
        CampaignSpec.from_toml(tmp_path / "brass.toml")
    (tmp_path / "alloys.csv").unlink()
    with pytest.raises(SpecError, match="no such file"):
        CampaignSpec.from_toml(tmp_path / "brass.toml")


def test_files_that_are_not_toml_or_not_text(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("name = ", encoding="utf-8")
    with pytest.raises(SpecError, match=r"bad.toml:\n  not valid TOML"):
        CampaignSpec.from_toml(file)
    file.write_bytes("name = 'Ofenführung'".encode("latin-1"))
    with pytest.raises(SpecError, match="not UTF-8"):
        CampaignSpec.from_toml(file)
    file.write_bytes(b"\xef\xbb\xbf" + b'name = "x"\n[domain]\ntype = "sphere"\ndim = 2\n')
    assert CampaignSpec.from_toml(file).domain == ew.Sphere(2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blocks = {Prüfer = 'record'}", "put a name with a letter such as ü in quotes"),
        ("Größe = 1", "put a name with a letter such as ö in quotes"),
        ("low = 0,5", "write numbers with a decimal point, 1.5 and not 1,5"),
        ("name = ", "bad.toml:\n  not valid TOML: [^;]*$"),
    ],
)
def test_what_is_often_written_into_a_file_is_named(tmp_path, text, said):
    file = tmp_path / "bad.toml"
    file.write_text(f"n0 = 3\n{text}\n" if "=" in text[:-2] else text, encoding="utf-8")
    with pytest.raises(SpecError, match=said):
        CampaignSpec.from_toml(file)


@pytest.mark.parametrize("text", ["x = " + "[" * 5000 + "]" * 5000, "a" + ".a" * 3000 + " = 1"])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path, text):
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(SpecError, match="nested too deeply"):
        CampaignSpec.from_toml(path)


def test_blanks_around_a_name_do_not_hide_that_it_is_taken():
    rows = [{"name": " pH ", "low": 3, "high": 9}, {"name": "T", "low": 0, "high": 1}]
    domain = {"type": "box", "parameters": rows, "constraints": ["pH + T <= 9"]}
    data = {"name": "a", "domain": domain, "responses": [{"name": "pH"}]}
    with pytest.raises(SpecError) as caught:
        CampaignSpec.from_dict(data)
    assert [p.path.split(".")[0] for p in caught.value.problems] == ["responses"]


def with_stop(stop):
    """A description of two responses with this stop rule, as a campaign file holds it."""
    responses = [{"name": "conductivity"}, {"name": "thickness"}]
    return {"name": "x", "domain": domain_to_dict(BOX), "responses": responses, "stop": stop}


def test_a_stop_rule_is_a_number_for_all_or_a_table_by_name(tmp_path):
    assert CampaignSpec.from_dict(with_stop({"error": 7})).stop == StopRule(error=7)
    limits = {"conductivity": 7.0, "thickness": 100.0}
    assert CampaignSpec.from_dict(with_stop({"error": limits})).stop == StopRule(error=limits)
    path = tmp_path / "x.toml"
    path.write_text(
        'name = "x"\ndomain = {type = "box", parameters = {T = [0, 1]}}\nresponses = [{name = "a"}]\n'
        "[stop.error]\na = 7\n"
    )
    assert CampaignSpec.from_toml(path).stop.error == {"a": 7.0}


@pytest.mark.parametrize(
    ("stop", "path", "words"),
    [
        ({"error": {"thicknes": 7}}, "stop.error.thicknes", "did you mean 'thickness'?"),
        ({"gain_per_experiment": {"x": 7}}, "stop.gain_per_experiment.x", "known are 'conductivity', 'thick"),
        ({"error": {"thickness": 0}}, "stop.error.thickness", "greater than 0, got 0"),
        ({"error": {"thickness": "7"}}, "stop.error.thickness", "must be a number without quotes, got '7'"),
        ({"error": {}}, "stop.error", "at least 1 item"),
        ({"error": "7"}, "stop.error", "must be a number without quotes, got '7'"),
    ],
)
def test_a_mistake_in_a_stop_rule_is_named_with_its_field(stop, path, words):
    with pytest.raises(SpecError) as caught:
        CampaignSpec.from_dict(with_stop(stop))
    [problem] = caught.value.problems
    assert problem.path == path
    assert words in problem.message


def test_a_stop_rule_made_in_python_names_known_responses_too():
    with pytest.raises(SpecError, match="there is no response 'yeld'; did you mean 'yield'"):
        CampaignSpec("x", BOX, (Response("yield"),), stop=StopRule(error={"yeld": 1}))


@pytest.mark.parametrize("name", DOMAINS)
def test_what_a_store_kept_is_read_without_the_checks_and_says_the_same(name):
    responses = (ew.Response("yield_", "%", noise=1), ew.Response("cost_", low=0, high=9))
    spec = ew.CampaignSpec("c", DOMAINS[name], responses, n0=5, stop=ew.StopRule(error=2))
    data = json.loads(json.dumps(spec.to_dict()))
    if needs_python(data["domain"]):
        pytest.skip("only Python can describe it")
    assert _kept_fields(data), "it goes the quick way"
    quick, checked = CampaignSpec._from_store(data, {}), CampaignSpec.from_dict(data, stored=True)
    assert (quick, repr(quick), vars(quick).keys()) == (checked, repr(checked), vars(checked).keys())


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("responses", [{"name": "y", "colour": 1}]),
        ("responses", [{"name": "y", "noise": "1"}]),
        ("strategy", "mapp"),
        ("colour", "red"),
        ("n0", "5"),
        ("domain", {}),
        ("domain", {"type": "sphere"}),
    ],
)
def test_what_a_store_did_not_keep_so_is_checked_and_named(field, wrong):
    data = {**ew.CampaignSpec("c", ew.Box.unit(1)).to_dict(), field: wrong}
    with pytest.raises(SpecError, match=field):
        CampaignSpec._from_store(data, {})
