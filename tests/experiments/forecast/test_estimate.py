"""What games will cost: against models that answer as programs do, and against games that were played."""

import asyncio
import json
import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from aiohttp import web
from scipy import stats

from benchmarks import plan_power
from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.analysis import headroom
from hanabi_orchestrator.experiments.analysis.statistics.permutation import (
    fewest_pairs,
    sign_flip_test,
)
from hanabi_orchestrator.experiments.analysis.statistics.power import detectable, pairs_needed
from hanabi_orchestrator.experiments.forecast import cost_estimate, spread
from hanabi_orchestrator.experiments.forecast.cost_estimate import Bill
from hanabi_orchestrator.experiments.forecast.measured import Measured
from hanabi_orchestrator.experiments.forecast.sample_size import Goal, Options
from hanabi_orchestrator.experiments.forecast.spread import Spread, assumed_spread, measured_spread
from hanabi_orchestrator.experiments.record.rows import Row, peek_all
from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.experiments.study.experiment import Experiment, read
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Memory
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.request import estimated
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.simulated_settings import Rates, SimSettings
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import BEFORE, GameContext
from tests.conftest import Run
from tests.support.prove import FULL
from tests.support.servers import server

PRICED = {"model": "openai:dear", "price": {"input": 1, "output": 10}}
TEXT: dict[str, Any] = {
    "name": "paid",
    "graph": "sherlock",
    "players": [2, 3],
    "seeds": {"first": 1, "count": 4},
    "models": {"default": PRICED},
    "arms": {
        "full": {},
        "twice": {"graph": "best_of_k"},
        "program": {"models": {"default": "program"}},
    },
    "baseline": "full",
    "controls": {"noise_floor": False},
}


def written(**changes: Any) -> str:
    Path("paid.yaml").write_text(yaml.safe_dump({**TEXT, **changes}), "utf-8")
    return "paid.yaml"


def told(run: Run, *command: str) -> Any:
    code, out, err = run(*command, "--json")
    assert code == 0, err
    return json.loads(out)


def by_arm(planned: Any) -> dict[tuple[str, int], Any]:
    return {(one["arm"], one["players"]): one for one in planned["arms"]}


@pytest.mark.parametrize(("n", "tests"), [(14, 1), (20, 1), (20, 5), (60, 3)])
def test_with_many_pairs_an_effect_that_is_called_detectable_is_seen_with_the_power_of_a_t_test(
    n: int, tests: int
) -> None:
    effect = detectable(2.0, n, power=0.8, tests=tests)
    critical = stats.t.ppf(1 - 0.05 / tests / 2, n - 1)
    assert effect and stats.nct.sf(critical, n - 1, effect / 2.0 * n**0.5) == pytest.approx(
        0.8, abs=1e-6
    )


@pytest.mark.parametrize(
    ("name", "players", "before"),
    [("best_of_k", 2, 0), ("mycroft", 3, 0), ("moa_sherlock", 5, 0), ("house", 2, 2)],
)
def test_probed_prompts_are_what_a_model_that_answers_as_programs_do_is_asked(
    name: str, players: int, before: int
) -> None:
    sure = SimSettings(model="sim:careful", **dict.fromkeys(Rates.model_fields, 0.0))
    played = prompt_positions.game(players)
    given = {BEFORE: [played.record] * before} if before else {}

    def turn(number: int, memory: Memory) -> tuple[list[Call], Memory]:
        heard: list[Event] = []
        seat = graphs.seat(name, sure).bind(GameContext(heard.append))
        decision = asyncio.run(seat(played.views[number - 1], memory))
        return [
            event for event in heard if isinstance(event, Call) and event.of_model
        ], decision.memory

    calls: list[Call] = []
    for view in played.sampled:
        earlier = view.turn - players
        memory = turn(earlier, given)[1] if earlier > 0 else {}
        calls += turn(view.turn, {**given, **memory})[0]
    asked = prompt_positions.turn_load(graphs.read(name), players, before)["default"]
    assert asked.calls * prompt_positions.POSITIONS == len(calls) > 0
    tokens = sum(estimated(message.content) for call in calls for message in call.messages)
    # a model's own text is quoted to colleagues and to its next turn; a program writes none
    assert asked.tokens_in * prompt_positions.POSITIONS == pytest.approx(tokens, rel=0.1)


