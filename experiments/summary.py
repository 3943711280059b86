"""A run's end: a table per arm and player count, the comparison with the baseline, and the same as data."""

from collections.abc import Container, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments import figures
from experiments.adhoc import EVALUATED
from experiments.cross_play import WITH
from experiments.run import Done
from experiments.statistics import Difference, Summary, compare, summarise
from graphs.config import PROGRAM
from roles.words import percent

TRIALS = 1000
"""Trials per partner that the ad-hoc protocol asks for."""


def summaries(done: Done) -> list[Summary]:
    """In the order of the arms; those of earlier runs come last."""
    order = {arm.name: number for number, arm in enumerate(done.plan.arms)}
    return sorted(summarise(done.rows), key=lambda s: (order.get(s.arm, len(order)), s.arm, s.players))


def data(done: Done) -> dict[str, Any]:
    return {
        "experiment": done.plan.experiment.name,
        "out": str(done.plan.folder),
        "arms": [asdict(one) for one in summaries(done)],
        "differences": [asdict(one) for one in differences(done)],
        "failed": [{"game": one.job.name, "why": one.failed} for one in done.failed],
        "suspended": done.suspended,
        "left": done.left,
        "notes": notes(done),
    }


def differences(done: Done) -> list[Difference]:
    return compare(done.rows, done.plan.baseline) if done.plan.baseline else []


def show(done: Done, console: Console) -> None:
    console.print(_table(summaries(done)))
    if found := differences(done):
        console.print(Text(f"\nless {done.plan.baseline}, deal by deal"))
        console.print(_differences(found, {s.arm for s in summaries(done) if s.simulated}))
    for note in notes(done):
        console.print(Text(note, style="dim"), soft_wrap=True)
    console.print(Text(f"\nresults  {done.plan.folder}/results.csv"), soft_wrap=True)


def _columns(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        table.add_column(name, justify="left" if name == "arm" else "right", no_wrap=True)
    return table


def _table(found: Sequence[Summary]) -> Table:
    table = _columns("arm", "players", "n", "strict", "SE", "SD", "kept", "struck out", "perfect", "turns")
    for s in found:
        shares = percent(s.struck_out), percent(s.perfect)
        means = f"{s.strict:.2f}", _maybe(s.strict_se), _maybe(s.sd), f"{s.kept:.2f}"
        table.add_row(labelled(s.arm, s.simulated), str(s.players), str(s.n), *means, *shares, f"{s.turns:.1f}")
    return table


def _differences(found: Sequence[Difference], simulated: Container[str]) -> Table:
    table = _columns("arm", "players", "deals", "strict", "95 % low", "high")
    for d in found:
        label = labelled(d.arm, d.arm in simulated or d.baseline in simulated)
        table.add_row(label, str(d.players), str(d.deals), f"{d.mean:+.2f}", _maybe(d.low, "+"), _maybe(d.high, "+"))
    return table


def labelled(arm: str, simulated: bool) -> str:
    """A simulated arm is said to be one, for it must never pass for a model's."""
    return f"{arm} (simulated)" if simulated else arm


def _maybe(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.2f}"


def notes(done: Done) -> list[str]:
    """What a reader of the figures must know."""
    found = []
    models = [model for one in done.plan.sitters.values() for model in one.models.values()]
    if all(isinstance(model, str) and model == PROGRAM for model in models):
        found.append("All of these are games of programs: no model was asked.")
    elif any(row.simulated for row in done.rows):
        found.append("Simulated models are programs that err at stated rates; their scores say nothing of a model.")
    trials = [s.n for s in summarise(done.rows) if s.arm.startswith(f"{EVALUATED}{WITH}")]
    if done.plan.experiment.adhoc and trials and min(trials) < TRIALS:
        found.append(f"The protocol asks for at least {TRIALS} trials per partner; the fewest here are {min(trials)}.")
    pairs = done.plan.experiment.adhoc or done.plan.experiment.cross_play
    if pairs and not figures.there():
        found.append(f"Tables are in {figures.FIGURES}/; {figures.MISSING}")
    return found


def failures(done: Done) -> str:
    """The games that failed, as one sentence."""
    named = "; ".join(f"{one.job.name}: {one.failed}" for one in done.failed[:SHOWN])
    more = f"; and {len(done.failed) - SHOWN} more" if len(done.failed) > SHOWN else ""
    whole = len(done.plan.jobs)
    return f"{len(done.failed)} of {whole} games failed: {named}{more}. The same command tries them again"


SHOWN = 5
"""Failed games that are named at the end."""
