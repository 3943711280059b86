"""Trajectories in the Agent Trajectory Interchange Format, ATIF v1.7: one for each seat of a game.

A seat's trajectory has two steps a turn: what the seat saw, as a user's message, and its move, as a
tool call with what came of it. The calls of its nodes are trajectories within it, one each, to
which the observation refers: a node knows nothing of another one's conversation.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.formats import ExportFormat, Written
from hanabi_orchestrator.experiments.record.files import write_all
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.games import sources
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.versions import versions
from hanabi_orchestrator.roles.words import many

SCHEMA = "ATIF-v1.7"
NOTES = (
    "A seat decides by several roles. Each call of a role is a trajectory of its own "
    "(subagent_trajectories), to which the observation of its turn refers; final_metrics counts "
    "the tokens of all of them. A step without model_name was computed by a program."
)

TOKENS = {
    "prompt_tokens": "tokens_in",
    "completion_tokens": "tokens_out",
    "cached_tokens": "cached_tokens",
}
"""What the format counts, by the fields of a call."""
FACTS = ("turn", "node", "role", "sample", "ask", "outcome", "error", "cached", "finish")
"""Fields of a call that the step of its answer repeats."""


def export(path: Path, out: Path) -> list[Path]:
    """Write the trajectories of a game or a run into a folder: `ARM/NAME-seat0.json` ...; returns
    the files.

    Seats that never moved have none. Raises UserError.
    """
    written = list[Path]()
    for source in sources(path):
        seats = trajectories(source.path).items()
        texts = {}
        for seat, data in seats:
            texts[f"{source.name}-seat{seat}.json"] = json.dumps(data, ensure_ascii=False) + "\n"
        written += write_all(out, texts)
    return written


def _written(path: Path, out: Path) -> Written:
    files = export(path, out)
    data = {"out": str(out), "files": [str(file) for file in files]}
    return Written(f"{len(files):,} trajectories  {out}", data=data)


FORMAT = ExportFormat(says="trajectories of seats and roles (ATIF v1.7)", write=_written)


def trajectories(path: Path) -> dict[int, dict[str, Any]]:
    """Return the trajectory of each seat that had a turn, by seat. Raises UserError."""
    game = Game.open(path)
    turns = {}
    for seat in range(game.started.players):
        turns[seat] = [turn for turn in game.turns if turn.seat == seat]
    return {seat: _seat(game, seat, turns) for seat, turns in turns.items() if turns}


def _seat(game: Game, seat: int, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return the trajectory of one seat, from its turns."""
    started = game.started
    result = game.result
    info = started.seats[seat]
    session = f"{started.config_hash}-{started.game}"
    steps = list[dict[str, Any]]()
    subs = list[dict[str, Any]]()
    for turn in turns:
        calls = _by_id(turn.calls)
        times = _times(turn)
        steps += _steps(turn, times, list(calls))
        subs += [_call(session, id, call, times) for id, call in calls.items()]
    model_calls = []
    for turn in turns:
        for call in turn.calls:
            if call.of_model:
                model_calls.append(call)
    cost = [call.usd for call in model_calls if call.usd is not None]
    final_metrics = {}
    for name, column in TOKENS.items():
        final_metrics[f"total_{name}"] = sum(getattr(call, column) for call in model_calls)
    return {
        "schema_version": SCHEMA,
        "session_id": session,
        "trajectory_id": f"seat{seat}",
        "agent": _agent(info.graph, info.model) | {"extra": {"graph": info.config}},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
        "notes": NOTES,
        "final_metrics": {
            **final_metrics,
            **({"total_cost_usd": sum(cost)} if cost and len(cost) == len(model_calls) else {}),
            "total_steps": len(steps),
            "extra": {"calls": len(model_calls)},
        },
        "extra": {
            "players": started.players,
            "seed": started.seed,
            "seat": seat,
            "repeat": started.repeat,
            "result": result.model_dump(mode="json") if result else None,
        },
        **({"subagent_trajectories": subs} if subs else {}),
    }


def _agent(name: str, model: str) -> dict[str, Any]:
    """Return who answered; `program` is no model."""
    names = {} if model == "program" else {"model_name": model.partition("@")[0]}
    return {"name": name, "version": versions()["hanabi-orchestrator"], **names}


Times = dict[int, dict[str, str]]
"""By the `id` of an event, the time at which it was written, as a field of a step; no field where
the journal does not say."""


