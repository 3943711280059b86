"""Published turns read in: rows that HLE itself wrote become journals that say the same, and nothing is guessed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.interchange import hanabi_logs, hanabi_logs_games, hle_state
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import role_marks
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal, rebuild
from tests.conftest import Run
from tests.support.hanabi_logs import rows
from tests.support.hle import hle_game

Row = dict[str, Any]
STATE = "raw_game_state_before_move"
LEGAL = "legal_moves_description_for_llm"
NAME = "Hanabi_mincon_reasoning.jsonl"


@pytest.fixture(scope="module")
def game() -> list[Row]:
    return rows(3, 2, turns=12)


def written(folder: Path, found: list[Row], name: str = NAME) -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(one)}\n" for one in found))
    return path


def imported(folder: Path, found: list[Row], **options: Any) -> hanabi_logs.Done:
    return hanabi_logs.run(written(folder, found), folder / "out", None, None, **options)


def story(folder: Path, name: str) -> Game:
    return Game.open(folder / "out" / name)


@pytest.mark.parametrize(("players", "form"), [(2, "state"), (4, "observation"), (5, "dictionary")])
def test_a_game_comes_back_as_hle_played_it(tmp_path: Path, players: int, form: str) -> None:
    game = rows(players, 7, form=form)
    done = imported(tmp_path, game)
    assert (done.games, len(done.placed), done.left_out) == (1, len(game), [])
    found = story(tmp_path, f"o4-mini-{players}p-s7.jsonl")
    assert found.started.seed == 7 and found.started.deck == deal(7)
    chosen = [one[LEGAL][str(json.loads(one["response_content"])["action"])] for one in game]
    assert [_hle(found, turn) for turn in range(len(game))] == chosen
    assert (
        found.result is not None
        and found.result.end == "lives_lost"
        and found.result.turns == len(game)
    )
    for one, turn in zip(game, found.turns, strict=True):
        (call,) = turn.calls
        assert (
            call.text == one["response_content"] and call.messages[-1].content == one["user_prompt"]
        )
        assert turn.view.deck_size == one["deck_size"] and turn.seat == one["current_player"]
        assert call.model == "o4-mini" and not call.paid


def _hle(found: Game, turn: int) -> str:
    """The move of a turn in HLE's words."""
    referee = rebuild(found.started.players, found.started.deck, found.moves[:turn])
    number = referee.legal().index(found.moves[turn])
    return f"({hle_game(referee).state.legal_moves()[number]})"


def test_answers_are_read_and_marked_as_those_of_a_game(tmp_path: Path, game: list[Row]) -> None:
    game[3] = {**game[3], "response_content": "I do not know."}
    done = imported(tmp_path, game)
    found = story(tmp_path, "o4-mini-3p-s2.jsonl")
    assert [one["unreadable"] is None for one in done.placed] == [
        number != 3 for number in range(12)
    ]
    fourth = found.turns[3]
    assert (
        fourth.calls[0].outcome == "fallback"
        and fourth.decided is not None
        and fourth.decided.forced
    )
    rated = found.turns[0].decided
    assert rated is not None and rated.ratings is not None
    assert list(rated.ratings.values()) == game[0]["move_ratings"] and rated.why.startswith(
        "It is ("
    )
    assert found.config(0, 1) is not None and all(
        one.model == "o4-mini" for one in role_marks(found)
    )


def test_the_states_show_a_deck_that_is_no_deal_of_the_seed(tmp_path: Path) -> None:
    game = [{**one, "seed": 99} for one in rows(2, 5)]
    imported(tmp_path, game)
    found = story(tmp_path, "o4-mini-2p-s99.jsonl")
    assert found.started.seed is None and len(found.moves) >= len(game) - 1
    assert found.started.deck[:10] == deal(5)[:10] and len(found.turns) == len(game)
    hidden = [{**one, "seed": 99} for one in rows(2, 5, form="observation")]
    with pytest.raises(UserError, match="HLE's deal of this seed does not show the hands"):
        hanabi_logs.run(written(tmp_path, hidden), tmp_path / "b", None, None)


def test_a_deal_must_agree_with_every_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    same_hands = (*deal(5)[:10], *reversed(deal(5)[10:]))
    monkeypatch.setattr(hanabi_logs_games, "deal", lambda seed: same_hands)
    imported(tmp_path, rows(2, 5))
    found = story(tmp_path, "o4-mini-2p-s5.jsonl")
    assert found.started.seed is None and found.started.deck[:12] == deal(5)[:12]


