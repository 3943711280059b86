"""The Hanabi Learning Environment (HLE) behind one guarded module; nothing else imports it.

HLE aborts the whole process on many mistakes: an illegal move, asking for legal moves in a chance node or after the
third lost life, a seed of 2^31, a player count outside 2-5, a state whose game was garbage-collected, the card
knowledge of a dropped observation. So every value is checked here before HLE sees it, `Referee` keeps game and state
together, observations live until everything is read from them, and all results are plain data.

Cards are dealt one by one from a given deck: HLE's own random generator is never used in a game that is played, so that
a game can be rebuilt from its deck and moves alone.
"""

import warnings
from collections.abc import Sequence
from contextlib import chdir
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from orchestrator.errors import IllegalMove, UserError
from orchestrator.hanabi.cards import COLOURS, DECK_SIZE, HAND_SIZES, Card, Colour, Fireworks, check_deck
from orchestrator.hanabi.hle_reading import card_of, move_of
from orchestrator.hanabi.moves import Discard, Hint, HintColour, Move, Play
from orchestrator.hanabi.view import Hand, Knowledge, Past, View


def _import_hle() -> Any:
    """Import HLE from its own folder: it looks for its header and library in the working directory first, where a stray
    file could pose as them."""
    spec = find_spec("hanabi_learning_environment")
    if spec is None or spec.origin is None:
        raise UserError("the package hanabi-learning-environment is not installed; `make play` installs it")
    with chdir(Path(spec.origin).parent), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its header open
        from hanabi_learning_environment import pyhanabi
    return pyhanabi


_hle = _import_hle()

MAX_SEED = 2**31 - 1

End = Literal["perfect", "deck_exhausted", "lives_lost", "max_turns", "vote", "player", "clock"]
"""How a game ended; the last three are those of games that were given up at another table (see `GIVEN_UP`)."""

GIVEN_UP: frozenset[End] = frozenset({"vote", "player", "clock"})
"""Ends by no rule: the players voted, one of them ended the game, or time was up. The strict score is 0."""

_ENDS: dict[int, End] = {1: "lives_lost", 2: "deck_exhausted", 3: "perfect"}


def check_players(players: int) -> int:
    if type(players) is not int or players not in HAND_SIZES:
        raise UserError(f"Hanabi is for 2 to 5 players, not {players}")
    return players


def check_seed(seed: int) -> int:
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:  # HLE parses its text: True would abort it
        raise UserError(f"a seed is a whole number from 0 to {MAX_SEED}, not {seed}")
    return seed


def deal(seed: int) -> tuple[Card, ...]:
    """HLE's own deck for a seed; the card dealt first comes first. It is the same at every player count."""
    return tuple(card_of(move.color(), move.rank()) for move in _dealt(check_seed(seed)))


@cache
def _deals() -> dict[Card, Any]:
    """HLE's deal move of each card. HLE cannot make such a move, but the history of a dealt game holds one of each."""
    return {card_of(move.color(), move.rank()): move for move in _dealt(1)}


