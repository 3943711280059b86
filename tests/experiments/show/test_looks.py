"""`show DIR`, and what `show` says of mistakes, chances, and one node of a turn."""

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.show.terminal import certainty
from hanabi_orchestrator.experiments.show.worth_a_look import print_looks
from hanabi_orchestrator.experiments.values.looks import costliest, looks_of, overruled
from hanabi_orchestrator.experiments.values.mistakes import faults_of
from hanabi_orchestrator.orchestrator import Scripted, play
from hanabi_orchestrator.orchestrator.hanabi.moves import HintRank, parse
from hanabi_orchestrator.orchestrator.journal.events import Call
from tests.conftest import Run
from tests.support.positions import dealt, partners_game
from tests.support.prove import FULL
from tests.support.stories import story_of

HANDS = ("R1 Y3 G3 W4 B5", "R2 R3 Y4 G4 W5", "B1 B2 B3 R4 Y1")


def games(run: Run) -> dict[str, Path]:
    """A game that strikes out, one that is refused and forced, one of programs, one that is suspended."""
    found = {}
    found["struck"] = Path(
        json.loads(
            run(
                "play",
                "--json",
                "--seat",
                "0=partner:flawed",
                "--seat",
                "1=partner:flawed",
                "--seat",
                "2=partner:flawed",
                "--seed",
                "2",
            )[1]
        )["journal"]
    )
    found["smart"] = Path(
        json.loads(
            run(
                "play",
                "--json",
                "--seat",
                "0=partner:smart",
                "--seat",
                "1=partner:smart",
                "--seat",
                "2=partner:smart",
            )[1]
        )["journal"]
    )
    model = Scripted({"proposer": "No idea."})
    play(graphs.seat("watson", model), players=2, seed=1, journal="games/forced.jsonl", max_turns=2)
    found["forced"] = Path("games/forced.jsonl")
    whole = found["smart"].read_text("utf-8").splitlines()
    halt = {
        "v": 2,
        "event": "suspended",
        "t": "2026-01-01T00:00:00.000+00:00",
        "turn": 1,
        "why": "no money left",
    }
    cut = next(number for number, line in enumerate(whole) if '"event": "moved"' in line)
    found["suspended"] = Path("games/suspended.jsonl")
    found["suspended"].write_text("\n".join([*whole[: cut + 1], json.dumps(halt), ""]), "utf-8")
    return found


def test_a_folder_shows_the_games_worth_a_look_with_the_reason_and_the_command(run: Run) -> None:
    made = games(run)
    Path("games/other.jsonl").write_text('{"of": "another program"}\n', "utf-8")
    code, out, err = run("show", "games")
    assert (code, err) == (0, "") and out.startswith("4 games, 1 not finished")
    assert (
        "third life lost: 1 game" in out
        and f"orchestrator show {made['struck'].as_posix()} --turn" in out
    )
    assert "not finished: 1 game" in out and "after 1 turn; suspended: no money left" in out
    assert "2 of 2 moves were forced" in out and "unusable answers" in out
    assert made["smart"].as_posix() not in out and "--mistakes" in out
    assert f"orchestrator show {made['forced'].as_posix()} --turn 1" in out
    ends = {row["journal"]: row["end"] for row in json.loads(run("list", "games", "--json")[1])}
    assert (
        ends[made["struck"].as_posix()] == "lives_lost"
        and ends[made["suspended"].as_posix()] is None
    )
    data = json.loads(run("show", "games", "--json")[1])
    assert data["games"] == 4 and data["finished"] == 3 and data["rolled_for_swings"] == 0
    assert {look["group"] for look in data["looks"]} == {
        "struck_out",
        "suspended",
        "forced",
        "faults",
    }


def test_a_failed_game_is_listed_once_and_a_narrow_terminal_keeps_the_command_whole(
    run: Run,
) -> None:
    play(
        graphs.seat("watson", "program"),
        players=2,
        seed=1,
        journal="run/games/a/2p-s1-r1.jsonl",
        max_turns=1,
    )
    journal = Path("run/games/a/2p-s1-r1.jsonl")
    begun = [line for line in journal.read_text("utf-8").splitlines() if "game_started" in line]
    journal.write_text(begun[0] + "\n", "utf-8")
    Path("run/failed.csv").write_text(
        "game,why\na/2p-s1-r1,turn 1: it broke\na/2p-s2-r1,no start\n", "utf-8"
    )
    found = looks_of(Path("run"))
    assert [(look.group, look.journal) for look in found.looks] == [
        ("failed", "a/2p-s2-r1"),
        ("failed", "run/games/a/2p-s1-r1.jsonl"),
    ]
    out = StringIO()
    print_looks(found, "", Console(width=60, file=out))
    assert "        orchestrator show run/games/a/2p-s1-r1.jsonl\n" in out.getvalue()


