"""The error of an answer, wherever it stands and however it is worded: what it says, and what follows from it."""

import json
from typing import Any

import pytest

from hanabi_orchestrator.orchestrator.models import faults, server_error
from hanabi_orchestrator.orchestrator.models.completion import parse_completion
from hanabi_orchestrator.orchestrator.models.faults import AnsweredError, Fault


class Refusal(Exception):  # noqa: N818  # what clients raise has a status and a response
    def __init__(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        super().__init__("Error code")
        self.status_code = status
        self.body = None
        self.response = Response(body if isinstance(body, str) else json.dumps(body), headers or {})


class Response:
    def __init__(self, text: str, headers: dict[str, str]) -> None:
        self.content = text.encode()
        self.headers = headers


def fault(
    status: int, body: Any, secrets: tuple[str, ...] = (), headers: dict[str, str] | None = None
) -> Fault:
    """The fault of an answer with a status; 200 for an error inside one."""
    if status != 200:
        return faults.classify(Refusal(status, body, headers), secrets)
    with pytest.raises(AnsweredError) as raised:
        parse_completion(body)
    return faults.classify(raised.value, secrets)


WORDS = "the disk of the server is in a bad way"
PLACES: dict[str, Any] = {
    "object": {"error": {"message": WORDS, "type": "x"}},
    "text": {"error": WORDS},
    "list": [{"error": {"code": 400, "message": WORDS, "status": "INVALID_ARGUMENT"}}],
    "list of texts": {"error": [WORDS, "more"]},
    "detail, a text": {"detail": WORDS},
    "detail, a list": {
        "detail": [{"loc": ["body", "messages"], "msg": WORDS, "type": "value_error"}]
    },
    "detail in a message": {"object": "error", "message": {"detail": [{"msg": WORDS}]}},
    "bare message": {"object": "error", "message": WORDS, "type": "BadRequestError", "code": 400},
    "gateway": {"fault": {"faultstring": WORDS, "detail": {"errorcode": "policies.X"}}},
    "errors": {"success": False, "errors": [{"code": 7009, "message": WORDS}], "result": None},
    "provider's words": {
        "error": {"message": "Provider returned error", "metadata": {"raw": WORDS}}
    },
    "JSON in a text": {"error": json.dumps({"error": {"message": WORDS}})},
    "base_resp": {"choices": None, "base_resp": {"status_code": 1004, "status_msg": WORDS}},
    "error_msg": {"error_code": 336, "error_msg": WORDS},
    "problem": {"title": "Bad", "detail": WORDS, "instance": "/x"},
}


@pytest.mark.parametrize("place", PLACES)
def test_the_words_reach_the_person_wherever_they_stand(place: str) -> None:
    for status in (400, 403, 500, 200):
        assert WORDS in fault(status, PLACES[place]).sentence


@pytest.mark.parametrize(
    "body",
    [
        "plain words of the server",
        "<html><title>plain words of the server</title><p>x",
        "<h1>plain words of the server</h1>",
    ],
)
def test_texts_and_pages_are_words_too(body: str) -> None:
    assert fault(
        502, body
    ).sentence == "answered HTTP 502: plain words of the server" or body.startswith("<h1")
    assert "plain words of the server" in fault(418, body).sentence


CHOICE = {
    "index": 0,
    "finish_reason": "stop",
    "message": {"role": "assistant", "content": "a whole answer"},
}


@pytest.mark.parametrize(
    ("answer", "status", "heals"),
    [
        (
            {"id": None, "choices": None, "error": {"code": 402, "message": "no credits left"}},
            402,
            False,
        ),
        ({"error": {"code": "401", "message": "who are you"}}, 401, False),
        ({"error": {"code": 403, "message": "no"}}, 403, False),
        ({"error": {"type": "authentication_error", "message": "x"}}, 401, False),
        ({"error": {"code": 429, "message": "slowly"}, "choices": []}, 429, True),
        (
            {
                "error": {
                    "code": "rate_limit_exceeded",
                    "type": "invalid_request_error",
                    "message": "x",
                }
            },
            429,
            True,
        ),
        ({"error": {"code": 502, "message": "the provider is away"}, "user_id": "u"}, 502, True),
        ({"error": {"code": 400, "message": "response_format is not supported"}}, 400, False),
        ({"error": "Unexpected endpoint or method. (POST /chat/completions)"}, 404, False),
        ({"detail": "Not Found"}, 404, False),
        (
            {
                "choices": [
                    {**CHOICE, "finish_reason": "error", "error": {"code": 502, "message": "x"}}
                ]
            },
            502,
            True,
        ),
        ({"choices": [{**CHOICE, "finish_reason": "error"}]}, None, True),
        ({"choices": [{**CHOICE, "finish_reason": "insufficient_system_resource"}]}, 503, True),
        ({"choices": [{**CHOICE, "finish_reason": "abort"}]}, None, True),
        ({"choices": [{**CHOICE, "error": {"message": "upstream cut"}}]}, None, True),
        (
            [
                {
                    "error": {
                        "code": 503,
                        "message": "The model is overloaded.",
                        "status": "UNAVAILABLE",
                    }
                }
            ],
            503,
            True,
        ),
    ],
)
def test_an_error_in_an_answer_counts_as_the_status_that_it_names(
    answer: Any, status: int | None, heals: bool
) -> None:
    error = fault(200, answer)
    assert (error.status, error.heals) == (status, heals)


@pytest.mark.parametrize(
    "answer",
    [
        {"choices": [CHOICE]},
        {"choices": [CHOICE], "error": None},
        {"choices": [CHOICE], "error": {}},
        {"choices": [CHOICE], "error": {"code": 0, "message": ""}},
        {"choices": [CHOICE], "error": {"code": None, "message": None}},
        {"choices": [CHOICE], "message": "ok", "code": 200, "status": "success"},
        {"choices": [CHOICE], "detail": "cached"},
    ],
)
def test_an_answer_without_an_error_is_one(answer: Any) -> None:
    assert (
        server_error.of_answer(answer) is None and parse_completion(answer).text == "a whole answer"
    )


@pytest.mark.parametrize("secret", ["sk-live-0123456789abcdef"])
@pytest.mark.parametrize(
    "shown", ["{}", "{0:.7}", "{0:.9}*****{1}", "key '{0:.8}...{1}' is wrong", "...{1}"]
)
def test_no_part_of_a_key_is_shown(secret: str, shown: str) -> None:
    words = f"Incorrect API key provided: {shown.format(secret, secret[-6:])}. You can find yours at /account."
    for status in (401, 403, 500, 200):
        error = fault(
            status, {"error": {"code": 401 if status == 200 else None, "message": words}}, (secret,)
        )
        assert secret[:7] not in error.sentence and secret[-6:] not in error.sentence
        assert (
            "Incorrect API key provided" in error.sentence
            and "You can find yours" in error.sentence
        )


TOO_LONG = [
    (400, {"error": "Cannot truncate prompt with n_keep (15028) >= n_ctx (4096)"}, 4096),
    (400, {"message": "Input prompt (6664 tokens) is too long and exceeds limit of 4096"}, 4096),
    (
        413,
        {
            "error": {
                "code": "tokens_limit_reached",
                "message": "Request body too large for some-model model. Max size: 8000 tokens.",
            }
        },
        8000,
    ),
    (
        422,
        {
            "detail": [
                {
                    "loc": ["body", "messages"],
                    "msg": "prompt has 6000 tokens, longer than the model's context length 4096",
                }
            ]
        },
        4096,
    ),
    (
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (40000) exceeds the maximum number of tokens allowed (32768).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
        32768,
    ),
    # others than those reported
    (
        200,
        {
            "error": {
                "code": 400,
                "message": "This model's maximum context length is 4,097 tokens, and ...",
            }
        },
        4097,
    ),
    (
        400,
        {
            "error": {
                "message": "Requested token count exceeds the model's maximum context length of 2048 tokens."
            }
        },
        2048,
    ),
    (
        400,
        {"message": "input length and `max_tokens` exceed context limit: 9000 + 1024 > 8192"},
        None,
    ),
    (
        400,
        {"error": {"message": "Prompt contains 9000 tokens, more than the model limit of 8192"}},
        8192,
    ),
    (
        422,
        {
            "error": "Validation: `inputs` must have less than 1024 tokens. Given: 1500",
            "error_type": "validation",
        },
        None,
    ),
    (400, {"message": "Too many input tokens: 40000; the maximum is 32000"}, 32000),
    (
        400,
        {"error": {"message": "Range of input length should be [1, 30720]: prompt is too long"}},
        None,
    ),
    (
        500,
        {
            "error": {
                "message": "the request exceeds the available context size. try increasing n_ctx"
            }
        },
        None,
    ),
    (
        400,
        {
            "object": "error",
            "message": "The prompt (total length 5000) is too long to fit max_model_len of 4096.",
        },
        4096,
    ),
    (400, {"error": {"message": "Your messages are too long for this model"}}, None),
]


@pytest.mark.parametrize(("status", "body", "context"), TOO_LONG)
def test_a_prompt_too_long_is_told_in_anybodys_words(
    status: int, body: Any, context: int | None
) -> None:
    error = fault(status, body)
    assert error.too_long and not error.heals and not error.of_form
    assert context is None or error.context == context


FILTERED = [
    (
        400,
        {
            "error": {
                "code": "invalid_prompt",
                "message": "the prompt was flagged as violating the usage policy",
            }
        },
    ),
    (
        400,
        {
            "error": {
                "code": "data_inspection_failed",
                "message": "input may hold inappropriate content",
            }
        },
    ),
    (
        403,
        {
            "error": {
                "code": 403,
                "message": "flagged",
                "metadata": {"reasons": ["violence"], "flagged_input": "..."},
            }
        },
    ),
    # others
    (
        400,
        {
            "code": "DataInspectionFailed",
            "message": "Input data may contain inappropriate content.",
        },
    ),
    (
        400,
        {
            "error": {
                "code": None,
                "message": "The response was filtered due to the prompt triggering the content management policy.",
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    ),
    (
        200,
        {
            "error": {
                "code": 403,
                "message": "Your input was flagged by moderation",
                "metadata": {"reasons": ["x"]},
            }
        },
    ),
    (
        400,
        {"error": {"code": "content_policy_violation", "message": "rejected by our safety system"}},
    ),
    (400, {"error": {"code": "1301", "message": "the input may hold unsafe or sensitive content"}}),
    (422, {"detail": "Prompt blocked: it holds prohibited content"}),
    (400, [{"error": {"code": 400, "status": "PROHIBITED_CONTENT", "message": "no"}}]),
]


@pytest.mark.parametrize(("status", "body"), FILTERED)
def test_refused_content_is_told_in_anybodys_words(status: int, body: Any) -> None:
    error = fault(status, body)
    assert error.filtered and not error.heals and not error.of_form


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "Your account was flagged for violating our usage policy"),
        (403, "This API key is blocked by its organization"),
        (403, "Country, region, or territory not supported"),
        (403, "<html><title>Attention: you have been blocked by the firewall</title>"),
        (401, "flagged"),
        (429, "content moderation is busy"),
    ],
)
def test_a_refusal_of_the_person_is_none_of_the_content(status: int, words: str) -> None:
    body = words if words.startswith("<") else {"error": {"message": words}}
    assert not fault(status, body).filtered


