"""What an experiment comes to: its arms, its games in the order of their deals, and which of them are played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from experiments.design import adhoc, arms, cross_play, protocols
from experiments.design.adhoc import Past
from experiments.design.arms import Arm, Deal
from experiments.design.experiment import Experiment, Rerun
from experiments.design.job import Job
from experiments.design.player_spec import PlayerSpec
from experiments.design.rerun import Held
from experiments.results.rows import GAMES


@dataclass(frozen=True)
class Plan:
    experiment: Experiment
    folder: Path
    arms: tuple[Arm, ...]
    pasts: tuple[Past, ...] = ()
    """Games that are played before all others, for their records."""

    labels: Mapping[str, PlayerSpec] = field(default_factory=dict)
    """Who is paired, by the names that arms give them; nobody where arms are listed."""
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, experiment: Experiment, folder: Path) -> "Plan":
        """Raises UserError for arms that cannot be played."""
        held = Held.of(experiment) if isinstance(experiment, Rerun) else None
        remarks = tuple(held.notes) if held else ()
        if experiment.adhoc:
            labels = held.labelled() if held else adhoc.everybody(experiment)
            pool = adhoc.pool(experiment, labels, folder)
            trials = adhoc.arms(experiment, labels[adhoc.EVALUATED], pool)
            return cls(experiment, folder, tuple(trials), tuple(pool), labels, remarks)
        if asked := experiment.cross_play:
            labels = held.labelled() if held else cross_play.everybody(asked.seats, experiment)
            return cls(experiment, folder, tuple(cross_play.arms(experiment, labels)), labels=labels, remarks=remarks)
        made = held.seated(experiment) if held and isinstance(experiment, Rerun) else arms.arms(experiment)
        return cls(experiment, folder, tuple(made), remarks=remarks)

    @property
    def notes(self) -> list[str]:
        """What a reader of its figures must know: of its protocol's deals, and which arms are void at which counts."""
        asked, voids = self.experiment, [_void(arm) for arm in self.arms if arm.void]
        said = protocols.notes(asked.protocol, players=asked.players, seeds=asked.deals, repeats=asked.repeats)
        return [*said, *voids, *self.remarks]

    @property
    def seeds(self) -> list[int]:
        """Of all its deals, past games included."""
        return sorted({*self.experiment.deals, *(seed for past in self.pasts for seed in past.seeds)})

    @property
    def baseline(self) -> str | None:
        return self.experiment.baseline

    @cached_property
    def jobs(self) -> list[Job]:
        """All games, deal by deal: every arm plays a deal before the next one is dealt."""
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
            cast=tuple(one.key for one in arm.cast(deal)),
            journal=self.folder / GAMES / arm.name / deal.file,
            before=tuple(sorted(arm.before(deal).items())),
            lean=self.experiment.journals == "lean",
        )

    @cached_property
    def sitters(self) -> Mapping[str, PlayerSpec]:
        """Everybody who sits anywhere, by key."""
        found = [one for arm in self.arms for players in arm.players for one in arm.cast(self.first(players))]
        return {one.key: one for one in (*found, *(past.sitter for past in self.pasts))}

    def first(self, players: int) -> Deal:
        """The first deal at a player count: whoever sits in an arm sits there then, too."""
        return Deal(self.experiment.deals[0], players)


def _void(arm: Arm) -> str:
    """`no-historian` is void where the historian does not sit anyway."""
    same = {other: [count for count, one in arm.void.items() if one == other] for other in arm.void.values()}
    told = "; ".join(
        f"{' and '.join(map(str, counts))} players, where it is the same as {other}" for other, counts in same.items()
    )
    return f"The arm {arm.name} is not played at {told}."
