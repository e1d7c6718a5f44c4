"""From exceptions to answers: a status, a sentence, and the fields that it is about."""

from __future__ import annotations

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from equiwarp.exceptions import (
    ComputationEnded,
    Conflict,
    EquiwarpError,
    Exhausted,
    Mismatch,
    SpecError,
    StoreBusy,
    StoreError,
    TableError,
)
from equiwarp.web.schemas import Failure, FieldProblem

#: What the handlers turn into answers; anything else is a fault of ours.
EXPECTED = (EquiwarpError,)

#: A message names so many fields at most.
MOST_SAID = 3


def status_of(error: Exception) -> int:
    """The HTTP status of an answer that refuses."""
    if isinstance(error, HTTPException):
        return error.status_code
    if isinstance(error, LookupError):
        return 404
    if isinstance(error, Conflict | Mismatch | Exhausted):
        return 409
    if isinstance(error, ComputationEnded):
        return 503
    if isinstance(error, StoreError):
        return 503 if isinstance(error, StoreBusy) else 500
    return 422


def failure_of(error: Exception) -> Failure:
    """The answer's body."""
    if isinstance(error, SpecError):
        problems = [FieldProblem(path=p.path, message=p.message) for p in error.problems]
        return Failure(message=_utf8(str(error)), problems=_printable(problems))
    if isinstance(error, TableError) and error.problems:
        problems = [FieldProblem(path=p.place, message=str(p)) for p in error.problems]
        return Failure(message=_utf8(str(error)), problems=_printable(problems))
    if isinstance(error, RequestValidationError):
        problems = [
            FieldProblem(path=".".join(str(part) for part in item["loc"]), message=str(item["msg"]))
            for item in error.errors()
        ]
        return Failure(message=_utf8(_summary(error)), problems=_printable(problems))
    if isinstance(error, HTTPException):
        missing = error.detail == "Not Found"  # what Starlette says of an address without a page
        return Failure(message="there is nothing at this address" if missing else _utf8(str(error.detail)))
    return Failure(message=_utf8(str(error)))


def _summary(error: RequestValidationError) -> str:
    """One sentence for those who show nothing but the message: what is wrong with each field.

    A field that may be of several kinds is wrong in as many ways; the first is about the most common.
    """
    said = dict[str, str]()
    for item in error.errors():
        where = ".".join(str(part) for part in item["loc"][:2])
        said.setdefault(where, f"{where}: {item['msg']}")
    more = f"; and {len(said) - MOST_SAID} more" if len(said) > MOST_SAID else ""
    return f"the request cannot be read: {'; '.join([*said.values()][:MOST_SAID])}{more}"


def _printable(problems: list[FieldProblem]) -> list[FieldProblem]:
    """A wrong field's name is the sender's text, which need not be valid."""
    return [FieldProblem(path=_utf8(p.path), message=_utf8(p.message)) for p in problems]


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
