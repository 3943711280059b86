"""All probes of a pack: positions found in games that the pack's own program plays from decks of a
seed.

The same seed gives the same probes. Colours, ranks, seats and slots are as the decks have them, so
that nothing but the convention tells the answer. In a game each convention has one probe at most,
the first; so the probes of a convention come from as many decks.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random

from pydantic import TypeAdapter

from hanabi_orchestrator.experiments.tasks.probes import basic, hgroup_1, newest
from hanabi_orchestrator.experiments.tasks.probes.convention import (
    Convention,
    Moves,
    Plays,
    other_moves,
    rule_player,
)
from hanabi_orchestrator.experiments.tasks.probes.probe import Probe
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, HAND_SIZES, Card
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, check_players

SEED = 1
"""Seed of the packaged probes."""
PER = 3
"""Probes of a convention at each player count."""
PLAYERS = (2, 3, 4, 5)
GAMES = 200
"""Games that are searched at a player count; where they are not enough, a convention has fewer
probes."""
STACKED = 4
"""Every so many games the hands begin without a 1, so that there is nothing to play and no hint to
give at first."""
STACKED_ROUNDS = 3
"""Rounds of such a game, which has nothing more to ask."""
MOST_TURNS = 40
"""Turns of the other games, so that no history is long."""
Place = tuple[int, int]
"""A game of a pack's program, from 0, and a turn of it, from 1."""
STORED = Path(__file__).with_name("places.json")
"""The places of the packaged probes, so that they need not be searched for."""
MOST_STORED = 6
"""Stored probes of a convention at each player count."""


@dataclass(frozen=True)
class Pack:
    """A convention pack with its probes."""

    name: str
    conventions: tuple[Convention, ...]
    play: Plays
    """The program that plays until the question; it ends a game in which the pack says nothing."""
    rivals: Mapping[str, Plays]
    """Players of other conventions."""

    def at(self, players: int) -> dict[str, Convention]:
        """Return the conventions that are asked about at a player count, by name."""
        return {
            convention.name: convention
            for convention in self.conventions
            if players in convention.players
        }

    def ask(self, convention: Convention, referee: Referee) -> Probe | None:
        """Return the probe of a convention that a game has reached; None where it has no answer, or
        tells from nobody from whom it must."""
        view = referee.view()
        question = convention.find(view)
        if question is None or not question.answers:
            return None
        moves = {**other_moves(view, self.rivals), **question.mistakes}
        if not all(
            name in moves and not {*moves[name]} & {*question.answers} for name in question.rivals
        ):
            return None
        return Probe(
            name=convention.name,
            pack=self.name,
            convention=convention.name,
            question=question.text,
            players=referee.players,
            deck=referee.deck,
            moves=tuple(past.move for past in referee.history),
            answers=question.answers,
            why=question.why,
            others=moves,
            apart=question.rivals,
        )

    def games(self, players: int, seed: int, game: int) -> Iterator[Referee]:
        """Play the game of a number from its deck; yield it before each turn."""
        stacked = not game % STACKED
        referee = Referee(
            players, _deck(Random(f"{self.name} {players} {seed} {game}"), stacked=stacked)
        )
        most = STACKED_ROUNDS * players if stacked else MOST_TURNS
        while not referee.over and referee.turn <= most:
            yield referee
            if (move := self.play(referee.view())) is None:
                return
            referee.apply(move)


_OLDEST = rule_player("smart_oldest")
PACKS: Mapping[str, Pack] = {
    pack.name: pack
    for pack in (
        Pack(
            "newest",
            newest.CONVENTIONS,
            newest.play,
            {"oldest": _OLDEST, "hgroup_1": hgroup_1.play},
        ),
        Pack(
            "hgroup_1",
            hgroup_1.CONVENTIONS,
            hgroup_1.play,
            {"newest": newest.play, "oldest": _OLDEST},
        ),
        Pack(
            "basic",
            basic.CONVENTIONS,
            hgroup_1.play,
            {"newest": newest.play, "hgroup_1": hgroup_1.play},
        ),
    )
}


def packs() -> list[str]:
    """Return the names of the packs that have probes."""
    return list(PACKS)


def pack(name: str) -> Pack:
    """Return a pack. Raises UserError for an unknown one."""
    if name not in PACKS:
        raise UserError(f"unknown convention pack {name!r}; {did_you_mean(name, packs())}")
    return PACKS[name]


def conventions(name: str) -> list[str]:
    """Return the names of a pack's conventions. Raises UserError for an unknown pack."""
    return [convention.name for convention in pack(name).conventions]


