"""Rows of data sets from a game: one for each response (`sft`), or one for each decision (the other
kinds).

Each kind has a fixed schema, without maps, which viewers cannot show."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal

from simpleeval import EvalWithCompoundTypes

from hanabi_orchestrator.experiments.interchange.decisions import Cells, Decision, Response
from hanabi_orchestrator.experiments.interchange.hanabi_logs_games import hle_words
from hanabi_orchestrator.experiments.record import parquet
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.games import Source
from hanabi_orchestrator.experiments.values.rollout_store import store_of
from hanabi_orchestrator.experiments.values.turn_values import turn_values
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.journal.events import GameStarted
from hanabi_orchestrator.orchestrator.journal.fingerprint import hashed
from hanabi_orchestrator.roles.reply_types import Choice

Kind = Literal["logs", "rewards", "sft", "dpo", "grpo"]
TYPES = {**parquet.CALLS, **parquet.GAMES, **parquet.TURNS, "ask": "int8", "score_change": "int8"}
FACTS = {
    name: TYPES.get(name, "string")
    for name in (
        "game",
        "arm",
        "graph",
        "players",
        "seed",
        "deal",
        "repeat",
        "turn",
        "seat",
        "node",
        "role",
        "sample",
        "ask",
        "model",
        "answered_by",
        "state",
        "injected",
        "forced",
        "move",
        "score_change",
        "score_kept",
        "score_strict",
        "lives",
        "end",
    )
}
"""The columns that all kinds have, with their types."""
PUBLISHED = {
    "model_name": "string",
    "players": "int8",
    "seed": "int64",
    "turn_number": "int16",
    "current_player": "int8",
    "raw_game_state_before_move": "string",
    "deck_size": "int8",
    "system_prompt": "string",
    "user_prompt": "string",
    "response_content": "string",
    "legal_moves_description_for_llm": "strings",
    "move_ratings": "floats",
}
"""The columns of HanabiLogs and HanabiRewards; moves and ratings are lists by the number of the
move."""
VALUES = {
    "legal_moves": "strings",
    "ratings_by": "string",
    "one_step": "floats",
    "one_step_by": "string",
    "rollout": "floats",
    "rollout_by": "string",
    "rollout_error": "floats",
    "rollout_deals": "floats",
}
PAIR = {"chosen": "messages", "rejected": "messages"}
MOVES = dict.fromkeys(("chosen_move", "rejected_move"), "string")
COLUMNS: Mapping[Kind, Mapping[str, str]] = {
    "logs": {**PUBLISHED, "reasoning": "string", **FACTS},
    "rewards": {**PUBLISHED, **VALUES, **FACTS},
    "sft": {"prompt": "messages", "completion": "messages", "reasoning": "string", **FACTS},
    "dpo": {
        "prompt": "messages",
        **PAIR,
        **MOVES,
        **dict.fromkeys(("chosen_value", "rejected_value"), "float64"),
        "written_by_program": "bool",
        **FACTS,
    },
    "grpo": {
        "prompt": "messages",
        "legal_moves": "strings",
        "values": "floats",
        "ratings": "floats",
        "reader": "string",
        **FACTS,
    },
}
"""The columns of each kind, in order."""
KEYS: Mapping[Kind, tuple[str, ...]] = {
    "logs": ("system_prompt", "user_prompt", "response_content"),
    "rewards": ("system_prompt", "user_prompt", "response_content"),
    "sft": ("prompt", "completion"),
    "dpo": ("prompt", *PAIR),
    "grpo": ("prompt", "move"),
}


@dataclass(frozen=True)
class DataSet:
    """The rows that are asked for."""

    kind: Kind
    where: str = ""
    """The rows that are wanted, by an expression over FACTS; empty for all."""
    prompts: GraphConfig | None = None
    """The graph whose deciding node is asked in every position, in place of the players' own
    nodes."""
    thinking: bool = False
    """Whether a completion begins with the model's reasoning, in `<think>`."""
    rollouts: int = 0
    """The games that are played for the rollout values of a decision; 0 for none."""

    @property
    def columns(self) -> Mapping[str, str]:
        return COLUMNS[self.kind]

    @property
    def key(self) -> tuple[str, ...]:
        """The columns by which two rows are the same."""
        return KEYS[self.kind]


