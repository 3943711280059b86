"""The sections that say the same on every turn: the rules, the conventions, advice."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hanabi_orchestrator import prompts
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import Section, section
from hanabi_orchestrator.roles.words import ENGLISH, Words

SCORE = "The score is the number of cards in the fireworks, at most 25"
SCORING = {
    "unsaid": f"{SCORE}. A team that loses its third life has failed.",
    "zero": f"{SCORE}; a team that loses its third life scores 0.",
    "kept": f"{SCORE}, also for a team that loses its third life.",
}
CARDS = {
    "full": "The deck has 50 cards in five colours: red (R), yellow (Y), green (G), white (W) and blue (B). "
    "Each colour has three 1s, two 2s, two 3s, two 4s and one 5.",
    "brief": "of each three 1s, two 2s, 3s and 4s, one 5",
}
UNCOUNTED = {
    "full": "The cards are red (R), yellow (Y), green (G), white (W) and blue (B), and their ranks are 1 to 5.",
    "brief": "the ranks are 1 to 5",
}
"""What stands in place of `CARDS`."""


@section
@dataclass(frozen=True)
class Rules(Section):
    """The rules of the game."""

    name = "rules"
    choices = {
        "scoring": tuple(SCORING),
        "length": ("full", "brief", "short"),
        "counts": ("told", "unsaid"),
    }
    players: int
    """2 to 5."""
    hand_size: int
    """Cards of a hand at the start: 5, with 4 or 5 players 4."""
    scoring: str
    """Whether the words tell the score after the third life lost: `unsaid`, `zero` or `kept`."""
    length: str = "full"
    """Of the words: `full`, `brief` or `short`."""
    counts: bool = True
    """Whether the words say how many cards there are of each rank."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(
            players=view.players,
            hand_size=HAND_SIZES[view.players],
            scoring=str(options["scoring"]),
            length=str(options["length"]),
            counts=options["counts"] == "told",
        )

    def variables(self, words: Words) -> dict[str, object]:
        cards = (CARDS if self.counts else UNCOUNTED)["full" if self.length == "full" else "brief"]
        return {
            "players": self.players,
            "hand_size": self.hand_size,
            "scoring": words(SCORING[self.scoring]),
            "cards": words(cards),
        }

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        return (
            super().files(options)
            if options["length"] == "full"
            else (f"sections/rules_{options['length']}.md",)
        )

    def words(self, words: Words = ENGLISH) -> str:
        if self.length == "full":
            return super().words(words)
        return words.fill(f"sections/rules_{self.length}.md", **self.variables(words))


READING = "## What a hint says"
SHORT = "## In short"
DOING = "## What to do"
"""The headings of the parts of a pack that has such parts, after what all need."""


@section
@dataclass(frozen=True)
class Conventions(Section):
    """The agreed conventions."""

    name = "conventions"
    choices = {
        "pack": (
            "basic",
            *(name for name in prompts.names("conventions") if name != "basic"),
            "none",
        ),
        "told": ("whole", "reading", "doing", "terms", "short", "unsaid"),
    }
    pack: str
    """The pack's name; `none` without conventions."""
    told: str = "whole"
    """The part of the pack that the words tell: all (`whole`), how to read hints (`reading`), what to do (`doing`),
    the `terms`, what hints mean in `short`, or nothing (`unsaid`), for a prompt whose facts follow from the pack."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(str(options["pack"]), str(options["told"]))

    def variables(self, words: Words) -> dict[str, object]:
        text = words.text(f"conventions/{self.pack}.md")
        before, _, doing = text.partition(DOING)
        reading, _, short = before.partition(SHORT)
        terms = reading.partition(READING)[0]
        parts = {
            "whole": f"{reading}{DOING}{doing}" if doing else reading,
            "reading": reading,
            "doing": f"{terms}{DOING}{doing}" if doing else reading,
            "terms": terms,
            "short": short or reading,
        }
        return {"conventions": parts[self.told].strip()}

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        pack = options["pack"]
        return () if pack == "none" else (*super().files(options), f"conventions/{pack}.md")

    def conditional(self, words: Words = ENGLISH) -> bool:
        return super().conditional(words) or bool(
            prompts.conditions(words.text(f"conventions/{self.pack}.md"))
        )

    @property
    def silent(self) -> bool:
        return not self.agreed or self.told == "unsaid"

    @property
    def agreed(self) -> bool:
        """Whether there are any."""
        return self.pack != "none"


def convention(name: str, text: str | Path) -> str:
    """Register a convention pack by its words, as text or as a file, and return its name; `options: {conventions: NAME}`
    of a graph, or `--set options.conventions=NAME`, agrees on it.

    The words may have the parts `## What a hint says`, `## In short` and `## What to do`, in this order, for prompts
    that tell a part alone. Raises UserError for a name that is taken, and for a file that cannot be read.
    """
    check_name(name)
    packs = Conventions.choices["pack"]
    if name in packs:
        raise UserError(f"convention {name!r} is registered twice; choose another name")
    try:
        words = prompts.own_template(text)
        prompts.conditions(words)
        prompts.add(f"conventions/{name}.md", words)
    except ValueError as error:
        raise UserError(f"convention {name!r}: {error}") from None
    Conventions.choices = {**Conventions.choices, "pack": (*packs[:-1], name, packs[-1])}
    return name


@section
@dataclass(frozen=True)
class Strategy(Section):
    """Advice on priorities."""

    name = "strategy"


@section
@dataclass(frozen=True)
class StepByStep(Section):
    """Steps of thinking."""

    name = "step_by_step"


@section
@dataclass(frozen=True)
class CardCounts(Section):
    """The number of copies of each card."""

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
    """How to work out probabilities, from `given` or `own` deductions."""

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
