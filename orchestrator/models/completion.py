"""OpenAI's two APIs as plain data: what a request says to Chat Completions and to Responses, and what an answer says.

Other servers send completions nearly as OpenAI does. Reasoning models give summaries of their thinking in the Responses
API, and nowhere else.

An answer may stand elsewhere than in the content of the first choice. It is read where that is safe, and `source` says
where it stood.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hanabi_orchestrator.orchestrator.models import server_error
from hanabi_orchestrator.orchestrator.models.faults import AnsweredError, NotACompletion
from hanabi_orchestrator.orchestrator.models.request import ModelResponse, Source
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest
from hanabi_orchestrator.orchestrator.models.usage import Usage

Body = dict[str, Any]


class Api(NamedTuple):
    """One API of a server."""

    path: str
    fixed: Callable[[ModelSettings], Body]
    """Returns what every request of a model says."""
    body: Callable[[CompletionRequest, Body], Body]
    """Returns the body of a request, given what every request says."""
    parse: Callable[[object], ModelResponse]
    """Returns what an answer says. Raises NotACompletion, and AnsweredError for one that is an error."""


# Chat Completions


def _fixed_chat(settings: ModelSettings) -> Body:
    """Return its name, its sampling settings, and whatever `extra_body` adds."""
    sampling = settings.sampling
    if "max_tokens" in sampling and (settings.home or settings.azure):
        # OpenAI's reasoning models refuse the older name, other servers do not know the newer one
        sampling["max_completion_tokens"] = sampling.pop("max_tokens")
    # some gateways stream unless they are told not to
    return {"model": settings.name, "stream": False, **sampling, **settings.extra_body}


def _chat_body(request: CompletionRequest, fixed: Body) -> Body:
    """Return what is set, and nothing else."""
    body: Body = {
        "messages": [
            {"role": message.role, "content": message.content} for message in request.messages
        ]
    }
    if request.response_format is not None:
        body["response_format"] = request.response_format
    if request.seed is not None:
        body["seed"] = request.seed
    return body | fixed


def parse_completion(answer: object) -> ModelResponse:
    """Return what a chat completion says, given as plain data. Raises NotACompletion when it is none, and AnsweredError
    when it is an error."""
    if error := server_error.of_answer(answer):
        raise AnsweredError(error)
    choices = at(answer, "choices")
    spoken = [_said(choice) for choice in choices] if isinstance(choices, list) else []
    if not spoken or all(choice is None for choice in spoken):
        raise NotACompletion(
            f"it sent {str(answer)[:2000]!r}"
        )  # shortened further once keys are removed
    first = next(choice for choice in spoken if choice is not None)
    with_text = [choice for choice in spoken if choice is not None and choice.text]
    chosen = first if first.text or not with_text else with_text[0]._replace(source="later_choice")
    usage = Usage.counted(
        count(answer, "usage", "prompt_tokens"),
        count(answer, "usage", "completion_tokens"),
        count(answer, "usage", "total_tokens"),
        count(answer, "usage", "prompt_tokens_details", "cached_tokens")
        or count(answer, "usage", "prompt_cache_hit_tokens"),  # DeepSeek's name of them
        count(answer, "usage", "completion_tokens_details", "reasoning_tokens"),
    )
    return ModelResponse(
        text=chosen.text,
        **usage.counts,
        finish=chosen.finish,
        reasoning=chosen.reasoning,
        source=chosen.source,
        **_server(answer),
    )


class _Choice(NamedTuple):
    """What one choice says."""

    text: str
    finish: str | None
    reasoning: str | None
    source: Source | None = None


def _said(choice: object) -> _Choice | None:
    """Return what a choice says; None for what is no choice.

    Beside `content`, an answer is read from the arguments of a single call of a tool (none was offered, so they are the
    reply), and from the reasoning where this is a JSON object from its first character to its last.
    """
    message = next(
        (value for key in ("message", "delta") if (value := at(choice, key)) is not None), None
    )
    text = message if isinstance(message, str) else string(at(choice, "text"))
    if not isinstance(message, dict) and text is None:
        return None
    thought = string(at(message, "reasoning_content") or at(message, "reasoning"))
    finish = string(at(choice, "finish_reason"))
    text = text or _text(at(message, "content")) or _text(at(message, "refusal"))
    if text.strip():
        return _Choice(text, finish, thought)
    if arguments := _arguments(message):
        return _Choice(
            arguments, "stop" if finish == "tool_calls" else finish, thought, "tool_call"
        )
    if thought and finish != "length" and _is_object(thought):
        return _Choice(thought, finish, None, "reasoning")
    return _Choice(text, finish, thought)


def _text(content: object) -> str:
    """Return a text, the texts of a list of content parts, or an object as its JSON."""
    if isinstance(content, list):
        return "".join(_text(at(part, "text")) for part in content)
    if isinstance(content, dict):
        return (
            _text(content["text"]) if isinstance(content.get("text"), str) else json.dumps(content)
        )
    return content if isinstance(content, str) else ""


def _arguments(message: object) -> str:
    """Return the arguments of the only tool that a message calls, where they are a JSON object; else nothing."""
    calls = at(message, "tool_calls")
    functions = [at(call, "function") for call in calls] if isinstance(calls, list) else []
    if (older := at(message, "function_call")) is not None:
        functions.append(older)
    arguments = at(functions[0], "arguments") if len(functions) == 1 else None
    text = json.dumps(arguments) if isinstance(arguments, dict) else string(arguments) or ""
    return text if _is_object(text) else ""


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


# What comes over the wire


def decoded(content: bytes, media: str) -> object:
    """Return the data of an answer: JSON, or the events of a stream put together, of which `media` is the type.

    Raises NotACompletion, which says what came, for half a response, a page, a number that is called JSON, or a
    thousand brackets.
    """
    text = _characters(content)
    try:
        data, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        data = None
        end = 0
    if isinstance(data, dict | list) and text[end:].strip() in ("", "data: [DONE]", "[DONE]"):
        return data
    if (
        text.startswith(("data:", "event:", "id:", ":"))
        or "event-stream" in media
        or (data and "data:" in text[end:])
    ):
        return _assembled(list(server_error.events(text)), ended="[DONE]" in text)
    if server_error.is_page(text):
        title = server_error.page_title(text)[:WORDS]
        raise NotACompletion(
            f"it sent no JSON but a page, {title!r}; is the URL right, and should it end in /v1?"
        )
    if not text:
        raise NotACompletion(
            "it sent no JSON but an empty answer; is the URL right, and should it end in /v1?"
        )
    raise NotACompletion(
        f"it sent no JSON ({media.partition(';')[0] or 'of no type'}): {text[:WORDS]!r}"
    )


WORDS = 80
"""Characters of what is no answer that are shown."""


def _characters(content: bytes) -> str:
    """Return the characters of an answer; what is not UTF-8 is taken for Latin-1, as older servers write."""
    try:
        text = content.decode(
            "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        )
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.strip()


def _assembled(events: list[object], *, ended: bool) -> object:
    """Return the answer that the events of a stream tell in parts. Raises NotACompletion for one that breaks off."""
    for event in events:
        if at(event, "type") in ("response.completed", "response.incomplete", "response.failed"):
            return at(event, "response")
        if at(event, "error") or at(event, "type") == "error":
            return event
    message: Body = {}
    common: Body = {}
    finish: object = None
    for event in events:
        choices = at(event, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        for part in (at(choice, "delta"), at(choice, "message")):
            _add(message, part if isinstance(part, dict) else {})
        finish = at(choice, "finish_reason") or finish
        common |= {name: value for name, value in _fields(event).items() if value is not None}
    if not message or not (ended or finish):
        raise NotACompletion(f"it sent a stream of {len(events)} events that broke off")
    return {**common, "choices": [{"message": message, "finish_reason": finish}]}


def _fields(event: object) -> Body:
    return {
        name: at(event, name) for name in ("usage", "model", "system_fingerprint", "service_tier")
    }


def _add(message: Body, part: Body) -> None:
    """Add a part to a message, in place: texts are joined, of tools the arguments."""
    for key, value in part.items():
        if isinstance(value, str) and key != "role":
            message[key] = f"{message.get(key) or ''}{value}"
        if key == "tool_calls" and isinstance(value, list):
            calls = message.setdefault(key, [])
            for call in value:
                number = count(call, "index")
                while len(calls) <= min(number, MOST_CALLS):
                    calls.append({"function": {"arguments": ""}})
                arguments = string(at(call, "function", "arguments")) or ""
                calls[min(number, MOST_CALLS)]["function"]["arguments"] += arguments


MOST_CALLS = 9
"""The last place of a tool call that is kept apart."""


# Responses


def _fixed_response(settings: ModelSettings) -> Body:
    """Return the same; no server is asked to keep a response."""
    sampling = settings.sampling
    effort = {
        "effort": sampling.pop("reasoning_effort", None),
        "summary": settings.reasoning_summary,
    }
    reasoning = {name: value for name, value in effort.items() if value is not None}
    if "max_tokens" in sampling:
        sampling["max_output_tokens"] = sampling.pop("max_tokens")
    common = {"model": settings.name, "store": False, "stream": False}
    body = {**common, **sampling, **({"reasoning": reasoning} if reasoning else {})}
    return merged(body, settings.extra_body)


def _response_body(request: CompletionRequest, fixed: Body) -> Body:
    sent: Body = {
        "input": [
            {"role": message.role, "content": message.content} for message in request.messages
        ]
    }
    if (format := request.response_format) is not None:
        sent["text"] = {"format": {"type": format["type"], **format.get("json_schema", {})}}
    return merged(sent, fixed)


def merged(body: Body, more: Body) -> Body:
    """Return a body with more fields; what both give as objects has the keys of both: `text`, `reasoning`."""
    both = {
        name
        for name in body.keys() & more.keys()
        if isinstance(body[name], dict) and isinstance(more[name], dict)
    }
    return body | more | {name: body[name] | more[name] for name in both}


def parse_response(answer: object) -> ModelResponse:
    """Return what a response says, given as plain data. Raises NotACompletion when it is none, and AnsweredError when
    it is an error, or failed."""
    if error := server_error.of_answer(answer):
        raise AnsweredError(error)
    output = at(answer, "output")
    if not isinstance(output, list):
        raise NotACompletion(f"it sent {str(answer)[:2000]!r}")
    usage = Usage.counted(
        count(answer, "usage", "input_tokens"),
        count(answer, "usage", "output_tokens"),
        count(answer, "usage", "total_tokens"),
        count(answer, "usage", "input_tokens_details", "cached_tokens"),
        count(answer, "usage", "output_tokens_details", "reasoning_tokens"),
    )
    spoken = _parts(output, "message", "content")
    thought = [
        string(at(part, "text")) for part in _parts(output, "reasoning", "summary", "content")
    ]
    why = string(at(answer, "incomplete_details", "reason"))
    return ModelResponse(
        text="".join(
            string(at(part, "text")) or string(at(part, "refusal")) or "" for part in spoken
        ),
        **usage.counts,
        finish=(why or "length") if at(answer, "status") == "incomplete" else "stop",
        reasoning="\n\n".join(filter(None, thought)) or None,
        **_server(answer),
    )


def _parts(output: list[object], kind: str, *keys: str) -> Iterator[object]:
    """Yield the parts that lie under these keys of the items of a kind."""
    for item in output:
        for key in keys if at(item, "type") == kind else ():
            parts = at(item, key)
            yield from parts if isinstance(parts, list) else ()


APIS: dict[str, Api] = {
    "chat": Api("/chat/completions", _fixed_chat, _chat_body, parse_completion),
    "responses": Api("/responses", _fixed_response, _response_body, parse_response),
}


# Plain data from outside


def at(value: object, *path: str) -> object:
    """Return what lies at a path of nested objects; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count(value: object, *path: str) -> int:
    """Return a count; 0 for what is none."""
    number = at(value, *path)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return 0
    return int(number) if 0 <= number < 1e12 else 0


def string(value: object) -> str | None:
    """Return a text; None for what is none."""
    return value if isinstance(value, str) else None


def _server(answer: object) -> dict[str, Any]:
    """Return what an answer says of who gave it: the tier only where it is not the ordinary one."""
    tier = string(at(answer, "service_tier"))
    return {
        "served_by": string(at(answer, "model")),
        "fingerprint": string(at(answer, "system_fingerprint")),
        "service_tier": None if tier == "default" else tier,
    }
