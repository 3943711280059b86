"""All probes of a pack: positions found in games that the pack's own program plays from decks of a seed.

The same seed gives the same probes. Colours, ranks, seats and slots are as the decks have them, so that nothing but
the convention tells the answer. In a game each convention has one probe at most, the first; so the probes of a
convention come from as many decks.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from experiments.tasks.probes import basic, hgroup, hgroup_1, newest
from experiments.tasks.probes.place import Convention, Moves
from experiments.tasks.probes.probe import Probe
from orchestrator.errors import UserError, did_you_mean
from orchestrator.hanabi.cards import CARDS, HAND_SIZES, Card
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.referee import Referee, check_players
from orchestrator.hanabi.view import View

SEED = 1
"""Of the packaged probes."""
PER = 3
"""Probes of a convention at each player count."""
PLAYERS = (2, 3, 4, 5)
GAMES = 200
"""Games that are searched at a player count; where they are not enough, a convention has fewer probes."""
STACKED = 4
"""Every so many games the hands begin without a 1, so that there is nothing to play and no hint to give at first."""
STACKED_ROUNDS = 3
"""Of such a game, which has nothing more to ask."""
MOST_TURNS = 40
"""Of the other games, so that no history is long."""


@dataclass(frozen=True)
class Pack:
    """A convention pack with its probes."""

    name: str
    conventions: tuple[Convention, ...]
    play: Callable[[View], Move | None]
    """Who plays until the question; None where the pack says nothing, which ends the game."""


PACKS: Mapping[str, Pack] = {
    one.name: one
    for one in (
        Pack("newest", newest.CONVENTIONS, newest.play),
        Pack("hgroup_1", hgroup_1.CONVENTIONS, hgroup.play),
        Pack("basic", basic.CONVENTIONS, hgroup.play),
    )
}


def packs() -> list[str]:
    """The names of the packs that have probes."""
    return list(PACKS)


def pack(name: str) -> Pack:
    """Raises UserError for an unknown pack."""
    if name not in PACKS:
        raise UserError(f"unknown convention pack {name!r}; {did_you_mean(name, packs())}")
    return PACKS[name]


def conventions(name: str) -> list[str]:
    """The names of a pack's conventions. Raises UserError for an unknown pack."""
    return [one.name for one in pack(name).conventions]


def probes(
    packs: Sequence[str] = ("newest",),
    conventions: Sequence[str] = (),
    players: Sequence[int] = PLAYERS,
    per: int = PER,
    seed: int = SEED,
) -> list[Probe]:
    """The probes of these packs and conventions (default: all of the packs).

    `per`: of each convention at each player count; there are fewer where a convention hardly ever decides. Raises
    UserError for a name that is unknown, a player count outside 2-5, or `per` below 1.
    """
    if per < 1:
        raise UserError(f"--per is {per}; take at least one probe of each convention")
    made = []
    known = [one.name for name in packs for one in pack(name).conventions]
    order = {(name, one.name): place for name in packs for place, one in enumerate(pack(name).conventions)}
    for wanted in conventions:
        if wanted not in known:
            raise UserError(f"unknown convention {wanted!r}; {did_you_mean(wanted, known)}")
    for name in dict.fromkeys(packs):
        for number in dict.fromkeys(map(check_players, players)):
            made += [one for one in _found(name, number, per, seed) if not conventions or one.convention in conventions]
    return sorted(made, key=lambda one: (list(packs).index(one.pack), order[one.pack, one.convention], one.players))


def probe(name: str, seed: int = SEED) -> Probe:
    """One probe by its name, e.g. `newest/chop/3p-2`. Raises UserError."""
    found = re.fullmatch(r"(?P<pack>[^/]+)/(?P<convention>[^/]+)/(?P<players>[2-5])p-(?P<number>[1-9]\d?)", name)
    if found is None:
        raise UserError(f"{name!r} is not the name of a probe, such as newest/chop/3p-2")
    there = probes([found["pack"]], [found["convention"]], [int(found["players"])], int(found["number"]), seed)
    for one in there:
        if one.name == name:
            return one
    raise UserError(f"there is no probe {name!r}; there are {len(there)} of this kind")


@cache
def _found(name: str, players: int, per: int, seed: int) -> tuple[Probe, ...]:
    """Every convention of a pack at a player count, whatever is asked for: so a choice of some has the same probes."""
    known = stored().get(f"{name} {players}") if seed == SEED and per <= MOST_STORED else None
    places = {one: there[:per] for one, there in (known or search(name, players, per, seed)).items()}
    made = dict(_made(name, players, seed, places))
    return tuple(
        made[one.name, *place].model_copy(update={"name": f"{name}/{one.name}/{players}p-{number}"})
        for one in _asked(name, players)
        for number, place in enumerate(places.get(one.name, ()), 1)
    )


