"""Words of the method that the page explains: as the glossary of the documentation has them."""

from __future__ import annotations

import re

GLOSSARY = {
    "aim": "Where the map has to be good: everywhere, which is the default, or near what matters to you.",
    "equalizer": (
        "By how much the variance at a place exceeds that of the middle for geometric reasons alone; divided "
        "out."
    ),
    "error of the map": (
        "Root mean square difference between map and truth over the domain, as estimated, in the unit of the "
        "response."
    ),
    "forecast": "The error of the map that is expected after further experiments.",
    "noise": (
        "Standard deviation of one measurement repeated at the same settings, in the unit of the response."
    ),
    "pending": "Handed out and not yet measured. Suggestions keep away from such places.",
    "plate": "A table of experiments to run, with an empty column for each response to fill in.",
    "space-filling start": (
        "The first experiments of a campaign, spread evenly over the domain, before the values steer the "
        "choice."
    ),
    "strategy": "The rule by which the next experiment is chosen.",
    "stretch": (
        "How many times longer lengths are in the warped domain: more than 1 where the function changes much."
    ),
    "variance": "The square of the map's standard deviation at a place: how uncertain it still is there.",
    "warp": "A stretching of the domain that gives room to where the function changes.",
}


def slug(name: str) -> str:
    """The place of a word in the page of all words."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
