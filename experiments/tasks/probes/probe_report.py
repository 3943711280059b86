"""The report of runs of probes, and lists of probes: tables of the conventions that players keep,
and notes on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.analysis.statistics.clusters import plain_share, pooled_share
from hanabi_orchestrator.experiments.document import data, markdown
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Document,
    Note,
    Table,
    table,
)
from hanabi_orchestrator.experiments.document.formats import INT, PERCENT, PERCENT_ESTIMATE
from hanabi_orchestrator.experiments.record.files import write_all
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.tasks.probes import bank
from hanabi_orchestrator.experiments.tasks.probes.convention import LITERAL
from hanabi_orchestrator.experiments.tasks.probes.probe import Probe
from hanabi_orchestrator.experiments.tasks.probes.probe_run import (
    FOLDER,
    Record,
    path_of,
    probes_of,
)
from hanabi_orchestrator.experiments.tasks.question_folder import ANSWERED, distinct_names
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, GameEnded
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions
from hanabi_orchestrator.roles.role_options import defaults
from hanabi_orchestrator.roles.words import many, percent

PACK = (
    Column("pack", "pack", unbroken=True, constant=True),
    Column("convention", "convention", unbroken=True),
)
GUESSING = (Column("guessing", "guessing", PERCENT), Column("literal", "literal", PERCENT))
LONG = 100
"""Characters of what one other player may do."""


ALL = "all"
"""In place of a convention: all of the pack's."""


@dataclass(frozen=True)
class Answer:
    """The decision in a probe."""

    probe: Probe
    move: Move
    forced: bool
    """True if no choice of the player's was accepted, so that the safest legal move was played."""
    path: Path

    @property
    def keeps(self) -> bool:
        """True if the move keeps the convention."""
        return self.probe.keeps(self.move)


@dataclass(frozen=True)
class Run:
    """A run of probes, as far as it has come."""

    folder: Path
    record: Record
    probes: tuple[Probe, ...]
    answers: tuple[Answer, ...]
    calls: tuple[Call, ...]
    """The calls of models, whatever became of them."""

    @property
    def name(self) -> str:
        """The player, with its model."""
        seat = self.record.seat
        if seat.config is None:
            return seat.graph
        return f"{seat.graph}, {seat.model.partition('@http')[0]}"

    @property
    def label(self) -> str | None:
        """What answered, where that is no language model."""
        fake = any(call.fake for call in self.calls)
        return next(reversed(Provenance.of_models(self.record.seat.model, fake=fake).labels), None)


@dataclass(frozen=True)
class Other:
    """A player of another convention, in the probes of one."""

    name: str
    probes: int
    """The probes in which this player has a move."""
    keeps: float
    """How often that player keeps the convention, 0-1: a move drawn where several are as good."""
    like: float
    """How often the asked player made a move of that player, 0-1."""
    apart: bool
    """True if the probes of the convention were made to tell this player from one who keeps it."""


@dataclass(frozen=True)
class Score:
    """A convention of a pack, or all of them."""

    pack: str
    convention: str
    probes: int
    decks: int
    kept: int
    """The probes whose move keeps it."""
    interval: tuple[float, float]
    """95 %: Wilson's for a convention, over decks for all."""
    chance: float
    """How often a legal move drawn at random keeps it."""
    forced: int
    others: tuple[Other, ...]

    @property
    def share(self) -> float:
        """The share of probes whose move keeps it, 0-1."""
        return self.kept / self.probes

    @property
    def literal(self) -> float:
        """How often a player without conventions keeps it."""
        return next(other.keeps for other in self.others if other.name == LITERAL)


