"""Reading YAML that people write; each mistake is reported in one sentence."""

from pathlib import Path
from typing import Any

import yaml

from orchestrator.errors import UserError


def from_file(path: Path, what: str) -> str:
    """The text of a file. Raises UserError; `what` says in its message what was to be read, e.g. `the graph`."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {what} {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {what} {str(path)!r}: it is not text") from None


class _DuplicateKey(Exception):  # noqa: N818  # named for what is wrong with a mapping
    """A key stands there twice; YAML would silently take the last."""


class _UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that stands there twice; a key `no`, `yes`, `on` or `off` is a name, not false or true."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:bool":
                key.tag = "tag:yaml.org,2002:str"
        keys = [key.value for key, _ in node.value]
        if twice := next((key for i, key in enumerate(keys) if key in keys[:i]), None):
            raise _DuplicateKey(repr(twice))
        return super().construct_mapping(node, deep)


def loaded(text: str, where: str) -> Any:
    """The plain data of a YAML text. Raises UserError, which names the wrong line; `where` begins its message."""
    try:
        return yaml.load(text, Loader=_UniqueKeyLoader)
    except _DuplicateKey as twice:
        raise UserError(f"{where} says {twice} twice") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark and "'\\t'" in (getattr(error, "problem", None) or ""):
            raise UserError(f"{where}, line {mark.line + 1}: YAML is indented by spaces, and there is a tab") from None
        raise UserError(f"{where} is not YAML{f', line {mark.line + 1}' if mark else ''}") from None
    except ValueError as error:  # a value that only looks like a date or number
        raise UserError(f"{where} is not YAML: {error}") from None


def setting(given: str, example: str) -> tuple[list[str], Any]:
    """The keys and the value of a setting such as `a.b=c` on the command line; the value is YAML. Raises UserError."""
    path, equals, text = given.partition("=")
    if not equals or not all(keys := path.split(".")):
        raise UserError(f"--set {given!r} is no setting; say KEY=VALUE, e.g. {example}")
    try:
        return keys, yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        raise UserError(f"--set {given!r}: {text!r} is not YAML") from None
