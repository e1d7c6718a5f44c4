"""The form for a new campaign: from its fields to a description, and from mistakes back to the fields.

Rows of parameters and responses are numbered (``p0-low``, ``r1-unit``). A blank row does not count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equiwarp.exceptions import Problem, SpecError, TableError
from equiwarp.spec import DEFAULT_STRATEGY, CampaignSpec
from equiwarp.tables.table import number
from equiwarp.web.creating import spec_of_data

MOST_ROWS = 24
PARAMETER = ("name", "low", "high", "unit", "scale", "step", "levels")
RESPONSE = ("name", "unit", "noise")
#: Path of a field in a description -> field of the form, where it is not a row.
PLAIN = {
    "name": "name",
    "description": "description",
    "strategy": "strategy",
    "seed": "seed",
    "n0": "n0",
    "stop.error": "stop-error",
    "stop.gain_per_experiment": "stop-gain",
    "domain.total": "total",
    "domain.unit": "mixture-unit",
    "domain.dim": "dim",
    "domain.csv": "csv",
    "domain.columns": "csv",
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
        return cls(fields, _rows(fields, "parameters", 2), _rows(fields, "responses", 1))

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
        said = self.problems.setdefault(name, [])
        if message not in said:
            said.append(message)

    def _number(self, name: str) -> float | None:
        text = self.get(name).strip()
        if not text:
            return None
        try:
            return number(text, "")
        except TableError as error:
            self.blame(name, str(error).removeprefix(": ").split("; leave the cell")[0])
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
            domain = _present(
                type=kind, components=components, total=self._number("total"), unit=self.get("mixture-unit")
            )
        else:
            domain = {"type": "box", "parameters": [self._parameter(i) for i in used]}
        return {**domain, **({"constraints": constraints} if constraints else {})}

    def _parameter(self, i: int) -> dict[str, Any]:
        levels = [
            self._level(i, text) for text in re.split(r"[;\s]+", self.get(f"p{i}-levels").strip()) if text
        ]
        return _present(
            name=self.get(f"p{i}-name").strip(),
            low=self._number(f"p{i}-low"),
            high=self._number(f"p{i}-high"),
            unit=self.get(f"p{i}-unit"),
            scale=self.get(f"p{i}-scale", "linear"),
            step=self._number(f"p{i}-step"),
            levels=[level for level in levels if level is not None] or None,
        )

    def _level(self, i: int, text: str) -> float | None:
        try:
            return number(text, "")
        except TableError as error:
            self.blame(f"p{i}-levels", str(error).removeprefix(": "))
            return None

    def _report(self, problem: Problem, rows: dict[str, list[int]]) -> None:
        """Put a mistake at its field."""
        path, message = problem
        if path.startswith("domain.constraints"):
            self.blame("constraints", message)
            return
        found = re.match(r"(?:domain\.)?(parameters|components|responses)[.\[]", path)
        if found:
            self._report_row(found[1], path[found.end() - 1 :], message, rows[found[1]])
            return
        name = PLAIN.get(path, "")
        # What is missing altogether is said where it would be typed.
        if path in ("domain", "domain.parameters", "domain.components", "responses"):
            name = {"responses": "r0-name"}.get(
                path, "p0-name" if self.get("kind", "box") != "sphere" else "dim"
            )
        if name not in self.problems or not message.startswith("is missing"):
            self.blame(name, message if name else f"{path}: {message}")

    def _report_row(self, group: str, rest: str, message: str, rows: list[int]) -> None:
        letter = "r" if group == "responses" else "p"
        columns = RESPONSE if letter == "r" else PARAMETER
        indexed = re.match(r"\[(\d+)\]\.?(.*)", rest)
        if indexed and int(indexed[1]) <= len(rows):
            row, tail = rows[int(indexed[1]) - 1], indexed[2]
        else:
            # Names may hold dots, so each row's name is tried instead of splitting the path.
            tail = rest.removeprefix(".")
            named = ((i, self.get(f"{letter}{i}-name").strip()) for i in rows)
            row, name = next(((i, n) for i, n in named if tail == n or tail.startswith(f"{n}.")), (-1, ""))
            if row < 0:
                self.blame("", f"{group}{rest}: {message}")
                return
            tail = tail[len(name) :].removeprefix(".")
        column = tail.partition("[")[0]
        target = f"{letter}{row}-{column if column in columns else 'name'}"
        if not (target in self.problems and message == "is missing"):  # text that was no number
            self.blame(target, message)


_TYPED = ("name", "low", "high", "unit", "step", "levels")


def _rows(fields: Mapping[str, str], name: str, least: int) -> int:
    text = fields.get(name, "")
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else least
    return min(max(count, 1), MOST_ROWS)


def _present(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != ""}
