"""What `show`, `graphs` and `roles` tell a person: games, turns, prompts and lists."""

import json
from pathlib import Path

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.show import section_fields
from hanabi_orchestrator.orchestrator import Scripted, play
from hanabi_orchestrator.orchestrator.journal.fingerprint import of_game
from tests.conftest import Run
from tests.support.positions import GRAPHS

# Stories


def test_the_story_of_a_game_has_a_line_a_turn_and_the_result(run: Run) -> None:
    result = json.loads(run("play", "--json", "--graph", "house")[1])
    code, out, _ = run("show", result["journal"])
    turns = [line for line in out.splitlines() if "  P" in line and "tokens" in line]
    assert code == 0 and len(turns) == result["turns"]
    assert (
        f"{result['score_strict']} of 25" in out
        and "no model was asked: all nodes were programs" in out
    )


def test_the_story_of_a_turn_tells_who_heard_and_said_what(run: Run) -> None:
    result = json.loads(run("play", "--json", "--graph", "house")[1])
    code, out, _ = run("show", result["journal"], "--turn", "2")
    assert code == 0
    for node in ("history_analyst", "tom_interpreter", "discard_strategist", "aggregator"):
        assert f"\n{node}  (program)" in out
    assert "history_analyst, tom_interpreter, discard_strategist" in " ".join(out.split())
    assert "safety  accepts" in out and "\ndecided  " in out and "\nplayed   " in out
    full = run("show", result["journal"], "--turn", "2", "--full")[1]
    assert (
        "# How to answer" in full
        and "# How to answer" not in out
        and "--full shows them" not in full
    )
    code, _, err = run("show", result["journal"], "--turn", "999")
    assert code == 2 and f"the game has turns 1 to {result['turns']}, not 999" in err


def test_chances_by_conventions_are_those_of_the_seats_own_pack(run: Run) -> None:
    """Certain is what the code says of the card; the pack `newest` says nothing of it."""
    chance = "playable 37% by hints, 100% by conventions"
    by_code = f"play slot 1 (W1)          R0 Y0 G1 W1 B0  tokens 6  lives 2  deck 32  {chance}"
    assert by_code in run("play", "--graph", "house_information")[1]
    story = " ".join(run("show", "games/house_information-3p-s1.jsonl")[1].split())
    assert " ".join(by_code.split()) in story
    turn = run("show", "games/house_information-3p-s1.jsonl", "--turn", "5")[1]
    assert f"decided  play slot 1  ({chance})" in turn


def test_the_story_of_a_turn_cuts_a_long_unusable_answer(run: Run) -> None:
    model = Scripted({"proposer": "No idea. " * 1000})
    play(graphs.seat("watson", model), players=2, seed=1, journal="long.jsonl", max_turns=1)
    short, full = (
        run("show", "long.jsonl", "--turn", "1", *options)[1] for options in ((), ("--full",))
    )
    assert (
        200 < short.count("No idea.") < 500
        and "... 7,000 more characters; --full shows them" in short
    )
    assert full.count("No idea.") >= 2000 and "--full shows" not in full


def test_the_story_of_a_turn_tells_the_rank_of_a_recommended_move(run: Run) -> None:
    for graph, told in (("tom_planner_0", True), ("watson", False)):
        journal = json.loads(run("play", "--json", "--graph", graph)[1])["journal"]
        out = run("show", journal, "--turn", "1")[1]
        assert ("rank 1 of the recommender's list" in out) is told


def test_a_game_with_a_role_that_is_not_registered_here_is_told_all_the_same(run: Run) -> None:
    path = Path(json.loads(run("play", "--json", "--graph", "watson")[1])["journal"])
    first, *others = (
        path.read_text("utf-8").replace('"role": "proposer"', '"role": "mine"').splitlines()
    )
    started = json.loads(first)
    its = (started[key] for key in ("players", "deck", "repeat", "seats"))
    path.write_text(
        "\n".join([json.dumps(started | {"config_hash": of_game(*its)}), *others, ""]), "utf-8"
    )
    code, out, _ = run("show", str(path), "--turn", "1")
    assert code == 0 and "proposer  (mine, program)" in out and "\ndecided  " in out


def test_a_story_as_json(run: Run) -> None:
    result = json.loads(run("play", "--json", "--graph", "watson")[1])
    game = json.loads(run("show", result["journal"], "--json")[1])
    assert (
        len(game["turns"]) == result["turns"]
        and game["result"]["score_kept"] == result["score_kept"]
    )
    turn = json.loads(run("show", result["journal"], "--json", "--turn", "1")[1])
    assert [event["event"] for event in turn["events"]] == [
        "turn_started",
        "call",
        "decided",
        "moved",
    ]


