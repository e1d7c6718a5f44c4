"""Schemathesis over the API: whatever is sent, the answer is never above 499."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from equiwarp import Campaign
from equiwarp.web.app import create_app
from equiwarp.web.security import Gate
from tests.web.conftest import needed, small, value_of

#: These fit or draw: fewer requests are enough.
SLOW = ("map", "report.html", "error", "ask", "profile", "sensitivity", "residuals", ".png")


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    needed("schemathesis")
    import schemathesis

    store = str(tmp_path_factory.mktemp("schema") / "lab.db")
    with Campaign.from_spec(small(strategy="sobol"), store=store) as campaign:
        for e in campaign.ask(6)[:5]:
            campaign.tell(e.id, value_of(e.point))
    app = create_app(store, Gate(frozenset({"localhost", "testserver"})))
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app)
    app.state.hub.close()


def test_no_request_makes_the_server_fail(schema):
    seen = set()
    for result in schema.get_all_operations():
        operation = result.ok()
        count = 2 if operation.path.endswith(SLOW) else 12

        @given(case=operation.as_strategy())
        @settings(
            max_examples=count, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate],
        )  # fmt: skip
        def send(case):
            answer = case.call(headers={"content-type": "application/json"} if case.body else None)
            assert answer.status_code <= 499, (case.as_curl_command(), answer.text)
            seen.add((case.method, case.path, answer.status_code // 100))

        send()
    assert len({path for _, path, _ in seen}) >= 15
    assert {2, 4} <= {kind for _, _, kind in seen}
