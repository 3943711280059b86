"""Ad-hoc teams in numbers: which partners are held out, means and standard deviations, and what a report says."""

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.analysis import adhoc_teams, sentence_templates
from hanabi_orchestrator.experiments.analysis.adhoc_teams import AdHocTeams
from hanabi_orchestrator.experiments.analysis.analysis import analyse
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study import experiment as config
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.file_schema import SeatConfig
from hanabi_orchestrator.experiments.study.pairs import EVALUATED, SELF_PLAY, standing
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec, player_spec
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator.players import partners
from tests.conftest import Run
from tests.support.sentences import template_of

NOWHERE = Path("nowhere")


def spec(graph: str, **changes: Any) -> PlayerSpec:
    asked = Experiment(name="any", graph=graph, **changes)
    return player_spec(SeatConfig(graph=graph), asked)


def marks(evaluated: PlayerSpec) -> dict[str, str]:
    return {name: standing(evaluated, spec(f"partner:{name}")) for name in partners.names()}


KNOWN = {"smart", "smart_oldest", "literal", "value", "holmes"}
"""Players of the conventions that the partner model of `house` begins with."""


@pytest.mark.parametrize("seat", ["house", "house_planner"])
def test_convention_players_are_no_strangers_to_a_seat_with_a_partner_model(seat: str) -> None:
    assert {name for name, what in marks(spec(seat)).items() if what == "known kind"} == KNOWN
    assert set(marks(spec("watson")).values()) == {"held out"}


def test_a_rule_player_knows_its_own_kind_and_itself() -> None:
    found = marks(spec("partner:smart"))
    assert (found["smart"], found["value"], found["smart_oldest"], found["hat"]) == (
        "itself",
        "known kind",
        "held out",
        "held out",
    )
    assert standing(spec("house"), spec("house")) == "itself"
    assert standing(spec("partner:smart"), spec("house")) == "known kind", (
        "house plays as smart does"
    )
    asked = {"models": {"default": "openai:x@http://127.0.0.1:9/v1"}}
    assert standing(spec("watson", **asked), spec("watson")) == "held out", (
        "the same graph on another model"
    )


def test_the_pool_of_the_protocol_is_held_out_for_house_and_declared_in_its_file() -> None:
    for asked in (
        config.read("challenge-adhoc"),
        config.parse("{name: own, protocol: challenge-adhoc, adhoc: {seat: house}}"),
    ):
        assert asked.adhoc is not None and not isinstance(asked.adhoc.pool, str)
        pool = [player_spec(one, asked) for one in asked.adhoc.pool.values()]
        evaluated = player_spec(asked.adhoc.seat, asked)
        assert len(pool) == 7 and {standing(evaluated, one) for one in pool} == {"held out"}


def test_its_own_self_play_stands_beside_the_trials_on_the_first_deals() -> None:
    asked = config.read("challenge-adhoc", ["seeds.count=5", "adhoc.cross=2"])
    plan = Plan.resolve(asked, NOWHERE)
    (arm,) = [arm for arm in plan.arms if arm.name == SELF_PLAY]
    jobs = [job for job in plan.jobs if job.arm == SELF_PLAY]
    assert [(job.deal.players, job.deal.seed) for job in jobs] == [
        (n, s) for s in (1, 2) for n in (2, 3, 4, 5)
    ]
    assert {one.name for job in jobs for one in arm.lineup(job.deal)} == {"house"}


# Numbers


def rows(arm: str, scores: Mapping[tuple[int, int], int]) -> list[Row]:
    """Games by player count and seed."""
    return [
        Row(
            arm,
            "any",
            n,
            seed,
            1,
            score,
            score,
            3,
            60,
            "deck_exhausted",
            0,
            0,
            0,
            0,
            0,
            None,
            f"games/{arm}/{n}.jsonl",
        )
        for (n, seed), score in scores.items()
    ]


