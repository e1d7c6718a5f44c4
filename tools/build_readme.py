"""README.md as PyPI shows it: every relative link points into the repository, at the tag of this version.

A hook of the build (``[tool.hatch.metadata.hooks.custom]`` in pyproject.toml). The repository's address is
the one of ``[project.urls]``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: A link or an image of Markdown: `[text](target)`, `![text](target)`.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)")


def absolute(text: str, repository: str, tag: str) -> str:
    """The same Markdown, its relative links (pictures too) under the repository's address."""

    def replace(match: re.Match[str]) -> str:
        mark, label, target = match.groups()
        label = LINK.sub(replace, label)  # a picture can be the text of a link
        if not re.match(r"[a-z]+:|#", target):
            target = f"{repository}/{'raw' if mark else 'blob'}/{tag}/{target}"
        return f"{mark}[{label}]({target})"

    return LINK.sub(replace, text)


class ReadmeHook(MetadataHookInterface):
    """Sets the field `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = absolute(text, metadata["urls"]["Repository"], f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
