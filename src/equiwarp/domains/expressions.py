"""Constraints as text: ``"2 * sugar + salt <= 40"``, read with Python's own parser, never evaluated by it.

The text becomes a syntax tree, every node of which must be on a short list: numbers, parameter names,
``+ - * /``, powers with a constant exponent, and comparisons ``<= >= < >``, which may be chained. A
name that is no identifier is written between backticks: ```flow rate` <= 3``. A category is compared with
one of its names, ``solvent != "oil"``; within a term such a comparison counts 1 if it holds and else 0:
``temperature <= 60 + 30 * (solvent == "water")``. All else is refused with its column.

A *term* is what may stand on one side of a constraint, such as the weight of an aim; there every comparison
counts 1 or 0: ``1 + 4 * (temperature > 60)``.
"""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains.view import Array
from equiwarp.exceptions import ExpressionError, InvalidType

#: Longer texts are refused before they are parsed: nesting costs stack.
LONGEST_CONSTRAINT = 2000
#: Deepest nesting; a sum of so many terms is as deep.
DEEPEST = 200
#: Largest exponent; beyond it a power says nothing that a bound would not.
LARGEST_EXPONENT = 10.0
#: Comparisons tolerate this share of the terms' size: 0.1 + 0.2 + 0.7 counts as 1.
TOLERANCE = 1e-9

_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_QUOTED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Expression:
    """An inequality over parameter names, or a term of them; build with :meth:`parse`.

    Attributes
    ----------
    text : str
        As the user wrote it.
    names : tuple of str
        All parameter names of the domain, in the order of its columns.
    """

    text: str
    names: tuple[str, ...]
    quoted: tuple[str, ...] = field(default=(), repr=False)
    categories: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)

    @classmethod
    def parse(
        cls,
        text: str,
        names: Sequence[str],
        categories: Mapping[str, tuple[str, ...]] | None = None,
        term: bool = False,
    ) -> Expression:
        """Read and check a constraint, or a term; :class:`ExpressionError` has the column of the mistake."""
        if not isinstance(text, str):
            raise InvalidType(f"{'a term' if term else 'a constraint'} is text, got {text!r}")
        if len(text) > LONGEST_CONSTRAINT:
            said = f"longer than {LONGEST_CONSTRAINT} characters"
            raise ExpressionError(text[:40] + "...", LONGEST_CONSTRAINT, said)
        if text.count("`") % 2:
            raise ExpressionError(text, text.rindex("`") + 1, "this backtick is not closed")
        quoted = tuple(_QUOTED.findall(text))
        expression = cls(text, tuple(names), quoted, tuple((categories or {}).items()))
        try:
            check = _Check(expression, term)
            check.value(expression.tree) if term else check.whole(expression.tree)
        except ExpressionError:
            _refuse_bare_name(text, names)
            raise
        return expression

    @cached_property
    def source(self) -> str:
        """One line in which backticked names are identifiers of the same length; outer blanks are kept."""
        number = iter(range(len(self.quoted)))
        line = re.sub(r"\s", " ", self.text)
        return _QUOTED.sub(lambda match: _stand_in(next(number)).ljust(len(match[0]), "_"), line)

    @cached_property
    def indent(self) -> int:
        """Blanks before the first character, which Python would take for a block."""
        return len(self.source) - len(self.source.lstrip())

    @cached_property
    def tree(self) -> ast.expr:
        try:
            return ast.parse(self.source.strip(), mode="eval").body
        except SyntaxError as error:
            column = min(max((error.offset or 1) + self.indent, 1), len(self.text) + 1)
            raise ExpressionError(self.text, column, f"not a valid expression ({error.msg})") from None
        except (RecursionError, MemoryError, ValueError) as error:
            raise ExpressionError(self.text, 1, f"too deeply nested or malformed ({error})") from None

    def name_of(self, node: ast.Name) -> str | None:
        """The parameter that a name node stands for, or None."""
        wanted = node.id
        stand_in = re.fullmatch(r"_q([0-9]+)_*", node.id)
        if stand_in and int(stand_in[1]) < len(self.quoted):
            wanted = self.quoted[int(stand_in[1])]
        # Python folds identifiers to NFKC (the micro sign becomes mu), so both sides are folded here.
        folded = unicodedata.normalize("NFKC", wanted)
        return next((n for n in self.names if unicodedata.normalize("NFKC", n) == folded), None)

    def category(self, node: ast.expr) -> tuple[str, tuple[str, ...]] | None:
        """The name and the categories of the parameter that a node stands for; None if it has none."""
        name = self.name_of(node) if isinstance(node, ast.Name) else None
        known = dict(self.categories)
        return (name, known[name]) if name is not None and name in known else None

    def __call__(self, x: Array) -> NDArray[np.bool_]:
        """Whether the constraint holds at each point ``(n, columns)``; where it is undefined, it does not."""
        assert isinstance(self.tree, ast.Compare)
        return np.broadcast_to(self.values(x) > 0, (len(x),))

    def values(self, x: Array) -> Array:
        """The term at each point ``(n, columns)``, ``(n,)``; it may be infinite or undefined."""
        columns = {name: x[:, i] for i, name in enumerate(self.names)}
        with np.errstate(all="ignore"):
            return np.broadcast_to(self._value(self.tree, columns)[0], (len(x),))

    def _holds(self, node: ast.Compare, columns: Mapping[str, Array]) -> NDArray[np.bool_]:
        if found := self.category(node.left):
            same = np.round(columns[found[0]]) == found[1].index(node.comparators[0].value)  # type: ignore[attr-defined]
            return np.asarray(same if isinstance(node.ops[0], ast.Eq) else ~same)
        values = [self._value(side, columns) for side in (node.left, *node.comparators)]
        holds = np.ones((), dtype=bool)
        for operator, (left, size_l), (right, size_r) in zip(node.ops, values[:-1], values[1:], strict=True):
            slack = TOLERANCE * np.maximum(size_l, size_r)
            gap = right - left if isinstance(operator, ast.LtE | ast.Lt) else left - right
            strict = isinstance(operator, ast.Lt | ast.Gt)
            holds = holds & np.isfinite(gap) & (gap > slack if strict else gap >= -slack)
        return np.asarray(holds)

    def _value(self, node: ast.expr, columns: Mapping[str, Array]) -> tuple[Array, Array]:
        """Value and size of a term: the size adds magnitudes, so that cancellation does not hide rounding."""
        if isinstance(node, ast.Constant):
            number = np.asarray(float(node.value))  # type: ignore[arg-type]
            return number, np.abs(number)
        if isinstance(node, ast.Name):
            column = columns[self.name_of(node) or ""]
            return column, np.abs(column)
        if isinstance(node, ast.Compare):
            holds = self._holds(node, columns).astype(float)
            return holds, np.ones_like(holds)
        if isinstance(node, ast.UnaryOp):
            value, size = self._value(node.operand, columns)
            return (-value if isinstance(node.op, ast.USub) else value), size
        assert isinstance(node, ast.BinOp)
        (a, size_a), (b, size_b) = self._value(node.left, columns), self._value(node.right, columns)
        if isinstance(node.op, ast.Add):
            return a + b, size_a + size_b
        if isinstance(node.op, ast.Sub):
            return a - b, size_a + size_b
        if isinstance(node.op, ast.Mult):
            return a * b, size_a * size_b
        if isinstance(node.op, ast.Div):
            return a / b, size_a / np.abs(b)
        return a**b, np.maximum(size_a, np.abs(a)) ** b


