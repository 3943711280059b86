"""What a section is, the registry of sections, and all the sections that a role gets of a position.

The list of legal moves is in `legal_moves.py`, all other sections in `hanabi/sections/`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from hanabi_orchestrator import prompts
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.models.request import Part
from hanabi_orchestrator.orchestrator.values import cached_by_identity
from hanabi_orchestrator.roles.role_options import AllowedValues, Options, check_declared, defaults
from hanabi_orchestrator.roles.words import ENGLISH, Words

REPORT = "any report"
PROPOSAL = "any proposal"
OTHER = "any other report"
"""What a conditional block asks for that stands beside the report of any colleague, of one who chooses a move, and of
one who does not and is not named by any block of the text."""

OWN_PARTS = ("notes", "instruction", "answer_format", "addition")
"""Parts of a prompt that are no sections: what the node reads, its role's instruction, how to answer, and what a role
adds to the prompt of another one."""


Fact = Literal["table", "own_hand", "partner_knowledge", "past_moves"]
"""What a role's task may rest on, and a section's words may state."""
FACTS: Mapping[Fact, str] = {
    "table": "the table",
    "own_hand": "what the own cards can be",
    "partner_knowledge": "what the others know of their cards",
    "past_moves": "the past moves",
}
"""The facts in words."""
UNSAID = "unsaid"
"""The value of an option that leaves words out, because another section of the prompt tells the same."""


@dataclass(frozen=True)
class Section:
    """A named part of a View: typed data first (for programs), words second (for models)."""

    name: ClassVar[str]
    """Its name in configs, and that of its template."""
    game_names: ClassVar[tuple[str, ...]] = (DEFAULT,)
    """The games whose views it is a part of; empty: any game's."""
    template: ClassVar[str | Path | None] = None
    """Its words, as text or as a file; None for the file of its name in prompts/sections/."""
    beside: ClassVar[tuple[str, str, tuple[object, ...]] | None] = None
    """A section, one of its options, and values: this section is present only if the option has one of them. None:
    always."""
    choices: ClassVar[AllowedValues] = {}
    """The options that a context or a graph may set. The first may be given by its bare value."""
    conditions: ClassVar[tuple[str, ...]] = ()
    """What conditional blocks may ask of it: `8 tokens`; those that hold are its `holds`."""
    states: ClassVar[Mapping[Fact, tuple[str, ...]]] = {}
    """The facts that its words state, each with the options that must not be `unsaid` for it."""

    @classmethod
    def of(cls, view: Any, options: Options) -> Self:
        """The section of a view. `options` holds every option of `choices`."""
        return cls()

    @classmethod
    def facts(cls, options: Options) -> frozenset[Fact]:
        """The facts that its words state with these options."""
        options = defaults(cls.choices) | dict(options)
        return frozenset(
            fact for fact, keys in cls.states.items() if all(options[key] != UNSAID for key in keys)
        )

    @classmethod
    def speaking(cls, fact: Fact, options: Options) -> Options:
        """The options with which its words state a fact that these leave unsaid."""
        values = {
            key: [value for value in cls.choices[key] if value != UNSAID][-1]
            for key in cls.states.get(fact, ())
        }
        return {
            **options,
            **{key: value for key, value in values.items() if options.get(key) == UNSAID},
        }

    @classmethod
    def in_game(cls, game: str) -> Options:
        """The options that it has in a game where nobody sets them; most have the same in all games."""
        return {}

    @classmethod
    def set_to(cls, value: object) -> "SectionNeed":
        """Return this section with its first option at a value, as a need of a role."""
        return SectionNeed(cls, next(iter(cls.choices)), value)

    def holding(self, memory: Mapping[str, Any]) -> Self:
        """The section with the parts of the seat's memory that it needs; most need none."""
        return self

    def among(self, recommended: Sequence[Any]) -> Self:
        """The section where only these moves may be chosen; most sections list no moves."""
        return self

    def without(self, refused: Sequence[Any]) -> Self:
        """The section where these moves may not be chosen; most sections list no moves."""
        return self

    def variables(self, words: Words) -> dict[str, object]:
        """The values of the template's variables."""
        return {}

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        """The prompt files that its words are made of, given every option; none when it brings its template."""
        return (f"sections/{cls.name}.md",) if cls.template is None else ()

    @classmethod
    def wording(cls, words: Words = ENGLISH) -> str:
        """Its template's text."""
        file = f"sections/{cls.name}.md"
        if cls.template is None or words.replacement(file) is not None:
            return words.text(file)
        return prompts.own_template(cls.template)

    def entries(self) -> Mapping[str, int]:
        """The numbers of players, other players and own slots: lists of a reply have one entry for each."""
        return {}

    @property
    def holds(self) -> frozenset[str]:
        """Those of its `conditions` that hold now."""
        return frozenset()

    @property
    def silent(self) -> bool:
        """Whether its options leave its words out."""
        return False

    def words(self, words: Words = ENGLISH) -> str:
        """For a model; empty when there is nothing to say."""
        if self.silent:
            return ""
        return prompts.substitute(
            self.wording(words), self.variables(words), f"sections/{self.name}.md"
        )

    def conditional(self, words: Words = ENGLISH) -> bool:
        """Whether its words depend on what else is in the prompt."""
        return bool(prompts.conditions(self.wording(words)))

    def part(self, words: Words = ENGLISH, present: frozenset[str] | None = None) -> Part:
        """Its words as a part of a prompt, made once: the nodes of a turn share their sections.

        `present`: the conditions that hold for its conditional blocks; None leaves the blocks as they are.
        """
        parts: dict[Words, tuple[Part, bool]] = self.__dict__.setdefault("_parts", {})
        if words not in parts:
            text = self.words(words)
            parts[words] = Part(self.name, text), bool(text) and self.conditional(words)
        part, conditional = parts[words]
        return (
            part
            if present is None or not conditional
            else replace(part, text=prompts.chosen(part.text, present))
        )


