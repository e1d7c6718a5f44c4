"""``MapFinding``: one thing that a map says about its data: a sentence, its numbers, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: What can be found, the most pressing first.
FindingKind = Literal[
    "aim",
    "constant",
    "contradicted",
    "replicates",
    "noise",
    "drift",
    "prior",
    "no structure",
    "noise unknown",
    "inert",
    "edge",
]


@dataclass(frozen=True)
class MapFinding:
    """One thing that a map says about its data. :meth:`equiwarp.Map.diagnostics` makes it.

    Attributes
    ----------
    kind : str
        "contradicted" (a value that the others contradict), "replicates" (repeated measurements disagree with
        the noise), "noise" (the residuals contradict the stated noise), "noise unknown" (it could not be
        estimated), "no structure" (nothing but noise was found), "constant", "drift" (along the order of
        measurement), "prior" (it misleads, or says nothing), "inert" (a parameter without visible effect),
        "edge" (the function still rises there) or "aim" (no value has come to the level that is aimed at).
    response : str
        The response it is about.
    sentence : str
        What was found.
    advice : str
        What to do.
    experiments : tuple of int
        Those that it is about: ids in the map of a campaign, otherwise rows from 0.
    numbers : mapping of str to float
        What the sentence rests on.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[i / 9] for i in range(10)], [2.0] * 10, noise=0.1)
    >>> [found.kind for found in m.diagnostics()]
    ['constant']
    """

    kind: FindingKind
    response: str
    sentence: str
    advice: str
    experiments: tuple[int, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """Sentence and advice."""
        return f"{self.sentence} {self.advice}"