def _dealt(seed: int) -> list[Any]:
    """Return the 50 deal moves of a game whose hands take the whole deck."""
    game = _hle.HanabiGame({"players": 2, "hand_size": DECK_SIZE // 2, "seed": seed})
    state = game.new_initial_state()
    while state.cur_player() == _hle.CHANCE_PLAYER_ID and state.deck_size():
        state.deal_random_card()
    return [item.move() for item in state.move_history()]


class Referee:
    """One game from one deck: whose turn it is, what each seat may know, what is legal, how it ended."""

    def __init__(self, players: int, deck: Sequence[str]) -> None:
        """`deck`: the 50 cards, the one dealt first comes first. Raises UserError for a player count outside 2-5 or a
        wrong deck."""
        self.players = check_players(players)
        try:
            self.deck = check_deck(deck)
        except ValueError as error:
            raise UserError(str(error)) from None
        self._game = _hle.HanabiGame({"players": players, "random_start_player": False})
        self._state = self._game.new_initial_state()
        self._dealt = 0
        self._history: list[tuple[Past, Card | None]] = []
        self._last_turn: int | None = None
        self._legal: tuple[Move, ...] | None = None
        self._deal()
        self._start = self._hands()

    # Public facts

    @property
    def turn(self) -> int:
        """1 is the first move."""
        return len(self._history) + 1

    @property
    def over(self) -> bool:
        return bool(self._state.is_terminal())

    @property
    def end(self) -> End | None:
        return _ENDS.get(int(self._state.end_of_game_status()))

    @property
    def seat(self) -> int:
        """Whose turn it is. Raises IllegalMove when the game is over."""
        if self.over:
            raise IllegalMove("the game is over; it is nobody's turn")
        return int(self._state.cur_player())

    @property
    def history(self) -> tuple[Past, ...]:
        """Every move as everybody saw it, oldest first, without the drawn cards."""
        return tuple(past for past, _ in self._history)

    @property
    def lives(self) -> int:
        return int(self._state.life_tokens())

    @property
    def fireworks(self) -> Fireworks:
        red, yellow, green, white, blue = self._state.fireworks()
        return red, yellow, green, white, blue

    @property
    def score_strict(self) -> int:
        """0 once the third life is lost."""
        return 0 if self.lives == 0 else self.score_kept

    @property
    def score_kept(self) -> int:
        """The points on the table, also after the third life is lost."""
        return sum(self.fireworks)

    def legal(self) -> tuple[Move, ...]:
        """Return the legal moves of the seat whose turn it is, in HLE's order; none when the game is over."""
        if self._legal is None:
            seat = None if self.over else self.seat
            self._legal = (
                () if seat is None else tuple(move_of(m, seat, self.players) for m in self._state.legal_moves())
            )
        return self._legal

    # Playing

    def apply(self, move: Move) -> Past:
        """Make a move of the acting seat; returns it as everybody saw it, with no drawn card. Raises IllegalMove."""
        nobody = self.over or (isinstance(move, Hint) and move.to >= self.players)
        if nobody or not self._state.move_is_legal(self._to_hle(move, self.seat)):  # faster than to list all moves
            allowed = ", ".join(str(m) for m in self.legal()) or "none, the game is over"
            raise IllegalMove(f"{move} is not legal on turn {self.turn}; legal: {allowed}")
        seat = self.seat
        self._state.apply_move(self._to_hle(move, seat))
        self._legal = None
        item = self._last_item()
        drew = self._deal()
        past = Past(
            turn=self.turn,
            seat=seat,
            move=move,
            card=card_of(item.color(), item.rank()) if isinstance(move, Play | Discard) else None,
            scored=item.scored() if isinstance(move, Play) else None,
            slots=() if isinstance(move, Play | Discard) else tuple(item.card_info_revealed()),
            fireworks=self.fireworks,
            tokens=self._state.information_tokens(),
            lives=self.lives,
        )
        self._history.append((past, drew))
        if drew and self._dealt == DECK_SIZE:
            self._last_turn = past.turn + self.players
        return past

    def _last_item(self) -> Any:
        """HLE's record of the last move. Its `move_history()` would make a record of every move before, too."""
        state = self._state._state
        item = _hle.ffi.new("pyhanabi_history_item_t*")
        _hle.lib.StateGetMoveHistory(state, _hle.lib.StateLenMoveHistory(state) - 1, item)
        return _hle.HanabiHistoryItem(item)

    def _deal(self) -> Card | None:
        """Deal until it is a player's turn; returns the card dealt last."""
        card = None
        while not self.over and self._state.cur_player() == _hle.CHANCE_PLAYER_ID:
            card = self.deck[self._dealt]
            self._state.apply_move(_deals()[card])
            self._dealt += 1
        return card

    # Views

    def view(self, seat: int | None = None, *, own_hand: bool = False) -> View:
        """Return what `seat` (default: the acting seat) may know now.

        `own_hand`: as a seat that cheats sees it, with the own cards told as if hints had named them. Nobody else's
        view changes: what others know of that hand is still what hints said.
        """
        if own_hand:
            honest = self.view(seat)
            return seeing_own_hand(honest, self._hands()[honest.seat])
        seat = self.seat if seat is None else seat
        if seat not in range(self.players):
            raise UserError(f"there is no seat {seat}; the seats are 0 to {self.players - 1}")
        observation = self._state.observation(seat)
        knowledge = [tuple(_knowledge(str(k)) for k in hand) for hand in observation.card_knowledge()]
        hands = self._hands()
        order = [(seat + step) % self.players for step in range(1, self.players)]
        acts = not self.over and seat == self.seat
        return View(
            players=self.players,
            seat=seat,
            turn=self.turn,
            fireworks=self.fireworks,
            tokens=self._state.information_tokens(),
            lives=self.lives,
            deck_size=self._state.deck_size(),
            discards=tuple(card_of(card.color(), card.rank()) for card in self._state.discard_pile()),
            own=knowledge[0],
            hands=tuple(Hand(seat=s, cards=hands[s], known=knowledge[i]) for i, s in enumerate(order, 1)),
            dealt=tuple(() if s == seat else hand for s, hand in enumerate(self._start)),
            history=tuple(  # with the cards that others drew
                past if drew is None or past.seat == seat else past.model_copy(update={"drew": drew})
                for past, drew in self._history
            ),
            turns_left=None if self._last_turn is None else max(self._last_turn - len(self._history), 0),
            legal=self.legal() if acts else (),
        )

    def observed(self) -> str:
        """HLE's text of what the acting seat observes, its own cards as XX. Raises IllegalMove after the game."""
        return str(self._state.observation(self.seat))

    def encoded(self, seat: int) -> list[int]:
        """HLE's canonical encoding, in bits, of what a seat observes before a turn.

        Raises IllegalMove when the game is over.
        """
        if self.over:
            raise IllegalMove("the game is over; nothing is observed any more")
        if seat not in range(self.players):
            raise UserError(f"there is no seat {seat}; the seats are 0 to {self.players - 1}")
        observation = self._state.observation(seat)
        return list(self._encoder.encode(observation))

    @cached_property
    def _encoder(self) -> Any:
        return _hle.ObservationEncoder(self._game)

    def uids(self) -> dict[int, Move]:
        """Return the legal moves by HLE's numbers for moves; none when the game is over."""
        if self.over:
            return {}
        moves = self._state.legal_moves()
        return {int(self._game.get_move_uid(move)): move_of(move, self.seat, self.players) for move in moves}

    def _hands(self) -> tuple[tuple[Card, ...], ...]:
        return tuple(tuple(card_of(c.color(), c.rank()) for c in hand) for hand in self._state.player_hands())

    # Translation of moves

    def _to_hle(self, move: Move, seat: int) -> Any:
        if isinstance(move, Play):
            return _hle.HanabiMove.get_play_move(move.slot)
        if isinstance(move, Discard):
            return _hle.HanabiMove.get_discard_move(move.slot)
        offset = (move.to - seat) % self.players
        if isinstance(move, HintColour):
            return _hle.HanabiMove.get_reveal_color_move(offset, COLOURS.index(move.colour))
        return _hle.HanabiMove.get_reveal_rank_move(offset, move.rank - 1)


def seeing_own_hand(view: View, hand: Sequence[Card]) -> View:
    """Return a view of a seat that cheats: with the own cards told as if hints had named them."""
    return view.model_copy(update={"own": tuple(_knowledge(f"{card}|{card}") for card in hand)})


@cache
def _knowledge(text: str) -> Knowledge:
    """HLE's `X1|YWB1`: the hinted colour and rank, X for none, then the colours and ranks still possible."""
    hinted, possible = text.split("|")
    colours: tuple[Colour, ...] = tuple(c for c in COLOURS if c in possible)
    return Knowledge(
        colour=next((c for c in COLOURS if c == hinted[0]), None),
        rank=int(hinted[1]) if hinted[1] != "X" else None,
        colours=colours,
        ranks=tuple(int(char) for char in possible if char.isdigit()),
    )


def rebuild(players: int, deck: Sequence[str], moves: Sequence[Move]) -> Referee:
    """Return the game after `moves`, from its deck. Raises IllegalMove where they do not fit."""
    referee = Referee(players, deck)
    for move in moves:
        referee.apply(move)
    return referee


__all__ = ["MAX_SEED", "End", "Referee", "check_players", "check_seed", "deal", "rebuild"]
