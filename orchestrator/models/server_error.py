"""The error of an answer, wherever it stands: beside an HTTP status, in an answer with status 200, or in a choice.

Servers write errors as an object, a text, a list, under `detail`, under another error, or as a page. All become one
`ServerError`; what follows from it is decided in `orchestrator.models.faults` alone.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

LONGEST = 100_000
"""Characters of an error's body that are looked at."""
DEEPEST = 6
"""How many objects an error may lie in."""
ENTRIES = 5
"""Entries of a list of errors that are looked at."""

WORDS: tuple[str, ...] = (
    "message",
    "msg",
    "detail",
    "details",
    "error",
    "errors",
    "title",
    "reason",
    "raw",
)
WORDS += (
    "error_message",
    "error_msg",
    "error_description",
    "status_msg",
    "faultstring",
    "Message",
    "description",
)
"""The keys under which servers say what is wrong."""
CODES: tuple[str, ...] = (
    "code",
    "type",
    "status",
    "error_code",
    "error_type",
    "errorcode",
    "errorCode",
    "errcode",
    "name",
    "__type",
)
CODES += ("status_code", "statusCode")
"""The keys under which they name its kind: words, or an HTTP status."""
NESTED: tuple[str, ...] = (
    "error",
    "errors",
    "fault",
    "detail",
    "details",
    "message",
    "metadata",
    "innererror",
    "inner_error",
    "cause",
)
NESTED += ("base_resp", "response", "body", "raw")
"""The keys of objects in which an error may lie."""
LENGTHS = ("n_ctx", "max_model_len", "context_length")
"""The keys of a context's length."""
ENDS = (
    "error",
    "abort",
    "aborted",
    "failed",
    "network_error",
    "server_error",
    "insufficient_system_resource",
)
"""The finish reasons of choices that the server, not the model, ended."""
EMPTY = ("", "none", "null", "error", "ok", "success", "0", "200")
"""Codes that say nothing."""


@dataclass(frozen=True)
class ServerError:
    """What a server says is wrong."""

    status: int | None = None
    """The HTTP status, or the one that the error of an answer with status 200 names; None where it names none."""
    codes: tuple[str, ...] = ()
    """Its codes and types as sent, the outermost first."""
    words: str = ""
    """Its message, as sent: it may hold keys and control characters."""
    parameter: str = ""
    """The field of the request that is at fault, where it is named."""
    context: int | None = None
    """The length of the model's context in tokens, where it is a field of its own."""
    wait_s: float | None = None
    """Seconds until the next try, where a field of its own or the message names them."""
    generation: str | None = None
    """The model's text that the server refused."""
    is_page: bool = False
    """True if it is a page rather than data."""
    in_answer: bool = False
    """True if it came with HTTP status 200."""


def of_status(status: int, body: object) -> ServerError:
    """Return the error of an answer with an HTTP status that is no success; its body may be anything."""
    notes = _Notes()
    _gather(body, notes)
    return notes.error(status, in_answer=False)


def of_answer(answer: object) -> ServerError | None:
    """Return the error of an answer with status 200; None where it says none."""
    notes = _Notes()
    if isinstance(answer, list):
        _gather(answer, notes)
        return notes.error(None, in_answer=True) if notes.words or notes.codes else None
    if not isinstance(answer, dict):
        return None
    for error in (answer.get("error"), answer.get("errors")):
        _gather(error, notes)
    usable = bool(answer.get("choices")) or bool(answer.get("output"))
    choice = _first(answer.get("choices"))
    ended = str(choice.get("finish_reason")).lower() in ENDS or answer.get("status") in (
        "failed",
        "cancelled",
    )
    if ended or choice.get("error"):
        _gather(choice.get("error"), notes)
        if not (notes.words or notes.codes):
            notes.words.append(
                f"it ended with {str(choice.get('finish_reason') or answer.get('status'))!r}"
            )
        return notes.error(None, in_answer=True)
    if (
        usable and not notes.words and not notes.statuses
    ):  # `{"error": {"code": 0, "message": ""}, "choices": ...}`
        return None
    if not usable:
        _gather(answer, notes)
    return notes.error(None, in_answer=True) if notes.words or notes.statuses else None


def _first(choices: object) -> dict[str, Any]:
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


@dataclass
class _Notes:
    """What has been read of an error so far."""

    words: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    parameter: str = ""
    context: int | None = None
    wait_s: float | None = None
    generation: str | None = None
    is_page: bool = False

    def error(self, status: int | None, *, in_answer: bool) -> ServerError:
        """Return the error. One without a status has that of its fields, else the one that its codes or words mean."""
        words = "; ".join(dict.fromkeys(self.words or self.codes))
        named = next(iter(self.statuses), None) or _meant((*self.codes, words))
        return ServerError(
            status if status is not None else named,
            tuple(dict.fromkeys(self.codes)),
            words,
            self.parameter,
            self.context,
            _wait_s(words) if self.wait_s is None else self.wait_s,
            self.generation,
            self.is_page,
            in_answer,
        )


def _gather(value: object, notes: _Notes, depth: int = 0) -> None:
    """Note what an error says, the outermost first. A text may be JSON, or a page."""
    if depth > DEEPEST or not value:
        return
    match value:
        case bytes():
            _gather(value[: 4 * LONGEST].decode("utf-8", "replace"), notes, depth)
        case str():
            _gather_text(value[:LONGEST].strip(), notes, depth)
        case list() | tuple():
            for entry in value[:ENTRIES]:
                _gather(entry, notes, depth + 1)
        case dict():
            _gather_fields(value, notes, depth)