@dataclass(frozen=True)
class SectionNeed:
    """A section that a role's program cannot do without, with the value of one of its options."""

    kind: type[Section]
    option: str
    value: object


S = TypeVar("S", bound=Section)

SECTIONS: dict[str, type[Section]] = {}
"""Every section by its name."""


def section_names(game: str) -> list[str]:
    """Return the names of the sections that a view of a game has."""
    return sorted(
        name for name, kind in SECTIONS.items() if not kind.game_names or game in kind.game_names
    )


def section(kind: type[S]) -> type[S]:
    """Register a section by its name; a decorator. Raises UserError when the name is taken.

    A section from outside this project brings its words in `template`, as text or as a file.
    """
    if kind.name in (*SECTIONS, *OWN_PARTS):
        owner = SECTIONS[kind.name].__module__ if kind.name in SECTIONS else "every prompt"
        raise UserError(
            f"section {kind.name!r} is registered twice: by {owner} and by {kind.__module__}; choose another name"
        )
    if kind.template is None and kind.name not in prompts.names("sections"):
        raise UserError(
            f"section {kind.name!r} has no template; give it its words as text or as a file"
        )
    try:
        check_declared(f"section {kind.name!r}", kind.choices)
    except ValueError as error:
        raise UserError(str(error)) from None
    SECTIONS[kind.name] = kind
    return kind


class Sections:
    """Everything that a role sees of a position, in prompt order, looked up by the section's type."""

    def __init__(
        self, sections: Iterable[Section], options: Options | None = None, words: Words = ENGLISH
    ) -> None:
        self._by_kind: dict[type[Section], Section] = {type(s): s for s in sections}
        self.options: Options = options or {}
        """The role's own options, each of those it has."""
        self.words = words
        """The language of the prompt, in which a program that writes for models writes as well."""

    def get(self, kind: type[S]) -> S | None:
        """The section of a type; None when it is not among them."""
        section = self._by_kind.get(kind)
        return section if isinstance(section, kind) else None

    def __getitem__(self, kind: type[S]) -> S:
        if (section := self.get(kind)) is None:
            raise KeyError(f"section {kind.name!r} is missing")
        return section

    def __contains__(self, kind: type[Section]) -> bool:
        return kind in self._by_kind

    def __iter__(self) -> Iterator[Section]:
        return iter(self._by_kind.values())

    def replacing(self, *changed: Section) -> "Sections":
        """A copy in which these sections stand in place of those of their types."""
        by_kind = {type(section): section for section in changed}
        return Sections(
            (by_kind.get(kind, old) for kind, old in self._by_kind.items()),
            self.options,
            self.words,
        )

    def entries(self) -> dict[str, int]:
        """The numbers of all its sections, for the lists of a reply."""
        return {name: count for section in self for name, count in section.entries().items()}

    def present(self, colleagues: Iterable[str] = ()) -> frozenset[str]:
        """The conditions that hold for conditional blocks: the roles whose notes are read, `any report`, the sections
        told in words, and what sections say of the position."""
        reports = {REPORT, *colleagues} if colleagues else ()
        sections = frozenset(f"section {section.name}" for section in self if not section.silent)
        return sections.union(reports, *(section.holds for section in self))

    def parts(self, present: frozenset[str] = frozenset()) -> tuple[Part, ...]:
        """The sections in words, those with nothing to say left out."""
        return tuple(part for section in self if (part := section.part(self.words, present)).text)


def cut(
    view: AnyView,
    kinds: Iterable[tuple[type[Section], Options]],
    refused: Sequence[Any] = (),
    memory: Mapping[str, Any] | None = None,
    options: Options | None = None,
    words: Words = ENGLISH,
    recommended: Sequence[Any] = (),
) -> Sections:
    """The sections of a view, each with its options. `options` are the role's.

    Where moves are recommended, the list of legal moves holds them alone; refused moves leave it.
    """
    cache = OF_VIEW(view)
    sections = [
        cache[kind, tuple(choices.items())].holding(memory or {}) for kind, choices in kinds
    ]
    return Sections(
        [section.among(recommended).without(refused) for section in sections], options, words
    )


class _Made(dict[tuple[type[Section], tuple[tuple[str, object], ...]], Section]):
    """The sections of a view, each made once for all the nodes of the turn that get it."""

    def __init__(self, view: Any) -> None:
        self.view = view

    def __missing__(self, key: tuple[type[Section], tuple[tuple[str, object], ...]]) -> Section:
        kind, choices = key
        self[key] = kind.of(self.view, defaults(kind.choices) | dict(choices))
        return self[key]


OF_VIEW = cached_by_identity(256)(_Made)
"""The sections of the turns that are being played."""