def _times(turn: Turn) -> Times:
    """Return the times of the events of a turn."""
    lines = [line.stamp.decode() for line in turn.lines if line.tag != "turn_started"]
    pairs = zip(turn.events, lines, strict=True)
    times = {}
    for event, stamp in pairs:
        times[id(event)] = {"timestamp": stamp} if stamp else {}
    return times


def _by_id(calls: Sequence[Call]) -> dict[str, Call]:
    """Return calls by the id of their trajectory; it ends in a number where a resumed game made a
    failed call again."""
    numbers = Counter[object]()
    by_id = dict[str, Call]()
    for call in calls:
        numbers[call.key] += 1
        if numbers[call.key] > 1:
            again = f"/{numbers[call.key]}"
        else:
            again = ""
        by_id[f"turn-{call.turn}/{call.node}/{call.sample}/{call.ask}{again}"] = call
    return by_id


def _steps(turn: Turn, times: Times, calls: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what the seat saw, and its move with the calls that led to it."""
    seen = turn.view.model_dump(mode="json", exclude={"history", "dealt"}, exclude_defaults=True)
    text = f"Turn {turn.number}. What you see: {json.dumps(seen, ensure_ascii=False)}"
    yield {"source": "user", "message": text}
    if not turn.decided:
        return
    move = turn.decided.move
    name = f"turn-{turn.number}"
    arguments = move.model_dump(mode="json", exclude={"kind"})
    tool_call = {"tool_call_id": name, "function_name": move.kind, "arguments": arguments}
    step: dict[str, Any] = {
        "source": "agent",
        "message": turn.decided.why,
        "tool_calls": [tool_call],
    }
    if turn.moved:
        refs = {"subagent_trajectory_ref": [{"trajectory_id": id} for id in calls]} if calls else {}
        step["observation"] = {
            "results": [{"source_call_id": name, "content": outcome(turn.moved.past), **refs}]
        }
    step["extra"] = {"turn": turn.number, "node": turn.decided.node, "forced": turn.decided.forced}
    yield step | times[id(turn.decided)]


def outcome(past: Past) -> str:
    """Return what came of a move, as everybody saw it."""
    if past.card is None:
        if len(past.slots) == 1:
            slots = f"slot {past.slots[0]}"
        else:
            slots = f"slots {', '.join(map(str, past.slots))}"
        effect = f"it touched {slots} of P{getattr(past.move, 'to', '?')}"
    else:
        if past.scored is None:
            fits = ""
        elif past.scored:
            fits = ", which fitted"
        else:
            fits = ", which did not fit"
        effect = f"the card was {past.card.value}{fits}"
    points = many(sum(past.fireworks), "point")
    tokens = many(past.tokens, "information token")
    return f"{effect}; {points}, {tokens}, {many(past.lives, 'life', 'lives')}"


def _call(session: str, name: str, call: Call, times: Times) -> dict[str, Any]:
    """Return the conversation of one call; of a program, its reply alone."""
    steps: list[dict[str, Any]] = [
        {"source": "agent", "message": message.content, "is_copied_context": True}
        # an answer in the prompt is that of the request before, shown once more
        if message.role == "assistant"
        else {"source": message.role, "message": message.content}
        for message in call.messages
    ]
    if call.of_model:
        text = call.text
    else:
        text = json.dumps(call.reply, ensure_ascii=False)
    facts = {key: getattr(call, key) for key in FACTS} | {"program": not call.of_model}
    answer: dict[str, Any] = {
        "source": "agent",
        "message": text or "",
        "extra": facts,
        **times[id(call)],
    }
    if call.of_model:
        answer["model_name"] = call.served_by or call.model.partition("@")[0]
        answer["metrics"] = {
            **{name: getattr(call, column) for name, column in TOKENS.items()},
            **({} if call.usd is None else {"cost_usd": call.usd}),
            "extra": {"reasoning_tokens": call.reasoning_tokens, "estimated": call.estimated},
        }
        if call.reasoning:
            answer["reasoning_content"] = call.reasoning
    return {
        "schema_version": SCHEMA,
        "session_id": session,
        "trajectory_id": name,
        "agent": _agent(call.role, call.model),
        "steps": [{"step_id": number, **step} for number, step in enumerate([*steps, answer], 1)],
    }
