"""Build what goes to PyPI and conda-forge, and look at it as a stranger would.

    python tools/release.py                    # make release
    python tools/release.py --publish v1.2.3   # the same, and refuse what must not be published

Builds the sdist and the wheel, checks their metadata (twine), what they contain and how big they are, how the
README renders and where its links lead, writes the conda recipe for this sdist, and runs the wheel in a clean
environment. Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Megabytes beyond which something has slipped into the sdist that nobody needs who installs.
LARGEST_SDIST = 4.0


def tracked(folder: str) -> set[str]:
    """Files below a folder that are under version control, as paths from the repository's top."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(listed.stdout.splitlines())


def wheel_faults(names: Iterable[str], sources: Iterable[str]) -> list[str]:
    """What a wheel lacks of the sources ``src/equiwarp/...``, and what it has besides them."""
    inside = {name for name in names if ".dist-info/" not in name}
    wanted = {name.removeprefix("src/") for name in sources}
    return [f"the wheel lacks {name}" for name in sorted(wanted - inside)] + [
        f"the wheel has {name}, which is not under version control" for name in sorted(inside - wanted)
    ]


def sdist_faults(names: Iterable[str], megabytes: float) -> list[str]:
    """What makes an sdist heavy, and what it cannot be built or tested without."""
    inside = {name.partition("/")[2] for name in names}
    faults = [f"the sdist lacks {n}" for n in ("pyproject.toml", "LICENSE", "README.md") if n not in inside]
    faults += [f"the sdist has {name}" for name in sorted(inside) if name.startswith("docs/results/")][:3]
    if megabytes > LARGEST_SDIST:
        faults.append(f"the sdist has {megabytes:.1f} MB, more than {LARGEST_SDIST}: see its excludes")
    return faults


def link_faults(html: str) -> list[str]:
    """Links and pictures of a rendered page that lead nowhere outside the repository."""
    targets = re.findall(r'(?:href|src)="([^"]*)"', html)
    return [
        f"the README's link {t!r} is relative" for t in targets if not re.match(r"https?://|#|mailto:", t)
    ]


def publication_faults(project: dict[str, Any], changelog: str, tag: str) -> list[str]:
    """Why a project (its table in pyproject.toml) must not be published under a tag yet."""
    faults = []
    if tag != f"v{project['version']}":
        faults.append(f"the tag is {tag}, but pyproject.toml says version {project['version']}")
    if not re.search(rf"^## \[{re.escape(project['version'])}\] - \d{{4}}-\d\d-\d\d$", changelog, re.M):
        faults.append(f"CHANGELOG.md has no section [{project['version']}] with a date")
    if "\n- " in changelog.partition("\n### ")[0]:
        faults.append("CHANGELOG.md has lines in no section: sort them into Added, Changed, Fixed")
    return faults + unset_addresses(project["urls"])


def unset_addresses(urls: dict[str, str]) -> list[str]:
    """Addresses that stand for ones yet to be set."""
    return [
        f"[project.urls] {name} = {url!r} is a placeholder: set it"
        for name, url in urls.items()
        if re.match(r"https://[^/]*\.example(/|$)", url)
    ]


def description(wheel: Path) -> str:
    """The long description of a wheel, as Markdown."""
    with zipfile.ZipFile(wheel) as opened:
        (name,) = [n for n in opened.namelist() if n.endswith(".dist-info/METADATA")]
        message = email.message_from_bytes(opened.read(name))
    return str(message.get_payload(decode=True).decode("utf-8"))


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel built from it."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def faults_of(sdist: Path, wheel: Path) -> list[str]:
    """Everything that is wrong with the two files."""
    from readme_renderer.markdown import render

    html = render(description(wheel))
    with zipfile.ZipFile(wheel) as opened:
        found = wheel_faults(opened.namelist(), tracked("src/equiwarp"))
    with tarfile.open(sdist) as opened_sdist:
        found += sdist_faults(opened_sdist.getnames(), sdist.stat().st_size / 1e6)
    return found + (["the README does not render"] if html is None else link_faults(html))


def try_out(wheel: Path) -> None:
    """Install the wheel into an environment of its own and use it from an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        venv.create(home / "venv", with_pip=True)
        python = home / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        for step, extras in (("core", ""), ("page", "[web,excel]")):
            install = [python, "-m", "pip", "install", "--quiet", f"{wheel}{extras}"]
            subprocess.run(install, check=True)
            subprocess.run([python, "-P", ROOT / "tools" / "try_wheel.py", step], cwd=home, check=True)


def refuse(faults: list[str]) -> None:
    """End with exit code 1 and the list, if there is one."""
    if faults:
        raise SystemExit("\n".join(faults))


def main() -> None:
    """Do all of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--publish", metavar="TAG", help="refuse what must not be published under this tag")
    tag = parser.parse_args().publish
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if tag:
        refuse(publication_faults(project, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), tag))
    sdist, wheel = build(ROOT / "dist")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel], check=True)
    refuse(faults_of(sdist, wheel))
    recipe = sdist.with_name("recipe.yaml")
    command = [sys.executable, ROOT / "tools" / "conda_recipe.py", sdist]
    recipe.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    try_out(wheel)
    for made in (sdist, wheel, recipe):
        print(f"{made.relative_to(ROOT)}  {made.stat().st_size / 1e6:.2f} MB")
    for fault in unset_addresses(project["urls"]):
        print(f"before publication: {fault}")


if __name__ == "__main__":
    main()
