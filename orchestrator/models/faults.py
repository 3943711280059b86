"""Everything that can go wrong between here and a model server, classified in this one place.

| what came                                                    | tried again        | then                          |
|--------------------------------------------------------------|--------------------|-------------------------------|
| 408, 429, 503, 504, 529, no answer in time, words of crowding | yes, slower        | the game is suspended         |
| 429 for want of money, for a day's limit, or for a limit smaller than the request | no | the game is suspended   |
| 409, 425, other 5xx, no connection, a drop                   | yes                | the game is suspended         |
| a page, half an answer, JSON that is no chat completion      | the same one twice | the game is suspended         |
| what is no HTTP, 1xx, 3xx without an address                 | the same one twice | the game is suspended         |
| an answer of more bytes than `max_answer_bytes`              | no                 | an answer that is too long    |
| a redirect to another server                                 | no                 | the game is suspended         |
| 400 or 422 to a request with `response_format`               | the same, without  | the game is suspended         |
| the text of the model did not fit the schema                 | no                 | an answer that is unusable    |
| the content is refused                                       | no                 | asked once more, then absent  |
| the prompt is too long                                       | no                 | no answer: the node is absent |
| 401, 402, 403, 404 and every other 4xx                       | no                 | the game is suspended         |

An error in an answer with status 200 counts as the status that it names. A server that has answered is asked once more
before a refusal is believed. What a completion says, even if it is empty, is judged elsewhere
(`orchestrator.replies.reader`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from hanabi_orchestrator.orchestrator.models import server_error, server_words
from hanabi_orchestrator.orchestrator.models.redaction import redact, redact_parts
from hanabi_orchestrator.orchestrator.models.server_error import ServerError
from hanabi_orchestrator.orchestrator.replies.values import clipped

WORDS = 200
"""Characters of a server's own message that are kept."""


MOST_WORDS = 4000
"""Characters of it that are looked at once whole keys are removed."""


class NotACompletion(Exception):  # noqa: N818  # what the answer is
    """The response is no chat completion."""


class AnsweredError(Exception):
    """The server answered with status 200 and an error."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.words)
        self.error = error


class TooLargeError(Exception):
    """The answer has more bytes than are read."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"sent more than {most} bytes in one answer, the most that are read (max_answer_bytes)"
        )


class NoFormatError(Exception):
    """The client of a provider knows no way to ask for a format of the answer."""

    def __init__(self, why: str) -> None:
        super().__init__(f"was not asked with a schema: {why}")


class RedirectedError(Exception):
    """The server wants the prompt to be sent to another one."""

    def __init__(self, origin: str) -> None:
        super().__init__(
            f"redirects to another server, {origin}; if that is right, give its address as the model's"
        )


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
    stubborn: bool = False
    """True if the same fault again means that it stays."""
    of_form: bool = False
    """True if the schema may be what is refused."""
    names_form: bool = False
    """True if the server says so."""
    generation: str | None = None
    """The model's text, where the server refused it because it did not fit the schema."""
    by_network: bool = False
    """True if the server may never have been reached: a proxy, or nobody, answered for it."""


HEALING = (408, 409, 425, 429)
CROWDED = (408, 429, 503, 504, 529)
"""What a server answers that has more calls than it can serve in time."""
FORM = (400, 422)
"""Where leaving out `response_format` may help."""
GATEWAYS = (407, 502, 503, 504)
"""What proxies answer for a server."""

SAID = {
    401: "refuses the key: HTTP 401",
    402: "wants payment: HTTP 402",
    403: "refuses access: HTTP 403",
    404: "answered HTTP 404; is that the right model, and should the URL end in /v1?",
    405: "answered HTTP 405; should the URL end in /v1?",
    407: "stands behind a proxy that wants a password: HTTP 407",
    413: "finds the request too large: HTTP 413",
    429: "has too many requests: HTTP 429",
    529: "is overloaded: HTTP 529",
}


def classify(error: Exception, secrets: Iterable[str] = ()) -> Fault:
    """Classify an exception of any provider's client: by what the server says is wrong, else by the names of its types.

    `secrets` are keys to be removed from the fault's sentence.
    """
    if isinstance(error, AnsweredError):
        return _of_error(error.error, error, secrets)
    for cause in _causes(error):
        if status := _status(cause):
            return _of_error(server_error.of_status(status, _body(cause)), cause, secrets)
    if isinstance(error, TooLargeError | RedirectedError):
        return Fault(_clean(str(error), secrets), too_large=isinstance(error, TooLargeError))
    if isinstance(error, NoFormatError):
        return Fault(_clean(str(error), secrets), FORM[0], of_form=True, names_form=True)
    if by_type := next(
        (fault for names, fault in BY_TYPE.items() if re.search(names, kinds(error))), None
    ):
        return by_type
    if isinstance(error, NotACompletion):
        return Fault(
            f"did not answer as a model server does: {_clean(str(error), secrets)}",
            heals=True,
            stubborn=True,
        )
    sentence = f"failed: {type(error).__name__}: {_clean(str(error), secrets)}"
    # raised by clients that cannot read a response, or whose event loop has ended
    mistaken = isinstance(
        error, ValueError | TypeError | LookupError | AttributeError | RecursionError
    )
    return Fault(sentence, heals=mistaken or "Event loop is closed" in sentence, stubborn=mistaken)


