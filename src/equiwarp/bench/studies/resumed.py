"""Studies that can be stopped: records go to a CSV file as they come, and are not computed again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from equiwarp.bench.storage.csv_records import appended, kept_records, read_records

StudyCase = TypeVar("StudyCase", bound=Hashable)
Record = Mapping[str, Any]


def run_cases(
    path: Path,
    kind: type[Any],
    cases: Sequence[StudyCase],
    judge: Callable[[StudyCase], Iterable[Any]],
    case_of: Callable[[Record], StudyCase],
    progress: Callable[[list[StudyCase]], Any] = iter,
    plain: Callable[[Any], Record] = asdict,
) -> list[dict[str, Any]]:
    """Judge the cases that the file lacks, append their records, and return the records of all these cases.

    Parameters
    ----------
    path : Path
        The CSV file; it need not exist.
    kind : dataclass
        What a record is. All records of a case are written together, so one of them means all of them.
    judge : function of a case
        Its records.
    case_of : function of a record
        The case that it belongs to.
    plain : function of a record
        What is written of it; what is returned is read back as it was written.
    """
    done = {case_of(r) for r in kept_records(path)}
    with appended(path, [f.name for f in fields(kind)]) as append:
        for case in progress([case for case in cases if case not in done]):
            append([plain(record) for record in judge(case)])
    wanted = set(cases)
    return [r for r in read_records(path) if case_of(r) in wanted]