def _refuse_bare_name(text: str, names: Sequence[str]) -> None:
    """Say so if a name that needs backticks stands there without them."""
    open_text = _QUOTED.sub(lambda match: " " * len(match[0]), text)
    for name in sorted(names, key=len, reverse=True):
        if name.isidentifier() or name.replace(".", "").isdigit():
            continue
        bare = re.search(r"\s+".join(map(re.escape, name.split())), open_text)
        if bare is not None:
            said = f"the name {name!r} is not a single word; write it between backticks: `{name}`"
            raise ExpressionError(text, bare.start() + 1, said)


#: The name of a category in quotes, a name between backticks, or one that stands by itself.
_WORDS = re.compile(r"""(?P<text>"[^"]*"|'[^']*')|`(?P<quoted>[^`]*)`|(?<![\w.])(?P<bare>[^\W\d]\w*)""")


def renamed(text: str, old: str, new: str) -> str:
    """A constraint or a term with another name for one of its parameters, between backticks if it needs them.

    Names of categories stay, and so do parameters whose names only hold the old one as a part.
    """
    wanted = unicodedata.normalize("NFKC", old)
    written = new if new.isidentifier() and not keyword.iskeyword(new) else f"`{new}`"

    def word(found: re.Match[str]) -> str:
        name = found["bare"] or found["quoted"] or ""
        same = found["text"] is None and unicodedata.normalize("NFKC", name) == wanted
        return written if same else found[0]

    return _WORDS.sub(word, text)


def _stand_in(number: int) -> str:
    return f"_q{number}"


_NO_AND = "'and' is not supported; write each condition as a constraint of its own"
_NO_OR = (
    "'or' is not supported; one condition says it: 'a >= 0 or b >= 0' is 'a + b + ((a - b)**2)**0.5 >= 0', "
    "twice the larger one of a and b. From Python, a callable will do, too"
)