def test_a_folder_without_anything_to_see_says_so(run: Run) -> None:
    Path("games").mkdir()
    assert run("show", "games") == (0, "there is no game in games\n", "")
    run("play", *(part for seat in range(3) for part in ("--seat", f"{seat}=partner:smart")))
    code, out, _ = run("show", "games")
    assert code == 0 and out.startswith("1 game\n") and "nothing stands out" in out


def test_swings_find_the_move_that_cost_most(run: Run) -> None:
    seats = [part for seat in range(5) for part in ("--seat", f"{seat}=partner:flawed")]
    result = json.loads(run("play", "--json", "--players", "5", "--seed", "4", *seats)[1])
    assert result["end"] == "lives_lost"
    data = json.loads(run("show", "games", "--mistakes", "--json")[1])
    (look,) = (look for look in data["looks"] if look["group"] == "swings")
    assert (
        data["rolled_for_swings"] == 1
        and look["turn"] == result["turns"]
        and "expected score by -" in look["why"]
    )


def test_the_failed_games_of_a_run_are_named(run: Run) -> None:
    Path("games").mkdir()
    Path("games/failed.csv").write_text("game,why\nfull/2p-s1-r1,the seat broke\n", "utf-8")
    (look,) = looks_of(Path("games")).looks
    assert (look.group, look.journal, look.why) == ("failed", "full/2p-s1-r1", "the seat broke")


def call(node: str, role: str, move: str) -> Call:
    return Call(turn=1, seat=0, node=node, role=role, model="program", reply={"action": move})


def test_a_colleague_is_overruled_though_right_only_with_a_clearly_better_move() -> None:
    story = story_of(
        dealt(*HANDS), [parse("hint P1 green")]
    )  # which points at a card that does not fit
    (turn, _) = story.turns
    for proposed, said in (
        ("hint P1 green", 0),
        ("hint P1 yellow", 0),
        ("hint P2 rank 1", 1),
        ("discard slot 0", 0),
    ):
        asked = type(turn).of(turn.view, (call("proposer", "proposer", proposed), *turn.events))
        found = overruled(story, asked)
        assert len(found) == said, proposed
        assert all(str(case.move) == proposed and case.gain >= 0.5 for case in found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "games", "--turn", "3"], "is a folder, and --turn and --full are for one game"),
        (["show", "games", "--full"], "is a folder"),
        (
            ["show", "games/smart.jsonl", "--role", "analyst"],
            "--role is for one turn: name it with --turn N",
        ),
        (
            ["show", "games/smart.jsonl", "--marks"],
            "--turn N; `orchestrator report games/smart.jsonl --marks` marks all",
        ),
        (
            ["show", "games/smart.jsonl", "--prompts"],
            "--prompts is for one turn: name it with --turn N",
        ),
    ],
)
def test_options_that_do_not_belong_together_are_refused(
    run: Run, arguments: list[str], said: str
) -> None:
    Path("games").mkdir()
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_the_turn_to_look_at_first_lost_most_though_a_fair_play_cost_a_life() -> None:
    moves = ("hint P1 rank 1", "play slot 0", "discard slot 1", "hint P2 rank 1", "play slot 0")
    story = story_of(dealt("R2 Y3 G3 W4 B4", "R1 R1 Y4 G4 W5", "B1 B2 B3 R4 Y1"), map(parse, moves))
    fair = story.turns[4]
    assert fair.moved and fair.moved.past.scored is False and not faults_of(story)
    assert costliest(story) == (4, "hint P2 red was worth 1.0 points more at once")


