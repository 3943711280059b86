"""Who imports whom, read from the sources: `python -m tests.support.imports` counts rooms, arrows and circles.

A room is a folder of a package, or a file that lies directly in the package. Imports that exist for types alone count
as well: they tie files together for a reader.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.support.folders import ROOT

ONE_NAME = "hanabi_orchestrator"
PACKAGES = ("prompts", "orchestrator", "roles", "graphs", "experiments")


def sources(package: str) -> list[Path]:
    """The files of a package, as paths below the repository."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py"))


@cache
def names(path: Path) -> tuple[str, ...]:
    """The dotted names that a file imports, ours by their place in the repository; of `from a import b` both `a` and
    `a.b`, whichever is a module."""
    return tuple(name.removeprefix(f"{ONE_NAME}.") for name in _names(path))


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def files(package: str) -> dict[str, set[str]]:
    """The modules of a package, each with those of the package that it imports."""
    own = {module(path): path for path in sources(package)}
    found = {}
    for name, path in own.items():
        used = set(names(path)) & set(own) - {name}
        # importing a module names its package too; only what is taken from the package itself is an import of it
        found[name] = {
            one for one in used if not any(other.startswith(f"{one}.") for other in used)
        }
    return found


def room(name: str) -> str:
    """`experiments.report.figures.scores` lies in the room `report`; `graphs.node` is a room of its own."""
    return name.split(".")[1] if "." in name else name


def rooms(package: str) -> dict[str, set[str]]:
    """The rooms of a package, each with those of the package that it imports; its face belongs to none."""
    found: dict[str, set[str]] = {}
    for name, used in files(package).items():
        if name == package:
            continue
        others = found.setdefault(room(name), set())
        others |= {room(one) for one in used if one != package} - {room(name)}
    return found


def circle(arrows: Mapping[str, Iterable[str]]) -> list[str]:
    """A circle of imports; empty when there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def main() -> None:
    for package in PACKAGES:
        between = rooms(package)
        arrows = sum(map(len, between.values()))
        loops = [found for found in (circle(between), circle(files(package))) if found]
        print(
            f"{package}: {len(between)} rooms, {arrows} arrows between them, {len(loops)} circles"
        )
        for name, used in sorted(between.items()):
            print(f"  {name} <- {', '.join(sorted(used)) or 'nothing'}")
        for found in loops:
            print(f"  circle: {' -> '.join(found)}")


if __name__ == "__main__":
    main()