@dataclass(frozen=True)
class GameRows:
    """The rows of a game, and what has none, by the reason."""

    rows: list[Cells]
    left_out: Counter[str]


@lru_cache
def condition(where: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return whether a row is wanted, by an expression over FACTS such as `score_kept >= 20 and
    role == 'proposer'`.

    Raises UserError for what is no such expression.
    """
    if not where:
        return lambda facts: True
    try:
        parsed = EvalWithCompoundTypes.parse(where)
    except SyntaxError as error:
        raise UserError(f"--where {where!r} cannot be read: {error.msg}") from None
    names = [node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)]
    if unknown := next((name for name in names if name not in FACTS), None):
        raise UserError(
            f"--where: there is no column {unknown!r}; "
            f"{did_you_mean(unknown, FACTS, 'the columns are')}"
        )

    def holds(facts: Mapping[str, Any]) -> bool:
        try:
            return bool(EvalWithCompoundTypes(names=dict(facts), functions={}).eval(where, parsed))
        except Exception as error:  # its own errors, and those of Python's operators
            raise UserError(f"--where {where!r} cannot be computed: {error}") from None

    return holds


def deal_of(started: GameStarted) -> str:
    """Return what identifies a deal: a deck has the same at every player count."""
    return hashed([card.value for card in started.deck])


def rows(source: Source, data: DataSet) -> GameRows:
    """Return the rows of a game. Raises UserError for what is no journal."""
    game = Game.open(source.path)
    rows = list[Cells]()
    left_out = Counter[str]()
    started = game.started
    result = game.result
    if result is None:
        return GameRows([], Counter({"games that are not finished": 1}))
    facts = {
        "game": source.name,
        "arm": source.arm or "",
        "deal": deal_of(started),
        **{name: getattr(started, name) for name in ("players", "seed", "repeat")},
        **{name: getattr(result, name) for name in ("score_kept", "score_strict", "lives", "end")},
    }
    referee = Referee(started.players, started.deck)
    before = 0
    wanted = condition(data.where)
    for turn in game.turns:
        if not turn.decided or not turn.moved:
            continue
        after = sum(turn.moved.past.fireworks)
        decision = Decision(game, turn, turn.decided, referee, data.prompts)
        of_turn = facts | decision.facts | {"score_change": after - before}
        before = after
        if started.sees_own_hand(turn.seat, turn.number):
            left_out["decisions of seats that see their own cards"] += 1
            continue
        if not decision.responses:
            left_out["decisions without a prompt"] += 1
        for response, cells in _responses(decision, data):
            if data.kind == "sft" and decision.refused(response):
                left_out["responses whose move was refused"] += 1
            elif wanted(columns := of_turn | response.facts):
                row = columns | cells()
                rows.append({name: row[name] for name in data.columns})
    return GameRows(rows, left_out)


Rows = Iterator[tuple[Response, Callable[[], Cells]]]
"""Responses that may have a row, each with what gives its columns: they take long, and may not be
wanted."""


def _responses(decision: Decision, data: DataSet) -> Rows:
    if data.kind == "sft":
        for response in decision.responses:
            if response.usable and not (data.prompts and decision.decided.forced):
                yield response, partial(_sft, response, data.thinking)
    elif data.kind == "dpo":
        yield from _pairs(decision)
    elif (deciding := decision.deciding) and deciding.question:
        rewards = partial(_rewards, rollouts=data.rollouts)
        columns: dict[Kind, Callable[[Response, Decision], Cells]] = {
            "logs": _logs,
            "grpo": _grpo,
            "rewards": rewards,
        }
        yield deciding, partial(columns[data.kind], deciding, decision)


def _sft(response: Response, thinking: bool) -> Cells:
    if thinking and response.reasoning:
        thought = f"<think>\n{response.reasoning}\n</think>\n\n"
    else:
        thought = ""
    completion = [{"role": "assistant", "content": thought + response.completion}]
    return {"prompt": response.prompt, "completion": completion, "reasoning": response.reasoning}


def _grpo(response: Response, decision: Decision) -> Cells:
    return {
        "prompt": decision.asked_first(response),
        "legal_moves": [str(move) for move in response.legal],
        "values": [round(decision.values[move], 6) for move in response.legal],
        "ratings": decision.ratings(response.legal),
        "reader": response.reader,
    }


def _logs(response: Response, decision: Decision) -> Cells:
    view = decision.turn.view
    prompt = decision.asked_first(response)
    moves = decision.moves(response)
    texts = {}
    for speaker in ("system", "user"):
        texts[speaker] = [part["content"] for part in prompt if part["role"] == speaker]
    return {
        "model_name": response.facts["model"],
        "turn_number": view.turn,
        "current_player": view.seat,
        "raw_game_state_before_move": decision.state,
        "deck_size": view.deck_size,
        "system_prompt": "\n\n".join(texts["system"]),
        "user_prompt": "\n\n".join(texts["user"]),
        "response_content": response.text,
        "reasoning": response.reasoning,
        "legal_moves_description_for_llm": [
            hle_words(move, view.seat, view.players) for move in moves
        ],
        "move_ratings": decision.ratings(moves),
    }


def _rewards(response: Response, decision: Decision, rollouts: int) -> Cells:
    moves = decision.moves(response)
    game = decision.game
    cells: Cells = {"rollout": [], "rollout_error": [], "rollout_deals": []}
    if rollouts:
        values = turn_values(
            game, decision.turn.number, rollouts=rollouts, store=store_of(game.path)
        )
        by_move = {value.move: value for value in values.moves}
        for column, name in zip(cells, ("rollout", "error", "deals"), strict=True):
            cells[column] = [getattr(by_move[move], name) for move in moves]
    return {
        **_logs(response, decision),
        "legal_moves": [str(move) for move in moves],
        "ratings_by": response.facts["model"] if decision.decided.ratings else "",
        "one_step": [round(decision.values[move], 6) for move in moves],
        "one_step_by": "exact program",
        **cells,
        "rollout_by": f"convention players, up to {rollouts} rollouts" if rollouts else "",
    }


def _pairs(decision: Decision) -> Rows:
    """Yield the best against the worst sample of each node; where none has several, of the moves
    that the prompt lists."""
    nodes = dict[str, dict[Move, Response]]()
    pairs = 0
    for response in decision.responses:
        reply = response.question.reply if response.question and response.usable else None
        if isinstance(reply, Choice):
            nodes.setdefault(response.facts["node"], {}).setdefault(reply.action, response)
    for choices in nodes.values():
        if moves := decision.extremes(choices):
            pairs += 1
            response = choices[moves[0]]
            texts = [choices[move].completion for move in moves]
            yield (
                response,
                partial(_pair, response, decision, moves, texts, by_program=not response.call),
            )
    deciding = decision.deciding
    if (
        not pairs
        and deciding
        and deciding.question
        and (moves := decision.extremes(deciding.legal))
    ):
        texts = [deciding.written(Choice(reason="", action=move)) for move in moves]
        yield deciding, partial(_pair, deciding, decision, moves, texts, by_program=True)


def _pair(
    response: Response,
    decision: Decision,
    moves: tuple[Move, Move],
    texts: Sequence[str],
    *,
    by_program: bool,
) -> Cells:
    cells: Cells = {"prompt": decision.asked_first(response), "written_by_program": by_program}
    for name, move, text in zip(("chosen", "rejected"), moves, texts, strict=True):
        cells[name] = [{"role": "assistant", "content": text}]
        cells[f"{name}_move"] = str(move)
        cells[f"{name}_value"] = round(decision.values[move], 6)
    return cells
