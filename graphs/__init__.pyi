from .ablate import at, bind, change, dotted, replace, setting, verified, without, without_sections
from .compile import build
from .config import GraphConfig, names, read, source
from .graph_seat import GraphSeat, Model, seat
from .marks import marks_at
from .prompting import notes_of, requests

__all__ = [
    "GraphConfig",
    "GraphSeat",
    "Model",
    "at",
    "bind",
    "build",
    "change",
    "dotted",
    "marks_at",
    "names",
    "notes_of",
    "read",
    "replace",
    "requests",
    "seat",
    "setting",
    "source",
    "verified",
    "without",
    "without_sections",
]
