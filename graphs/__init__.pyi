from .ablate import add, at, bind, change, replace, setting, verified, without, without_sections
from .config import GraphConfig, names, read, source
from .graph_seat import GraphSeat, Model, seat
from .interventions import dotted
from .langgraph_app import build
from .prompt_preview import requests
from .recorded import marks_at, notes_of
from .role_nodes import role_node
from .turn_state import TurnInput, TurnOutput, TurnState, reply, view

__all__ = [
    "GraphConfig",
    "GraphSeat",
    "Model",
    "TurnInput",
    "TurnOutput",
    "TurnState",
    "add",
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
    "reply",
    "requests",
    "role_node",
    "seat",
    "setting",
    "source",
    "verified",
    "view",
    "without",
    "without_sections",
]
