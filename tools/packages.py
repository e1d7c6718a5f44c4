"""The picture of the packages and their imports in CONTRIBUTING: ``python tools/packages.py``.

Each row is a package, lowest layer first, with the first sentence of its docstring. A dot says that it
imports the package of that column, and its size in how many places. All dots lie to the left of the diagonal:
nothing imports upwards. ``tests/test_layers.py`` enforces it, and fails when this picture is out of date.
"""

from __future__ import annotations

import ast
from collections import Counter
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "equiwarp"
PICTURE = ROOT / "docs" / "images" / "packages.svg"
#: Pixels: height of a row, width of a column of dots, where the dots begin.
ROW, COLUMN, NAMES, WORDS = 26, 26, 112, 560
INK, QUIET, LINE, DOT = "#1b1f24", "#565e67", "#e3e6e9", "#0072B2"


def package_of(path: Path) -> str | None:
    """The package or loose module that a file belongs to; None for `equiwarp` itself."""
    first = path.relative_to(SOURCE).parts[0]
    return None if first == "__init__.py" else first.removesuffix(".py")


def imports() -> Counter[tuple[str, str]]:
    """How many import statements of one package name another one."""
    found: Counter[tuple[str, str]] = Counter()
    for path in SOURCE.rglob("*.py"):
        own = package_of(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = []
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                named = [node.module]
                if node.module == "equiwarp":
                    named = [f"equiwarp.{alias.name}" for alias in node.names]
            others = {name.split(".")[1] for name in named if name.startswith("equiwarp.")}
            found.update((own, other) for other in others if own not in (None, other))
    return found


def purpose(package: str) -> str:
    """The first sentence of a package's docstring."""
    file = SOURCE / package / "__init__.py"
    file = file if file.exists() else SOURCE / f"{package}.py"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).removesuffix(".")


def draw(order: list[str], found: Counter[tuple[str, str]]) -> str:
    """The picture as SVG; the same imports give the same text."""
    left = NAMES + WORDS
    width, height = left + COLUMN * len(order) + 20, 96 + ROW * len(order)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for i, name in enumerate(order):
        x, y = left + COLUMN * i + COLUMN // 2, 88 + ROW * i
        parts += [
            f'<line x1="10" x2="{width - 10}" y1="{y + 9}" y2="{y + 9}" stroke="{LINE}"/>',
            f'<text x="12" y="{y}" fill="{INK}" font-weight="600">{escape(name)}</text>',
            f'<text x="{NAMES}" y="{y}" fill="{QUIET}">{escape(purpose(name)[:86])}</text>',
            f'<text x="{x}" y="76" fill="{INK}" transform="rotate(-55 {x} 76)">{escape(name)}</text>',
            f'<rect x="{x - 4}" y="{y - 9}" width="8" height="8" fill="{LINE}"/>',
        ]
        for j, other in enumerate(order):
            count = found[name, other]
            if count:
                radius = 2.5 + min(count, 40) ** 0.5
                parts.append(
                    f'<circle cx="{left + COLUMN * j + COLUMN // 2}" cy="{y - 5}" r="{radius:.1f}" '
                    f'fill="{DOT}"><title>{name} imports {other}: {count}</title></circle>'
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


def picture() -> str:
    """The picture of the source as it is, packages in the order of the layers' test."""
    from tests.test_layers import ORDER

    return draw([name for layer in ORDER for name in layer], imports())


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(ROOT))
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"Wrote {PICTURE.relative_to(ROOT)}.")
