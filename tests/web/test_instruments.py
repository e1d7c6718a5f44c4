"""docs/instruments.md: the client of ten lines drives a real server, and so do those in other languages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import equiwarp as ew

PAGE = (Path(__file__).parents[2] / "docs" / "instruments.md").read_text(encoding="utf-8")
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def served(store, request):
    """A server of a store with one campaign of two parameters."""
    ew.Campaign("furnace", BOX, noise=0.05, store=store).close()
    return request.getfixturevalue("server")


def section(name: str) -> str:
    return PAGE.partition(f"## {name}\n")[2].partition("\n## ")[0]


def matlab() -> tuple[str, str, str, str]:
    """Addresses and bodies of ask and tell in the program for MATLAB, with places for id and value."""
    text = section("MATLAB")
    (campaign,) = re.findall(r"campaign = '(\S+)';", text)
    (ask, count) = re.search(r"webwrite\(\[campaign '(\S+)'\], struct\('n', (\d)\), json\)", text).groups()
    (tell,) = re.findall(r"path = sprintf\('(\S+)', experiment\.id\)", text)
    (field,) = re.findall(r"webwrite\(\[campaign path\], struct\('(\w+)', value\), json\)", text)
    return campaign + ask, json.dumps({"n": int(count)}), campaign + tell, f'{{"{field}": %.17g}}'


def labview() -> tuple[str, str, str, str]:
    """The same of the recipe for LabVIEW."""
    ask, body, tell, values = re.search(
        r"\*\*POST\*\* to `(\S+)`, buffer `(.*?)`.*"
        r"\*\*Format Into String\*\* `(\S+)` with `id`, and\s+`(.*?)` with",
        section("LabVIEW"),
        re.S,
    ).groups()
    return ask, body, tell, values


@pytest.mark.parametrize("program", [matlab, labview])
def test_programs_without_python_send_what_the_server_takes(program, store, request):
    server = served(store, request)

    def post(address: str, body: str):
        sent = Request(address, body.encode(), {"Content-Type": "application/json"})
        return json.load(urlopen(sent))

    ask, count, tell, values = (text.replace("http://127.0.0.1:8765", server.url) for text in program())
    for _ in range(2):
        (experiment,) = post(ask, count)
        point = experiment["point"]
        assert set(point) == {"temperature", "pH"}  # the fields that both programs read
        done = post(tell % experiment["id"], values % (point["temperature"] / point["pH"]))
        assert done["state"] == "done"
    with ew.Campaign("furnace", store=store) as campaign:
        expected = [e.point["temperature"] / e.point["pH"] for e in campaign.experiments("done")]
        assert [e.value for e in campaign.experiments("done")] == pytest.approx(expected, rel=1e-11)
    with pytest.raises(HTTPError) as refused:
        post(tell % 99, values % 1.0)
    assert refused.value.code != 200
    assert "99" in json.load(refused.value)["message"]


def test_the_client_in_python_measures_three_experiments(store, tmp_path, request):
    server = served(store, request)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert "equiwarp" not in block  # it needs nothing but Python
    assert len([line for line in block.splitlines() if line.strip()]) <= 12
    names = {"measure": lambda temperature, pH: temperature / pH}
    exec(block.replace("http://127.0.0.1:8765", server.url), names)
    with ew.Campaign("furnace", store=store) as campaign:
        done = campaign.experiments("done")
        assert [e.value for e in done] == [e.point["temperature"] / e.point["pH"] for e in done]
        assert len(done) == len(campaign.experiments()) == 3

    def post(path, body):
        data = json.dumps(body).encode()
        sent = Request(f"{server.url}{path}", data, {"Content-Type": "application/json"})
        return json.load(urlopen(sent))

    # Every path of the table, and what is promised for an answer that was lost.
    paths = re.findall(r"`POST (/api/\S+)` \| `(\{.*?\})`", PAGE)
    assert [path.rsplit("/", 1)[1] for path, _ in paths] == ["ask", "tell", "fail"]
    first, again = (post(paths[0][0], {"n": 1, "key": "run-42"}) for _ in range(2))
    assert first == again
    failed = post(paths[2][0].replace("/7/", f"/{first[0]['id']}/"), json.loads(paths[2][1]))
    assert failed["state"] == "failed"
