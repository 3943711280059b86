"""Everything that can go wrong between here and a model server, classified in this one place.

| what came                                                  | tried again | then                          |
|------------------------------------------------------------|-------------|-------------------------------|
| 429                                                        | yes, slower | the game is suspended         |
| 429 for want of money (`insufficient_quota`)               | no          | the game is suspended         |
| 408, 504, no answer in time                                | yes, slower | the game is suspended         |
| 409, 425, other 5xx, no connection, a drop                 | yes         | the game is suspended         |
| a page, half an answer, JSON that is no chat completion    | yes         | the game is suspended         |
| what is no HTTP, 1xx, 3xx without an address               | yes         | the game is suspended         |
| an answer of more bytes than `max_answer_bytes`            | no          | an answer that is too long    |
| a redirect to another server                               | no          | the game is suspended         |
| 400 or 422 to a request with `response_format`             | without it  | the game is suspended         |
| 400 with the code `content_filter`                         | no          | an empty answer               |
| 400, 413, 422 or 500 for a prompt that is too long         | no          | no answer: the node is absent |
| 401, 403, 404 and every other 4xx                          | no          | the game is suspended         |

What a completion says, even if it is empty, is judged elsewhere (`orchestrator.replies.reader`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from orchestrator.models.redaction import redact
from orchestrator.replies.values import clipped

WORDS = 200
"""Characters of a server's own message that are kept."""


class NotACompletion(Exception):  # noqa: N818  # what the answer is
    """The response is no chat completion."""


class TooLargeError(Exception):
    """The answer has more bytes than are read."""

    def __init__(self, most: int) -> None:
        super().__init__(f"sent more than {most} bytes in one answer, the most that are read (max_answer_bytes)")


class NoFormatError(Exception):
    """The client of a provider knows no way to ask for a format of the answer."""

    def __init__(self, why: str) -> None:
        super().__init__(f"was not asked with a schema: {why}")


class RedirectedError(Exception):
    """The server wants the prompt to be sent to another one."""

    def __init__(self, origin: str) -> None:
        super().__init__(f"redirects to another server, {origin}; if that is right, give its address as the model's")


@dataclass(frozen=True)
class Fault:
    """One fault of one try."""

    sentence: str
    """What happened, to follow the words `the model server`; keys are removed."""
    status: int | None = None
    heals: bool = False
    """True if trying again may help."""
    crowded: bool = False
    """True if the server wants fewer calls at a time."""
    retry_after_s: float | None = None
    """Seconds after which the server may be tried again, where it says so."""
    filtered: bool = False
    """True if the content was refused, rather than the request."""
    too_long: bool = False
    """True if the prompt, with the room for its answer, is longer than the model's context."""
    context: int | None = None
    """The length of that context in tokens, where the server says it."""
    too_large: bool = False
    """True if the answer has more bytes than are read."""


HEALING = (408, 409, 425, 429)
CROWDED = (408, 429, 504)
"""What a server answers that has more calls than it can serve in time."""
FORM = (400, 422)
"""Where leaving out `response_format` may help."""

SAID = {
    401: "refuses the key: HTTP 401",
    402: "wants payment: HTTP 402",
    403: "refuses access: HTTP 403",
    404: "answered HTTP 404; is that the right model, and should the URL end in /v1?",
    413: "finds the request too large: HTTP 413",
    429: "has too many requests: HTTP 429",
}


