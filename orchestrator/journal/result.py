"""How a game ended, and what must be known before its score is taken for the models' own."""

from html import escape
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError

from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.models import simulated_settings
from hanabi_orchestrator.orchestrator.models.usage import Usage
from hanabi_orchestrator.orchestrator.values import Value

NOT_STATED = Field(exclude_if=lambda value: value is None)
EMPTY = Field(exclude_if=lambda value: not value)
MOST = 25
"""The best score of Hanabi."""
Count = Annotated[int, Field(ge=0, lt=10**12)]
"""As many as there can be: a journal with other numbers was changed."""


def deal_in_words(seed: int | None, deck_name: str | None) -> str:
    """Return what was dealt, in words."""
    if deck_name is not None:
        return f"the deck {deck_name!r}"
    return "a deck of its own" if seed is None else f"seed {seed}"


class Result(Value):
    """How a game ended."""

    game: str = Field(default=DEFAULT, exclude_if=lambda value: value == DEFAULT)
    """The name of the game."""
    score_strict: int
    """0 when the third life was lost, or the game was given up."""
    score_kept: int
    """The points on the table, also when the third life was lost."""
    lives: Annotated[int, Field(ge=0, le=3)]
    turns: Count
    end: str
    players: int
    seed: int | None
    graph: str
    model: str
    fireworks: dict[str, int]
    hints_wasted: Count = 0
    """Hints that told their receiver nothing new about any card."""
    moves_digest: str = ""
    """A hash of the moves: games of one deal are the same game when theirs are equal."""
    tokens_in: Count
    """Prompt tokens of responses that were paid for; those of the cache do not count."""
    tokens_out: Count
    cached_tokens: Count = 0
    """Part of `tokens_in`: those that the provider's cache held."""
    reasoning_tokens: Count = 0
    """Part of `tokens_out`."""
    usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """None unless the prices of all responses are known."""
    calls: Count
    """Requests to models that were answered; calls of programs are not counted."""
    repaired: Count = 0
    """Responses that had to be repaired."""
    reasked: Count = 0
    """Unusable responses after which a node was asked again."""
    fallbacks: Count
    """Questions that ended without a note because no response was usable."""
    faults: Count = 0
    """Requests over the wire that failed."""
    cache_hits: Count = 0
    """Part of `calls`: responses of the cache, or of the game that this one was forked from."""
    forced: Count
    """Decisions that were forced."""
    copied: Count = 0
    """Usable responses that repeat the example of their prompt."""
    model_moves: Count = 0
    """Moves of seats that ask a model."""
    own: Count = 0
    """Part of `model_moves`: those that the seat chose; see `orchestrator.journal.move_origins`."""
    refused: Count = 0
    """Choices that a verifier refused, the safety rule included."""
    refused_by_rule: Count = 0
    """Part of `refused`: by the safety rule."""
    refused_turns: Count = 0
    """Turns with a refused choice."""
    after_refusal: Count = 0
    """Part of `refused_turns`: those in which the seat then made a choice that was accepted."""
    copied_moves: Count = 0
    """Part of `model_moves`: those read from a copy of the prompt's example."""
    second_ask: Count = 0
    """Moves that were read from the deciding node's second answer, since its first was unusable."""
    first_misplays: Count = 0
    """In turns with a refusal: first choices that would have cost a life."""
    first_points: Count = 0
    """In the same turns: first choices that would have scored."""
    played_misplays: Count = 0
    """In the same turns: moves played instead that cost a life."""
    played_points: Count = 0
    """In the same turns: moves played instead that scored."""
    fake: bool = False
    """True if the package's fake server answered any call."""
    deck_name: Annotated[str | None, NOT_STATED] = None
    """The name of the deck that was given; None for HLE's deal."""
    control: Annotated[str | None, NOT_STATED] = None
    """The control of an experiment that the game belongs to: `noise_floor`, `placebo analyst`; with `own_hand` a seat
    saw its own cards, which is cheating. None for any other game."""
    measures: Annotated[dict[str, float], EMPTY] = {}
    """Of other games than Hanabi: their numbers, by the names of their measures."""
    details: Annotated[dict[str, Any], EMPTY] = {}
    """What else the game says of its end, as plain data."""

    @field_validator("score_strict", "score_kept")
    @classmethod
    def _possible(cls, score: int, info: ValidationInfo) -> int:
        """A score that Hanabi does not have is that of a journal that was changed."""
        if info.data.get("game") != DEFAULT or 0 <= score <= MOST:
            return score
        if score < 0:
            raise PydanticKnownError("greater_than_equal", {"ge": 0})
        raise PydanticKnownError("less_than_equal", {"le": MOST})

    @field_validator("end")
    @classmethod
    def _an_end(cls, end: str, info: ValidationInfo) -> str:
        ends = list(get(info.data.get("game", DEFAULT)).ends)
        if end not in ends:
            names = ", ".join(map(repr, ends[:-1]))
            raise PydanticKnownError("literal_error", {"expected": f"{names} or {ends[-1]!r}"})
        return end

    @property
    def usage(self) -> Usage:
        """The tokens and dollars that were paid; none of simulated models, whose prices are made up."""
        if self.model and simulated_settings.only(self.model):
            return Usage()
        paid = self.calls - self.cache_hits
        usd = self.usd if paid else 0.0
        return Usage(
            self.tokens_in, self.tokens_out, usd, paid, self.cached_tokens, self.reasoning_tokens
        )

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        lives = (
            f", {self.lives} {'life' if self.lives == 1 else 'lives'} left" if self.lives else ""
        )
        return f"{get(self.game).ends[self.end]} after {self.turns} turns{lives}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Reasons why the score may not be the models' own, in sentences; empty without one."""
        return tuple(
            filter(None, (self.mostly_forced or self.some_forced, self.unreadable, self.by_fake))
        )

    @property
    def mostly_forced(self) -> str:
        if 2 * self.forced <= self.turns:
            return ""
        return f"{self.forced} of {self.turns} moves were forced: this is not how the model plays"

    @property
    def some_forced(self) -> str:
        moves = "1 move was" if self.forced == 1 else f"{self.forced} moves were"
        return (
            f"{moves} the safest legal move, because no choice was accepted" if self.forced else ""
        )

    @property
    def unreadable(self) -> str:
        many = "1 question was" if self.fallbacks == 1 else f"{self.fallbacks} questions were"
        return f"{many} left without a usable response" if self.fallbacks else ""

    @property
    def by_fake(self) -> str:
        return FAKE_SERVER if self.fake else ""

    def _repr_html_(self) -> str:
        """Return the result as a notebook shows it."""
        remark = f" (kept: {self.score_kept})" if self.score_kept != self.score_strict else ""
        deal = deal_in_words(self.seed, self.deck_name)
        board = " ".join(f"{colour}{top}" for colour, top in self.fireworks.items())
        moves = self.model_moves
        lines = [
            f"<b>{self.score_strict}</b> of 25{remark}: {self.ending}",
            f"{self.players} players, {escape(deal)}, {escape(self.graph)} on {escape(self.model)}",
            f"<code>{board}</code>",
            f"own moves: {self.own} of {moves} ({100 * self.own / moves:.0f}%)"
            if moves
            else "no model was asked",
            *(f"<i>{escape(note)}</i>" for note in self.notes),
        ]
        return f"<div>{'<br>'.join(lines)}</div>"


FAKE_SERVER = (
    "fake server: this game was answered by the package's fake server, not by a language model"
)
