"""Protocols: the deals and settings of published evaluations, as defaults for the keys of an
experiment file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.players.base import PREFIX


@dataclass(frozen=True)
class Protocol:
    title: str
    """The paper and section it is from, and what it prescribes."""
    defaults: Mapping[str, Any]
    """Keys of an experiment file."""
    deals: str = ""
    """What a reader must know about its deals."""


_EFFORT = {"reasoning_effort": "high"}
"""Temperature and top-k are not sent, so that the providers' defaults hold."""

POOL = ("random", "flawed", "outer", "vandenbergh", "iggi", "piers", "hat")
"""Rule players that share no convention with the partner model of `house`, from a random player to
hat guessing."""

_TEN = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]

PROTOCOLS: Mapping[str, Protocol] = {
    "sparks-10": Protocol(
        "Sparks of Cooperative Reasoning, section 4 and appendix B.2: ten fixed deals at 2 "
        "to 5 players",
        {
            "players": [2, 3, 4, 5],
            "seeds": _TEN,
            "repeats": 1,
            "sampling": _EFFORT,
            "metric": "kept",
        },
        "the paper's list of ten deals is lost; appendix E.3 names 2, 3, 5, 7 and 11, and that "
        "the others are the next five primes is a hypothesis",
    ),
    "sparks-ablation": Protocol(
        "Sparks of Cooperative Reasoning, section 3.2 and appendix E.1: one deal of five "
        "players, ten times",
        {"players": [5], "seeds": [3], "repeats": 10, "sampling": _EFFORT, "metric": "kept"},
        "a single deal: the results hold for this deal only",
    ),
    "sparks-judge": Protocol(
        "Sparks of Cooperative Reasoning, appendix E.3: five players on the five deals that "
        "were judged",
        {
            "players": [5],
            "seeds": [2, 3, 5, 7, 11],
            "repeats": 1,
            "sampling": _EFFORT,
            "metric": "kept",
        },
    ),
    "cac-3": Protocol(
        "LLM-Coordination, Table 5: two players, three deals, the same for all agents",
        {
            "players": [2],
            "seeds": [212, 321, 628],
            "repeats": 1,
            "sampling": {"temperature": 0.6},
            "metric": "kept",
        },
        "the deals and the temperature are those of the authors' code; the paper names neither",
    ),
    "challenge-selfplay": Protocol(
        "The Hanabi Challenge, section 4.2: self-play at 2 to 5 players, at least 1,000 games each",
        {
            "players": [2, 3, 4, 5],
            "seeds": {"first": 1, "count": 1000},
            "repeats": 1,
            "metric": "strict",
        },
    ),
    "challenge-adhoc": Protocol(
        "The Hanabi Challenge, section 4.3: ad-hoc teams, shown ten self-play games of the "
        "partner before each trial",
        {
            "players": [2, 3, 4, 5],
            "seeds": {"first": 1, "count": 1000},
            "repeats": 1,
            "metric": "strict",
            "adhoc": {
                "pool": [f"{PREFIX}{name}" for name in POOL],
                "position": "random",
                "games": 10,
                "past": {"first": 1_000_000_000, "count": 100},
                "cross": 100,
            },
        },
    ),
}


def completed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain data of an experiment, with its protocol's defaults for missing keys. Raises
    UserError."""
    name = data.get("protocol")
    if name is None:
        return dict(data)
    if not isinstance(name, str) or name not in PROTOCOLS:
        raise UserError(f"unknown protocol {name!r}; {did_you_mean(name, PROTOCOLS)}")
    defaults = PROTOCOLS[name].defaults
    return _under(
        data,
        {key: value for key, value in defaults.items() if key != "seeds" or "deals" not in data},
    )


def _under(data: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Both, own keys first; nested mappings are merged key by key."""
    both = dict(data)
    for key, value in defaults.items():
        mine = data.get(key)
        both[key] = (
            _under(mine, value)
            if isinstance(mine, dict) and isinstance(value, dict)
            else data.get(key, value)
        )
    return both