CROWDED = [
    (503, {"error": {"message": "busy, try later", "type": "service_unavailable"}}, {}),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, {}),
    (503, "Server is busy; please try again later.", {}),
    (500, {"error": {"message": "The server had a high load: slow down"}}, {}),
    (200, {"error": {"code": 429, "message": "provider"}}, {}),
    (200, {"error": {"type": "overloaded_error", "message": "x"}}, {}),
    (400, {"error": {"message": "no free slots"}}, {}),
    (
        403,
        {"error": {"errors": [{"reason": "rateLimitExceeded"}], "message": "Rate Limit Exceeded"}},
        {},
    ),
    (500, {"error": "x"}, {"retry-after": "1"}),
    (
        503,
        [{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}],
        {},
    ),
    (400, {"__type": "ThrottlingException", "message": "x"}, {}),
    (200, {"choices": [{**CHOICE, "finish_reason": "insufficient_system_resource"}]}, {}),
    (502, {"detail": "maximum pending requests exceeded"}, {}),
    (200, {"error": "The queue is full"}, {}),
]


@pytest.mark.parametrize(("status", "body", "headers"), CROWDED)
def test_crowding_is_told_by_any_sign(status: int, body: Any, headers: dict[str, str]) -> None:
    error = fault(status, body, headers=headers)
    assert error.heals and error.crowded and not error.stubborn and not error.of_form


