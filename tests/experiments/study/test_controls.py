"""Controls as arms: what they change, what they leave, and that a stopped run goes on with the same notes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.rows import Row, rows
from hanabi_orchestrator.experiments.study import experiment as files
from hanabi_orchestrator.experiments.study import manifest, note_banks
from hanabi_orchestrator.experiments.study.arms import Deal
from hanabi_orchestrator.experiments.study.note_banks import NoteBank
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run
from hanabi_orchestrator.graphs import ablate, recorded
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import base, turn_calls
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.graphs.control_notes import GIVEN
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import deal
from hanabi_orchestrator.orchestrator.journal.events import Call, GameStarted

GRAPH = {
    "name": "decorated",
    "context": "house",
    "nodes": {
        "decoration": {"role": "discard_strategist"},
        "tom_interpreter": {"role": "tom_interpreter"},
        "aggregator": {"role": "aggregator", "reads": ["tom_interpreter"]},
    },
    "decides": "aggregator",
}
ARMS: dict[str, Any] = {
    "full": {},
    "again": {"noise_floor": True},
    "unread": {"placebo": "decoration"},
    "placebo": {"placebo": "tom_interpreter"},
    "shuffled": {"shuffled": "tom_interpreter"},
    "padded": {"padded": "tom_interpreter"},
    "removed": {"without": "tom_interpreter"},
}


def written(folder: Path, **changes: Any) -> files.Experiment:
    """An experiment file in a folder, read."""
    (folder / "decorated.yaml").write_text(yaml.safe_dump(GRAPH, sort_keys=False), "utf-8")
    text = {
        "name": "controls",
        "graph": str(folder / "decorated.yaml"),
        "players": [2],
        "seeds": 2,
        "models": {"default": {"model": "sim:average", "overconfident_play": 0.6}},
        "arms": ARMS,
        "baseline": "full",
    }
    (folder / "controls.yaml").write_text(yaml.safe_dump({**text, **changes}), "utf-8")
    return files.read(folder / "controls.yaml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of all arms on two deals."""
    home = tmp_path_factory.mktemp("controls")
    done = run(written(home), home / "run")
    assert not done.failed and not done.left
    yield home / "run"


def games(folder: Path, arm: str) -> list[Row]:
    return [row for row in rows(folder) if row.arm == arm]


def calls(folder: Path, arm: str, node: str) -> list[Call]:
    events = journal.read(folder / "games" / arm / "2p-s1-r1.jsonl")
    return [event for event in events if isinstance(event, Call) and base(event.node) == node]


def test_the_baseline_once_more_has_the_same_deals_and_other_answers(folder: Path) -> None:
    first = games(folder, "full")
    again = games(folder, "again")
    assert [row.seed for row in first] == [row.seed for row in again]
    assert all(
        one.moves_digest != other.moves_digest for one, other in zip(first, again, strict=True)
    )
    decks = [
        journal.read(folder / "games" / arm / "2p-s1-r1.jsonl")[0] for arm in ("full", "again")
    ]
    assert isinstance(decks[0], GameStarted) and isinstance(decks[1], GameStarted)
    assert decks[0].deck == decks[1].deck and decks[0].game == decks[1].game
    assert {row.control for row in again} == {"noise_floor"} and {row.control for row in first} == {
        None
    }


def test_the_placebo_of_a_note_that_nobody_reads_changes_no_move(folder: Path) -> None:
    assert [row.moves_digest for row in games(folder, "unread")] == [
        row.moves_digest for row in games(folder, "full")
    ]
    assert all(
        row.calls < other.calls
        for row, other in zip(games(folder, "unread"), games(folder, "full"), strict=True)
    )


@pytest.mark.parametrize("control", NOTES)
def test_a_note_of_another_game_is_marked_and_of_another_deal(folder: Path, control: str) -> None:
    given = calls(folder, control, "tom_interpreter")
    assert (
        given
        and {call.fixed for call in given} == {control}
        and not any(call.of_model for call in given)
    )
    assert all(call.origin and call.origin.startswith("full/2p-s2-r1, turn ") for call in given)


def test_all_control_notes_of_a_turn_are_made_from_the_same_turn(folder: Path) -> None:
    by_turn = [
        {call.turn: call.origin for call in calls(folder, arm, "tom_interpreter")} for arm in NOTES
    ]
    assert (
        len({origins[1] for origins in by_turn}) == 1
    )  # later turns are of games that went another way


