"""Rows of data sets from a game: one for each response (`sft`), or one for each decision (the other kinds).

The prompt of a row is what the seat's model was sent. Where a program answered, it is what a model would have been
sent, and the response is the program's reply as a model would write it.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

from experiments.interchange.data_columns import COLUMNS, FACTS, KEYS, Kind
from experiments.interchange.hanabi_logs_games import hle_words
from experiments.interchange.row_condition import Condition, over
from experiments.interchange.sources import Source
from experiments.record.game import Game, Turn
from experiments.values.one_step_value import one_step_values
from experiments.values.position import Position
from experiments.values.rollout_store import store_of
from experiments.values.turn_values import turn_values
from graphs import recorded
from graphs.ablate import at
from graphs.attempts import attempts, base, role_node
from graphs.config import PROGRAM, GraphConfig
from graphs.recorded import RecordedReply
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.referee import Referee
from orchestrator.journal.events import Call, Decided, GameStarted
from orchestrator.journal.fingerprint import hashed
from orchestrator.models.request import ModelRequest, messages
from orchestrator.models.simulated_settings import Rates
from orchestrator.replies import writer
from orchestrator.replies.reply import Reply, TableOptions
from roles.hanabi.error_injection import Slips, rated
from roles.reply_types import BareChoice, Choice, RatedChoice

USABLE = ("ok", "repaired")
EXACT = Slips(Rates(), 0)
"""A program's reply as it is, without errors."""

Cells: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class DataSet:
    """The rows that are asked for."""

    kind: Kind
    where: str = ""
    """The rows that are wanted, by an expression over FACTS; empty for all."""
    prompts: GraphConfig | None = None
    """The graph whose deciding node is asked in every position, in place of the players' own nodes."""
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


def condition(where: str) -> Condition:
    """Return whether a row is wanted, by its FACTS. Raises UserError for an expression that is none."""
    return over(where, tuple(FACTS)) if where else lambda facts: True


def deal_of(started: GameStarted) -> str:
    """Return what identifies a deal: a deck has the same at every player count."""
    return hashed([card.value for card in started.deck])


def rows(source: Source, data: DataSet) -> GameRows:
    """Return the rows of a game. Raises UserError for what is no journal."""
    game, found, left_out = Game.open(source.path), list[Cells](), Counter[str]()
    if game.result is None:
        return GameRows([], Counter({"games that are not finished": 1}))
    referee = Referee(game.started.players, game.started.deck)
    facts, before, wanted = _game_facts(game, source), 0, condition(data.where)
    for turn in game.turns:
        if not turn.decided or not turn.moved:
            continue
        after = sum(turn.moved.past.fireworks)
        decision = Decision(game, turn, turn.decided, data, referee)
        of_turn = facts | decision.facts | {"score_change": after - before}
        before = after
        if game.started.sees_own_hand(turn.seat, turn.number):
            left_out["decisions of seats that see their own cards"] += 1
            continue
        if not decision.responses:
            left_out["decisions without a prompt"] += 1
        for response, cells in KINDS[data.kind](decision):
            if data.kind == "sft" and decision.refused(response):
                left_out["responses whose move was refused"] += 1
                continue
            if wanted(known := of_turn | response.facts):
                row = known | cells()
                found.append({name: row[name] for name in data.columns})
    return GameRows(found, left_out)


def _game_facts(game: Game, source: Source) -> Cells:
    started = game.started
    return {
        "game": source.name,
        "arm": source.arm or "",
        "deal": deal_of(started),
        **{name: getattr(started, name) for name in ("players", "seed", "repeat")},
        **{name: getattr(game.result, name) for name in ("score_kept", "score_strict", "lives", "end")},
    }