def test_one_node_of_a_turn_and_its_prompt_alone(run: Run) -> None:
    journal_of = json.loads(run("play", "--json", "--graph", "house")[1])["journal"]
    turn = ("show", journal_of, "--turn", "2")
    one = run(*turn, "--role", "discard_strategist")[1]
    assert (
        "\ndiscard_strategist  (program)" in one
        and "aggregator" not in one
        and "\ndecided" not in one
    )
    prompt = run(*turn, "--role", "discard_strategist", "--prompts")[1]
    assert prompt.startswith("=== discard_strategist: user message") and "# How to answer" in prompt
    assert "turn 2 of" not in prompt and "(program)" not in prompt
    every = run(*turn, "--prompts")[1]
    assert prompt in every and "=== aggregator: user message" in every
    data = json.loads(run(*turn, "--prompts", "--json")[1])
    assert [one["node"] for one in data["prompts"]] and data["prompts"][0]["messages"][0]["content"]
    events = json.loads(run(*turn, "--role", "safety", "--json")[1])["events"]
    assert {event["node"] for event in events if event["event"] in ("call", "verdict")} == {
        "safety"
    }
    code, _, err = run(*turn, "--role", "agregator")
    assert code == 2 and "turn 2 has no node or role 'agregator'; did you mean 'aggregator'?" in err


def test_a_chance_says_by_what_it_is_reckoned() -> None:
    said = set()
    for referee in partners_game(["smart"] * 3, 1):
        if referee.over:
            break
        view = referee.view()
        for move in view.legal:
            line = certainty(view, move)
            assert bool(line) == (move.kind in ("play", "discard"))
            if line:
                said.add("both" if "conventions" in line else "hints")
                assert " by hints" in line
                first, _, second = line.partition(" by hints")
                assert first not in second, "the same twice"
    assert said == {"both", "hints"}
    assert certainty(dealt(*HANDS).view(), HintRank(to=1, rank=2)) == ""
    assert certainty(dealt(*HANDS).view(), parse("play slot 0")) == "playable 32% by hints"


def test_mistakes_are_marked_when_they_are_asked_for(run: Run) -> None:
    told = {"proposer": '{"ratings": [], "reason": "a guess", "action": "play slot 4"}'}
    played = play(graphs.seat("watson", Scripted(told)), players=2, seed=1, journal="short.jsonl")
    assert played.end == "lives_lost"
    few = ("--rollouts", "50")
    last = ("--turn", str(played.turns))
    plain = run("show", "short.jsonl")[1]
    marked = run("show", "short.jsonl", "--mistakes", *few)[1]
    assert (
        "mistake:" not in plain
        and "mistake: the card was " in marked
        and "at most 0%" not in marked
    )
    _, ranked = marked.split("\nmistakes, the costliest first\n")
    *rows, _, after = ranked.splitlines()
    losses = [float(row.rpartition(" was worth ")[2].partition(" points more")[0]) for row in rows]
    assert len(rows) > 1 and losses == sorted(losses, reverse=True)
    assert after == f"next     orchestrator show short.jsonl --turn {int(rows[0][:3])} --mistakes"
    one = run("show", "short.jsonl", *last, "--mistakes", *few)[1]
    assert "\nvalues   expected final score" in one and "mistake  the card was " in one
    if FULL:
        data = json.loads(run("show", "short.jsonl", "--mistakes", "--json", *few)[1])
        assert data["turns"][-1]["mistake"]["kind"] == "risky_misplay"
    values = json.loads(run("show", "short.jsonl", *last, "--mistakes", "--json", *few)[1])[
        "values"
    ]
    assert values["played"] == "play slot 4" and values["moves"][0]["rank"] == 1


def test_the_marks_of_a_turn_stand_below_it(run: Run) -> None:
    play(graphs.seat("house", "sim:careless"), players=2, seed=1, journal="one.jsonl", max_turns=3)
    turn = ("show", "one.jsonl", "--turn", "2", "--marks")
    told = json.loads(run(*turn, "--json")[1])["marks"]
    assert {mark["node"] for mark in told} >= {"aggregator", "discard_strategist"}
    _, _, marks = run(*turn)[1].partition("\nmarks ")
    rows = dict(line.split(maxsplit=1) for line in marks.splitlines() if line.startswith("  "))
    regret = next(mark for mark in told if (mark["node"], mark["name"]) == ("aggregator", "regret"))
    assert rows["regret"].startswith(f"{regret['value']:.2f} ") and rows["regret"].endswith(
        regret["stands"]
    )
    alone = run(*turn, "--role", "aggregator")[1].partition("\nmarks ")[2]
    assert "regret" in alone and "safety_brier" not in alone
    lines = Path("one.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("one.jsonl").write_text("".join(lines[:-1]), "utf-8")
    code, _, err = run(*turn)
    assert code == 2 and "is not finished; marks need the end of a game" in err