UNREACHED = Fault("could not be reached", heals=True, by_network=True)
BY_TYPE = {
    "ContentEncoding|DecodingError": Fault(
        "labels its answer as compressed (Content-Encoding), and it is not; is a proxy between?",
        heals=True,
        stubborn=True,
    ),
    "Disconnect|Payload|ConnectionReset|ReadError|RemoteProtocol": Fault(
        "hung up", heals=True, by_network=True
    ),
    "ClientResponseError|HttpProcessingError": Fault(
        "sent something that is not valid HTTP", heals=True, stubborn=True
    ),
    "Connector|ConnectError|Refused|gaierror|ClientOSError": UNREACHED,
    # after the above, which openai and httpx call timeouts, too
    "Timeout": Fault("did not answer in time", heals=True, crowded=True),
    "OSError|Connect|Protocol|WriteError": UNREACHED,
}
"""Faults by the names of the types of an exception and its causes, in this order."""


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
    codes = (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
    )
    failures = (
        code for code in codes if isinstance(code, int) and (100 <= code < 200 or 300 <= code < 600)
    )
    return next(failures, None)


def _body(error: BaseException) -> object:
    """Return the body of an error's answer, else what a client has parsed of it, else its own words."""
    response = getattr(error, "response", None)
    try:
        content = getattr(response, "content", None)
    except Exception:  # a response that was never read
        content = None
    parsed = getattr(error, "body", None) or getattr(error, "details", None)
    if isinstance(content, bytes):
        return content
    return parsed if isinstance(parsed, dict | list | str) else str(error)


def _of_error(error: ServerError, cause: BaseException, secrets: Iterable[str]) -> Fault:
    """Classify what a server says is wrong. Whatever is told by words is told here."""
    status = error.status
    words = error.words
    after = _retry_after(cause)
    after = error.wait_s if after is None else after
    sentence = _sentence(error, secrets)
    message = _clean(words, secrets)
    if server_words.is_of_generation(error):
        return Fault(sentence, status, generation=error.generation or "")
    if server_words.is_too_long(error):
        return Fault(
            sentence, status, too_long=True, context=error.context or server_words.context(words)
        )
    if server_words.is_filtered(error):
        return Fault(sentence, status, filtered=True)
    if status == 429 and server_words.needs_more_than_the_limit(words):
        return Fault(
            f"can never take this request, which needs more than its limit: HTTP 429: {message}",
            status,
        )
    if server_words.wants_money(error):
        return Fault(
            sentence if status == 402 else f"wants payment: HTTP {status}: {message}", status
        )
    if server_words.is_of_a_day(error) and after is None:
        return Fault(sentence, status)
    heals = status is None or status in HEALING or status >= 500 or status < 400
    # some say 400, 403 or nothing at all for it
    busy = server_words.is_crowded(error)
    heals = heals or busy
    crowded = heals and (status in CROWDED or busy or after is not None)
    names_form = server_words.names_form(error) and not busy
    of_form = names_form and (status in (*FORM, 500, 501) or status is None)
    of_form = of_form or (status in FORM and not error.parameter and not error.is_page and not busy)
    unclear = (error.in_answer and (status is None or status < 500)) or (status or 500) < 400
    by_network = status in GATEWAYS and (error.is_page or not words)
    return Fault(
        sentence,
        status,
        heals=heals,
        crowded=crowded,
        retry_after_s=after,
        stubborn=unclear and not crowded,
        of_form=of_form,
        names_form=names_form,
        by_network=by_network,
    )


def _sentence(error: ServerError, secrets: Iterable[str]) -> str:
    """Return what happened and what the server says of it."""
    if error.status is None:
        sentence = "answered with an error"
    else:
        sentence = SAID.get(error.status, f"answered HTTP {error.status}")
        if error.in_answer:
            sentence = sentence.replace(
                f"HTTP {error.status}", f"HTTP {error.status} (inside an HTTP 200)"
            )
    words = _clean(error.words, secrets)
    if re.search("plain http request was sent to https port|https required", words, re.IGNORECASE):
        words += "; does the URL begin with https://?"
    return f"{sentence}: {words}" if words else sentence


def _clean(words: str, secrets: Iterable[str]) -> str:
    """Return a server's message on one line, without keys or parts of them, and without characters that control a
    terminal."""
    secrets = tuple(secrets)
    words = redact_parts(redact(words, secrets)[:MOST_WORDS], secrets)
    words = re.sub(r"(https?://[^\s?]+)\?\S+", r"\1", words)
    return clipped(" ".join("".join(c if c.isprintable() else " " for c in words).split()), WORDS)


def _retry_after(error: BaseException) -> float | None:
    """Seconds of a Retry-After header, given as a number or a date; some servers send milliseconds besides."""
    headers = (
        getattr(error, "headers", None)
        or getattr(getattr(error, "response", None), "headers", None)
        or {}
    )
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(
            0.0, (parsedate_to_datetime(headers["retry-after"]) - datetime.now(UTC)).total_seconds()
        )
    except (KeyError, ValueError, TypeError):
        return None
