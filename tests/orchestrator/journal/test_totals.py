"""The totals of a game: answers and faults by what became of them, and a cost only where every answer has a price."""

from itertools import permutations
from typing import Any

import pytest

from hanabi_orchestrator.orchestrator.journal.events import Call, Result
from hanabi_orchestrator.orchestrator.journal.totals import Ledger
from hanabi_orchestrator.orchestrator.models.usage import Usage


def call(**more: Any) -> Call:
    told = {
        "turn": 1,
        "seat": 0,
        "node": "n",
        "role": "r",
        "model": "m",
        "text": "t",
        "prompt_hash": "p",
    }
    return Call.model_validate(told | {"tokens_in": 10, "tokens_out": 5} | more)


@pytest.mark.parametrize(
    ("calls", "usd"),
    [
        ([call(usd=0.1), call(usd=0.2), call(usd=0.3)], 0.6),
        ([call(usd=0.1), call(usd=None), call(usd=0.3)], None),
        ([call(usd=0.1), call(usd=None, cached=True), call(usd=0.3)], 0.4),
        ([call(usd=0.1), call(usd=None, text=None, outcome="failed"), call(usd=0.3)], 0.4),
        ([call(usd=0.0), call(usd=0.0), call(usd=0.0)], 0.0),
        ([call(usd=0.1, cached=True)], None),
    ],
    ids=["all known", "one unknown", "one cached", "one failed", "free", "nothing paid"],
)
def test_money_is_known_where_every_paid_answer_has_a_price(
    calls: list[Call], usd: float | None
) -> None:
    for order in permutations(calls):
        ledger = Ledger()
        for one in order:
            ledger(one)
        assert ledger.stated["usd"] == usd


def test_answers_and_faults_are_counted_by_what_became_of_them() -> None:
    refused = {"latency_s": 1.0, "error": "HTTP 503"}
    reply = {"action": "play slot 0"}
    calls = [
        call(reply=reply, attempts=[refused, refused, {**refused, "error": None}]),
        call(reply=reply, outcome="repaired", copied=True),
        call(outcome="reasked", copied=True),
        call(reply=reply, copied=True),
        call(reply=reply, ask=1, cached=True),
        call(outcome="fallback"),
        call(text=None, outcome="failed", attempts=[refused]),
        Call(turn=1, seat=0, node="n", role="r", model="program", reply=reply),
    ]
    ledger = Ledger()
    for one in calls:
        ledger(one)
    names = (
        "calls",
        "cache_hits",
        "repaired",
        "reasked",
        "fallbacks",
        "copied",
        "faults",
        "tokens_in",
        "tokens_out",
    )
    assert [ledger.stated[name] for name in names] == [6, 1, 1, 1, 1, 2, 3, 50, 25]


def test_a_finished_game_has_used_what_its_paid_calls_have() -> None:
    assert call(usd=0.5).usage == Usage(10, 5, 0.5, 1)
    told = {"players": 2, "seed": 1, "graph": "g", "model": "m", "fireworks": {}, "end": "perfect"}
    scored = {
        "score_strict": 25,
        "score_kept": 25,
        "lives": 3,
        "turns": 60,
        "forced": 0,
        "fallbacks": 0,
    }
    spent = {"tokens_in": 900, "tokens_out": 70, "usd": 0.25, "calls": 9, "cache_hits": 2}
    assert Result.model_validate(told | scored | spent).usage == Usage(900, 70, 0.25, 7)
