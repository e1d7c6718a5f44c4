"""Tutorials and cases as executed notebooks: a hook of the site makes one of each page and links it there.

The page is the one source. Its Python blocks become cells and are run in a fresh kernel and an empty folder;
what they print and draw is kept in the notebook. A cell that fails ends the build.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOLDERS = ("tutorials", "cases")
#: Code, or what a page shows as printed, which in a notebook the cell prints itself.
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$\n?", re.M | re.S)
#: Links and pictures that are relative to the page.
RELATIVE = re.compile(r"(\]\()(?!https?:|#)([^)]+)")
SECONDS = 300


def cells_of(page: str, address: str) -> list[tuple[str, str]]:
    """Kind and text of the cells of a page whose relative links start at ``address``."""
    cells, place = [], 0
    for match in BLOCK.finditer(page):
        cells.append(("markdown", page[place : match.start()]))
        if match[1] == "python":
            cells.append(("code", match[2]))
        place = match.end()
    cells.append(("markdown", page[place:]))

    def linked(match: re.Match[str]) -> str:
        return f"{match[1]}{address}/{match[2].replace('.md', '.html')}"

    return [
        (kind, RELATIVE.sub(linked, text).strip() if kind == "markdown" else text.rstrip())
        for kind, text in cells
        if text.strip()
    ]


def notebook_of(page: str, address: str) -> Any:
    """A page as a notebook that has not been run."""
    from nbformat import v4

    make = {"markdown": v4.new_markdown_cell, "code": v4.new_code_cell}
    cells = [make[kind](text) for kind, text in cells_of(page, address)]
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"  # the same at every build
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def executed(notebook: Any) -> Any:
    """The notebook with what its cells print and draw."""
    from nbclient import NotebookClient

    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        return NotebookClient(notebook, timeout=SECONDS, resources=resources).execute()


def has_code(path: str, text: str) -> bool:
    """Whether a page becomes a notebook."""
    return path.split("/")[0] in FOLDERS and any(match[1] == "python" for match in BLOCK.finditer(text))


def on_files(files: Any, config: Any) -> Any:
    """Add a notebook beside every page that becomes one."""
    import nbformat
    from mkdocs.structure.files import File

    for file in files.documentation_pages():
        text = Path(file.abs_src_path).read_text(encoding="utf-8")
        if has_code(file.src_uri, text):
            address = f"{PROJECT['urls']['Documentation']}/{Path(file.src_uri).parent.as_posix()}"
            made = nbformat.writes(executed(notebook_of(text, address)))
            files.append(File.generated(config, f"{file.src_uri.removesuffix('.md')}.ipynb", content=made))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Say on a page that there is a notebook of it."""
    if not has_code(page.file.src_uri, markdown):
        return markdown
    name = Path(page.file.src_uri).stem
    return f"{markdown.rstrip()}\n\n[This page as an executed notebook]({name}.ipynb){{ download }}\n"