@dataclass(frozen=True)
class Response:
    """A response of a node, with its question."""

    call: Call | None
    """None where a program answered."""
    question: RecordedReply | None
    """None where the graph is not known here."""

    @property
    def facts(self) -> Cells:
        call, question = self.call, self.question
        if call:
            by = "fake" if call.fake else "simulated" if call.simulated else "model"
            names = {name: getattr(call, name) for name in ("node", "role", "sample", "ask")}
            errors = {"injected": "; ".join(call.injected)}
            return {**names, "model": call.model, "answered_by": by, "state": call.outcome, **errors}
        assert question
        names = {"node": question.node.name, "role": question.node.role.name, "sample": question.sample, "ask": 0}
        return {**names, "model": PROGRAM, "answered_by": PROGRAM, "state": "ok", "injected": ""}

    @property
    def place(self) -> tuple[str, int]:
        facts = self.facts
        return facts["node"], facts["sample"]

    @property
    def usable(self) -> bool:
        """Whether its text can be a completion, once a repaired form is written anew."""
        state = self.facts["state"]
        return state in USABLE and (state == "ok" or isinstance(self.question and self.question.reply, Reply))

    @cached_property
    def request(self) -> ModelRequest:
        assert self.question
        return self.question.node.request(self.question.sample, self.question.sections, self.question.notes)

    @property
    def prompt(self) -> list[Cells]:
        sent = self.call.messages if self.call else messages(self.request.parts)
        return [{"role": message.role, "content": message.content} for message in sent]

    @property
    def text(self) -> str:
        if self.call:
            return self.call.text or ""
        assert self.question and isinstance(self.question.reply, Reply)
        return self.written(self.question.reply)

    @property
    def completion(self) -> str:
        """The text in the right form: of a repaired response its reply, written again."""
        if self.call is None or self.call.outcome != "repaired":
            return self.text
        assert self.question and isinstance(self.question.reply, Reply)
        return writer.text_of(self.question.reply, self.call.form or self.request.form)

    def written(self, reply: Reply) -> str:
        """Return a reply as a model would write it here."""
        assert self.question
        return writer.text_of(rated(reply, self.request.reply, self.question.sections, EXACT), self.request.form)

    @property
    def reasoning(self) -> str:
        return (self.call.reasoning if self.call else None) or ""

    @property
    def legal(self) -> list[Move]:
        """The legal moves in the order of the prompt."""
        return list(self.request.moves.values())

    @property
    def reader(self) -> str:
        """How the project's reader reads a response: what `rewards` needs, as JSON."""
        request, options = self.request, self.request.moves
        table = options.table if isinstance(options, TableOptions) else {}
        asked = {"ratings": issubclass(request.reply, RatedChoice)}
        asked["reason_first"] = issubclass(request.reply, Choice) and request.reply.reason_first
        asked["reason"] = not issubclass(request.reply, BareChoice)
        return json.dumps(
            {"role": request.role, "form": request.form, **asked, "labels": list(options), "table": dict(table)}
        )


@dataclass(frozen=True)
class Decision:
    """A turn of a game with the responses that led to its move."""

    game: Game
    turn: Turn
    decided: Decided
    data: DataSet
    referee: Referee
    """At this turn or an earlier one."""

    @property
    def state(self) -> str:
        """What the seat observes, in HLE's words."""
        while self.referee.turn < self.turn.number:
            self.referee.apply(self.game.moves[self.referee.turn - 1])
        return self.referee.observed()

    @property
    def facts(self) -> Cells:
        info = self.game.started.seat_at(self.turn.seat, self.turn.number)
        names = {"turn": self.turn.number, "seat": self.turn.seat, "graph": info.graph}
        return {**names, "forced": self.decided.forced, "move": str(self.decided.move)}

    @cached_property
    def responses(self) -> list[Response]:
        """In the order of the journal, then those of programs."""
        if self.data.prompts:
            return [Response(None, self._asked(at(self.data.prompts, self.game.started.players)))]
        turn, config = self.turn, self.game.config(self.turn.seat, self.turn.number)
        memory = self.game.memory(turn.number)
        replies = recorded.replies(config, (turn.started, *turn.events), memory) if config else ()
        questions = {(question.node.name, question.sample): question for question in replies}
        asked = [call for call in turn.calls if call.of_model and call.text is not None and call.fixed is None]
        calls = [Response(call, questions.get((call.node, call.sample))) for call in asked]
        return calls + [Response(None, question) for question in questions.values() if _would_be_asked(question)]

    def _asked(self, config: GraphConfig) -> RecordedReply:
        """The question of a graph's deciding node, answered with the move of the game."""
        node = role_node(config, config.decides, attempts(config)[0])
        sections = node.sections(self.game.board(self.turn.number).view, {})
        return RecordedReply(node, 0, Choice(reason=self.decided.why, action=self.decided.move), sections, {})

    def refused(self, response: Response) -> bool:
        """Return whether a response named a move that a verifier refused."""
        config, node = self.game.config(self.turn.seat, self.turn.number), response.facts["node"]
        decides = config is not None and base(node) == config.decides and not self.data.prompts
        return decides and (self.decided.forced or node != (self.decided.node or node))

    @property
    def deciding(self) -> Response | None:
        """The response that decided; of a forced move, the last one of the deciding node."""
        config = self.game.config(self.turn.seat, self.turn.number)
        names = [response.facts["node"] for response in self.responses]
        decides = self.decided.node or (config.decides if config else None)
        found = [n for n, name in enumerate(names) if name == self.decided.node or base(name) == decides]
        return self.responses[0 if self.data.prompts else found[-1]] if self.data.prompts or found else None

    def asked_first(self, response: Response) -> list[Cells]:
        """The prompt of a response before it was asked again."""
        same = [other for other in self.responses if other.place == response.place]
        return (same or [response])[0].prompt

    def ratings(self, moves: Sequence[Move]) -> list[float | None]:
        """The seat's own ratings of moves; empty where it gave none."""
        ratings = self.decided.ratings or {}
        return [ratings.get(str(move)) for move in moves] if ratings else []

    @cached_property
    def values(self) -> Mapping[Move, float]:
        """What each legal move is worth at once, exactly."""
        return one_step_values(Position.of(self.game, self.turn.number).scene)


