"""States of the Hanabi Learning Environment (HLE) as others wrote them down, read back and compared
with a game.

Three forms are read: the text of a state, which shows every hand; the text of an observation, which
hides the observer's; and an observation as the dictionary of HLE's `rl_env`. Colours and ranks are
HLE's letters and numbers; ranks in a dictionary count from 0. Nothing is filled in: what a form
leaves out is None and is not compared.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    HAND_SIZES,
    RANKS,
    Card,
    Fireworks,
)
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge

_LINE = re.compile(
    r"(?P<card>XX|[RYGWB][1-5]) \|\| (?P<colour>[RYGWBX])(?P<rank>[1-5X])\|"
    r"(?P<types>[RYGWB]*[1-5]*)"
)
_TEXT = re.compile(
    r"\s*Life tokens: (?P<lives>\d+)\s+Info tokens: (?P<tokens>\d+)\s+"
    r"Fireworks: (?P<fireworks>(?:[RYGWB][0-5] ?){5})\s*"
    r"Hands:\s*(?P<hands>.*?)\s*"
    r"Deck size: (?P<deck>\d+)\s+Discards:(?P<discards>(?: ?[RYGWB][1-5])*)\s*",
    re.DOTALL,
)
_CURRENT = "Cur player"


class NotAState(ValueError):  # noqa: N818  # what the value is
    """A value that is no state of HLE in a form that is read; the message says what is wrong."""


@dataclass(frozen=True)
class Held:
    """What is said of one card."""

    card: Card | None
    """None where its owner is the observer."""
    colour: str | None
    rank: int | None
    """Named by a hint, 1-5."""
    possible: Knowledge | None
    """Left by positive and negative hints; None where the form does not say."""


@dataclass(frozen=True)
class HleState:
    """A state before a move."""

    seat: int
    """Who moves."""
    lives: int
    tokens: int
    fireworks: Fireworks
    deck_size: int
    discards: tuple[Card, ...]
    hands: tuple[tuple[Held, ...], ...]
    """By seat; slot 0 is the oldest card."""

    @property
    def players(self) -> int:
        return len(self.hands)

    @property
    def first(self) -> bool:
        """Whether it is the state before the first move."""
        full_deck = 50 - self.players * HAND_SIZES[self.players]
        return (
            self.deck_size == full_deck
            and self.tokens == 8
            and not any(self.fireworks)
            and not self.discards
        )


def read(value: Any, seat: int | None) -> HleState:
    """Return the state in a value: a text or a dictionary, or the text of a dictionary. Raises
    NotAState.

    `seat`: who moves, as the record says elsewhere; an observation's text does not tell.
    """
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _dictionary(value)
    if isinstance(value, Mapping):
        return _of_dictionary(value)
    if isinstance(value, str):
        return _of_text(value, seat)
    raise NotAState(f"it is {type(value).__name__}, neither a text nor a dictionary")


def _dictionary(text: str) -> Any:
    for reader in (json.loads, ast.literal_eval):
        try:
            return reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise NotAState("it begins like a dictionary, and is neither JSON nor a Python literal")


# Texts


def _of_text(text: str, seat: int | None) -> HleState:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise NotAState(
            "it is not HLE's text of a state, from 'Life tokens:' and 'Info tokens:' to "
            "'Deck size:' and 'Discards:'"
        )
    blocks = [block.strip().splitlines() for block in re.split(r"-{3,}", match["hands"])]
    movers = []
    for number, block in enumerate(blocks):
        if block and block[0].strip() == _CURRENT:
            movers.append(number)
    if len(movers) != 1:
        raise NotAState(f"it marks {len(movers)} current players, not one")
    hands = []
    for block in blocks:
        hands.append(tuple(_line(line) for line in block if line.strip() != _CURRENT))
    if any(held.card is None for held in chain.from_iterable(hands)):
        seat, hands = _turned(hands, seat)
    else:
        seat = movers[0]
    if len(hands) not in HAND_SIZES:
        raise NotAState(f"it has {len(hands)} hands; Hanabi is for 2 to 5 players")
    red, yellow, green, white, blue = (int(held[1]) for held in match["fireworks"].split())
    discards = tuple(map(Card, match["discards"].split()))
    numbers = (int(match["lives"]), int(match["tokens"]))
    return HleState(
        seat,
        *numbers,
        (red, yellow, green, white, blue),
        int(match["deck"]),
        discards,
        tuple(hands),
    )


def _turned(hands: list[tuple[Held, ...]], seat: int | None) -> tuple[int, list[tuple[Held, ...]]]:
    """Return the hands of an observation by seat: its first hand is the observer's, who moves."""
    if any(held.card is not None for held in hands[0]) or any(
        held.card is None for held in chain.from_iterable(hands[1:])
    ):
        raise NotAState("a hand other than the first is hidden, or only part of one")
    if seat is None:
        raise NotAState(
            "it is an observation, which does not say whose, and current_player is missing"
        )
    players = len(hands)
    return seat, [hands[(number - seat) % players] for number in range(players)]