@pytest.mark.parametrize(
    ("status", "words", "headers"),
    [
        (500, "internal error", {}),
        (502, "Bad gateway", {}),
        (401, "rate limit", {}),
        (402, "x", {"retry-after": "1"}),
    ],
)
def test_other_faults_are_no_crowding(status: int, words: str, headers: dict[str, str]) -> None:
    assert not fault(status, {"error": {"message": words}}, headers=headers).crowded


GENERATED = [
    {
        "error": {
            "message": "The model's output did not fit the schema.",
            "type": "invalid_request_error",
            "code": "json_validate_failed",
            "failed_generation": '{"reason": "I',
        }
    },
    {"error": {"code": "json_validate_failed", "message": "Failed to generate JSON"}},
    {
        "error": {
            "message": "Failed to validate JSON. Please adjust your prompt.",
            "failed_generation": "",
        }
    },
    {"error": {"message": "The model did not generate valid JSON"}},
    {
        "error": {
            "code": "tool_use_failed",
            "message": "called a tool",
            "failed_generation": "<function=x>",
        }
    },
]


@pytest.mark.parametrize("body", GENERATED)
@pytest.mark.parametrize("status", [400, 422, 200])
def test_a_failed_generation_is_no_refusal_of_the_schema(status: int, body: Any) -> None:
    error = fault(status, body)
    assert error.generation is not None and not error.of_form


