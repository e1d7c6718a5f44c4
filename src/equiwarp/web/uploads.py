"""Tables that arrive over the network: a filled plate or earlier measurements, shown first and then taken.

Nothing is kept on the server between the two: without script the file travels in the page that shows it.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from typing import Any, Literal

from equiwarp._util.plain import plain
from equiwarp.campaign import Campaign
from equiwarp.campaign.plates import Assured, FilledPlate, MeasuredTable, read_measured, read_plate
from equiwarp.exceptions import InvalidInput, TableError
from equiwarp.tables.grid import Table
from equiwarp.tables.table import read_table
from equiwarp.web.bounds import storable
from equiwarp.web.form_data import Posted

What = Literal["plate", "measurements"]
#: Rows that a preview shows; what it counts are all.
SHOWN_ROWS = 200
#: A packed file must not unpack to more than a file may have.
MOST_UNPACKED = 50_000_000


@dataclass(frozen=True)
class Upload:
    """A file as it arrived: its name and its bytes."""

    name: str
    data: bytes

    @classmethod
    def from_base64(cls, text: str, name: str) -> Upload:
        """A file that was sent inside JSON."""
        try:
            return cls(name, base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            raise InvalidInput("base64: this is not the content of a file in base64") from None

    @classmethod
    def of_cells(cls, pasted: str) -> Upload:
        """Cells of a spreadsheet, tabs between them, read as a file with tabs is."""
        return cls("the pasted cells", pasted.encode("utf-8"))

    @classmethod
    def of_form(cls, given: Posted, field: str) -> Upload:
        """The file of a form, or the cells that were pasted instead."""
        file = cls(*given.files.get(field, ("the table", b"")))
        pasted = given.get("pasted")
        return cls.of_cells(pasted) if not file.data and pasted.strip() else file

    def packed(self) -> str:
        """The file as text that a form can hold."""
        return base64.b64encode(zlib.compress(self.data, 6)).decode("ascii")

    @classmethod
    def unpacked(cls, text: str, name: str) -> Upload:
        """The file that :meth:`packed` packed."""
        packed = cls.from_base64(text, name).data
        try:
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(packed, MOST_UNPACKED)
        except zlib.error:
            raise InvalidInput("the form does not hold the file that was shown; choose it again") from None
        if not unpacker.eof:
            raise InvalidInput(f"{name}: more than {MOST_UNPACKED:,} bytes; split it")
        return cls(name, data)

    def read(self, campaign: Campaign, what: What, assured: Assured) -> FilledPlate | MeasuredTable:
        """Everything that it says, checked, and nothing taken yet."""
        table = read_table(self.data, self.name)
        require_storable(table)
        return (read_plate if what == "plate" else read_measured)(campaign, table, assured)


def require_storable(table: Table) -> None:
    """Refuse characters that cannot be seen or stored, in any cell: reasons and samples are kept as texts."""
    for i, row in enumerate(table.rows):
        for name, cell in zip(table.names, row, strict=True):
            try:
                storable(cell)
            except InvalidInput as error:
                raise TableError(table.where(i, name), str(error), "unstorable") from None


def take(upload: Upload, campaign: Campaign, what: What, assured: Assured) -> dict[str, int]:
    """Take all of a file or nothing; how much of what it had."""
    return upload.read(campaign, what, assured).take().counts


def preview(upload: Upload, campaign: Campaign, what: What, assured: Assured) -> dict[str, Any]:
    """What would be taken: columns, the first rows, how many there are and how many would be refused."""
    read = upload.read(campaign, what, assured)
    rows = read.rows
    columns = [name for name in dict.fromkeys(k for row in rows for k in row) if name != "what"]
    refused = sum(row["what"].startswith("REFUSED") for row in rows)
    shown = [[row.get(name) for name in (*columns, "what")] for row in rows[:SHOWN_ROWS]]
    counts = {"count": len(rows), "refused": refused, "notes": read.notes}
    return plain({"columns": [*columns, "what"], "rows": shown, **counts})
