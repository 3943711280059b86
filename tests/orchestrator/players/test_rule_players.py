"""Rule players: they play whole games, as well as their descriptions do, and hat players agree on what is known."""

import json
import statistics
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.information import table as information
from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition, decide
from hanabi_orchestrator.orchestrator.hanabi.information.table import HatTable, table_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players import partners
from tests.conftest import Run
from tests.support.positions import random_views
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)

KEPT = {
    "random": (1.21, 1.28, 1.27, 1.27),
    "flawed": (1.55, 1.65, 1.72, 1.89),
    "outer": (14.82, 14.87, 13.41, 12.85),
    "vandenbergh": (13.62, 17.79, 17.26, 16.26),
    "iggi": (17.67, 16.95, 16.27, 15.16),
    "piers": (17.60, 17.82, 17.31, 16.63),
}
"""What the same rules reached elsewhere at 2 to 5 players, points on the table, in 1,000 games."""
NOTED = {"smart": (23.10, 0.3), "holmes": (20.72, 0.3), "value": (19.76, 1.2)}
"""SmartBot, HolmesBot and ValueBot in pairs, points on the table, and how far apart a reconstruction may be."""
LEAST = {2: 22.0, 3: 24.0, 4: 24.6, 5: 24.6}
"""The hat players' strict score."""

CASES = list(product(KEPT, PLAYERS))
SOME = CASES if FULL else [case for i, case in enumerate(CASES) if i % 5 == 0]
GAMES = 1000 if FULL else 6


def hat_table(view: View) -> HatTable:
    return table_of(
        view.players, view.seat, {hand.seat: hand.cards for hand in view.hands}, view.history
    )


def played(name: str, players: int, games: int) -> list[Referee]:
    return [_game(name, players, seed) for seed in range(1, games + 1)]


def _game(name: str, players: int, seed: int) -> Referee:
    rule = partners.get(name).rule
    referee = Referee(players, deal(seed))
    while not referee.over:
        view = referee.view()
        referee.apply(rule(view, Random(f"{seed} {view.turn}"))[0])
    return referee


@pytest.mark.parametrize(("name", "players"), SOME)
def test_production_rules_play_as_their_descriptions_do(name: str, players: int) -> None:
    scores = [referee.score_kept for referee in played(name, players, GAMES)]
    error = statistics.stdev(scores) * (1 / GAMES + 1 / 1000) ** 0.5
    assert abs(statistics.mean(scores) - KEPT[name][players - 2]) < 3 * error + 0.005


@pytest.mark.parametrize("name", ["smart", "holmes", "value"])
def test_convention_players_play_as_well_as_they_are_noted_to(name: str) -> None:
    scores = [referee.score_kept for referee in played(name, 2, 1000 if FULL else 10)]
    error = statistics.stdev(scores) / len(scores) ** 0.5
    noted, apart = NOTED[name]
    assert abs(statistics.mean(scores) - noted) < apart + 3 * error


def test_only_holmes_gambles_his_last_life() -> None:
    """He strikes out on this deal, where the others do not gamble."""
    ends = {name: _game(name, 5, seed=2).lives for name in ("holmes", "smart")}
    assert ends["holmes"] == 0 and ends["smart"]


@pytest.mark.parametrize("players", PLAYERS)
def test_hat_players_tell_each_other_nearly_everything(players: int) -> None:
    games = played("hat", players, 1000 if FULL else 5)
    assert statistics.mean(referee.score_strict for referee in games) >= LEAST[players] - (
        0 if FULL else 1
    )
    assert all(referee.lives for referee in games)


@pytest.mark.parametrize("players", PLAYERS)
def test_what_hat_players_know_in_common_is_true_and_the_same_for_all(players: int) -> None:
    rule = partners.get("hat").rule
    referee = Referee(players, deal(7))
    while not referee.over:
        views = [referee.view(seat) for seat in range(players)]
        tables = [hat_table(view) for view in views]
        assert all(table.common == tables[0].common for table in tables)
        for hand in (*views[0].hands, next(hand for hand in views[1].hands if hand.seat == 0)):
            known = tables[0].common[hand.seat]
            assert all(
                types >> INDEX[card] & 1 for types, card in zip(known, hand.cards, strict=True)
            )
        referee.apply(rule(views[referee.seat], Random(0))[0])


@pytest.mark.parametrize("players", (3, 4, 5) if FULL else (3,))
def test_a_hat_player_never_gambles_the_last_life(players: int) -> None:
    """They play the same cards at a chance while a life can be spared."""
    rule = partners.get("hat").rule
    gambles = 0
    for seed in range(1, 5):
        referee = Referee(players, deal(seed))
        while not referee.over:
            view = referee.view()
            move, why = rule(view, Random(0))
            if isinstance(move, Play) and "it fits with a chance of" in why:
                gambles += 1
                careful, reason = decide(
                    CodePosition(replace(hat_table(view), lives=1), view.legal)
                )
                assert not isinstance(careful, Play) or reason == "it surely fits"
            referee.apply(move)
    assert gambles > 2


def test_a_hat_player_who_joins_late_knows_what_he_would_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = partners.get("hat").rule
    referee = Referee(3, deal(3))
    while not referee.over:
        view = referee.view()
        going_on = hat_table(view)
        with monkeypatch.context() as fresh:
            fresh.setattr(information, "_KEPT", {})
            assert hat_table(view) == going_on
        referee.apply(rule(view, Random(0))[0])


@pytest.mark.parametrize("name", partners.names())
def test_every_partner_moves_legally_wherever_others_bring_it(name: str) -> None:
    for players in PLAYERS:
        if players in partners.get(name).players:
            for view in random_views(players, 11)[:: 1 if FULL else 4]:
                move, why = partners.get(name).rule(view, Random(1))
                assert move in view.legal and why
                assert partners.get(name).rule(view, Random(1))[0] == move


def test_a_partner_is_a_seat() -> None:
    result = play(partners.get("piers"), players=4, seed=2)
    assert result.graph == "partner:piers" and result.model == "program"
    assert result == play(partners.get("piers"), players=4, seed=2)


def test_careful_partners_lose_no_life() -> None:
    for name in ("iggi", "outer"):
        assert all(referee.lives == 3 for referee in played(name, 3, 2))


def test_a_partner_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(UserError, match=r"unknown partner 'sherlock'; known: random, .*piers"):
        partners.get("sherlock")


def test_the_list_names_every_partner(run: Run) -> None:
    code, out, _ = run("list", "partners", "--json")
    told = json.loads(out)
    assert code == 0 and [one["name"] for one in told] == partners.names()
    assert all(one["source"] and one["players"] for one in told)
    assert all(name in run("list", "partners")[1] for name in partners.names())


def test_self_play_is_measured(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partners, "names", lambda: ["flawed"])
    code, out, _ = run("bench", "--partner", "all", "--games", "2", "--json")
    told = json.loads(out)
    assert code == 0 and [(one["partner"], one["players"]) for one in told] == [
        ("flawed", p) for p in PLAYERS
    ]
    assert all(
        (one["games"], one["strict"], one["struck_out"]) == (2, 0, 1) and one["kept"] > 0
        for one in told
    )