def run_of(folder: Path) -> Run:
    """Return the run in a folder. Raises UserError when there is none."""
    record = FOLDER.read(folder)
    probes = tuple(probes_of(folder))
    answers = list[Answer]()
    calls = list[Call]()
    for probe in probes:
        path = path_of(folder, probe)
        events = journal.read(path) if path.exists() else []
        calls += [event for event in events if isinstance(event, Call) and event.of_model]
        decided = []
        for event in events:
            if isinstance(event, Decided) and event.turn == probe.turn:
                decided.append(event)
        if decided and isinstance(events[-1], GameEnded):
            answers.append(Answer(probe, decided[0].move, decided[0].forced, path))
    return Run(folder, record, probes, tuple(answers), tuple(calls))


def scores(run: Run) -> list[Score]:
    """Return the score of each convention that has answers, in the order of its pack, and after
    each pack of all."""
    packs: dict[str, dict[str, list[Answer]]] = {}
    for answer in run.answers:
        packs.setdefault(answer.probe.pack, {}).setdefault(answer.probe.convention, []).append(
            answer
        )
    rows = []
    for pack, conventions in packs.items():
        rows += [_score(pack, name, answers) for name, answers in conventions.items()]
        if len(conventions) > 1:
            rows.append(
                _score(pack, ALL, [answer for answer in run.answers if answer.probe.pack == pack])
            )
    return rows


def _score(pack: str, convention: str, answers: Sequence[Answer]) -> Score:
    """Return a score; a convention's probes come from decks of their own, but all of a pack share
    some."""
    over_decks = pooled_share(
        ((answer.probe.players, answer.probe.deck), answer.keeps) for answer in answers
    )
    if convention == ALL:
        share = over_decks
    else:
        share = plain_share(answer.keeps for answer in answers)
    others = []
    for name in dict.fromkeys(chain.from_iterable(answer.probe.others for answer in answers)):
        rows = [answer for answer in answers if name in answer.probe.others]
        keeps = (row.probe.share(name) for row in rows)
        like = (row.move in row.probe.others[name] for row in rows)
        apart = all(name in answer.probe.apart for answer in answers)
        others.append(Other(name, len(rows), fmean(keeps), fmean(like), apart))
    return Score(
        pack,
        convention,
        len(answers),
        over_decks.clusters,
        sum(answer.keeps for answer in answers),
        share.interval,
        fmean(answer.probe.chance for answer in answers),
        sum(answer.forced for answer in answers),
        tuple(others),
    )


# The report


@dataclass(frozen=True)
class Report:
    """The figures of runs."""

    names: tuple[str, ...]
    """The names of the runs: the player, and the folder, too, where several have the same."""
    runs: tuple[Run, ...]
    scores: tuple[tuple[Score, ...], ...]
    """The scores of each run."""


