"""What changed in prompts and in the reading of answers since a turn was played, seen from its own calls."""

from collections.abc import Iterable, Iterator

from experiments.record.game import Turn
from experiments.tasks.fork.position import Position
from graphs import prompt_files
from graphs.config import PROGRAM, GraphConfig
from graphs.prompt_preview import requests
from graphs.recorded_notes import notes_of
from orchestrator.journal.events import Call
from orchestrator.journal.recorded_answers import first_difference
from orchestrator.models.request import ModelRequest, messages, prompt_hash
from orchestrator.replies import reader
from orchestrator.replies.reply import Unreadable

SHOWN = 4
"""How many are named; the rest are counted."""


def since_then(place: Position, turn: Turn) -> Iterator[str]:
    """A sentence for each way in which a model would not be asked, or not be read, as it was in this turn."""
    graph = place.config
    if graph is None or all(node.model == PROGRAM for node in graph.nodes.values()):
        return
    asked = [
        call for call in turn.calls if call.of_model and call.messages and call.outcome != "failed" and not call.fixed
    ]
    if not asked:
        yield from _files(place, graph)
        return
    now = requests(graph, place.view, notes_of(graph, turn.events), place.memory)
    prompts = {call.node: how for call in asked if call.ask == 0 and (how := _differs(call, now.get(call.node)))}
    if prompts:
        first = next(iter(prompts.values()))
        yield f"since the game was played the prompts of these nodes changed: {_listed(prompts)}; {first}"
    readings = dict.fromkeys(call.node for call in asked if call.node in now and not _read_alike(call, now[call.node]))
    if readings:
        yield f"this version reads the recorded answers of these nodes otherwise: {_listed(readings)}"


def _differs(call: Call, request: ModelRequest | None) -> str | None:
    """Where the prompt that is made now differs from that of a call."""
    if request is None:
        return None
    made = messages(request.parts)
    return None if prompt_hash(made) == call.prompt_hash else first_difference(call, made)


def _read_alike(call: Call, request: ModelRequest) -> bool:
    """Whether an answer that could be read then is read as the same reply now."""
    if call.reply is None:
        return True
    form, cut_off = call.form or request.form, call.finish == "length"
    try:
        found = reader.read(call.text or "", request.reply, request.moves, form, cut_off=cut_off).reply
    except Unreadable:
        return False
    return found.model_dump(mode="json") == call.reply


def _files(place: Position, graph: GraphConfig) -> Iterator[str]:
    """Of a turn without calls: the prompt files of the graph that changed."""
    then, now = place.info.prompts, prompt_files.hashes(graph)
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if then and names:
        yield f"since the game was played these prompt texts changed: {_listed(names)}"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:SHOWN]) + (f" and {len(every) - SHOWN} more" if len(every) > SHOWN else "")
