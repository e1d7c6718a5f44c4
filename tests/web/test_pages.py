"""The pages without script: every form does its work, every mistake is said where it was made."""

from __future__ import annotations

import io
import json
import re
import struct
import time

import openpyxl
import pytest

from equiwarp import Box, Campaign, Parameter
from tests.web.conftest import small, value_of


def tell(client, id, experiment, **fields):
    return client.post(f"/c/{id}/e/{experiment}/tell", data=fields, follow_redirects=False)


def test_the_list_names_every_campaign(client, campaign):
    assert "furnace" in client.get("/").text


def test_an_empty_store_invites_to_begin(client):
    assert "Begin a campaign" in client.get("/").text


def test_a_card_shows_settings_units_and_the_reason(client, campaign):
    page = client.get("/c/1").text
    pending = campaign.experiments("pending")[0]
    assert f"{pending.point['temperature']:.6g}" in page
    assert "°C" in page
    assert "One of those that are spread evenly over all that can be set" in page  # and the method's word
    assert 'href="/glossary#space-filling-start"' in page
    assert '<td class="state">measured' in page


def test_a_value_is_told_with_a_plain_form(client, campaign):
    e = campaign.experiments("pending")[0]
    answer = tell(client, 1, e.id, **{"value-0": "2.5", "since": e.since})
    assert (answer.status_code, answer.headers["location"]) == (303, "/c/1?said=told")
    assert campaign.experiment(e.id).value == 2.5


@pytest.mark.parametrize(("typed", "said"), [("1,5", "1.5"), ("abc", "not a number"), ("", "empty")])
def test_what_is_no_number_is_refused_and_kept_in_its_field(client, campaign, typed, said):
    e = campaign.experiments("pending")[0]
    answer = tell(client, 1, e.id, **{"value-0": typed, "since": e.since})
    assert answer.status_code == 422
    assert said in answer.text
    assert f'value="{typed}"' in answer.text
    assert campaign.experiment(e.id).state == "pending"


def test_failures_and_refusals_are_recorded_with_their_reason(client, campaign):
    e = campaign.experiments("pending")[0]
    client.post(f"/c/1/e/{e.id}/fail", data={"reason": "tripped", "since": e.since})
    assert campaign.experiment(e.id).reason == "tripped"
    since = campaign.experiment(e.id).since
    client.post(f"/c/1/e/{e.id}/abandon", data={"reason": "foams over", "since": since})
    assert campaign.experiment(e.id).state == "abandoned"


def test_a_correction_stays_in_the_history(client, campaign):
    e = campaign.experiment(1)
    fields = {"value-0": "9.25", "reason": "misread", "since": e.since}
    assert client.post("/c/1/e/1/amend", data=fields).status_code == 200
    page = client.get("/c/1/e/1").text
    assert campaign.experiment(1).value == 9.25
    assert "misread" in page
    assert f"{e.value:.6g}" in page


def test_a_stale_correction_overwrites_nothing(client, campaign):
    since = campaign.experiment(1).since
    campaign.amend(1, 7.0, reason="by somebody else")
    answer = client.post("/c/1/e/1/amend", data={"value-0": "9", "since": since})
    assert answer.status_code == 409
    assert campaign.experiment(1).value == 7.0


def test_asking_hands_out_experiments(client, campaign):
    before = len(campaign.experiments("pending"))
    assert client.post("/c/1/ask", data={"n": "2"}, follow_redirects=False).status_code == 303
    assert len(campaign.experiments("pending")) == before + 2
    assert client.post("/c/1/ask", data={"n": "-3"}).status_code == 422


def test_a_plate_goes_out_and_comes_back(client, campaign):
    plate = client.get("/api/campaigns/1/plate.csv").text
    experiment = campaign.experiments("pending")[0].id
    filled = re.sub(r",,\n", ",4.5,\n", plate)
    shown = client.post("/c/1/plate", files={"csv": ("plate.csv", filled, "text/csv")})
    assert "This is what would be taken. Nothing has been changed yet." in shown.text
    assert campaign.experiment(experiment).value is None
    answer = client.post("/c/1/plate", data=hidden_fields(shown.text), follow_redirects=False)
    assert answer.headers["location"] == "/c/1?said=plate"
    assert campaign.experiment(experiment).value == 4.5


