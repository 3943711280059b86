"""The sections that say the same on every turn: the rules, the conventions, advice."""

from dataclasses import dataclass
from typing import Self

import prompts
from orchestrator.hanabi.cards import HAND_SIZES
from orchestrator.hanabi.view import View
from roles.role_options import Options
from roles.sections import Section, section
from roles.words import ENGLISH, Words

SCORE = "The score is the number of cards in the fireworks, at most 25"
SCORING = {
    "unsaid": f"{SCORE}. A team that loses its third life has failed.",
    "zero": f"{SCORE}; a team that loses its third life scores 0.",
    "kept": f"{SCORE}, also for a team that loses its third life.",
}


@section
@dataclass(frozen=True)
class Rules(Section):
    name = "rules"
    choices = {"scoring": tuple(SCORING), "length": ("full", "brief")}
    players: int
    hand_size: int
    scoring: str
    brief: bool = False

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(view.players, HAND_SIZES[view.players], str(options["scoring"]), brief=options["length"] == "brief")

    def variables(self, words: Words) -> dict[str, object]:
        return {"players": self.players, "hand_size": self.hand_size, "scoring": words(SCORING[self.scoring])}

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        return ("sections/rules_brief.md",) if options["length"] == "brief" else super().files(options)

    def words(self, words: Words = ENGLISH) -> str:
        return words.fill("sections/rules_brief.md", **self.variables(words)) if self.brief else super().words(words)


DOING = "## What to do"
"""The heading under which a pack says what to do."""


@section
@dataclass(frozen=True)
class Conventions(Section):
    name = "conventions"
    choices = {
        "pack": ("basic", *(name for name in prompts.names("conventions") if name != "basic"), "none"),
        "told": ("whole", "reading"),
    }
    pack: str
    whole: bool = True
    """Whether the words tell the whole pack; else, of a pack that says what to do at its end, what comes before."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(str(options["pack"]), options["told"] == "whole")

    def variables(self, words: Words) -> dict[str, object]:
        text = words.text(f"conventions/{self.pack}.md")
        return {"conventions": text if self.whole else text.partition(DOING)[0].strip()}

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        pack = options["pack"]
        return () if pack == "none" else (*super().files(options), f"conventions/{pack}.md")

    @property
    def agreed(self) -> bool:
        """Whether there are any."""
        return self.pack != "none"

    def words(self, words: Words = ENGLISH) -> str:
        return super().words(words) if self.agreed else ""


@section
@dataclass(frozen=True)
class Strategy(Section):
    name = "strategy"


@section
@dataclass(frozen=True)
class StepByStep(Section):
    name = "step_by_step"


@section
@dataclass(frozen=True)
class CardCounts(Section):
    name = "card_counts"


BASE_ON_CHANCES = "that is yours to do. Base plays, hints and discards on these chances."
LISTS = {
    "given": "The colours and ranks listed as possible come from all hints so far: if only red and blue are listed, "
    "the card is not yellow, green or white. They take no account of the cards you can see or count; "
    + BASE_ON_CHANCES,
    "own": "Your own list of what the hints leave takes no account of the cards you can see or count; "
    + BASE_ON_CHANCES,
}


@section
@dataclass(frozen=True)
class ProbabilityAdvice(Section):
    """How to work out chances, from deductions that are `given`, or from one's `own`."""

    name = "probability_advice"
    choices = {"deductions": tuple(LISTS)}
    deductions: str

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(str(options["deductions"]))

    def variables(self, words: Words) -> dict[str, object]:
        return {"lists": words(LISTS[self.deductions])}


@section
@dataclass(frozen=True)
class DeductionRules(Section):
    """How to keep track of what everybody knows (Mycroft)."""

    name = "deduction_rules"
