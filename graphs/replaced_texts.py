"""A prompt's words replaced by others, and the proof that nothing else of the prompts changed."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Template

from hanabi_orchestrator import prompts, roles
from hanabi_orchestrator.graphs import prompt_files
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.roles import SECTIONS, Notes, Role

PARTS = {"answer_json": "answer_format", "answer_text": "answer_format", "gate": "instruction"}
"""The part of a prompt that a block of words is in; other blocks are in the notes."""


def replaced(config: GraphConfig, texts: Mapping[str, str]) -> GraphConfig:
    """The graph with other words: by a text's name, `roles/analyst` or `sections/state`, its new template.

    Raises UserError for a text that the graph does not use, and for a template with other variables.
    """
    names = replaceable(config)
    files = {name.removesuffix(".md"): text.strip() for name, text in texts.items()}
    for name, text in files.items():
        if name not in names:
            meant = did_you_mean(name, names, "it uses")
            raise UserError(f"prompts: graph {config.title!r} uses no text {name!r}; {meant}")
        _check_variables(name, names[name], text)
    templates = {f"{name}.md": text for name, text in files.items()}
    data = config.model_dump(mode="json") | {"texts": {**config.texts, **templates}}
    name = "-".join((config.name, *(name.replace("/", "-") for name in files)))
    return checked(data | {"name": name}, name)


def replaceable(config: GraphConfig) -> dict[str, str]:
    """The texts of a graph that may be replaced, by their names without a suffix."""
    texts = {}
    for name, text in prompt_files.texts(config).items():
        plain = name.partition("/")[2] if name.split("/")[0] in prompts.LANGUAGES else name
        in_place = plain.startswith(("roles/", "sections/", "conventions/")) or "/" not in plain
        if in_place and text and not plain.endswith(".yaml"):
            texts[plain.removesuffix(".md")] = text.strip()
    return texts


def _check_variables(name: str, old: str, new: str) -> None:
    old_names = prompts.variables(old)
    new_names = prompts.variables(new)
    if unknown := sorted(new_names - old_names):
        names = ", ".join(f"${variable}" for variable in sorted(old_names)) or "none"
        raise UserError(
            f"prompts: {name} has no variable ${unknown[0]}; it has: {names} ($$ is a dollar sign)"
        )
    if missing := sorted(old_names - new_names):
        raise UserError(
            f"prompts: the new {name} lacks the variable ${missing[0]}, so it would tell less than before"
        )
    try:
        Template(new).substitute(dict.fromkeys(new_names, ""))
    except ValueError as error:
        raise UserError(
            f"prompts: the new {name} has a $ that begins no variable ({error}); write $$ for it"
        ) from None


# The proof


@dataclass(frozen=True)
class Position:
    """Where two graphs' prompts are compared."""

    view: AnyView
    notes: Notes
    memory: Memory


@dataclass(frozen=True)
class TextProof:
    """How the prompts of one graph differ from those of another."""

    replaced: tuple[str, ...]
    """The texts that were replaced."""
    side_effects: tuple[str, ...]
    """What else differs, in words: nothing, where the replaced words are all that changed."""
    prompts: int
    """How many prompts were compared."""
    equal: int
    """How many of their parts are the same, byte for byte."""
    changed: int
    """How many parts with a replaced text differ."""

    @property
    def sentence(self) -> str:
        names = ", ".join(self.replaced)
        if self.side_effects:
            return f"it changes {names}, and also {'; '.join(self.side_effects)}"
        if not self.changed:
            return f"it changes {names}, which no prompt at the {self.prompts} compared positions shows"
        return (
            f"it changes {names} alone: the hashes of all other texts are the same, and in {self.prompts} prompts "
            f"{self.changed} parts differ and all {self.equal} others are equal byte for byte"
        )


def proof(old: GraphConfig, new: GraphConfig, positions: Iterable[Position]) -> TextProof:
    """Compare the texts of two graphs, and their prompts at some positions, part by part."""
    names = tuple(
        sorted(
            name.removesuffix(".md") for name in new.texts if new.texts[name] != old.texts.get(name)
        )
    )
    hashes = prompt_files.hashes(old), prompt_files.hashes(new)
    differences: list[str] = []
    for name in {**hashes[0], **hashes[1]}:
        plain = name.partition("/")[2] if name.split("/")[0] in prompts.LANGUAGES else name
        if hashes[0].get(name) != hashes[1].get(name) and plain.removesuffix(".md") not in names:
            differences.append(f"the text {name}")
    compared = equal = changed = 0
    for place in positions:
        players = place.view.players
        before, other = (
            requests(at(graph, players), place.view, place.notes, place.memory)
            for graph in (old, new)
        )
        if [*before] != [*other]:
            differences.append(
                f"the nodes that are asked ({', '.join(before)}, then {', '.join(other)})"
            )
            break
        for node in before:
            compared += 1
            parts = {part.name: part for part in before[node].parts}
            new_parts = {part.name: part for part in other[node].parts}
            allowed = {_part(name, roles.get(before[node].role)) for name in names}
            if [name for name in parts if name in new_parts] != [
                name for name in new_parts if name in parts
            ]:
                differences.append(f"the order of the parts of {node}'s prompt")
            differences += [
                f"the part {name} of {node}'s prompt" for name in sorted({*parts} ^ {*new_parts})
            ]
            differ = {name for name in {*parts} & {*new_parts} if parts[name] != new_parts[name]}
            differences += [
                f"the part {name} of {node}'s prompt" for name in sorted(differ - allowed)
            ]
            changed += len(differ & allowed)
            equal += len({*parts} & {*new_parts}) - len(differ)
    return TextProof(names, tuple(dict.fromkeys(differences)), compared, equal, changed)


def _part(name: str, role: Role) -> str | None:
    """The part of a role's prompt that a text is in; None where it is in none."""
    folder, _, file = name.rpartition("/")
    if folder.startswith("roles"):
        extended = role.extends.name if role.extends else role.name
        return "instruction" if file == extended else "addition" if file == role.name else None
    if folder == "sections":
        return next(
            (section for section in (file, file.rpartition("_")[0]) if section in SECTIONS), file
        )
    if folder == "conventions":
        return "conventions"
    return PARTS.get(file, "notes")


def diff(old: str, new: str, name: str) -> str:
    """The unified diff of two texts."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), name, f"{name}, replaced", lineterm=""
    )
    return "\n".join(lines)
