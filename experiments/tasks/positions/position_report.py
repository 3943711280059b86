"""The report of a position-level ablation: its tables, sentences, figures and files.

It never names a hidden card.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy
from hanabi_orchestrator.experiments.analysis.compare import Comparison
from hanabi_orchestrator.experiments.document import data, html, latex, markdown
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Document,
    Figure,
    Heading,
    Note,
    Table,
    Text,
    table,
)
from hanabi_orchestrator.experiments.document.formats import INT, PERCENT, PERCENT_INTERVAL, Format
from hanabi_orchestrator.experiments.record.files import write_all
from hanabi_orchestrator.experiments.report import allocation, coalition_tables
from hanabi_orchestrator.experiments.report.figures import coalitions as coalition_figures
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.tasks.positions import decisions, effects
from hanabi_orchestrator.experiments.tasks.positions import sentences as say
from hanabi_orchestrator.experiments.tasks.positions.bank import Label
from hanabi_orchestrator.experiments.tasks.positions.effects import Effects, mean
from hanabi_orchestrator.experiments.tasks.positions.study import PositionStudy
from hanabi_orchestrator.experiments.tasks.positions.study import read as read_study
from hanabi_orchestrator.experiments.tasks.positions.whole_games import FromGames, compare_games
from hanabi_orchestrator.graphs.graph_seat import label as label_of
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.models.usage import Usage
from hanabi_orchestrator.orchestrator.regular_files import below
from hanabi_orchestrator.roles.words import many

POINTS = Format("{:.2f}".format)
SIGNED = Format("{:+.2f}".format)
BOUNDS = Format(lambda pair: f"{pair[0]:+.2f} to {pair[1]:+.2f}")
P = Format(lambda p: f"{p:.3f}" if p >= 0.001 else "< .001")
ARM = Column("arm", "arm", unbroken=True, constant=True)
FLIPS = Column("flips", "flips", PERCENT)
LOSS = Column("loss", "loss", SIGNED)
ROLLED = Column("rolled", "by rollouts", SIGNED)
KEEPS = Column("keeps", "keeps it", PERCENT)
ARMS = (
    ARM,
    Column("positions", "n", INT),
    Column("deals", "deals", INT),
    FLIPS,
    Column("flips_between", "95 %", PERCENT_INTERVAL),
    *(Column(key, key, PERCENT) for key in ("floor", "better", "worse")),
    Column("regret", "regret", POINTS),
    LOSS,
    Column("loss_between", "95 %", BOUNDS),
    Column("p_holm", "p, Holm", P),
    ROLLED,
    Column("rolled_between", "95 %", BOUNDS),
    Column("rerated", "ratings", POINTS),
    KEEPS,
    *(Column(key, key.replace("_", " "), INT) for key in ("calls", "tokens_in", "tokens_out")),
)
KINDS = (
    ARM,
    *(Column(key, key, unbroken=True, constant=True) for key in ("by", "is")),
    Column("n", "n", INT),
    FLIPS,
    LOSS,
    KEEPS,
)
GAMES = (
    ARM,
    FLIPS,
    LOSS,
    ROLLED,
    Column("games", "games score less", SIGNED),
    Column("deals", "deals", INT),
)
CORRELATIONS = (
    Column("figure", "figure", unbroken=True, constant=True),
    Column("n", "arms", INT),
    Column("spearman", "Spearman", SIGNED),
    Column("spearman_p", "p", P),
    Column("pearson", "Pearson", SIGNED),
    Column("pearson_p", "p", P),
)
COSTS = ("calls", "tokens_in", "tokens_out", "usd")
DECISIONS = ("flipped", "better", "worse", "regret", "loss", "rolled", "forced", "keeps")
FEW = 20
"""Deals that differ in value below which intervals of losses hold too seldom, see
docs/evaluate.md."""


# The report


ALLOCATED = allocation.Words(
    "points",
    "decision",
    says="points a decision more than with the graph's own models for all parts,",
    digits=3,
    signed=True,
)
MADE_BY: Mapping[Label, str] = {
    "program": "programs",
    "simulated": "simulated models",
    "model": "models",
    "mixed": "programs and models",
    "none": "nobody",
}
HELD = (
    " The notes of all other nodes are those of the bank, by {label}, and cost what they cost when "
    "they were recorded: `--notes fresh` asks the graph's own models for them."
)


@dataclass(frozen=True)
class Report:
    study: PositionStudy
    effects: Effects
    base: Usage
    """What the baseline asked."""
    rollouts: int = 0
    games: FromGames | None = None
    fake: bool = False
    """Whether the package's fake server answered."""
    tex: bool = False
    """Whether tables for LaTeX are written, too."""

    @property
    def coalitions(self) -> CoalitionStudy | None:
        """What the parts of a design of coalitions add; None for any other run."""
        return self.effects.designed.coalitions

    @property
    def keeps(self) -> float | None:
        """How often the baseline keeps the conventions that probes ask about, in the arm with the
        most positions; None without probes."""
        rows = [effect for effect in self.effects.effects if effect.kept is not None]
        if rows:
            return max(rows, key=lambda effect: effect.positions).kept
        return None