@pytest.mark.parametrize(
    ("status", "body", "named"),
    [
        (400, {"error": {"message": "response_format of type json_schema is not supported"}}, True),
        (400, {"error": {"message": "Invalid schema for response_format 'Choice': enum"}}, True),
        (
            400,
            {"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]},
            True,
        ),
        (400, {"error": {"message": "?", "param": "response_format"}}, True),
        (500, {"error": {"message": "failed to load model vocabulary required for format"}}, True),
        (
            200,
            {"error": {"code": 400, "message": "json_schema is not supported by this model"}},
            True,
        ),
        (200, {"error": "grammar could not be compiled"}, True),
        (422, {"error": {"message": "?"}}, False),
        (400, {"error": {"message": "unknown field"}}, False),
    ],
)
def test_a_refused_schema_may_be_left_out(status: int, body: Any, named: bool) -> None:
    error = fault(status, body)
    assert (error.of_form, error.names_form) == (True, named)


@pytest.mark.parametrize(
    "body",
    [
        {
            "error": {
                "message": "Unsupported value: 'temperature' is at most 2",
                "param": "temperature",
            }
        },
        {"detail": [{"loc": ["body", "max_tokens"], "msg": "ensure this value is positive"}]},
        "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>",
    ],
)
def test_a_refusal_of_something_else_is_none_of_the_schema(body: Any) -> None:
    assert not fault(400, body).of_form and not fault(400, body).heals


@pytest.mark.parametrize(
    ("words", "heals"),
    [
        ("Request too large for NAME on tokens per min (TPM): Limit 3000, Requested 6000.", False),
        ("Request too large (TPM): Limit 30,000, Requested 61,337", False),
        ("Rate limit reached: Limit 30000, Used 0, Requested 61337. Visit", False),
        ("requested 61337 tokens, and the limit is 30000 tokens per minute", False),
        (
            "Rate limit reached: Limit 30000, Used 29000, Requested 2000. Please try again in 20s",
            True,
        ),
        ("Limit 30000", True),
    ],
)
def test_a_limit_that_can_never_be_met_is_said_at_once(words: str, heals: bool) -> None:
    error = fault(429, {"error": {"message": words, "code": "rate_limit_exceeded"}})
    assert error.heals == heals and ("can never take this request" in error.sentence) != heals


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 20s.", 20.0),
        ("try again in 7.5s", 7.5),
        ("Please retry after 3 seconds", 3.0),
        ("Try again in 500ms", 0.5),
        ("try again in 6 min", 360.0),
        ("try again later", None),
    ],
)
def test_the_wait_stands_in_the_words_too(words: str, seconds: float | None) -> None:
    assert fault(429, {"error": {"message": words}}).retry_after_s == seconds


def test_the_wait_stands_in_a_field_too() -> None:
    body = [
        {
            "error": {
                "code": 429,
                "message": "quota",
                "details": [{"@type": "RetryInfo", "retryDelay": "34s"}],
            }
        }
    ]
    error = fault(429, body)
    assert error.retry_after_s == 34 and error.crowded


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (402, {"error": {"message": "pay"}}),
        (429, {"error": {"code": "insufficient_quota", "message": "x"}}),
        (400, {"error": {"message": "Your credit balance is too low to access the API"}}),
        (403, {"error": {"code": "Arrearage", "message": "the account is in arrears"}}),
        (429, {"error": {"message": "Rate limit exceeded: free-models-per-day"}}),
    ],
)
def test_money_and_a_days_limit_are_not_waited_for(status: int, body: Any) -> None:
    assert not fault(status, body).heals and not fault(status, body).of_form
