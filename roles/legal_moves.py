"""The section with the legal moves: the one that roles of any kind may need, since replies name moves from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from hanabi_orchestrator.orchestrator.game.reading import Listed, labelled
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, of_view
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import UNSAID, Section, section
from hanabi_orchestrator.roles.words import ENGLISH, Words

LABELS = "What stands before a colon is a move's label and no part of it. "
PLAIN = "sections/moves.md"
"""The words for games whose moves need no remark."""
RECOMMENDED = "The moves to choose from: those that a recommender listed, of $legal legal ones"


@section
@dataclass(frozen=True)
class LegalMoves(Section):
    """The legal moves, each with its label if there is one: the moves that a reply may name."""

    name = "legal_moves"
    game_names = ()
    choices = {
        "labels": ("numbers", "letters", "none"),
        "first": ("discards", "hints"),
        "words": ("told", "unsaid"),
        "remark": ("told", "unsaid"),
    }
    by_label: Listed
    """A move refused this turn is not among them; the others keep their labels."""
    labels: str = "numbers"
    """`numbers`, `letters`, or `none`: then a move's label is its name."""
    legal: int | None = None
    """The number of legal moves before a recommender shortened the list; None without a recommender."""
    told: bool = True
    """False if the prompt leaves them out, for a role that names no move or finds it elsewhere."""

    remark: bool = True
    """Whether the words end with what slots and hints of Hanabi's moves are."""
    table: Mapping[str, int] = field(default_factory=dict)
    """The numbers of the table: `seat`, `players`, and what the game adds, in Hanabi `slots`, the own cards."""

    @classmethod
    def of(cls, view: Any, options: Options) -> Self:
        labels = str(options["labels"])
        moves = list(view.legal)
        if (
            options["first"] == "hints"
        ):  # then plays, then discards; otherwise as the engine lists them
            moves.sort(key=lambda move: (move.kind == "discard", move.kind == "play"))
        return cls(
            _labelled(moves, labels),
            labels,
            told=options["words"] == "told",
            remark=options["remark"] == "told",
            table=of_view(view).counts(view),
        )

    @classmethod
    def in_game(cls, game: str) -> Options:
        return {} if game == DEFAULT else {"remark": UNSAID}

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        return super().files(options) if options["remark"] == "told" else (PLAIN,)

    def words(self, words: Words = ENGLISH) -> str:
        if self.silent or self.remark:
            return super().words(words)
        return words.fill(PLAIN, **self.variables(words)).rstrip()

    @property
    def silent(self) -> bool:
        return not self.told

    @property
    def moves(self) -> tuple[Any, ...]:
        """The moves without their labels, in HLE's order unless the context lists hints first."""
        return tuple(self.by_label.values())

    def among(self, recommended: Sequence[Any]) -> Self:
        """Only those that are recommended, in their order, with labels of their own; itself for none or all of them."""
        moves = [move for move in recommended if move in self.moves]
        if not moves or moves == [*self.moves]:
            return self
        return replace(self, by_label=_labelled(moves, self.labels), legal=len(self.moves))

    def without(self, refused: Sequence[Any]) -> Self:
        if not refused:
            return self
        return replace(
            self,
            by_label={label: move for label, move in self.by_label.items() if move not in refused},
        )

    def variables(self, words: Words) -> dict[str, object]:
        title = (
            words("Your legal moves")
            if self.legal is None
            else words(RECOMMENDED, legal=self.legal)
        )
        if self.labels == "none":
            return {
                "title": title,
                "moves": "\n".join(f"- {move}" for move in self.moves),
                "labels": "",
            }
        moves = "\n".join(f"{label}: {move}" for label, move in self.by_label.items())
        return {"title": title, "moves": moves, "labels": words(LABELS)}


def _labelled(moves: Sequence[Any], labels: str) -> Listed:
    if labels == "none":
        return {str(move): move for move in moves}
    return labelled(moves, letters=labels == "letters")