def read(
    folder: Path, *, rollouts: int = 0, games: Path | None = None, tex: bool = False
) -> Report:
    """Return the report of a run of positions, finished or not. Raises UserError for a folder
    without a decision."""
    study = read_study(folder)
    summary = effects.read(folder, study, rollouts)
    base = effects.cost(folder, study, study.baseline)
    beside = compare_games(summary, games) if games else None
    journals = [decisions.samples(path) for path in below(folder, "decisions/*/*.jsonl")]
    fake = any(call.fake for samples in journals for sample in samples for call in sample.calls)
    return Report(study, summary, base, rollouts, beside, fake, tex)


# Tables


def arm_table(report: Report) -> Table:
    """Return a row for each arm, the baseline's costs first."""
    rows = []
    for effect in report.effects.effects:
        arm = effect.arm
        loss = effect.loss
        rolled = effect.rolled
        rows.append(
            vars(effect)
            | _plain(effect.cost)
            | {
                "arm": f"{arm.name} (cheats)" if arm.cheats else arm.name,
                "better": effect.better if effect.flips else None,
                "worse": effect.worse if effect.flips else None,
                "loss": mean(loss),
                "loss_between": loss.interval(),
                "rolled": mean(rolled) if rolled else None,
                "rolled_between": rolled.interval() if rolled else None,
            }
        )
    baseline = {"arm": report.study.baseline.name, "keeps": report.keeps, **_plain(report.base)}
    rerated = any(row["rerated"] is not None for row in rows)
    rollouts = report.rollouts > 0
    optional = {
        "rolled": rollouts,
        "rolled_between": rollouts,
        "rerated": rerated,
        "keeps": report.keeps is not None,
    }
    columns = [column for column in ARMS if optional.get(column.key, True)]
    looks = (
        "plain",
        *("no model" if effect.arm.cheats else "plain" for effect in report.effects.effects),
    )
    cells = []
    for row in (baseline, *rows):
        cells.append([row.get(column.key) for column in columns])
    return table("arms", columns, cells, looks=looks)


def kind_table(report: Report) -> Table:
    """Return a row for each arm and kind of position."""
    rows = []
    for effect in report.effects.effects:
        for row in effect.by_kind:
            rows.append((effect.arm.name, *row))
    if report.keeps is None:
        return table("kinds", KINDS[:-1], [row[:-1] for row in rows])
    return table("kinds", KINDS, rows)


def game_tables(games: FromGames | None) -> tuple[Table, ...]:
    """Return the arms that whole games have, too, and the correlations over them."""
    if games is None:
        return ()
    arms = [(arm.name, arm.flips, arm.loss, arm.rolled, arm.games, arm.deals) for arm in games.arms]
    rows = []
    for row in games.correlations:
        rows.append([getattr(row, column.key) for column in CORRELATIONS])
    return table("games", GAMES, arms), *(
        [table("correlations", CORRELATIONS, rows)] if rows else []
    )


def allocations(report: Report) -> Table | None:
    """Return which part deserves the better model, by decisions; None for a design without
    another model."""
    design = report.study.experiment.coalitions
    if design is None or not report.effects.played:
        return None
    models = report.study.experiment.models.values()
    simulated = any(is_simulated(label_of(model)) for model in models)
    part = allocation.allocation(design, report.effects.played, ALLOCATED, simulated=simulated)
    if report.study.experiment.notes == "recorded":
        held = HELD.format(label=MADE_BY[report.study.bank.head.label])
        return replace(part, caption=part.caption + held)
    return part


# Words


