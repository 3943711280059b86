"""`--dry-run`: what an experiment would still play, or an evaluation ask, and what that would
cost."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.analysis.stopping import Stages
from hanabi_orchestrator.experiments.document.blocks import Block, Column, notes, table
from hanabi_orchestrator.experiments.document.formats import INT, RIGHT, duration, number
from hanabi_orchestrator.experiments.forecast import coalition_sizes, cost_estimate, spread
from hanabi_orchestrator.experiments.forecast.cost_estimate import (
    Bill,
    Estimates,
    assumed_answer,
    bill_of,
    served,
)
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row, finished, peek_all
from hanabi_orchestrator.experiments.study import coalitions, manifest, prompt_positions
from hanabi_orchestrator.experiments.study.coalitions import FULL
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.file_schema import Model
from hanabi_orchestrator.experiments.study.job import TURNS, Job
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.prompt_positions import TurnLoad
from hanabi_orchestrator.experiments.study.seats import Seats, open_jobs
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import Suspended, TurnError, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.models.list_prices import price_of
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, ModelSettings
from hanabi_orchestrator.orchestrator.models.simulated_settings import perturbed
from hanabi_orchestrator.orchestrator.players import python_agent
from hanabi_orchestrator.orchestrator.table.game_loop import play_started
from hanabi_orchestrator.roles.words import many

READABLE = 60
"""Rows of a table; `--json` has all."""
TOKEN = 4
"""Bytes of a token: the messages and the response of every call are kept."""
TURN = 5000
NODE = 2200
LEAN = 1000
"""Bytes of a turn: its view and move, the answer of each node, and both in a lean journal."""
TIMED = 4
"""Games that are timed, each of another arm."""
TRIED = 6
"""Turns of each that are played, after one that is not timed."""


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
    """Notes of the plan: arms that are not played at some counts, and deviations from a
    protocol."""
    detectable: tuple[str, ...] = ()
    """What the experiment's analysis can see, in sentences."""
    seconds: float | None = None
    """What the games that are left take in one process where no server is asked, by a few turns
    that were played."""

    @property
    def total(self) -> Games:
        """All games together."""
        return _sum("all", self.games)

    @property
    def probed(self) -> bool:
        """Whether an estimate is by a prompt probe."""
        return any(cost_estimate.PROBED in games.basis for games in self.games)

    @property
    def prices(self) -> list[str]:
        """What is to be known of prices, in at most two sentences."""
        if self.total.bill.calls:
            return cost_estimate.about_prices(self.models)
        return []


