"""Writes the pages of the site: the documentation, and the tables of code, from the data that commands print.

`make docs` runs `python -m docs.site build/docs` and then Zensical, which reads mkdocs.yml. README is the first page.
"""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, get_type_hints

import griffe
from rich.console import Console
from typer.main import get_command

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.cli.app import app
from hanabi_orchestrator.experiments.document import markdown
from hanabi_orchestrator.experiments.record.measures import METRICS, metadata
from hanabi_orchestrator.experiments.record.rows import Number, Row
from hanabi_orchestrator.experiments.show import graph_tree, listing, section_fields
from hanabi_orchestrator.experiments.study.experiment import experiments
from hanabi_orchestrator.roles.role_definition import Role

ROOT = Path(__file__).parent.parent
TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages that do not lie in docs/, with their names on the site."""
PACKAGES = ("orchestrator", "roles", "graphs", "experiments")


def write(folder: Path) -> None:
    """Write all pages anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "pictures", folder / "pictures")
    sources = (*(ROOT / name for name in TOP), *(ROOT / "docs").glob("*.md"))
    pages = {_name(path): page(path) for path in sources}
    pages |= {
        "commands.md": commands(),
        "roles.md": role_pages(),
        "graphs.md": graph_pages(),
        "columns.md": columns(),
    }
    pages |= {f"api-{package}.md": signatures(package) for package in PACKAGES}
    for name, text in pages.items():
        (folder / name).write_text(text, "utf-8")


def _name(path: Path) -> str:
    return TOP.get(path.relative_to(ROOT).as_posix(), path.name)


def page(path: Path) -> str:
    """Return a page of the repository with the site's links; a link to a file that is no page becomes its text."""

    def linked(found: re.Match[str]) -> str:
        text, target, anchor = found.groups()
        if "://" in target or not target:
            return found[0]
        there = (path.parent / target).resolve()
        if there.suffix == ".png":
            return f"{text}(pictures/{there.name})"
        on_site = there.parent == ROOT / "docs" or there.relative_to(ROOT).as_posix() in TOP
        return f"{text}({_name(there)}{anchor})" if on_site else text[1:-1]

    text = re.sub(r"(\[[^\]]*\])\(\s*([^)#\s]*)(#[^)\s]*)?\s*\)", linked, path.read_text("utf-8"))
    return re.sub(r"^```(\w+) title=(\S+)$", r'```\1 title="\2"', text, flags=re.M)


