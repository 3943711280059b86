"""Simulated models: errors that occur and change what they say they change, the same every time; labelled, and free."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.report import error_counts as error_table
from hanabi_orchestrator.graphs.answerers import SimulatedBrain
from hanabi_orchestrator.graphs.attempts import attempts, safety_node
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play, labelled
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    Moved,
    Result,
)
from hanabi_orchestrator.orchestrator.models import settings as model_settings
from hanabi_orchestrator.orchestrator.models import simulated_settings
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Exchange,
    ModelRequest,
    Part,
    Place,
    answer,
)
from hanabi_orchestrator.orchestrator.models.simulated_settings import (
    KINDS,
    PROFILES,
    Rates,
    SimSettings,
)
from hanabi_orchestrator.orchestrator.replies.reply import Form
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Choice, Judgement, RatedChoice, Reply, Role, Sections
from hanabi_orchestrator.roles import slips as error_slips
from hanabi_orchestrator.roles.hanabi import error_injection
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.table import (
    NextPlayable,
    OwnDeductions,
    PartnerDeductions,
    State,
)
from hanabi_orchestrator.roles.reply_types import variant
from hanabi_orchestrator.roles.sections import cut
from hanabi_orchestrator.roles.slips import Slips
from tests.conftest import Run
from tests.support.folders import ROOT
from tests.support.positions import GRAPHS, literal_views
from tests.support.prove import FULL
from tests.test_games import check_game, of

NEVER = dict.fromkeys(KINDS, 0.0)


@cache
def positions() -> tuple[View, ...]:
    """Positions at all player counts."""
    return tuple(view for players in (2, 3, 4, 5) for view in literal_views(players, 3)[4::6])


views = st.deferred(lambda: st.sampled_from(positions()))
seeds = st.integers(0, 2**31 - 1)
some = settings(max_examples=1000 if FULL else 60, deadline=None)


def sim(profile: str = "average", **rates: Any) -> dict[str, Any]:
    return {"model": f"sim:{profile}", **rates}


def only(**rates: float) -> dict[str, Any]:
    """A simulated model that errs in these ways alone."""
    return {"model": "sim:average", **NEVER, **rates}


async def played(
    graph: Any, model: Any, *, players: int = 2, seed: int = 1, **more: Any
) -> list[Event]:
    events: list[Event] = []
    await play_async(
        graphs.seat(graph, model), players=players, seed=seed, sink=events.append, **more
    )
    return events


def told_of(view: View) -> Sections:
    return cut(view, [(kind, {}) for kind in (*TAKES, NextPlayable)])


def struck(kind: str, seed: int) -> Slips:
    """Slips of which this one strikes, and no other."""
    return Slips(Rates(**{**NEVER, kind: 1.0}), seed)


def choice(view: View) -> Choice:
    made = roles.get("proposer").solve(told_of(view), {})  # type: ignore[misc]
    assert isinstance(made, Choice)
    return made


# Each error changes what it says it changes


@some
@given(views, seeds)
def test_a_stack_misread_is_one_firework_by_one_and_what_follows_from_it(
    view: View, seed: int
) -> None:
    told = told_of(view)
    for wrong in error_injection.misread(
        told, struck("misread_stack", seed).strike("misread_stack")
    ):
        differences = [b - a for a, b in zip(view.fireworks, wrong[State].fireworks, strict=True)]
        assert sorted(map(abs, differences)) == [0, 0, 0, 0, 1]
        tops = [card.rank - 1 if card else 5 for card in wrong[NextPlayable].cards]
        assert tops == list(wrong[State].fireworks) == list(Position.read(wrong).piles.fireworks)
        assert [s for s in wrong if not isinstance(s, State | NextPlayable)] == [
            s for s in told if not isinstance(s, State | NextPlayable)
        ]


@some
@given(views, seeds)
def test_what_negative_hints_said_is_forgotten_of_one_hand(view: View, seed: int) -> None:
    told = told_of(view)
    wrong = error_injection.forgetful(
        told, struck("forgotten_negatives", seed).strike("forgotten_negatives")
    )
    before = {view.seat: told[OwnDeductions].slots, **told[PartnerDeductions].masks}
    outright = {view.seat: tuple(known.positive for known in view.own)}
    outright |= {hand.seat: tuple(known.positive for known in hand.known) for hand in view.hands}
    if wrong is None:
        assert before == outright
        return
    after = {view.seat: wrong[OwnDeductions].slots, **wrong[PartnerDeductions].masks}
    (changed,) = [seat for seat in before if after[seat] != before[seat]]
    assert after[changed] == outright[changed]
    assert all(old & new == old for old, new in zip(before[changed], after[changed], strict=True))


@some
@given(views, seeds)
def test_an_overconfident_player_plays_a_hinted_card_that_may_not_fit(
    view: View, seed: int
) -> None:
    exact = choice(view)
    slips = struck("overconfident_play", seed)
    wrong = error_injection.overconfident(exact, told_of(view), slips)
    if not slips.errors:
        assert wrong == exact
        return
    assert (
        isinstance(wrong.action, Play)
        and not isinstance(exact.action, Play)
        and wrong.action in view.legal
    )
    known = view.own[wrong.action.slot]
    slot = Position.read(told_of(view)).slots[wrong.action.slot]
    assert (known.colour or known.rank) and 0 < slot.playable < 1


@some
@given(views, seeds)
def test_slots_are_off_by_one_and_stay_legal(view: View, seed: int) -> None:
    exact = choice(view)
    slips = struck("slot_off_by_one", seed)
    wrong = error_injection.moved(exact, told_of(view), slips)
    assert (
        isinstance(wrong, Choice)
        and bool(slips.errors) == (wrong != exact)
        and wrong.action in view.legal
    )
    if isinstance(exact.action, Play | Discard):
        assert slips.errors and isinstance(wrong.action, type(exact.action))
        assert abs(wrong.action.slot - exact.action.slot) == 1
    report = roles.get("discard_strategist").solve(told_of(view), {})  # type: ignore[misc]
    off = error_injection.moved(report, told_of(view), struck("slot_off_by_one", seed))  # type: ignore[arg-type]
    assert off != report and all(0 <= card.slot < len(view.own) for card in off.cards)  # type: ignore[attr-defined]


@some
@given(views, seeds)
def test_ratings_put_the_chosen_move_first_or_not(view: View, seed: int) -> None:
    exact = choice(view)
    kind = variant(Choice, ratings=True)
    for slips, agrees in ((Slips(Rates(), seed), True), (struck("rating_mismatch", seed), False)):
        made = error_injection.rated(exact, kind, told_of(view), slips)
        assert isinstance(made, RatedChoice) and made.action == exact.action
        assert {rating.action for rating in made.ratings} == set(view.legal)
        best = max(made.ratings, key=lambda rating: rating.rating)
        assert (best.action == made.action) == agrees == (not slips.errors)


@pytest.mark.parametrize("name", ["analyst", "second_order", "discard_strategist"])
def test_a_report_may_lack_one_entry(name: str) -> None:
    role = roles.get(name)
    view = positions()[3]
    assert role.solve is not None
    exact = role.solve(told_of(view), {})
    slips = struck("left_out", 1)
    assert isinstance(exact, Reply)
    made = error_slips.shortened(exact, slips)
    lost = [
        len(value) - len(getattr(made, field)) for field, value in exact if isinstance(value, tuple)
    ]
    assert (
        sum(lost) == 1
        and slips.errors == ["left_out"]
        and type(made).model_validate(made.model_dump()) == made
    )
    assert error_slips.shortened(exact, Slips(Rates(), 1)) == exact


@pytest.mark.parametrize(("accept", "kind"), [(True, "wrong_refusal"), (False, "wrong_accept")])
def test_a_judge_errs_each_way_at_its_own_rate(accept: bool, kind: str) -> None:
    exact = Judgement(reason="r", accept=accept)
    for name in ("wrong_refusal", "wrong_accept"):
        slips = struck(name, 1)
        made = error_slips.judgement(exact, slips)
        assert isinstance(made, Judgement) and (made.accept == accept) == (name != kind)
        assert slips.errors == ([kind] if name == kind else [])


def test_the_rates_are_those_of_the_page() -> None:
    page = ROOT.joinpath("docs/simulated.md").read_text("utf-8")
    for kind in KINDS:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{kind}` |"))
        stated = [float(cell) for cell in row.split("|")[2:5]]
        assert stated == [
            getattr(PROFILES[name], kind) for name in ("careful", "average", "careless")
        ]


# Texts that are not as asked


def asked(role: Role, view: View, form: Form, number: int) -> ModelRequest:
    place = Place("g", 1, number, 0)
    moves = labelled(view.legal)
    return ModelRequest("n", role.name, 0, (Part("p", "?"),), role.reply, moves, form, place=place)


@pytest.mark.parametrize(
    ("name", "form"), [("proposer", "text"), ("analyst", "json"), ("cac_interpreter", "text")]
)
async def test_broken_texts_are_mended_asked_again_or_given_up_at_the_stated_rate(
    name: str, form: Form
) -> None:
    role = roles.get(name)
    view = positions()[3]
    asks = 300 if FULL else 150
    rate = 0.4
    told = told_of(view)
    done = list[Exchange]()
    assert role.solve is not None
    exact = partial(role.solve, told, {})
    data = exact().as_data()  # type: ignore[attr-defined]
    settings = SimSettings(**only(malformed=rate))
    brain = SimulatedBrain(settings, role.solve, exact, told, {}, error_injection.reply)
    for number in range(asks):
        made = await answer(asked(role, view, form, number), brain, done.append)
        assert isinstance(made, Absent) or (isinstance(made, Reply) and made.as_data() == data)
    outcomes = Counter((one.outcome, one.ask) for one in done)
    first = {"repaired": rate / 2, "reasked": rate / 2, "ok": 1 - rate}
    for outcome, share in first.items():
        assert abs(outcomes[outcome, 0] - asks * share) < 4 * sqrt(asks * share * (1 - share))  # type: ignore[index]
    given_up = outcomes["fallback", 1]
    assert 0 < given_up < 4 * asks * (rate / 2) ** 2 and outcomes["reasked", 0] == sum(
        one.ask for one in done
    )
    for one in done:
        assert one.response and (one.outcome == "ok") == ("malformed" not in one.response.injected)


# Whole games


@pytest.mark.parametrize(
    ("graph", "players"),
    [(graph, players) for graph in GRAPHS for players in (2, 3, 4, 5)]
    if FULL
    else [("cac_generator", 2), ("sherlock", 3), ("watson", 4), ("spin_bench", 5)],
)
async def test_without_errors_it_decides_as_the_program_does(graph: str, players: int) -> None:
    exact = await played(graph, "program", players=players)
    same = await played(graph, only(), players=players)
    assert [one.past.move for one in of(same, Moved)] == [one.past.move for one in of(exact, Moved)]
    assert [one.why for one in of(same, Decided)] == [one.why for one in of(exact, Decided)]
    result = check_game(same, players)
    assert (
        result.calls > 0 == result.reasked + result.repaired + result.fallbacks
        and "sim:average" in result.model
    )


@pytest.mark.parametrize("graph", GRAPHS)
async def test_every_graph_plays_on_the_careless_with_safety(graph: str) -> None:
    number = GRAPHS.index(graph)
    config = graphs.verified(graphs.read(graph), "safety")
    players = 2 + number % 4
    whole = FULL or number % 8 == 2
    events = await played(config, "sim:careless", players=players, max_turns=None if whole else 4)
    calls = [call for call in of(events, Call) if call.simulated]
    assert calls and all(call.messages and call.prompt_hash and call.text for call in calls)
    if whole:
        check_game(events, players)
        assert any(call.injected for call in calls)


async def test_the_same_seed_gives_the_same_journal_and_another_one_another(tmp_path: Path) -> None:
    def path(number: int) -> Path:
        return tmp_path / f"{number}.jsonl"

    for number, model in enumerate((sim(), sim(), sim(seed=7))):
        await played("best_of_k", model, players=3, journal=path(number), max_turns=6)
    first, second, third = (journal.comparable(journal.read(path(number))) for number in range(3))
    assert first == second and first[1:] != third[1:]
    calls = [event for event in first if event["event"] == "call" and event["node"] == "proposer"]
    samples = {
        turn: [c["injected"] for c in calls if c["turn"] == turn]
        for turn in {c["turn"] for c in calls}
    }
    assert any(len({tuple(one) for one in found}) > 1 for found in samples.values()), (
        "samples err apart"
    )


async def test_a_game_goes_on_and_is_played_again_to_the_same_journal(tmp_path: Path) -> None:
    whole, cut_off, again = (tmp_path / name / "g.jsonl" for name in ("whole", "cut", "again"))
    await played("cac", "sim:careless", journal=whole, max_turns=14)
    lines = whole.read_bytes().splitlines(keepends=True)
    cut_off.parent.mkdir()
    cut_off.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:40])
    await played("cac", "sim:careless", journal=cut_off, max_turns=14)
    await played("cac", f"replay:{whole}", journal=again, max_turns=14)
    first, *others = (journal.comparable(journal.read(path)) for path in (whole, cut_off, again))
    assert others == [first, first]


async def test_one_node_errs_and_the_others_stay(tmp_path: Path) -> None:
    config = graphs.replace(graphs.read("house"), aggregator="sim:careless")
    assert (
        config.name == "house-aggregator-sim-careless"
        and graphs.replace(config, aggregator="program").nodes
    )
    events = await played(config, "program", players=3, journal=tmp_path / "g.jsonl", max_turns=5)
    by_node = {call.node.partition("-")[0]: call.model for call in of(events, Call)}
    assert by_node.pop("aggregator") == "sim:careless" and set(by_node.values()) == {"program"}
    (started,) = of(events, GameStarted)
    assert started.seats[0].model == "program+sim:careless"
    assert (
        started.seats[0].models["sim:careless"]
        == SimSettings(**sim("careless"), **PROFILES["careless"].model_dump()).deciding
    )
    stored = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text("utf-8").splitlines()]
    calls = [line for line in stored if line["event"] == "call"]
    assert all(
        ("injected" in call) == (call["node"].partition("-")[0] == "aggregator") for call in calls
    )


def test_no_note_of_a_simulated_model_is_trusted_by_safety() -> None:
    for model, trusted in (("program", True), ("sim:careful", False)):
        config = graphs.bind(
            graphs.replace(graphs.read("house"), history_analyst=model), {"default": "program"}
        )
        node = safety_node(config, attempts(config)[0])
        assert ("history_analyst" in dict(node.reads)) == trusted


async def test_it_costs_nothing_and_needs_no_price() -> None:
    layer = ModelLayer(budget=Budget(max_tokens=1, max_usd=0.01))
    events = list[Event]()
    seat = graphs.seat("cac", "sim:average", layer=layer)
    await play_async(seat, players=2, seed=1, sink=events.append, gate=layer.budget, max_turns=3)
    calls = [call for call in of(events, Call) if call.of_model]
    assert all(
        call.usd == 0 and call.estimated and call.tokens_in and call.served_by == "simulated"
        for call in calls
    )
    (result,) = [event.result for event in events if hasattr(event, "result")]
    assert isinstance(result, Result)
    assert (result.tokens_in, result.tokens_out, result.usd, result.calls) == (
        0,
        0,
        0.0,
        len(calls),
    )


# Counting what became of them


async def test_what_a_verifier_stops_is_counted(tmp_path: Path) -> None:
    for name, model in {
        "rash": only(overconfident_play=1),
        "strict": only(wrong_refusal=1),
    }.items():
        await played(
            "cac", model, journal=tmp_path / name / "g.jsonl", max_turns=24 if name == "rash" else 4
        )
    rash, strict = (error_table.count_games(tmp_path / name) for name in ("rash", "strict"))
    assert rash.injected["overconfident_play"] >= rash.counts["refused rightly, after an error"] > 0
    assert rash.counts["refused"] == rash.counts["refused rightly, after an error"]
    assert (
        strict.counts["refused wrongly"] == strict.counts["refused"] == 3 * strict.counts["turns"]
    )
    assert strict.counts["forced"] == strict.counts["turns"] and strict.injected == {
        "wrong_refusal": strict.counts["refused"]
    }
    assert error_table.block({"a": rash, "b": strict}).rows[0] == ("games", "1", "1")
    assert rash.simulated and strict.simulated


async def test_what_the_interpreter_changes_is_found_by_solving_again(tmp_path: Path) -> None:
    await played("cac", "program", journal=tmp_path / "g.jsonl", max_turns=9)
    story = Game.open(tmp_path / "g.jsonl")
    config = story.config(0)
    turn = story.turn(1)
    assert config is not None and turn.decided is not None
    alone = error_table.choice(config, turn, {}, {})
    other = next(m for m in turn.view.legal if m.kind.startswith("hint") and m != alone)
    for hint, changed in ((alone, 0), (other, 1)):
        said = turn.calls[0].model_copy(
            update={"reply": {"explanation": "", "suggestion": f"{hint}: x"}}
        )
        told = Turn.of(turn.view, (said, *turn.events[1:]))
        assert error_table.count_changes(config, told, {})["changed by the interpreter"] == changed


# How it is asked for, and told


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            "sim:sloppy",
            "there is no simulated model 'sim:sloppy'; known: sim:careful, sim:average, sim:careless",
        ),
        (
            sim(temperature=0.6),
            "unknown key 'temperature'; known: misread_stack, forgotten_negatives",
        ),
        (sim(malformed=1.5), "model 'sim:average': malformed: must be at most 1, not 1.5"),
    ],
)
def test_a_wrong_simulated_model_is_one_sentence(model: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        graphs.seat("cac", model)
    assert said in str(caught.value)
    (tmp_path / "models.yaml").write_text(json.dumps({"default": model}), "utf-8")
    with pytest.raises(UserError) as caught:
        model_settings.read_models(tmp_path / "models.yaml")
    assert said in str(caught.value)


def test_a_server_has_no_simulated_model() -> None:
    with pytest.raises(
        UserError, match=r"'sim:average' is simulated: the roles of a graph answer for it"
    ):
        ModelLayer().brain("sim:average")


@pytest.fixture
def without_program(own_roles: None) -> Iterator[None]:
    left = roles.get("proposer")
    roles.add(Role("worded", left.reply, left.takes, left.needs, None, "Choose a move."))
    yield


def test_what_cannot_be_simulated_is_refused(without_program: None) -> None:
    config = graphs.change(graphs.read("sherlock"), proposer={"role": "worded"})
    with pytest.raises(
        UserError,
        match=r"'worded' has no program, so 'sim:average' cannot simulate it: give --model",
    ):
        graphs.seat(config, "sim:average")
    with pytest.raises(
        UserError, match=r"the program of role 'generator' needs the sections state"
    ):
        graphs.seat(graphs.without_sections(graphs.read("cac_generator"), "state"), "sim:average")
    with pytest.raises(UserError, match=r"only a program plays role 'action_recommender'"):
        graphs.replace(graphs.read("tom_planner_0"), recommender="sim:average")


def test_two_rates_of_one_profile_are_two_models() -> None:
    config = graphs.change(graphs.read("cac"), check={"model": "judge"})
    seat = graphs.seat(config, "sim:average", named={"judge": sim(wrong_accept=0.0)})
    assert set(seat.info.models) == {"sim:average", "sim:average (judge)"}
    assert seat.info.models["sim:average (judge)"]["wrong_accept"] == 0.0
    assert simulated_settings.among(seat.info.model) == ["sim:average", "sim:average (judge)"]


def test_the_command_says_that_it_is_simulated(run: Run, tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        "default: {model: sim:average, misread_stack: 0.5, seed: 3}\n", "utf-8"
    )
    code, out, err = run(
        "play", "--graph", "cac_generator", "--players", "2", "--model", "models.yaml"
    )
    assert code == 0, err
    assert (
        out.startswith("simulated: sim:average is no language model, but")
        and out.count("simulated: ") == 2
    )
    code, out, _ = run("show", "games/cac_generator-2p-s1.jsonl")
    assert (
        code == 0
        and "P0  cac_generator on sim:average (simulated)" in out
        and "simulated: sim:average" in out
    )
    code, out, _ = run("show", "games/cac_generator-2p-s1.jsonl", "--turn", "1")
    assert (
        code == 0
        and out.startswith("turn 1 of ")
        and "cac_generator on sim:average (simulated)" in out
    )
    card = journal.read(tmp_path / "games/cac_generator-2p-s1.jsonl")[0].seats[0]  # type: ignore[union-attr]
    assert (
        card.models["sim:average"] | {"misread_stack": 0.5, "seed": 3} == card.models["sim:average"]
    )
    for command in (("show",), ("prompt",)):
        code, out, err = run("graphs", *command, "cac", "--set", "nodes.check.model=sim:careless")
        assert code == 0 and (command == ("prompt",) or "sim:careless" in out), err


async def test_a_seat_asked_for_one_turn_can_be_simulated() -> None:
    events: list[Event] = []
    decision = await graphs.seat("cac", "sim:average").bind(GameContext(events.append))(
        positions()[0], {}
    )
    assert decision.move in positions()[0].legal and of(events, Call)
