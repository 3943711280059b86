"""Games to hanab.live and back: the site's rules, its addresses, and what an import refuses."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.experiments.interchange import hanab_live, hanab_live_import
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, HAND_SIZES
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    Event,
    GameEnded,
    GameStarted,
    Moved,
)
from tests.conftest import Run
from tests.support.hanab_live_rules import Site, played
from tests.support.known_games import ENDS, dead_end, followed, journal_of
from tests.support.prove import FULL

SITE_ENDS = {
    "perfect": "normal",
    "deck_exhausted": "normal",
    "lives_lost": "strikeout",
    "max_turns": None,
    "unfinished": None,
}


def outcome(events: list[Event]) -> tuple[Any, ...]:
    """Deck, moves and result of a game, without the words for who sat there and what the deck is called."""
    started = events[0]
    last = events[-1]
    assert isinstance(started, GameStarted)
    moves = [event.past for event in events if isinstance(event, Moved)]
    words = {"graph", "model", "deck_name"}
    result = last.result.model_dump(exclude=words) if isinstance(last, GameEnded) else None
    return started.players, started.deck, moves, result


ALL = [(players, end) for players in (2, 3, 4, 5) for end in ENDS]
SOME = [*ALL[: len(ENDS)], (3, "lives_lost"), (4, "max_turns"), (5, "perfect")]
"""Every end, and every number of players."""


@pytest.mark.parametrize(("players", "end"), ALL if FULL else SOME)
def test_a_game_comes_back_as_it_went_and_the_site_plays_it_the_same(
    players: int, end: str, tmp_path: Path
) -> None:
    before = journal_of(tmp_path / "game.jsonl", players, end)
    (written,) = hanab_live.export(tmp_path / "game.jsonl", tmp_path / "game.json")
    game = json.loads((tmp_path / "game.json").read_text("utf-8"))
    site = played(game)
    assert site.end == SITE_ENDS[end]
    read = hanab_live_import.read(str(tmp_path / "game.json"))
    after = hanab_live_import.journal_of(read, tmp_path / "back.jsonl")
    expected = outcome(before)  # the site knows no limit of turns: the game is unfinished there
    assert outcome(after) == ((*expected[:3], None) if end == "max_turns" else expected)
    if players == 2:
        assert after == journal.read(tmp_path / "back.jsonl")
    of_address = hanab_live_import.read(written.address)
    assert (of_address.deck, of_address.moves, of_address.ended) == (
        read.deck,
        read.moves,
        read.ended,
    )
    last = before[-1]
    if isinstance(last, GameEnded) and end != "max_turns":
        assert last.result.end == end
        assert site.score == last.result.score_strict and sum(site.stacks) == last.result.score_kept
    assert written.past_end == 0


def test_reasons_are_notes_of_the_seat_on_the_cards_that_the_move_is_about(tmp_path: Path) -> None:
    journal_of(
        tmp_path / "game.jsonl", 3, "unfinished", why="<b>safe</b> | [cm]\nreally " + "x" * 600
    )
    recorded = Game.open(tmp_path / "game.jsonl")
    game = hanab_live.game(recorded)
    orders = hanab_live.CardOrders(3, 50)
    history = [turn.moved.past for turn in recorded.turns if turn.moved]
    for past, action in zip(history, game["actions"], strict=True):
        about = (
            [action["target"]]
            if action["type"] < 2
            else [orders.hands[action["target"]][s] for s in past.slots]
        )
        for order in about:
            said = game["notes"][past.seat][order]
            assert (
                f"turn {past.turn}, {past.move}: ‹b›safe‹/b› / (cm) really xxx" in said
                and "x ..." in said
            )
        if past.card:
            orders.take(past.seat, getattr(past.move, "slot", 0))
    assert not any(set("|[]<>\n") & set(note) for notes in game["notes"] for note in notes)


PUBLIC = (
    "https://hanab.live/shared-replay-json/415howrnrhjibpqadkaq-glbsvtsfvpnulfyxumcc-kxeiwkagpufdm,02fcla-"
    "dkdpoblddqdolcefdsob-ddduejdtidicdydrdwrc-,0"
)
"""The address of a replay that others have published: four players, 22 moves by human conventions, no strike."""


def test_a_published_address_is_read_and_written_the_same() -> None:
    game = hanab_live.of_address(f"{PUBLIC}#23")
    assert hanab_live.address(game) == PUBLIC
    site = Site(4, [(card["suitIndex"], card["rank"]) for card in game["deck"]])
    for action in game["actions"]:
        site.act(action["type"], action["target"], action.get("value"))
    assert (site.turn, site.strikes, site.stacks) == (22, 0, [2, 2, 2, 5, 0])
    read = hanab_live_import.read(f"{PUBLIC.replace('/shared-replay', '/replay')},p4v0s10#1")
    assert (read.players, len(read.moves), read.ended) == (4, 22, False)


VALUES = {
    0: st.none(),
    1: st.none(),
    2: st.integers(0, 4),
    3: st.integers(1, 5),
    4: st.integers(1, 10),
}
ACTION = st.integers(0, 4).flatmap(
    lambda kind: st.builds(
        lambda target, value: (
            {"type": kind, "target": target} | ({} if value is None else {"value": value})
        ),
        st.integers(0, 49 if kind < 2 else 4),
        VALUES[kind],
    )
)
DECK = st.permutations([card for card in CARDS for _ in range(card.copies)])


@settings(max_examples=1000 if FULL else 40)
@given(st.integers(2, 5), DECK, st.lists(ACTION, min_size=1, max_size=90))
def test_any_game_survives_its_address(
    players: int, deck: list[Any], actions: list[dict[str, int]]
) -> None:
    cards = [{"suitIndex": hanab_live.suit_index(card), "rank": card.rank} for card in deck]
    game = {"players": ["x"] * players, "deck": cards, "actions": actions}
    address = hanab_live.address(game)
    back = hanab_live.of_address(address)
    assert (back["deck"], back["actions"], len(back["players"])) == (cards, actions, players)
    groups = address.removeprefix(hanab_live.SITE).split("-")
    assert all(len(group) == 20 for group in groups[:-1]) and 1 <= len(groups[-1]) <= 20


def test_a_game_that_the_site_ends_earlier_is_whole_and_says_so(run: Run, tmp_path: Path) -> None:
    deck, moves = dead_end()
    followed(tmp_path / "game.jsonl", 2, deck, moves)
    code, out, _ = run("export", "game.jsonl", "--to", "hanab-live", "--out", "game.json")
    game = json.loads((tmp_path / "game.json").read_text("utf-8"))
    shown = 40 - hanab_live.past_end(Game.open(tmp_path / "game.jsonl"))
    site = played(game | {"actions": game["actions"][:shown]})
    assert (
        code == 0
        and site.end == "normal"
        and shown < 40
        and f"the last {40 - shown} moves are cut" in out
    )
    read = hanab_live_import.read("game.json")
    assert list(read.moves) == moves
    (tmp_path / "cut.json").write_text(
        json.dumps(game | {"actions": game["actions"][:shown]}), "utf-8"
    )
    assert hanab_live_import.read("cut.json").ended, "the site has ended it"


RUN = """
name: small
players: [2]
seeds: {first: 1, count: 2}
arms: {full: {graph: "partner:piers"}, random: {graph: "partner:random"}}
"""


def test_a_run_becomes_a_folder_with_a_list_of_addresses(run: Run, tmp_path: Path) -> None:
    run_experiment(experiment.parse(RUN), tmp_path / "run")
    code, out, _ = run("export", "run", "--to", "hanab-live", "--out", "out")
    assert code == 0 and "4 games  out" in out and "addresses  out/addresses.csv" in out
    with Path("out/addresses.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["game"] for row in rows] == [
        f"{arm}/2p-s{seed}-r1" for arm in ("full", "random") for seed in (1, 2)
    ]
    for row in rows:
        game = json.loads(Path(f"out/{row['game']}.json").read_text("utf-8"))
        assert (
            hanab_live_import.read(row["address"]).moves
            == hanab_live_import.read(f"out/{row['game']}.json").moves
        )
        cut = hanab_live.past_end(Game.open(Path(f"run/games/{row['game']}.jsonl")))
        played(game | {"actions": game["actions"][: len(game["actions"]) - cut]})
    code, _, err = run("export", "run", "--to", "hanab-live", "--out", "out/addresses.csv")
    assert code == 2 and "is a file; the games of a run need a folder" in err
    code, _, err = run("export", "run/games", "--to", "hanab-live", "--out", "out")
    assert code == 2 and "there is no game in 'run/games'" in err
    code, _, err = run("export", "nowhere", "--to", "hanab-live", "--out", "out")
    assert code == 2 and "there is nothing at 'nowhere'" in err


GOOD: dict[str, Any] = {
    "players": ["Ann", "Ben"],
    "deck": [
        {"suitIndex": "RYGWB".index(c.colour), "rank": c.rank}
        for c in CARDS
        for _ in range(c.copies)
    ],
    "actions": [{"type": 0, "target": 0}],
}
WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"options": {"variant": "Rainbow (6 Suits)"}},
        "the variant is 'Rainbow (6 Suits)'; only 'No Variant'",
    ),
    (
        {"options": {"variantName": "Rainbow (5 Suits)", "variantID": 15}},
        "the variant is 'Rainbow (5 Suits)'; only",
    ),
    ({"options": {"variantName": "6 Suits"}}, "the variant is '6 Suits'"),
    ({"options": {"variantID": 15}}, "the variant is number 15"),
    ({"variant": "Black (6 Suits)"}, "the variant is 'Black (6 Suits)'"),
    ({"variant": {"id": 3, "name": "Pink"}}, "the variant is 'Pink'"),
    ({"variantName": "Pink (5 Suits)"}, "the variant is 'Pink (5 Suits)'"),
    ({"seed": "p3v17s1"}, "the variant is number 17, by the seed p3v17s1"),
    ({"options": {"seed": "p2v2sabc"}}, "the variant is number 2, by the seed p2v2sabc"),
    ({"options": {"startingPlayer": 2}}, "startingPlayer must be a seat from 0 to 1, not 2"),
    (
        {"options": {"startingPlayer": "Ann"}},
        "startingPlayer must be a seat from 0 to 1, not 'Ann'",
    ),
    ({"options": {"oneExtraCard": True}}, "the option oneExtraCard is set"),
    ({"players": ["Ann"]}, "players must be a list of 2 to 5 names"),
    ({"deck": None}, "there is no deck"),
    ({"deck": GOOD["deck"][1:]}, "a deck has 50 cards, this one has 49"),
    ({"deck": [{"suitIndex": 5, "rank": 1}]}, "deck[0]: suitIndex: must be at most 4, not 5"),
    ({"deck": [GOOD["deck"][49], *GOOD["deck"][1:]]}, "a deck has 3 x R1, this one has 2"),
    ({"actions": []}, "actions must be a list with at least one entry"),
    (
        {"actions": [{"type": 0, "target": 0}] * 501},
        "actions has 501 entries; no game of Hanabi has more than 500",
    ),
    ({"actions": [{"type": 9, "target": 0}]}, "actions[0]: type: must be at most 5, not 9"),
    (
        {"actions": [{"type": 0, "target": 7}]},
        "actions[0]: P0 does not hold card 7 of the deck; their hand is 0, 1, 2",
    ),
    (
        {"actions": [{"type": 1, "target": 0}]},
        "discard slot 0 is not legal on turn 1 for P0: all 8 information tokens",
    ),
    (
        {"actions": [{"type": 2, "target": 0, "value": 0}]},
        "not legal on turn 1 for P0: nobody hints themself",
    ),
    (
        {"actions": [{"type": 2, "target": 1, "value": 4}]},
        "hint P1 blue is not legal on turn 1 for P0: it touches no",
    ),
    (
        {"actions": [{"type": 3, "target": 1, "value": 9}]},
        "an action of type 3 cannot have the value 9",
    ),
    (
        {"actions": [{"type": 3, "target": 77, "value": 1}]},
        "actions[0]: to: must be at most 4, not 77",
    ),
    (
        {"actions": [{"type": 4, "target": 0, "value": 4}, {"type": 0, "target": 0}]},
        "actions[1] comes after the end",
    ),
    (
        {"actions": [{"type": 0, "target": t} for t in (1, 5, 2, 6, 3, 7)]},
        "actions[4]: the game is over after 4 moves",
    ),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[said[:30] for _, said in WRONG])
def test_an_import_refuses_what_is_no_standard_game(
    change: dict[str, Any], said: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "game.json").write_text(json.dumps(GOOD | change), "utf-8")
    code, out, err = run("import", "game.json", "--out", "new.jsonl")
    assert (
        (code, out) == (2, "")
        and said in err
        and err.count("\n") == 1
        and not Path("new.jsonl").exists()
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "not a game of hanab.live"),
        ("https://hanab.live/replay/123", "is not an address of a replay"),
        (PUBLIC.replace("-,0", "-,17"), "the address is of variant 17"),
        (f"{PUBLIC},p4v17s10", "the address is of variant 17"),
        (PUBLIC.replace("/415", "/615"), "the address is of a game of 6 players"),
        (PUBLIC.replace(",02fcla", ",02fc_a"), "is damaged"),
    ],
)
def test_a_text_that_is_no_game_is_told_in_one_sentence(
    text: str, said: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "game.json").write_text(text, "utf-8")
    code, _, err = run("import", "game.json", "--out", "new.jsonl")
    assert code == 2 and said in err and err.count("\n") == 1


STANDARD_GAMES: list[dict[str, Any]] = [
    {"options": {"variant": "No Variant", "variantName": "No Variant", "variantID": 0}},
    {"variant": "No Variant", "seed": "p2v0s1"},
    {"seed": "my own seed", "options": {"variantName": None}},
]


@pytest.mark.parametrize("change", STANDARD_GAMES)
def test_the_standard_game_by_any_name_is_read(change: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(json.dumps(GOOD | change), "utf-8")
    assert len(hanab_live_import.read(str(tmp_path / "game.json")).moves) == 1


GIVEN_UP = [
    ({"type": 5, "target": -1, "value": 10}, "vote", "ended by the players' vote"),
    ({"type": 4, "target": 1, "value": 10}, "vote", "ended by the players' vote"),
    ({"type": 4, "target": 0, "value": 4}, "player", "ended by a player"),
    ({"type": 4, "target": 1, "value": 3}, "clock", "ended by the clock"),
    ({"type": 4, "target": -1, "value": 6}, "clock", "ended by the clock"),
]


@pytest.mark.parametrize(("last", "end", "words"), GIVEN_UP)
def test_a_game_that_was_given_up_ends_so_and_scores_0(
    last: dict[str, int], end: str, words: str, run: Run
) -> None:
    play = GOOD["actions"][0]
    Path("game.json").write_text(json.dumps(GOOD | {"actions": [play, last]}), "utf-8")
    code, out, _ = run("import", "game.json", "--out", "new.jsonl")
    assert code == 0 and f"2 players, 1 move, {words}" in out
    assert f"{words} after 1 turns, 3 lives left" in run("show", "new.jsonl")[1]
    result = Game.open(Path("new.jsonl")).result
    assert result and (result.end, result.score_strict, result.score_kept) == (end, 0, 1)
    run("export", "new.jsonl", "--to", "hanab-live", "--out", "again.json")
    assert hanab_live_import.read("again.json").given_up == end
    assert run("show", "new.jsonl", "--turn", "1")[0] == 0


def test_a_game_that_was_over_before_keeps_its_end(tmp_path: Path) -> None:
    """A clock that runs out on a struck-out table changes nothing."""
    lost = [{"type": 0, "target": target} for target in (1, 5, 2, 6)]
    path = tmp_path / "game.json"
    path.write_text(
        json.dumps(GOOD | {"actions": [*lost, {"type": 4, "target": 0, "value": 3}]}), "utf-8"
    )
    events = hanab_live_import.journal_of(hanab_live_import.read(str(path)), tmp_path / "new.jsonl")
    last = events[-1]
    assert isinstance(last, GameEnded) and last.result.end == "lives_lost"


@pytest.mark.parametrize(("players", "first"), [(2, 1), (3, 2), (4, 1), (5, 3)])
def test_another_player_who_begins_is_the_first_seat(
    players: int, first: int, tmp_path: Path
) -> None:
    """The site deals to its first seat and lets another begin: the same game, turned back by hand, reads the same."""
    journal_of(tmp_path / "game.jsonl", players, "deck_exhausted")
    plain = hanab_live.game(Game.open(tmp_path / "game.jsonl"))
    size = HAND_SIZES[players]

    def order(place: int) -> int:
        seat, slot = divmod(place, size)
        return (seat + first) % players * size + slot if seat < players else place

    deck = list(plain["deck"])
    for place, card in enumerate(plain["deck"]):
        deck[order(place)] = card
    actions = [
        action
        | {
            "target": order(action["target"])
            if action["type"] < 2
            else (action["target"] + first) % players
        }
        for action in plain["actions"]
    ]
    names = plain["players"]
    turned = {"players": [*names[-first:], *names[:-first]], "deck": deck, "actions": actions}
    (tmp_path / "plain.json").write_text(json.dumps(plain), "utf-8")
    (tmp_path / "turned.json").write_text(
        json.dumps(turned | {"options": {"startingPlayer": first}}), "utf-8"
    )
    read = hanab_live_import.read(str(tmp_path / "turned.json"))
    assert read == hanab_live_import.read(str(tmp_path / "plain.json"))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats() | st.text(max_size=3),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "rank", "x"]), inside)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(["players", "deck", "actions", "options", "notes"])


@settings(max_examples=1000 if FULL else 40)
@given(st.dictionaries(KEYS, PLAIN, min_size=1), st.lists(PLAIN | ACTION, max_size=4))
def test_any_json_is_a_game_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, change: dict[str, Any], actions: list[Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps({**GOOD, "actions": actions, **change}), "utf-8")
    try:
        game = hanab_live_import.read(str(path))
    except UserError as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert len(game.deck) == 50 and 2 <= game.players <= 5


def test_a_strange_name_is_kept_as_far_as_a_journal_and_a_screen_take_it(
    run: Run, tmp_path: Path
) -> None:
    names = ["\x1b[31m\ud800\u202e", "x" * 5000]
    (tmp_path / "game.json").write_text("\ufeff" + json.dumps(GOOD | {"players": names}), "utf-8")
    assert run("import", "game.json", "--out", "new.jsonl")[0] == 0
    shown = run("show", "new.jsonl")[1]
    assert "[31m?" in shown and not {"\x1b", "\u202e"} & set(shown) and len(shown) < 2000


def test_names_are_labels_that_no_view_holds(run: Run, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(json.dumps(GOOD), "utf-8")
    code, out, _ = run("import", "game.json", "--out", "new.jsonl")
    assert code == 0 and "2 players, 1 move, unfinished" in out
    first, *rest = (tmp_path / "new.jsonl").read_text("utf-8").splitlines()
    assert '"label": "Ann"' in first and "Ann" not in "".join(rest)
    code, out, _ = run("import", "game.json", "--out", "a-folder")
    assert code == 0 and "orchestrator show a-folder/hanab-live-game.jsonl --turn 1" in out
    code, _, err = run("import", "new.jsonl")
    assert (
        code == 2
        and err
        == "error: 'new.jsonl' is a journal of this program already: orchestrator show new.jsonl\n"
    )
    code, out, _ = run("show", "new.jsonl")
    assert code == 0 and "P0  hanab.live, Ann" in out and "  1  P0  play slot 0 (R1)" in out
    run("export", "new.jsonl", "--to", "hanab-live", "--out", "again.json")
    assert json.loads(Path("again.json").read_text("utf-8"))["players"] == GOOD["players"]
    code, _, err = run("import", "game.json", "--out", "new.jsonl")
    assert code == 2 and "'new.jsonl' exists" in err


def test_a_label_leaves_the_hashes_of_other_games_as_they_were(tmp_path: Path) -> None:
    events = journal_of(tmp_path / "game.jsonl", 2, "max_turns")
    started = events[0]
    assert isinstance(started, GameStarted) and "label" not in started.seats[0].model_dump()
    assert any(isinstance(event, Decided) for event in events)
