"""The totals of a game: what it cost is stated only where every answer has a price."""

from itertools import permutations
from typing import Any

import pytest

from orchestrator.journal.events import Call
from orchestrator.journal.totals import Ledger


def call(**more: Any) -> Call:
    told = {"turn": 1, "seat": 0, "node": "n", "role": "r", "model": "m", "text": "t", "prompt_hash": "p"}
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
def test_money_is_known_where_every_paid_answer_has_a_price(calls: list[Call], usd: float | None) -> None:
    for order in permutations(calls):
        ledger = Ledger()
        for one in order:
            ledger(one)
        assert ledger.stated["usd"] == usd
