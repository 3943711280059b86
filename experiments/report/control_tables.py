"""What stands beside a run's effects: controls, arms that are no hypothesis, ad-hoc teams,
published scores."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from hanabi_orchestrator.experiments.analysis import conclusions
from hanabi_orchestrator.experiments.analysis.adhoc_teams import SELF, AdHocTeams
from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.conclusions import widest
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.role_controls import KINDS, RoleControls
from hanabi_orchestrator.experiments.document.blocks import Cell, Column, Table, listing, table
from hanabi_orchestrator.experiments.document.formats import (
    INT,
    INTERVAL,
    NUMBER,
    RIGHT,
    SIGNED,
    SIGNED_INTERVAL,
    estimate,
)
from hanabi_orchestrator.experiments.report import score_tables
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.study import references

CONTROLS_CAPTION = (
    "More or less than the baseline by the metric of this report, with 95 % intervals, not "
    "corrected. Removed: without the role. Padded: its note says that it is empty and is as long "
    "as one of another game. Placebo: its note says nothing, as if it said something, and may "
    "mislead. Shuffled: its note is that of another game, in the same phase, which may mislead, "
    "too. Noise floor: the baseline once more with other seeds of its models, so nothing but "
    "chance. Controls are tested only where the removal is shown. An effect of a role survives "
    "(yes) if all notes in its place show one in the same direction, the padded one among them, "
    "the removal differs from the noise floor, and, where it has fewer calls, an arm with as "
    "many calls as the baseline differs in the same direction. It does not (no) if the noise "
    "floor differs from the baseline, or the effect of such a note is not significant and the "
    "removal is shown to differ from it, deal by deal (Holm over all of these). All else is "
    "open: no explanation is shown or excluded."
)


def controls(roles: Sequence[RoleControls]) -> Table:
    """Return each role's effect beside what else could explain it."""

    def survives(role: RoleControls) -> str | None:
        shown = role.removed is not None and role.removed.claimed
        return {True: "yes", False: "no", None: "open" if shown else None}[role.survives]

    columns = (
        Column("role", "role", constant=True, of=lambda role: role.name),
        Column(
            "players",
            "players",
            INT,
            constant=True,
            of=lambda role: ", ".join(map(str, role.counts)),
        ),
        *(Column(kind, kind, estimate(signed=True), of=_effect(kind)) for kind in KINDS),
        Column("noise_floor", "noise floor", estimate(signed=True), of=_effect("noise_floor")),
        Column("survives", "survives", RIGHT, of=survives),
    )
    return listing("controls", columns, roles, title="Controls", caption=CONTROLS_CAPTION)


def _effect(kind: str) -> Callable[[RoleControls], Cell]:
    """Return a reader of the effect of a role's arm."""

    def cell(role: RoleControls) -> Cell:
        effect: Difference | None = getattr(role, kind)
        if effect is None:
            return None
        if effect.same_games:
            return "same games"
        return (effect.mean, *(effect.bounds or (None, None)))

    return cell


def apart(analysis: Analysis) -> Table:
    """Return the arms that are no hypothesis: the baseline once more, and arms that cheat."""
    columns = (
        *score_tables.difference_heads(analysis.apart, analysis),
        Column("n", "n", INT, constant=True),
        Column("mean", analysis.metric, SIGNED),
        Column("bounds", "95 %", SIGNED_INTERVAL),
    )
    caption = (
        "Arms that test nothing: the baseline once more, whose difference is chance, and arms "
        "that cheat. Not corrected."
    )
    return listing("apart", columns, analysis.apart, title="Beside the hypotheses", caption=caption)


def sentences(roles: Sequence[RoleControls], analysis: Analysis) -> Iterator[str]:
    """Return which effects survive, then what the arms that are no hypothesis show."""
    yield from (role.sentence for role in roles)
    yield from (conclusions.apart_sentence(effect, analysis) for effect in widest(analysis.apart))


ADHOC_CAPTION = (
    "Mean strict score and standard deviation of the trials with each partner; alone: of the "
    "partner with itself. A partner is held out when it is neither the evaluated player nor of a "
    "kind that the player's partner model knows; only such partners enter the mean, each with "
    "the same weight, and its SD is that of their means. Intervals are over deals and hold for "
    "these partners."
)


def adhoc(counts: Sequence[AdHocTeams]) -> Table:
    """Return the evaluated seat with each partner, at each player count."""
    columns = (
        Column("partner", "partner", constant=True),
        Column("standing", ""),
        Column("players", "players", INT, constant=True),
        Column("trials", "trials", INT),
        Column("score", "score", NUMBER),
        Column("bounds", "95 %", INTERVAL),
        Column("sd", "SD", NUMBER),
        Column("alone", "alone", NUMBER),
        Column("alone_sd", "SD alone", NUMBER),
    )
    rows = []
    for team in counts:
        for met in team.rows:
            rows.append(
                (
                    f"{team.evaluated}, {SELF}" if met.partner == SELF else met.partner,
                    met.standing or "unknown",
                    str(team.players or "all"),
                    met.trials.games,
                    met.trials.mean,
                    met.trials.bounds,
                    met.trials.sd,
                    met.alone.mean if met.alone else None,
                    met.alone.sd if met.alone else None,
                )
            )
    return table("adhoc", columns, rows, title="Ad-hoc teams", caption=ADHOC_CAPTION)


REFERENCES_CAPTION = (
    "Published scores, for orientation only: other deals, other prompts, often other rules of "
    "play. No claim, interval or test of this report uses them. The score counts games in which "
    "the third life was lost as this report's does."
)


def published(data: RunData) -> Table:
    """Return the published scores that fit the run."""
    counts = data.players()
    keys: list[int | str] = [*counts, "all"]
    columns = (
        Column("reference", "reference"),
        Column("who", "who played"),
        Column("source", "source"),
        Column("n", "n"),
        *(Column(f"players_{count}", f"{count} players", NUMBER) for count in counts),
        Column("players_all", "2 to 5", NUMBER),
    )
    fitting = [(ref, references.fitting(ref, counts, data.metric)) for ref in data.references]
    rows = []
    for ref, means in fitting:
        if means:
            rows.append(
                (ref.name, ref.says, ref.source, ref.n, *(means.get(count) for count in keys))
            )
    return table("references", columns, rows, title="Published scores", caption=REFERENCES_CAPTION)


def published_means(data: RunData, players: int | None) -> Mapping[str, float]:
    """Return the published means at a player count by name, for lines in the figure of scores; over
    all for pooled rows."""
    fitting = {}
    for ref in data.references:
        fitting[ref.name] = references.fitting(ref, data.players(), data.metric)
    count = players or "all"
    return {name: means[count] for name, means in fitting.items() if count in means}
