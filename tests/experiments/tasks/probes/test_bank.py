"""The probes: positions that are real, answers that follow from a pack's rules, and players that they tell apart."""

import asyncio
import json
from collections import Counter

import pytest

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study.seat_spec import read_seat
from hanabi_orchestrator.experiments.tasks.probes import bank, basic, hgroup_1, newest
from hanabi_orchestrator.experiments.tasks.probes.convention import LITERAL
from hanabi_orchestrator.experiments.tasks.probes.probe import Probe
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal import file as journal_file
from tests.support.prove import FULL

PER, PLAYERS = (6, bank.PLAYERS) if FULL else (2, (2, 3))
APARTLESS = {("newest", "spare-hint-given")}
"""Where a player without conventions may give the right hint by chance, as any other."""


@pytest.fixture(scope="module")
def every() -> list[Probe]:
    return bank.probes(bank.packs(), players=PLAYERS, per=PER)


def moves_of(spec: str, probes: list[Probe]) -> list[Move]:
    seat = read_seat(spec)

    async def all_of_them() -> list[Move]:
        return [(await seat(one.view, {})).move for one in probes]

    return asyncio.run(all_of_them())


def test_each_convention_has_probes(every: list[Probe]) -> None:
    found = Counter((one.pack, one.convention) for one in every)
    assert set(found) == {(name, one) for name in bank.packs() for one in bank.conventions(name)}
    assert len({one.name for one in every}) == len(every)


def test_a_probe_is_a_position_of_a_legal_game(every: list[Probe]) -> None:
    for one in every:
        referee = rebuild(one.players, one.deck, one.moves)
        assert referee.view() == one.view and one.answers and set(one.answers) < set(one.view.legal)
    for one in {one.pack: one for one in every}.values():
        lines = [
            json.dumps({"v": 2, "event": e.event, **e.model_dump(mode="json")})
            for e in one.events()
        ]
        story = Game.of([journal_file.parsed(line.encode()) for line in lines])
        assert tuple(story.moves) == one.moves and story.turns[-1].view == one.view


def test_a_probe_tells_its_convention_from_others_and_from_chance(every: list[Probe]) -> None:
    for one in every:
        assert all(one.share(name) == 0 for name in one.apart)
        assert one.apart or (one.pack, one.convention) in APARTLESS
        assert one.share(LITERAL) <= 0.5 or one.apart
        assert one.chance == len(one.answers) / len(one.view.legal) < 0.5


def test_no_habit_keeps_a_convention(every: list[Probe]) -> None:
    """Such as always to play slot 0."""
    for pack, convention, players in {(one.pack, one.convention, one.players) for one in every}:
        here = [
            one
            for one in every
            if (one.pack, one.convention, one.players) == (pack, convention, players)
        ]
        same = Counter(move for one in here for move in one.answers)
        assert convention == "discard" or max(same.values()) <= (len(here) + 1) // 2, here[0].name


def test_programs_keep_the_pack_that_they_were_made_for(every: list[Probe]) -> None:
    ours = [one for one in every if one.pack == "newest"]
    for spec in ("partner:smart", "house"):
        wrong = [
            one.name
            for one, move in zip(ours, moves_of(spec, ours), strict=True)
            if not one.keeps(move)
        ]
        assert not wrong, spec
    theirs = [one for one in every if one.pack == "hgroup_1"]
    assert not [
        one.name
        for one in theirs
        if (move := hgroup_1.play(one.view)) is None or not one.keeps(move)
    ]


def test_literal_and_other_players_keep_it_as_often_as_stated(every: list[Probe]) -> None:
    chosen = moves_of("partner:iggi", every)
    assert all(move in one.others[LITERAL] for one, move in zip(every, chosen, strict=True))
    single = [
        (one, move)
        for one, move in zip(every, chosen, strict=True)
        if len(one.others[LITERAL]) == 1
    ]
    assert len(single) > len(every) / 2
    assert [one.keeps(move) for one, move in single] == [
        one.share(LITERAL) == 1 for one, _ in single
    ]
    ours = [one for one in every if one.pack == "newest"]
    oldest = moves_of("partner:smart_oldest", ours)
    assert [one.keeps(move) for one, move in zip(ours, oldest, strict=True)] == [
        one.share("oldest") for one in ours
    ]
    pointing = [
        one.keeps(move)
        for one, move in zip(ours, oldest, strict=True)
        if one.convention == "play-hint-read"
    ]
    assert pointing and not any(pointing)


