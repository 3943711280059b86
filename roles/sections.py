"""What a section is, and all that a role is told of a position."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self, TypeVar

import prompts
from orchestrator.hanabi.view import View
from orchestrator.models.request import Part
from roles.words import ENGLISH, Words

OWN_PARTS = ("notes", "instruction", "answer_format")
"""Parts of a prompt that are no sections: what the node reads, its role's instruction, how to answer."""

Options = Mapping[str, object]
Choices = Mapping[str, tuple[object, ...]]
"""The options there are, each with its allowed values, the default first; `int` allows any count, a
range its numbers."""


def defaults(choices: Choices) -> dict[str, object]:
    return {option: allowed[0] for option, allowed in choices.items()}


def check_choices(what: str, choices: Choices) -> None:
    """Raises ValueError with a sentence for options that are declared in another way."""
    for option, allowed in choices.items():
        if not isinstance(allowed, tuple) or not allowed or isinstance(allowed[0], type | range):
            said = "its allowed values as a tuple, the default first, e.g. (5, 3, 'all') or (10, int)"
            raise ValueError(f"option {option!r} of {what} is declared as {allowed!r}; give {said}")


def check_options(what: str, options: Options, choices: Choices) -> None:
    """Raises ValueError with a sentence for an option that there is not, or a value that it cannot have."""
    for option, value in options.items():
        if option not in choices:
            raise ValueError(f"{what} has no option {option!r}; known: {', '.join(choices) or 'none'}")
        allowed = choices[option]
        if not any(_allows(one, value) for one in allowed):
            known = ", ".join(map(shown, allowed))
            raise ValueError(f"option {option!r} of {what} is {value!r}; it can be: {known}")


def _allows(allowed: object, value: object) -> bool:
    if isinstance(allowed, range):
        return type(value) is int and value in allowed
    if allowed is int:
        return type(value) is int and value >= 0
    return value == allowed and type(value) is type(allowed)


def shown(allowed: object) -> str:
    """An allowed value in words."""
    if isinstance(allowed, range):
        return f"a number from {allowed[0]} to {allowed[-1]}"
    return "a number" if allowed is int else str(allowed)


@dataclass(frozen=True)
class Section:
    """A named part of a View: typed data first (for programs), words second (for models)."""

    name: ClassVar[str]
    """Its name in configs, and its template's."""
    template: ClassVar[str | Path | None] = None
    """Its words, as text or as a file; None for the file of its name in prompts/sections/."""
    choices: ClassVar[Choices] = {}
    """The options that a context or a graph may set. The first may be given by its bare value."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        """Cut from a view. `options` holds every option of `choices`."""
        return cls()

    def variables(self, words: Words) -> dict[str, object]:
        """What the template is filled with."""
        return {}

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        """The prompt files that its words are made of, given every option; none when it brings its template."""
        return (f"sections/{cls.name}.md",) if cls.template is None else ()

    @classmethod
    def wording(cls, words: Words = ENGLISH) -> str:
        """Its template's text."""
        return words.text(f"sections/{cls.name}.md") if cls.template is None else prompts.given(cls.template)

    def words(self, words: Words = ENGLISH) -> str:
        """For a model; empty when there is nothing to say."""
        return prompts.substitute(self.wording(words), self.variables(words), f"sections/{self.name}.md")

    def said(self, words: Words = ENGLISH) -> str:
        """Its words, made once: the nodes of a turn are told the same section."""
        known: dict[Words, str] = self.__dict__.setdefault("_said", {})
        if words not in known:
            known[words] = self.words(words)
        return known[words]


S = TypeVar("S", bound=Section)


class Sections:
    """All that a role gets to see of a position, in prompt order; looked up by the section's type."""

    def __init__(self, sections: Iterable[Section], options: Options | None = None, words: Words = ENGLISH) -> None:
        self._by_kind: dict[type[Section], Section] = {type(s): s for s in sections}
        self.options: Options = options or {}
        """The role's own options, each of those it has."""
        self.words = words
        """The language in which a model is told, and in which a program that writes for models does so."""

    def get(self, kind: type[S]) -> S | None:
        found = self._by_kind.get(kind)
        return found if isinstance(found, kind) else None

    def __getitem__(self, kind: type[S]) -> S:
        if (found := self.get(kind)) is None:
            raise KeyError(f"section {kind.name!r} was not told")
        return found

    def __contains__(self, kind: type[Section]) -> bool:
        return kind in self._by_kind

    def __iter__(self) -> Iterator[Section]:
        return iter(self._by_kind.values())

    def but(self, *changed: Section) -> "Sections":
        """The same with some of its sections as these."""
        by_kind = {type(section): section for section in changed}
        return Sections((by_kind.get(kind, told) for kind, told in self._by_kind.items()), self.options, self.words)

    def parts(self) -> tuple[Part, ...]:
        """The sections in words, those with nothing to say left out."""
        return tuple(Part(s.name, text) for s in self if (text := s.said(self.words)))
