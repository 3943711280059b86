"""What a mark of a role is: its sentence, its unit, its best value."""

import roles
from orchestrator.errors import UserError
from roles.marks import MarkInfo, infos


def info(role: str, name: str) -> MarkInfo | None:
    """None for a role that is not registered here, and for a mark without words."""
    try:
        return infos(roles.get(role).mark).get(name)
    except UserError:
        return None
