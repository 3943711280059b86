"""What every reader of a run must know before its scores: who answered, and whose moves they are."""

from collections.abc import Iterator, Sequence

from experiments.analysis.analysis import DOUBTFUL, Analysis
from experiments.analysis.summaries import Summary
from roles.words import percent

VETOED = 0.05
"""Refusals by the safety rule, as a share of turns, above which a report begins by saying so."""


def caveats(analysis: Analysis) -> tuple[str, ...]:
    """Sentences for the top of a report; none where language models played and chose their moves."""
    arms = last(analysis.summaries)
    return (*_cheating(arms), *_fake(arms), *_simulated(arms), *_own(arms, analysis.withheld), *_vetoed(arms))


def last(found: Sequence[Summary]) -> list[Summary]:
    """The last summary of each arm: pooled over player counts where that is possible."""
    return list({one.arm: one for one in found}.values())


def _cheating(arms: Sequence[Summary]) -> Iterator[str]:
    if cheating := [one.arm for one in arms if one.cheats]:
        verb, seats = ("cheats", "its seats see") if len(cheating) == 1 else ("cheat", "their seats see")
        yield f"{', '.join(cheating)} {verb}: {seats} their own cards. Their scores are an upper line."


def _fake(arms: Sequence[Summary]) -> Iterator[str]:
    if faked := [one.arm for one in arms if one.fake]:
        which = "These games" if len(faked) == len(arms) else f"The games of {', '.join(faked)}"
        yield f"{which} were answered by the package's fake server, not by a language model."


def _simulated(arms: Sequence[Summary]) -> Iterator[str]:
    if simulated := [one.arm for one in arms if one.simulated]:
        uses = f"{', '.join(simulated)} {'uses' if len(simulated) == 1 else 'use'}"
        which = "Every arm uses" if len(simulated) == len(arms) else uses
        yield (
            f"{which} simulated models: exact programs with errors at stated rates. Their scores say nothing about a "
            "language model."
        )


def _own(arms: Sequence[Summary], withheld: Sequence[str]) -> Iterator[str]:
    for one in arms:
        if one.own_share is not None and one.own_share < DOUBTFUL:
            share = f"only {percent(one.own_share)} of {one.model_moves:,} moves are the model's own"
            alone = " No comparison is made with it." if one.arm in withheld else ""
            yield f"{one.arm}: {share}. {_others(one)}{alone}"


def _others(one: Summary) -> str:
    """Whose the other moves are."""
    safely = "and safely, which makes a failing model look better than it is."
    if not one.copied_moves:
        return f"A program chose the others, {safely}"
    copied = f"Of the others, {one.copied_moves * one.n:.0f} repeat the example of the prompt"
    return f"{copied}; a program chose the rest, {safely}" if one.forced_share else f"{copied}."


def _vetoed(arms: Sequence[Summary]) -> Iterator[str]:
    for one in arms:
        if one.model_moves and (one.refused_by_rule or 0) > VETOED * one.turns:
            yield (
                f"{one.arm}: a program, the exact safety rule, refused {one.refused_by_rule:.1f} choices per game of "
                f"{one.turns:.1f} turns. {_first_choices(one)}"
            )


def _first_choices(one: Summary) -> str:
    return (
        f"At once, the refused first choices would have cost {one.first_misplays:.1f} lives and scored "
        f"{one.first_points:.1f} points per game; the moves played instead cost {one.played_misplays:.1f} and scored "
        f"{one.played_points:.1f}."
    )
