"""Contexts: which sections a prompt is made of, with which options, in which order and messages."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

import prompts
import roles
from orchestrator.brain import Part
from orchestrator.errors import UserError
from orchestrator.frozen import Frozen, user_error
from roles import Role, Section
from roles.replies import Ratings

OWN_PARTS = ("notes", "instruction", "answer_format")
"""Parts of a prompt that are no sections: what the node reads, its role's instruction, how to answer."""


class Listed(Frozen):
    """A section of a context, with its options."""

    section: str
    options: dict[str, Any] = Field(default_factory=dict)


class Context(Frozen):
    name: str
    order: Literal["faithful", "cache"] = "faithful"
    """`faithful`: as listed. `cache`: what most roles of the graph take comes first, the node's own parts last, so that
    the prompts of a turn share a long beginning."""
    sections: tuple[Listed, ...]
    """Sections and OWN_PARTS, in prompt order; OWN_PARTS that are not listed come last."""
    system: tuple[str, ...] = ()
    """The parts that go into the system message."""
    ratings: Ratings = "none"
    """Whether deciding roles rate every legal move, and when."""

    @field_validator("sections", mode="before")
    @classmethod
    def _short_forms(cls, listed: Any) -> Any:
        return [_long(entry) for entry in listed] if isinstance(listed, list | tuple) else listed

    @field_validator("sections")
    @classmethod
    def _known(cls, listed: tuple[Listed, ...]) -> tuple[Listed, ...]:
        for told in listed:
            _check(told)
        return listed

    def kinds(self, role: Role, without: Iterable[str] = ()) -> list[tuple[type[Section], Mapping[str, Any]]]:
        """The sections that a role is told here, with their options."""
        gone = set(without)
        listed = [(t.section, t.options) for t in self.sections if t.section not in (*OWN_PARTS, *gone)]
        return [(roles.SECTIONS[name], options) for name, options in listed if roles.SECTIONS[name] in role.takes]

    def layout(self, team: Iterable[Role]) -> tuple[str, ...]:
        """The names of all parts in prompt order, for a graph of these roles."""
        listed = [told.section for told in self.sections]
        whole = [*listed, *(part for part in OWN_PARTS if part not in listed)]
        if self.order == "faithful":
            return tuple(whole)
        sections = [name for name in whole if name not in OWN_PARTS]
        takers = {name: sum(roles.SECTIONS[name] in role.takes for role in team) for name in sections}
        return (*sorted(sections, key=lambda name: -takers[name]), *OWN_PARTS)

    def arrange(self, parts: Iterable[Part], layout: tuple[str, ...]) -> tuple[Part, ...]:
        """Parts in prompt order, each in the message it belongs to."""
        inside = sorted(parts, key=lambda part: layout.index(part.name))
        return tuple(replace(p, speaker="system" if p.name in self.system else "user") for p in inside)


def _long(entry: Any) -> Any:
    """`state`, or `{history: {moves: 10}}`."""
    if isinstance(entry, str):
        return {"section": entry}
    if isinstance(entry, dict) and len(entry) == 1 and "section" not in entry:
        ((section, options),) = entry.items()
        return {"section": section, "options": options or {}}
    return entry


def _check(told: Listed) -> None:
    if told.section in OWN_PARTS:
        return
    if told.section not in roles.SECTIONS:
        raise ValueError(f"unknown section {told.section!r}; known: {', '.join((*roles.SECTIONS, *OWN_PARTS))}")
    choices = roles.SECTIONS[told.section].choices
    for option, value in told.options.items():
        if option not in choices:
            known = ", ".join(choices) or "none"
            raise ValueError(f"section {told.section!r} has no option {option!r}; known: {known}")
        allowed = choices[option]
        if value not in allowed and not (int in allowed and isinstance(value, int) and value >= 0):
            shown = ", ".join("a number" if choice is int else str(choice) for choice in allowed)
            raise ValueError(f"option {option!r} of section {told.section!r} is {value!r}; it can be: {shown}")


@cache
def read(name: str) -> Context:
    """A packaged context by name; raises UserError."""
    if name not in prompts.names("contexts", ".yaml"):
        known = ", ".join(prompts.names("contexts", ".yaml"))
        raise UserError(f"unknown context {name!r}; known: {known}")
    try:
        return Context.model_validate(yaml.safe_load(prompts.text(f"contexts/{name}.yaml")))
    except ValidationError as error:
        raise user_error(f"context {name!r}", error) from None
