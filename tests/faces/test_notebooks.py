"""Tutorials and cases can be had as notebooks that were run: cells, printed text and pictures."""

from __future__ import annotations

import importlib.util

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from equiwarp.bench.cases.registry import CASES
from tests.faces.test_docs import DOCS, ROOT
from tests.faces.test_site import blocks

spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebooks)

TUTORIALS = ["tutorials/first-map.md", "tutorials/list.md", "tutorials/failures.md"]
PAGE = """# A page

See [another](b.md#c) and [outside](https://d.example).

```python
x = 6
print(x * 7)
```

```text
42
```

```python
import matplotlib.pyplot as plt

plt.plot([x, 7]);
```
"""


@pytest.mark.parametrize("page", [*TUTORIALS, *(f"cases/{name}.md" for name in CASES)])
def test_every_tutorial_and_case_becomes_a_notebook(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert notebooks.has_code(page, text)
    made = notebooks.notebook_of(text, "https://s.example/cases")
    nbformat.validate(made)
    code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    assert code == [text.rstrip() for kind, text in blocks(page) if kind == "python"]
    assert made.cells[0].source.startswith("# ")
    assert not any("```text" in cell.source for cell in made.cells)


def test_a_notebook_has_what_its_cells_print_and_draw():
    made = notebooks.executed(notebooks.notebook_of(PAGE, "https://s.example/t"))
    assert made.cells[0].source.endswith(
        "[another](https://s.example/t/b.html#c) and [outside](https://d.example)."
    )
    assert made.cells[1].outputs[0].text == "42\n"
    assert "image/png" in made.cells[2].outputs[-1].data
    wrong = PAGE.replace("x * 7", "y * 7")
    with pytest.raises(CellExecutionError, match="NameError"):
        notebooks.executed(notebooks.notebook_of(wrong, "https://s.example/t"))


def test_pages_without_code_and_pages_elsewhere_stay_pages():
    assert not notebooks.has_code("tutorials/index.md", "# no code\n")
    assert not notebooks.has_code("guide.md", PAGE)
    assert notebooks.has_code("tutorials/a.md", PAGE)
