"""Graphs of roles: the configs, the pure functions that change them, and the agents that are built from them.

A graph says which role reads which. `config.py` holds what its YAML file says, `context.py` which sections its prompts
are made of, `ablate.py` the functions from one graph to another, `interventions.py` their short forms. `answerers.py`
says who answers a node, `control_notes.py` makes placebo and shuffled notes. `attempts.py` lays out a turn's attempts
after refusals, `decision.py` makes the seat's decision of its notes, `gate.py` has the safety rule and the forced move.
`recorded.py` reads turns back. `graph_seat.py` plays a graph as a seat: node by node where all nodes are programs
(`walk.py`), on LangGraph where models are asked (`langgraph_compile.py`). `prompt_preview.py` shows prompts without
asking a model; `configs/` holds the built-in graphs. The folder imports `roles`, `orchestrator` and `prompts`. Start
reading with `graph_seat.py`, then `node.py`.

Users import everything from here (the names are in `__init__.pyi`). They are loaded when they are first used.
"""

import lazy_loader

if __name__ == "graphs":
    raise ImportError("graphs is part of one package: from hanabi_orchestrator import graphs")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