def read(folders: Sequence[Path]) -> Report:
    """Return the report of the runs in these folders. Raises UserError for a folder without
    answers."""
    runs = tuple(map(run_of, folders))
    for run in runs:
        if not run.answers:
            raise UserError(
                f"{str(run.folder)!r} holds no answer yet; `evaluate probes` with the same --out "
                "goes on"
            )
    names = distinct_names([(run.name, run.folder) for run in runs])
    return Report(names, runs, tuple(tuple(scores(run)) for run in runs))


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the table of one run in detail, or of several side by side, and the notes on it."""
    return (
        _detailed(report.scores[0]) if len(report.runs) == 1 else _side_by_side(report),
        *_notes(report),
    )


def _detailed(rows: Sequence[Score]) -> Table:
    columns = (
        *PACK,
        Column("probes", "probes", INT),
        Column("share", "keeps it", PERCENT_ESTIMATE),
        *GUESSING,
    )
    return table(
        "conventions",
        (*columns, Column("like", "else plays like")),
        [
            (s.pack, s.convention, s.probes, (s.share, *s.interval), s.chance, s.literal, _like(s))
            for s in rows
        ],
        looks=tuple("strong" if row.convention == ALL else "plain" for row in rows),
    )


def _side_by_side(report: Report) -> Table:
    runs = []
    for rows in report.scores:
        runs.append({(score.pack, score.convention): score for score in rows})
    first = dict(chain.from_iterable(rows.items() for rows in reversed(runs)))
    places = list(dict.fromkeys(chain.from_iterable(runs)))
    lines = []
    for place in places:
        shares = (
            (score.share, *score.interval) if (score := rows.get(place)) else None for rows in runs
        )
        lines.append((*place, first[place].chance, first[place].literal, *shares))
    columns = (*PACK, *GUESSING, *(Column(name, name, PERCENT_ESTIMATE) for name in report.names))
    looks = tuple("strong" if convention == ALL else "plain" for _, convention in places)
    return table("conventions", columns, lines, looks=looks)


def _like(score: Score) -> str | None:
    """Return the players from whom the probes tell, and whose move was made, the most frequent
    first; None for none."""
    rivals = sorted(
        (other for other in score.others if other.apart and other.like),
        key=lambda other: -other.like,
    )
    return ", ".join(f"{rival.name} {percent(rival.like)}" for rival in rivals) or None


def _notes(report: Report) -> Iterator[Note]:
    """Yield what a reader of the table must know."""
    yield Note(
        "Keeps it: the share of probes in which the move keeps the convention, with its 95 % "
        "interval (Wilson's; over decks in the lines `all`). Guessing: a legal move at random. "
        "Literal: a player without conventions (iggi).",
        "aside",
    )
    for name, run in zip(report.names, report.runs, strict=True):
        if run.label:
            yield Note(f"{name}: {PROGRAMS.get(run.label) or ANSWERED[run.label]}", "no model")
        yield from (Note(f"{name}: {text}", "aside") for text in _run_notes(run))
    probes = []
    for run in report.runs:
        probes.append({answer.probe.name: answer.probe for answer in run.answers})
    if any(row != probes[0] for row in probes):
        text = (
            "The runs did not decide the same probes; compare them only where their numbers of "
            "probes are the same."
        )
        yield Note(text, "caution")


PROGRAMS = {
    "simulated": "no language model, but programs with errors at stated rates.",
    "program": "no model; programs alone.",
}


def _run_notes(run: Run) -> Iterator[str]:
    if run.record.seat.config is not None:
        packs = packs_in_prompts(run.record.seat.config)
        if packs:
            which = f"tells {' and '.join(packs)}"
        else:
            which = "tells no conventions"
        for pack in dict.fromkeys(answer.probe.pack for answer in run.answers):
            if pack not in packs:
                yield (
                    f"the graph {which}, so its probes of {pack} show what it does without "
                    "being told that pack."
                )
    if any(call.paid for call in run.calls):
        used = sum((call.usage for call in run.calls), NO_USAGE)
        price = "" if used.usd is None else f", ${used.usd:.4f}"
        yield (
            f"{many(len(run.calls), 'call')}, {used.tokens_in:,} tokens in, {used.tokens_out:,} "
            f"out{price}."
        )
    if missing := len(run.probes) - len(run.answers):
        yield (
            f"Not decided: {missing} of {many(len(run.probes), 'probe')}; the same `evaluate "
            "probes` goes on."
        )
    if forced := sum(answer.forced for answer in run.answers):
        moves = many(forced, "forced move")
        yield f"{moves}, as no choice was accepted; they count as any others."


def packs_in_prompts(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the convention packs that the nodes of a recorded graph get, each once: a model can
    only keep to rules that it was told, or brings along."""
    graph = checked(dict(config), "the run's graph")
    packs = []
    for name in graph.nodes:
        for kind, options in graph.kinds(name):
            if kind is Conventions:
                packs.append({**defaults(kind.choices), **options}["pack"])
    return tuple(dict.fromkeys(str(pack) for pack in packs if pack != "none"))


