"""Banks: drawn reproducibly and spread over the kinds of position, whole, and without a hidden card."""

import gzip
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.tasks.fork.position import position, whole
from hanabi_orchestrator.experiments.tasks.positions import bank, draw, position_run
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.truth import truths
from hanabi_orchestrator.experiments.tasks.probes import probe_run, probes
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory, SeatInfo
from hanabi_orchestrator.orchestrator.table.game_loop import play, play_async
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from tests.experiments.tasks.positions.conftest import asking
from tests.orchestrator.hanabi.test_view import disguised
from tests.support.folders import ROOT
from tests.support.imports import sources
from tests.support.positions import partners_game


class Following:
    """A graph that plays given moves first, so that it can be led to a position."""

    def __init__(self, seat: GraphSeat, moves: list[Move]) -> None:
        self.seat = seat
        self.moves = moves

    @property
    def info(self) -> SeatInfo:
        return self.seat.info

    def bind(self, context: GameContext) -> "Following":
        return Following(self.seat.bind(context), self.moves)

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        if view.turn <= len(self.moves):
            return Decision(self.moves[view.turn - 1])
        return await self.seat(view, memory)

    async def aclose(self) -> None:
        """Nothing to close."""


async def drawn(referee: Referee, folder: Path) -> tuple[BankPosition, str]:
    """The position that the referee stands at, drawn from a journal of its game, and its line."""
    moves = [past.move for past in referee.view().history]
    seat = Following(graphs.seat("house"), moves)
    players = referee.view().players
    path = folder / f"{referee.deck[-1]}{hash(tuple(referee.deck))}-{len(moves)}.jsonl"
    more = {
        "players": players,
        "deck": [*referee.deck],
        "label": "a deck",
        "max_turns": len(moves) + 1,
    }
    await play_async([seat] * players, journal=path, **more)  # type: ignore[arg-type]
    drawing = draw.Drawing(0, 0)
    game = Game.open(path, "game")
    place = position(game, len(moves) + 1)
    drawing.add(game, place, await whole(place), drawing.kind(game, len(moves) + 1))
    (made,) = drawing.positions
    return made, bank.position_line(made)


async def test_another_hidden_hand_changes_no_position_of_a_bank(tmp_path: Path) -> None:
    chance = random.Random(3)
    met = 0
    for number, referee in enumerate(partners_game(("smart",) * 3, 4)):
        if referee.over or number not in (9, 30, 47):
            continue
        other = disguised(referee, referee.view(), chance)
        assert other.deck != referee.deck
        one, line = await drawn(referee, tmp_path)
        two, _ = await drawn(other, tmp_path)
        assert (
            one.deal != two.deal
        )  # the deal's hash, by which positions are averaged, tells two deals apart
        assert one == two.model_copy(update={"deal": one.deal}) and line == bank.position_line(one)
        met += len(one.calls)
    assert met >= 12


def test_the_truth_is_read_by_what_cheats_alone() -> None:
    """Whatever makes prompts reads no truth; `draw` writes it, and `cheat` is the labelled upper line."""
    texts = {path.stem: (ROOT / path).read_text("utf-8") for path in sources("experiments")}
    naming = {
        name: re.findall(r"positions(?:\.| import .*)(truth|cheat)\b", text)
        for name, text in texts.items()
    }
    assert {name for name, found in naming.items() if "truth" in found} == {"cheat", "draw"}
    cheating = {name for name, found in naming.items() if "cheat" in found}
    assert cheating == {"asking", "effects", "position_run"}


def test_a_bank_without_its_truth_is_the_same_bank(tmp_path: Path) -> None:
    path = bank.path_of("program")
    lines = list(bank.plain_lines(path))
    secret = [line for line in lines if line.startswith('{"truth"')]
    assert len(secret) == 120 == len(truths(path))
    assert not any(
        key in line
        for key in ('"deck":[', '"journal"', '"own_hand"')
        for line in lines
        if line not in secret
    )
    bank.save(tmp_path / "bare.jsonl", [line for line in lines if line not in secret])
    bare = bank.read(tmp_path / "bare.jsonl")
    assert (bare.head, bare.positions) == (bank.read(path).head, bank.read(path).positions)
    assert not truths(tmp_path / "bare.jsonl")


