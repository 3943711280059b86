"""The empty form of a reply: what a prompt shows in place of an example, which weak models would play as it stands.

`{"reason": "<text>", "action": "<a legal move>"}`: what stands between < and > is for the model to write. A form is
made from the reply type alone, so that it favours no move and no value.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reply import (
    BEGINS,
    BELOW,
    OPTION,
    Counts,
    Form,
    Reply,
)
from hanabi_orchestrator.orchestrator.replies.values import as_objects
from hanabi_orchestrator.roles.words import ENGLISH, Words

SHORT = 6
"""The most values of a field that its form lists; of longer lists it shows as many."""

_BARE = "\x00"
"""Marks what stands without quotes in JSON."""


@cache
def form(
    kind: type[Reply], format: Form, words: Words = ENGLISH, counts: Counts = ()
) -> str:  # the field's own word
    """The form of a reply in an answer format. `counts`: of the table, which bound the numbers of players and slots."""
    schema = kind.model_json_schema()
    forms = _Blanks(schema.get("$defs", {}), words, format == "text", dict(counts))
    data = {name: forms.value(schema["properties"][name]) for name in kind.answer_fields()}
    if format == "text":
        return writer.write(kind, data)
    if format == "json_schema":
        data = as_objects(data, kind)
    text = json.dumps(data, ensure_ascii=False)
    return re.sub(r'"\\u0000(.*?)\\u0000"', lambda bare: bare[1].replace('\\"', '"'), text)


@cache
def blanks(
    kind: type[Reply], format: Form, words: Words = ENGLISH, counts: Counts = ()
) -> frozenset[str]:
    """What the prompt says in place of values: an answer that repeats it is no answer of its own."""
    schema = kind.model_json_schema()
    objects = (schema, *schema.get("$defs", {}).values())
    fields = [
        field
        for record in objects
        for field in record.get("properties", {}).values()
        if "x-words" not in field
    ]
    meant = [words(field["description"]) for field in fields if field.get("description")]
    return frozenset((*re.findall(r"<[^<>]+>", form(kind, format, words, counts)), *meant))


class _Blanks:
    """Writes the blanks of one reply type."""

    def __init__(
        self, defs: Mapping[str, Any], words: Words, plainly: bool, counts: Mapping[str, int]
    ) -> None:
        self.defs = defs
        self.words = words
        self.plainly = plainly
        self.counts = counts

    def value(self, schema: Mapping[str, Any]) -> Any:
        """The blank form of a value, by its JSON schema: objects and lists of blanks, or one blank."""
        if "$ref" in schema:
            return self.value(self.defs[schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            branches = [
                {
                    **self.defs.get(branch.get("$ref", "").rpartition("/")[2], branch),
                    BEGINS: schema.get(BEGINS),
                }
                for branch in schema["anyOf"]
            ]
            options = [branch for branch in branches if branch.get("type") != "null"]
            if len(options) != 1:
                return self._bracketed(self.words("text"), quoted=True)
            return self._blank(options[0], nullable=len(options) < len(branches))
        if schema.get("type") == "array":
            return [self.value(schema.get("items") or {})]
        if "properties" in schema:
            return {name: self.value(inner) for name, inner in schema["properties"].items()}
        return self._blank(schema)

    def _blank(self, schema: Mapping[str, Any], *, nullable: bool = False) -> str:
        text, quoted = self._words_of(schema)
        if not nullable:
            return self._bracketed(text, quoted=quoted)
        if self.plainly:
            return self._bracketed(self.words("$kind, or none", kind=text), quoted=True)
        inside = f'"{text}"' if quoted else text
        return self._bracketed(self.words("$kind, or null", kind=inside), quoted=False)

    def _bracketed(self, text: str, *, quoted: bool) -> str:
        return f"<{text}>" if quoted or self.plainly else f"{_BARE}<{text}>{_BARE}"

    def _words_of(self, schema: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the words of a blank, and whether JSON quotes the value."""
        values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
        if values:
            more = " ..." if len(values) > SHORT else ""
            return " | ".join(map(str, values[:SHORT])) + more, isinstance(values[0], str)
        match schema.get("type"):
            case "boolean":
                return "yes | no" if self.plainly else "true | false", False
            case "integer":
                return self._ranged("whole number", schema), False
            case "number":
                return self._ranged("number", schema), False
        if OPTION in schema:
            return self.words(
                "a legal hint" if schema.get(BEGINS) == "hint" else "a legal move"
            ), True
        return self.words("text"), True

    def _ranged(self, kind: str, schema: Mapping[str, Any]) -> str:
        named = self.words(kind)
        low = schema.get("minimum")
        high = schema.get("maximum")
        if (below := self.counts.get(schema.get(BELOW, ""))) is not None:
            high = below - 1
        if low is None:
            return named
        if high is None:
            return self.words("$kind from $low on", kind=named, low=f"{low:g}")
        return self.words("$kind from $low to $high", kind=named, low=f"{low:g}", high=f"{high:g}")
