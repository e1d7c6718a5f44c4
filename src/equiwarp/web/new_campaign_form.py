"""The form for a new campaign: from its fields to a description, and from mistakes back to the fields.

Rows of parameters and responses are numbered (``p0-low``, ``r1-unit``). A blank row does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equiwarp.exceptions import Problem, SpecError, TableError
from equiwarp.spec import CampaignSpec
from equiwarp.strategy import DEFAULT_STRATEGY
from equiwarp.tables.cells import read_number
from equiwarp.web.new_campaign import spec_of_data

MOST_FORM_ROWS, FEWEST_COMPONENTS = 24, 3
PARAMETER = ("name", "low", "high", "unit", "scale", "step", "levels")
RESPONSE = ("name", "unit", "noise")
#: Fields of a description that are typed into a field of another name.
SHARED: dict[str | int, str] = {"categories": "levels", "periodic": "scale"}
#: Place of a field in a description -> field of the form, where it is not in a row.
FIELDS: dict[tuple[str | int, ...], str] = {
    ("name",): "name",
    ("description",): "description",
    ("strategy",): "strategy",
    ("seed",): "seed",
    ("n0",): "n0",
    ("stop", "error"): "stop-error",
    ("stop", "gain_per_experiment"): "stop-gain",
    ("domain", "total"): "total",
    ("domain", "unit"): "mixture-unit",
    ("domain", "dim"): "dim",
    ("domain", "csv"): "csv",
    ("domain", "columns"): "csv",
    ("responses",): "r0-name",
}
#: Lists whose items are rows of the form: the letter of their fields, and the fields of a row.
ROWS = {
    ("domain", "parameters"): ("p", PARAMETER),
    ("domain", "components"): ("p", PARAMETER),
    ("responses",): ("r", RESPONSE),
}


@dataclass
class Form:
    """What was typed, and what is wrong with it.

    Attributes
    ----------
    fields : dict of str
    parameters, responses : int
        Rows shown.
    problems : dict of field to messages; those of no field under "".
    """

    fields: dict[str, str] = field(default_factory=dict)
    parameters: int = 2
    responses: int = 1
    problems: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, fields: dict[str, str]) -> Form:
        """From the fields of a posted form."""
        # A mixture of two has one free number, so that a third row is at hand from the start.
        rows = max(
            _rows(fields, "parameters", 2), FEWEST_COMPONENTS if fields.get("kind") == "simplex" else 1
        )
        return cls(fields, rows, _rows(fields, "responses", 1))

    def get(self, name: str, default: str = "") -> str:
        return self.fields.get(name, default)

    def spec(self, csv: str | None) -> CampaignSpec | None:
        """The campaign; None if something is wrong, which ``problems`` then says."""
        data, rows = self._data()
        try:
            spec = spec_of_data(data, csv)
        except SpecError as error:
            for problem in error.problems:
                self._report(problem, rows)
            return None
        return None if self.problems else spec

    def blame(self, name: str, message: str) -> None:
        """Say at a field what is wrong there, once."""
        said = self.problems.setdefault(name, [])
        if message not in said:
            said.append(message)

    def _number(self, name: str) -> float | None:
        text = self.get(name).strip()
        if not text:
            return None
        return self._parsed(name, text)

    def _parsed(self, name: str, text: str) -> float | None:
        """The number that was typed; None if it is none, which is said at the field."""
        try:
            return read_number(text)
        except TableError as error:
            # What to do about a value that is not finite concerns a plate, not a form.
            remedy = f"; {error.remedy}" if error.remedy and error.code != "not_finite" else ""
            self.blame(name, f"{error.message}{remedy}")
            return None

    def _whole(self, name: str) -> int | None:
        value = self._number(name)
        if value is not None and value != int(value):
            self.blame(name, f"must be a whole number, got {value:g}")
            return None
        return None if value is None else int(value)

    def _data(self) -> tuple[dict[str, Any], dict[str, list[int]]]:
        """The description, and for each list in it the form's rows behind its items."""
        used = [i for i in range(self.parameters) if any(self.get(f"p{i}-{k}").strip() for k in _TYPED)]
        told = [i for i in range(self.responses) if any(self.get(f"r{i}-{k}").strip() for k in RESPONSE)]
        rows = {"parameters": used, "components": used, "responses": told}
        responses = [
            _present(
                name=self.get(f"r{i}-name"), unit=self.get(f"r{i}-unit"), noise=self._number(f"r{i}-noise")
            )
            for i in told
        ]
        stop = _present(error=self._number("stop-error"), gain_per_experiment=self._number("stop-gain"))
        data = _present(
            name=self.get("name").strip(),
            description=self.get("description"),
            strategy=self.get("strategy", DEFAULT_STRATEGY),
            seed=self._whole("seed"),
            n0=self._whole("n0"),
            domain=self._domain(used),
        )
        if responses:
            data["responses"] = responses
        return {**data, **({"stop": stop} if stop else {})}, rows

    def _domain(self, used: list[int]) -> dict[str, Any]:
        kind = self.get("kind", "box")
        constraints = [line.strip() for line in self.get("constraints").splitlines() if line.strip()]
        if kind == "candidates":
            return {"type": kind}
        if kind == "sphere":
            domain: dict[str, Any] = _present(type=kind, dim=self._whole("dim"))
        elif kind == "simplex":
            components = [
                _present(name=self.get(f"p{i}-name").strip(), low=self._number(f"p{i}-low")) for i in used
            ]
            constraints += self._most(used)
            domain = _present(
                type=kind, components=components, total=self._number("total"), unit=self.get("mixture-unit")
            )
        else:
            domain = {"type": "box", "parameters": [self._parameter(i) for i in used]}
        return {**domain, **({"constraints": constraints} if constraints else {})}

    def _most(self, used: list[int]) -> list[str]:
        """The most of each component of a mixture, as constraints."""
        most = {i: self._number(f"p{i}-high") for i in used if self.get(f"p{i}-name").strip()}
        return [
            f"`{self.get(f'p{i}-name').strip()}` <= {high!r}" for i, high in most.items() if high is not None
        ]

    def _parameter(self, i: int) -> dict[str, Any]:
        name, scale = self.get(f"p{i}-name").strip(), self.get(f"p{i}-scale", "linear")
        listed = self.get(f"p{i}-levels")
        if ";" in listed and any(letter.isalpha() for letter in listed.lower().replace("e", "")):
            names = [text.strip() for text in listed.split(";")]
            return _present(name=name, categories=names, unit=self.get(f"p{i}-unit"))
        levels = [self._parsed(f"p{i}-levels", text) for text in listed.replace(";", " ").split()]
        return _present(
            name=name,
            low=self._number(f"p{i}-low"),
            high=self._number(f"p{i}-high"),
            unit=self.get(f"p{i}-unit"),
            scale="linear" if scale == "angle" else scale,
            periodic=True if scale == "angle" else None,
            step=self._number(f"p{i}-step"),
            levels=[level for level in levels if level is not None] or None,
        )

    def _report(self, problem: Problem, rows: dict[str, list[int]]) -> None:
        """Put a mistake at its field."""
        name = self._field(problem.keys, rows)
        # Text that was no number leaves its field empty, and has been reported already: so has its row.
        row, wrong = name.partition("-")[0], list(self.problems)
        if name and name in wrong and problem.code == "missing":
            return
        if name and isinstance(problem.keys[-1], int) and any(field.startswith(f"{row}-") for field in wrong):
            return
        self.blame(name, problem.message if name else f"{problem.path}: {problem.message}")

    def _field(self, place: tuple[str | int, ...], rows: dict[str, list[int]]) -> str:
        """The form's field for a place in the description; "" if it has none."""
        for group, (letter, columns) in ROWS.items():
            match place[len(group) :] if place[: len(group)] == group else ():
                case (int(item), *rest):
                    place_in_row = SHARED.get(rest[0], rest[0]) if rest else ""
                    column = place_in_row if place_in_row in columns else "name"
                    return f"{letter}{rows[group[-1]][item]}-{column}"
        if place[:2] == ("domain", "constraints"):
            return "constraints"
        # What is missing altogether is said where it would be typed.
        if place in (("domain",), ("domain", "parameters"), ("domain", "components")):
            return "dim" if self.get("kind", "box") == "sphere" else "p0-name"
        return FIELDS.get(place, "")


_TYPED = ("name", "low", "high", "unit", "step", "levels")


def _rows(fields: Mapping[str, str], name: str, least: int) -> int:
    text = fields.get(name, "")
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else least
    return min(max(count, 1), MOST_FORM_ROWS)


def _present(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != ""}
