"""Answers of models, each with the reading of a person: `tests/replies_corpus/README.md` says how to add one."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.moves import Listed, labelled, parse
from hanabi_orchestrator.orchestrator.replies.reader import Unreadable, read
from hanabi_orchestrator.orchestrator.replies.reply import Reply, TableOptions
from hanabi_orchestrator.roles.hanabi.history_report import PastReport
from hanabi_orchestrator.roles.reply_types import RatedChoice, Shortlist, variant
from tests.support.folders import TESTS

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C library's reads the corpus ten times as fast; not every build of PyYAML has it."""
FILES = sorted((TESTS / "replies_corpus").glob("*.yaml"))
KINDS: dict[str, type[Reply]] = {
    kind.__name__: kind for kind in (roles.get(name).reply for name in roles.names())
}
KINDS |= {"RatedChoice": RatedChoice, "Shortlist": Shortlist, "HistoryReport": PastReport}


def answers() -> list[Any]:
    """Every answer of the corpus, completed by the head of its file."""
    found = []
    for path in FILES:
        head: dict[str, Any] = yaml.load(path.read_text("utf-8"), LOADER)
        for number, one in enumerate(head.pop("answers"), 1):
            found.append(pytest.param({**head, **one}, id=f"{path.stem}-{number}"))
    return found


@pytest.mark.parametrize("one", answers())
def test_an_answer_is_read_as_a_person_reads_it(one: Mapping[str, Any]) -> None:
    kind = variant(KINDS[one["reply"]], reason_first=one.get("reason_first", False))
    legal = options(one)
    cut_off = one.get("finish") == "length"
    if one["is"] == "unreadable":
        with pytest.raises(Unreadable):
            read(one["text"], kind, legal, one["form"], cut_off=cut_off)
        return
    reading = read(one["text"], kind, legal, one["form"], cut_off=cut_off)
    data = reading.reply.as_data()
    assert {name: alike(data[name], wanted) for name, wanted in one["is"].items()} == one["is"]
    assert len(reading.dropped) == one.get("dropped", 0) and reading.repaired >= bool(
        reading.dropped
    )


def options(one: Mapping[str, Any]) -> Listed:
    """The moves of an entry; with `table`, as one counts them from there."""
    legal = labelled(map(parse, one["moves"]), letters=one.get("letters", False))
    place = one.get("table")
    judged = parse(one["judged"]) if "judged" in one else None
    return TableOptions(legal, place or {}, judged) if place or judged else legal


def alike(value: Any, wanted: Any) -> Any:
    """A value in the form in which it is wanted: a list of two-field entries as a mapping, an entry by some fields."""
    if isinstance(wanted, dict) and isinstance(value, list):
        return dict(tuple(entry.values()) for entry in value)
    if isinstance(wanted, dict):
        return {key: alike(value[key], inner) for key, inner in wanted.items()}
    if isinstance(wanted, list) and isinstance(value, list) and len(wanted) == len(value):
        return [alike(one, other) for one, other in zip(value, wanted, strict=True)]
    return value


def test_the_corpus_covers_the_types_and_the_formats() -> None:
    whole = [param.values[0] for param in answers()]
    assert len(whole) >= 200 and {one["form"] for one in whole} == {"text", "json", "json_schema"}
    assert {"Choice", "RatedChoice", "TrackedChoice", "Shortlist", "Judgement", "Analysis"} <= {
        one["reply"] for one in whole
    }
