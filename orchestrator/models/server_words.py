"""The words by which servers say what is wrong: too long, refused content, too many calls, money, the schema.

One predicate for each; `orchestrator.models.faults` decides what follows.
"""

import re

from hanabi_orchestrator.orchestrator.models.server_error import ServerError
from hanabi_orchestrator.orchestrator.values import whole_number

_GENERATION = re.compile(
    r"json_validate_failed|fail(?:ed|ure)? to (?:generate|validate|produce|parse)[\w ]{0,20} json"
    r"|(?:model|generated|generation|completion)(?:'s)? (?:output|text|response|answer|content)?[^.]{0,40}"
    r"(?:n't|not|n.t) (?:fit|match|conform|follow|generate|produce|satisfy|valid)[^.]{0,30}(?:schema|json|format)",
    re.IGNORECASE,
)
"""How servers say that the model's text, not the schema, is at fault."""

_FORM = re.compile(
    r"response[_ ]?format|json[_ ]?schema|\bschemas?\b|\bgrammar|guided|structured|\btext\.format|json_object|json mode"
    r"|vocabulary required for format|\benum\b|additionalProperties|\bminimum\b|m(?:ax|in)(?:Length|Items)"
    r"|xgrammar|outlines",
    re.IGNORECASE,
)
"""How they say that they do not take a schema."""

_MONEY = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|billing_(?:not_active|hard_limit)|credit balance|no credits"
    r"|out of credits|requires? more credits|payment required|top up|arrear",
    re.IGNORECASE,
)
_DAILY = re.compile(r"per[- ]day|daily|\b[RT]PD\b", re.IGNORECASE)
"""Limits that do not pass in minutes."""

_CROWDED = re.compile(
    r"overload|\bbusy\b|slow ?down|(?:at|over|no|reached|insufficient|limited|lack of) (?:\w+ )?capacity"
    r"|capacity (?:exceeded|reached|constraints?)|too[_ ]many[_ ](?:concurrent[_ ])?requests|rate[_ ]?limit"
    r"|rateLimitExceeded|throttl|resource[_ ]?exhausted|queue (?:is )?full|full queue|maximum pending requests"
    r"|no (?:free|idle|available) (?:slots?|workers?|instances?|capacity)|concurren\w+ (?:\w+ )?limit"
    r"|try again (?:later|in)|high (?:demand|load|traffic)|insufficient_system_resource|model is (?:currently )?loading"
    r"|temporarily unavailable",
    re.IGNORECASE,
)
"""How they say that there are too many calls."""

_FILTERED = re.compile(
    r"content[_ ]?(?:filter|policy|moderation|management policy|safety)|invalid_prompt|data_?inspection_?failed"
    r"|ResponsibleAIPolicyViolation|moderation|\bflagged\b|usage polic|safety (?:system|setting|filter|polic)"
    r"|(?:inappropriate|harmful|unsafe|sensitive|prohibited) (?:content|input|words?|information)|prohibited_content"
    r"|prompt[_ ](?:was |is )?blocked|blocked by|responsible ai|sensitive_words_detected|violat\w+[^.]{0,40}polic",
    re.IGNORECASE,
)
"""How they refuse the content of a prompt."""
_OF_ACCOUNT = re.compile(
    r"\b(?:account|organi[sz]ation|your ip|api key|key|region|country|billing|project|user|firewall|waf)\b",
    re.IGNORECASE,
)
"""What a refusal is about that refuses everybody's prompts, or none in particular."""


def is_filtered(error: ServerError) -> bool:
    """Return whether the content of the prompt is refused."""
    codes = " ".join(error.codes)
    by_code = "flagged" in error.codes or _FILTERED.search(codes) is not None
    by_words = _FILTERED.search(error.words) is not None and not _OF_ACCOUNT.search(error.words)
    return (
        (by_code or by_words)
        and not error.is_page
        and error.status in (None, 400, 403, 422, 451, 500)
    )


_LIMIT = r"\D{0,20}(\d[\d,.]*\d)"


def needs_more_than_the_limit(words: str) -> bool:
    """Return whether a limit is smaller than what one request needs: `Limit 30000, Requested 61337`."""
    limit = re.search(rf"\blimit(?:ed)?\b{_LIMIT}", words, re.IGNORECASE)
    requested = re.search(rf"\brequest(?:ed|s)?\b{_LIMIT}", words, re.IGNORECASE)
    if limit is None or requested is None:
        return False
    return _number(requested[1]) > _number(limit[1])


