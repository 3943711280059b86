"""`--dry-run`: the games that an experiment would still play, and what they would cost. Nothing is played."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.analysis.stages import Stages
from experiments.costs import cost_estimate, detectable_effects, disk_space
from experiments.costs.cost_estimate import Bill, Estimates
from experiments.document.terminal import plain_table
from experiments.record.rows import Peeked, finished, peek_all
from experiments.study import manifest
from experiments.study.experiment import Experiment
from experiments.study.job import Job
from experiments.study.offline_layer import OfflineLayer
from experiments.study.plan import Plan
from experiments.study.resume import open_jobs
from orchestrator.models.settings import ModelSettings

READABLE = 60
"""Rows of a table; `--json` has all."""


@dataclass(frozen=True)
class Games:
    """The games of an arm at a player count."""

    arm: str
    players: int
    games: int
    left: int
    """Not finished yet; a game that was started counts in full."""
    bill: Bill
    """Of the games that are left."""
    basis: str
    """What the estimate is based on."""
    disk: float = 0.0
    """Bytes that the journals of the games that are left will take."""


@dataclass(frozen=True)
class Planned:
    games: tuple[Games, ...]
    models: tuple[ModelSettings, ...] = ()
    """Models on servers that would be asked."""
    notes: tuple[str, ...] = ()
    """Notes of the plan: arms that are not played at some counts, and deviations from a protocol."""
    detectable: tuple[str, ...] = ()
    """What the experiment's analysis can see, in sentences."""

    @property
    def bill(self) -> Bill:
        return cost_estimate.total(one.bill for one in self.games)

    @property
    def disk(self) -> float:
        """Bytes that the journals will take."""
        return sum(one.disk for one in self.games)

    @property
    def probed(self) -> bool:
        """Whether an estimate is by a prompt probe."""
        return any(cost_estimate.PROBED in one.basis for one in self.games)

    @property
    def prices(self) -> list[str]:
        """What is to be known of prices, in at most two sentences."""
        return cost_estimate.about_prices(self.models) if self.bill.calls else []

    @property
    def assumptions(self) -> list[str]:
        """What the estimates assume, in sentences."""
        return [*(cost_estimate.assumptions() if self.probed else []), *self.prices]


def forecast(experiment: Experiment, folder: Path, past: Path | None = None, answer: int | None = None) -> Planned:
    """The games left to play in a run folder, with their estimated cost.

    `past`: the folder of another run, whose finished games are used as measurements, too; `answer`: tokens of a
    response, instead of an assumption. Raises UserError as the run would.
    """
    manifest.check_code(folder)
    plan = Plan.resolve(experiment, folder)
    plan.check_rule()
    for one in plan.specs.values():
        one.seat(OfflineLayer())  # what a run would refuse, an estimate refuses too
    missing = [records for records in plan.partner_records if not records.there()]
    games = peek_all(folder)
    others = peek_all(past) if past and past.resolve() != folder.resolve() else {}
    needed = {job.name for job in Stages(plan).needed(finished(folder, games), plan.jobs)}
    left = plan.jobs if missing else [job for job in open_jobs(plan, games) if job.name in needed]
    waiting = _grouped([*left, *(job for records in missing for job in records.jobs())])
    every = _grouped([*plan.jobs, *(job for records in plan.partner_records for job in records.jobs())])
    estimates = Estimates.prepare(plan.specs, games | others, answer)
    arms = [_games(estimates, arm, jobs, waiting.get(arm, []), games) for arm, jobs in every.items()]
    models = tuple(estimates.models(job for jobs in waiting.values() for job in jobs))
    asked = estimates.models(plan.jobs)
    rows = [row for at, found in ((folder, games), (past or folder, others)) for row in finished(at, found)]
    compared = [job for job in plan.jobs if job.arm not in plan.aside]
    seen = detectable_effects.sentences(experiment, compared, rows, paid=bool(list(asked)), stop=plan.stop)
    return Planned(tuple(arms), models, tuple(plan.notes), tuple(seen))


