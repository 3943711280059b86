"""A note in a file, in the place of a node's own: JSON, YAML or text, read as the answer of a model would be."""

import json
from pathlib import Path
from typing import Any

import yaml

from experiments.tasks.fork.position import Position
from graphs.config import PROGRAM, GraphConfig
from graphs.node import RoleNode
from graphs.recorded import Note, unrolled
from orchestrator import yaml_files
from orchestrator.errors import UserError
from orchestrator.replies import reader
from orchestrator.replies.reply import Form, Options, Reply, Unreadable
from roles import Notes
from roles.legal_moves import LegalMoves


def read_note(place: Position, config: GraphConfig, notes: Notes, name: str, path: Path) -> Note:
    """Return the note of a file for a node; a node with several samples has a list of as many.

    `notes`: of the recorded turn. Raises UserError for a node that gave no note then, and for a file that is none.
    """
    where = f"--edit {name}={path}"
    if name not in notes:
        missing = f"node {name!r} gave no note in turn {place.view.turn}, so there is none to replace"
        raise UserError(f"{where}: {missing}; there are: {', '.join(notes) or 'none'}")
    node = unrolled(config)[name]
    text = yaml_files.from_file(path, f"the new note of {name},")
    data: Any = None
    if path.suffix in (".yaml", ".yml"):
        data = yaml_files.loaded(text, str(path))
    else:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None  # a text
    entries = data if node.samples > 1 and isinstance(data, list) else [data if data is not None else text]
    if len(entries) != node.samples:
        raise UserError(f"{where}: node {name!r} answers {node.samples} times: write a list of {node.samples} notes")
    legal = node.sections(place.view, notes, place.memory).get(LegalMoves) or LegalMoves.of(
        place.view, {"labels": "numbers", "first": "discards", "words": "told"}
    )
    return tuple(_reply(node, entry, legal.by_label, where) for entry in entries)


def _reply(node: RoleNode, entry: Any, moves: Options, where: str) -> Reply:
    """Return one reply. What only programs write is read, too, where a program's note is replaced."""
    kind = node.role.reply if node.model == PROGRAM or node.context is None else node.context.reply(node.role)
    form: Form = node.context.answer_format if node.context and isinstance(entry, str) else "json_schema"
    text = entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)
    try:
        reply = reader.read(text, kind, moves, form).reply
    except Unreadable as problem:
        raise UserError(f"{where}: this is no note of role {node.role.name!r}: {problem}") from None
    if node.model != PROGRAM:
        return reply.with_text(text)
    more = {key: entry[key] for key in kind.programmed if key in entry} if isinstance(entry, dict) else {}
    return kind.model_validate({**reply.model_dump(mode="json"), **more}) if more else reply


def as_data(place: Position, notes: Notes, name: str) -> Any:
    """Return a recorded note as plain data, to be changed and read again; a list where a node answers several times.

    Raises UserError for a node that gave no note.
    """
    replies = [reply.model_dump(mode="json") for reply in notes.get(name, ()) if isinstance(reply, Reply)]
    if not replies:
        raise UserError(
            f"node {name!r} gave no note in turn {place.view.turn}; there are: {', '.join(notes) or 'none'}"
        )
    return replies if len(replies) > 1 else replies[0]


def as_yaml(data: Any) -> str:
    """Return plain data as a YAML file."""
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100))
