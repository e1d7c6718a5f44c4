"""What strangers get: the wheel, the sdist, the metadata and the workflows say what is so."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import equiwarp

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = ROOT / ".github" / "workflows"


def tool(name):
    """A module of tools/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release, lowest, conda, readme = (tool(n) for n in ("release", "lowest", "conda_recipe", "build_readme"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist and the wheel of this tree, as hatchling builds them."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def test_the_wheel_has_every_file_of_the_package_and_no_other(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = wheel.namelist()
    assert release.wheel_faults(names, release.tracked("src/equiwarp")) == []
    for kind in (".html", ".css", ".js", ".csv.gz", "py.typed", "LICENCES.md"):
        assert any(name.endswith(kind) for name in names), kind


def test_what_is_wrong_with_a_wheel_is_named():
    faults = release.wheel_faults(["equiwarp/a.py", "notes.txt"], ["src/equiwarp/a.py", "src/equiwarp/b.css"])
    assert faults == [
        "the wheel lacks equiwarp/b.css",
        "the wheel has notes.txt, which is not under version control",
    ]


def test_the_sdist_is_small_and_whole(built):
    with tarfile.open(built[0]) as sdist:
        names = sdist.getnames()
    assert release.sdist_faults(names, built[0].stat().st_size / 1e6) == []
    heavy = release.sdist_faults(["e-1/LICENSE", "e-1/README.md", "e-1/docs/results/designs/a.npz"], 9.5)
    assert heavy[:2] == ["the sdist lacks pyproject.toml", "the sdist has docs/results/designs/a.npz"]
    assert "9.5 MB" in heavy[2]


def test_the_readme_on_pypi_leads_somewhere(built):
    """No link or picture of it is relative, the text of links that hold pictures included."""
    text = release.description(built[1])
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", text) == []
    repository = PROJECT["urls"]["Repository"]
    assert f"({repository}/raw/v{PROJECT['version']}/docs/images/" in text
    assert f"({repository}/blob/v{PROJECT['version']}/docs/guide.md)" in text
    for path in re.findall(rf"{repository}/(?:raw|blob)/v[^/]+/([^)#]+)", text):
        assert (ROOT / path).exists(), path


def test_relative_links_are_made_absolute_and_others_left_alone():
    text = "[a](docs/a.md#b) [c](#c) [d](https://d) [![e](e.svg)](f.md)"
    assert readme.absolute(text, "https://r", "v1") == (
        "[a](https://r/blob/v1/docs/a.md#b) [c](#c) [d](https://d) "
        "[![e](https://r/raw/v1/e.svg)](https://r/blob/v1/f.md)"
    )
    assert release.link_faults('<a href="docs/a.md"><img src="https://x/y.png"><a href="#z">') == [
        "the README's link 'docs/a.md' is relative"
    ]


def test_there_is_one_version():
    assert equiwarp.__version__ == PROJECT["version"]
    elsewhere = ["src", "CITATION.cff", "tools", ".github"]
    command = ["git", "grep", "-nF", f'"{PROJECT["version"]}"', "--", *elsewhere]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout == ""


def test_nothing_is_published_by_mistake():
    project = {"version": "1.2.0", "urls": {"Homepage": "https://equiwarp.example"}}
    faults = release.publication_faults(project, "## [1.2.0] - unreleased\n", "v1.3.0")
    assert len(faults) == 3
    project["urls"] = {"Homepage": "https://example.org/example"}
    dated = "## [1.2.0] - 2027-01-31\n\n"
    assert release.publication_faults(project, f"{dated}### Added\n\n- this\n", "v1.2.0") == []
    assert "no section" in release.publication_faults(project, f"{dated}- this\n\n### Added\n", "v1.2.0")[0]


def test_floors_are_those_of_every_requirement(tmp_path):
    found = lowest.floors()
    promised = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["web"]]
    for requirement in promised:
        name, _, floor = requirement.partition(">=")
        assert found[name] == floor
    for wrong, reason in (("numpy", "no lowest version"), ("numpy>=2.1", "two floors")):
        other = tmp_path / "pyproject.toml"
        extras = "\n".join(f'{extra} = ["{wrong}"]' for extra in lowest.EXTRAS)
        other.write_text(
            f'[project]\ndependencies = ["numpy>=2.0"]\n[project.optional-dependencies]\n{extras}\n'
        )
        with pytest.raises(SystemExit, match=reason):
            lowest.floors(other)


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    made = yaml.safe_load(conda.recipe(PROJECT, ["hatchling>=1.25"], "0" * 64))
    wanted = [
        r.replace(">=", " >=").replace("matplotlib ", "matplotlib-base ") for r in PROJECT["dependencies"]
    ]
    assert made["requirements"]["run"][1:] == wanted
    assert made["context"]["version"] == PROJECT["version"]
    assert made["about"]["license"] == "MIT"


@pytest.mark.parametrize("path", sorted(WORKFLOWS.glob("*.yml")), ids=lambda path: path.stem)
def test_workflows_call_what_there_is(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for job in jobs.values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for command in [step["run"] for step in job.get("steps", ()) if "run" in step]:
            asked = set(re.findall(r"\bmake ([a-z-]+)", command)) | set(matrix.get("target", ()))
            assert asked <= targets
            for script in re.findall(r"tools/[\w.-]+", command):
                assert (ROOT / script).exists()


def test_every_promised_python_is_tested():
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    tests = yaml.safe_load((WORKFLOWS / "tests.yml").read_text(encoding="utf-8"))
    assert set(promised) <= set(tests["jobs"]["suite"]["strategy"]["matrix"]["python"])
    badge = (ROOT / "docs" / "images" / "python.svg").read_text(encoding="utf-8")
    assert " | ".join(promised) in badge
    assert PROJECT["requires-python"] == f">={min(promised, key=lambda v: int(v[2:]))}"


def test_the_citation_can_be_read():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cff["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(cff)
    assert [a["family-names"] for a in cff["preferred-citation"]["authors"]] == [
        "Jarl", "Sjölund", "Scragg", "Bånkestad",
    ]  # fmt: skip
    assert cff["license"] == PROJECT["license"]


def test_the_changelog_has_versions_and_sections():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.*)$", text, re.M)
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - (unreleased|\d{4}-\d\d-\d\d)", one) for one in versions)
    assert versions[0].startswith(f"[{PROJECT['version']}]")
    sections = re.findall(r"^### (.*)$", text, re.M)
    assert set(sections) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert text.partition("\n### ")[2].count("\n- ") > 20


def test_no_file_names_a_folder_of_somebodys_machine():
    pattern = r"(^|[^[:alnum:]_.-])/(" + "|".join(("work", "opt", "root")) + r")/[[:alnum:]]"
    command = ["git", "grep", "-nIE", pattern, "--", ".", ":!docs/results/designs"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout == ""