def _line(line: str) -> Held:
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise NotAState(f"{line.strip()!r} is not a card of a hand, such as 'R1 || XX|RYGWB12345'")
    colour = None if match["colour"] == "X" else match["colour"]
    rank = None if match["rank"] == "X" else int(match["rank"])
    colours = tuple(value for value in COLOURS if value in match["types"])
    ranks = tuple(value for value in RANKS if str(value) in match["types"])
    possible = Knowledge.model_validate(
        {"colour": colour, "rank": rank, "colours": colours, "ranks": ranks}
    )
    return Held(None if match["card"] == "XX" else Card(match["card"]), colour, rank, possible)


# Dictionaries


def _of_dictionary(data: Mapping[str, Any]) -> HleState:
    try:
        players = int(data["num_players"])
        seat = int(data["current_player"])
        if data.get("current_player_offset"):
            raise NotAState(
                "it is the observation of a player who does not move: current_player_offset is "
                "not 0"
            )
        hands = []
        for cards, knowledge in zip(data["observed_hands"], data["card_knowledge"], strict=True):
            hands.append(
                tuple(
                    Held(
                        _card(card),
                        hints["color"],
                        None if hints["rank"] is None else int(hints["rank"]) + 1,
                        None,
                    )
                    for card, hints in zip(cards, knowledge, strict=True)
                )
            )
        seat, hands = _turned(hands, seat)
        if len(hands) != players:
            raise NotAState(f"it has {len(hands)} hands and says that there are {players} players")
        red, yellow, green, white, blue = (int(data["fireworks"][colour]) for colour in COLOURS)
        discards = tuple(
            card for discarded in data["discard_pile"] if (card := _card(discarded)) is not None
        )
        numbers = (int(data["life_tokens"]), int(data["information_tokens"]))
        deck = int(data["deck_size"])
    except KeyError as error:
        raise NotAState(f"it has no key {error.args[0]!r}") from None
    except (TypeError, IndexError, AttributeError) as error:
        raise NotAState(f"it is not an observation of HLE's rl_env: {error}") from None
    except ValueError as error:
        raise (
            error
            if isinstance(error, NotAState)
            else NotAState(f"a value is not as in rl_env: {error}")
        ) from None
    return HleState(seat, *numbers, (red, yellow, green, white, blue), deck, discards, tuple(hands))


def _card(data: Mapping[str, Any]) -> Card | None:
    """`{"color": "R", "rank": 0}`, the red 1; None for a hidden card."""
    if data["color"] is None or data["rank"] in (None, -1):
        return None
    return Card(f"{data['color']}{int(data['rank']) + 1}")


# Comparison


def differences(state: HleState, referee: Referee) -> Iterator[str]:
    """Yield how a state differs from a game before a move, in words."""
    if referee.over:
        yield "the game is over"
        return
    view = referee.view()
    pairs: Sequence[tuple[str, Any, Any]] = (
        ("the player to move", state.seat, view.seat),
        ("the lives", state.lives, view.lives),
        ("the information tokens", state.tokens, view.tokens),
        ("the fireworks", state.fireworks, view.fireworks),
        ("the deck size", state.deck_size, view.deck_size),
        ("the discards", sorted(state.discards), sorted(view.discards)),
    )
    for name, *both in pairs:
        theirs, ours = (
            " ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else value
            for value in both
        )
        if theirs != ours:
            yield f"{name}: {theirs}, not {ours}"
    for seat, hand in enumerate(state.hands):
        next_view = referee.view((seat + 1) % referee.players)
        held = next(held_card.cards for held_card in next_view.hands if held_card.seat == seat)
        if len(held) != len(hand):
            yield f"P{seat} holds {len(hand)} cards, not {len(held)}"
            continue
        for slot, (said, card, known) in enumerate(
            zip(hand, held, referee.view(seat).own, strict=True)
        ):
            if said.card is not None and said.card != card:
                yield f"P{seat}'s slot {slot}: {said.card}, not {card}"
            elif (said.colour, said.rank) != (known.colour, known.rank) or said.possible not in (
                None,
                known,
            ):
                yield f"what P{seat} was told of slot {slot}"
