"""The report of a position-level ablation: its tables, sentences and files; and effects beside those of
whole games.

It never names a hidden card.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.analysis.compare import Comparison
from experiments.analysis.statistics.clusters import cluster_means
from experiments.analysis.statistics.correlation import LEAST, Correlation, correlate
from experiments.document import data, latex, markdown
from experiments.document.blocks import Block, Column, Document, Heading, Note, Table, Text, table
from experiments.document.formats import INT, PERCENT, PERCENT_INTERVAL, Format
from experiments.record import run_folder
from experiments.record.files import write_all
from experiments.tasks.positions import decisions, effects
from experiments.tasks.positions import sentences as say
from experiments.tasks.positions.effects import Effects, Outcome, mean
from experiments.tasks.positions.study import PositionStudy
from experiments.tasks.positions.study import read as read_study
from graphs.graph_seat import label as label_of
from orchestrator.errors import UserError
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.models.usage import Usage
from orchestrator.regular_files import below

POINTS = Format("{:.2f}".format)
SIGNED = Format("{:+.2f}".format)
BOUNDS = Format(lambda pair: f"{pair[0]:+.2f} to {pair[1]:+.2f}")
P = Format(lambda p: f"{p:.3f}" if p >= 0.001 else "< .001")
ARM = Column("arm", "arm", unbroken=True, constant=True)
FLIPS, LOSS = Column("flips", "flips", PERCENT), Column("loss", "loss", SIGNED)
ROLLED, KEEPS = Column("rolled", "by rollouts", SIGNED), Column("keeps", "keeps it", PERCENT)
ARMS = (
    *(ARM, Column("positions", "n", INT), Column("deals", "deals", INT), FLIPS),
    Column("flips_between", "95 %", PERCENT_INTERVAL),
    *(Column(key, key, PERCENT) for key in ("floor", "better", "worse")),
    *(
        Column("regret", "regret", POINTS),
        LOSS,
        Column("loss_between", "95 %", BOUNDS),
        Column("p_holm", "p, Holm", P),
    ),
    *(ROLLED, Column("rolled_between", "95 %", BOUNDS), Column("rerated", "ratings", POINTS), KEEPS),
    *(Column(key, key.replace("_", " "), INT) for key in ("calls", "tokens_in", "tokens_out")),
)
KINDS = (
    *(ARM, *(Column(key, key, unbroken=True, constant=True) for key in ("by", "is"))),
    *(Column("n", "n", INT), FLIPS, LOSS, KEEPS),
)
GAMES = (ARM, FLIPS, LOSS, ROLLED, Column("games", "games score less", SIGNED), Column("deals", "deals", INT))
CORRELATIONS = (
    *(Column("figure", "figure", unbroken=True, constant=True), Column("n", "arms", INT)),
    *(Column("spearman", "Spearman", SIGNED), Column("spearman_p", "p", P)),
    *(Column("pearson", "Pearson", SIGNED), Column("pearson_p", "p", P)),
)
COSTS = ("calls", "tokens_in", "tokens_out", "usd")
DECISIONS = ("flipped", "better", "worse", "regret", "loss", "rolled", "forced", "keeps")
FEW = 20
"""Deals that differ in value below which intervals of losses hold too seldom, see docs/evaluate.md."""


# Beside whole games


@dataclass(frozen=True)
class ArmInBoth:
    name: str
    flips: float
    loss: float
    """By one-step values, in points a decision."""
    rolled: float | None
    """By rollouts."""
    games: float
    """Points that whole games of the arm score less than those of the baseline, paired by deal."""
    deals: int
    """Deals of the games."""


@dataclass(frozen=True)
class FromGames:
    folder: str
    arms: tuple[ArmInBoth, ...]
    """The largest loss in games first."""
    correlations: tuple[Correlation, ...]


FIGURES: Mapping[str, Callable[[Outcome], float]] = {
    "flips": lambda outcome: outcome.flipped,
    "loss by one-step value": lambda outcome: outcome.loss,
    "loss by rollouts": lambda outcome: outcome.rolled or 0.0,
}


def compare_games(effects: Effects, run: Path) -> FromGames:
    """Compare a run of positions with a run of games, whose arms are matched by their names (`no-analyst`).

    Over arms, figures of positions are correlated with the mean paired difference of whole games. Arms that cheat and
    noise floors are left out: the baseline once more is near 0 in both. Raises UserError when the runs share no arm.
    """
    games = _losses(run)
    rows = [e for e in effects.effects if e.arm.name in games and not e.arm.cheats and not e.arm.is_noise_floor]
    if not rows:
        raise UserError(
            f"no arm of {str(run)!r} has the name of an arm of positions; its arms are: {', '.join(games) or 'none'}"
        )
    names = [row.arm.name for row in rows]
    arms = [
        ArmInBoth(
            row.arm.name,
            row.flips,
            mean(row.loss),
            mean(row.rolled) if row.rolled else None,
            fmean(games[row.arm.name].values()),
            len(games[row.arm.name]),
        )
        for row in rows
    ]
    figures = [name for name in FIGURES if "rollouts" not in name or all(row.rolled for row in rows)]
    correlations = [
        correlate(
            figure,
            [_over_deals(FIGURES[figure], effects.outcomes[name]) for name in names],
            [fmean(games[name].values()) for name in names],
        )
        for figure in figures
        if len(names) >= LEAST
    ]
    return FromGames(run.name, tuple(sorted(arms, key=lambda arm: -arm.games)), tuple(correlations))


def _over_deals(figure: Callable[[Outcome], float], outcomes: Sequence[Outcome]) -> float:
    return fmean(cluster_means((row.position.deal, figure(row)) for row in outcomes).values())


def _losses(run: Path) -> dict[str, dict[str, float]]:
    """Return by arm how much less it scores than the baseline on shared deals, by seed: the same deck at all counts."""
    baseline = run_folder.run(run).get("baseline")
    if not baseline:
        raise UserError(f"the run in {str(run)!r} has no baseline, so its arms have no paired differences")
    means = cluster_means(((row.arm, row.seed, row.players), row.score_strict) for row in run_folder.read_rows(run))
    losses: dict[str, list[tuple[str, float]]] = {arm: [] for arm, *_ in means if arm != baseline}
    for (arm, seed, players), score in means.items():
        standard = means.get((baseline, seed, players))
        if arm != baseline and standard is not None:
            losses[arm].append((str(seed), standard - score))
    return {arm: cluster_means(deals) for arm, deals in losses.items() if deals}


# The report


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
    def keeps(self) -> float | None:
        """How often the baseline keeps the conventions that probes ask about, in the arm with the most positions; None
        without probes."""
        rows = [effect for effect in self.effects.effects if effect.kept is not None]
        return max(rows, key=lambda effect: effect.positions).kept if rows else None


def read(folder: Path, *, rollouts: int = 0, games: Path | None = None, tex: bool = False) -> Report:
    """Return the report of a run of positions, finished or not. Raises UserError for a folder without a decision."""
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
        arm, loss, rolled = effect.arm, effect.loss, effect.rolled
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
    rerated, rollouts = any(row["rerated"] is not None for row in rows), report.rollouts > 0
    optional = {"rolled": rollouts, "rolled_between": rollouts, "rerated": rerated, "keeps": report.keeps is not None}
    columns = [column for column in ARMS if optional.get(column.key, True)]
    looks = ("plain", *("no model" if effect.arm.cheats else "plain" for effect in report.effects.effects))
    return table("arms", columns, [[row.get(c.key) for c in columns] for row in (baseline, *rows)], looks=looks)


def kind_table(report: Report) -> Table:
    """Return a row for each arm and kind of position."""
    rows = [(effect.arm.name, *row) for effect in report.effects.effects for row in effect.by_kind]
    if report.keeps is None:
        return table("kinds", KINDS[:-1], [row[:-1] for row in rows])
    return table("kinds", KINDS, rows)


def game_tables(games: FromGames | None) -> tuple[Table, ...]:
    """Return the arms that whole games have, too, and the correlations over them."""
    if games is None:
        return ()
    arms = [(arm.name, arm.flips, arm.loss, arm.rolled, arm.games, arm.deals) for arm in games.arms]
    rows = [[getattr(row, column.key) for column in CORRELATIONS] for row in games.correlations]
    return table("games", GAMES, arms), *([table("correlations", CORRELATIONS, rows)] if rows else [])


# Words


def words(report: Report) -> list[Text | Note]:
    """Return the report in sentences: what it shows, what was asked, and how to read the figures."""
    texts, games = list(say.sentences(report.effects)), report.games
    if games and not games.correlations:
        texts.append(say.UNCORRELATED(n=len(games.arms), folder=games.folder))
    for row in games.correlations if games else ():
        if row.spearman is None:
            texts.append(say.EQUAL_ARMS(figure=row.figure, n=row.n))
        else:
            p = f"{'' if str(P.text(row.spearman_p)).startswith('<') else '= '}{P.text(row.spearman_p)}"
            texts.append(say.CORRELATED(figure=row.figure, n=row.n, size=f"{row.spearman:+.2f}", p=f"p {p}"))
    return [*map(Text, texts), *(Note(text, "aside") for text in notes(report)), *_provenance(report)]


def notes(report: Report) -> Iterator[str]:
    """Yield how to read the figures."""
    head, experiment, rows = report.study.bank.head, report.study.experiment, report.effects.effects
    how = (
        f"held fixed as recorded ({head.label})"
        if experiment.notes == "recorded"
        else "made once and shared by all arms"
    )
    number = len(report.study.positions)
    first = "" if number == head.positions else f" ({number} of them asked about)"
    models = ", ".join(f"{name}: {label_of(model)}" for name, model in experiment.models.items())
    graph = report.study.baseline.everybody.name
    yield (
        f"Bank {head.name}, {head.positions} positions{first}, {head.digest}; graph {graph}; models {models}; "
        f"colleagues' notes {how}."
    )
    yield (
        "Flips are decisions that differ from the baseline's; better and worse are shares of them. Regret is what the "
        "best move is worth more; loss, what the baseline's move is worth more; both in points a decision by exact "
        "one-step value, which looks one move ahead. Positions of a deal are averaged first; intervals are over deals."
    )
    if report.keeps is not None:
        yield (
            "Keeps it: the share of decisions that keep the convention which the position asks about. A note may be "
            "worth nothing by value and yet be what the convention needs."
        )
    if report.rollouts:
        yield (
            f"By rollouts: what the baseline's move is worth more in the final score, {report.rollouts} deals for each "
            "pair of moves that differ, convention players to the end; p and the sentences are about it."
        )
    if any(row.floor is None and not row.arm.is_noise_floor for row in rows):
        yield "Without a noise floor every flip counts, also one that another draw would make."
    if few := [row.arm.name for row in rows if not row.arm.is_noise_floor and 0 < row.lost_on < FEW]:
        yield (
            f"Fewer than {FEW} deals differ in value in {', '.join(few)}: a 95 % interval of so few skewed losses "
            "holds the true one in about 75 to 90 % of studies."
        )
    if missing := [arm.name for arm in report.study.arms[1:] if not report.effects.outcomes.get(arm.name)]:
        yield f"Nothing was decided in {', '.join(missing)}: not asked yet, or no position had a note to put there."
    yield from report.study.remarks


def _provenance(report: Report) -> Iterator[Note]:
    """Yield what no language model made."""
    label = report.study.bank.head.label
    if report.study.experiment.notes == "recorded" and label in ("program", "simulated"):
        yield Note(f"The colleagues' notes are those of {label} games: no language model wrote them.", "no model")
    if report.fake:
        yield Note("Decisions are those of the package's fake server, of no language model.", "no model")
    names = map(label_of, report.study.experiment.models.values())
    kinds = {"simulated models" if is_simulated(name) else name for name in names}
    if kinds <= {PROGRAM, "simulated models"}:
        deciders = " and ".join(sorted(kinds)).replace(PROGRAM, "programs")
        yield Note(f"Decisions are those of {deciders}, of no language model.", "no model")


# Forms


def blocks(report: Report) -> list[Block]:
    """Return what a terminal shows."""
    games = [Text(f"beside the games of {report.games.folder}")] if report.games else []
    return [arm_table(report), *games, *game_tables(report.games), *words(report)]


def document(report: Report) -> Document:
    """Return the report as one page."""
    question = report.study.experiment.question
    parts: list[Block] = [Text(question)] if question else []
    parts += [*words(report), arm_table(report), Heading("By kind of position"), kind_table(report)]
    if report.games:
        parts += [Heading(f"Beside the games of {report.games.folder}"), *game_tables(report.games)]
    return Document(report.study.experiment.name, tuple(parts))


def write(report: Report, folder: Path) -> list[Path]:
    """Write report.md, the CSVs, and where they are wanted the tables for LaTeX. Raises OSError."""
    decisions = (
        {"arm": name, "position": row.position.name, "deal": row.position.deal}
        | {key: getattr(row, key) for key in DECISIONS}
        for name, rows in report.effects.outcomes.items()
        for row in rows
    )
    texts = {
        "report.md": markdown.text(document(report)),
        "arms.csv": data.csv_words(arm_table(report)),
        "kinds.csv": data.csv_words(kind_table(report)),
        "decisions.csv": data.csv_text(decisions),
        **({"arms.tex": latex_tables(report)} if report.tex else {}),
    }
    return write_all(folder, texts)


def latex_tables(report: Report) -> str:
    """Return all tables for LaTeX (booktabs), to be read with \\input."""
    name, folder = report.study.experiment.name, report.games.folder if report.games else ""
    about = " ".join(part.text for part in words(report) if isinstance(part, Note))
    captions = {
        "arms": f"Arms of {name} beside the baseline. {about}",
        "kinds": f"Arms of {name} by kind of position, means over positions.",
        "games": f"Arms of {name} on positions and in the games of {folder}, points a decision and points a game.",
        "correlations": (f"Correlation over arms of {name} with {folder}; p: two-sided, by permutation of the arms."),
    }
    tables = (arm_table(report), kind_table(report), *game_tables(report.games))
    head = f"Tables of {name}, made by `orchestrator report --latex`; with booktabs."
    return latex.tables([replace(part, caption=captions[part.key]) for part in tables], head, name)


def json_value(report: Report) -> dict[str, Any]:
    """Return what `--json` prints."""
    head = report.study.bank.head
    return {
        "study": report.study.experiment.name,
        "bank": {"name": head.name, "digest": head.digest, "label": head.label},
        "baseline": _plain(report.base),
        "arms": [
            {field.name: _plain(getattr(row, field.name)) for field in fields(row)}
            | {"arm": row.arm.name, "kind": row.arm.kind, "nodes": list(row.arm.nodes), "cheats": row.arm.cheats}
            for row in report.effects.effects
        ],
        "games": asdict(report.games) if report.games else None,
        "sentences": [part.text for part in words(report)],
    }


def _plain(value: Any) -> Any:
    """Return what an effect has, as plain data; of a comparison its mean, interval and p."""
    if isinstance(value, Comparison):
        low, high = value.interval() or (None, None)
        return {"mean": mean(value), "low": low, "high": high, "p": value.p}
    return {key: getattr(value, key) for key in COSTS} if isinstance(value, Usage) else value
