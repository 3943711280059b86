"""The plan of an experiment: its arms, and its games in the order of their deals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from experiments.design import adhoc, arms, cross_play, protocols
from experiments.design.adhoc import PartnerRecords
from experiments.design.arms import Arm, Deal
from experiments.design.experiment import Experiment, Rerun
from experiments.design.job import Job
from experiments.design.player_spec import PlayerSpec
from experiments.design.rerun import RecordedRun
from experiments.results.rows import GAMES


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

    @classmethod
    def resolve(cls, experiment: Experiment, folder: Path) -> "Plan":
        """The plan of an experiment in a run folder. Raises UserError for arms that cannot be played."""
        recorded = RecordedRun.read(experiment) if isinstance(experiment, Rerun) else None
        remarks = tuple(recorded.notes) if recorded else ()
        if experiment.adhoc:
            labels = recorded.labelled() if recorded else adhoc.participants(experiment)
            records = adhoc.partner_records(experiment, labels, folder)
            trials = adhoc.arms(experiment, labels[adhoc.EVALUATED], records)
            return cls(experiment, folder, tuple(trials), tuple(records), labels, remarks)
        if asked := experiment.cross_play:
            labels = recorded.labelled() if recorded else cross_play.participants(asked.seats, experiment)
            return cls(experiment, folder, tuple(cross_play.arms(experiment, labels)), labels=labels, remarks=remarks)
        made = recorded.listed_arms(experiment) if recorded and isinstance(experiment, Rerun) else arms.arms(experiment)
        return cls(experiment, folder, tuple(made), remarks=remarks)

    @property
    def notes(self) -> list[str]:
        """What a reader of the results must know: about the protocol, and which arms are not played at which counts."""
        asked, void = self.experiment, [_void(arm) for arm in self.arms if arm.void]
        about = protocols.notes(asked.protocol, players=asked.players, seeds=asked.deals, repeats=asked.repeats)
        return [*about, *void, *self.remarks]

    @property
    def seeds(self) -> list[int]:
        """Of all its deals, including those of past games."""
        return sorted({*self.experiment.deals, *(seed for records in self.partner_records for seed in records.seeds)})

    @property
    def baseline(self) -> str | None:
        return self.experiment.baseline

    @cached_property
    def jobs(self) -> list[Job]:
        """All games, deal by deal: every arm plays a deal before the next deal is begun."""
        return list(self._jobs())

    def _jobs(self) -> Iterator[Job]:
        for number, seed in enumerate(self.experiment.deals):
            for players in sorted(set(self.experiment.players)):
                for repeat in range(1, self.experiment.repeats + 1):
                    deal = Deal(seed, players, repeat)
                    for arm in self.arms:
                        if players in arm.players and (arm.deals is None or number < arm.deals):
                            yield self.job(arm, deal)

    def job(self, arm: Arm, deal: Deal) -> Job:
        return Job(
            arm=arm.name,
            deal=deal,
            lineup=tuple(one.key for one in arm.lineup(deal)),
            journal=self.folder / GAMES / arm.name / deal.file,
            records=tuple(sorted(arm.records(deal).items())),
            lean=self.experiment.journals == "lean",
        )

    @cached_property
    def specs(self) -> Mapping[str, PlayerSpec]:
        """The player specs of all seats, by key."""
        found = [one for arm in self.arms for players in arm.players for one in arm.lineup(self.first(players))]
        return {one.key: one for one in (*found, *(records.partner for records in self.partner_records))}

    def first(self, players: int) -> Deal:
        """The first deal at a player count; every player of an arm sits somewhere in it."""
        return Deal(self.experiment.deals[0], players)


def _void(arm: Arm) -> str:
    """E.g. an arm without the history analyst, at player counts at which the graph has none."""
    same = {other: [count for count, one in arm.void.items() if one == other] for other in arm.void.values()}
    where = "; ".join(
        f"{' and '.join(map(str, counts))} players, where it is the same as {other}" for other, counts in same.items()
    )
    return f"The arm {arm.name} is not played at {where}."