def test_a_selector_of_one_candidate_is_not_asked_and_programs_never_are() -> None:
    config = graphs.read("best_of_k")
    proposer = next(name for name, node in config.nodes.items() if node.samples > 1)
    assert (
        prompt_positions.turn_load(graphs.change(config, **{proposer: {"samples": 1}}), 2)[
            "default"
        ].calls
        == 1
    )
    oracle = graphs.replace(graphs.read("moa_sherlock"), analyst="program")
    asked = prompt_positions.turn_load(oracle, 3)
    assert (
        asked["default"].calls
        == prompt_positions.turn_load(graphs.read("moa_sherlock"), 3)["default"].calls - 1
    )


def test_a_graph_whose_programs_are_blind_is_probed_all_the_same() -> None:
    whole = graphs.read("moa_sherlock")
    less = graphs.without_sections(whole, "state")
    full, asked = (prompt_positions.turn_load(config, 3)["default"] for config in (whole, less))
    assert asked.calls == full.calls and 0 < asked.tokens_in < full.tokens_in


def test_a_dry_run_prices_what_is_left_by_arm_and_player_count(run: Run) -> None:
    command = ("experiment", "run", written(), "--dry-run")
    planned = told(run, *command)  # the server's key is not needed
    assert (planned["games"], planned["left"]) == (24, 24) and not Path("runs").exists()
    arms = by_arm(planned)
    for players in (2, 3):
        full, twice, program = (arms[arm, players] for arm in TEXT["arms"])
        assert (
            full["calls"] == 4 * prompt_positions.game(players).turns
            and twice["calls"] == 6 * full["calls"]
        )
        assert full["tokens_out"] == cost_estimate.ANSWER * full["calls"]
        assert full["usd"] == pytest.approx(
            (full["tokens_in"] + 10 * full["tokens_out"]) / 1e6, rel=1e-5
        )
        assert program["calls"] == program["tokens_in"] == program["usd"] == 0
        assert (
            program["basis"] == "programs: no model is asked"
            and "500 tokens assumed" in full["basis"]
        )
    for name in ("calls", "tokens_in", "tokens_out", "usd"):
        assert planned[name] == pytest.approx(sum(one[name] for one in arms.values()), abs=3)
    short = by_arm(told(run, *command, "--answer-tokens", "100"))
    assert short["full", 2]["tokens_out"] == 100 * short["full", 2]["calls"]
    thinking = written(
        models={"default": {**PRICED, "reasoning_effort": "high", "max_tokens": 7000}}
    )
    assert (
        by_arm(told(run, "experiment", "run", thinking, "--dry-run"))["full", 2]["tokens_out"]
        == 4 * 68 * 7000
    )


def test_without_a_price_money_is_unknown_and_a_sentence_says_how_to_give_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("experiment", "run", written(models={"default": "openai:cheap"}), "--dry-run")
    planned = told(run, *command)
    assert planned["usd"] is None and any(
        "no price is known for openai:cheap" in one for one in planned["said"]
    )
    code, out, _ = run(*command)
    assert code == 0 and "prompt probe; 500 tokens assumed per response" in out
    (whole,) = (line.split() for line in out.splitlines() if line.startswith("all"))
    assert whole[:3] == ["all", "24", "24"] and whole[-1] == "-"
    footnotes = [line for line in out.partition("\nall")[2].splitlines()[1:] if line]
    assert "this experiment cannot show any difference" in footnotes[0]
    assert [line.partition(":")[0] for line in footnotes[1:]] == [
        "disk space",
        "prompt probe",
        "no price is known for openai",
    ]
    monkeypatch.setenv("HANABI_PRICE", "{input: 0, output: 0}")
    planned = told(run, *command)
    assert planned["usd"] == 0 and not any("no price" in one for one in planned["said"])


