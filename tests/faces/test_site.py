"""The site: its pages are in its navigation, their blocks run, every public name has its place."""

from __future__ import annotations

import contextlib
import io
import os
import re

import pytest
import yaml

import equiwarp as ew
from equiwarp.bench.cases.registry import CASES
from tests.faces.test_docs import BLOCK, DOCS, ROOT, Reader, assert_shown, fill_in

#: Pages of the site whose blocks are executed here; the others are in test_docs and beside what they explain.
PYTHON_PAGES = ["tutorials/first-map.md", "tutorials/list.md", "tutorials/failures.md", "faq.md"]
#: Pages with blocks that are executed elsewhere, and where.
ELSEWHERE = {
    "guide.md": "tests/faces/test_docs.py",
    "laboratory.md": "tests/faces/test_docs.py",
    "runs.md": "tests/runner",
    "integrations.md": "tests/integrations",
    "bench.md": "tests/bench",
    "store.md": "tests/store",
    "page.md": "tests/web",
}


@pytest.fixture
def reader(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("EQUIWARP_STORE", "EQUIWARP_CAMPAIGN"):
        monkeypatch.delenv(name, raising=False)
    return Reader(tmp_path)


def blocks(page):
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_a_page_prints_what_it_shows(page, reader):
    said = ""
    assert {language for language, _ in blocks(page)} == {"python", "text"}
    for language, text in blocks(page):
        if language == "text":
            assert_shown(text, said)
            said = ""
        else:
            assert said == "", f"{page} does not show what it prints: {said}"
            with contextlib.redirect_stdout(io.StringIO()) as out:
                reader.follow("python", text)
            said = out.getvalue()
    assert said == ""


def test_start_here_needs_a_spreadsheet_and_no_python(reader):
    assert "python" not in {language for language, _ in blocks("start.md")}
    for language, text in blocks("start.md"):
        for command in re.split(r"^(?=\$ )", text, flags=re.M) if language == "console" else [text]:
            if told := re.match(r"\$ equiwarp tell (\S+)", command):
                assert fill_in(reader.folder / told[1]) in (8, 4)
            reader.follow(language, command)


@pytest.mark.parametrize("name", CASES)
def test_the_first_steps_of_a_case_run(name, reader, capsys):
    try:
        CASES[name]()
    except ew.MissingPart as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    [(language, text)] = blocks(f"cases/{name}.md")
    reader.follow(language, text)
    assert re.match(r"14 experiments, error \d", capsys.readouterr().out)


def pages_in(nav):
    """The paths of a navigation, however deep."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages_in(part)]


def navigation():
    # Tags such as !!python are for MkDocs; nav needs none.
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def test_every_page_is_in_the_navigation():
    site = navigation()
    listed = set(pages_in(site["nav"])) | set(site["not_in_nav"].split())
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert there - listed == set()
    assert listed - there == set()
    assert {f"cases/{name}.md" for name in CASES} <= listed


def test_every_page_with_code_is_executed_somewhere():
    executed = {*PYTHON_PAGES, "start.md", *ELSEWHERE, *(f"cases/{name}.md" for name in CASES)}
    with_code = {
        path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*.md")
        if any(
            language in ("python", "console", "toml")
            for language, _ in BLOCK.findall(path.read_text("utf-8"))
        )
    }
    assert with_code <= executed
    for place in ELSEWHERE.values():
        assert (ROOT / place).exists()


def test_every_public_name_is_on_the_page_of_the_api():
    shown = re.findall(r"^::: equiwarp\.(\w+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.M)
    assert sorted(shown) == sorted(ew.__all__)


def test_the_site_loads_nothing_from_elsewhere():
    site = navigation()
    assert site["strict"] is True
    assert site["theme"]["font"] is False
    assert not [css for css in site["extra_css"] if "//" in css]
    assert "extra_javascript" not in site
