"""A posted form, read whole and closed: texts by field, and files with their bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi import Request
from starlette.datastructures import UploadFile

from equiwarp.exceptions import InvalidInput
from equiwarp.web.bodies import MOST_TABLE_BYTES


@dataclass(frozen=True)
class Posted:
    """Attributes: ``fields`` by name; ``files`` by field, as (file name, bytes)."""

    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        return self.fields.get(name, default)

    def text(self, name: str) -> str | None:
        """The text of a file, or of a field of that name; None if there is neither.

        A file that is not UTF-8 is refused.
        """
        file, data = self.files.get(name, ("", b""))
        return _decoded(data, file) or self.fields.get(name) or None


async def posted(request: Request, fields: int = 64) -> Posted:
    """Read a form."""
    texts: dict[str, str] = {}
    files: dict[str, tuple[str, bytes]] = {}
    # The body as a whole is bounded where it is received.
    async with request.form(max_files=4, max_fields=fields, max_part_size=MOST_TABLE_BYTES) as form:
        for name, value in form.items():
            if isinstance(value, UploadFile):
                files[name] = (value.filename or name, await value.read())
            else:
                texts[name] = value
    return Posted(texts, files)


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name}: it is not UTF-8 text; save it as UTF-8") from None