@dataclass(frozen=True)
class _Check:
    """Walks the tree once and refuses whatever is not on the list."""

    expression: Expression
    is_term: bool = False

    def value(self, tree: ast.expr) -> None:
        """A term."""
        self.depth(tree)
        self.term(tree)
        self.mentions(tree)

    def mentions(self, tree: ast.expr) -> None:
        if not any(isinstance(node, ast.Name) for node in ast.walk(tree)):
            self.refuse(tree, f"no parameter is mentioned; there are {', '.join(self.expression.names)}")

    def whole(self, tree: ast.expr) -> None:
        self.depth(tree)
        if isinstance(tree, ast.BoolOp):
            self.refuse(tree, _NO_AND if isinstance(tree.op, ast.And) else _NO_OR)
        if isinstance(tree, ast.Compare) and self.expression.category(tree.left):
            self.choice(tree)
            return
        if not isinstance(tree, ast.Compare):
            self.refuse(tree, "a constraint compares two sides with <= or >=, such as 'a + b <= 1'")
        self.comparison(tree)
        self.mentions(tree)

    def comparison(self, tree: ast.Compare) -> None:
        for operator, right in zip(tree.ops, tree.comparators, strict=True):
            if isinstance(operator, ast.Eq | ast.NotEq):
                self.refuse(
                    right, "an equality leaves no room to measure in; use a Simplex or drop a parameter"
                )
            if not isinstance(operator, ast.LtE | ast.GtE | ast.Lt | ast.Gt):
                self.refuse(right, "only <=, >=, < and > can compare")
        for side in (tree.left, *tree.comparators):
            self.term(side)

    def depth(self, tree: ast.expr) -> None:
        """Level by level rather than by recursion, which is what this protects."""
        level: list[ast.AST] = [tree]
        for _ in range(DEEPEST):
            level = [child for node in level for child in ast.iter_child_nodes(node)]
        if level:
            raise ExpressionError(self.expression.text, 1, f"nested more than {DEEPEST} levels deep")

    def term(self, node: ast.expr) -> None:
        match node:
            case ast.Constant():
                self.number(node)
            case ast.Name():
                if self.expression.name_of(node) is None:
                    known = ", ".join(self.expression.names)
                    self.refuse(node, f"unknown parameter {self.segment(node)!r}; there are {known}")
                if found := self.expression.category(node):
                    example = f"({self.segment(node)} == {found[1][0]!r})"
                    self.refuse(node, f"a category is no number; compare it with a name: {example}")
            case ast.Compare(left=left) if self.expression.category(left):
                self.choice(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                self.term(node.operand)
            case ast.BinOp(op=ast.Pow()):
                self.power(node)
            case ast.BinOp(op=operator) if type(operator) in _OPERATORS:
                self.term(node.left)
                self.term(node.right)
            case ast.Call():
                self.refuse(node, "functions are not supported; from Python, pass a callable instead")
            case ast.Compare() if self.is_term:
                self.comparison(node)
            case ast.Compare():
                self.refuse(node, "a comparison inside a term; write it as a constraint of its own")
            case _:
                self.refuse(
                    node, f"{self.segment(node)!r} is not supported; use numbers, names and + - * / **"
                )

    def choice(self, node: ast.Compare) -> None:
        """A category that is compared with one of its names."""
        _, known = self.expression.category(node.left) or ("", ())
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            self.refuse(node, "a category is compared with == or !=: there is no order among its names")
        name = node.comparators[0]
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            self.refuse(
                name, f"a category is compared with one of its names, in quotes, such as {known[0]!r}"
            )
        if name.value not in known:
            self.refuse(name, f"there is no category {name.value!r}; there are {', '.join(known)}")

    def power(self, node: ast.BinOp) -> None:
        self.term(node.left)
        exponent = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
        if not isinstance(exponent, ast.Constant):
            self.refuse(node.right, "the exponent must be a number")
        self.term(node.right)
        if self.number(exponent) > LARGEST_EXPONENT:
            self.refuse(
                node.right, f"the exponent must lie between -{LARGEST_EXPONENT:g} and {LARGEST_EXPONENT:g}"
            )

    def number(self, node: ast.Constant) -> float:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            self.refuse(node, f"{node.value!r} is not a number")
        try:
            value = float(node.value)
        except OverflowError:
            value = float("inf")
        if not np.isfinite(value):
            self.refuse(node, "this number is too large")
        return value

    def segment(self, node: ast.expr) -> str:
        line = self.expression.source.strip().encode()
        width = len(line[node.col_offset : node.end_col_offset].decode())
        start = self.column(node) - 1
        return self.expression.text[start : start + width]

    def column(self, node: ast.expr) -> int:
        """Characters from 1 in the user's text; the parser counts bytes."""
        before = self.expression.source.strip().encode()[: node.col_offset].decode()
        return self.expression.indent + len(before) + 1

    def refuse(self, node: ast.expr, message: str) -> NoReturn:
        raise ExpressionError(self.expression.text, self.column(node), message)
