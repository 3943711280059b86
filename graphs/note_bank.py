"""The notes of recorded games, for controls that give a node those of another game; see `given_notes`."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from graphs.ablate import at
from graphs.config import GraphConfig, checked
from graphs.given_notes import GivenNote, phase
from graphs.recorded_notes import reply_of
from orchestrator.journal.events import Call, Event, GameStarted, TurnStarted
from orchestrator.replies.reply import Reply


def notes(events: Sequence[Event], roles: Collection[tuple[str, str]]) -> list[GivenNote]:
    """What some nodes replied in the turns of a whole journal, first attempts alone; `roles`: nodes with their roles.

    Unusable replies, notes that were themselves given by a control, and those of a seat that saw its own cards are
    left out.
    """
    return [one for node, role in roles for one in _of_node(events, node, role)]


def _of_node(events: Sequence[Event], node: str, role: str) -> Iterator[GivenNote]:
    started = events[0]
    assert isinstance(started, GameStarted)
    configs = dict[int, GraphConfig]()
    for begun, calls in _turns(events):
        info = started.seat_at(begun.seat, begun.turn)
        if info.config is None or info.own_hand:
            continue
        if id(info) not in configs:
            configs[id(info)] = at(checked(dict(info.config), "the journal's graph"), started.players)
        config = configs[id(info)]
        found = tuple(_replies(config, (one for one in calls if (one.node, one.role) == (node, role))))
        if found:
            yield GivenNote(node=node, turn=begun.turn, seat=begun.seat, phase=phase(begun.view), replies=found)


def _turns(events: Iterable[Event]) -> Iterator[tuple[TurnStarted, list[Call]]]:
    begun, calls = None, list[Call]()
    for event in events:
        if isinstance(event, TurnStarted):
            if begun:
                yield begun, calls
            begun, calls = event, []
        elif isinstance(event, Call):
            calls.append(event)
    if begun:
        yield begun, calls


def _replies(config: GraphConfig, calls: Iterable[Call]) -> Iterator[dict[str, object]]:
    for call in calls:
        if call.reply is None or call.fixed or call.outcome in ("reasked", "failed"):
            continue
        reply = reply_of(config, call)
        if isinstance(reply, Reply):
            yield reply.model_dump(mode="json")
