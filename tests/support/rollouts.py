"""Rollouts for tests: their modules without numba, and random moves."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from random import Random
from types import ModuleType
from typing import Any

import pytest

from hanabi_orchestrator.orchestrator.hanabi import rollout_rules as rules


def in_plain_python(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> list[ModuleType]:
    """The same sources in plain Python. `modules`: each after those that it imports."""
    plain = []
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "numba", None)  # so that it cannot be imported
        for compiled in modules:
            spec = spec_from_file_location("plain", str(compiled.__file__))
            assert spec and spec.loader
            plain.append(module_from_spec(spec))
            spec.loader.exec_module(plain[-1])
            patched.setitem(
                sys.modules, compiled.__name__, plain[-1]
            )  # so that the players sit at this table
    return plain


def random_move(state: Any, chance: Random) -> int:
    """A move that the rules allow; hints that no convention explains among them."""
    kinds = [rules.PLAY] if state[rules.LIVES] > 1 else []
    kinds += [rules.DISCARD] * int(state[rules.TOKENS] < 8) + [rules.HINT] * int(
        state[rules.TOKENS] > 0
    )
    kind = chance.choice(kinds)
    seat = int(state[rules.SEAT])
    players = int(state[rules.PLAYERS])
    if kind != rules.HINT:
        return int(rules.code(kind, chance.randrange(int(state[rules.SIZES + seat])), 0))
    to = (seat + chance.randrange(1, players)) % players
    card = int(state[rules.HANDS + 5 * to + chance.randrange(int(state[rules.SIZES + to]))])
    return int(rules.code(kind, chance.choice((card // 5, rules.FIRST_RANK + card % 5)), to))
