"""Mutants of a Python file: the file with one small change each, made in its syntax tree."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}

UNTOUCHED = ("annotation", "returns", "decorator_list", "type_params", "bases")
"""Parts of the syntax that say nothing about behaviour."""
UNTOUCHED_KEYWORDS = ("strict", "description", "exclude", "repr")


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    was: str
    """The first line of the changed statement."""
    now: str
    make: Callable[[], str]
    """The whole file, changed."""


@dataclass
class Change:
    """Another value for a field of a node in a syntax tree."""

    node: ast.AST
    name: str
    value: Any

    def swap(self) -> None:
        """Make the change; or, the second time, take it back."""
        was = getattr(self.node, self.name)
        setattr(self.node, self.name, self.value)
        self.value = was


def mutants(file: str, text: str) -> list[Mutant]:
    """All mutants of a file, in the order of its lines."""
    tree = ast.parse(text)
    return [_mutant(file, tree, statement, change) for statement, change in list(_changes(tree))]


def _mutant(file: str, tree: ast.Module, statement: ast.stmt, change: Change) -> Mutant:
    def make() -> str:
        change.swap()
        text = ast.unparse(tree) + "\n"
        change.swap()
        return text

    was = _first_line(statement)
    change.swap()
    now = _first_line(statement)
    change.swap()
    return Mutant(file, statement.lineno, was, now, make)


def _first_line(statement: ast.stmt) -> str:
    """A statement in one line; of an `if`, with the first line of what it guards."""
    lines = [
        line.strip()
        for line in ast.unparse(statement).splitlines()
        if not line.lstrip().startswith("@")
    ]
    return " ".join(lines[: 2 if isinstance(statement, ast.If) else 1])


def _changes(node: ast.AST, statement: ast.stmt | None = None) -> Iterator[tuple[ast.stmt, Change]]:
    if isinstance(node, ast.stmt):
        statement = node
    if isinstance(node, ast.Assert) or (
        isinstance(node, ast.keyword) and node.arg in UNTOUCHED_KEYWORDS
    ):
        return
    if statement is not None:
        yield from ((statement, change) for change in _of(node))
    for name, value in ast.iter_fields(node):
        if name not in UNTOUCHED:
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, ast.AST):
                    yield from _changes(inner, statement)


def _of(node: ast.AST) -> Iterator[Change]:
    """The changes of one node itself."""
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                yield Change(
                    node, "ops", [*node.ops[:at], OPPOSITE[type(op)](), *node.ops[at + 1 :]]
                )
        case ast.BoolOp() | ast.BinOp() | ast.AugAssign() if type(node.op) in OPPOSITE:
            yield Change(node, "op", OPPOSITE[type(node.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield Change(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
        case ast.Constant(value=bool() | int() | float()):
            yield Change(node, "value", _other(node.value))
        case ast.IfExp():
            yield Change(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.If() if not _for_types(node):
            yield Change(node, "body", [ast.Pass()])
        case ast.comprehension() if node.ifs:
            yield Change(node, "ifs", [])
        case _:
            pass


def _other(value: Any) -> bool | int | float:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.25 or 1.0


def _for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
