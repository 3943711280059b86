"""The empty form of a reply in a prompt: it states what may stand in it, names no move, and is known when copied."""

import json
import re

import pytest

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.replies.reader import Unreadable, copied, read
from hanabi_orchestrator.orchestrator.replies.reply import Form, TableOptions
from hanabi_orchestrator.roles import Choice
from hanabi_orchestrator.roles.reply_form import blanks, form
from hanabi_orchestrator.roles.reply_types import answer_format, variant
from hanabi_orchestrator.roles.words import Words

FORMS: tuple[Form, ...] = ("text", "json", "json_schema")


@pytest.mark.parametrize("name", [name for name in roles.names() if roles.get(name).template])
def test_the_form_shows_no_move_and_cannot_be_sent_back(name: str) -> None:
    """Copied as it stands it is no reply, or is known for a copy."""
    kind = roles.get(name).reply
    for format_ in FORMS:
        copy = form(kind, format_)
        assert not re.search(r"slot \d|P\d|\b0\.\d", copy)
        try:
            reply = read(copy, kind, {}, format_).reply
        except Unreadable:
            reply = None
        assert reply is None or not kind.names_moves
        assert copied(copy, reply, blanks(kind, format_))


def test_a_form_states_what_may_stand_in_it() -> None:
    assert form(variant(Choice, ratings=True), "json") == (
        '{"ratings": [{"action": "<a legal move>", "rating": <number from -1 to 1>}], "reason": "<text>", '
        '"action": "<a legal move>"}'
    )
    assert form(variant(Choice, ratings=True), "json_schema") == (
        '{"ratings": {"<a legal move>": <number from -1 to 1>}, "reason": "<text>", "action": "<a legal move>"}'
    )
    interpreter = roles.get("tom_interpreter").reply
    assert '"hint": <"a legal hint", or null>, "urgent": <true | false>' in form(
        interpreter, "json"
    )
    assert '"cards": ["<R1 | R2 | R3 | R4 | R5 | Y1 ...>"]' in form(
        roles.get("history_analyst").reply, "json"
    )
    assert "Hint: <a legal hint, or none>\nUrgent: <yes | no>" in form(interpreter, "text")


def test_a_number_for_each_move_is_asked_for_as_an_object_where_the_server_gets_the_schema() -> (
    None
):
    kind = variant(Choice, ratings=True)
    assert answer_format(kind, "json_schema").splitlines()[3:9] == [
        '- "ratings" (object): one entry for EVERY legal move',
        "  - each key (text): the legal move, copied from the list",
        "  - its value (number): from -1 (terrible) to 1 (excellent)",
        '- "reason" (text): why, in a few sentences',
        '- "action" (text): the chosen legal move, copied from the list',
        "Fill in this form: write your own words and values in place of each <...>, marks included; lists and inner "
        "objects have as many entries as asked for above:",
    ]
    assert answer_format(Choice, "json_schema") == answer_format(Choice, "json")
    assert '"ratings" (list of objects)' in answer_format(kind, "json")


def test_a_reply_of_ones_own_is_no_copy() -> None:
    shown = blanks(Choice, "json")
    own = Choice(reason="Slot 2 is the red 1, which fits.", action=Play(slot=2))
    assert not copied(own.model_dump_json(), own, shown)
    for reason in ("<text>", "Text.", "why, in a few sentences"):
        copy = own.model_copy(update={"reason": reason})
        assert copied(copy.model_dump_json(), copy, shown)
    assert not copied(f"<think>I fill in <text>.</think>{own.model_dump_json()}", own, shown)


def test_a_context_may_give_words_to_reason_in() -> None:
    kind = variant(Choice, reason_words=200)
    assert (
        "your thinking, step by step, and what follows from it, in up to 200 words"
        in answer_format(kind)
    )
    assert kind.answer_fields() == ("reason", "action") and "x-words" not in json.dumps(
        response_format(kind)
    )
    assert "不超过 200 个词" in answer_format(kind, words=Words("zh"))


def test_numbers_of_players_and_slots_are_those_of_the_table() -> None:
    interpreter = roles.get("tom_interpreter").reply
    table = (("players", 3), ("others", 2), ("slots", 4))
    assert '"seat": <whole number from 0 to 2>' in form(interpreter, "json", counts=table)
    assert '"plays": <whole number from 0 to 3, or null>' in answer_format(
        interpreter, "json", counts=table
    )
    strategist = roles.get("discard_strategist").reply
    mirror = roles.get("second_order").reply
    assert "0 to 4" not in form(strategist, "json", counts=table) + form(
        mirror, "text", counts=table
    )
    assert "0 to 4" in form(strategist, "json")


def test_a_number_beyond_the_table_is_no_entry_of_a_report() -> None:
    kind = roles.get("tom_interpreter").reply
    here = {"next_action": "discard slot 0", "plays": None, "chance": 0.5}
    beyond = {"next_action": "play slot 4", "plays": 4, "chance": 0.5}
    report = {
        "explanation": "",
        "intentions": [{"seat": 1, **here}, {"seat": 2, **beyond}, {"seat": 3, **here}],
    }
    text = json.dumps({**report, "suggestion": "", "hint": None, "urgent": False})
    reading = read(text, kind, TableOptions({}, {"players": 3, "slots": 4}))
    data = reading.reply.as_data()["intentions"]
    assert [(entry["seat"], entry["plays"]) for entry in data] == [(1, None), (2, None)]
    assert reading.dropped == (
        "intentions.1.plays: input should be less than or equal to 3",
        "intentions.2.seat: input should be less than or equal to 2",
    )
    assert [entry["seat"] for entry in read(text, kind, {}).reply.as_data()["intentions"]] == [
        1,
        2,
        3,
    ]
