"""What an experiment comes to: its arms, its games in the order of their deals, and which of them are played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from experiments import adhoc, arms, cross_play
from experiments.adhoc import Past
from experiments.arms import Arm, Deal
from experiments.config import Experiment
from experiments.job import Job, Players
from experiments.results import GAMES, Peeked, peek
from experiments.seats import Unasked
from experiments.sitter import Sitter
from orchestrator.begun import differences
from orchestrator.errors import UserError


@dataclass(frozen=True)
class Plan:
    experiment: Experiment
    folder: Path
    arms: tuple[Arm, ...]
    pasts: tuple[Past, ...] = ()
    """Games that are played before all others, for their records."""

    @classmethod
    def of(cls, experiment: Experiment, folder: Path) -> "Plan":
        """Raises UserError for arms that cannot be played."""
        if experiment.adhoc:
            pool = adhoc.pool(experiment, folder)
            return cls(experiment, folder, tuple(adhoc.arms(experiment, pool)), tuple(pool))
        made = cross_play.arms(experiment) if experiment.cross_play else arms.arms(experiment)
        return cls(experiment, folder, tuple(made))

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
                            yield self._job(arm, deal)

    def _job(self, arm: Arm, deal: Deal) -> Job:
        return Job(
            arm=arm.name,
            deal=deal,
            cast=tuple(one.key for one in arm.cast(deal)),
            journal=self.folder / GAMES / arm.name / deal.file,
            before=tuple(sorted(arm.before(deal).items())),
            lean=self.experiment.journals == "lean",
        )

    @cached_property
    def sitters(self) -> Mapping[str, Sitter]:
        """Everybody who sits anywhere, by key."""
        found = [one for arm in self.arms for players in arm.players for one in arm.cast(self.first(players))]
        return {one.key: one for one in (*found, *(past.sitter for past in self.pasts))}

    def first(self, players: int) -> Deal:
        """The first deal at a player count: whoever sits in an arm sits there then, too."""
        return Deal(self.experiment.deals[0], players)

    def begun(self) -> dict[Path, Peeked]:
        """The games of its arms that have a journal, of these deals or of others.

        Raises UserError when one was played by others than its arm would seat now, with the difference.
        """
        players = Players(self.sitters, Unasked())
        return {
            path: self._peeked(players, arm, path)
            for arm in self.arms
            for path in sorted((self.folder / GAMES / arm.name).glob("*.jsonl"))
        }

    def _peeked(self, players: Players, arm: Arm, path: Path) -> Peeked:
        peeked = peek(path)
        started = peeked.started
        if started is None or started.seed is None or started.players not in arm.players:
            return peeked
        job = self._job(arm, Deal(started.seed, started.players, started.repeat))
        if changed := differences(started, players.start(job)):
            here = path.relative_to(self.folder).as_posix()
            raise UserError(
                f"{here} in {str(self.folder)!r} is another game: {'; '.join(changed)}. Give a changed experiment "
                "another --out, or its arm another name"
            )
        return peeked
