"""How dense code is: `python -m tests.support.density FOLDER ...` prints it.

Lines are those of code: without docstrings, comments, imports and blanks.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

LONG = 100
"""Characters above which a line is long."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Density:
    """What code lines hold: tokens a line, per 1,000 lines the others, and the share of long lines in percent."""

    tokens: float
    nested: float
    """Comprehensions inside another, or with two `for`."""
    pairs: float
    """Assignments `a, b = x, y`."""
    conditionals: float
    comprehensions: float
    splats: float
    """Literals that are unpacked: `*(a, b)`."""
    long: float


def measure(paths: Iterable[Path]) -> Density:
    """Return the density of files together."""
    counts = Counter[str]()
    for path in paths:
        counts += _counts(path.read_text("utf-8"))
    lines = max(counts["lines"], 1)
    shares = {name: 1000 * counts[name] / lines for name in Density.__dataclass_fields__}
    shares["tokens"] /= 1000
    shares["long"] /= 10
    return Density(**shares)


def _counts(text: str) -> Counter[str]:
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    skipped = set[int]()
    for node in nodes:
        if isinstance(node, ast.stmt) and _is_no_code(node):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = set[int]()
    counts = Counter[str]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAYOUT and token.start[0] not in skipped:
            counts["tokens"] += 1
            lines.add(token.start[0])
    rows = text.splitlines()
    counts["lines"] = len(lines)
    counts["long"] = sum(len(rows[number - 1]) > LONG for number in lines)
    for node in nodes:
        counts.update(_kinds(node))
    return counts


def _is_no_code(node: ast.stmt) -> bool:
    """Tell whether a node is an import or a docstring."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom)


def _kinds(node: ast.AST) -> Iterator[str]:
    """Yield what is counted of a node."""
    if isinstance(node, COMPREHENSIONS):
        yield "comprehensions"
        inside = list(ast.walk(node))[1:]
        if len(node.generators) > 1 or any(isinstance(child, COMPREHENSIONS) for child in inside):
            yield "nested"
    elif isinstance(node, ast.IfExp):
        yield "conditionals"
    elif isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple | ast.List):
        yield "splats"
    elif isinstance(node, ast.Assign) and _is_tuple(node.value) and _is_tuple(node.targets[0]):
        yield "pairs"


def _is_tuple(node: ast.AST) -> bool:
    return isinstance(node, ast.Tuple)


def main() -> None:
    for folder in sys.argv[1:]:
        print(folder, measure(sorted(Path(folder).rglob("*.py"))))


if __name__ == "__main__":
    main()