def _would_be_asked(question: RecordedReply) -> bool:
    """Whether a model in the place of a program would have been asked this."""
    node, role = question.node, question.node.role
    if node.model != PROGRAM or node.answerer or role.template is None or not isinstance(question.reply, Reply):
        return False
    return role.settled is None or role.settled(question.sections, question.notes) is None


Rows = Iterator[tuple[Response, Callable[[], Cells]]]


def _sft(decision: Decision) -> Rows:
    for response in decision.responses:
        if response.usable and not (decision.data.prompts and decision.decided.forced):
            yield response, partial(_completed, response, decision.data.thinking)


def _completed(response: Response, thinking: bool) -> Cells:
    thought = f"<think>\n{response.reasoning}\n</think>\n\n" if thinking and response.reasoning else ""
    completion = [{"role": "assistant", "content": thought + response.completion}]
    return {"prompt": response.prompt, "completion": completion, "reasoning": response.reasoning}


def _decided(decision: Decision, cells: Callable[[Response, Decision], Cells]) -> Rows:
    response = decision.deciding
    if response and response.question:
        yield response, partial(cells, response, decision)


def _grpo(response: Response, decision: Decision) -> Cells:
    return {
        "prompt": decision.asked_first(response),
        "legal_moves": [str(move) for move in response.legal],
        "values": [round(decision.values[move], 6) for move in response.legal],
        "ratings": decision.ratings(response.legal),
        "reader": response.reader,
    }


def _every(response: Response, decision: Decision) -> list[Move]:
    """Every legal move, those of the prompt first."""
    return list(dict.fromkeys((*response.legal, *decision.turn.view.legal)))


def _logs(response: Response, decision: Decision) -> Cells:
    view, prompt, moves = decision.turn.view, decision.asked_first(response), _every(response, decision)
    texts = {speaker: [part["content"] for part in prompt if part["role"] == speaker] for speaker in ("system", "user")}
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
        "legal_moves_description_for_llm": [hle_words(move, view.seat, view.players) for move in moves],
        "move_ratings": decision.ratings(moves),
    }


def _rewards(response: Response, decision: Decision) -> Cells:
    moves, rollouts, game = _every(response, decision), decision.data.rollouts, decision.game
    cells: Cells = {"rollout": [], "rollout_error": [], "rollout_deals": []}
    if rollouts:
        values = turn_values(game, decision.turn.number, rollouts=rollouts, store=store_of(game.path))
        of = {value.move: value for value in values.moves}
        cells["rollout"] = [of[move].rollout for move in moves]
        cells["rollout_error"] = [of[move].error for move in moves]
        cells["rollout_deals"] = [of[move].deals for move in moves]
    return {
        **_logs(response, decision),
        "legal_moves": [str(move) for move in moves],
        "ratings_by": response.facts["model"] if decision.decided.ratings else "",
        "one_step": [round(decision.values[move], 6) for move in moves],
        "one_step_by": "exact program",
        **cells,
        "rollout_by": f"convention players, up to {rollouts} rollouts" if rollouts else "",
    }


def _dpo(decision: Decision) -> Rows:
    """The best against the worst sample of each node; where none has several, of the moves that the prompt lists."""
    nodes, pairs = dict[str, dict[Move, Response]](), False
    for response in decision.responses:
        reply = response.question.reply if response.question and response.usable else None
        if isinstance(reply, Choice):
            nodes.setdefault(response.facts["node"], {}).setdefault(reply.action, response)
    for choices in nodes.values():
        best, worst = _extremes(decision, list(choices))
        if decision.values[best] > decision.values[worst]:
            pairs = True
            texts = choices[best].completion, choices[worst].completion
            yield choices[best], partial(_pair, choices[best], decision, best, worst, texts)
    response_of_turn = decision.deciding
    if not pairs and response_of_turn and response_of_turn.question:
        best, worst = _extremes(decision, response_of_turn.legal)
        if decision.values[best] > decision.values[worst]:
            yield response_of_turn, partial(_pair, response_of_turn, decision, best, worst, None)


def _extremes(decision: Decision, moves: Sequence[Move]) -> tuple[Move, Move]:
    return max(moves, key=decision.values.__getitem__), min(moves, key=decision.values.__getitem__)


def _pair(response: Response, decision: Decision, best: Move, worst: Move, texts: tuple[str, str] | None) -> Cells:
    chosen, rejected = texts or [response.written(Choice(reason="", action=move)) for move in (best, worst)]
    return {
        "prompt": decision.asked_first(response),
        "chosen": [{"role": "assistant", "content": chosen}],
        "rejected": [{"role": "assistant", "content": rejected}],
        "chosen_move": str(best),
        "rejected_move": str(worst),
        "chosen_value": round(decision.values[best], 6),
        "rejected_value": round(decision.values[worst], 6),
        "written_by_program": texts is None or not response.call,
    }


KINDS: Mapping[Kind, Callable[[Decision], Rows]] = {
    "logs": partial(_decided, cells=_logs),
    "rewards": partial(_decided, cells=_rewards),
    "sft": _sft,
    "dpo": _dpo,
    "grpo": partial(_decided, cells=_grpo),
}
