"""The site: its pages are in its navigation, their blocks run, every public name has its place."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
import yaml

import equiwarp as ew
from equiwarp.bench.cases.registry import CASES
from tests.faces.test_docs import BLOCK, DOCS, ROOT, Reader, assert_shown, fill_in

spec = importlib.util.spec_from_file_location("site_links", ROOT / "tools" / "site_links.py")
site_links = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site_links)
#: Pages of the site whose blocks are executed here; the others are in test_docs and beside what they explain.
PYTHON_PAGES = ["tutorials/first-map.md", "tutorials/list.md", "tutorials/failures.md", "faq.md"]


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
    assert re.match(r"random \[\(14, \d.*\nmap \[\(14, \d", capsys.readouterr().out)
    lines = reader.names["axes"].get_lines()
    plt.close(reader.names["figure"])
    assert [list(line.get_xdata()) for line in lines] == [[14, 20], [14, 20]]


def navigation():
    # Tags such as !!python are for MkDocs; nav needs none.
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def test_every_page_is_found_and_every_entry_exists(tmp_path):
    nav = navigation()["nav"]
    listed = set(site_links.pages_in(nav))
    assert {page for page in listed if not (DOCS / page).is_file()} == set()
    assert {f"cases/{name}.md" for name in CASES} <= listed
    (tmp_path / "deep").mkdir()
    for name in ("a.md", "deep/new.md", "notes.md"):
        (tmp_path / name).touch()
    config = {"nav": [{"A": ["a.md"]}], "docs_dir": str(tmp_path)}
    assert site_links.on_config(config)["nav"] == [{"A": ["a.md"]}, {"More": ["deep/new.md"]}]


def test_every_page_with_code_is_executed_somewhere():
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    cases = {f"cases/{name}.md" for name in CASES}
    for page in set(site_links.pages_in(navigation()["nav"])) - cases:
        if {"python", "console", "toml"} & {kind for kind, _ in blocks(page)}:
            assert f'{page.split("/")[-1]}"' in tests, page


def test_what_the_page_of_the_bench_lets_people_write_is_a_function_and_an_arm(reader):
    for _, text in blocks("bench.md")[:2]:
        reader.follow("python", text)
    x, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0.0, 1.0, -1.0])
    assert reader.names["ridge"](x) == pytest.approx(np.tanh([0.0, 10.0, -10.0]))
    assert reader.names["BisectArm"]().start(None).next(x, y).tolist() == [0.5, 0.5]
    compile(blocks("bench.md")[2][1], "bench.md", "exec")  # it reads the folder of a run


def test_every_public_name_is_on_the_page_of_the_api():
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    names = re.compile(r"^::: equiwarp\.(\w+)$", re.M)
    assert set(names.findall(text)) <= set(ew.__all__)  # none that is gone
    assert sorted(names.findall(site_links.with_all_names(text))) == sorted(ew.__all__)
    shorter = text.replace("::: equiwarp.Box\n", "")
    later = site_links.with_all_names(shorter).partition("## Further names")[2]
    assert "::: equiwarp.Box\n" in later


def test_the_site_loads_nothing_from_elsewhere():
    site = navigation()
    assert site["strict"] is True
    assert site["theme"]["font"] is False
    assert not [css for css in site["extra_css"] if "//" in css]
    assert "extra_javascript" not in site
