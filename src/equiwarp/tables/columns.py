"""The columns of a campaign's tables: how we call them, and how people do.

We write ``temperature (°C)``. People write ``Temperature``, ``temperature [°C]`` or ``temperature / °C``,
and all of these are found; another unit than the campaign's is refused, because a factor of a thousand
would go unnoticed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from equiwarp.domains import Domain
from equiwarp.exceptions import TableError
from equiwarp.tables.decimals import decided
from equiwarp.tables.grid import Table
from equiwarp.tables.mistakes import Mistakes

#: A name, and behind it a unit in brackets or after a stroke.
_WITH_UNIT = re.compile(r"(?P<name>.*\S)\s*(?:\((?P<a>[^()]*)\)|\[(?P<b>[^\[\]]*)\]|\s/\s*(?P<c>\S.*))")

#: What may stand between a name and its unit otherwise: T/K, c/(mol/L), "time, h", "mass in g".
_OTHERWISE = re.compile(r"(?:\s*[/,]|\s+in\s)\s*(?P<unit>.+)")


def noise_name(response: str) -> str:
    """What the column with the noise of a response is called in everything that we write."""
    return f"noise {response}"


@dataclass(frozen=True)
class CampaignColumns:
    """Parameters and responses of a campaign with their units; a unit is empty where none was given.

    ``blocks`` are recorded with every experiment, and so is a ``sample``.
    """

    parameters: Mapping[str, str]
    responses: Mapping[str, str]
    blocks: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        domain: Domain,
        responses: Sequence[str],
        units: Mapping[str, str] | None = None,
        blocks: Sequence[str] = (),
    ) -> CampaignColumns:
        """The columns of a domain and of these responses; ``units`` are those of the responses."""
        known = {row["name"]: row["unit"] for row in domain.describe()}
        parameters = {name: known.get(name, "") for name in domain.names}
        return cls(parameters, {name: (units or {}).get(name, "") for name in responses}, tuple(blocks))

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of every column that we know, by its name."""
        noise = {noise_name(name): unit for name, unit in self.responses.items()}
        bare = next(iter(self.responses.values())) if len(self.responses) == 1 else ""
        texts = dict.fromkeys(("id", "failed", "sample", *self.blocks), "")
        return {**texts, "noise": bare, **noise, **self.parameters, **self.responses}

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns that we know and that hold numbers, ids aside; no name of a category reads as one."""
        texts = {"id", "failed", *self.beside}
        return tuple(name for name in self.units if name not in texts)

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns of texts that are recorded with an experiment."""
        ours = {*self.parameters, *self.responses}  # before there were samples, one could be called so
        return tuple(name for name in (*self.blocks, "sample") if name not in ours)

    def header(self, name: str) -> str:
        """How a column is headed in what people fill in: with its unit."""
        unit = self.units.get(name, "")
        return f"{name} ({unit})" if unit else name

    def matched(self, table: Table) -> Table:
        """The table with our names for the columns that we know; others keep theirs. Decimals are decided."""
        mistakes, found = Mistakes(table.source), dict[int, str]()
        for i, head in enumerate(table.names):
            name, unit = self._known(head)
            if name is None:
                continue
            with mistakes.noted():
                self._require_unit(table, head, name, unit)
            if name in found.values():
                first = table.names[next(k for k, taken in found.items() if taken == name)]
                said = f"the columns {first!r} and {head!r} are both {name!r}"
                mistakes.note(TableError(table.source, said, "header", "remove one of them"))
            found[i] = name
        mistakes.check()
        renamed = table.renamed(found)
        renamed.require_sound(found.values(), self.beside)
        compared = tuple(self.parameters) if "id" in found.values() else ()  # with what was handed out
        return decided(renamed, self.numbers, compared)

    def _known(self, head: str) -> tuple[str | None, str]:
        """Our name for a heading and the unit that stands in it; None if we do not know it."""
        if head in self.units:
            return head, ""
        split = _WITH_UNIT.fullmatch(head)
        name = self._by_case(head)
        if name is not None:
            return name, ""
        if split is not None and (name := self._by_case(split["name"])) is not None:
            return name, next(u for u in split.group("a", "b", "c") if u is not None)
        return self._with_own_unit(head), ""

    def _with_own_unit(self, head: str) -> str | None:
        """The column whose name and unit stand in a heading in another way; the unit must be the campaign's.

        Otherwise ``A/B`` could be A in B as well as a quotient.
        """
        named = [name for name, declared in self.units.items() if declared and _stands(name, declared, head)]
        as_typed = [name for name in named if head.startswith(name)]
        found = as_typed or named  # k and K may both be rates
        return found[0] if len(found) == 1 else None

    def _by_case(self, text: str) -> str | None:
        """The column of this name, in whichever case it was typed, if there is one such."""
        if text in self.units:
            return text
        alike = [name for name in self.units if _folded(name) == _folded(text)]
        return alike[0] if len(alike) == 1 else None

    def _require_unit(self, table: Table, head: str, name: str, unit: str) -> None:
        declared = self.units[name]
        if unit.strip() and declared and not same_unit(unit, declared):
            raise TableError(
                f"{table.source}, column {head!r}",
                f"the unit is {unit.strip()!r}, but {name} is in {declared!r}",
                "unit",
                "convert the values, or correct the header",
            )


def _stands(name: str, declared: str, head: str) -> bool:
    """Whether a heading is this name in whichever case, and behind a stroke, a comma or "in" its unit."""
    if not _folded(head).startswith(_folded(name)):
        return False
    found = _OTHERWISE.fullmatch(head[len(name) :])
    unit = found["unit"] if found else ""
    return any(same_unit(one, declared) for one in (unit, unit.removeprefix("(").removesuffix(")")))


def same_unit(one: str, other: str) -> bool:
    """Whether two texts are one unit: blanks, look-alike letters and a misread encoding aside."""
    return _plain_unit(one) == _plain_unit(other)


def _plain_unit(text: str) -> str:
    # Excel reads UTF-8 without a mark as Windows' own encoding and saves what it saw.
    with suppress(UnicodeEncodeError, UnicodeDecodeError):
        text = text.encode("cp1252").decode("utf-8")
    return "".join(unicodedata.normalize("NFKC", text).split())


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
