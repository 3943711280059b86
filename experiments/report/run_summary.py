"""What `experiment run` prints at the end: tables of the arms and their differences, and conclusions; also as data."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.analysis import adhoc_teams, conclusions, role_controls
from experiments.analysis.adhoc_teams import AdHocTeams
from experiments.analysis.analysis import OTHER, Analysis
from experiments.analysis.caveats import caveats
from experiments.analysis.conclusions import pvalue
from experiments.analysis.differences import Difference
from experiments.analysis.labels import difference_labels, labels
from experiments.analysis.role_controls import RoleControls
from experiments.analysis.summaries import Score, Summary
from experiments.document.terminal import plain_table
from experiments.record import failures, run_folder
from experiments.record.rows import Metric
from experiments.report import adhoc_section, controls_section, order, roles_summary, tables
from experiments.report.figures import drawing
from experiments.report.roles_section import RolesSection
from experiments.report.tables import Grid
from experiments.running.status import Status
from experiments.study import notes as design_notes
from experiments.study.metric import Headline
from experiments.study.rerun import labelled
from experiments.tasks.games.experiment_run import ExperimentDone as Done
from orchestrator.journal.move_origins import COUNTS
from roles.words import percent

CONTROLS = "controls: what each role's effect stands beside; 95 % intervals, not corrected"
APART = "arms that test nothing: the baseline once more (chance alone), and arms that cheat; not corrected"
ALWAYS = ("arm", "players", "moves", "own", "forced")
"""Columns that are shown even where they say nothing."""


def data(done: Done, found: Analysis, headline: Headline, roles: RolesSection) -> dict[str, Any]:
    """The outcome of a run as plain data; `found`: the analysis of its games."""
    return {
        "experiment": done.plan.experiment.name,
        "out": str(done.plan.folder),
        "question": done.plan.experiment.question,
        **analysis_data(found),
        "metric_why": headline.why,
        "roles": roles.data(),
        **({"adhoc": adhoc_teams.data(teams)} if (teams := _teams(done, found)) else {}),
        **({"controls": role_controls.data(controls)} if (controls := _controls(done, found)) else {}),
        "failed": [{"game": game, "why": why} for game, why in done.failed.items()],
        "suspended": done.suspended,
        "left": done.left,
        "this_command": _this_command(done.status),
        "notes": notes(done),
    }


def _this_command(status: Status) -> dict[str, Any]:
    """What the games that this command played have used, and how their moves came about, by arm."""
    return {
        **{name: getattr(status, name) for name in ("answers", "unusable", "fallbacks", "tokens")},
        "usd": status.usd if status.priced else None,
        "fake": status.fake,
        "moves": {arm: {name: counts[name] for name in COUNTS} for arm, counts in status.moves.items()},
    }


def analysis_data(analysis: Analysis) -> dict[str, Any]:
    """An analysis as plain data, with its summaries under `arms`."""
    plain = conclusions.as_data(analysis)
    return {"arms": plain.pop("summaries"), **plain}


def show(done: Done, found: Analysis, headline: Headline, roles: RolesSection, console: Console) -> None:
    warn(found, console)
    if not done.rows:
        for sentence in (*notes(done), *so_far(done)):
            console.print(Text(sentence), soft_wrap=True)
        console.print(
            Text(f"no game is finished yet; `orchestrator games list {done.plan.folder}` lists those begun"),
            soft_wrap=True,
        )
        return
    scores(found, shown := order.comparable(found, done.rows), console)
    if teams := _teams(done, found):
        console.print(Text(f"\n{adhoc_section.TITLE}"))
        console.print(drawn(adhoc_section.grid(teams)))
    more_tables(found, shown, console)
    if controls := _controls(done, found):
        console.print(Text(f"\n{CONTROLS}"))
        console.print(drawn(controls_section.grid(controls)))
    if (apart := controls_section.apart(found)) is not None:
        console.print(Text(f"\n{APART}"))
        console.print(drawn(apart))
    console.print()
    held = controls_section.sentences(controls, found)
    said = (*adhoc_teams.sentences(teams), *conclusions.sentences(found), *held)
    for sentence in (headline.sentence, *said, *notes(done), *so_far(done)):
        console.print(Text(sentence), soft_wrap=True)
    if done.unwritten:
        return
    roles_summary.show(roles, done.plan.folder, console)
    console.print(Text(f"\nreport   {done.plan.folder}/report.html"), soft_wrap=True, end="")
    console.print(Text(f"\nresults  {done.plan.folder}/results.csv"), soft_wrap=True)


def more_tables(found: Analysis, summaries: Sequence[Summary], console: Console) -> None:
    """Whose moves they are, and the differences by both scores."""
    origins(found, console)
    for differing in (found.differences, found.other_differences):
        headline = differing == found.differences or found.metric != found.score
        if differing and (headline or _apart(found)):
            console.print(Text(f"\n{_titled(found, differing[0].metric)}"))
            console.print(differences(differing, summaries))


def _apart(found: Analysis) -> bool:
    """Whether the two scores differ in any game."""
    return any(one.strict != one.kept for one in found.summaries)


def _titled(found: Analysis, metric: str) -> str:
    alone = all(one.unit == "repeats" for one in found.differences)
    than = f" from {found.baseline}" if found.baseline else " of B from A"
    several = len({one.arm for one in found.differences if one.p is not None}) > 1
    named = f"the {metric} score" if metric in OTHER else metric
    return (
        f"difference{than} in {named}, {'repeats of one deal' if alone else 'paired by deal'}"
        f"{'; p is corrected for all arms, intervals are not' if several else ''}"
        f"{'; p and intervals are valid at every look' if found.stopped else ''}"
    )


def warn(found: Analysis, console: Console) -> None:
    """What must be known before the scores."""
    for sentence in caveats(found):
        console.print(Text(sentence, style="magenta"), soft_wrap=True)
    if caveats(found):
        console.print()


def _teams(done: Done, found: Analysis) -> list[AdHocTeams]:
    """The ad-hoc teams of a run; none in any other run."""
    if not done.plan.experiment.adhoc:
        return []
    labels = {**labelled(run_folder.run(done.plan.folder)), **done.plan.labels}  # partners of earlier commands, too
    return adhoc_teams.teams(done.rows, found.summaries, labels)


def _controls(done: Done, found: Analysis) -> list[RoleControls]:
    """Each role's effect beside its controls; none for a run without them."""
    return role_controls.role_controls(found, run_folder.run(done.plan.folder))