def test_the_packaged_bank_is_small_spread_and_labelled() -> None:
    found = bank.read("program")
    assert (
        bank.packaged() == ["probes", "program"]
        and bank.path_of("program").stat().st_size < 300_000
    )
    assert found.head.label == "program" and len({one.deal for one in found.positions}) == 120
    counts = Counter(one for place in found.positions for one in place.kind.values())
    for name, values in {
        "players": "2345",
        "best": ("play", "hint", "discard"),
        "tokens": ("0", "1-3", "4-8"),
    }.items():
        assert all(counts[name, value] >= 25 for value in values), name
    assert all(counts["phase", phase] > 30 for phase in ("early", "middle", "end"))
    assert str(ROOT) not in json.dumps(found.head.model_dump(mode="json"))


def test_a_bank_of_probes_holds_their_questions_alone_and_what_keeps_the_convention(
    tmp_path: Path,
) -> None:
    """Made by the commands that made the packaged one, of fewer probes."""
    asked = probes(["newest"], ["chop", "play-hint-read"], [2, 3], per=1)
    done = probe_run.run(asked, graphs.seat("house"), tmp_path / "run", seed=1)
    assert not done.left and not done.failed
    for source in (tmp_path / "run", tmp_path / "run" / "games" / "newest"):
        head = draw.build([source], tmp_path / "mine.jsonl.gz", n=200, per_game=1, seed=0)
        assert head.positions == len(asked) and head.label == "program"
    packaged = {one.asked.probe: one for one in bank.read("probes").positions if one.asked}
    assert len(packaged) == 102
    by_name = {one.name: one for one in asked}
    for one in bank.read(tmp_path / "mine.jsonl.gz").positions:
        assert one.asked is not None
        probe = by_name[one.asked.probe]
        there = packaged[one.asked.probe]
        assert one.view == probe.view and one.asked.answers == probe.answers
        assert one.kind.convention == one.asked.name == f"newest/{probe.convention}"
        assert one == there.model_copy(update={"name": one.name}), (
            "the packaged bank is of this version's programs"
        )
    assert all(
        {"history_analyst", "aggregator"} <= {call.node for call in one.calls}
        for one in packaged.values()
    )
    (journal_of_one,) = (tmp_path / "run" / "games" / "newest").glob("chop-2p-1.jsonl")
    assert (
        draw.build([journal_of_one], tmp_path / "one.jsonl", n=9, per_game=3, seed=0).positions == 1
    )


def test_a_bank_is_drawn_alike_again_one_position_of_a_game(tmp_path: Path) -> None:
    for seed in (1, 2):
        path = tmp_path / "games" / f"{seed}.jsonl"
        play(graphs.seat("spin_bench"), players=2, seed=seed, journal=path, max_turns=12)
    made = [tmp_path / f"{name}.jsonl.gz" for name in "ab"]
    heads = [draw.build([tmp_path / "games"], path, n=9, per_game=1, seed=5) for path in made]
    assert heads[0].positions == 2 and heads[0].digest == heads[1].digest
    assert draw.build([tmp_path / "games"], made[1], n=9, per_game=2, seed=5).positions == 4
    assert draw.build([tmp_path / "games"], made[1], n=4, per_game=4, seed=5).positions == 4
    assert Counter(Counter(one.deal for one in bank.read(made[1]).positions).values()) == {2: 2}, (
        "every game has its share"
    )
    one = bank.read(made[0])
    assert [call.messages for place in one.positions for call in place.calls] == [()] * 2