def words(report: Report) -> list[Text | Note]:
    """Return the report in sentences: what it shows, what was asked, and how to read the
    figures."""
    contrasts = report.study.experiment.contrasts
    texts = list(say.sentences(report.effects, contrasts))
    games = report.games
    if games and not games.correlations:
        texts.append(say.UNCORRELATED(n=len(games.arms), folder=games.folder))
    for row in games.correlations if games else ():
        if row.spearman is None:
            texts.append(say.EQUAL_ARMS(figure=row.figure, n=row.n))
        else:
            p = P.text(row.spearman_p)
            if not p.startswith("<"):
                p = f"= {p}"
            texts.append(
                say.CORRELATED(figure=row.figure, n=row.n, size=f"{row.spearman:+.2f}", p=f"p {p}")
            )
    return [
        *map(Text, texts),
        *(Note(text, "aside") for text in notes(report)),
        *_provenance(report),
    ]


def notes(report: Report) -> Iterator[str]:
    """Yield how to read the figures."""
    head = report.study.bank.head
    experiment = report.study.experiment
    rows = report.effects.effects
    if experiment.notes == "recorded":
        how = f"held fixed as recorded ({head.label})"
    else:
        how = "made once and shared by all arms"
    number = len(report.study.positions)
    if number == head.positions:
        first = ""
    else:
        first = f" ({number} of them asked about)"
    models = ", ".join(f"{name}: {label_of(model)}" for name, model in experiment.models.items())
    graph = report.study.baseline.everybody.name
    yield (
        f"Bank {head.name}, {many(head.positions, 'position')}{first}, {head.digest}; graph {graph}; "
        f"models {models}; colleagues' notes {how}."
    )
    yield (
        "Flips are decisions that differ from the baseline's; better and worse are shares of "
        "them. Regret is what the best move is worth more; loss, what the baseline's move is "
        "worth more; both in points a decision by exact one-step value, which looks one move "
        "ahead. Positions of a deal are averaged first; intervals are over deals."
    )
    if report.keeps is not None:
        yield (
            "Keeps it: the share of decisions that keep the convention which the position asks "
            "about. A note may be worth nothing by value and yet be what the convention needs."
        )
    if report.rollouts:
        yield (
            "By rollouts: what the baseline's move is worth more in the final score, "
            f"{report.rollouts} deals for each pair of moves that differ, convention players to "
            "the end; p and the sentences are about it."
        )
    if any(row.floor is None and not row.arm.is_noise_floor for row in rows):
        yield "Without a noise floor every flip counts, also one that another draw would make."
    if few := [
        row.arm.name for row in rows if not row.arm.is_noise_floor and 0 < row.lost_on < FEW
    ]:
        yield (
            f"Fewer than {FEW} deals differ in value in {', '.join(few)}: a 95 % interval of so "
            "few skewed losses holds the true one in about 75 to 90 % of studies."
        )
    if missing := [
        arm.name for arm in report.study.arms[1:] if not report.effects.outcomes.get(arm.name)
    ]:
        yield (
            f"Nothing was decided in {', '.join(missing)}: not asked yet, or no position had a "
            "note to put there."
        )
    yield from report.study.remarks


def _provenance(report: Report) -> Iterator[Note]:
    """Yield what no language model made."""
    label = report.study.bank.head.label
    if report.study.experiment.notes == "recorded" and label in ("program", "simulated"):
        yield Note(
            f"The colleagues' notes are those of {label} games: no language model wrote them.",
            "no model",
        )
    yield from _deciders(report)


def _deciders(report: Report) -> Iterator[Note]:
    """Yield who decided, where it was no language model."""
    if report.fake:
        yield Note(
            "Decisions are those of the package's fake server, of no language model.", "no model"
        )
    names = map(label_of, report.study.experiment.models.values())
    kinds = set()
    for name in names:
        kinds.add("simulated models" if is_simulated(name) else name)
    if kinds <= {PROGRAM, "simulated models"}:
        deciders = " and ".join(sorted(kinds)).replace(PROGRAM, "programs")
        yield Note(f"Decisions are those of {deciders}, of no language model.", "no model")


# Forms


@dataclass(frozen=True)
class Drawn:
    """The data of figures."""

    folder: Path
    coalitions: CoalitionStudy | None
    label: str
    """Who decided, where it was no language model."""


def blocks(report: Report) -> list[Block]:
    """Return what a terminal shows."""
    games = [Text(f"beside the games of {report.games.folder}")] if report.games else []
    study = report.coalitions
    parts = [coalition_tables.brief(study)] if study and study.effects else []
    if allocated := allocations(report):
        parts.append(allocation.front(allocated))
    return [*parts, arm_table(report), *games, *game_tables(report.games), *words(report)]


