"""Trajectories in the Agent Trajectory Interchange Format, ATIF v1.7: one for each seat of a game.

A seat's trajectory has two steps a turn: what the seat saw, as a user's message, and its move, as a tool call with what
came of it. The calls of its nodes are trajectories within it, one each, to which the observation refers: a node knows
nothing of another one's conversation.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiments.interchange import sources
from experiments.record.files import write_atomically
from experiments.record.game import Game, Turn
from orchestrator.hanabi.view import Past
from orchestrator.journal.events import Call, Event, Moved
from orchestrator.plugins import versions

SCHEMA = "ATIF-v1.7"
NOTES = (
    "A seat decides by several roles. Each call of a role is a trajectory of its own (subagent_trajectories), to which "
    "the observation of its turn refers; final_metrics counts the tokens of all of them. A step without model_name was "
    "computed by a program."
)


def export(path: Path, out: Path) -> list[Path]:
    """Write the trajectories of a game or a run into a folder: `ARM/NAME-seat0.json` ...; returns the files.

    Seats that never moved have none. Raises UserError.
    """
    written = []
    games = sources.read(path)
    for source in games:
        for seat, trajectory in trajectories(source.path).items():
            target = out / f"{source.name}-seat{seat}.json"
            write_atomically(target, json.dumps(trajectory, ensure_ascii=False) + "\n")
            written.append(target)
    return written


def trajectories(path: Path) -> dict[int, dict[str, Any]]:
    """Return the trajectory of each seat that had a turn, by seat. Raises UserError."""
    game = Game.open(path)
    turns = {seat: [turn for turn in game.turns if turn.seat == seat] for seat in range(game.started.players)}
    return {seat: _seat(game, seat, turns) for seat, turns in turns.items() if turns}


def _seat(game: Game, seat: int, turns: Sequence[Turn]) -> dict[str, Any]:
    started, result = game.started, game.result
    info, session = started.seats[seat], f"{started.config_hash}-{started.game}"
    steps = _numbered(step for turn in turns for step in _steps(turn))
    calls = [call for turn in turns for call in turn.calls]
    subs = [_call(turn, session, call, number) for turn in turns for number, call in _counted(turn.calls)]
    facts = {"players": started.players, "seed": started.seed, "seat": seat, "repeat": started.repeat}
    return {
        "schema_version": SCHEMA,
        "session_id": session,
        "trajectory_id": f"seat{seat}",
        "agent": _agent(info.graph, info.model) | {"extra": {"graph": info.config}},
        "steps": steps,
        "notes": NOTES,
        "final_metrics": _totals(calls, len(steps)),
        "extra": facts | {"result": result.model_dump(mode="json") if result else None},
        **({"subagent_trajectories": subs} if subs else {}),
    }


def _agent(name: str, model: str) -> dict[str, Any]:
    """`program` is no model."""
    named = {} if model == "program" else {"model_name": model.partition("@")[0]}
    return {"name": name, "version": versions()["hanabi-orchestrator"], **named}


def _numbered(steps: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"step_id": number, **step} for number, step in enumerate(steps, 1)]


def _at(turn: Turn, event: Event) -> dict[str, str]:
    """Return when an event of a turn was written."""
    lines = (line for line in turn.lines if line.tag != "turn_started")
    stamps = {id(other): line.stamp.decode() for line, other in zip(lines, turn.events, strict=True)}
    return {"timestamp": stamps[id(event)]} if stamps[id(event)] else {}


def _steps(turn: Turn) -> Iterator[dict[str, Any]]:
    seen = turn.view.model_dump(mode="json", exclude={"history", "dealt"}, exclude_defaults=True)
    text = f"Turn {turn.number}. What you see: {json.dumps(seen, ensure_ascii=False)}"
    yield {"source": "user", "message": text}
    if not turn.decided:
        return
    move, call = turn.decided.move, f"turn-{turn.number}"
    arguments = move.model_dump(mode="json", exclude={"kind"})
    extra = {"turn": turn.number, "node": turn.decided.node, "forced": turn.decided.forced}
    yield {
        "source": "agent",
        "message": turn.decided.why,
        "tool_calls": [{"tool_call_id": call, "function_name": move.kind, "arguments": arguments}],
        **({"observation": {"results": [_result(turn, turn.moved, call)]}} if turn.moved else {}),
        "extra": extra,
        **_at(turn, turn.decided),
    }


def _result(turn: Turn, moved: Moved, call: str) -> dict[str, Any]:
    refs = [{"trajectory_id": _id(recorded, number)} for number, recorded in _counted(turn.calls)]
    notes = {"source_call_id": call, "content": outcome(moved.past)}
    return notes | ({"subagent_trajectory_ref": refs} if refs else {})


def outcome(past: Past) -> str:
    """What came of a move, as everybody saw it."""
    if past.card is None:
        slots = f"slot {past.slots[0]}" if len(past.slots) == 1 else f"slots {', '.join(map(str, past.slots))}"
        what = f"it touched {slots} of P{getattr(past.move, 'to', '?')}"
    else:
        fits = "" if past.scored is None else ", which fitted" if past.scored else ", which did not fit"
        what = f"the card was {past.card.value}{fits}"
    counts = {"point": sum(past.fireworks), "information token": past.tokens, "life": past.lives}
    return f"{what}; {', '.join(f'{many} {_plural(thing, many)}' for thing, many in counts.items())}"


def _plural(thing: str, many: int) -> str:
    return thing if many == 1 else "lives" if thing == "life" else f"{thing}s"


def _counted(calls: Sequence[Call]) -> Iterator[tuple[int, Call]]:
    """Calls with how often the same one was made before: a resumed game makes those again that failed."""
    seen = dict[object, int]()
    for call in calls:
        seen[call.key] = number = seen.get(call.key, 0) + 1
        yield number, call


def _id(call: Call, number: int) -> str:
    again = f"/{number}" if number > 1 else ""
    return f"turn-{call.turn}/{call.node}/{call.sample}/{call.ask}{again}"


def _call(turn: Turn, session: str, call: Call, number: int) -> dict[str, Any]:
    """The conversation of one call; of a program, its reply alone."""
    steps = [_message(message.role, message.content) for message in call.messages]
    text = call.text if call.of_model else json.dumps(call.reply, ensure_ascii=False)
    answer: dict[str, Any] = {"source": "agent", "message": text or "", "extra": _facts(call), **_at(turn, call)}
    if call.of_model:
        answer["model_name"] = call.served_by or call.model.partition("@")[0]
        answer["metrics"] = _metrics(call)
        if call.reasoning:
            answer["reasoning_content"] = call.reasoning
    return {
        "schema_version": SCHEMA,
        "session_id": session,
        "trajectory_id": _id(call, number),
        "agent": _agent(call.role, call.model),
        "steps": _numbered(iter([*steps, answer])),
    }


def _message(role: str, content: str) -> dict[str, Any]:
    """A message of the prompt; an answer in it is that of the request before, shown once more."""
    if role == "assistant":
        return {"source": "agent", "message": content, "is_copied_context": True}
    return {"source": role, "message": content}


def _facts(call: Call) -> dict[str, Any]:
    names = ("turn", "node", "role", "sample", "ask", "outcome", "error", "cached", "finish")
    return {name: getattr(call, name) for name in names} | {"program": not call.of_model}


def _metrics(call: Call) -> dict[str, Any]:
    cost = {} if call.usd is None else {"cost_usd": call.usd}
    counts = {
        "prompt_tokens": call.tokens_in,
        "completion_tokens": call.tokens_out,
        "cached_tokens": call.cached_tokens,
    }
    return counts | cost | {"extra": {"reasoning_tokens": call.reasoning_tokens, "estimated": call.estimated}}


def _totals(calls: Sequence[Call], steps: int) -> dict[str, Any]:
    counts = [call for call in calls if call.of_model]
    cost = [call.usd for call in counts]
    prices = {} if None in cost or not cost else {"total_cost_usd": sum(usd for usd in cost if usd is not None)}
    return {
        "total_prompt_tokens": sum(call.tokens_in for call in counts),
        "total_completion_tokens": sum(call.tokens_out for call in counts),
        "total_cached_tokens": sum(call.cached_tokens for call in counts),
        **prices,
        "total_steps": steps,
        "extra": {"calls": len(counts)},
    }