def drawn(grid: Grid) -> Table:
    table = plain_table(*grid.columns, words=grid.columns[: grid.words])
    for row in (*grid.rows, *grid.folded):
        table.add_row(*row)
    return table


def origins(found: Analysis, console: Console) -> None:
    """A table of refusals, forced moves and second asks, where there are models or refusals."""
    if (grid := tables.origins(found)) is None:
        return
    console.print(Text("\nwhose moves they are: shares of moves, and means per game"))
    turns = grid.columns.index("turns")
    console.print(_columns(grid, range(turns)))
    if any(one.refused for one in found.summaries):
        console.print(Text("\nturns with a refusal: the first choices (1st) and what was played instead, per game"))
        console.print(_columns(grid, (0, 1, *range(turns, len(grid.columns)))))


def _columns(grid: tables.Grid, chosen: Iterable[int]) -> Table:
    """Some columns of a table, without those that are zero or empty in every row."""
    shown = [
        n for n in chosen if grid.columns[n] in ALWAYS or any(_tells(row[n]) for row in (*grid.rows, *grid.folded))
    ]
    lines = (grid.columns, *grid.rows, *grid.folded)
    columns, *rows = (tuple(row[n] for n in shown) for row in lines)
    return drawn(Grid(columns, tuple(rows)))


