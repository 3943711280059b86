"""Nodes of one's own code: `python: my_role.py:fives` is `--import my_role.py` and `role: fives`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import roles
from orchestrator.errors import UserError
from orchestrator.plugins import import_own
from roles import Role
from roles.registry import reply_of

Data = dict[str, Any]


def named(data: Data, folder: Path | None = None) -> Data:
    """Return a graph whose nodes name roles alone; files are relative to `folder`. Raises UserError."""
    nodes = data.get("nodes")
    if not isinstance(nodes, dict):
        return data
    changed = {}
    for name, node in nodes.items():
        if isinstance(node, Mapping) and "python" in node:
            if "role" in node:
                raise UserError(f"nodes.{name}: `role` and `python` both say what it is; leave one out")
            rest = {key: value for key, value in node.items() if key != "python"}
            role = _role(f"nodes.{name}.python", str(node["python"]), folder or Path())
            changed[name] = {"role": role, **rest}
    return data | {"nodes": nodes | changed}


def _role(where: str, target: str, folder: Path) -> str:
    """Return the name of the role that a `module:function` or `file.py:function` is."""
    code, _, name = target.rpartition(":")
    if not (code and name.isidentifier()):
        raise UserError(f"{where}: {target!r} names no function; write `file.py:function` or `module:function`")
    try:
        roles.load()  # those of packages and our own come first, so that nobody else passes for their source
        module = import_own(str(folder / code) if code.endswith(".py") else code).load()
    except UserError as error:
        raise UserError(f"{where}: {str(error).removeprefix('--import ')}") from None
    thing = getattr(module, name, None)
    if isinstance(thing, Role):
        return thing.name
    if not reply_of(thing):
        form = f"`def {name}(sections, notes) -> Reply`"
        raise UserError(f"{where}: {target!r} is neither a role nor a function {form} whose reply is a roles.Reply")
    if roles.get(name).solve is not thing:
        raise UserError(f"{where}: there is another role {name!r}, of {roles.source(name)}; give it another name")
    return name
