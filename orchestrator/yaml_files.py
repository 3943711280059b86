"""Reading YAML that people write; each mistake is reported in one sentence."""

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, nearby, shortened

try:
    from yaml._yaml import CParser as Parser  # five times as fast, where PyYAML was built with it
except ImportError:

    class Parser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):  # type: ignore[no-redef]
        def __init__(self, text: str) -> None:
            for part in Parser.__mro__[1:4]:
                part.__init__(self, *([text] if part is yaml.reader.Reader else []))  # type: ignore[misc]


def from_file(path: Path, what: str) -> str:
    """Return the text of a file. Raises UserError; `what` says in its message what was to be read, e.g. `the graph`."""
    try:
        return regular_files.text(path)
    except OSError as error:
        raise UserError(
            f"cannot read {what} {str(path)!r}: {error.strerror}{nearby(path)}"
        ) from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"cannot read {what} {str(path)!r}: {regular_files.not_text(error)}"
        ) from None


def about(text: str) -> str:
    """Return the first sentence of the comment above the settings, whose first line is a command."""
    lines = [
        line.removeprefix("#").strip()
        for line in text.split("\n\n")[0].splitlines()
        if line.startswith("#")
    ]
    comment = " ".join(line for line in lines if not line.startswith("orchestrator "))
    return re.split(r'(?<=\.) (?=[A-Z"])', comment)[0]


DEEPEST = 50
"""Levels of lists and mappings inside one another."""
MOST = 1_000_000
"""Values of a text, those that an alias (`*name`) repeats counted each time."""


class _Refused(Exception):  # noqa: N818  # named for what happens to the text
    """YAML that no file of this project can mean; the message follows the name of the text."""


class _Loader(Composer, Parser, SafeConstructor, Resolver):
    """Refuses a key that stands there twice, and what would take all memory: deep nesting, endless or huge aliases.

    Its values are plain: a date is text; a key `no`, `yes`, `on` or `off` is a name, not false or true.
    """

    def __init__(self, text: str) -> None:
        Parser.__init__(self, text)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self._values = 0
        self._levels: list[int] = []
        """Of each open list or mapping: the levels inside it so far."""
        self._sizes: dict[int, tuple[int, int]] = {}
        """Of each finished node that an alias may name: its values and its levels."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent):
            node = super().compose_node(parent, index)
            if id(node) not in self._sizes:
                raise _Refused("has an alias inside what it stands for, which never ends")
            values, levels = self._sizes[id(node)]
            self._count(values, levels)
            self._levels[-1] = max(self._levels[-1], levels)
            return node
        before = self._values
        self._count(1, 1)
        self._levels.append(0)
        node = super().compose_node(parent, index)
        levels = self._levels.pop() + 1
        if self._levels:
            self._levels[-1] = max(self._levels[-1], levels)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._sizes[id(node)] = self._values - before, levels
        return node

    def _count(self, values: int, levels: int) -> None:
        self._values += values
        if len(self._levels) + levels > DEEPEST:
            raise _Refused(f"has lists or mappings more than {DEEPEST} levels deep")
        if self._values > MOST:
            raise _Refused(
                f"has more than {MOST:,} values, each alias counted as what it stands for"
            )

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:bool":
                key.tag = "tag:yaml.org,2002:str"
            if isinstance(key, yaml.ScalarNode):
                if key.value in keys:
                    raise _Refused(f"says {shortened(repr(key.value))} twice")
                keys.add(key.value)
        return super().construct_mapping(node, deep)


_PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")
_Loader.yaml_constructors = {
    None: SafeConstructor.yaml_constructors[None],
    **{
        name: SafeConstructor.yaml_constructors[name]
        for name in (f"tag:yaml.org,2002:{kind}" for kind in _PLAIN)
    },
    "tag:yaml.org,2002:timestamp": SafeConstructor.construct_yaml_str,
}


def loaded(text: str, where: str) -> Any:
    """Return the plain data of a YAML text: what JSON can say, with dates as text.

    Raises UserError, which names the wrong line; `where` begins its message.
    """
    try:
        return _Loader(text).get_single_data()
    except _Refused as why:
        raise UserError(f"{where} {why}") from None
    except yaml.YAMLError as error:
        line, indented = _place(error, text)
        if line and "\t" in indented:
            raise UserError(
                f"{where}, line {line}: YAML is indented by spaces, and there is a tab"
            ) from None
        problem = getattr(error, "problem", None)
        place = f", line {line}" if line else ""
        reason = f": {problem}" if problem else ""
        raise UserError(f"{where} is not YAML{place}{reason}") from None
    except UnicodeEncodeError:
        raise UserError(f"{where} is not UTF-8 text") from None
    except ValueError as error:  # a value that only looks like a number
        raise UserError(f"{where} is not YAML: {error}") from None


def _place(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """Return the number of the line that is wrong, 0 if it is not known, and what that line is indented by."""
    mark = getattr(error, "problem_mark", None)
    lines = text.splitlines()
    if mark is None or not lines:
        return 0, ""
    number = min(mark.line + 1, len(lines))  # at the end of the text the mark lies behind it
    line = lines[number - 1]
    return number, line[: len(line) - len(line.lstrip())]


def setting(assignment: str, example: str) -> tuple[list[str], Any]:
    """Return the keys and the value of a setting such as `a.b=c` on the command line; the value is YAML. Raises
    UserError."""
    path, equals, text = assignment.partition("=")
    if not equals or not all(keys := path.split(".")):
        raise UserError(f"--set {assignment!r} is no setting; say KEY=VALUE, e.g. {example}")
    return keys, loaded(text, f"--set {shortened(repr(assignment))}")
