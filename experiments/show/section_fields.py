"""The fields of sections, and of the types in them, as their classes state them: name, type,
meaning."""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from textwrap import dedent
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple

from hanabi_orchestrator.orchestrator.hanabi import cards, moves
from hanabi_orchestrator.roles.sections import Section

ALIASES: dict[str, ModuleType] = {
    **dict.fromkeys(("Colour", "Fireworks", "Mask"), cards),
    **dict.fromkeys(("Listed", "Move"), moves),
}
"""Names of types that are no classes, and the modules that state them."""
OURS = "hanabi_orchestrator."
NAME = re.compile(r"[A-Z]\w+")
"""A name of a type."""
INTERNAL = {"Self", "Section", "Frozen", "silent"}
PARSING = Lock()
"""Python 3.11 may raise SystemError where two threads parse at once, as requests of a page do."""


class Member(NamedTuple):
    """A field or property of a class."""

    name: str
    type: str
    meaning: str
    """In a sentence; empty where the name says it."""


@cache
def members(kind: type) -> tuple[Member, ...]:
    """Return the public fields and properties of a class, in its order; none where its source is
    not at hand."""
    try:
        with PARSING:
            definition = ast.parse(dedent(inspect.getsource(kind))).body[0]
    except OSError:
        return ()
    assert isinstance(definition, ast.ClassDef)
    fields = list[Member]()
    for statement, after in zip(definition.body, [*definition.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and "ClassVar" not in ast.unparse(
            statement.annotation
        ):
            fields.append(
                Member(
                    ast.unparse(statement.target), _text(statement.annotation), _docstring(after)
                )
            )
        elif isinstance(statement, ast.FunctionDef) and statement.returns:
            decorators = []
            for name in statement.decorator_list:
                if isinstance(name, ast.Name):
                    decorators.append(name.id)
            if any(name.endswith("property") for name in decorators):
                meaning = _line(ast.get_docstring(statement) or "")
                fields.append(Member(statement.name, _text(statement.returns), meaning))
    return tuple(
        field for field in fields if not field.name.startswith("_") and field.name not in INTERNAL
    )


def _text(annotation: ast.expr) -> str:
    """Return a type as a reader knows it."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        assert isinstance(annotation.slice, ast.Tuple)
        annotation = annotation.slice.elts[0]
    return (
        ast.unparse(annotation).strip("'").replace("Grounded", "Move").replace("SeatNumber", "int")
    )


def _docstring(statement: ast.stmt | None) -> str:
    """Return the text that stands below a field."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return _line(str(statement.value.value))
    return ""


def _line(text: str) -> str:
    return " ".join(text.split())


def types_of(kinds: Iterable[type]) -> dict[str, type | str]:
    """Return the types that the fields of classes name, and theirs in turn: classes, and the
    meaning of other names."""
    types: dict[str, type | str] = {}
    places = list[tuple[str, str]]()
    for kind in kinds:
        places += _named(kind)
    while places:
        name, module = places.pop(0)
        if name in types or name in INTERNAL:
            continue
        value = vars(sys.modules[module]).get(name)
        if isinstance(value, type) and value.__module__.startswith(OURS):
            types[name] = value
            places += _named(value)
        elif name in ALIASES and (meaning := _alias(name)):
            types[name] = meaning
            places += [
                (word, ALIASES[name].__name__) for word in NAME.findall(meaning.partition("  ")[0])
            ]
    return types


def _named(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the names in the types of a class's fields, each with the module of the class."""
    for member in members(kind):
        for name in NAME.findall(member.type):
            yield name, kind.__module__


def _alias(name: str) -> str:
    """Return the value and the meaning of a name that stands for a type."""
    with PARSING:
        body = ast.parse(inspect.getsource(ALIASES[name])).body
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.Assign) and [
            ast.unparse(target) for target in statement.targets
        ] == [name]:
            return f"{ast.unparse(statement.value)}  {_docstring(after)}"
    return ""


def lines(section: type[Section], *, with_types: bool) -> Iterator[str]:
    """Return the fields of a section, a line each; `with_types`: then those of the types in
    them."""
    yield from _lines(f"{section.name} ({section.__name__})", section)
    types = types_of([section]) if with_types else {}
    yield from ("", "types of these fields:") if types else ()
    for name, kind in types.items():
        yield from (f"{name} = {kind}",) if isinstance(kind, str) else _lines(name, kind)


def _lines(title: str, kind: type) -> Iterator[str]:
    yield f"{title}: {_line(kind.__doc__ or '')}".rstrip(": ")
    for name, kind_of_field, meaning in members(kind):
        yield f"  .{name}: {kind_of_field}{'  ' * bool(meaning)}{meaning}"


def data(section: type[Section]) -> dict[str, Any]:
    """Return a section as plain data."""
    # every class has a hash
    fields = [member._asdict() for member in members(section)]  # type: ignore[arg-type]
    return {
        "name": section.name,
        "class": section.__name__,
        "title": _line(section.__doc__ or ""),
        "fields": fields,
    }