def test_finished_games_say_better_what_a_game_costs(
    run: Run, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = {
        "model": f"openai:fake@{endpoint}",
        "key": "DEAR_API_KEY",
        "price": {"input": 1, "output": 10},
    }
    monkeypatch.setenv("DEAR_API_KEY", "sesame")
    same = {"models": {"default": model}, "players": [2]}
    first = written(**same, seeds={"first": 1, "count": 1}, arms={"full": {}})
    assert run("experiment", "run", first, "--out", "here", "-q")[0] == 0
    monkeypatch.delenv("DEAR_API_KEY")  # looking needs none
    played = json.loads(Path("here/games/full/2p-s1-r1.jsonl").read_text("utf-8").splitlines()[-1])[
        "result"
    ]
    both = written(**same, arms={"full": {}, "twice": {"graph": "best_of_k"}})
    planned = told(run, "experiment", "run", both, "--out", "here", "--dry-run")
    full = by_arm(planned)["full", 2]
    twice = by_arm(planned)["twice", 2]
    assert (full["left"], full["basis"], full["calls"]) == (
        3,
        "1 finished game",
        3 * played["calls"],
    )
    assert (
        full["usd"] == pytest.approx(3 * played["usd"], rel=1e-4)
        and full["tokens_in"] == 3 * played["tokens_in"]
    )
    each = played["tokens_out"] / played["calls"]
    assert f"{each:.0f} tokens per response as in 1 finished game" in twice["basis"]
    assert twice["tokens_out"] == pytest.approx(each * twice["calls"], abs=1)
    elsewhere = ("experiment", "run", both, "--out", "there", "--dry-run", "--from", "here")
    assert by_arm(told(run, *elsewhere))["full", 2]["calls"] == 4 * played["calls"]
    hotter = written(
        **{**same, "models": {"default": {**model, "temperature": 1}}}, arms={"full": {}}
    )
    other = told(run, "experiment", "run", hotter, "--out", "there", "--dry-run", "--from", "here")
    assert "500 tokens assumed" in other["arms"][0]["basis"]  # another sampling is another model


@pytest.mark.parametrize(("n", "tests"), [(6, 1), (8, 5), (12, 2), (20, 9)])
def test_what_is_detectable_is_detected_so_often(n: int, tests: int) -> None:
    sd = 5.3
    trials = 2000 if FULL else 300
    effect = detectable(sd, n, tests=tests, step=1.0)
    assert effect is not None
    samples = np.rint(np.random.default_rng(1).normal(effect, sd, (trials, n)))
    found = [
        sign_flip_test(list(sample)).p * tests < 0.05 and sample.sum() > 0 for sample in samples
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.02 + 3 * math.sqrt(0.16 / trials))


def test_a_design_in_which_no_p_can_be_small_detects_nothing() -> None:
    assert detectable(1, 5) is None and detectable(1, 6) is not None
    assert [fewest_pairs(tests) for tests in (1, 2, 5, 9)] == [6, 7, 8, 9]
    assert pairs_needed(0.1, 5, tests=9) == 9 and detectable(0.1, 8, tests=9) is None


@pytest.mark.parametrize("effect", [0.5, 1, 3, 9, 40])
def test_what_is_needed_is_the_fewest_that_show_it(effect: float) -> None:
    n = pairs_needed(5.3, effect)
    seen = detectable(5.3, n)
    before = detectable(5.3, n - 1)
    assert seen is not None and seen <= effect and (before is None or before > effect)


def test_a_plan_proposes_what_an_effect_needs_or_what_a_budget_buys(run: Run) -> None:
    command = ("experiment", "plan", written())
    wanted = told(run, *command, "--effect", "2")
    pairs = pairs_needed(
        wanted["sd"] / math.sqrt(2), 2, tests=2, step=1 / 2
    )  # a seed is one unit at both player counts
    proposed = wanted["proposed"]
    assert (proposed["deals"], proposed["players"]) == (pairs, [2, 3]) and wanted[
        "suffices"
    ] is None
    assert proposed["effect"] <= 2 < proposed["effect_each"] and "assumed" in wanted["sd_basis"]
    assert (
        told(run, *command, "--effect", "2", "--budget", f"{proposed['usd'] + 0.01}usd")["suffices"]
        is True
    )

    bought = told(run, *command, "--budget", f"{proposed['usd'] / 2}usd")
    assert bought["proposed"]["usd"] <= proposed["usd"] / 2 < bought["proposed"]["usd"] * 1.1
    typed = shlex.split(bought["command"])
    assert typed[:3] == ["orchestrator", "experiment", "run"]
    planned = told(run, *typed[1:], "--dry-run")
    assert planned["games"] == bought["proposed"]["games"]
    assert planned["usd"] == pytest.approx(bought["proposed"]["usd"], rel=1e-4)

    lacking = told(run, *command, "--effect", "0.5", "--budget", f"{proposed['usd'] / 2}usd")
    assert lacking["suffices"] is False and lacking["proposed"] == bought["proposed"]
    assert any("do not suffice for an effect of 0.5 points" in one for one in lacking["said"])
    poor = told(run, *command, "--budget", "1000tokens")
    assert (
        poor["proposed"] is None
        and poor["command"] is None
        and "1,000 tokens do not buy" in poor["said"][-1]
    )
    assert "no p can be below .05 on fewer than 7 deals" in poor["said"][-1]
    code, out, _ = run(*command, "--effect", "2", "--budget", "1000usd")
    assert (
        code == 0
        and out.count("proposed") == 1
        and "next  orchestrator experiment run paid.yaml --set " in out
    )


def test_a_plan_never_proposes_what_can_show_nothing(run: Run) -> None:
    arms = {"full": {}, **{f"a{number}": {"graph": "best_of_k"} for number in range(5)}}
    command = ("experiment", "plan", written(players=[2, 3, 4, 5], arms=arms))
    assert told(run, *command, "--effect", "20")["proposed"]["deals"] == 8, (
        "with 5 arms, 7 deals show nothing"
    )
    table = {size["deals"]: size for size in told(run, *command)["sizes"]}
    assert (
        table[5]["effect"] is None
        and table[5]["effect_each"] is None
        and table[10]["effect"] is not None
    )


def test_a_dry_run_says_what_its_analysis_can_see(run: Run) -> None:
    def seen(**changes: Any) -> list[str]:
        return list(told(run, "experiment", "run", written(**changes), "--dry-run")["detectable"])

    (said,) = seen()
    assert said.startswith(
        "this experiment cannot show any difference, however large: with 4 deals and 2 arms"
    )
    assert said.endswith("it needs 7 deals at least")
    (said,) = seen(seeds={"first": 1, "count": 20})
    pooled, each = (
        detectable(assumed_spread("kept").sd / math.sqrt(n), 20, tests=2, step=1 / n)
        for n in (2, 1)
    )
    assert (
        f"true differences from {pooled:.1f} points ({each:.1f} at a single player count)" in said
    )
    assert "assumed as language models have it" in said and "sim:average" not in said
    (said,) = seen(seeds={"first": 1, "count": 20}, models={"default": "sim:average"})
    assert "house without one role had 2.3 to 7.4 by role with sim:average" in said
    (strict,) = seen(seeds={"first": 1, "count": 20}, metric="strict")
    assert (
        " where no game is struck out, with 20 deals" in strict
        and "up to 30% of the games struck out" in strict
    )
    assert "single deal" in seen(seeds=[1], repeats=9)[0] and not seen(arms={}, baseline=None)


@pytest.mark.parametrize(
    ("changes", "options", "said"),
    [
        (
            {"models": {"default": "openai:cheap"}},
            ("--budget", "5usd"),
            "a budget in dollars needs the price of openai:cheap",
        ),
        ({"arms": {}, "baseline": None}, (), "needs an experiment with two arms or more"),
        ({}, ("--effect", "-1"), "--effect is -1; it must be more than 0"),
        ({}, ("--power", "80"), "--power is 80; it must be between 0.05 and 1"),
        ({}, ("--answer-tokens", "0"), "--answer-tokens is 0; a response has at least 1 token"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    changes: dict[str, Any], options: tuple[str, ...], said: str, run: Run
) -> None:
    code, out, err = run("experiment", "plan", written(**changes), *options)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def game(arm: str, seed: int, score: int, players: int = 2, repeat: int = 1, **more: Any) -> Row:
    given = {
        "calls": 60,
        "fallbacks": 0,
        "forced": 0,
        "tokens_in": 1,
        "tokens_out": 1,
        "usd": None,
        **more,
    }
    return Row(
        arm, "g", players, seed, repeat, score, score, 1, 60, "deck_exhausted", journal="x", **given
    )


def test_the_spread_is_that_of_finished_games_of_models_where_there_are_enough() -> None:
    chance = np.random.default_rng(1)
    scores = chance.integers(0, 25, (4, 9))
    rows = [
        game(arm, seed, int(score), players)
        for players, pair in ((2, scores[:2]), (3, scores[2:]))
        for arm, line in zip(("base", "less"), pair, strict=True)
        for seed, score in enumerate(line)
    ]
    found = measured_spread([*rows, game("less", 99, 0)], "base", paid=True)
    inside = [np.var(pair[1] - pair[0], ddof=1) for pair in (scores[:2], scores[2:])]
    assert (
        found
        and found.sd == pytest.approx(math.sqrt(np.mean(inside)))
        and "18 pairs" in found.basis
    )
    again = [game(row.arm, row.seed, 0, row.players, repeat=2) for row in rows]
    assert measured_spread([*again, *rows], "base", paid=True) == found, (
        "a plan is for one game of each deal"
    )
    assert measured_spread(rows[:14], "base", paid=True) is None
    programs = [game(row.arm, row.seed, row.score_strict, row.players, calls=0) for row in rows]
    assert measured_spread(programs, "base", paid=True) is None and measured_spread(
        programs, "base", paid=False
    )
    kept = [row if row.arm == "base" else replace(row, score_strict=0) for row in rows]
    assert measured_spread(kept, "base", paid=True, metric="kept") == found, (
        "what strike-outs cost is no kept score"
    )


def test_an_assumed_spread_holds_where_games_are_struck_out() -> None:
    """Of simulated pairs; a strict score of 0 in three of ten games makes the spread almost twice as large."""
    assert (
        assumed_spread("kept").sd
        == assumed_spread(lost=0.0).sd
        == pytest.approx(spread.SD * math.sqrt(1.4))
    )
    chance = np.random.default_rng(1)
    shared = chance.normal(size=(1, 200_000))
    own = chance.normal(size=(2, 200_000))
    kept = spread.MEAN + spread.SD * (math.sqrt(0.3) * shared + math.sqrt(0.7) * own)
    for lost in (0.0, 0.15, 0.3):
        strict = kept * (chance.random(kept.shape) >= lost)
        assert assumed_spread(lost=lost).sd == pytest.approx(
            np.std(strict[0] - strict[1]), rel=0.01
        )
    assert (
        assumed_spread() == assumed_spread(lost=0.3)
        and "30% of the games struck out" in assumed_spread().basis
    )


def test_the_size_that_a_plan_proposes_has_its_power_where_games_are_struck_out() -> None:
    """At its full size: `python -m benchmarks power`."""
    powers = list(plan_power.measure((4.0,), trials=25))
    assert [power.lost for power in powers] == [0.0, 0.15, 0.3]
    assert all(power.shown >= 0.8 - 2 * math.sqrt(0.8 * 0.2 / 25) for power in powers)
    small = pairs_needed(assumed_spread(lost=0.0).sd, 4.0, step=1.0)
    assert small < powers[0].deals / 2, "a size for kept scores would be far too small"


def test_a_baseline_without_room_is_named_with_what_has_room() -> None:
    rows = [game("full", seed, 24 + seed % 2) for seed in range(6)]
    text = headroom.sentence(rows, "full", 2.0)
    assert (
        text and "full scores 24.50 of 25 in 6 games, so no arm can score 2.00 points more" in text
    )
    assert "strangers" in text and "positions" in text
    assert (
        headroom.sentence(rows, "full", 0.4) is None
        and headroom.sentence(rows[:4], "full", 2.0) is None
    )
    assert headroom.sentence(rows, "full", 2.0, metric="misplays") is None
    fair = [game("full", seed, 22) for seed in range(6)]
    assert headroom.sentence(fair, "full", 4.0) is None, (
        "what one more point needs, three points have"
    )
    weak = [game("full", seed, 12) for seed in range(6)]
    assert headroom.sentence(weak, "full", 4.0) is None


def test_controls_of_a_removed_role_take_no_power_from_removals(tmp_path: Path) -> None:
    def untested(**arms: Any) -> frozenset[str]:
        file = Experiment.model_validate({**COMPARED, "arms": {"full": {}, **arms}})
        return Plan.resolve(file, tmp_path / "run").untested

    role: dict[str, Any] = {"placebo": "tom_interpreter"}
    assert untested(placebo=role) == frozenset()
    removed = {"without": "tom_interpreter"}
    padded = {"padded": "tom_interpreter"}
    other = {"padded": "history_analyst"}
    arms = {"less": removed, "placebo": role, "padded": padded, "other": other}
    assert untested(**arms) == {"placebo", "padded"}


COMPARED = {"name": "e", "graph": "house", "players": [2], "seeds": 20, "baseline": "full"}


def test_a_seed_is_one_pair_at_however_many_player_counts_it_is_played() -> None:
    """Where the differences of a seed are the same at both, the second count adds nothing but finer steps of means."""
    bills = {players: {"whole": Bill(), "less": Bill()} for players in (2, 3)}
    experiment = read("role-ablation")
    options = Options(experiment, Goal(), Spread(4.0, "given", correlation=1.0), bills, "given", ())
    size = options.size((2, 3), 12)
    assert size.each is not None and size.pooled == pytest.approx(size.each - (1 - 1 / 2) / 12)


def test_bills_add_up_and_an_unknown_price_stays_unknown() -> None:
    assert Bill(1, 2, 3, 4) + Bill(1, 1, 1, 1) * 2 == Bill(3, 4, 5, 6)
    assert (Bill(1, 2, 3, None) * 2 + Bill(usd=1)).usd is None


def test_a_model_among_partners_pays_for_its_own_turns_alone(run: Run) -> None:
    seats = {
        "graph": "partner:random",
        "arms": {"one": {"seats": {1: "sherlock"}}, "bare": {}},
        "baseline": "bare",
    }
    found = by_arm(told(run, "experiment", "run", written(**seats, players=[2]), "--dry-run"))
    assert (
        found["one", 2]["calls"] == 4 * prompt_positions.game(2).turns / 2
        and found["bare", 2]["calls"] == 0
    )
    pool = (
        "--set",
        "players=[2]",
        "--set",
        "adhoc.pool=[partner:random]",
        "--set",
        "seeds.count=2",
    )
    model = ("--set", "adhoc.seat={graph: house, model: openai:x}")
    planned = by_arm(told(run, "experiment", "run", "challenge-adhoc", *pool, *model, "--dry-run"))
    trial = planned["evaluated.with.random", 2]
    bare = prompt_positions.turn_load(graphs.read("house"), 2)["default"]
    assert (
        trial["calls"] == 2 * 34 * bare.calls and trial["tokens_in"] > 2 * 34 * bare.tokens_in
    )  # past games are told
    assert planned["random.with.random", 2]["calls"] == planned["past/random", 2]["calls"] == 0


async def test_an_estimate_learns_from_the_first_calls_of_a_game_that_is_not_finished(
    tmp_path: Path,
) -> None:
    async def dense(request: web.Request) -> web.Response:
        body = await request.json()
        prompt = sum(estimated(message["content"]) for message in body["messages"])
        usage = {"prompt_tokens": 2 * prompt, "completion_tokens": 77}
        return web.json_response({**fake_endpoint.complete(body), "usage": usage})

    path = tmp_path / "games" / "full" / "2p-s1-r1.jsonl"
    path.parent.mkdir(parents=True)
    async with fake_endpoint.serving(server(dense)) as url:
        seat = graphs.seat("watson", {"model": f"openai:m@{url}", "temperature": 0.5})
        await play_async(seat, players=2, journal=path, max_turns=2)
        await seat.aclose()
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"game_ended"' not in line), "utf-8")
    known = Measured.select(peek_all(tmp_path))
    asked, hotter, other = (
        settings({"model": f"openai:{name}@{url}", "temperature": heat})
        for name, heat in (("m", 0.5), ("m", 1), ("other", 0.5))
    )
    density = known.density(asked)
    answer = known.answer(asked)
    assert not known.games and density is not None and answer == (77, density[1])
    assert density[0] == 2 and density[1].endswith(" calls")
    assert (
        known.density(hotter) == density and known.answer(hotter) is None
    )  # tokens depend on the model alone
    assert known.density(other) is None and known.answer(other) is None
