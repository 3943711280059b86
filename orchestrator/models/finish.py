"""How a response ended: the reasons of servers, and ours for responses that never came or were not read."""

TOO_LONG = "context_length"
"""The finish reason of a response that never came, because the prompt is longer than the model's context."""

TOO_LARGE = "too_large"
"""The finish reason of a response that was not read, because it has more bytes than `max_answer_bytes`."""

FILTERED = "content_filter"
"""The finish reason of a response of which the server holds back a part or all because of its content, or that of the
prompt."""

UNFIT = "json_validate_failed"
"""The finish reason of a text that the server refused because it did not fit the schema that was asked for."""

CUT_OFF = (
    "length",
    "max_tokens",
    "model_length",
    "max_output_tokens",
    "model_context_window_exceeded",
)
REFUSED = (
    "content_filter",
    "content_filtered",
    "refusal",
    "safety",
    "prohibited_content",
    "blocklist",
    "spii",
    "recitation",
    "image_safety",
    "guardrail_intervened",
    "sensitive",
)
KNOWN_ENDS = dict.fromkeys(CUT_OFF, "length") | dict.fromkeys(REFUSED, FILTERED)
"""The finish reasons of providers for an answer that was cut off, and for refused content, in small letters."""