def _grouped(jobs: Iterable[Job]) -> dict[tuple[str, int], list[Job]]:
    """By arm and player count."""
    found: dict[tuple[str, int], list[Job]] = {}
    for job in jobs:
        found.setdefault((job.arm, job.deal.players), []).append(job)
    return found


def _games(
    estimates: Estimates, arm: tuple[str, int], jobs: list[Job], waiting: list[Job], there: Mapping[Path, Peeked]
) -> Games:
    found = [estimates.game(job) for job in waiting or jobs[:1]]
    bill = cost_estimate.total(one.bill for one in found) if waiting else cost_estimate.NOTHING
    basis = "; ".join(dict.fromkeys(one.basis for one in found))
    size = disk_space.measured(jobs, there) or disk_space.of_game(jobs[0], estimates.specs, found[0].bill)
    return Games(*arm, len(jobs), len(waiting), bill, basis, len(waiting) * size)


def data(planned: Planned) -> dict[str, Any]:
    whole, waiting = sum(one.games for one in planned.games), sum(one.left for one in planned.games)
    arms = [
        {"arm": one.arm, "players": one.players, "games": one.games, "left": one.left}
        | bill_data(one.bill)
        | {"basis": one.basis, "bytes": round(one.disk)}
        for one in planned.games
    ]
    return {
        "games": whole,
        "left": waiting,
        **bill_data(planned.bill),
        "bytes": round(planned.disk),
        "arms": arms,
        "said": planned.assumptions,
        "notes": planned.notes,
        "detectable": planned.detectable,
    }


def bill_data(bill: Bill) -> dict[str, Any]:
    """Calls and tokens as whole numbers, money in dollars; `usd` is None where a price is not known."""
    usd = bill.usd if bill.usd is None else round(bill.usd, 6)
    return {name: round(value) for name, value in asdict(bill).items() if name != "usd"} | {"usd": usd}


def show(planned: Planned, console: Console) -> None:
    names = ("arm", "players", "games", "left", "calls", "tokens in", "tokens out", "usd", "based on")
    table = plain_table(*names, words=("arm", "based on"))
    for one in _folded(planned.games):
        row = one.arm, str(one.players), str(one.games), str(one.left)
        table.add_row(*row, *figures(one.bill), one.basis)
    whole = data(planned)
    table.add_row("all", "", str(whole["games"]), str(whole["left"]), *figures(planned.bill), style="bold")
    console.print(table)
    for sentence in (*planned.notes, *planned.detectable, *_footnotes(planned)):
        console.print(Text(sentence, style="dim"))


def _footnotes(planned: Planned) -> list[str]:
    """At most three: disk space, what estimates assume, prices."""
    room = f"disk space: about {disk_space.in_words(planned.disk)} of journals" if planned.disk else ""
    basis = cost_estimate.BRIEFLY if planned.probed else ""
    return [note for note in (room, basis, "; ".join(planned.prices)) if note]


def _folded(games: Sequence[Games]) -> list[Games]:
    """One row for all arms that cost the same, when there are too many rows to read."""
    if len(games) <= READABLE:
        return list(games)
    alike: dict[tuple[object, ...], list[Games]] = {}
    for one in games:
        alike.setdefault((one.players, one.games, one.left, one.bill, one.basis), []).append(one)
    return [_together(same) for same in alike.values()]


def _together(same: Sequence[Games]) -> Games:
    first = same[0]
    if len(same) == 1:
        return first
    games, waiting = sum(one.games for one in same), sum(one.left for one in same)
    bill = cost_estimate.total(one.bill for one in same)
    disk = sum(one.disk for one in same)
    return Games(f"{first.arm} and {len(same) - 1} more", first.players, games, waiting, bill, first.basis, disk)


def figures(bill: Bill) -> tuple[str, str, str, str]:
    return f"{bill.calls:,.0f}", f"{bill.tokens_in:,.0f}", f"{bill.tokens_out:,.0f}", money(bill.usd)


def money(usd: float | None) -> str:
    """`-` where a price is not known."""
    return "-" if usd is None else f"{usd:,.2f}"
