"""Planner: a one-ply search over the seat's own moves, in which the partners play by the conventions or the code."""

from dataclasses import replace
from random import Random

from hanabi_orchestrator.orchestrator.hanabi.convention import search as conventions
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import STRANGER
from hanabi_orchestrator.orchestrator.hanabi.information import search as code
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import Rollout
from hanabi_orchestrator.orchestrator.hanabi.search import Deals, Ingredients, Trial, best, search
from hanabi_orchestrator.roles.hanabi.proposer import WHOLE
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.convention_scene import scene_of, understood
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.table import State
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, RatedChoice, Rating
from hanabi_orchestrator.roles.role_options import defaults
from hanabi_orchestrator.roles.sections import Sections

OPTIONS: dict[str, tuple[object, ...]] = {
    "rollouts": (400, range(100_001)),
    "past": ("weighed", "ignored"),
    "misleading": ("left_out", "tried"),
    "endgame": ("exact", "sampled"),
}
"""`rollouts`: games played on imagined deals for a move, all tried moves together; none with 0. `past`: whether the
partners' past moves tell which own hands are likely. `misleading`: what becomes of moves that make everybody rule out
what a partner's card is; by the code only moves are tried that keep it, which mislead nobody. `endgame`: whether every
deal is played when the deck has a card or none."""


@role(reply=RatedChoice, takes=WHOLE, needs=NEEDS, options=OPTIONS)
def planner(sections: Sections, notes: Notes) -> RatedChoice:
    """Tries the likely moves on imagined deals; keeps the colleagues' choice unless another is better beyond chance.

    Without a colleague who chooses, the move to be beaten is that of the simple rules of `own_rule`. The past is that
    of the history analyst's note or of the section `convention_facts`; without both, all players are taken to read and
    give hints literally. With the pack `information` all players keep its code until a breach of it; then the
    colleagues' choice stays.
    """
    position, agreed = understood(sections, notes)
    at = agreed or scene_of(
        position, [STRANGER] * position.players
    )  # by what hints say and no more
    moves = (choice.action for choice in of_type(notes, Choice) if choice.action in position.moves)
    proposed = next((move for move in moves if literal_play.harmless(position, move)), None)
    usual = proposed or own_rule.choose(sections, position, agreed)[0]
    options = defaults(OPTIONS) | dict(sections.options)
    rollouts = options["rollouts"]
    assert isinstance(rollouts, int)  # as its options say
    ingredients = Ingredients(options["misleading"] == "left_out", options["endgame"] == "exact")
    facts = sections.get(ConventionFacts)
    broken = facts is not None and facts.table is not None and facts.table.breach is not None
    if broken or not position.possible:
        reason = "the code is broken" if broken else "no hand fits what is known"
        return RatedChoice(ratings=(), reason=reason, action=usual)
    chance = Random(f"{sections[State].turn} {position}")  # nothing that the seat does not know
    harmless = [move for move in at.legal if literal_play.harmless(position, move)]
    history = facts.history if facts and rollouts and options["past"] == "weighed" else ()
    deals: Deals[Rollout]
    if facts and facts.code:
        coded = replace(facts.code, legal=harmless)
        deals = code.Deals(coded, facts.hands, facts.turns_left, chance, history)
    else:
        deals = conventions.Deals(replace(at, legal=harmless), chance, history)
    trials = search(deals, usual, rollouts, ingredients=ingredients)
    trials = [trial for trial in trials if trial.scores]
    if not trials:
        return RatedChoice(ratings=(), reason="nothing else is worth a try", action=usual)
    chosen = best(trials)
    # the mean scores, from -1 for nothing to 1 for 25 points
    ratings = tuple(
        Rating(action=trial.move, rating=round(trial.mean / 12.5 - 1, 3)) for trial in trials
    )
    return RatedChoice(ratings=ratings, reason=_why(chosen, trials[0]), action=chosen.move)


def _why(chosen: Trial, usual: Trial) -> str:
    if chosen is usual:
        return f"nothing tried on {len(usual.scores)} deals is better beyond chance: it leads to {usual.mean:.2f} points"
    gain, error = chosen.gain(usual)
    return f"on {len(chosen.scores)} deals it leads to {gain:.2f} points more than {usual.move} ({error:.2f} either way)"
