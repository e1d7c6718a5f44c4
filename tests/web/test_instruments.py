"""docs/instruments.md: the client of ten lines drives a real server, and what is said of answers holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.request import Request, urlopen

import equiwarp as ew

PAGE = (Path(__file__).parents[2] / "docs" / "instruments.md").read_text(encoding="utf-8")
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def test_the_client_in_python_measures_three_experiments(store, tmp_path, request):
    ew.Campaign("furnace", BOX, noise=0.05, store=store).close()
    server = request.getfixturevalue("server")
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
