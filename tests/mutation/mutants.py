"""Mutants of a Python file: the file with one small change each, made in its syntax tree."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Change = Callable[[], None]
"""Makes one change in a tree."""

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
    text: str
    """The whole file, changed."""


def mutants(file: str, text: str) -> list[Mutant]:
    """All mutants of a file, in the order of its lines."""
    return [_mutant(file, text, number) for number in range(len(list(_changes(ast.parse(text)))))]


def _mutant(file: str, text: str, number: int) -> Mutant:
    tree = ast.parse(text)
    statement, change = list(_changes(tree))[number]
    was = _first_line(statement)
    change()
    now = _first_line(statement)
    return Mutant(file, statement.lineno, was, now, ast.unparse(tree) + "\n")


def _first_line(statement: ast.stmt) -> str:
    """A statement in one line; of an `if`, with the first line of what it guards."""
    lines = [line.strip() for line in ast.unparse(statement).splitlines() if not line.lstrip().startswith("@")]
    return " ".join(lines[: 2 if isinstance(statement, ast.If) else 1])


def _changes(node: ast.AST, statement: ast.stmt | None = None) -> Iterator[tuple[ast.stmt, Change]]:
    if isinstance(node, ast.stmt):
        statement = node
    if isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg in UNTOUCHED_KEYWORDS):
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
            yield from (_put(node.ops, at, OPPOSITE[type(op)]()) for at, op in enumerate(node.ops))
        case ast.BoolOp() | ast.BinOp() | ast.AugAssign() if type(node.op) in OPPOSITE:
            yield _set(node, "op", OPPOSITE[type(node.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield _without_not(node)
        case ast.Constant(value=bool() | int() | float()):
            yield _set(node, "value", _other(node.value))
        case ast.IfExp():
            yield _swapped(node)
        case ast.If() if not _for_types(node):
            yield _set(node, "body", [ast.Pass()])
        case ast.comprehension() if node.ifs:
            yield _set(node, "ifs", [])
        case _:
            pass


def _set(node: Any, name: str, value: Any) -> Change:
    return lambda: setattr(node, name, value)


def _put(row: list[Any], at: int, value: Any) -> Change:
    return lambda: row.__setitem__(at, value)


def _without_not(node: ast.UnaryOp) -> Change:
    """`not x` becomes `not not x`, which is as good as x and keeps the type."""
    return _set(node, "operand", ast.UnaryOp(ast.Not(), node.operand))


def _swapped(node: ast.IfExp) -> Change:
    def swap() -> None:
        node.body, node.orelse = node.orelse, node.body

    return swap


def _other(value: Any) -> bool | int | float:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.25 or 1.0


def _for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