GAMES = [
    *rows(f"{EVALUATED}.with.iggi", {(2, 1): 10, (2, 2): 14, (2, 3): 12}),
    *rows(f"{EVALUATED}.with.hat", {(2, 1): 4, (2, 2): 0, (2, 3): 2}),
    *rows(f"{EVALUATED}.with.smart", {(2, 1): 22, (2, 2): 24, (2, 3): 23}),
    *rows(SELF_PLAY, {(2, 1): 20, (2, 2): 24}),
    *rows("iggi.with.iggi", {(2, 1): 16, (2, 2): 18}),
    *rows("hat.with.hat", {(2, 1): 24, (2, 2): 22}),
    *rows("hat.with.iggi", {(2, 1): 3, (2, 2): 5}),
]
LABELS = {EVALUATED: spec("house")} | {
    name: spec(f"partner:{name}") for name in ("iggi", "hat", "smart")
}


def teams(games: list[Row] = GAMES, labels: Mapping[str, PlayerSpec] = LABELS) -> list[AdHocTeams]:
    return adhoc_teams.teams(games, analyse(games).summaries, labels)


def test_every_partner_has_the_mean_and_sd_of_its_trials_and_of_its_self_play() -> None:
    (found,) = teams()
    of = {one.partner: one for one in found.partners}
    assert {
        name: (one.standing, one.trials.games, one.trials.mean) for name, one in of.items()
    } == {
        "iggi": ("held out", 3, 12.0),
        "hat": ("held out", 3, 2.0),
        "smart": ("known kind", 3, 23.0),
    }
    assert of["iggi"].trials.sd == pytest.approx(stdev([10, 14, 12]))
    assert (
        of["hat"].alone is not None and of["hat"].alone.mean == 23.0 and of["smart"].alone is None
    )


def test_the_mean_over_partners_is_of_those_held_out_with_equal_weight_deal_by_deal() -> None:
    (found,) = teams()
    by_deal = [mean((10, 4)), mean((14, 0)), mean((12, 2))]
    assert found.over_partners is not None and found.over_partners.mean == pytest.approx(
        mean(by_deal)
    )
    assert found.over_partners.sd == pytest.approx(stdev([12, 2])), "of the partners' means"
    assert found.over_partners.bounds == pytest.approx((7.0, 7.0)), "every deal has the mean 7"
    assert found.self_play is not None and found.self_play.mean == 22.0
    assert found.loss is not None and found.loss.mean == pytest.approx(mean([7 - 20, 7 - 24])), (
        "on the deals of both"
    )


def test_a_deal_that_one_partner_has_not_played_yet_is_in_no_mean_over_partners() -> None:
    (found,) = teams([row for row in GAMES if (row.arm, row.seed) != (f"{EVALUATED}.with.hat", 2)])
    assert found.over_partners is not None and found.over_partners.games == 4
    assert found.over_partners.mean == pytest.approx(mean([10, 4, 12, 2]))


def test_player_counts_are_pooled_only_where_all_partners_played_them() -> None:
    more = [
        *GAMES,
        *rows(f"{EVALUATED}.with.iggi", {(3, 1): 11, (3, 2): 13, (3, 3): 12}),
        *rows(f"{EVALUATED}.with.smart", {(3, 1): 21, (3, 2): 20, (3, 3): 22}),
    ]
    assert [one.players for one in teams(more)] == [2, 3]
    whole = [*more, *rows(f"{EVALUATED}.with.hat", {(3, 1): 6, (3, 2): 6, (3, 3): 6})]
    pooled = teams(whole)[-1]
    assert pooled.players is None and pooled.counts == (2, 3)
    assert pooled.over_partners is not None
    assert pooled.over_partners.mean == pytest.approx(
        mean([mean([10, 4, 11, 6]), mean([14, 0, 13, 6]), 8])
    )