def commands() -> str:
    """Return each command with its help and options."""
    note = "These tables are built from the commands' help. Options of `orchestrator` may stand anywhere on the line."
    parts = ["# Commands", note]
    for name, command in _commands("orchestrator", get_command(app)):
        rows = [_option(option) for option in command.params if not option.hidden]
        parts += [
            f"## {name}",
            command.help or "",
            *_table(("option", "takes", "default", "means"), rows),
        ]
    return "\n\n".join(parts)


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Return a command, then those below it; groups without options of their own are left out."""
    if not hasattr(command, "commands") or any(not option.hidden for option in command.params):
        yield name, command
    for part, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from _commands(f"{name} {part}", below)


def _option(option: Any) -> tuple[str, ...]:
    flag = getattr(option, "is_flag", False)
    takes = "" if flag else option.metavar or _kind(option.type_descriptor.annotation)
    default = (
        ""
        if flag or option.default in (None, (), []) or callable(option.default)
        else f"`{option.default}`"
    )
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    words = option.help or ("required" if option.required else "")
    return (
        names if option.opts[0].startswith("-") else f"`{option.name.upper()}`",
        takes,
        default,
        words,
    )


def _kind(annotation: Any) -> str:
    names = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "Path": "PATH"}
    inner = [
        kind for kind in getattr(annotation, "__args__", (annotation,)) if kind is not type(None)
    ]
    return names.get(getattr(inner[0], "__name__", ""), "|".join(map(str, inner)))


def role_pages() -> str:
    """Return the roles: the table that `list roles` prints, and each with its sections, options and marks."""
    every = [
        role for role in map(roles.get, roles.names()) if roles.source(role.name) == "built-in"
    ]
    rows = [(f"[{role.name}](#{role.name})", listing.played_by(role), role.title) for role in every]
    parts = ["# Roles", *_table(("role", "played by", "what for"), rows)]
    parts += [part for role in every for part in _role(role)] + ["# Sections"]
    for data in map(section_fields.data, roles.SECTIONS.values()):
        parts += [f"## {data['name']} (`{data['class']}`)", data["title"]]
        fields = [
            (f"`.{field['name']}`", f"`{field['type']}`", field["meaning"])
            for field in data["fields"]
        ]
        parts += _table(("field", "type", "is"), fields)
    return "\n\n".join(parts)


def _role(role: Role) -> Iterator[str]:
    data = listing.role_data(role)
    yield f"## {role.name}"
    yield role.title
    yield f"Sections: {', '.join(data['takes'])}. Its program needs: {', '.join(data['needs']) or 'none'}."
    for name, values in data["options"].items():
        yield f"Option `{name}`: {', '.join(f'`{value}`' for value in values)}; the first is the default."
    marks = [
        (f"`{mark['name']}`", mark["says"], mark["unit"], _best(mark), mark["uniform"])
        for mark in data["marks"]
    ]
    yield from _table(("mark", "is", "unit", "best", "uniform guess"), marks)
    if data["not_marked"]:
        yield f"Not marked: {data['not_marked']}"


def _best(mark: dict[str, Any]) -> str:
    return "" if mark["best"] is None else f"{mark['best']:.2g}"


def graph_pages() -> str:
    """Return the graphs, rule players and packaged experiments, as `list` prints them, and each graph as a tree."""
    names = [name for name in graphs.names() if graphs.source(name) == "built-in"]
    trees = (part for name in names for part in (f"### {name}", f"```text\n{_tree(name)}```"))
    tables = {
        "Graphs": listing.graphs_table(),
        "Partners": listing.partners_table(),
        "Experiments": listing.rows_table(experiments()),
    }
    parts = (
        part for title, rows in tables.items() for part in (f"## {title}", *markdown.blocks([rows]))
    )
    return "\n\n".join(("# Graphs, partners, experiments", *parts, "## Each graph", *trees))


def _tree(name: str) -> str:
    screen = Console(file=StringIO(), width=100, no_color=True)
    graph_tree.show_graph(graphs.read(name), screen)
    assert isinstance(screen.file, StringIO)
    return "\n".join(line.rstrip() for line in screen.file.getvalue().splitlines()) + "\n"


def columns() -> str:
    """Return the columns of results.csv and the metrics that arms can be compared by."""
    docstrings = griffe.load(
        "hanabi_orchestrator.experiments.record.rows", search_paths=[ROOT / "src"]
    )["Row"].members
    columns = [
        (
            f"`{name}`",
            _sentence(_meaning(hint) or docstrings[name].docstring.value.replace("\n", " ")),
        )
        for name, hint in get_type_hints(Row, include_extras=True).items()
    ]
    metrics = [
        (f"`{key}`", _sentence(it.says), it.unit, it.better or "") for key, it in METRICS.items()
    ]
    parts = [
        "# Columns and metrics",
        "## results.csv",
        *_table(("column", "is"), columns),
        "## Metrics",
    ]
    parts.append(
        "`--metric` takes each of these, and `mark:ROLE.NAME` for a mark of a [role](roles.md)."
    )
    return "\n\n".join((*parts, *_table(("metric", "is", "unit", "better"), metrics)))


def _meaning(hint: object) -> str:
    """Return the words that a column declares of its number, if it holds one."""
    return next((number.says for number in metadata(hint) if isinstance(number, Number)), "")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def signatures(package: str) -> str:
    """Return the page of a package, whose docstrings mkdocstrings reads."""
    name = f"hanabi_orchestrator.{package}"
    parts = [f"# {package}", f"Import these names from `{name}` itself."]
    parts += [f"::: {name}.{part}" for part in sorted(import_module(name).__all__, key=str.lower)]
    return "\n\n".join(parts)


def _table(titles: Iterable[str], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows as a table of Markdown, in which cells are Markdown, too; no rows, no table."""
    lines = [
        " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) for row in rows
    ]
    head = " | ".join(titles)
    return (
        ["\n".join(f"| {line} |" for line in (head, re.sub(r"[^|]+", "---", f" {head} "), *lines))]
        if rows
        else []
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]))