def saved(path: Path, told: list[str], head: dict[str, Any]) -> Path:
    """A bank of these lines, whose first line describes them."""
    first = head | {"positions": len(told), "digest": bank.digest(told)}
    bank.save(path, [json.dumps(first), *told])
    return path


def test_a_note_may_hold_any_line_break(tmp_path: Path) -> None:
    head, line = list(bank.plain_lines(bank.path_of("program")))[:2]
    odd = 'a\u2028{"truth"\u0085b'
    data = json.loads(line)["position"]
    data["events"][0]["text"] = odd
    made = bank.read(
        saved(tmp_path / "odd.jsonl", [bank.as_line("position", data)], json.loads(head))
    )
    assert made.positions[0].calls[0].text == odd


def test_a_forged_bank_gets_one_sentence(tmp_path: Path) -> None:
    head, line = list(bank.plain_lines(bank.path_of("program")))[:2]
    data = json.loads(line)["position"]
    elsewhere = bank.as_line("position", data | {"seat": 99})
    for told, why in ((['{"position": {'], "a line is no JSON"), ([elsewhere], "has seat 99 of")):
        with pytest.raises(UserError, match=why):
            bank.read(saved(tmp_path / f"{len(told[0])}.jsonl", told, json.loads(head)))
    empty = saved(tmp_path / "empty.jsonl", [], json.loads(head))
    with pytest.raises(UserError, match="has no position"):
        position_run.run(asking(bank=str(empty), arms=["removed"]), tmp_path / "run")
    packed = bytearray(bank.path_of("program").read_bytes())
    packed[2000:2050] = bytes(50)
    (tmp_path / "packed.jsonl.gz").write_bytes(packed)
    with pytest.raises(UserError, match="whole"):
        bank.read(tmp_path / "packed.jsonl.gz")
    for secret in ('{"truth": {', '{"truth": {"name": "p001"}}'):
        bank.save(tmp_path / "secret.jsonl", [head, secret])
        with pytest.raises(UserError, match="the truth in"):
            truths(tmp_path / "secret.jsonl")


def test_no_position_is_drawn_from_a_game_in_which_a_seat_saw_its_own_cards(tmp_path: Path) -> None:
    """Neither of the seat that cheats, nor of its partner, to whom its moves tell what nobody may know."""
    honest = graphs.read("spin_bench")
    cheating = ablate.controlled(honest, own_hand=True)
    folder = tmp_path / "games"
    for name, config in (("cheat", cheating), ("honest", honest)):
        seats = [graphs.seat(config), graphs.seat(honest)]
        play(seats, players=2, seed=1, journal=folder / f"{name}.jsonl", max_turns=6)
    assert draw.build([folder], tmp_path / "x.jsonl", n=9, per_game=9, seed=0).sources[0].games == 1
    with pytest.raises(UserError, match="in which nobody saw their own cards"):
        draw.build([folder / "cheat.jsonl"], tmp_path / "y.jsonl", n=9, per_game=9, seed=0)


@pytest.mark.parametrize("what", ["another card", "cut off", "no bank", "not whole gzip"])
def test_a_bank_that_was_changed_is_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    lines = list(bank.plain_lines(bank.path_of("program")))
    changed = {
        "another card": [
            lines[0],
            lines[1].replace('"tokens":', '"lives":1,"tokens":', 1),
            *lines[2:],
        ],
        "cut off": lines[:40],
        "no bank": lines[1:],
        "not whole gzip": lines,
    }[what]
    path.write_text("\n".join(changed), "utf-8")
    if what == "not whole gzip":
        path.write_bytes(gzip.compress(path.read_bytes())[:999])
    with pytest.raises(UserError, match=r"no whole gzip file|not whole|no position bank"):
        bank.read(path)


def test_nothing_is_drawn_from_a_folder_without_games(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no game in"):
        draw.build([tmp_path], tmp_path / "x.jsonl", n=3, per_game=1, seed=0)
