"""The conda recipe of an sdist, for conda-forge's staged-recipes: everything in it comes from pyproject.toml.

python tools/conda_recipe.py dist/equiwarp-0.1.0.tar.gz > recipe.yaml
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
#: Where a package has another name on conda-forge.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
RECIPE = """\
# yaml-language-server: $schema=https://raw.githubusercontent.com/prefix-dev/recipe-format/main/schema.json
schema_version: 1

context:
  version: "{version}"

package:
  name: equiwarp
  version: ${{{{ version }}}}

source:
  url: https://pypi.org/packages/source/e/equiwarp/equiwarp-${{{{ version }}}}.tar.gz
  sha256: {digest}

build:
  number: 0
  noarch: python
  script: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation
  python:
    entry_points:
      - equiwarp = {entry}

requirements:
  host:
    - python ${{{{ python_min }}}}.*
    - pip
{host}
  run:
    - python >=${{{{ python_min }}}}
{run}

tests:
  - python:
      imports:
        - equiwarp
      pip_check: true
      python_version: ${{{{ python_min }}}}.*
  - script:
      - equiwarp --version
      - equiwarp demo --budget 24

about:
  homepage: {homepage}
  repository: {repository}
  documentation: {documentation}
  summary: {summary}
  license: {license}
  license_file: LICENSE
"""


def recipe(project: dict, build: list[str], digest: str) -> str:
    """The text of ``recipe.yaml`` (format 1) for conda-forge."""
    urls = project["urls"]
    return RECIPE.format(
        version=project["version"],
        digest=digest,
        entry=project["scripts"]["equiwarp"],
        host=_lines(build),
        run=_lines(project["dependencies"]),
        homepage=urls["Homepage"],
        repository=urls["Repository"],
        documentation=urls["Documentation"],
        summary=project["description"],
        license=project["license"],
    )


def _lines(requirements: list[str]) -> str:
    found = []
    for requirement in requirements:
        name, _, floor = requirement.partition(">=")
        found.append(f"    - {CONDA_NAMES.get(name, name)} >={floor}")
    return "\n".join(found)


if __name__ == "__main__":
    table = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    sha256 = hashlib.sha256(Path(sys.argv[1]).read_bytes()).hexdigest()
    print(recipe(table["project"], table["build-system"]["requires"], sha256), end="")
