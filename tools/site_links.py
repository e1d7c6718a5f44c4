"""Hooks of the site: no page is left out, links that leave docs/ point to the repository, no Sphinx roles."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: Where files of the repository are read; the package's description says where it is.
REPOSITORY = PROJECT.get("urls", {}).get("Repository", "https://equiwarp.example/repository") + "/blob/main"
LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]+)")


def pages_in(nav: Any) -> list[str]:
    """The paths of a navigation, however deep."""
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in pages_in(part)]


def unlisted(nav: Any, docs: Path) -> list[str]:
    """Pages in a folder that a navigation forgot; notes that are parts of other pages are none."""
    there = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    return [page for page in there if page not in pages_in(nav) and not Path(page).name.startswith("notes")]


def on_config(config: Any) -> Any:
    """A page that nobody has put into the navigation is found under *More*."""
    if found := unlisted(config["nav"], Path(config["docs_dir"])):
        config["nav"].append({"More": found})
    return config


def with_all_names(text: str) -> str:
    """The page of the API, and at its end the public names that have no section of their own yet."""
    import equiwarp

    shown = set(re.findall(r"^::: equiwarp\.(\w+)$", text, re.M))
    rest = [f"::: equiwarp.{name}" for name in equiwarp.__all__ if name not in shown]
    return "\n\n".join([text.rstrip(), "## Further names", *rest]) + "\n" if rest else text


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Rewrite relative links to files of the repository that are not part of the site."""
    if page.file.src_uri == "api.md":
        markdown = with_all_names(markdown)
    here = Path(page.file.abs_src_path).parent

    def outside(match: re.Match[str]) -> str:
        target = (here / match[2]).resolve()
        if target.is_relative_to(Path(config["docs_dir"]).resolve()):
            return match[0]
        if not target.exists():
            raise FileNotFoundError(f"{page.file.src_uri} links to {match[2]}, which is not there")
        return f"{match[1]}{REPOSITORY}/{target.relative_to(ROOT).as_posix()}"

    return LINK.sub(outside, markdown)


#: ``:class:`Box``` of a docstring, as Markdown leaves it.
ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):<code>~?([^<]*)</code>")


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Docstrings name things by Sphinx' roles, which Markdown shows as they are: keep the name."""
    return ROLE.sub(r"<code>\1</code>", html)
