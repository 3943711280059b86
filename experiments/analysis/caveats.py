"""What every reader of a run must know before its scores: who answered, whose moves they are, what
intervals miss.

So games without a language model are marked wherever the name of an arm is shown.
"""

from collections.abc import Iterable, Iterator, Sequence

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.analysis import DOUBTFUL, Analysis
from hanabi_orchestrator.experiments.analysis.compare import STRIKE_OUTS
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.summaries import Summary
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.roles.words import percent

VETOED = 0.05
"""Refusals by the safety rule, as a share of turns, above which a report begins by saying so."""
NAMED = 3
"""Arms that a sentence names; more are counted."""


def caveats(analysis: Analysis) -> tuple[str, ...]:
    """Return sentences for the top of a report; none where language models played and chose their
    moves."""
    return (*answerers(analysis), *own_moves(analysis), *refusals(analysis))


def refusals(analysis: Analysis) -> Iterator[str]:
    """Say what the safety rule refused in each arm in which it refused often, and what that was
    worth at once."""
    for summary in last(analysis.summaries):
        mean = summary.mean
        if summary.model_moves and mean("refused_by_rule") > VETOED * mean("turns"):
            yield (
                f"{summary.arm}: a program, the exact safety rule, refused "
                f"{mean('refused_by_rule'):.1f} choices per game of {mean('turns'):.1f} turns. "
                "Each counted alone, the refused first choices would have cost "
                f"{mean('first_misplays'):.1f} lives and scored {mean('first_points'):.1f} points "
                f"per game; the moves played instead cost {mean('played_misplays'):.1f} and "
                f"scored {mean('played_points'):.1f}."
            )


def own_moves(analysis: Analysis) -> Iterator[str]:
    """Say whose the moves of each arm are in which too few are its model's own."""
    for summary in last(analysis.summaries):
        if summary.own_share is None or summary.own_share >= DOUBTFUL:
            continue
        safely = "and safely, which makes a failing model look better than it is."
        others = f"A program chose the others, {safely}"
        if copied := summary.mean("copied_moves"):
            if summary.forced_share:
                rest = f"; a program chose the rest, {safely}"
            else:
                rest = "."
            others = (
                f"Of the others, {copied * summary.n:.0f} repeat the example of the prompt{rest}"
            )
        own = percent(summary.own_share)
        share = f"only {own} of {summary.model_moves:,} moves are the model's own"
        if summary.arm in analysis.withheld:
            withheld = " No comparison is made with it."
        else:
            withheld = ""
        yield f"{summary.arm}: {share}. {others}{withheld}"


def last(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the last summary of each arm: pooled over player counts where that is possible."""
    return list({summary.arm: summary for summary in summaries}.values())


def answerers(analysis: Analysis) -> Iterator[str]:
    """Name the arms that cheat, and those that were not played by language models."""
    arms = last(analysis.summaries)
    if cheating := [each.arm for each in arms if each.cheats]:
        verb, seats = (
            ("cheats", "its seats see") if len(cheating) == 1 else ("cheat", "their seats see")
        )
        yield (
            f"{', '.join(cheating)} {verb}: {seats} their own cards. Their scores are an upper "
            "line."
        )
    if fake := [each.arm for each in arms if Provenance.FAKE_SERVER in each.provenance]:
        if len(fake) == len(arms):
            games = "These games"
        else:
            games = f"The games of {', '.join(fake)}"
        yield f"{games} were answered by the package's fake server, not by a language model."
    if simulated := [each.arm for each in arms if Provenance.SIMULATED in each.provenance]:
        some = f"{', '.join(simulated)} {'uses' if len(simulated) == 1 else 'use'}"
        yield (
            f"{'Every arm uses' if len(simulated) == len(arms) else some} simulated models: exact "
            "programs with errors at stated rates. Their scores say nothing about a language "
            "model."
        )


def rare_strike_outs(summaries: Sequence[Summary]) -> Iterator[str]:
    """Warn that strike-outs are too rare for the intervals of strict scores, in arms with any.

    A strict score falls to 0 with the third life. Where that happened in few deals, the sample says
    little about how often it happens, so its intervals are too narrow;
    `benchmarks/interval_coverage.py` measures by how much.
    """
    arms = [each for each in last(summaries) if each.of("strict").low is not None]
    rare = [each for each in arms if 0 < each.struck_out_deals < STRIKE_OUTS]
    if not rare:
        return
    if len(rare) <= NAMED:
        names = ", ".join(each.arm for each in rare)
    else:
        names = f"{len(rare)} of {len(arms)} arms"
    yield say.RARE_STRIKE_OUTS(
        n=STRIKE_OUTS - 1,
        rare="every arm" if len(rare) == len(arms) > NAMED else names,
        percent=percent(max(each.struck_out_high for each in rare)),
    )


CHEATS = "cheats: sees its own cards"
PRETENDED = Provenance.SIMULATED | Provenance.FAKE_SERVER


def labels(summaries: Iterable[Summary]) -> dict[str, str]:
    """Return the name of each arm: simulated models and the fake server are marked, and programs
    beside models."""
    summaries = list(summaries)
    arms = provenances(summaries)
    programs = all(each.only_programs for each in arms.values())
    cheating = {each.arm for each in summaries if each.cheats}
    markeds = dict[str, str]()
    for arm, answerers in arms.items():
        markeds[arm] = _marked(arm, () if programs else answerers.labels, cheats=arm in cheating)
    return markeds


def difference_labels(
    summaries: Sequence[Summary], differences: Iterable[Difference]
) -> dict[tuple[str, str], str]:
    """Return by arm and the one it is compared with: the arm's name, marked by what played in
    either of them."""
    arms = provenances(summaries)
    names = labels(summaries)
    cheating = {each.arm for each in summaries if each.cheats}
    both = {(d.arm, d.baseline): (arms[d.arm] | arms[d.baseline]) & PRETENDED for d in differences}
    return {
        (arm, baseline): _marked(arm, each.labels, cheats=arm in cheating) if each else names[arm]
        for (arm, baseline), each in both.items()
    }


def provenances(summaries: Iterable[Summary]) -> dict[str, Provenance]:
    """Return who answered in each arm."""
    arms: dict[str, Provenance] = {}
    for summary in summaries:
        arms[summary.arm] = arms.get(summary.arm, Provenance(0)) | summary.provenance
    return arms


def _marked(arm: str, labels: Sequence[str], *, cheats: bool) -> str:
    marks = ", ".join([CHEATS] * cheats + list(labels))
    if marks:
        return f"{arm} ({marks})"
    return arm