def _tells(cell: str) -> bool:
    """Whether a number is there, and not zero."""
    return any(digit in cell for digit in "123456789")


def scores(analysis: Analysis, found: Sequence[Summary], console: Console) -> None:
    """The score that arms are compared by, and the other one where it differs."""
    console.print(arms(found, analysis.score))
    if _apart(analysis):
        console.print(Text(f"\nthe {OTHER[analysis.score]} score"))
        console.print(_arms_by(found, OTHER[analysis.score]))


def arms(found: Sequence[Summary], metric: Metric) -> Table:
    """A score of each arm, and shares of games."""
    return _arms_by(found, metric, "perfect", "struck out", "forced")


def _arms_by(found: Sequence[Summary], metric: Metric, *shares: str) -> Table:
    table = plain_table("arm", "players", "n", metric, "95 %", "SE", "SD", *shares, words=("arm",))
    named, several = labels(found), order.mixed(found)
    for s in found:
        cells = [percent(share) for share in (s.perfect, s.struck_out, s.forced_share)]
        table.add_row(named[s.arm], order.at(s, mixed=several), str(s.n), *_score(s.of(metric)), *cells[: len(shares)])
    return table


def _score(one: Score) -> tuple[str, ...]:
    bounds = "-" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
    return f"{one.mean:.2f}", bounds, _maybe(one.se), _maybe(one.sd)


def differences(found: Sequence[Difference], summaries: Sequence[Summary]) -> Table:
    """The differences as a table; an arm that is compared with a simulated one is marked as simulated, too."""
    stopped = any(d.stop for d in found)
    heads = (found[0].metric, "95 %", "SE", "SD", "p (corr.)" if stopped else "p (Holm)", "W/T/L")
    looks = ("look", "settled") if stopped else ("MDE",)
    table = plain_table("arm", "players", "n", *heads, *looks, words=("arm", "settled"))
    named = difference_labels(summaries, [(d.arm, d.baseline) for d in found])
    several = order.mixed(summaries)
    for d, label in zip(found, named, strict=True):
        bounds = "-" if d.low is None or d.high is None else f"{d.low:+.2f} to {d.high:+.2f}"
        cells = f"{d.mean:+.2f}", bounds, _maybe(d.se), _maybe(d.sd), pvalue(d.p_holm)
        counts = f"{d.wins}/{d.ties}/{d.losses}"
        last = tables.looked(d) or (_maybe(d.mde),)
        table.add_row(label, order.at(d, mixed=several), str(d.n), *cells, counts, *last)
    return table


def _maybe(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def notes(done: Done) -> list[str]:
    """What a reader must know about the protocol and the pictures."""
    asked, rows = done.plan.experiment, done.rows
    found = [*done.plan.notes, *(design_notes.fewest_trials(rows) if asked.adhoc else ())]
    if (asked.adhoc or asked.cross_play) and not drawing.there():
        found.append(f"Tables are in {drawing.FOLDER}/; {drawing.MISSING}")
    return found


def so_far(done: Done) -> Iterator[str]:
    """What the games of a stopped run say before they are finished: above all, whether its models can be read."""
    status = done.status
    if not (done.left and status.answers):
        return
    if status.fake and not any(row.faked for row in done.rows):
        yield "The package's fake server answered, not a language model."
    yield (
        f"So far this command got {status.answers:,} answers of models: {status.unusable:,} were unusable, and "
        f"{status.fallbacks:,} questions got no usable answer."
    )
    counts = {arm: (moves["own"], moves["model_moves"]) for arm, moves in status.moves.items()}
    if shares := [f"{arm} {own:,} of {moves:,}" for arm, (own, moves) in counts.items() if moves]:
        yield f"Moves that the models chose themselves: {', '.join(shares)}."


def failed(done: Done) -> str:
    """The games that failed, as one sentence."""
    return f"{failures.sentence(done.failed, len(done.plan.jobs))}. The same command tries them again"
