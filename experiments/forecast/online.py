"""What a few requests tell of a model: who answers, which schemas the server enforces, and whether
answers are read."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hanabi_orchestrator.experiments.forecast.checklist import Checklist
from hanabi_orchestrator.experiments.forecast.room import Measure, measured
from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.models import faults
from hanabi_orchestrator.orchestrator.models.json_schema import constraints
from hanabi_orchestrator.orchestrator.models.layer import transport
from hanabi_orchestrator.orchestrator.models.limiter import Limiter
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Exchange,
    Message,
    ModelRequest,
    ModelResponse,
    answer,
)
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.models.server_info import ServerInfo
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest, Transport
from hanabi_orchestrator.orchestrator.replies.reply import Form

SHORT = 200
"""Tokens of the answer to a tiny question."""
ONLY = "xanthic-7"
"""A word that no model writes unless a schema makes it."""

TINY = Message(
    role="user", content='Name a colour. Answer with a JSON object such as {"colour": "red"}.'
)


@dataclass(frozen=True)
class Online:
    info: ServerInfo
    measure: Measure | None


async def examine(
    checklist: Checklist,
    settings: ModelSettings,
    client: Transport,
    questions: Mapping[Form, ModelRequest],
    asking: Sequence[ModelRequest],
    form: Form,
) -> Online | None:
    """Return all online checks; None where the server cannot be used.

    `questions`: one in each answer format. `asking`: a request of each reply type. `form`: the
    graph's own format.
    """
    try:
        if (describe := getattr(client, "describe", None)) is None:
            await client.check()
        info: ServerInfo = await describe() if describe else ServerInfo()
        if info.models:
            if len(info.models) > 5:
                more = f" and {len(info.models) - 5} more"
            else:
                more = ""
            checklist.ok(
                "server", f"it can be reached, and lists {', '.join(info.models[:5])}{more}"
            )
        else:
            checklist.ok("server", "it can be reached, and does not list its models")
        if settings.response_format == "json_schema":
            await _schemas(checklist, settings, asking)
        else:
            checklist.ok("schemas", f"none are sent: response_format is {settings.response_format}")
        first = [
            await _question(checklist, settings, client, questions[name], name == form)
            for name in questions
        ]
    except UserError as error:
        checklist.fail("server", str(error))
        return None
    finally:
        await client.aclose()
    answered = [name for name in first if name is not None]
    readable = []
    for name, each in zip(questions, first, strict=True):
        if each and each.reply is not None:
            readable.append(name)
    if form not in readable and readable:
        advice = f"add --set answer_format={readable[-1]} to the command"
        checklist.warn("format", f"{readable[-1]} is read better than {form}: {advice}")
    _who(checklist, settings, answered)
    return Online(info, measured(answered))


async def _schemas(
    checklist: Checklist, settings: ModelSettings, asking: Sequence[ModelRequest]
) -> None:
    """Tell whether the server takes JSON schemas, holds the model to them, and takes those of the
    graph's replies."""
    schema = {"type": "object", "properties": {"colour": {"type": "string", "enum": [ONLY]}}}
    strict = {**schema, "required": ["colour"], "additionalProperties": False}
    forced = {
        "type": "json_schema",
        "json_schema": {"name": "Colour", "strict": True, "schema": strict},
    }
    reply = await _tiny(settings, forced, SHORT)
    if isinstance(reply, str):
        checklist.warn(
            "schemas",
            f"the server refuses JSON schemas ({reply}); prompts alone will state the format",
        )
        return
    enforced = False
    with suppress(ValueError):
        enforced = json.loads(reply.text) == {"colour": ONLY}
    refused = [problem for request in asking if (problem := await _refused(settings, request))]
    if refused:
        checklist.warn("schemas", f"taken, but not all: {'; '.join(refused)}")
    elif reply.finish == "length":
        checklist.warn(
            "schemas", "taken; whether they are enforced is not known, the answer was cut off"
        )
    elif enforced and reply.source:
        where = reply.source.replace("_", " ")
        checklist.warn(
            "schemas",
            f"taken and enforced, but answers stand in the {where}, from where they are read",
        )
    elif not reply.text.strip() and reply.reasoning:
        parser = "the server's reasoning parser does not fit the model"
        checklist.warn(
            "schemas",
            "taken; whether they are enforced is not known: answers stand in the reasoning, "
            f"{parser}",
        )
    elif enforced:
        names = ", ".join(request.reply.__name__ for request in asking)
        checklist.ok("schemas", f"taken and enforced, also for the graph's replies ({names})")
    else:
        checklist.warn(
            "schemas", "taken, but not enforced: the prompts alone will state the format"
        )