def document(report: Report, figures: Sequence[Figure] = ()) -> Document:
    """Return the report as one page."""
    question = report.study.experiment.question
    parts: list[Block] = [Text(question)] if question else []
    parts += [*words(report), *figures, *_coalition_blocks(report)]
    parts += [arm_table(report), Heading("By kind of position"), kind_table(report)]
    if report.games:
        parts += [Heading(f"Beside the games of {report.games.folder}"), *game_tables(report.games)]
    return Document(report.study.experiment.name, tuple(parts))


def _coalition_blocks(report: Report) -> Iterator[Block]:
    yield from coalition_tables.of_study(report.coalitions)
    if allocated := allocations(report):
        yield allocated


def write(report: Report, folder: Path) -> list[Path]:
    """Write report.md, report.html, figures, the CSVs, and where they are wanted the tables for
    LaTeX.

    Raises OSError.
    """
    decisions = []
    for name, rows in report.effects.outcomes.items():
        for row in rows:
            place = {"arm": name, "position": row.position.name, "deal": row.position.deal}
            decisions.append(place | {key: getattr(row, key) for key in DECISIONS})
    drawn = Drawn(folder, report.coalitions, next((note.text for note in _deciders(report)), ""))
    figures, _ = drawing.draw_each(coalition_figures.figures(drawn), drawn)
    page = document(report, figures)
    texts = {
        "report.md": markdown.text(page),
        "report.html": html.page(page),
        "arms.csv": data.csv_words(arm_table(report)),
        "kinds.csv": data.csv_words(kind_table(report)),
        "decisions.csv": data.csv_text(decisions),
        **({"arms.tex": latex_tables(report)} if report.tex else {}),
    }
    return write_all(folder, texts)


def latex_tables(report: Report) -> str:
    """Return all tables for LaTeX (booktabs), to be read with \\input."""
    name = report.study.experiment.name
    folder = report.games.folder if report.games else ""
    about = " ".join(part.text for part in words(report) if isinstance(part, Note))
    captions = {
        "arms": f"Arms of {name} beside the baseline. {about}",
        "kinds": f"Arms of {name} by kind of position, means over positions.",
        "games": f"Arms of {name} on positions and in the games of {folder}, points a decision and "
        "points a game.",
        "correlations": (
            f"Correlation over arms of {name} with {folder}; p: two-sided, by permutation of the "
            "arms."
        ),
    }
    tables = [arm_table(report), kind_table(report), *game_tables(report.games)]
    for part in _coalition_blocks(report):
        if isinstance(part, Table):
            tables.append(part)
            captions[part.key] = f"{part.title} in {name}. {part.caption}"
    head = f"Tables of {name}, made by `orchestrator report --latex`; with booktabs."
    return latex.tables([replace(part, caption=captions[part.key]) for part in tables], head, name)


def json_value(report: Report) -> dict[str, Any]:
    """Return what `--json` prints."""
    head = report.study.bank.head
    arms = []
    for row in report.effects.effects:
        arms.append(
            {field.name: _plain(getattr(row, field.name)) for field in fields(row)}
            | {
                "arm": row.arm.name,
                "kind": row.arm.kind,
                "nodes": list(row.arm.nodes),
                "cheats": row.arm.cheats,
            }
        )
    return {
        "study": report.study.experiment.name,
        "bank": {"name": head.name, "digest": head.digest, "label": head.label},
        "baseline": _plain(report.base),
        "arms": arms,
        "coalitions": _designed(report),
        "contrasts": [asdict(each) for each in report.effects.designed.contrasts],
        "games": asdict(report.games) if report.games else None,
        "sentences": [part.text for part in words(report)],
    }


def _designed(report: Report) -> dict[str, Any] | None:
    """Return what a design of coalitions shows, as games have it; None without one."""
    study = report.coalitions
    if study is None:
        return None
    costs = allocation.plain(study.design, report.effects.played)
    return {**coalition_tables.terms(study), **costs}


def _plain(value: Any) -> Any:
    """Return what an effect has, as plain data; of a comparison its mean, interval and p."""
    if isinstance(value, Comparison):
        low, high = value.interval() or (None, None)
        return {"mean": mean(value), "low": low, "high": high, "p": value.p}
    if isinstance(value, Usage):
        return {key: getattr(value, key) for key in COSTS}
    return value
