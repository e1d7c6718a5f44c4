"""What an examination of a store has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Attributes
    ----------
    level : "ok", "warning" or "error"
    check : str
    message : str
        What was found.
    remedy : str
        What to do; empty where there is nothing to do.
    """

    level: Literal["ok", "warning", "error"]
    check: str
    message: str
    remedy: str = ""


@dataclass(frozen=True)
class Report:
    """All findings on one store."""

    store: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; warnings are not wrong."""
        return all(finding.level != "error" for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"{self.store}: {'sound' if self.ok else 'NOT SOUND'}"]
        for f in self.findings:
            lines.append(f"  {f.level:<8}{f.check}: {f.message}{f'; {f.remedy}' if f.remedy else ''}")
        return "\n".join(lines)