def test_the_packaged_places_are_those_of_a_search() -> None:
    keys = list(bank.stored()) if FULL else ["hgroup_1 2"]
    for key in keys:
        name, players = key.split()
        found = bank.search(name, int(players), PER)
        assert found == {one: list(there[:PER]) for one, there in bank.stored()[key].items()}


def test_other_seeds_give_other_probes_and_bad_names_a_sentence() -> None:
    one, other = (bank.probes(["hgroup_1"], ["chop"], [2], 1, seed) for seed in (1, 2))
    assert one[0].deck != other[0].deck and one[0].name == other[0].name
    with pytest.raises(UserError, match="unknown convention pack 'nwest'; did you mean 'newest'"):
        bank.probes(["nwest"])
    with pytest.raises(UserError, match="unknown convention 'chopp'"):
        bank.probes(conventions=["chopp"])
    with pytest.raises(
        UserError, match="there is no probe 'newest/spare-hint-read/5p-1'; there are 0"
    ):
        bank.probe("newest/spare-hint-read/5p-1")


# By hand: positions whose answer a person reads off the rules


def view(hands: list[str], moves: list[str]) -> View:
    """The view before the next move, when these hands are dealt and the rest of the deck follows in order."""
    first = [Card(card) for hand in hands for card in hand.split()]
    rest = [card for card in CARDS for _ in range(card.copies)]
    for card in first:
        rest.remove(card)
    referee = Referee(len(hands), (*first, *rest))
    for move in moves:
        referee.apply(parse(move))
    return referee.view()


def answers(found: object) -> list[str]:
    assert found is not None
    return [str(move) for move in found.answers]  # type: ignore[attr-defined]


def test_newest_by_hand() -> None:
    hands = ["B3 R5 Y4 G4 W4", "R3 B4 Y3 R1 W3"]
    assert answers(newest.play_hint_read(view(hands, ["hint P1 red"]))) == ["play slot 3"]
    known = view(["B4 G4 Y4 W4 R5", "R1 R2 B3 G3 W3"], ["hint P1 rank 1"])
    assert newest.play_hint_read(known) is None, "one touched card points nowhere else"
    giving = view(["W3 B4 Y4 G4 W4", "R1 B3 R4 G3 Y3"], [])
    assert "hint P1 red" not in answers(newest.play_hint_given(giving)), "red points at the 4"


def test_hgroup_by_hand() -> None:
    chop = view(["B4 G4 Y4 W4 R5", "R1 R3 B3 G3 W3"], ["hint P1 red"])
    assert answers(hgroup_1.focus_chop(chop)) == ["play slot 0"], (
        "the chop is the focus, not the newest"
    )
    newer = view(["B4 G4 Y4 W4 R5", "B3 R3 R1 G3 W3"], ["hint P1 red"])
    assert answers(hgroup_1.focus_newest(newer)) == ["play slot 2"]
    five = view(["B4 G4 Y4 W4 R3", "R5 R4 B3 G3 W3"], [])
    assert answers(hgroup_1.save_given(five)) == ["hint P1 rank 5"], "a 5 is saved by its rank only"
    saved = view(["B4 G4 Y4 W4 R3", "R5 R4 B3 G3 W3"], ["hint P1 rank 5"])
    assert hgroup_1.Table(saved).now.chop(1) == 1, (
        "the 5 is touched, so that the next card is the chop"
    )


def test_basic_by_hand() -> None:
    save = view(["B4 G4 Y4 W4 R3", "R5 R4 B3 G3 W3"], [])
    assert answers(basic.save_given(save)) == ["hint P1 red", "hint P1 rank 5"], (
        "nothing in sight can be played"
    )