def probes(
    packs: Sequence[str] = ("newest",),
    conventions: Sequence[str] = (),
    players: Sequence[int] = PLAYERS,
    per: int = PER,
    seed: int = SEED,
) -> list[Probe]:
    """Return the probes of these packs and conventions (default: all of the packs).

    `per`: of each convention at each player count; there are fewer where a convention hardly ever
    decides. Raises UserError for a name that is unknown, a player count outside 2-5, or `per` below
    1.
    """
    if per < 1:
        raise UserError(f"--per is {per}; take at least one probe of each convention")
    names = []
    for name in dict.fromkeys(packs):
        for convention in pack(name).conventions:
            names.append((name, convention.name))
    every = [convention for _, convention in names]
    for name in conventions:
        if name not in every:
            raise UserError(f"unknown convention {name!r}; {did_you_mean(name, every)}")
    rows = []
    for name in dict.fromkeys(packs):
        for count in dict.fromkeys(map(check_players, players)):
            for probe in _probes(name, count, per, seed):
                if not conventions or probe.convention in conventions:
                    rows.append(probe)
    return sorted(
        rows, key=lambda probe: (names.index((probe.pack, probe.convention)), probe.players)
    )


def probe(name: str, seed: int = SEED) -> Probe:
    """Return one probe by its name, e.g. `newest/chop/3p-2`. Raises UserError."""
    parts = re.fullmatch(
        r"(?P<pack>[^/]+)/(?P<convention>[^/]+)/(?P<players>[2-5])p-(?P<number>[1-9]\d?)", name
    )
    if parts is None:
        raise UserError(f"{name!r} is not the name of a probe, such as newest/chop/3p-2")
    rows = probes(
        [parts["pack"]], [parts["convention"]], [int(parts["players"])], int(parts["number"]), seed
    )
    for row in rows:
        if row.name == name:
            return row
    raise UserError(f"there is no probe {name!r}; there are {len(rows)} of this kind")


@cache
def _probes(name: str, players: int, per: int, seed: int) -> tuple[Probe, ...]:
    """Return every convention's probes, whatever is asked for: so a choice of some has the same
    probes."""
    places = stored().get(f"{name} {players}") if seed == SEED and per <= MOST_STORED else None
    first = {key: rows[:per] for key, rows in (places or search(name, players, per, seed)).items()}
    at = pack(name).at(players)
    rows = dict[tuple[str, Place], Probe]()
    for game in sorted({game for game, _ in chain.from_iterable(first.values())}):
        turns = set()
        for key, row in first.items():
            for number, turn in row:
                if number == game:
                    turns.add((key, turn))
        last = max(turn for _, turn in turns)
        for referee in pack(name).games(players, seed, game):
            for key in (key for key, turn in turns if turn == referee.turn):
                probe = pack(name).ask(at[key], referee)
                if probe is None:
                    raise RuntimeError(
                        f"{STORED.name} is not that of these rules: {name}, {key}, turn "
                        f"{referee.turn}"
                    )
                rows[key, (game, referee.turn)] = probe
            if referee.turn >= last:
                break
    probes = []
    for key in at:
        numbered = enumerate(first.get(key, ()), 1)
        probes += [
            rows[key, place].model_copy(update={"name": f"{name}/{key}/{players}p-{number}"})
            for number, place in numbered
        ]
    return tuple(probes)


@cache
def stored() -> Mapping[str, Mapping[str, Sequence[Place]]]:
    """Return the places of the packaged probes by pack and player count, e.g. `newest 3`, and by
    convention."""
    return TypeAdapter(dict[str, dict[str, list[Place]]]).validate_json(STORED.read_bytes())


def search(
    name: str, players: int, per: int = MOST_STORED, seed: int = SEED
) -> dict[str, list[Place]]:
    """Return the first `per` games in which each convention decides, each with the first such turn.

    No move keeps the convention in more than half of the probes so far, rounded up, so that no
    habit such as playing slot 0 passes for a convention.
    """
    at = pack(name).at(players)
    places: dict[str, list[Place]] = {key: [] for key in at}
    answers: dict[str, list[Moves]] = {key: [] for key in at}
    for game in range(GAMES):
        open_ = [key for key in at if len(places[key]) < per]
        for referee in pack(name).games(players, seed, game) if open_ else ():
            for key in list(open_):
                probe = pack(name).ask(at[key], referee)
                if probe is None:
                    continue
                same = max(sum(move in row for row in answers[key]) for move in probe.answers)
                if at[key].always_same or same <= len(answers[key]) // 2:
                    places[key].append((game, referee.turn))
                    answers[key].append(probe.answers)
                    open_.remove(key)
            if not open_:
                break
    return places


def _deck(dice: Random, *, stacked: bool) -> tuple[Card, ...]:
    """Return a shuffled deck; a stacked one begins with the first hands of the largest table, and
    no 1 among them."""
    deck = []
    for card in CARDS:
        for _ in range(card.copies):
            deck.append(card)
    dice.shuffle(deck)
    if stacked:
        first = [card for card in deck if card.rank > 1][
            : max(n * size for n, size in HAND_SIZES.items())
        ]
        rest = list(deck)
        for card in first:
            rest.remove(card)
        deck = first + rest
    return tuple(deck)