def test_a_padded_note_is_played_as_no_note(folder: Path) -> None:
    padded = games(folder, "padded")
    removed = games(folder, "removed")
    assert [row.moves_digest for row in padded] == [row.moves_digest for row in removed]
    assert {row.control for row in padded} == {"padded tom_interpreter"} and {
        row.fallbacks for row in padded
    } == {0}
    empty = calls(folder, "padded", "tom_interpreter")
    assert {(call.fixed, call.outcome, call.reply) for call in empty} == {
        ("padded", "unasked", None)
    }
    assert all(call.padding > 20 for call in empty)
    shorter, placebo, length = (
        calls(folder, arm, "aggregator")[0].tokens_in for arm in ("removed", "placebo", "padded")
    )
    assert length > shorter + 20 and abs(length - placebo) < 60, (
        "as long as a placebo made from the same note"
    )


def test_a_game_that_was_cut_off_goes_on_with_the_same_notes(folder: Path) -> None:
    path = folder / "games/shuffled/2p-s2-r1.jsonl"
    bank = folder / "notes/shuffled/2p.json"
    whole = path.read_bytes()
    notes = bank.read_bytes()
    before = journal.comparable(journal.read(path))
    path.write_bytes(whole[: len(whole) // 2])  # as kill -9 leaves it: in the middle of a line
    done = run(written(folder.parent), folder)
    assert not done.left and not done.failed
    assert journal.comparable(journal.read(path)) == before and bank.read_bytes() == notes


def test_notes_that_were_changed_are_refused(folder: Path, tmp_path: Path) -> None:
    bank = folder / "notes/placebo/2p.json"
    kept = bank.read_text("utf-8")
    bank.write_text(json.dumps(json.loads(kept) | {"source": "elsewhere"}), "utf-8")
    try:
        with pytest.raises(UserError, match="holds other notes: source differ"):
            run(written(folder.parent), folder)
    finally:
        bank.write_text(kept, "utf-8")


# Notes come from honest games of another deal


DECORATED = checked(GRAPH, "decorated")
ROLES = (("decoration", "discard_strategist"),)


def noted(folder: Path, config: GraphConfig = DECORATED, **deal: Any) -> NoteBank:
    """The bank of a folder with one more short game in it."""
    number = len(list(folder.glob("*.jsonl"))) if folder.exists() else 0
    play(graphs.seat(config), players=2, journal=folder / f"{number}.jsonl", max_turns=3, **deal)
    return NoteBank("arm", 2, ROLES, str(folder), folder)


def test_a_game_gets_no_note_of_its_own_deal_even_from_a_deck_without_a_seed(
    tmp_path: Path,
) -> None:
    """On a later turn of the same deal a note knows cards that are hidden on an earlier one."""
    noted(tmp_path, deck=deal(1), label="mine")
    bank = noted(tmp_path, seed=2)
    bank.write(bank.journals())
    found = [
        note_banks.memory(bank.path, Deal(1, 2, repeat), 0)[GIVEN]["from"] for repeat in range(1, 9)
    ]
    assert len(found) == 8 and all(name.endswith("/1") for name in found)
    with pytest.raises(UserError, match="another deal"):
        only = noted(tmp_path / "only", deck=deal(1), label="mine")
        only.write(only.journals())
        note_banks.memory(only.path, Deal(1, 2, 1), 0)


def test_no_note_comes_from_a_seat_that_saw_its_own_cards(tmp_path: Path) -> None:
    cheating = ablate.controlled(DECORATED, own_hand=True)
    bank = noted(tmp_path, cheating, seed=1)
    with pytest.raises(UserError, match="a seat saw its own cards, which is cheating"):
        bank.journals()
    events = journal.read(tmp_path / "0.jsonl")
    assert any(isinstance(event, Call) for event in events) and not recorded.given_notes(
        events, ROLES
    )
    noted(tmp_path, seed=2)
    assert [path.name for path in bank.journals()] == ["1.jsonl"]
    arms = {"full": {"own_hand": True}, "arm": {"shuffled": "decoration"}}
    with pytest.raises(UserError, match="from full, whose seats see their own cards"):
        plan(tmp_path, arms=arms)


@pytest.mark.parametrize(
    "text",
    [
        '{"games": [{}]}',
        '{"games": 3}',
        '{"games": [{"name": "a", "seed": 1, "notes": [1]}]}',
        "[" * 9999,
    ],
)
def test_a_bank_of_notes_that_is_broken_gets_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "2p.json").write_text(text, "utf-8")
    with pytest.raises(UserError, match="holds no notes of other games"):
        note_banks.memory(tmp_path / "2p.json", Deal(1, 2, 1), 0)


# Plans, without games


def plan(folder: Path, **changes: Any) -> Plan:
    return Plan.resolve(written(folder, **changes), folder / "run")


def test_programs_know_no_chance(tmp_path: Path) -> None:
    made = plan(tmp_path, models={"default": "program"})
    (again,) = [arm for arm in made.arms if arm.name == "again"]
    assert again.players == () and dict(again.void) == {2: "full"}
    assert any("Programs know no chance" in note for note in made.notes)


def test_a_models_baseline_is_played_once_more_unless_one_says_no(tmp_path: Path) -> None:
    model: dict[str, Any] = {
        "models": {"default": "openai:some"},
        "arms": {"full": {}, "less": {"without": "decoration"}},
    }
    made = plan(tmp_path, **model)
    assert [arm.name for arm in made.arms] == ["full", "less", "noise-floor"] and made.aside == {
        "noise-floor"
    }
    assert any(
        "noise floor" in note and "controls.noise_floor=false" in note for note in made.notes
    )
    off = plan(tmp_path, **model, controls={"noise_floor": False})
    assert [arm.name for arm in off.arms] == ["full", "less"]
    manifest.write(off)
    assert [arm.name for arm in plan(tmp_path, **model).arms] == ["full", "less"], (
        "a run does not grow by itself"
    )


def test_matched_arms_have_as_many_calls_at_every_player_count(tmp_path: Path) -> None:
    arms = {"full": {}, "calls": {"same_compute": "full"}, "tokens": {"same_tokens": "full"}}
    made = plan(tmp_path, graph="moa_sherlock", players=[2, 3], arms=arms)
    full, calls, tokens = (arm.everybody.config for arm in made.arms)
    assert full and calls and tokens
    assert (
        [turn_calls(at(calls, n)) for n in (2, 3)]
        == [turn_calls(at(full, n)) for n in (2, 3)]
        == [5, 6]
    )
    assert calls.context == full.context and calls.verify == full.verify
    (said,) = [note for note in made.notes if note.startswith("tokens: ")]
    own, theirs = (
        int(said.split(at)[1].split()[0].strip(";.").replace(",", ""))
        for at in ("positions: ", "full has ")
    )
    assert abs(own - theirs) < 0.15 * theirs


@pytest.mark.parametrize(
    ("arm", "why"),
    [
        (
            {"placebo": "historian"},
            "has no node or role 'historian'; its nodes are: decoration, tom_interpreter",
        ),
        (
            {"shuffled": "aggregator"},
            "'aggregator' decides, so its answer cannot be that of another game",
        ),
        (
            {"padded": "aggregator"},
            "'aggregator' decides, so its answer cannot be that of another game",
        ),
        (
            {"padded": "decoration", "placebo": "decoration"},
            "'decoration' cannot have several notes: placebo and padded",
        ),
        ({"permuted": True}, "permuted: no node of 'decorated' reads two others"),
        ({"advise": "decoration"}, "'decoration' lists no moves; it is for a recommender"),
        ({"same_compute": "ful"}, "'ful' is not an arm; did you mean 'full'"),
        (
            {"same_compute": "full", "without": "decoration"},
            "makes the arm's graph itself; leave out without",
        ),
        ({"shufled": "decoration"}, "unknown key 'shufled'; did you mean 'shuffled'"),
    ],
)
def test_a_control_that_is_none_gets_one_sentence(
    tmp_path: Path, arm: dict[str, Any], why: str
) -> None:
    with pytest.raises(UserError) as caught:
        plan(tmp_path, arms={"full": {}, "arm": arm})
    assert why in str(caught.value) and "\n" not in str(caught.value)


def test_notes_of_another_deal_take_two_deals(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="it takes two deals at least"):
        plan(tmp_path, seeds=[1])


def test_a_stop_rule_takes_no_notes_of_its_own_runs_games(folder: Path, tmp_path: Path) -> None:
    """All games of the baseline would come first; notes of another run are there from the beginning."""
    stop = {"when": "shown", "looks": [10, 20]}
    own = plan(
        tmp_path, seeds=20, stop=stop, arms={"full": {}, "placebo": {"placebo": "tom_interpreter"}}
    )
    with pytest.raises(
        UserError,
        match=r"stop: arm 'placebo' gets notes of the games of full, all of which come first",
    ) as e:
        assert own.stop
    assert "placebo: {tom_interpreter: RUN}" in str(e.value) and "\n" not in str(e.value)
    other = {"full": {}, "placebo": {"placebo": {"tom_interpreter": str(folder)}}}
    rule = plan(tmp_path, seeds=20, stop=stop, arms=other).stop
    assert rule is not None and rule.arms == ("placebo",) and not rule.alongside


def test_controls_are_played_beside_their_removal_once_the_baseline_has_its_games(
    folder: Path,
) -> None:
    """A run that stops has the same deals of both."""
    begun = []
    for row in rows(folder):
        first, *_ = (folder / row.journal).read_text("utf-8").splitlines()
        begun.append((json.loads(first)["t"], row.arm))
    order = [arm for _, arm in sorted(begun)]
    assert order[:2] == ["full", "full"] and {*order[2:9]} == {*ARMS} - {"full"}