def _number(text: str) -> float:
    return float(re.sub(r"\D", "", text))  # infinite for thousands of digits


_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|(?:prompt|input|message)s?\b[^.]{0,40}\b(?:is|are) too long|prompt too long"
    r"|too many (?:input |prompt )?tokens|maximum (?:prompt|input) length|input token count"
    r"|max_new_tokens\W* must be|reduce the length of the messages|request too large for model"
    r"|number of tokens to keep from the initial prompt|(?:truncate|keep)[^.]{0,40}n_ctx|n_keep|n_ctx"
    r"|(?:request|prompt|input)[^.]{0,60}(?:max(?:imum)?|limit)[^.]{0,30}\btokens\b"
    r"|tokens?\b[^.]{0,60}(?:exceeds?|longer than|greater than|more than|larger than|over)[^.]{0,60}"
    r"(?:limit|max(?:imum)?|context|allowed|model|window|supported)|max_?(?:model|seq|input)_?len|kv cache"
    r"|(?:less|fewer) than \d+ tokens"
    r"|(?:exceeds?|larger than|over) the (?:model|maximum)[^.]{0,40}(?:tokens|length|context|input)",
    re.IGNORECASE,
)
TOO_LONG_CODES: tuple[str, ...] = (
    "context_length_exceeded",
    "exceed_context_size_error",
    "string_above_max_length",
)
TOO_LONG_CODES += (
    "tokens_limit_reached",
    "context_window_exceeded",
    "request_too_large",
    "prompt_too_long",
)
"""How servers say that a prompt is too long: in words, and by their codes and types."""
_OF_ANSWER = re.compile(
    r"^\W*max_(?:completion_|output_)?tokens|completion tokens|per min|per day|rate limit", re.I
)
"""What is too large is no prompt: the room for the answer, or the tokens of a minute."""


def is_too_long(error: ServerError) -> bool:
    """Return whether the prompt, with the room for its answer, is longer than the model's context."""
    if error.status not in (None, 400, 404, 413, 422, 500):
        return False
    if any(code.lower() in TOO_LONG_CODES for code in error.codes):
        return True
    by_words = _TOO_LONG.search(error.words) is not None
    of_prompt = not _OF_ANSWER.search(error.words) or "context" in error.words.lower()
    return by_words and of_prompt and not error.is_page


_CONTEXT = (
    r"context (?:length|window|size)(?! by)\D{0,16}(\d+)",
    r"> ?(\d{3,})",
    r"must be <= (\d+)",
    r"n_ctx\W{0,5}(\d+)",
    r"(?:max|limit|allowed|less than|fewer than|at most|up to)(?:(?! by )\D){0,40}?(\d{3,})",
)
"""The length of the context that a refusal names, the plainest way first."""


def context(words: str) -> int | None:
    """Return the length of the context that a refusal names."""
    plain = re.sub(r"(?<=\d),(?=\d\d\d)", "", words)
    matches = (re.search(pattern, plain, re.IGNORECASE) for pattern in _CONTEXT)
    return next((whole_number(match[1]) for match in matches if match), None) or None


def is_of_generation(error: ServerError) -> bool:
    """Return whether the model's text, not the schema, is at fault."""
    by_words = _GENERATION.search(_all(error)) is not None
    return error.generation is not None or (by_words and error.status not in (401, 403, 404, 429))


def names_form(error: ServerError) -> bool:
    """Return whether the schema, or another format of the answer, is said to be at fault."""
    return _FORM.search(f"{_all(error)} {error.parameter}") is not None


def wants_money(error: ServerError) -> bool:
    return error.status == 402 or _MONEY.search(_all(error)) is not None


def is_of_a_day(error: ServerError) -> bool:
    """Return whether a limit is one of a day, which does not pass in minutes."""
    return error.status == 429 and _DAILY.search(_all(error)) is not None


def is_crowded(error: ServerError) -> bool:
    """Return whether the server says that it has too many calls."""
    return error.status not in (401, 404) and _CROWDED.search(_all(error)) is not None


def _all(error: ServerError) -> str:
    return " ".join((*error.codes, error.words))