def hidden_fields(text):
    """What a form sends that has hidden fields only."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))


def test_a_plate_in_excel_goes_out_and_comes_back(client, campaign):
    book = openpyxl.load_workbook(io.BytesIO(client.get("/api/campaigns/1/plate.xlsx").content))
    book["plate"]["D2"] = 4.5
    stream = io.BytesIO()
    book.save(stream)
    shown = client.post("/c/1/plate", files={"csv": ("plate.xlsx", stream.getvalue())})
    assert re.search(r"<td class=\"r\">4.5</td>\s*<td>new</td>", shown.text), shown.text
    client.post("/c/1/plate", data=hidden_fields(shown.text))
    assert campaign.experiment(6).value == 4.5
    exported = openpyxl.load_workbook(io.BytesIO(client.get("/api/campaigns/1/export.xlsx").content))
    assert exported.sheetnames == ["experiments", "events"]


def test_a_plate_that_contradicts_what_is_known_cannot_be_taken(client, campaign):
    shown = client.post("/c/1/plate", files={"csv": ("p.csv", "id,yield\n1,99\n6,1\n")})
    assert "1 row is refused, so nothing of it can be taken." in shown.text
    assert "Take the table" not in shown.text
    assert hidden_fields(shown.text) == {"to": "/c/1/plate"}  # of the colours alone: no file to take


def test_all_mistakes_of_a_plate_are_on_the_page(client, campaign):
    answer = client.post("/c/1/plate", files={"csv": ("p.csv", "id,yield\n1,x\n99,1\n")})
    assert answer.status_code == 422
    assert "p.csv: 2 mistakes" in answer.text
    assert "line 3, column &#39;id&#39;: there is no experiment 99" in answer.text


@pytest.mark.parametrize("packed", ["", "!", "aGVsbG8="])
def test_a_form_that_holds_no_file_is_refused(client, campaign, packed):
    answer = client.post("/c/1/plate", data={"packed": packed, "name": "p.csv"})
    assert answer.status_code == 422


def test_a_plate_with_one_wrong_cell_is_refused_whole(client, campaign):
    plate = client.get("/api/campaigns/1/plate.csv").text.replace(",,\n", ',"4,5",\n')
    answer = client.post("/c/1/plate", files={"csv": ("plate.csv", plate, "text/csv")})
    assert answer.status_code == 422
    assert "plate.csv, line 2" in answer.text
    assert len(campaign.experiments("pending")) == 1


def test_earlier_measurements_are_added(client, campaign):
    table = "temperature,pH,yield\n30,4,1.5\n200,4,9\n"
    shown = client.post("/c/1/measurements", files={"csv": ("old.csv", table, "text/csv")})
    assert "new, outside the domain" in shown.text
    assert campaign.status().added == 0
    answer = client.post("/c/1/measurements", data=hidden_fields(shown.text))
    assert answer.status_code == 200
    assert campaign.status().added == 2
    assert campaign.status().outside == 1


def test_a_name_is_remembered_and_recorded(client, campaign):
    client.post("/who", data={"who": "Berta <b>", "to": "/c/1"})
    e = campaign.experiments("pending")[0]
    tell(client, 1, e.id, **{"value-0": "2", "since": e.since})
    assert campaign.events(e.id)[-1].who == "Berta <b>"
    assert "Berta &lt;b&gt;" in client.get(f"/c/1/e/{e.id}").text


FORM = {
    "name": "annealing", "kind": "box", "parameters": "2", "responses": "1", "seed": "3",
    "p0-name": "time", "p0-low": "1", "p0-high": "1000", "p0-unit": "min", "p0-scale": "log",
    "p1-name": "pH", "p1-levels": "3 5 7", "r0-name": "strength", "r0-unit": "MPa", "r0-noise": "0.5",
    "stop-error": "0.2", "constraints": "time * pH <= 4000",
}  # fmt: skip


def test_a_campaign_begins_from_the_form(client):
    answer = client.post("/new", data=FORM, follow_redirects=False)
    assert answer.headers["location"] == "/c/1?said=created"
    about = client.get("/api/campaigns/1").json()
    assert about["units"] == {"time": "min", "pH": "", "strength": "MPa"}
    assert about["stop"]["error"] == 0.2


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("name", "", "name"),
        ("p0-low", "abc", "p0-low"),
        ("p0-low", "1,5", "p0-low"),
        ("p0-low", "5000", "p0-name"),
        ("p1-levels", "3 x", "p1-levels"),
        ("p1-name", "time", "p1-name"),
        ("r0-noise", "-1", "r0-noise"),
        ("seed", "1.5", "seed"),
        ("n0", "0", "n0"),
        ("stop-error", "-2", "stop-error"),
        ("constraints", "time ** ** 2 <= 1", "constraints"),
    ],
)
def test_every_mistake_is_shown_at_its_field(client, field, value, where):
    page = client.post("/new", data={**FORM, field: value})
    assert page.status_code == 422
    assert f'id="{where}-problem"' in page.text
    assert "time" in page.text  # what was typed is still there
    assert client.get("/api/campaigns").json() == []


def test_a_mistake_is_shown_in_its_row_where_names_mislead(client):
    """Two rows of one name, and a name that reads like a path: the place decides, not the name."""
    rows = {
        "p0-name": "p.low",
        "p0-high": "x",
        "p1-name": "p",
        "p1-levels": "",
        "p1-low": "9",
        "p1-high": "1",
    }
    page = client.post("/new", data={**FORM, "constraints": "", **rows}).text
    assert 'id="p0-high-problem"' in page
    assert 'id="p1-name-problem"' in page
    assert 'id="p1-low-problem"' not in page
    twins = {"p1-name": "time", "p1-levels": "", "p1-low": "9", "p1-high": "1"}
    page = client.post("/new", data={**FORM, "constraints": "", **twins}).text
    assert 'id="p1-name-problem"' in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1,5", "&#39;1,5&#39; is ambiguous; write 1.5 with a decimal point</span>"),
        ("inf", "&#39;inf&#39; is not a finite number</span>"),
        ("=A1", "&#39;=A1&#39; is a formula, not a number; export values, not formulas</span>"),
    ],
)
def test_a_field_says_what_is_wrong_without_what_is_said_of_plates(client, typed, said):
    page = client.post("/new", data={**FORM, "p0-low": typed}).text
    assert said in page
    assert 'id="p0-name-problem"' not in page  # that a number is missing there goes without saying


def test_all_mistakes_are_shown_at_once(client):
    page = client.post("/new", data={**FORM, "name": "", "r0-noise": "x", "p0-high": "0"}).text
    for where in ("name", "r0-noise", "p0-name"):
        assert f'id="{where}-problem"' in page


def test_more_rows_keep_what_was_typed(client):
    page = client.post("/new", data={**FORM, "action": "more-parameters"}).text
    assert 'name="p2-name"' in page
    assert 'value="1000"' in page


def test_a_mixture_a_sphere_and_a_list_begin_from_the_form(client):
    mixture = {"name": "m", "kind": "simplex", "p0-name": "a", "p0-low": "0.1", "p1-name": "b", "total": "1"}
    assert client.post("/new", data=mixture, follow_redirects=False).status_code == 303
    sphere = {"name": "s", "kind": "sphere", "dim": "2"}
    assert client.post("/new", data=sphere, follow_redirects=False).status_code == 303
    files = {"csv": ("list.csv", "cu,zn\n1,2\n3,4\n5,9\n", "text/csv")}
    listed = client.post(
        "/new", data={"name": "l", "kind": "candidates"}, files=files, follow_redirects=False
    )
    assert listed.status_code == 303
    kinds = [client.get(f"/api/campaigns/{i}").json()["view"]["kind"] for i in (1, 2, 3)]
    assert kinds == ["line", "globe", "list"]


TOML = """
name = "alloys"
[domain]
type = "candidates"
csv = "list.csv"
"""


def test_a_campaign_begins_from_a_file_and_its_list(client):
    files = {
        "file": ("a.toml", TOML, "text/plain"),
        "csv": ("list.csv", "cu,zn\n1,2\n3,4\n5,9\n", "text/csv"),
    }
    assert (
        client.post("/new/toml", files=files, follow_redirects=False).headers["location"]
        == "/c/1?said=created"
    )


def test_a_file_never_makes_the_server_read_its_own_disk(client):
    answer = client.post("/new/toml", data={"toml": TOML.replace("list.csv", "/etc/passwd")})
    assert answer.status_code == 422
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    ("text", "said"),
    [("name = ", "not valid TOML"), ("nam = 'x'", "nam"), (TOML, "domain.csv"), ('x = "\\u0000"', "stored")],
)
def test_mistakes_in_a_file_are_listed_with_their_path(client, text, said):
    answer = client.post("/new/toml", data={"toml": text})
    assert answer.status_code == 422
    assert said in answer.text


def test_a_second_campaign_of_that_name_is_a_conflict(client, campaign):
    answer = client.post("/new", data={**FORM, "name": "furnace"})
    assert answer.status_code == 409
    assert 'id="name-problem"' in answer.text


def test_the_map_is_there_as_a_picture(client, campaign):
    page = client.get("/c/1").text
    source, alt = re.search(r'<noscript>\s*<figure[^>]*><img src="([^"]+)"[^>]* alt="([^"]+)"', page).groups()
    assert alt.startswith("The map of yield over temperature and pH")
    answer = client.get(source)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content.startswith(b"\x89PNG")
    assert "img-src 'self'" in answer.headers["content-security-policy"]
    height = int(re.search(r'height="(\d+)" alt', page)[1])
    assert struct.unpack(">II", answer.content[16:24]) == (1440, height)  # nothing jumps when it arrives


def test_there_is_no_picture_before_the_first_value(client):
    client.post("/new", data=FORM)
    assert '<img src="/api' not in client.get("/c/1").text
    answer = client.get("/api/campaigns/1/map.png")
    assert answer.status_code == 422
    assert "before the first value" in answer.json()["message"]


def test_a_picture_of_no_response_is_refused(client, campaign):
    assert client.get("/api/campaigns/1/map.png?response=1").status_code == 422
    assert client.get("/api/campaigns/1/map.png?axis=nope").status_code == 422


def test_a_mixture_of_many_parts_begins_with_a_map(client):
    """In the middle of their ranges, the components that are held would leave nothing."""
    parts = {f"p{i}-name": name for i, name in enumerate("abcde")}
    client.post("/new", data={"name": "m", "kind": "simplex", "parameters": "5", **parts})
    axes = client.get("/api/campaigns/1").json()["view"]["axes"]
    held = {a["name"]: a["low"] + a["place"] / 200 * (a["high"] - a["low"]) for a in axes[3:]}
    assert held == pytest.approx({"d": 0.2, "e": 0.2})
    query = {"axis": ["a", "b", "c"], "at": json.dumps(held)}
    assert client.get("/api/campaigns/1/map", params=query).status_code == 200


def test_what_does_not_exist_is_said_plainly(client, campaign):
    for path in ("/c/9", "/c/1/e/99", "/nowhere", "/c/0"):
        answer = client.get(path)
        assert answer.status_code in (404, 422)
        assert "not possible" in answer.text


def test_a_message_in_the_address_is_not_repeated(client, campaign):
    assert "you won" not in client.get("/c/1?said=you won").text
    assert "Saved." in client.get("/c/1?said=told").text


def test_the_api_page_lists_every_operation(client):
    page = client.get("/api").text
    for path in client.get("/api/openapi.json").json()["paths"]:
        assert path in page


def test_paths_name_campaigns_and_experiments_by_their_ids(client):
    paths = client.get("/api/openapi.json").json()["paths"]
    assert "/api/campaigns/{id}/experiments/{experiment}/tell" in paths
    names = {name for path in paths for name in re.findall(r"{(\w+)}", path)}
    assert names == {"id", "experiment", "cell", "what"}


def test_values_helper_is_what_the_campaign_holds(campaign):
    assert campaign.experiment(1).value == value_of(campaign.experiment(1).point)
    assert small().name == campaign.name


def test_a_row_that_is_added_is_where_one_stays(client):
    page = client.get("/new").text
    assert 'formaction="/new#p2-name"' in page
    more = client.post("/new", data={**FORM, "action": "more-parameters", "parameters": "2"}).text
    assert 'id="p2-name"' in more
    assert 'formaction="/new#p3-name"' in more


def test_a_mixture_begins_with_three_components_and_hints_of_its_own(client):
    page = client.get("/new").text
    assert '<fieldset class="row" data-for="simplex">' in page  # the third row
    assert '<span data-for="simplex" hidden>water &lt;= 0.8</span>' in page
    fields = {"kind": "simplex", "name": "mix", "parameters": "2", "r0-name": "y"}
    fields |= {f"p{i}-name": name for i, name in enumerate(("water", "oil", "salt"))}
    assert client.post("/new", data=fields, follow_redirects=False).status_code == 303
    assert client.get("/api/campaigns/1").json()["parameters"] == ["water", "oil", "salt"]


@pytest.mark.parametrize(
    ("responses", "where"), [(("y", "y"), "r1-name"), (("z", "time"), "r1-name"), (("id", "z"), "r0-name")]
)
def test_a_name_that_is_taken_is_shown_at_its_own_row(client, responses, where):
    names = {f"r{i}-name": name for i, name in enumerate(responses)}
    page = client.post("/new", data={**FORM, **names, "responses": "2"})
    assert re.findall(r'id="(\w+-name)-problem"', page.text) == [where]


def test_times_are_for_the_reader_s_clock_to_show(client, campaign):
    page = client.get("/c/1").text
    since = campaign.experiments("done")[0].since
    assert f'<time datetime="{since}">{since[:16].replace("T", " ")} UTC</time>' in page


def test_with_values_at_hand_nothing_says_that_the_map_waits_for_the_first(client, campaign):
    page = client.get("/c/1").text.split("</noscript>", 1)[1]
    assert "The map of 5 values is on its way." in page
    assert "with the first value" not in page


def test_the_list_says_when_a_campaign_was_used_last_and_how_good_its_map_is(client, campaign):
    listed = client.get("/api/campaigns").json()[0]
    assert (listed["last"], listed["error"]) == (campaign.events()[-1].at, None)
    hub = client.app.state.hub
    while hub.course(1).running:
        time.sleep(0.02)
    listed = client.get("/api/campaigns").json()[0]
    assert listed["error"] == pytest.approx(campaign.map().error()[0].value)
    assert listed["may_stop"] is False
    assert f"map error {listed['error']:.3g}" in client.get("/").text


def test_categories_have_their_names_and_an_angle_wraps(client, store):
    turn = Parameter(0, 360, periodic=True)
    box = Box({"heat": (20, 90), "solvent": ["water", "oil"], "turn": turn})
    with Campaign("coating", box, store=store, n0=6, noise=0.1) as made:
        for e in made.ask(6):
            made.tell(e.id, 3.0 + e.point["heat"] / 50)
        made.ask(1)
    assert "oil" in client.get("/c/1").text
    axes = client.get("/api/campaigns/1").json()["view"]["axes"]
    assert [axis["name"] for axis in axes] == ["heat", "turn", "solvent"]
    assert axes[2]["labels"] == ["water", "oil"]
    assert axes[1]["periodic"]
    drawn = client.get(
        "/api/campaigns/1/map", params={"axis": ["heat", "turn"], "at": '{"solvent": 1}'}
    ).json()
    assert drawn["design"][0]["point"]["solvent"] in ("water", "oil")


def test_names_and_angles_are_typed_into_the_form(client, store):
    typed = {"p1-name": "solvent", "p1-levels": "water; oil", "p0-scale": "angle", "constraints": ""}
    client.post("/new", data={**FORM, **typed})
    with Campaign("annealing", store=store) as made:
        assert made.domain.categories == {"solvent": ("water", "oil")}
        assert made.domain.parameters[0].periodic
    wrong = client.post("/new", data={**FORM, **typed, "name": "b", "p1-levels": "water; water"})
    assert "appears twice" in wrong.text