async def _refused(settings: ModelSettings, request: ModelRequest) -> str | None:
    """Which schemas of a request the server refuses, the strictest first; None where it takes the
    strictest."""
    refused: list[str] = []
    for constraint in constraints(request, settings):
        if not isinstance(await _tiny(settings, constraint.response_format, 16), str):
            break
        refused.append(constraint.name)
    if refused:
        return f"{request.reply.__name__} is refused with {' and '.join(refused)}"
    return None


async def _tiny(
    settings: ModelSettings, form: Mapping[str, Any], tokens: int
) -> ModelResponse | str:
    """Return the answer to a tiny question with a schema, or why it was refused. Raises UserError
    if the question is refused without a schema, too."""
    thinks = settings.reasoning_effort is not None
    if thinks:
        short = settings
    else:
        short = settings.model_copy(update={"max_tokens": tokens})
    client = transport(short)
    problems = list[str]()
    try:
        for request in (CompletionRequest((TINY,), form), CompletionRequest((TINY,))):
            try:
                reply = await client.send(request)
            except Exception as error:  # every provider raises errors of its own
                problems.append(faults.classify(error, client.secrets).sentence)
            else:
                if problems:
                    return problems[0]
                return reply
        raise UserError(f"the model server {problems[-1]}")
    finally:
        await client.aclose()


async def _question(
    checklist: Checklist,
    settings: ModelSettings,
    client: Transport,
    request: ModelRequest,
    is_own: bool,
) -> Exchange | None:
    """Return one real question, read as in a game; returns the first exchange, or None where no
    answer came."""
    brain = ChatBrain(
        client, settings.model_copy(update={"attempts": 2, "backoff_s": 1}), Limiter(1)
    )
    seen: list[Exchange] = []
    form = request.form
    try:
        reply = await answer(request, brain, seen.append)
    except ModelError as error:
        checklist.fail(form, str(error))
        return None
    trouble = checklist.fail if is_own else checklist.warn
    if is_own:
        use = "the format this graph asks for"
    else:
        use = "this graph asks for another format"
    if isinstance(reply, Absent):
        trouble(
            form, f"no usable answer to a question of role {request.role} ({use}): {reply.reason}"
        )
    elif len(seen) > 1:
        checklist.warn(
            form,
            f"a question of role {request.role} was read at the second answer only ({use}): "
            f"{seen[0].error}",
        )
    else:
        checklist.ok(
            form, f"a question of role {request.role} was read at the first answer ({use})"
        )
    return seen[0]


def _who(checklist: Checklist, settings: ModelSettings, exchanges: Iterable[Exchange]) -> None:
    """Compare the model that answered with the one that was asked for."""
    names = {exchange.response.served_by for exchange in exchanges if exchange.response}
    named = sorted(filter(None, names))
    if not names:
        return
    if not named:
        checklist.warn(
            "answers", f"the server does not say which model answers; {settings.name} was asked for"
        )
    elif all(name == settings.name or name.startswith(f"{settings.name}-") for name in named):
        checklist.ok("answers", f"{', '.join(named)} answers, as asked")
    else:
        checklist.warn(
            "answers",
            f"{settings.name} was asked for, and the server says that {', '.join(named)} answers",
        )
