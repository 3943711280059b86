"""The size and the language of the code, counted from the sources: `python -m tests.support.sizes`.

Names that say nothing of their value (pronouns, participles) and private functions that are used once make code long to
read; the tests hold both low.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.support.folders import ROOT
from tests.support.imports import PACKAGES, rooms, sources

NAMELESS = {
    "found",
    "one",
    "made",
    "there",
    "said",
    "told",
    "given",
    "asked",
    "kept",
    "shown",
    "known",
    "wanted",
    "left",
    "whole",
    "own",
    "here",
    "others",
    "gone",
    "begun",
    "beside",
    "apart",
    "drawn",
    "listed",
    "taken",
    "of",
    "who",
    "whose",
}
"""Names of arguments, variables and functions that say nothing of their value."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"))


def bound_names(path: Path) -> Iterator[str]:
    """Every name that a file binds: its functions, their arguments and its variables."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def nameless(paths: Iterable[Path]) -> tuple[float, Counter[str]]:
    """The share of bound names that say nothing, from 0 to 1, and how often each of them stands."""
    names = Counter(name.strip("_") for path in paths for name in bound_names(path))
    poor = Counter({name: count for name, count in names.items() if name in NAMELESS})
    return poor.total() / max(names.total(), 1), poor


def private_functions(path: Path) -> tuple[int, int]:
    """The private functions of a file, and those of them with at most five lines that are used once."""
    functions = {
        node.name: (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("_")
        and not node.name.startswith("__")
        and not any(
            "validator" in ast.unparse(one) or "serializer" in ast.unparse(one)
            for one in node.decorator_list
        )
    }
    uses = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    )
    return len(functions), sum(lines <= 5 and uses[name] == 1 for name, lines in functions.items())


def lines(paths: Iterable[Path]) -> int:
    return sum(len((ROOT / path).read_text("utf-8").splitlines()) for path in paths)


def floors(arrows: dict[str, set[str]]) -> int:
    """The longest chain of rooms that import each other one after the other."""

    @cache
    def height(room: str) -> int:
        return 1 + max((height(other) for other in arrows.get(room, ())), default=0)

    return max(map(height, arrows), default=0)


def main() -> None:
    total = 0
    for package in PACKAGES:
        paths = sources(package)
        arrows = rooms(package)
        size = lines(paths)
        total += size
        share, words = nameless(paths)
        private, short = map(sum, zip(*map(private_functions, paths), strict=True))
        common = ", ".join(f"{word} {count}" for word, count in words.most_common(4)) or "none"
        print(f"{package}: {len(paths)} files, {size:,} lines")
        print(
            f"  {len(arrows)} rooms, {sum(map(len, arrows.values()))} arrows between them, {floors(arrows)} floors"
        )
        print(f"  {100 * share:.1f} % of the names say nothing of their value: {common}")
        per = 1000 / max(size, 1)
        print(
            f"  private functions per 1,000 lines: {private * per:.1f}; short and used once: {short * per:.1f}"
        )
    tests = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")]
    print(f"all packages: {total:,} lines; tests: {len(tests)} files, {lines(tests):,} lines")


if __name__ == "__main__":
    main()