Place = tuple[int, int]
"""A game of a pack's program, from 0, and a turn of it, from 1."""
STORED = Path(__file__).with_name("places.json")
"""Where the packaged probes are, so that they need not be searched for."""
MOST_STORED = 6
"""As many probes of a convention at each player count are stored."""


@cache
def stored() -> Mapping[str, Mapping[str, Sequence[Place]]]:
    """By pack and player count, e.g. `newest 3`, and by convention: the places of the packaged probes."""
    if not STORED.exists():
        return {}
    data = json.loads(STORED.read_text("utf-8"))
    return {
        key: {one: [(game, turn) for game, turn in there] for one, there in found.items()}
        for key, found in data.items()
    }


def search(name: str, players: int, per: int = MOST_STORED, seed: int = SEED) -> dict[str, list[Place]]:
    """The first `per` games in which each convention decides, each with the first such turn: what `STORED` holds.

    No move keeps the convention in more than half of the probes so far, rounded up, so that no habit such as playing
    slot 0 passes for a convention.
    """
    asked = _asked(name, players)
    places: dict[str, list[Place]] = {one.name: [] for one in asked}
    given: dict[str, list[Moves]] = {one.name: [] for one in asked}
    for game in range(GAMES):
        left = [one for one in asked if len(places[one.name]) < per]
        for referee in _played(name, players, seed, game) if left else ():
            view = referee.view()
            for one in list(left):
                found = one.find(view)
                if found is not None and found.tells and _varies(one, given[one.name], found.answers):
                    places[one.name].append((game, view.turn))
                    given[one.name].append(found.answers)
                    left.remove(one)
            if not left:
                break
    return places


def _varies(convention: Convention, given: Sequence[Moves], answers: Moves) -> bool:
    """Whether these answers may come after those before."""
    most = max(sum(move in before for before in given) for move in answers)
    return convention.always_same or most <= len(given) // 2


def _asked(name: str, players: int) -> list[Convention]:
    return [one for one in pack(name).conventions if players in one.players]


def _played(name: str, players: int, seed: int, game: int) -> Iterator[Referee]:
    """The game that the pack's program plays from the deck of a number, before each turn."""
    stacked = not game % STACKED
    referee = Referee(players, _deck(Random(f"{name} {players} {seed} {game}"), stacked=stacked))
    most = STACKED_ROUNDS * players if stacked else MOST_TURNS
    while not referee.over and referee.turn <= most:
        yield referee
        move = pack(name).play(referee.view())
        if move is None:
            return
        referee.apply(move)


def _made(
    name: str, players: int, seed: int, places: Mapping[str, Sequence[Place]]
) -> Iterator[tuple[tuple[str, int, int], Probe]]:
    """The probes at these places, each game played once."""
    finders = {one.name: one for one in _asked(name, players)}
    every = [(one, game, turn) for one, there in places.items() for game, turn in there]
    for game in sorted({game for _, game, _ in every}):
        here = [place for place in every if place[1] == game]
        for referee in _played(name, players, seed, game):
            for one, _, turn in here:
                if turn == referee.turn:
                    yield (one, game, turn), _probe(name, finders[one], referee)
            if referee.turn >= max(turn for _, _, turn in here):
                break


def _deck(dice: Random, *, stacked: bool) -> tuple[Card, ...]:
    """A shuffled deck; a stacked one begins with the first hands of the largest table, and no 1 among them."""
    deck = [card for card in CARDS for _ in range(card.copies)]
    dice.shuffle(deck)
    if stacked:
        first = [card for card in deck if card.rank > 1][: max(n * size for n, size in HAND_SIZES.items())]
        rest = list(deck)
        for card in first:
            rest.remove(card)
        deck = first + rest
    return tuple(deck)


def _probe(name: str, convention: Convention, referee: Referee) -> Probe:
    found = convention.find(referee.view())
    if found is None or not found.tells:
        raise RuntimeError(f"{STORED.name} is not that of these rules: {name}, {convention.name}, turn {referee.turn}")
    return Probe(
        name=convention.name,
        pack=name,
        convention=convention.name,
        question=found.question,
        players=referee.players,
        deck=referee.deck,
        moves=tuple(past.move for past in referee.history),
        answers=found.answers,
        why=found.why,
        others=dict(found.others),
        apart=found.apart,
    )
