"""What a few requests tell of a model: who answers, which schemas the server enforces, and whether answers are read."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.doctor.checklist import Checklist
from experiments.doctor.measure import Measure, measured
from orchestrator.errors import ModelError, UserError
from orchestrator.models import faults
from orchestrator.models.json_schema import constraints
from orchestrator.models.layer import transport
from orchestrator.models.limiter import Limiter
from orchestrator.models.request import Absent, Exchange, Message, ModelRequest, ModelResponse, answer
from orchestrator.models.retries import ChatBrain
from orchestrator.models.server_info import ServerInfo
from orchestrator.models.settings import ModelSettings
from orchestrator.models.transport import CompletionRequest, Transport
from orchestrator.replies.reply import Form

SHORT = 200
"""Tokens of the answer to a tiny question."""
ONLY = "xanthic-7"
"""A word that no model writes unless a schema makes it."""

TINY = Message(role="user", content='Name a colour. Answer with a JSON object such as {"colour": "red"}.')


@dataclass(frozen=True)
class Online:
    info: ServerInfo
    measure: Measure | None


async def examine(
    found: Checklist,
    settings: ModelSettings,
    made: Transport,
    questions: Mapping[Form, ModelRequest],
    asking: Sequence[ModelRequest],
    form: Form,
) -> Online | None:
    """All online checks; None where the server cannot be used.

    `questions`: one in each answer format. `asking`: a request of each reply type. `form`: the graph's own format.
    """
    try:
        info = await _described(made)
        found.ok("server", _served(info))
        if settings.response_format == "json_schema":
            await _schemas(found, settings, asking)
        else:
            found.ok("schemas", f"none are sent: response_format is {settings.response_format}")
        first = [await _question(found, settings, made, questions[one], one == form) for one in questions]
    except UserError as error:
        found.fail("server", str(error))
        return None
    finally:
        await made.aclose()
    answered = [one for one in first if one is not None]
    _advise(found, form, first, list(questions))
    _who(found, settings, answered)
    return Online(info, measured(answered))


async def _described(made: Transport) -> ServerInfo:
    """Raises UserError when the server cannot be used."""
    describe = getattr(made, "describe", None)
    if describe is None:
        await made.check()
        return ServerInfo()
    info: ServerInfo = await describe()
    return info


def _served(info: ServerInfo) -> str:
    if not info.models:
        return "it can be reached, and does not list its models"
    more = f" and {len(info.models) - 5} more" if len(info.models) > 5 else ""
    return f"it can be reached, and lists {', '.join(info.models[:5])}{more}"


async def _schemas(found: Checklist, settings: ModelSettings, asking: Sequence[ModelRequest]) -> None:
    """Whether the server takes JSON schemas, holds the model to them, and takes those of the graph's replies."""
    schema = {"type": "object", "properties": {"colour": {"type": "string", "enum": [ONLY]}}}
    strict = {**schema, "required": ["colour"], "additionalProperties": False}
    forced = {"type": "json_schema", "json_schema": {"name": "Colour", "strict": True, "schema": strict}}
    said = await _tiny(settings, forced, SHORT)
    if isinstance(said, str):
        found.warn("schemas", f"the server refuses JSON schemas ({said}); prompts alone will state the format")
        return
    refused = [problem for request in asking if (problem := await _refused(settings, request))]
    if refused:
        found.warn("schemas", f"taken, but not all: {'; '.join(refused)}")
    elif said.finish == "length":
        found.warn("schemas", "taken; whether they are enforced is not known, the answer was cut off")
    elif _json(said.text) == {"colour": ONLY}:
        found.ok("schemas", f"taken and enforced, also for the graph's replies ({_names(asking)})")
    else:
        found.warn("schemas", "taken, but not enforced: the prompts alone will state the format")


async def _refused(settings: ModelSettings, request: ModelRequest) -> str | None:
    """Which schemas of a request the server refuses, the strictest first; None where it takes the strictest."""
    refused: list[str] = []
    for one in constraints(request, settings):
        if not isinstance(await _tiny(settings, one.response_format, 16), str):
            break
        refused.append(one.name)
    return f"{request.reply.__name__} is refused with {' and '.join(refused)}" if refused else None


async def _tiny(settings: ModelSettings, form: Mapping[str, Any], tokens: int) -> ModelResponse | str:
    """The answer to a tiny question with a schema, or why the schema was refused.

    Raises UserError when the question is refused without a schema, too.
    """
    thinks = settings.reasoning_effort is not None
    short = settings if thinks else settings.model_copy(update={"max_tokens": tokens})
    made = transport(short)
    try:
        found = await _sent(made, CompletionRequest((TINY,), form))
        if isinstance(found, ModelResponse):
            return found
        plain = await _sent(made, CompletionRequest((TINY,)))
        if isinstance(plain, ModelResponse):
            return found.sentence
        raise UserError(f"the model server {plain.sentence}")
    finally:
        await made.aclose()


async def _sent(made: Transport, request: CompletionRequest) -> ModelResponse | faults.Fault:
    try:
        return await made.send(request)
    except Exception as error:  # every provider raises errors of its own
        return faults.classify(error, made.secrets)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


async def _question(
    found: Checklist, settings: ModelSettings, made: Transport, request: ModelRequest, own: bool
) -> Exchange | None:
    """One real question, read as in a game; returns the first exchange, or None where no answer came."""
    brain = ChatBrain(made, settings.model_copy(update={"attempts": 2, "backoff_s": 1}), Limiter(1))
    seen: list[Exchange] = []
    here = request.form
    try:
        reply = await answer(request, brain, seen.append)
    except ModelError as error:
        found.fail(here, str(error))
        return None
    trouble = found.fail if own else found.warn
    use = "the format this graph asks for" if own else "this graph asks for another format"
    if isinstance(reply, Absent):
        trouble(here, f"no usable answer to a question of role {request.role} ({use}): {reply.reason}")
    elif len(seen) > 1:
        found.warn(
            here, f"a question of role {request.role} was read at the second answer only ({use}): {seen[0].error}"
        )
    else:
        found.ok(here, f"a question of role {request.role} was read at the first answer ({use})")
    return seen[0]


def _advise(found: Checklist, form: Form, first: Sequence[Exchange | None], forms: Sequence[Form]) -> None:
    """Name a format that was read at the first answer where the graph's own was not."""
    read = [
        one for one, exchange in zip(forms, first, strict=True) if exchange is not None and exchange.reply is not None
    ]
    if form not in read and read:
        found.warn(
            "format", f"{read[-1]} is read better than {form}: add --set answer_format={read[-1]} to the command"
        )


def _names(asking: Iterable[ModelRequest]) -> str:
    return ", ".join(request.reply.__name__ for request in asking)


def _who(found: Checklist, settings: ModelSettings, exchanges: Iterable[Exchange]) -> None:
    """Compare the model that answered with the one that was asked for."""
    names = {one.response.served_by for one in exchanges if one.response}
    named = sorted(filter(None, names))
    if not names:
        return
    if not named:
        found.warn("answers", f"the server does not say which model answers; {settings.name} was asked for")
    elif all(name == settings.name or name.startswith(f"{settings.name}-") for name in named):
        found.ok("answers", f"{', '.join(named)} answers, as asked")
    else:
        found.warn("answers", f"{settings.name} was asked for, and the server says that {', '.join(named)} answers")
