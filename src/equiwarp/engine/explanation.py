"""``Explanation``: why a point was suggested, in numbers and in words."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from equiwarp._util.text import three_digits

Origin = Literal["sequence", "model", "added", "repeat"]


@dataclass(frozen=True)
class Explanation:
    """Why a point was suggested, in numbers; ``str()`` says it in words.

    Attributes
    ----------
    source : "sequence", "model", "added" or "repeat"
        Where the point came from: the space-filling sequence, which is fixed in advance; the strategy,
        which looks at the values; a measurement that was made elsewhere and added; or an experiment that
        somebody wanted to repeat.
    strategy : str
        Name of the strategy.
    variance : float
        Posterior variance at the point as a share of the prior's, 0 to 1; NaN if the strategy has none.
    equalizer : float
        The equalizer g at the point: below 1 near faces and corners, 1 where nothing is corrected.
    stretch : float
        How much the warp stretches lengths at the point; 1 without a warp.
    score : float
        What was maximised; NaN for a point of a sequence.
    works : float
        The probability that the experiment works, 0 to 1, learnt from those that failed; 1 if none has.
    aim : float
        What the place counts for the aim, 0 to 1; 1 if the aim is everywhere, or enters the error instead.
    error_now, error_after : float or None
        Root mean square error of the map over the domain before this experiment and as expected after it, in
        the response's unit, weighted by the aim; None if the strategy does not look that far.
    response : int
        The number of the response that they belong to, whose error falls most; 0 if there is only one.
    name, unit : str
        What people call that response and its unit, where a campaign knows; else empty.
    notes : tuple of str
        What the method did beyond the plain formulas: estimated noise, jitter, thinned data.

    Examples
    --------
    >>> import equiwarp as ew
    >>> s = ew.suggest(ew.Box.unit(1), [[0.0], [1.0]], [0.0, 1.0], noise=0.1)
    >>> s.explain[0].source
    'model'
    >>> str(s.explain[0]).startswith("Chosen by map.")
    True
    """

    source: Origin
    strategy: str = ""
    variance: float = math.nan
    equalizer: float = 1.0
    stretch: float = 1.0
    score: float = math.nan
    works: float = 1.0
    aim: float = 1.0
    error_now: float | None = None
    error_after: float | None = None
    response: int = 0
    name: str = ""
    unit: str = ""
    notes: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Field by field; what is not there (NaN) is the same in both, in Python 3.13 too."""
        if not isinstance(other, Explanation):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(mine == theirs or (mine != mine and theirs != theirs) for mine, theirs in pairs)

    def __str__(self) -> str:
        if self.source == "added":
            return "Measured elsewhere and added; it was not suggested."
        if self.source == "repeat":
            return "A repeat of an earlier experiment, asked for on purpose."
        if self.source == "sequence":
            return "Space-filling start: a point of the campaign's fixed sequence, before values decide."
        return " ".join([*self._sentences(), *(f"Note: {note}." for note in self.notes)])

    def _sentences(self) -> list[str]:
        said = [f"Chosen by {self.strategy}."]
        if self.error_now and self.error_after is not None:
            number = f" of response {self.response}" if self.response else ""
            which, unit = f" of {self.name}" if self.name else number, self.unit and f" {self.unit}"
            now, after = three_digits(self.error_now), three_digits(self.error_after)
            said.append(
                f"Measuring here is expected to lower the map's error{which} from {now}{unit} "
                f"to {after}{unit}, by {_percent(1.0 - self.error_after / self.error_now)}."
            )
        if not math.isnan(self.variance):
            said.append(f"{_percent(self.variance)} of the prior uncertainty remains here.")
        if self.equalizer < 0.995:
            said.append(
                "Near a boundary uncertainty is high in any design; for that it was discounted to "
                f"{_percent(self.equalizer)}."
            )
        if self.stretch > 1.05:
            said.append(f"The response varies here: lengths are stretched {self.stretch:.2f}-fold.")
        elif self.stretch < 0.95:
            said.append(f"The response is flat here: lengths are shrunk to {_percent(self.stretch)}.")
        if self.aim < 0.995:
            said.append(f"For the aim it counts {_percent(self.aim)} of a place that is sure to matter.")
        if self.works < 0.995:
            said.append(
                f"Judging by those that failed, it works with a probability of {_percent(self.works)}."
            )
        return said

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain data.

        Returns
        -------
        dict
            Its attributes by name, ready for JSON: None stands for NaN.
        """
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in asdict(self).items()
        }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