def rows(report: Report) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all runs: each convention, each player of another convention, and each
    decision."""
    runs = list(zip(report.names, report.runs, report.scores, strict=True))
    conventions = []
    for name, run, scores in runs:
        for score in scores:
            conventions.append(
                {
                    "player": name,
                    "folder": str(run.folder),
                    "answered_by": run.label or "model",
                    **{
                        key: getattr(score, key)
                        for key in ("pack", "convention", "probes", "decks", "kept", "share")
                    },
                    **dict(zip(("low", "high"), score.interval, strict=True)),
                    "guessing": score.chance,
                    "literal": score.literal,
                    "forced": score.forced,
                }
            )
    others = []
    for name, _, scores in runs:
        for score in scores:
            for other in score.others:
                others.append(
                    {
                        "player": name,
                        "pack": score.pack,
                        "convention": score.convention,
                        **asdict(other),
                    }
                )
    answers = []
    for name, run, _ in runs:
        for answer, probe in ((answer, answer.probe) for answer in run.answers):
            answers.append(
                {
                    "player": name,
                    "probe": probe.name,
                    "move": str(answer.move),
                    "keeps": int(answer.keeps),
                    "answers": ", ".join(map(str, probe.answers)),
                    "like": ", ".join(
                        other for other, moves in probe.others.items() if answer.move in moves
                    ),
                    "forced": int(answer.forced),
                    **{key: getattr(probe, key) for key in ("chance", "question", "why")},
                    "journal": str(answer.path.relative_to(run.folder)),
                }
            )
    return {
        "conventions": conventions,
        "others": others,
        "answers": answers,
    }


def json_value(report: Report) -> dict[str, Any]:
    """Return what `--json` prints."""
    tables = rows(report)
    notes = [note.text for note in _notes(report)]
    return {"conventions": tables["conventions"], "others": tables["others"], "notes": notes}


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report as Markdown and its rows as CSV. Raises OSError."""
    texts = {"report.md": markdown.text(Document("Conventions kept", blocks(report)))}
    texts |= {f"{name}.csv": data.csv_text(lines) for name, lines in rows(report).items()}
    return write_all(folder, texts)


# Probes


LISTED = (
    *PACK,
    Column("probes", "probes", INT),
    Column("guessing", "guessing", INT),
    Column("tells from", "tells from"),
    Column("rule", "rule"),
)


def probe_list(probes: Sequence[Probe], packs: Sequence[str]) -> Table:
    """Return a row for each convention of these packs, with its probes."""
    rows = []
    for name in packs:
        for convention in bank.pack(name).conventions:
            same = []
            for probe in probes:
                if (probe.pack, probe.convention) == (name, convention.name):
                    same.append(probe)
            if same:
                guessing = round(sum(probe.chance for probe in same) / len(same), 3)
                rows.append(
                    (
                        name,
                        convention.name,
                        len(same),
                        guessing,
                        ", ".join(same[0].apart),
                        convention.rule,
                    )
                )
    return table("conventions", LISTED, rows)


def probe_facts(probe: Probe) -> Table:
    """Return the question of a probe, the moves that keep the convention, and what other players
    do."""
    moves = [f"{name}: {' or '.join(map(str, moves))}" for name, moves in probe.others.items()]
    rows = [
        ("asked", f"P{probe.seat}: {probe.question}"),
        ("keeps it", " or ".join(map(str, probe.answers))),
        ("because", probe.why),
        ("guessing", f"{percent(probe.chance)} of the {len(probe.view.legal)} legal moves"),
        ("others", "; ".join(text if len(text) < LONG else f"{text[:LONG]} ..." for text in moves)),
    ]
    return table("probe", (Column("name", ""), Column("text", "")), rows)


def probe_data(probe: Probe) -> dict[str, Any]:
    """Return a probe with its question, position, answers and what others do, as plain data."""
    return {
        **probe.model_dump(mode="json"),
        "turn": probe.turn,
        "seat": probe.seat,
        "legal": [str(move) for move in probe.view.legal],
        "chance": probe.chance,
    }
