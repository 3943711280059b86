"""The plan of an experiment: its arms, and its games in the order of their deals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.experiments.record.seed_range import numbers
from hanabi_orchestrator.experiments.study import (
    arms,
    file_schema,
    metric,
    note_banks,
    notes,
    pairs,
    stop_rule,
)
from hanabi_orchestrator.experiments.study.arms import Arm, Deal
from hanabi_orchestrator.experiments.study.asked_nodes import with_noise_floors
from hanabi_orchestrator.experiments.study.experiment import POSITIONS, Experiment, Rerun
from hanabi_orchestrator.experiments.study.file_schema import BASELINE
from hanabi_orchestrator.experiments.study.job import Job
from hanabi_orchestrator.experiments.study.note_banks import NoteBank
from hanabi_orchestrator.experiments.study.pairs import EVALUATED, PartnerRecords
from hanabi_orchestrator.experiments.study.rerun import RecordedRun
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.study.stop_rule import StopRule
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.graphs.gate import knows_more
from hanabi_orchestrator.graphs.prompt_facts import blind_nodes
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, ModelSettings

MOST_GAMES = 1_000_000
"""Of a run; beyond it, plans take all memory."""


@dataclass(frozen=True)
class Plan:
    experiment: Experiment
    folder: Path
    arms: tuple[Arm, ...]
    partner_records: tuple[PartnerRecords, ...] = ()
    """Past games for ad-hoc trials; they are played before all others."""
    labels: Mapping[str, PlayerSpec] = field(default_factory=dict)
    """The participants of cross-play and ad-hoc teams, by label; empty where arms are listed."""
    remarks: tuple[str, ...] = ()
    banks: tuple[NoteBank, ...] = ()
    """Notes of other games, for arms whose nodes get such notes."""
    recorded: Mapping[str, Any] = field(default_factory=dict)
    """Further entries of run.yaml: of positions, which bank they are from."""

    @classmethod
    def resolve(cls, experiment: Experiment, folder: Path) -> "Plan":
        """Return the plan of an experiment in a run folder, where a run may be begun already.
        Raises UserError for arms that cannot be played, for more games than can be planned, and for
        a deal that a model was trained on."""
        recorded = RecordedRun.read(experiment) if isinstance(experiment, Rerun) else None
        remarks = tuple(recorded.notes) if recorded else ()
        labels = dict[str, PlayerSpec]()
        records = list[PartnerRecords]()
        banks = list[NoteBank]()
        if teams := experiment.adhoc:
            if recorded:
                labels = recorded.labelled()
            else:
                labels = pairs.team_members(teams, experiment)
            records = pairs.partner_records(teams, experiment, labels, folder)
            by_label = pairs.adhoc(teams, experiment, labels[EVALUATED], records)
            played = [arm for arm in by_label if recorded is None or arm.name in recorded.arms]
        elif settings := experiment.cross_play:
            if recorded:
                labels = recorded.labelled()
            else:
                labels = pairs.participants(settings.seats, experiment)
            played = pairs.cross_play(settings, experiment, labels)
        else:
            before = run_folder.run(folder) if recorded is None else {}
            if recorded:
                played = recorded.listed_arms(experiment)
            else:
                played = arms.arms(experiment, before)
            if experiment.task == POSITIONS:
                played = _on_positions(experiment, played)
            else:
                for arm in played:
                    note_banks.check_baseline(arm, played, experiment.baseline, experiment.numbers)
                banks = []
                for arm in played:
                    for bank in note_banks.banks(arm, folder):
                        banks.append(bank)
        plan = cls(experiment, folder, tuple(played), tuple(records), labels, remarks, tuple(banks))
        plan._check()
        return plan

    def _check(self) -> None:
        """Raise UserError for arms that share a folder, for an impossible seat, for more games than
        can be planned, and for a deal that a model was trained on."""
        file_schema.check_names(arm.name for arm in self.arms)
        for arm in self.arms:
            arms.check(arm)
        deals = len(self.experiment.numbers)
        each = sum(
            len(arm.players) * (deals if arm.seeds is None else len(arm.seeds)) for arm in self.arms
        )
        if (games := each * self.experiment.repeats) > MOST_GAMES:
            factors = (
                f"{len(self.arms):,} arms, {deals:,} seeds and {self.experiment.repeats:,} repeats"
            )
            raise UserError(f"{factors} make {games:,} games; a run has at most {MOST_GAMES:,}")
        models = chain.from_iterable(spec.models.values() for spec in self.specs.values())
        for model in (
            model
            for model in models
            if isinstance(model, ModelSettings) and not self.experiment.deals
        ):
            if shared := sorted({*self.seeds}.intersection(numbers(model.trained_on))):
                raise UserError(
                    f"seed {shared[0]} is a deal that {model.model} was trained on (trained_on: "
                    f"{model.trained_on}); choose other seeds"
                )

    def check_rule(self) -> None:
        """Raise UserError for a stop rule that cannot be followed, or is not the one with which the
        run was begun."""
        stop_rule.check(run_folder.run(self.folder), self.stop, str(self.folder))

    @property
    def notes(self) -> list[str]:
        """What a reader of the results must know: about the protocol, and which arms are not played
        at which counts."""
        experiment = self.experiment
        return notes.notes(
            {
                "players": sorted(set(experiment.players)),
                "seeds": experiment.numbers,
                "repeats": experiment.repeats,
                "metric": self.metric,
                "experiment": experiment.model_dump(
                    mode="json", exclude_unset=True, exclude={"record"}
                ),
                "seats": {key: {"models": spec.plain_models} for key, spec in self.specs.items()},
                "arms": {arm.name: {"void": arm.void} for arm in self.arms},
                "remarks": self.all_remarks,
            }
        )

    @property
    def all_remarks(self) -> tuple[str, ...]:
        """What else a reader must know: rules that know more than their seat, and what the run was
        made from."""
        remarks = []
        if len(self.experiment.graphs) > 1 and self.baseline:
            remarks.append(
                f"All arms of all graphs are compared with {self.baseline}; --set "
                "baseline=ARM names another arm."
            )
        seats = {}
        for arm in self.arms:
            seats[arm.name] = list(chain.from_iterable(arm.lineup(Deal(1, n)) for n in arm.players))
        names = []
        for arm_name, specs in seats.items():
            if any(spec.config and knows_more(spec.config) for spec in specs):
                names.append(arm_name)
        if names:
            remarks.append(
                f"{', '.join(names)}: the safety rule knows more than the seat (verify.knows: "
                "all), so that a refusal says more of the position than the seat may know."
            )
        remarks += chain.from_iterable((*_blind(arm), *arm.remarks) for arm in self.arms)
        remarks += self._unreached()
        for arm in (arm for arm in self.arms if arm.purpose and arm.purpose.kind == "noise_floor"):
            remarks.append(
                f"The arm {arm.name} plays the baseline again with other seeds of its models. Its "
                "difference is chance, the noise floor for all others. To leave it out: --set "
                "controls.noise_floor=false."
                if arm.players
                else f"Programs know no chance, so the arm {arm.name}, the baseline once more, "
                "would be the same games."
            )
        return tuple(dict.fromkeys((*remarks, *self.remarks)))

    def _unreached(self) -> Iterator[str]:
        """Yield the arms whose players `models` does not reach, and those whose words no model
        reads."""
        asking = {name: model for name, model in self.experiment.models.items() if model != PROGRAM}
        for arm in (arm for arm in self.arms if asking and arm.players):
            config = arm.everybody.config
            if config is None:
                yield (
                    f"{arm.name}: {arm.everybody.spec} is no graph file, so `models` does not "
                    "reach it; it differs from arms of graphs in more than its roles."
                )
            elif not {*config.models} & {*asking}:
                yield (
                    f"{arm.name}: no node asks {' or '.join(asking)} of `models`; its nodes "
                    "answer by their own."
                )

    @property
    def metric(self) -> str:
        """What its arms are compared by."""
        contexts = (spec.config.context for spec in self.specs.values() if spec.config)
        return self.experiment.metric or metric.usual(map(metric.name_of, contexts))

    @property
    def stop(self) -> StopRule | None:
        """Its stop rule. Raises UserError for one that cannot be followed."""
        experiment = self.experiment
        if experiment.stop is None:
            return None
        if waiting := next((bank for bank in self.banks if bank.waits), None):
            raise UserError(
                f"stop: arm {waiting.arm!r} gets notes of the games of {self.baseline}, all of "
                "which come first, and a stop rule plays deals step by step; take the notes from "
                f"another run, as in `placebo: {{{waiting.roles[0][0]}: RUN}}`"
            )
        base = next((arm for arm in self.arms if arm.name == self.baseline), None)
        counts = set(base.players) if base else set()
        compared = [arm.name for arm in self.arms if arm is not base and counts & set(arm.players)]
        return stop_rule.resolved(
            experiment.stop,
            metric=self.metric,
            baseline=self.baseline,
            arms=[name for name in compared if name not in self.aside],
            alongside=[name for name in compared if name in self.aside],
            seeds=experiment.numbers,
            players=sorted(set(experiment.players)),
            repeats=experiment.repeats,
        )

    @property
    def seeds(self) -> list[int]:
        """Of all its deals, including those of past games."""
        return sorted(
            {
                *self.experiment.numbers,
                *(chain.from_iterable(records.seeds for records in self.partner_records)),
            }
        )

    @property
    def aside(self) -> frozenset[str]:
        """Arms that are no hypothesis: the baseline once more, and arms that cheat."""
        return frozenset(
            arm.name
            for arm in self.arms
            if arm.purpose and arm.purpose.kind in ("noise_floor", "own_hand")
        )

    @property
    def untested(self) -> frozenset[str]:
        """Arms for which no p is corrected: those aside, and the controls of a role that another
        arm removes, which are tested only where the removal is shown."""
        purposes = {arm.name: arm.purpose for arm in self.arms if arm.purpose}
        removed = {purpose.nodes for purpose in purposes.values() if purpose.kind == "removed"}
        controls = (
            name
            for name, purpose in purposes.items()
            if purpose.kind in NOTES and purpose.nodes in removed
        )
        return self.aside | frozenset(controls)

    @property
    def baseline(self) -> str | None:
        return self.experiment.baseline

    @cached_property
    def jobs(self) -> list[Job]:
        """All games, deal by deal: every arm plays a deal before the next deal is begun."""
        counts = sorted(set(self.experiment.players))
        repeats = range(1, self.experiment.repeats + 1)
        jobs = []
        for seed, players, repeat in product(self.experiment.numbers, counts, repeats):
            deal = self.deal(seed, players, repeat)
            for arm in self.arms:
                if players in arm.players and (arm.seeds is None or seed in arm.seeds):
                    jobs.append(self.job(arm, deal))
        return jobs

    def job(self, arm: Arm, deal: Deal) -> Job:
        return Job(
            arm=arm.name,
            deal=deal,
            lineup=tuple(spec.key for spec in arm.lineup(deal)),
            journal=self.folder / f"{GAMES}/{arm.name}/{deal.file}",
            records=tuple(sorted(arm.records(deal).items())),
            notes=tuple(sorted(note_banks.lineup_notes(arm, deal, self.folder).items())),
            lean=self.experiment.journals == "lean",
        )

    @cached_property
    def specs(self) -> Mapping[str, PlayerSpec]:
        """The player specs of all seats, by key."""
        lineups = list[PlayerSpec]()
        for arm in self.arms:
            for players in arm.players:
                lineups.extend(arm.lineup(self.first(players)))
        lineups += [records.partner for records in self.partner_records]
        return {spec.key: spec for spec in lineups}

    def first(self, players: int) -> Deal:
        """Return the first deal at a player count; every player of an arm sits somewhere in it."""
        return self.deal(next(iter(self.experiment.numbers), 0), players)

    def deal(self, seed: int, players: int, repeat: int = 1) -> Deal:
        return Deal(seed, players, repeat, self.experiment.decks.get(seed))


def _blind(arm: Arm) -> Iterator[str]:
    """Yield a sentence for each node of an arm whose prompt lacks what its task asks."""
    for players in arm.players:
        for spec in arm.lineup(Deal(1, players)):
            if isinstance(spec.config, GraphConfig) and players in spec.config.players:
                for sentence in blind_nodes(at(spec.config, players)):
                    yield f"{arm.name}: {sentence}."


def _on_positions(experiment: Experiment, arms: Sequence[Arm]) -> list[Arm]:
    """Return the arms on positions, with their noise floors. Raises UserError for one that no
    position can ask."""
    for arm in arms:
        if arm.others:
            raise UserError(
                f"arm {arm.name!r}: a position asks the player whose turn it is alone; leave "
                "`seats` out"
            )
        if arm.everybody.config is None:
            raise UserError(
                f"arm {arm.name!r}: positions ask the nodes of graphs, and {arm.everybody.spec} "
                "is none"
            )
        if source := next((source for source in arm.sources.values() if source != BASELINE), None):
            raise UserError(
                f"arm {arm.name!r}: positions take notes from their bank alone; leave {source!r} "
                "out"
            )
    baseline = next(arm for arm in arms if arm.name == experiment.baseline)
    floor = next((arm for arm in arms if arm.is_noise_floor and not arm.nodes), None)
    if floor is None or any(arm.floor for arm in arms):
        return [baseline, *(arm for arm in arms if arm is not baseline)]
    return with_noise_floors(arms, baseline, floor)
