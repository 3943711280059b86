"""The one reader of models' answers."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.collab import capture
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    HintColour,
    HintRank,
    Listed,
    Play,
    labelled,
)
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reader import Reading, Unreadable, read
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.roles.reply_types import Choice, RatedChoice, variant
from tests.support.prove import FULL

LEGAL: Listed = labelled(
    (Discard(slot=0), Play(slot=0), Play(slot=1), HintColour(to=1, colour="R"))
)
RATED = {
    "ratings": [{"action": str(move), "rating": 0.5} for move in LEGAL.values()],
    "reason": 'he said "no"',
    "action": "play slot 1",
}


def choice(text: str, cut_off: bool = False) -> Reading:
    return read(text, Choice, LEGAL, cut_off=cut_off)


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ('{"reason": "r", "action": "play slot 0"}', False),
        (' {"reason": "r", "action": 1}\n', False),
        ('```json\n{"reason": "r", "action": "play slot 0"}\n```', True),
        ('Well, {"reason": "r", "action": "play slot 0"} it is.', True),
        ('{"reason": "r", "action": "play slot 0",}', True),
        ("{'reason': 'r', 'action': 'play slot 0'}", True),
        (
            '<think>maybe {"reason": "x", "action": "discard slot 0"}</think>{"reason": "r", "action": "play slot 0"}',
            True,
        ),
        ('Given {R1, R2} I say {"reason": "r", "action": "play slot 0"}', True),
        (
            '{"reason": "first", "action": "play slot 0"} yes: {"reason": "r", "action": "play slot 0"}',
            True,
        ),
        ('{"reason": "r", "action": "play slot 0", "mood": "fine"}', False),
        ('{"reason": "braces } and { inside", "action": "play slot 0"}', False),
    ],
)
def test_a_reply_is_read(text: str, repaired: bool) -> None:
    reading = choice(text)
    assert isinstance(reading.reply, Choice)
    assert reading.reply.action == Play(slot=0)
    assert reading.repaired == repaired


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("slot 0", "it holds no complete JSON object"),
        ('{"reason": "r", "action": "play slot 0"', "it holds no complete JSON object"),
        (
            '{"reason": "r", "action": "play slot 9"}',
            "action: 'play slot 9' is not a legal move now",
        ),
        ('{"reason": "r"}', "action: field required"),
        ('["play slot 0"]', "it holds no complete JSON object"),
        ('{"reason": "r", "action": null}', "action: 'None' is not a legal move now"),
        ('{"reason": "r", "action": 1 2}', "it holds no complete JSON object"),
        ('{"reason": "r", "action": 1, "action": 2}', "it holds no complete JSON object"),
        (
            'Draft: {"reason": "x", "action": 0} Better: {"reason": "y", "act',
            "it holds no complete JSON object",
        ),
        ('<think>{"reason": "x", "action": 0} but no', "it was cut off"),
        ("<html><body>502</body></html>", "it holds no complete JSON object"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(Unreadable) as caught:
        choice(text)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("text", ['{"reason": "r', 'Draft: {"reason": "r", "action": 0} Better:'])
def test_a_cut_off_text_is_never_searched(text: str) -> None:
    with pytest.raises(Unreadable, match="it was cut off"):
        choice(text, cut_off=True)


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    reading = choice('{"reason": "\\ud83d", "action": 0}')
    assert reading.reply.model_dump()["reason"] == "?"


def test_a_truncated_ratings_list_never_becomes_a_choice() -> None:
    text = json.dumps(RATED)
    for end in range(len(text)):
        for kind in (RatedChoice, Choice):
            with pytest.raises(Unreadable):
                read(text[:end], kind, LEGAL)
    assert read(text, RatedChoice, LEGAL).reply.model_dump()["action"] == "play slot 1"


@settings(max_examples=100_000 if FULL else 300, deadline=None)
@given(st.data())
def test_any_text_is_a_legal_choice_or_unreadable(data: st.DataObject) -> None:
    """Mutations of a good answer, and plain noise."""
    text = data.draw(st.one_of(st.just(json.dumps(RATED)), st.text(max_size=200)))
    for _ in range(data.draw(st.integers(0, 6))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 20))
        noise = data.draw(
            st.one_of(st.just(""), st.sampled_from('{}[]",:\\0123'), st.text(max_size=5))
        )
        text = text[:place] + noise + text[place + cut :]
    try:
        reply = read(text, RatedChoice, LEGAL).reply
    except Unreadable as error:
        assert str(error)
    else:
        assert isinstance(reply, RatedChoice) and reply.action in LEGAL.values()


def test_a_megabyte_is_read_in_reasonable_steps() -> None:
    for text in ("{" * 500_000, '"' * 500_000 + "{", '{"a": "' + "x" * 1_000_000, "{}" * 200_000):
        with pytest.raises(Unreadable):
            choice(text)


# Plain text

WATSON = """Reasoning: The red 1 is known: it fits.
Note: nothing else scores.
Move Ratings: Move 0: -0.5, Move 1 (Play 0): 0.9, play slot 1: 0.1,
hint P1 red: -1
Chosen Move Number: 1"""


def plainly(text: str, *, cut_off: bool = False) -> Reply:
    return read(text, variant(Choice, True, True), LEGAL, "text", cut_off=cut_off).reply


@pytest.mark.parametrize(
    "text",
    [
        WATSON,
        WATSON.replace("Reasoning: ", ""),
        f"**{WATSON.replace(': ', ':** ', 1)}",
        f"Reasoning: a draft\nChosen Move Number: 2\n\nOn second thoughts:\n{WATSON}",
        WATSON.replace("Move Ratings: ", "Move ratings:\n- ").replace(", ", "\n- "),
        WATSON.replace("Number: 1", "Number: **1** (Play 0)"),
        WATSON.replace("Chosen Move Number: 1", "### Chosen Move Number\n\n1"),
        WATSON.replace("-0.5, ", "-0.5 (wasteful)\n").replace("0.9, ", "0.9: the best\n"),
        f"<think>Chosen Move Number: 3</think>{WATSON}",
        f"Here it is:\n```text\n{WATSON}\n```",
    ],
)
def test_parts_of_plain_text_are_read_by_their_names(text: str) -> None:
    reply = plainly(text)
    assert isinstance(reply, RatedChoice) and str(reply.action) == "play slot 0"
    assert {str(one.action): one.rating for one in reply.ratings} == {
        "discard slot 0": -0.5,
        "play slot 0": 0.9,
        "play slot 1": 0.1,
        "hint P1 red": -1.0,
    }
    assert "The red 1 is known: it fits." in reply.reason and "Note: nothing else" in reply.reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WATSON.rpartition("\n")[0], "it has no line that begins with 'Chosen move:'"),
        (WATSON.replace("Number: 1", "Number: 7"), "action: 7 does not name a legal move"),
        ("Move 1 it is.", "it has no line that begins with 'Chosen move:'"),
        (
            "Reasoning: x\nMove ratings: Move 0: 0.5",
            "it has no line that begins with 'Chosen move:'",
        ),
        (
            "Reasoning: x\nMove ratings:\nAction: play slot 0, rating: 0.9\nAction: discard slot 0, rating: -0.2\n",
            "no line",
        ),
        (
            "Reasoning: x\nMove ratings:\n**Action: play slot 0**\n",
            "no entry that can be read|no line",
        ),
        (
            f"{WATSON}\nWait, that is wrong: discard slot 0 is better.",
            "it goes on after 'Chosen move: 1'",
        ),
        (f"{WATSON}\n\nReasoning: or rather the other one", "which must be the last part"),
        (
            "Reasoning: x\nAction\nplay slot 0 would be bad.",
            "no line that begins with 'Chosen move:'",
        ),
    ],
)
def test_plain_text_that_lacks_a_part_is_refused(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        plainly(text)


@pytest.mark.parametrize("colon", [":", "：", " : "])
def test_ratings_may_have_wide_colons(colon: str) -> None:
    reply = plainly(
        f"Reasoning: x\nMove ratings:\n- play slot 0{colon}0.5\n- 0{colon}-1\n3. Chosen move: play slot 1"
    )
    assert isinstance(reply, RatedChoice) and [one.rating for one in reply.ratings] == [0.5, -1]


LONG = 90_000 if FULL else 18_000
"""Characters; so many that backtracking would show."""


@pytest.mark.parametrize(
    "filler",
    [
        "word ",
        "a:",
        "play slot ",
        "1: ",
        "- x\n",
        "Action: ",
        "\n",
        " ",
        ";",
        "0:0.",
        "{",
        "[",
        "(0.9",
        "I ",
        "take no ",
    ],
)
def test_no_text_takes_long_to_read(filler: str) -> None:
    """Backtracking would take hours; what it is made into does not matter here."""
    for text in (
        f"Reasoning: x\nMove ratings:\n{filler * (LONG // len(filler))}\nChosen move: 1",
        f"Chosen move: {filler * (LONG // 10)}",
    ):
        for form in ("text", "json"):
            with suppress(Unreadable):
                read(text, variant(Choice, True, True), LEGAL, form)


def test_plain_text_that_was_cut_off_is_refused() -> None:
    with pytest.raises(Unreadable, match="cut off"):
        plainly(WATSON, cut_off=True)


def test_an_object_will_do_where_plain_text_was_asked_for() -> None:
    reading = read(f"Here it is: {json.dumps(RATED)}", RatedChoice, LEGAL, "text")
    assert reading.repaired and reading.reply.as_data()["action"] == "play slot 1"


@pytest.mark.parametrize("name", [name for name in roles.names() if roles.get(name).template])
def test_what_is_written_plainly_is_read_back(name: str) -> None:
    """Every reply type's example, in both forms."""
    kind = variant(roles.get(name).reply, True)
    legal = labelled(every_move(name))
    data = kind.model_validate(kind.example).as_data()
    assert read(writer.write(kind, data), kind, legal, "text").reply.as_data() == data
    assert read(json.dumps(data), kind, legal, "json").reply.as_data() == data


def every_move(role: str) -> list[Any]:
    """All moves that the example of a role names, in its game."""
    if not roles.get(role).plays("hanabi"):
        # Collab Capture and Escape share their reply types, whose example is a move of Capture
        return [capture.MoveTo(room=2), capture.Stay(room=1)]
    own = [make(slot=slot) for make in (Play, Discard) for slot in range(5)]
    return [
        *own,
        *(HintRank(to=to, rank=rank) for to in (1, 2) for rank in range(1, 6)),
        HintColour(to=1, colour="R"),
    ]


# Several objects


@pytest.mark.parametrize(
    "text",
    [
        '[{"action": "play slot 0", "reason": "good"}, {"action": "discard slot 0", "reason": "worst"}]',
        '[{"action": "play slot 0", "reason": "good"},',
        'Best: {"action": "play slot 0", "reason": "good"} Worst: {"action": "discard slot 0", "reason": "worst"}',
        '{"reason": "draft", "action": "play slot 0"}\nNo, better:\n{"reason": "final", "action": "hint P1 green"}',
    ],
)
def test_of_several_objects_none_is_taken_in_doubt(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text, Choice, LEGAL, "json")
