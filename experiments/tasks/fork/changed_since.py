"""What else differs between a recorded turn and its fork, although nobody asked for it: versions, prompts, readings."""

from collections.abc import Iterable, Iterator

from experiments.record.game import Turn
from experiments.tasks.fork.position import Position
from graphs import prompt_files
from graphs.config import PROGRAM, GraphConfig
from graphs.prompt_preview import requests
from graphs.recorded import notes_of
from orchestrator.journal.events import Call
from orchestrator.journal.recorded_answers import first_difference
from orchestrator.models.request import ModelRequest, messages, prompt_hash
from orchestrator.plugins import versions
from orchestrator.replies import reader
from orchestrator.replies.reply import Unreadable

NAMES = 4
"""How many nodes or texts are named; the rest are counted."""


def warnings(place: Position, turn: Turn) -> Iterator[str]:
    """Yield a sentence for each way in which this version decides otherwise than the recorded one."""
    for name, old in place.started.versions.items():
        if versions().get(name) != old:
            yield f"the game was played with {name} {old}, and this is {versions().get(name, 'another')}"
    if not place.same_view:
        yield "this version shows seats another view of the position; the recorded one is used"
    graph = place.config
    if graph is None or all(node.model == PROGRAM for node in graph.nodes.values()):
        return
    calls = [c for c in turn.calls if c.of_model and c.messages and c.outcome != "failed" and not c.fixed]
    yield from _call_warnings(place, graph, turn, calls) if calls else _file_warnings(place, graph)


def _call_warnings(place: Position, graph: GraphConfig, turn: Turn, calls: list[Call]) -> Iterator[str]:
    """Yield where a model would not be asked, or not be read, as it was in this turn."""
    now = requests(graph, place.view, notes_of(graph, turn.events), place.memory)
    first = {c.node: how for c in calls if c.ask == 0 and c.node in now and (how := _differs(c, now[c.node]))}
    if first:
        how = next(iter(first.values()))
        yield f"since the game was played the prompts of these nodes changed: {_listing(first)}; {how}"
    readings = dict.fromkeys(c.node for c in calls if c.node in now and not _read_alike(c, now[c.node]))
    if readings:
        yield f"this version reads the recorded answers of these nodes otherwise: {_listing(readings)}"


def _differs(call: Call, request: ModelRequest) -> str | None:
    """Return where the prompt that is made now differs from that of a call."""
    prompt = messages(request.parts)
    return None if prompt_hash(prompt) == call.prompt_hash else first_difference(call, prompt)


def _read_alike(call: Call, request: ModelRequest) -> bool:
    """Return True if an answer that could be read then is read as the same reply now."""
    if call.reply is None:
        return True
    form, cut_off = call.form or request.form, call.finish == "length"
    try:
        reply = reader.read(call.text or "", request.reply, request.moves, form, cut_off=cut_off).reply
    except Unreadable:
        return False
    return reply.model_dump(mode="json") == call.reply


def _file_warnings(place: Position, graph: GraphConfig) -> Iterator[str]:
    """Yield, of a turn without calls, the prompt files of the graph that changed."""
    then, now = place.info.prompts, prompt_files.hashes(graph)
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if then and names:
        yield f"since the game was played these prompt texts changed: {_listing(names)}"


def _listing(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:NAMES]) + (f" and {len(every) - NAMES} more" if len(every) > NAMES else "")
