"""The marks of reports on other minds: what partners were foreseen to do, and the hint that was suggested."""

from dataclasses import replace

from hanabi_orchestrator.orchestrator.hanabi.moves import Hint
from hanabi_orchestrator.roles.hanabi.marking import next_action_marks as foreseen
from hanabi_orchestrator.roles.hanabi.marking.exact_belief import (
    facts_told,
    holds_critical,
    kept_after,
    played_after,
    says_something,
    share_of_moves,
    whole_position,
)
from hanabi_orchestrator.roles.hanabi.marking.next_action_marks import Forecast
from hanabi_orchestrator.roles.hanabi.mind_report import MindReport
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.marks import Marker, Marks, mean, only, share_info
from hanabi_orchestrator.roles.sections import Sections

HINTS = (
    share_info(
        "hint_useful",
        "Whether the suggested hint tells something new about a playable card, or saves a critical one; by the code of "
        "`information`, whether it stands for the right number.",
        uniform="the share of legal hints that do",
    ),
    share_info(
        "hint_given",
        "Whether the seat then gave the suggested hint.",
        uniform="1 / the number of legal hints, where a hint was given",
    ),
    share_info(
        "hint_played",
        "Whether the receiver of a suggested, given hint, not one that saves a card, next played one of its cards "
        "successfully.",
    ),
    share_info(
        "urgent_true",
        "Whether the receiver of a hint called urgent holds a critical card, or at a table of two, where such hints "
        "also give a partner something to play, the hint is useful.",
        uniform="the share of legal hints to such receivers",
    ),
    share_info(
        "urgent_kept",
        "Whether the receiver of a given hint that saves a card next discarded no critical card.",
    ),
)


def _intended(report: MindReport) -> list[Forecast]:
    """The forecasts whose typed field is there: reports of earlier versions have none."""
    typed = (intention for intention in report.intentions if "plays" in intention.model_fields_set)
    return [Forecast(intention.seat, intention.plays, intention.chance) for intention in typed]


def _useful(hint: Hint | None, sections: Sections, truth: Truth) -> float | None:
    if hint is None or truth.view is None:
        return None
    facts = facts_told(sections, truth)
    if facts and facts.code:
        return float(facts.code.numbers.get(hint) == facts.code.hint_sum.number)
    if facts and not facts.scene.is_stranger(hint.to):
        effect = facts.scene.effect_of(hint)
        return float(
            effect.helps
            or (effect.warns and effect.true)
            or says_something(whole_position(truth.view), hint)
        )
    return float(says_something(whole_position(truth.view), hint))


def _urgent(hint: Hint, sections: Sections, truth: Truth) -> bool:
    two = truth.view is not None and truth.view.players == 2
    return holds_critical(truth, hint.to) or (two and bool(_useful(hint, sections, truth)))


def _score(report: MindReport, sections: Sections, truth: Truth) -> Marks | None:
    move = truth.past
    hint = report.hint
    partners = [hand.seat for hand in truth.view.hands] if truth.view else []
    if not isinstance(hint, Hint) or hint.to not in partners:  # nothing is known of that partner
        hint = None
    is_hint = None if move is None or hint is None else move.move == hint
    played, saved = (played_after(truth), kept_after(truth)) if is_hint else (None, None)
    plays = (
        hint and len(partners) == 1 and not holds_critical(truth, hint.to)
    )  # to give the partner something to play
    saves = report.urgent and not plays
    hinted = only(
        hint_useful=_useful(hint, sections, truth),
        hint_given=is_hint,
        hint_played=None if saves else played,
        urgent_true=_urgent(hint, sections, truth) if hint and report.urgent else None,
        urgent_kept=saved if saves else None,
    )
    return {**foreseen.score(_intended(report), truth), **(hinted or {})} or None


def _guess(report: MindReport, sections: Sections, truth: Truth) -> Marks | None:
    """Of one who names a legal hint by lot, beside even forecasts."""
    hints = [move for move in (truth.view.legal if truth.view else ()) if isinstance(move, Hint)]
    one_of = None if truth.past is None or not hints else (truth.past.move in hints) / len(hints)
    hinted = only(
        hint_useful=mean(
            useful for hint in hints if (useful := _useful(hint, sections, truth)) is not None
        ),
        hint_given=one_of,
        urgent_true=mean(_urgent(hint, sections, truth) for hint in hints),
    )
    return {**foreseen.guess(_intended(report), truth), **(hinted or {})} or None


INTERPRETER = replace(
    foreseen.marker(
        _intended,
        "What past moves meant, which discard or hint comes next, and why a hint helps are prose.",
    ),
    score=_score,
    infos=(*foreseen.INFOS, *HINTS),
    guess=_guess,
)
BELIEVER = foreseen.marker(
    lambda report: [
        Forecast(belief.seat, belief.plays, belief.chance) for belief in report.beliefs
    ],
    "What partners know and how they play is prose, so it is not compared with what they know.",
)


MIRROR = Marker(
    lambda report, sections, truth: only(
        readings_given=share_of_moves((r.action for r in report.readings), sections)
    ),
    (share_info("readings_given", "Share of the listed moves of which a reading is given."),),
    prose="What partners believe and how they would read a move is prose, so its chance cannot be tested.",
)
