"""Whatever is done to experiments in whatever order, the store is sound and says the same when reopened."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import equiwarp as ew
from equiwarp.exceptions import Conflict
from equiwarp.store import doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
TEXT = st.sampled_from(["", "tripped", "wrong row"])


class AnyDay(RuleBasedStateMachine):
    """All verbs on experiments of two responses; each may be refused as a conflict and in no other way."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp(prefix="equiwarp-day-"))
        self.c = ew.Campaign(
            "c", BOX, store=self.folder / "lab.db", strategy="fps", n0=3, responses=["a", "b"]
        )
        self.count, self.refused = 0, 0

    def attempt(self, verb, *arguments, **named):
        before = self.c.experiments(), self.c.events()
        try:
            getattr(self.c, verb)(*arguments, **named)
        except Conflict:
            self.refused += 1
            assert (self.c.experiments(), self.c.events()) == before  # a refusal leaves no trace

    def one(self, data):
        return data.draw(st.integers(1, self.count))

    @rule(n=st.integers(1, 2), lease=st.sampled_from([None, 1e-6, 1000.0]))
    def ask(self, n, lease):
        new = self.c.ask(n) if lease is None else self.c.claim(n, lease)
        self.count = new[-1].id

    @precondition(lambda self: self.count)
    @rule(data=st.data(), values=st.sampled_from([{"a": 1.0}, {"b": "<2"}, {"a": 1.0, "b": 3.0}, {"a": 4.0}]))
    def tell(self, data, values):
        self.attempt("tell", self.one(data), values)

    @precondition(lambda self: self.count)
    @rule(data=st.data(), values=st.sampled_from([{"a": 5.0}, {"b": 6.0}, {"b": "<1"}]))
    def amend(self, data, values):
        self.attempt("amend", self.one(data), values)

    @precondition(lambda self: self.count)
    @rule(data=st.data(), verb=st.sampled_from(["tell_failed", "abandon", "withdraw"]), reason=TEXT)
    def close(self, data, verb, reason):
        self.attempt(verb, self.one(data), reason)

    @precondition(lambda self: self.count)
    @rule(data=st.data(), verb=st.sampled_from(["undo", "renew"]))
    def again(self, data, verb):
        self.attempt(verb, self.one(data))

    @precondition(lambda self: self.count)
    @rule(data=st.data())
    def note(self, data):
        self.attempt("note", self.one(data), "cloudy")

    @precondition(lambda self: self.count)
    @rule(data=st.data())
    def repeat(self, data):
        self.count = self.c.repeat(self.one(data))[0].id

    @rule()
    def release(self):
        self.c.release()

    @invariant()
    def states_follow_from_values(self):
        if not hasattr(self, "c"):
            return
        for e in self.c.experiments():
            assert (e.state == "done") <= (e.values is not None and not e.missing)
            assert (e.state == "pending") <= (e.values is None or bool(e.missing))
        pending = [str(e.point) for e in self.c.experiments("pending") if e.repeats is None]
        assert len(set(pending)) == len(pending)

    def teardown(self):
        if hasattr(self, "c"):
            assert doctor(self.folder / "lab.db").ok, doctor(self.folder / "lab.db")
            again = ew.Campaign("c", store=self.folder / "lab.db")
            assert again.experiments() == self.c.experiments()
            again.close()
            self.c.close()
            shutil.rmtree(self.folder)


TestAnyDay = AnyDay.TestCase
TestAnyDay.settings = settings(
    max_examples=10, stateful_step_count=25, deadline=None, derandomize=True, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