def forecast(
    experiment: Experiment,
    folder: Path,
    past: Path | None = None,
    answer: int | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Planned:
    """Return the games left to play in a run folder, with their estimated cost.

    `past`: the folder of another run, whose finished games are used as measurements, too; `answer`:
    tokens of a response, instead of an assumption; `tell` is told what takes seconds. Raises
    UserError as the run would.
    """
    manifest.check_code(folder)
    plan = Plan.resolve(experiment, folder)
    plan.check_rule()
    for spec in plan.specs.values():
        spec.seat()  # what a run would refuse, an estimate refuses too
    missing = [records for records in plan.partner_records if not records.exists()]
    games = peek_all(folder)
    others = peek_all(past) if past and past.resolve() != folder.resolve() else {}
    needed = {job.name for job in Stages(plan).needed(finished(folder, games), plan.jobs)}
    if missing:
        left = plan.jobs
    else:
        left = [job for job in open_jobs(plan, games) if job.name in needed]
    waiting = _by_arm([*left, *(chain.from_iterable(records.jobs() for records in missing))])
    every = _by_arm(
        [*plan.jobs, *(chain.from_iterable(records.jobs() for records in plan.partner_records))]
    )
    estimates = Estimates.prepare(plan.specs, games | others, answer)
    arms = tuple(
        _games(estimates, arm, jobs, waiting.get(arm, []), games) for arm, jobs in every.items()
    )
    models = tuple(estimates.models(chain.from_iterable(waiting.values())))
    rows = [*finished(folder, games), *finished(past or folder, others)]
    compared = [job for job in plan.jobs if job.arm not in plan.untested]
    paid = bool(estimates.models(plan.jobs))
    if experiment.coalitions:
        designed = coalitions.listed_names(experiment.coalitions) - {FULL}
    else:
        designed = set()
    singles = [job for job in compared if job.arm not in designed]
    detectable = [
        *_terms(plan, rows, folder if games else past or folder, paid=paid),
        *spread.sentences(experiment, singles, rows, paid=paid, metric=plan.metric, stop=plan.stop),
    ]
    seconds = None if models else _seconds(plan, list(chain.from_iterable(waiting.values())), tell)
    return Planned(arms, models, tuple(plan.notes), tuple(detectable), seconds)


def _terms(plan: Plan, rows: Sequence[Row], measured: Path, *, paid: bool) -> list[str]:
    """Say which terms of a design of coalitions are detectable; `measured`: the folder that
    finished games are in."""
    experiment = plan.experiment
    if experiment.coalitions is None:
        return []
    spreads = coalition_sizes.of_experiment(
        experiment.coalitions, rows, measured, paid=paid, metric=plan.metric
    )
    deals = len(experiment.numbers)
    counts = len(set(experiment.players))
    return list(coalition_sizes.sentences(spreads, experiment.coalitions, deals, counts))


def _by_arm(jobs: Iterable[Job]) -> dict[tuple[str, int], list[Job]]:
    """Group jobs by arm and player count."""
    arms: dict[tuple[str, int], list[Job]] = {}
    for job in jobs:
        arms.setdefault((job.arm, job.deal.players), []).append(job)
    return arms


def _games(
    estimates: Estimates,
    arm: tuple[str, int],
    jobs: list[Job],
    waiting: list[Job],
    games: Mapping[Path, Game],
) -> Games:
    each = [estimates.game(job) for job in waiting or jobs[:1]]
    job = jobs[0]
    if waiting:
        bill = cost_estimate.total(estimate.bill for estimate in each)
    else:
        bill = cost_estimate.NOTHING
    basis = "; ".join(dict.fromkeys(estimate.basis for estimate in each))
    journals = [
        path for job in jobs if (path := job.journal) and path in games and games[path].result
    ]
    if journals:
        size = fmean(path.stat().st_size for path in journals)
    else:  # those of other games that cost so much
        nodes = fmean(
            len(config.nodes) if (config := estimates.specs[key].config) else 0
            for key in job.lineup
        )
        a_turn = LEAN if job.lean else TURN + NODE * nodes
        size = TOKEN * each[0].bill.tokens + prompt_positions.game(job.deal.players).turns * a_turn
    return Games(*arm, len(jobs), len(waiting), bill, basis, len(waiting) * size)


def _seconds(plan: Plan, jobs: Sequence[Job], tell: Callable[[str], None]) -> float | None:
    """Return about how many seconds these games of programs take in one process, by a few turns
    that are played and timed in memory; None where none can be tried."""
    if any(spec.spec.startswith(python_agent.PREFIX) for spec in plan.specs.values()):
        return None  # code of somebody's own may ask a server
    every = list({(job.arm, job.deal.players): job for job in jobs}.values())

    async def turn(job: Job) -> float:
        lineup = seats.lineup(job)
        started = seats.start(job)
        await play_started(lineup, started, max_turns=1)
        begun = time.perf_counter()
        await play_started(lineup, started, max_turns=TRIED)
        return (time.perf_counter() - begun) / TRIED

    try:
        seats = Seats(plan.specs)
        chosen = every[:: max(1, len(every) // TIMED)][:TIMED]
        if chosen:
            tell(f"Playing {TRIED} turns of {many(len(chosen), 'game')} to estimate the time ...")
        turns = [event_loop.run_anywhere(turn(job)) * TURNS[job.deal.players] for job in chosen]
    # an ad-hoc team reads games that are not played yet
    except (UserError, TurnError, Suspended, OSError):
        return None
    if turns:
        return fmean(turns) * len(jobs)
    return None


def data(planned: Planned) -> dict[str, Any]:
    """Return the forecast as plain data."""
    whole = planned.total
    return {
        "games": whole.games,
        "left": whole.left,
        **bill_data(whole.bill),
        "bytes": round(whole.disk),
        "seconds": None if planned.seconds is None else round(planned.seconds, 1),
        "arms": [
            {"arm": each.arm, "players": each.players, "games": each.games, "left": each.left}
            | bill_data(each.bill)
            | {"basis": each.basis, "bytes": round(each.disk)}
            for each in planned.games
        ],
        "said": [*(cost_estimate.assumptions() if planned.probed else []), *planned.prices],
        "notes": planned.notes,
        "detectable": planned.detectable,
    }


def bill_data(bill: Bill) -> dict[str, Any]:
    """Return calls and tokens as whole numbers, money in dollars; `usd` is None where a price is
    not known."""
    usd = bill.usd if bill.usd is None else round(bill.usd, 6)
    return {name: round(value) for name, value in asdict(bill).items() if name != "usd"} | {
        "usd": usd
    }


WHOLE = number(0, grouped=True)
MONEY = number(2, grouped=True)
CALLS = (
    Column("calls", "calls", WHOLE),
    Column("tokens_in", "tokens in", WHOLE),
    Column("tokens_out", "tokens out", WHOLE),
    Column("usd", "usd", MONEY),
)
"""The columns of a bill."""
COLUMNS = (
    Column("arm", "arm"),
    Column("players", "players", RIGHT),
    Column("games", "games", INT),
    Column("left", "left", INT),
    *CALLS,
    Column("basis", "based on"),
)


def blocks(planned: Planned) -> Iterator[Block]:
    """Return the table of arms, and at most four footnotes: disk space, time, what estimates
    assume, prices."""
    arms = list(planned.games)
    if len(arms) > READABLE:  # one row for all arms that cost the same
        alike: dict[tuple[object, ...], list[Games]] = {}
        for each in arms:
            alike.setdefault(
                (each.players, each.games, each.left, each.bill, each.basis), []
            ).append(each)
        arms = []
        for s in alike.values():
            arms.append(_sum(f"{s[0].arm} and {len(s) - 1} more", s) if len(s) > 1 else s[0])
    rows = []
    for each in (*arms, replace(planned.total, basis="")):
        rows.append(
            (
                each.arm,
                str(each.players or ""),
                each.games,
                each.left,
                *astuple(each.bill),
                each.basis,
            )
        )
    yield table("dry-run", COLUMNS, rows, looks=(*("plain" for _ in arms), "strong"))
    room = planned.total.disk
    unit, scale = next(
        ((unit, scale) for unit, scale in (("GB", 1e9), ("MB", 1e6)) if room >= scale), ("kB", 1e3)
    )
    size = f"{room / scale:.{1 if room < 10 * scale else 0}f} {unit}"
    if room:
        journals = f"disk space: about {size} of journals"
    else:
        journals = ""
    took = planned.seconds
    if took is None:
        hours = ""
    else:
        hours = f"time: about {duration(took)} in one process here (estimated from a few turns)"
    brief = (
        journals,
        hours,
        cost_estimate.ASSUMPTIONS_IN_BRIEF if planned.probed else "",
        "; ".join(planned.prices),
    )
    yield from notes((*planned.notes, *planned.detectable, *filter(None, brief)), "aside")


def _sum(arm: str, games: Sequence[Games]) -> Games:
    """Return several rows as one, at the player count that they share."""
    counts = {each.players for each in games}
    return Games(
        arm,
        counts.pop() if arm != "all" else 0,
        sum(each.games for each in games),
        sum(each.left for each in games),
        cost_estimate.total(each.bill for each in games),
        games[0].basis if games else "",
        sum(each.disk for each in games),
    )


# Evaluations without whole games


@dataclass(frozen=True)
class Asked:
    """What an arm asks, or a whole evaluation without arms."""

    arm: str
    units: int
    """Positions, probes or questions."""
    loads: Mapping[str, TurnLoad]
    """All calls and their prompts, by the name of the model."""

    def bill(self, models: Mapping[str, Model]) -> Bill:
        """Return what it costs; `models` by name: what asks no server costs nothing."""
        paid = (
            (load, model) for name, load in self.loads.items() if (model := served(models[name]))
        )
        bills = (bill_of(load, assumed_answer(model), price_of(model)) for load, model in paid)
        return cost_estimate.total(bills)


def loads(calls: Iterable[Call], config: GraphConfig, times: float = 1.0) -> dict[str, TurnLoad]:
    """Return the calls of a graph and their estimated prompt tokens, by the name of the model, so
    many times."""
    count = Counter[str]()
    tokens = Counter[str]()
    for call in (call for call in calls if call.model != PROGRAM):
        node = config.nodes.get(base(call.node))
        name = node.model if node else "default"
        count[name] += 1
        tokens[name] += call.tokens_in
    return {name: TurnLoad(count[name] * times, tokens[name] * times) for name in count}


def exact(models: Mapping[str, Model]) -> dict[str, Model]:
    """Return the models with programs in place of those on servers: they get the same prompts and
    cost nothing."""
    return {name: perturbed(0.0) if served(model) else model for name, model in models.items()}


def estimate(
    asked: Sequence[Asked], models: Mapping[str, Model], unit: str
) -> tuple[dict[str, Any], list[Block]]:
    """Return the estimate as plain data, and as a table with a row for each arm, their sum, and
    what it assumes."""
    arms = [(each.arm, each.units, each.bill(models)) for each in asked]
    total = cost_estimate.total(bill for _, _, bill in arms)
    sentences = list(_sentences(models))
    data = [{"arm": arm, unit: units, **bill_data(bill)} for arm, units, bill in arms]
    sums = (("all", None, total),) if len(arms) > 1 else ()
    rows = [(arm, units, *astuple(bill)) for arm, units, bill in (*arms, *sums)]
    columns = (Column("arm", "asked"), Column("units", unit, INT), *CALLS)
    looks = (*("plain" for _ in arms), *("strong" for _ in sums))
    blocks: list[Block] = [table("dry-run", columns, rows, looks=looks), *notes(sentences, "aside")]
    return {**bill_data(total), "arms": data, "said": sentences}, blocks


def _sentences(models: Mapping[str, Model]) -> Iterator[str]:
    paid = []
    for name in models:
        if model := served(models[name]):
            paid.append(model)
    if not paid:
        yield "no model on a server is asked, so nothing is paid"
        return
    answers = ", ".join(dict.fromkeys(f"{assumed_answer(model)}" for model in paid))
    yield (
        "of the whole run; nothing was asked. Retries, and arms with a model of their own, are "
        f"left out; a response is assumed to have {answers} tokens"
    )
    yield from cost_estimate.about_prices(paid)
