"""All probes of a pack: positions found in games that the pack's own program plays from decks of a seed.

The same seed gives the same probes. Colours, ranks, seats and slots are as the decks have them, so that nothing but
the convention tells the answer. In a game each convention has one probe at most, the first; so the probes of a
convention come from as many decks.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from random import Random

from experiments.probes import basic, hgroup, hgroup_1, newest
from experiments.probes.place import Convention, Found
from experiments.probes.probe import Probe
from orchestrator import spelling
from orchestrator.errors import UserError
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
        raise UserError(f"unknown convention pack {name!r}; {spelling.known(name, packs())}")
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
    for wanted in conventions:
        if wanted not in known:
            raise UserError(f"unknown convention {wanted!r}; {spelling.known(wanted, known)}")
    for name in dict.fromkeys(packs):
        for number in dict.fromkeys(map(check_players, players)):
            made += [one for one in _found(name, number, per, seed) if not conventions or one.convention in conventions]
    order = {name: place for place, name in enumerate(known)}
    return sorted(made, key=lambda one: (list(packs).index(one.pack), order[one.convention], one.players))


@cache
def _found(name: str, players: int, per: int, seed: int) -> tuple[Probe, ...]:
    """Every convention of a pack at a player count, whatever is asked for: so a choice of some has the same probes."""
    known = stored() if seed == SEED and per <= MOST_STORED else {}
    made: dict[str, list[Probe]] = {}
    for game in known.get(f"{name} {players}", range(GAMES)):
        for probe in in_game(name, players, seed, game, {one for one in made if len(made[one]) == per}):
            there = made.setdefault(probe.convention, [])
            number = f"{name}/{probe.convention}/{players}p-{len(there) + 1}"
            there.append(probe.model_copy(update={"name": number}))
        if len(made) == len(_asked(name, players)) and all(len(found) == per for found in made.values()):
            break
    return tuple(probe for found in made.values() for probe in found)


STORED = Path(__file__).with_name("games.json")
"""The games of the packaged probes, by pack and player count, so that the others need not be searched."""
MOST_STORED = 6
"""As many probes of a convention at each player count are in the stored games."""


@cache
def stored() -> dict[str, list[int]]:
    """By pack and player count, e.g. `newest 3`: the games in which there is a packaged probe."""
    return dict(json.loads(STORED.read_text("utf-8"))) if STORED.exists() else {}


def search(name: str, players: int, per: int = MOST_STORED, seed: int = SEED) -> list[int]:
    """The games in which there is one of the first `per` probes of a convention: what `STORED` holds."""
    found, games = Counter[str](), []
    for game in range(GAMES):
        there = [one.convention for one in in_game(name, players, seed, game, {n for n in found if found[n] == per})]
        found.update(there)
        games += [game] if there else []
        if all(found[one.name] == per for one in _asked(name, players)):
            break
    return games


def _asked(name: str, players: int) -> list[Convention]:
    return [one for one in pack(name).conventions if players in one.players]


def in_game(name: str, players: int, seed: int, game: int, without: Collection[str] = ()) -> list[Probe]:
    """The first probe of each convention, those `without` left out, in one game of a pack's program."""
    deck = _deck(Random(f"{name} {players} {seed} {game}"), stacked=not game % STACKED)
    wanted = [one for one in _asked(name, players) if one.name not in without]
    return list(_in_game(pack(name), wanted, players, deck)) if wanted else []


def _in_game(chosen: Pack, wanted: Sequence[Convention], players: int, deck: tuple[Card, ...]) -> Iterator[Probe]:
    """The first probe of each convention in the game that the pack's program plays from a deck."""
    referee, left = Referee(players, deck), list(wanted)
    for _ in count():
        if referee.over or not left:
            return
        view = referee.view()
        for convention in list(left):
            found = convention.find(view)
            if found is not None and found.tells:
                left.remove(convention)
                yield _probe(chosen, convention, players, deck, referee, found)
        move = chosen.play(view)
        if move is None:
            return
        referee.apply(move)


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


def _probe(
    chosen: Pack, convention: Convention, players: int, deck: tuple[Card, ...], referee: Referee, found: Found
) -> Probe:
    return Probe(
        name=convention.name,
        pack=chosen.name,
        convention=convention.name,
        question=found.question,
        players=players,
        deck=deck,
        moves=tuple(past.move for past in referee.history),
        answers=found.answers,
        why=found.why,
        others=dict(found.others),
        apart=found.apart,
    )