def _gather_text(text: str, notes: _Notes, depth: int) -> None:
    if text[:1] in ("{", "["):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict | list):
            _gather(data, notes, depth + 1)
            return
    if is_page(text):
        notes.is_page = True
        text = page_title(text)
    if text.lower() not in EMPTY:
        notes.words.append(text)


def _gather_fields(fields: dict[Any, Any], notes: _Notes, depth: int) -> None:
    for key in CODES:
        _gather_code(fields.get(key), notes)
    place = fields.get("param") or fields.get("loc")
    parameter = (
        ".".join(str(part) for part in place if part != "body")
        if isinstance(place, list)
        else place
    )
    if isinstance(parameter, str) and parameter.lower() not in EMPTY:
        notes.parameter = notes.parameter or parameter
    lengths = (fields.get(key) for key in LENGTHS)
    notes.context = notes.context or next((length for length in lengths if _is_count(length)), None)
    if "failed_generation" in fields:
        notes.generation = str(fields["failed_generation"] or "")
    if fields.get("flagged_input") or fields.get("reasons"):
        notes.codes.append("flagged")
    delay = fields.get("retryDelay") or fields.get("retry_after")
    if match := re.fullmatch(r"(\d+(?:\.\d+)?)s?", str(delay)):
        notes.wait_s = float(match[1])
    for key in WORDS:
        if isinstance(text := fields.get(key), str):
            _gather_text(_located(text.strip()[:LONGEST], fields), notes, depth)
    for key in NESTED:
        if isinstance(inner := fields.get(key), dict | list):
            _gather(inner, notes, depth + 1)


def _located(text: str, fields: dict[Any, Any]) -> str:
    """Return a message of a validator with the field that it is about: `Field required` alone says nothing."""
    place = fields.get("loc")
    names = [str(part) for part in place if part != "body"] if isinstance(place, list) else []
    return f"{'.'.join(names)}: {text}" if names else text


def _gather_code(code: object, notes: _Notes) -> None:
    if isinstance(code, bool) or not isinstance(code, str | int | float):
        return
    text = str(code).strip()
    if re.fullmatch(r"[1-5]\d\d", text):
        notes.statuses += [int(text)] if int(text) >= 400 else []
    elif text.lower() not in EMPTY:
        notes.codes.append(text[:100])


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


MEANT = (
    (429, r"rate.?limit|too.?many.?requests|resource.?exhausted|throttl"),
    (529, r"overload"),
    (503, r"unavailable|\bbusy\b|insufficient_system_resource"),
    (504, r"deadline|time.?out|timed out"),
    (
        402,
        r"insufficient.{0,20}(quota|credit|balance|funds)|payment.?required|billing|arrear|no credits|out of credits",
    ),
    (401, r"authenticat|unauthori[sz]ed|(invalid|incorrect|missing|no|bad).{0,10}api.?key"),
    (403, r"permission|forbidden|access.?denied"),
    (
        404,
        r"unexpected endpoint|(unknown|no such|invalid) (endpoint|route|path|url|model)|not.?found|does not exist",
    ),
    (422, r"unprocessable"),
    (
        400,
        r"invalid.?request|invalid.?argument|bad.?request|validat|invalid.?prompt|response_format|json_schema",
    ),
    (500, r"internal|server.?error|api_error"),
)
"""The HTTP status that codes and words of an error stand for."""


def _meant(texts: tuple[str, ...]) -> int | None:
    """Return the status that the first of these codes or words stands for."""
    statuses = (
        status for text in texts for status, words in MEANT if re.search(words, text, re.IGNORECASE)
    )
    return next(statuses, None)


_WAIT = re.compile(
    r"(?:try again|retry(?:ing)?) (?:in|after) (\d+(?:\.\d+)?) ?(ms|m(?:in)?|s(?:ec)?|h)?(?![a-z]*\d)",
    re.I,
)
_UNITS = {"ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0}


def _wait_s(words: str) -> float | None:
    """Return the seconds of `try again in 7.5s`; a mixed time such as 1m20s counts by its first part."""
    match = _WAIT.search(words)
    return float(match[1]) * _UNITS.get((match[2] or "s").lower(), 1.0) if match else None


# Pages


def is_page(text: str) -> bool:
    """Return whether a text is a page of HTML or XML."""
    return (
        re.match(r"\s*<(!doctype|html|head|body|\?xml|h1|title)", text, re.IGNORECASE) is not None
    )


def page_title(text: str) -> str:
    """Return what a page says, by its title and first heading, else its first words."""
    titles = re.findall(r"<(title|h1)[^>]*>(.*?)</\1>", text, re.IGNORECASE | re.DOTALL)
    plain = [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", title)).split()) for _, title in titles]
    words = "; ".join(dict.fromkeys(filter(None, plain)))
    return words or " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text[:2000])).split())


# Events


def events(text: str) -> Iterator[object]:
    """Yield the JSON of a stream's events; ends at `[DONE]`. A line that is no JSON is left out."""
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            return
        if data[:1] in ("{", "["):
            try:
                yield json.loads(data)
            except (ValueError, RecursionError):
                continue
