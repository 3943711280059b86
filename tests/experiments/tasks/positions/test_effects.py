"""What a run of positions shows, on effects that are known: none, of a given size, of a role made careless."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.analysis.compare import compare, corrected
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.control_arms import Purpose
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.tasks.positions import (
    bank,
    decisions,
    position_report,
    whole_games,
)
from hanabi_orchestrator.experiments.tasks.positions import sentences as templates
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.effects import Effects, effect_of
from hanabi_orchestrator.experiments.tasks.positions.outcome import Outcome
from hanabi_orchestrator.experiments.tasks.positions.sentences import sentences
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.simulated_settings import AVERAGE, SimSettings
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE
from tests.experiments.report.test_null_runs import ABSENT
from tests.experiments.tasks.positions.conftest import effect_of_arm, graph_file, ran
from tests.support.prove import FULL
from tests.support.sentences import template_of

RATE = 0.3


def sim(**rates: float) -> SimSettings:
    return SimSettings.model_validate(
        {"model": "sim:average", **dict.fromkeys(AVERAGE, 0.0), **rates}
    )


def moves(folder: Path, arm: str, position: str) -> list[str]:
    return [str(one.decided.move) for one in decisions.read(folder, arm, position) if one.decided]


def test_noise_floor_and_exact_flip_nothing_where_programs_decide(house_effects: Effects) -> None:
    for name in ("noise-floor", "permuted", *(f"exact-{node}" for node in ROLES)):
        effect = effect_of_arm(house_effects, name)
        assert effect is not None and effect.flips == 0 and effect.loss.p is None, name
    assert any(one.flips > 0 for one in house_effects.effects)
    assert all(map(template_of, sentences(house_effects)))


ROLES = ("history_analyst", "tom_interpreter", "discard_strategist")


def test_the_noise_floor_of_a_simulated_model_is_its_sampling_noise(tmp_path: Path) -> None:
    """One node, one kind of error at rate r: where it changes the move, two decisions differ with 2 r (1 - r)."""
    first, samples = (120, 8) if FULL else (32, 3)
    common: dict[str, Any] = {"graph": "watson", "arms": ["noise_floor"], "first": first}
    for name, rate in (("never", 0.0), ("always", 1.0)):
        ran(tmp_path / name, **common, models={"default": sim(overconfident_play=rate)})
    floor = ran(
        tmp_path / "some",
        **common,
        repeats=samples,
        models={"default": sim(overconfident_play=RATE)},
    )
    (effect,) = floor.effects
    flips = {one.position.name: one.flipped for one in floor.outcomes["noise-floor"]}
    could = [
        n
        for n in flips
        if moves(tmp_path / "never", "noise-floor", n)
        != moves(tmp_path / "always", "noise-floor", n)
    ]
    assert all(flips[name] == 0 for name in flips if name not in could)
    wanted = 2 * RATE * (1 - RATE)
    variance = (1 - 2 * RATE) ** 2 * wanted / samples + 4 * (RATE * (1 - RATE) / samples) ** 2
    assert (
        len(could) >= 6
        and abs(fmean(flips[n] for n in could) - wanted) < 3 * (variance / len(could)) ** 0.5
    )
    assert effect.flips == pytest.approx(fmean(flips.values()))


def test_a_report_that_nobody_uses_flips_no_more_than_the_noise_floor(tmp_path: Path) -> None:
    nodes = {
        "chatter": {"role": "first_order"},
        "proposer": {"role": "proposer", "reads": ["chatter"]},
    }
    decorated = {"name": "decorated", "context": "house", "nodes": nodes, "decides": "proposer"}
    more: dict[str, Any] = {
        "notes": "fresh",
        "models": {"default": "sim:careless"},
        "first": 120 if FULL else 10,
    }
    graph = graph_file(tmp_path, decorated)
    effects = ran(
        tmp_path / "run", graph=graph, arms=["removed", "placebo", "shuffled"], repeats=2, **more
    )
    floor = effect_of_arm(effects, "noise-floor")
    assert floor is not None and floor.flips > 0.1
    for name in ("no-chatter", "placebo-chatter", "shuffled-chatter"):
        effect = effect_of_arm(effects, name)
        assert effect is not None and effect.beyond is not None and effect.floor is not None
        assert effect.beyond.p is None or effect.beyond.p >= 0.05, name


def test_a_careless_role_costs_what_its_controls_say(tmp_path: Path) -> None:
    """A wrong note costs points: its program's gains them back, and a note is worth more than any that is not its own.

    The interpreter of `wrong` is simulated with every answer wrong; in `right` all are programs.
    """
    nodes = {"tom_interpreter": {"model": "wrong"}}
    graph = graph_file(
        tmp_path, graphs.change(graphs.read("house"), **nodes).model_dump(mode="json")
    )
    rates = dict.fromkeys(("misread_stack", "forgotten_negatives", "slot_off_by_one"), 1.0)
    first = 120 if FULL else 20
    models = {"default": "program", "wrong": sim(**rates)}
    node = "tom_interpreter"
    arms = [f"exact:{node}", f"removed:{node}"]
    more = {"controls": {"noise_floor": False}, "first": first}
    wrong = ran(tmp_path / "wrong", graph=graph, models=models, notes="fresh", arms=arms, **more)
    right = ran(
        tmp_path / "right",
        arms=[f"{kind}:{node}" for kind in ("placebo", "shuffled", "removed")],
        first=first,
    )
    exact = effect_of_arm(wrong, f"exact-{node}")
    placebo, shuffled = (effect_of_arm(right, f"{kind}-{node}") for kind in ("placebo", "shuffled"))
    assert exact and placebo and shuffled
    assert exact.flips > 0 and exact.loss.mean < 0 and exact.worse < exact.better
    for one in (placebo, shuffled):
        assert one.loss.mean > 0 and one.worse > one.better and (one.claimed or not FULL)
    told = right.difference(f"placebo-{node}", f"no-{node}")
    assert told is not None and told.mean > 0


def test_probes_say_which_note_a_convention_needs(tmp_path: Path) -> None:
    """`house` keeps what its packaged probes ask about; which card to discard next it knows from the strategist."""
    asked = {"chop": 4, "play-hint-read": 4}
    lines = [one for one in bank.read("probes").positions if one.asked]
    few = [
        p
        for name, n in asked.items()
        for p in [one for one in lines if one.kind.convention == f"newest/{name}"][:n]
    ]
    told = [bank.position_line(one) for one in few]
    head = bank.read("probes").head.model_copy(
        update={"positions": len(few), "digest": bank.digest(told)}
    )
    bank.save(tmp_path / "few.jsonl", [head.model_dump_json(), *told])
    arms = ["removed:discard_strategist", "noise_floor"]
    effects = ran(tmp_path / "run", bank=str(tmp_path / "few.jsonl"), arms=arms)
    without = effect_of_arm(effects, "no-discard_strategist")
    floor = effect_of_arm(effects, "noise-floor")
    assert without and floor and floor.keeps == floor.kept == without.kept == 1.0
    kept = {value: keeps for name, value, *_, keeps in without.by_kind if name == "convention"}
    assert kept["newest/play-hint-read"] == 1.0 and (kept["newest/chop"] or 0.0) <= 0.5
    report = position_report.read(tmp_path / "run")
    (said,) = (one for one in sentences(effects) if template_of(one) is templates.CONVENTIONS)
    assert said.startswith(
        "Of the conventions asked about the baseline keeps 100%; no-discard_strategist "
    )
    position_report.write(report, tmp_path / "run")
    assert (
        (tmp_path / "run" / "kinds.csv")
        .read_text("utf-8")
        .startswith("arm,by,is,n,flips,loss,keeps it\n")
    )


# The statistics, on outcomes that are made up


@pytest.fixture(scope="module")
def places() -> list[BankPosition]:
    return list(bank.read("program").positions)


def outcomes(places: Sequence[BankPosition], losses: Sequence[float]) -> list[Outcome]:
    return [
        Outcome(place, float(loss != 0), float(loss < 0), float(loss > 0), 0.1, loss)
        for place, loss in zip(places, losses, strict=False)
    ]


def arm_of(name: str, kind: Any, *nodes: str, value: str | None = None) -> Arm:
    config = ablate.controlled(graphs.read("house"), own_hand=True) if kind == "own_hand" else None
    return Arm(
        name,
        PlayerSpec(spec="house", config=config),
        purpose=Purpose(kind=kind, nodes=nodes, value=value),
    )


ARMS = (
    *(
        arm_of(f"{kind}-a", kind, "a")
        for kind in ("removed", "placebo", "shuffled", "exact", "added", "gate")
    ),
    arm_of("perturbed-a", "perturbed", "a", value="0.3"),
    arm_of("both", "removed", "a", "b"),
    arm_of("permuted", "permuted"),
    arm_of("hand", "own_hand"),
    arm_of("compute", "same_compute"),
    replace(arm_of("several", "removed"), purpose=None),
    arm_of("noise-floor", "noise_floor"),
)


def test_runs_without_an_effect_print_listed_sentences_and_none_that_claims_or_denies_one(
    places: list[BankPosition],
) -> None:
    runs = 60 if FULL else 12
    claiming = 0
    for run in range(runs):
        chance = np.random.default_rng(run)
        deals = 4 if run % 4 == 0 else 40
        found = {
            arm.name: [
                replace(row, keeps=float(chance.random() < 0.8), kept=float(chance.random() < 0.8))
                for row in outcomes(
                    places[:deals], list(chance.choice([-1.0, 0.0, 0.0, 1.0], deals))
                )
            ]
            for arm in ARMS
        }
        made = [effect_of(replace(arm, floor="noise-floor"), found, NO_USAGE) for arm in ARMS]
        ps = corrected([None if effect.arm.is_noise_floor else effect.loss.p for effect in made])
        effects = Effects(
            found, tuple(replace(effect, p_holm=p) for effect, p in zip(made, ps, strict=True))
        )
        said = list(sentences(effects))
        assert all(map(template_of, said)) and not any(map(ABSENT.search, said)), said
        claiming += any(re.search(r"it (loses|gains) ", one) for one in said)
    assert claiming <= stats.binom.ppf(0.999, runs, 0.05)


def test_intervals_hold_a_known_loss(places: list[BankPosition]) -> None:
    """Three deals in ten lose, by skewed amounts; two positions of a deal share their loss. With fewer deals that lose,
    intervals are too narrow."""
    runs, held, mean = (400, 0, 0.24) if FULL else (40, 0, 0.24)
    deals = [replace_deal(place, f"{n // 2}") for n, place in enumerate(places)]
    for run in range(runs):
        chance = random.Random(run)
        lost = {
            place.deal: chance.expovariate(1 / 0.8) if chance.random() < 0.3 else 0.0
            for place in deals
        }
        rows = outcomes(deals, [lost[place.deal] for place in deals])
        comparison = compare(rows, None, lambda row: row.loss, cluster="position.deal")
        low, high = (comparison and comparison.interval()) or (1.0, 0.0)
        held += low <= mean <= high
    assert held / runs > (0.88 if FULL else 0.8)


def replace_deal(place: BankPosition, deal: str) -> BankPosition:
    return place.model_copy(update={"deal": deal})


def test_positions_of_one_deal_count_once(places: list[BankPosition]) -> None:
    same = [replace_deal(place, "one") for place in places[:20]]
    comparison = compare(
        outcomes(same, [1.0] * 20), None, lambda row: row.loss, cluster="position.deal"
    )
    assert comparison and comparison.n == comparison.mean == 1 and comparison.interval() is None


GAME_ARMS = {"no-a": 6.0, "no-b": 4.0, "no-c": 2.0, "no-d": 0.0}


def games(folder: Path) -> Path:
    """A run of games of four arms and a baseline, which lose as stated, give or take the luck of deals."""
    folder.mkdir()
    (folder / "run.yaml").write_text("name: games\nbaseline: full\n", "utf-8")
    fields = "arm,graph,model,players,seed,repeat,score_strict,score_kept,lives,turns,end,calls,fallbacks,forced"
    lines = [f"{fields},tokens_in,tokens_out,usd,journal"]
    for arm, seed in product(("full", *GAME_ARMS), range(1, 31)):
        lost = GAME_ARMS.get(arm, 0.0) + random.Random(f"{arm}{seed}").choice((-1, 0, 1)) * (
            arm != "full"
        )
        score = max(0, round(20 - lost))
        lines.append(
            f"{arm},g,program,3,{seed},1,{score},{score},3,60,deck_exhausted,0,0,0,0,0,0,{arm}/{seed}.jsonl"
        )
    (folder / "results.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def made_up(places: list[BankPosition], losses: dict[str, float]) -> Effects:
    from hanabi_orchestrator.experiments.tasks.positions import effects

    found = {
        name: outcomes(places[:40], [loss * (n % 2) for n in range(40)])
        for name, loss in losses.items()
    }
    arms = [arm_of(name, "removed", name.removeprefix("no-")) for name in losses]
    return Effects(found, tuple(effects.effect_of(arm, found, NO_USAGE) for arm in arms))


def test_arms_that_lose_more_on_positions_lose_more_in_games(
    places: list[BankPosition], tmp_path: Path
) -> None:
    run = games(tmp_path / "games")
    alike = whole_games.compare_games(
        made_up(places, {"no-a": 0.9, "no-b": 0.4, "no-c": 0.1, "no-d": 0.0}), run
    )
    by = {one.figure: one for one in alike.correlations}
    assert [one.name for one in alike.arms] == list(GAME_ARMS)
    assert (
        by["loss by one-step value"].spearman == pytest.approx(1)
        and by["loss by one-step value"].n == 4
    )
    assert by["loss by one-step value"].spearman_p == pytest.approx(2 / 24), (
        "no more than four arms can show"
    )
    other = whole_games.compare_games(
        made_up(places, {"no-a": 0.0, "no-b": 0.1, "no-c": 0.4, "no-d": 0.9}), run
    )
    assert next(
        one for one in other.correlations if "one-step" in one.figure
    ).spearman == pytest.approx(-1)
    few = whole_games.compare_games(made_up(places, {"no-a": 0.9, "no-b": 0.4}), run)
    assert len(few.arms) == 2 and not few.correlations
    with pytest.raises(UserError, match="its arms are: no-a, no-b, no-c, no-d"):
        whole_games.compare_games(made_up(places, {"no-z": 1.0}), run)


def test_words_say_which_effects_stand_beside_their_controls(places: list[BankPosition]) -> None:
    from hanabi_orchestrator.experiments.tasks.positions import effects

    def said(**losses: float) -> str:
        kinds = {
            "removed": "no-a",
            "padded": "padded-a",
            "placebo": "placebo-a",
            "shuffled": "shuffled-a",
        }
        found = {
            kinds[kind]: outcomes(places[:40], [loss * (n % 3 > 0) for n in range(40)])
            for kind, loss in losses.items()
        }
        arms = [arm_of(name, kind, "a") for kind, name in kinds.items() if name in found]
        made = [effects.effect_of(arm, found, NO_USAGE) for arm in arms]
        return next(
            sentences(Effects(found, tuple(replace(one, p_holm=one.loss.p) for one in made)))
        )

    assert template_of(said(removed=0.5, placebo=0.5)) is templates.NOTE
    alike = said(removed=0.5, placebo=0.5, shuffled=0.6)
    assert (
        "With a placebo of its length and a note on another position decisions lose, too, and these may"
        in alike
    )
    assert alike.endswith("No arm rules out the length of the prompt.")
    ruled = said(removed=0.5, padded=0.5, placebo=0.5, shuffled=0.6)
    assert (
        "So the length of the prompt does not explain the loss: a note of its length that says it is empty"
        in ruled
    )
    assert "So not all that is lost is the note's content: a note of" in said(
        removed=0.5, padded=0.0, placebo=0.5
    )
    assert "So not all that is lost is the note's content: a placebo" in said(
        removed=0.5, placebo=0.0, shuffled=0.6
    )
    assert "content: a note on another position loses less" in said(
        removed=0.5, placebo=0.5, shuffled=0.0
    )
    assert all(template_of(each) for each in (alike, ruled, said(removed=0.5, shuffled=0.0)))
    assert "neither show nor exclude that the note helps" in said(
        removed=0.0, placebo=0.5, shuffled=0.6
    )