def classify(error: Exception, secrets: Iterable[str] = ()) -> Fault:
    """Classify an exception of any provider's client: by its HTTP status, else by the names of its types.

    `secrets` are keys to be removed from the fault's sentence.
    """
    for cause in _causes(error):
        if status := _status(cause):
            return _of_status(status, cause, secrets)
    if isinstance(error, TooLargeError | RedirectedError | NoFormatError):
        status = FORM[0] if isinstance(error, NoFormatError) else None
        return Fault(_clean(str(error), secrets), status, too_large=isinstance(error, TooLargeError))
    names = kinds(error)
    # openai and httpx call some of the following timeouts
    if re.search("Disconnect|Payload|ConnectionReset|ReadError|RemoteProtocol", names):
        return Fault("hung up", heals=True)
    if re.search("ClientResponseError|HttpProcessingError|DecodingError", names):
        return Fault("sent something that is not valid HTTP", heals=True)
    if re.search("Connector|ConnectError|Refused|gaierror|ClientOSError", names):
        return Fault("could not be reached", heals=True)
    if "Timeout" in names:
        return Fault("did not answer in time", heals=True, crowded=True)
    if isinstance(error, NotACompletion):
        return Fault(f"did not answer as a model server does: {_clean(str(error), secrets)}", heals=True)
    if isinstance(error, OSError) or re.search("Connect|Protocol|WriteError", names):
        return Fault("could not be reached", heals=True)
    sentence = f"failed: {type(error).__name__}: {_clean(str(error), secrets)}"
    # raised by clients that cannot read a response, or whose event loop has ended
    mistaken = isinstance(error, ValueError | TypeError | LookupError | AttributeError | RecursionError)
    return Fault(sentence, heals=mistaken or "Event loop is closed" in sentence)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and the chain of its causes."""
    while error is not None:
        yield error
        error = error.__cause__


def kinds(error: BaseException) -> str:
    """Return the names of the types of an exception and of its causes, base classes included."""
    return " ".join(kind.__name__ for cause in _causes(error) for kind in type(cause).__mro__)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of an exception, wherever its library keeps it."""
    if type(error).__module__.startswith("aiohttp"):
        return None  # its parser gives codes to its own errors
    response = getattr(error, "response", None)
    codes = (getattr(error, "status_code", None), getattr(error, "code", None), getattr(response, "status_code", None))
    failures = (code for code in codes if isinstance(code, int) and (100 <= code < 200 or 300 <= code < 600))
    return next(failures, None)


def _of_status(status: int, error: BaseException, secrets: Iterable[str]) -> Fault:
    code, words, context = _words(error)
    coded = code in TOO_LONG_CODES or _TOO_LONG.search(words or "") is not None
    too_long = coded and status in (400, 413, 422, 500)
    poor = status == 429 and code == "insufficient_quota"
    sentence = "wants payment: HTTP 429, insufficient_quota" if poor else SAID.get(status, f"answered HTTP {status}")
    if too_long and not context and (length := _CONTEXT.search(words or "")):
        context = int(next(filter(None, length.groups())))
    if status not in (401, 403) and words:  # those two may repeat a part of the key
        sentence = f"{sentence}: {_clean(words, secrets)}"
    return Fault(
        sentence,
        status,
        heals=(status in HEALING or status >= 500 or status < 400) and not poor and not too_long,
        crowded=status in CROWDED,
        retry_after_s=_retry_after(error),
        filtered=status == 400 and code == "content_filter",
        too_long=too_long,
        context=context or None if too_long else None,
    )


def _words(error: BaseException) -> tuple[str | None, str | None, int | None]:
    """Return the code (else the type), the message and the length of the context in the body of an error, as OpenAI and
    compatible servers send them: in an object or a sentence, which some put into an object of its own."""
    body = getattr(error, "body", None)
    inner = body.get("error") if isinstance(body, Mapping) else None
    body = inner if isinstance(inner, Mapping | str) else body
    if not isinstance(body, Mapping):
        return None, body if isinstance(body, str) else None, None
    codes, message, context = (body.get("code"), body.get("type")), body.get("message"), body.get("n_ctx")
    code = next((code for code in codes if isinstance(code, str)), None)
    return code, message if isinstance(message, str) else None, context if isinstance(context, int) else None


_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|(?:prompt|input) is too long|prompt too long|too many (?:input )?tokens"
    r"|maximum (?:prompt|input) length|input token count|max_new_tokens\W* must be|reduce the length of the messages"
    r"|number of tokens to keep from the initial prompt|request too large for model",
    re.IGNORECASE,
)
TOO_LONG_CODES = ("context_length_exceeded", "exceed_context_size_error", "string_above_max_length")
"""How servers say that a prompt is too long: in words, and by OpenAI's codes and llama.cpp's type."""

_CONTEXT = re.compile(
    r"context (?:length|window|size)(?! by)\D{0,12}(\d+)|> (\d+) maximum|must be <= (\d+)"
    r"|maximum (?:prompt|input) length\D{0,12}(\d+)|number of tokens allowed\D{0,3}(\d+)",
    re.IGNORECASE,
)
"""The length of the context that a refusal names."""


def _clean(words: str, secrets: Iterable[str]) -> str:
    """Return a server's message on one line, without keys and without characters that control a terminal."""
    words = re.sub(r"(https?://[^\s?]+)\?\S+", r"\1", redact(words, secrets))
    return clipped(" ".join("".join(c if c.isprintable() else " " for c in words).split()), WORDS)


def _retry_after(error: BaseException) -> float | None:
    """Seconds of a Retry-After header, given as a number or a date; some servers send milliseconds besides."""
    headers = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", None) or {}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, (parsedate_to_datetime(headers["retry-after"]) - datetime.now(UTC)).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
