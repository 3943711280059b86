"""Conditional blocks of prompts: a text names a colleague or a section only where that is there."""

import pytest

from hanabi_orchestrator import graphs, prompts
from hanabi_orchestrator.graphs.config import parse
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.support.small_graph import LAST, small

BLOCKS = [
    ("{if analyst}- the analyst\n{end}- you", {"analyst"}, "- the analyst\n- you"),
    ("{if analyst}\n- the analyst\n{end}\n- you", {"analyst"}, "- the analyst\n- you"),
    ("{if analyst}\n- the analyst\n{end}\n- you", set(), "- you"),
    (
        "Read{if analyst} the analyst and{end} the table.",
        {"analyst"},
        "Read the analyst and the table.",
    ),
    ("Read{if analyst} the analyst and{end} the table.", set(), "Read the table."),
    ("{without analyst or section history}alone{end}", {"section history"}, ""),
    ("{without analyst or section history}alone{end}", set(), "alone"),
    ("{if analyst or proposer}two{if proposer}, three{end}{end}", {"proposer"}, "two, three"),
    ("{if analyst}two{if proposer}, three{end}{end}", {"proposer"}, ""),
]


@pytest.mark.parametrize(("text", "present", "kept"), BLOCKS)
def test_a_block_is_there_where_its_condition_holds(
    text: str, present: set[str], kept: str
) -> None:
    assert prompts.chosen(text, frozenset(present)) == kept


def told(config: graphs.GraphConfig) -> str:
    parts = requests(config, LAST, {})["aggregator"].parts
    return "\n".join(part.text for part in parts)


TEXTS = {
    "roles/aggregator.md": "Read{if proposer} the proposal and{end} the table.{without section discards} No pile.{end}",
    "sections/card_counts.md": "Five 5s{if section discards}, less the pile{end}.",
}


def test_a_prompt_names_only_what_is_there() -> None:
    config = parse(small(texts=TEXTS))
    assert "Read the proposal and the table." in told(config) and "Five 5s, less the pile." in told(
        config
    )
    bare = told(graphs.without_sections(graphs.without(config, "proposer"), "discards"))
    assert "Read the table. No pile." in bare and "Five 5s." in bare


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{if proposr}x{end}", "{if proposr} names no role, .* did you mean 'proposer'"),
        ("{if section histori}x{end}", "did you mean 'section history'"),
        ("{if proposer}x", "prompts/roles/aggregator.md: {if proposer} has no {end}"),
        ("x{end}", "{end} has no beginning"),
    ],
)
def test_a_condition_that_asks_for_nothing_is_one_error(text: str, wrong: str) -> None:
    with pytest.raises(UserError, match=wrong) as error:
        parse(small(texts={"roles/aggregator.md": text}))
    assert "\n" not in str(error.value)