def test_answers_of_a_graph_with_several_nodes_are_refused(tmp_path: Path, game: list[Row]) -> None:
    with pytest.raises(UserError, match="--graph house: 4 nodes answer there"):
        hanabi_logs.run(written(tmp_path, game), tmp_path / "out", "house", None)


Broken = Callable[[Row], Row]
BROKEN: list[tuple[Broken, str]] = [
    (
        lambda one: {k: v for k, v in one.items() if k != "seed"},
        "seed: the row has no column 'seed'; it has model",
    ),
    (lambda one: {**one, "players": 6}, "players: 6; Hanabi is for 2 to 5"),
    (lambda one: {**one, STATE: "a board"}, "raw_game_state_before_move: it is not HLE's text"),
    (
        lambda one: {**one, STATE: one[STATE].replace("Info tokens: ", "Info tokens: 1")},
        "no legal move leads to this",
    ),
    (lambda one: {**one, "current_player": 2}, "current_player: 2, and in the state P"),
    (lambda one: {**one, "deck_size": 49}, "deck_size: 49, and the state says"),
    (lambda one: {**one, LEGAL: {"0": "(Play 0)"}}, "legal_moves_description_for_llm: "),
    (lambda one: {**one, LEGAL: ["Go left"]}, "'Go left' is not a move as HLE writes it"),
    (lambda one: {**one, "move_ratings": "many"}, "move_ratings: 'many' is not JSON"),
]


@pytest.mark.parametrize(("breaks", "said"), BROKEN, ids=[said[:30] for _, said in BROKEN])
def test_a_broken_row_is_named_counted_and_left_out(
    tmp_path: Path, game: list[Row], breaks: Broken, said: str
) -> None:
    bad = [*game[:6], breaks(game[6]), *game[7:]]
    with pytest.raises(UserError) as error:
        imported(tmp_path, bad)
    assert f"{NAME}, row 7: " in str(error.value) and said in str(error.value)
    done = imported(tmp_path, bad, skip_broken=True)
    assert [one["row"] for one in done.left_out] == list(range(7, 13)) and len(done.placed) == 6
    assert json.loads((tmp_path / "out" / "left_out.json").read_text()) == done.left_out


def test_models_repeats_and_columns(tmp_path: Path, run: Run, game: list[Row]) -> None:
    both = [*game, *rows(3, 2, "o3", turns=5), *game]
    renamed = [
        {"answer" if key == "response_content" else key: value for key, value in one.items()}
        for one in both
    ]
    (tmp_path / "columns.yaml").write_text("response_content: answer\n")
    path = written(tmp_path, renamed, "published.jsonl")
    code, _, err = run("import", str(path))
    assert code == 2 and "name the graph with --graph: watson, sherlock, mycroft" in err
    code, _, err = run("import", str(path), "--graph", "watson")
    assert code == 2 and "row 1: response_content: the row has no column 'response_content'" in err
    asked = ("import", str(path), "--graph", "watson", "--map", "columns.yaml", "--out", "logs")
    code, out, _ = run(*asked, "--model", "o4-mini", "--json")
    assert code == 0 and json.loads(out)["games"] == 2 and json.loads(out)["other_models"] == 5
    assert {one.name for one in (tmp_path / "logs").glob("*.jsonl")} == {
        "o4-mini-3p-s2.jsonl",
        "o4-mini-3p-s2-2.jsonl",
    }
    code, _, err = run(*asked)
    assert code == 2 and "holds files already" in err
    code, out, _ = run("show", "logs/o4-mini-3p-s2.jsonl", "--turn", "1")
    assert code == 0 and "o4-mini" in out


def test_parquet_is_read_as_json_lines_are(tmp_path: Path, game: list[Row]) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.Table.from_pylist(game), tmp_path / "Hanabi_mincon.parquet")
    done = hanabi_logs.run(tmp_path / "Hanabi_mincon.parquet", tmp_path / "out", None, None)
    assert (done.games, len(done.placed), done.left_out) == (1, 12, [])


def test_a_state_says_how_it_differs_from_a_game() -> None:
    referee = Referee(2, deal(3))
    own = hle_state.read(referee._game.text(), None)
    assert own.first and not list(hle_state.differences(own, referee))
    other = Referee(2, deal(4))
    assert any("P0's slot" in one for one in hle_state.differences(own, other))