def test_the_conclusion_names_the_partners_that_are_no_strangers_and_says_for_whom_it_holds() -> (
    None
):
    (said,) = adhoc_teams.sentences(teams())
    assert said.startswith(
        "With the 2 partners held out for it, house at 2 players scores 7.00 of 25 on average"
    )
    assert (
        "-15.00 against its own self-play" in said
        and "these partners score 20.00 among themselves" in said
    )
    assert "This holds for these partners only." in said and said.endswith("smart (known kind).")
    alone = [row for row in GAMES if row.arm in (f"{EVALUATED}.with.smart", SELF_PLAY)]
    (none,) = adhoc_teams.sentences(teams(alone))
    assert (
        none
        == "house at 2 players is not measured in ad-hoc teams: no partner of the pool is held out."
    )
    (nobody,) = adhoc_teams.sentences(teams(labels={}))
    assert nobody == (
        "evaluated at 2 players is not measured in ad-hoc teams: the run does not say who its players are."
    )
    assert not adhoc_teams.sentences(teams([row for row in GAMES if row.arm == "hat.with.iggi"]))


# Where it is shown

SMALL: dict[str, Any] = {
    "name": "few",
    "protocol": "challenge-adhoc",
    "players": [2],
    "seeds": [1, 2],
    "journals": "lean",
    "adhoc": {
        "seat": "partner:smart",
        "pool": ["partner:iggi", "partner:value", "partner:smart"],
        "games": 0,
        "past": {"first": 50, "count": 1},
        "cross": 1,
    },
}


def test_terminal_report_and_data_mark_partners_that_are_no_strangers(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "few.yaml"
    path.write_text(yaml.safe_dump(SMALL), "utf-8")
    code, out, _ = run("experiment", "run", str(path), "--out", str(tmp_path / "few"))
    assert code == 0
    table = {tuple(line.split()[:3]) for line in out.splitlines()}
    assert {("iggi", "held", "out"), ("value", "known", "kind")} < table and (
        "smart",
        "itself",
        "2",
    ) in table
    assert (
        "The run departs from this protocol in: player counts (2 instead of 2–5); deals (seeds 1–"
        in out
    )
    _, text, _ = run("report", str(tmp_path / "few"), "--json")
    (data,) = json.loads(text)["adhoc"]
    assert {one["partner"]: one["standing"] for one in data["partners"]} == {
        "iggi": "held out",
        "value": "known kind",
        "smart": "itself",
    }
    report = (tmp_path / "few" / "report.md").read_text("utf-8")
    (verdict,) = re.findall("- (With iggi held out for it, .*)", report)
    assert template_of(verdict) is sentence_templates.ADHOC
    assert (
        "| value | known kind | 2 | 2 |" in report
        and "- With iggi held out for it, partner:smart at 2" in report
    )
    assert "Ad-hoc teams" in (tmp_path / "few" / "report.html").read_text("utf-8")
    drawn = list(
        csv.DictReader(
            (tmp_path / "few" / "figures" / "ad-hoc-teams.csv").read_text("utf-8").splitlines()
        )
    )
    shown = [row["partner"] for row in drawn]
    assert shown == ["iggi", "value", "smart", "mean over partners", "self-play"]
    _, out, _ = run(
        "experiment",
        "run",
        str(path),
        "--out",
        str(tmp_path / "few"),
        "--set",
        "adhoc.pool=partner:iggi",
    )
    assert ["value", "known", "kind"] in [line.split()[:3] for line in out.splitlines()], (
        "of the command before"
    )


def test_a_run_without_the_self_play_is_played_again_as_it_was(tmp_path: Path) -> None:
    run_experiment(config.parse(yaml.safe_dump(SMALL)), tmp_path / "new")
    path = tmp_path / "old" / "run.yaml"
    path.parent.mkdir()
    record = yaml.safe_load((tmp_path / "new" / "run.yaml").read_text("utf-8"))
    del record["arms"][SELF_PLAY]
    path.write_text(yaml.safe_dump(record), "utf-8")
    again = Plan.resolve(config.read(str(path)), NOWHERE)
    assert {arm.name for arm in again.arms} == set(record["arms"])
