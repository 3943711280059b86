"""Plays Hanabi games: rules, model calls, journals, rule players.

`game` says what a game is to the table, `hanabi` and `collab` are games, and `models` sends requests to language models;
games and models do not import each other. `journal` stores what happens, `table` plays a game, whichever it is,
`players` are seats that ask no model. Graphs of agents are in the package `graphs`. `overcooked` and `guandan` are engines
of other games, which nothing here plays yet.
Imports go one way. In this order, each may import those named before it: `errors`, `values`, `logs`, `event_loop`,
`plugins`, `yaml_files`, `replies`; then `models` and `game`; `journal`; `table`; the games stand beside these, on `game`;
`players`. Start with `play` in `table/game_loop.py`.

Users import everything from here (the names are in `__init__.pyi`). They are loaded when they are first used.
"""

import lazy_loader

if __name__ == "orchestrator":
    raise ImportError(
        "orchestrator is part of one package: from hanabi_orchestrator import orchestrator"
    )

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