def test_a_game_that_broke_off_is_told_as_far_as_it_went(run: Run) -> None:
    path = Path(json.loads(run("play", "--json", "--graph", "watson")[1])["journal"])
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(lines[:7]) + "\n", "utf-8")
    code, out, _ = run("show", str(path))
    assert code == 0 and "stopped here" in out and "The game is unfinished." in out


# Lists


def test_graphs_are_listed_and_shown(run: Run) -> None:
    code, out, _ = run("list", "graphs")
    assert code == 0 and all(name in out for name in GRAPHS)
    assert {graph["name"] for graph in json.loads(run("list", "graphs", "--json")[1])} >= {
        "cac",
        "house",
    }
    assert '"Sparks of Cooperative Reasoning", section 3.1' in out
    code, out, _ = run("graphs", "show", "cac")
    assert (
        code == 0
        and '"LLM-Coordination", section 3: theory-of-mind interpreter' in out
        and "after a refusal generate is asked again" in out
        and "at most 2 redos" in out
    )
    assert json.loads(run("graphs", "show", "cac", "--json")[1])["decides"] == "generate"
    code, out, _ = run("graphs", "show", "house", "--as", "mermaid")
    assert code == 0 and "graph TD" in out and "safety" in out and "aggregator" in out


def test_the_prompts_of_a_position_are_printed_with_their_size(run: Run) -> None:
    code, out, _ = run("graphs", "prompt", "house", "--turn", "5", "--players", "4")
    assert code == 0 and out.count("=== ") == 4 and "# How to answer" in out
    assert "is a prefix shared with another prompt" in out and "tokens in all" in out
    told = json.loads(
        run(
            "graphs", "prompt", "cac", "--players", "2", "--turn", "7", "--node", "check", "--json"
        )[1]
    )
    (prompt,) = told["prompts"]
    assert [message["role"] for message in prompt["messages"]] == ["system", "user"] and prompt[
        "tokens"
    ] > 500
    whole = run("graphs", "prompt", "cac", "--players", "2", "--turn", "7", "--node", "generate")[1]
    played = json.loads(run("play", "--json", "--graph", "cac", "--players", "2")[1])
    shown = run("show", played["journal"], "--turn", "7", "--full")[1]
    prompt_lines = whole.partition("message\n")[2].partition("\nnode ")[0].splitlines()
    assert len(prompt_lines) > 50 and all(line.strip() in shown for line in prompt_lines)
    assert run("graphs", "prompt", "cac", "--turn", "999")[0] == 2
    assert (
        "asks no node 'chck' at turn 1; did you mean 'check'? It asks: generate, check"
        in run("graphs", "prompt", "cac", "--node", "chck")[2]
    )
    assert (
        "at turn 1; on a later --turn it may; it asks: "
        in run("graphs", "prompt", "cac", "--node", "interpret")[2]
    )


def test_roles_are_listed_and_shown(run: Run) -> None:
    code, out, _ = run("list", "roles")
    assert code == 0 and "tom_interpreter" in out and "MindReport" in out
    code, out, _ = run("roles", "show", "analyst")
    assert code == 0 and "How to answer" in out and "  state (State): The table" in out
    assert "    .hands: dict[int, tuple[Card, ...]]  The others' cards by seat" in out
    safety = json.loads(run("roles", "show", "safety", "--json")[1])
    assert safety["played_by"] == "program" and "right_verdict" in {
        one["name"] for one in safety["marks"]
    }
    out = run("roles", "show", "aggregator")[1]
    assert (
        "  regret: One-step value of the best move" in out
        and "no value is better than another" in out
    )
    assert "marks: none" not in out
    out = run("roles", "show", "legal_moves")[1]
    assert "\nMove = Play | Discard | HintColour | HintRank  Any move" in out
    assert (
        "\nHintColour: Hint all cards" in out
        and "\n  .to: int  The seat that gets the hint." in out
    )
    fields = json.loads(run("roles", "show", "state", "--json")[1])["fields"]
    assert {"name": "deck_size", "type": "int", "meaning": "Cards left to draw."} in fields


def test_every_field_of_a_section_is_explained_or_speaks_for_itself() -> None:
    roles.load()
    plain = {"lives", "fireworks", "now", "before", "seat", "turn", "deductions"}
    for section in roles.SECTIONS.values():
        members = section_fields.members(section)  # type: ignore[arg-type]
        assert [member.name for member in members] == [
            *dict.fromkeys(member.name for member in members)
        ]
        assert not {member.name for member in members if not member.meaning} - plain, section.name
