"""A prior that misleads, or says nothing of what is measured."""

from __future__ import annotations

from collections.abc import Iterator

from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject

#: With fewer values nobody can tell.
FEWEST = 8


def misleads(subject: Subject) -> Iterator[MapFinding]:
    """A prior that accounts for next to nothing, so that the map does without it."""
    (worth,) = subject.map.prior_worth()
    if worth is None or worth.helps or subject.n < FEWEST:
        return
    sentence = (
        f"The prior {worth.prior} says nothing of {subject.name}, or misleads: after {subject.n} values it "
        f"accounts for {100 * worth.share:.0f} % of the variation, and it is faded out."
    )
    advice = (
        "Check that its parameters have the same units and that it is about the same response; the map goes "
        "on as if there were none."
    )
    numbers = {"scale": worth.scale, "trust": worth.trust, "share": worth.share}
    yield MapFinding("prior", subject.name, sentence, advice, (), numbers)
