"""Takes API keys out of what a server says, however the characters of a key are written."""

import re
from collections.abc import Iterable
from functools import lru_cache
from html.entities import codepoint2name

SHORTEST = 8
"""Characters of a key that is taken out wherever it stands. Local servers take keys like `x` or `hint`, which are words
of every answer; such a key is taken out only where it is called one."""

MARK = "***"

DEEPEST = 8
"""Backslashes before an escaped character: JSON in JSON in JSON has seven. Without a bound a long row takes hours."""

_CALLED = r"(?i:bearer|api[-_ ]?key|authorization)(?:\W+(?:provided|given|is|was))?\W{1,6}"
"""What stands before a key in a header, or in a server's sentence about one."""


def redact(text: str, secrets: Iterable[str], prompt: str = "") -> str:
    """Return a text without keys; a key that is a part of the `prompt` is a word of it and no secret.

    A key is also found where its characters are escaped, as JSON, URLs and HTML do.
    """
    for secret in secrets:
        if len(secret) < SHORTEST:
            text = re.sub(rf"({_CALLED}){re.escape(secret)}(?!\w)", rf"\g<1>{MARK}", text)
        elif secret not in prompt:
            text = text.replace(secret, MARK)
            if any(sign in text for sign in "\\%&"):
                text = _escaped(secret).sub(MARK, text)
    return text


def redact_parts(text: str, secrets: Iterable[str]) -> str:
    """Return a server's message without the beginning or the end of a key, which some repeat (`sk-ab***yz`)."""
    for secret in secrets:
        if len(secret) >= SHORTEST:
            for part in (secret[:PART], secret[-PART:]):
                text = re.sub(rf"[\w*.…-]*{re.escape(part)}[\w*.…-]*", MARK, text)
    return re.sub(r"(?<!\w)[\w-]{2,}\*{2,}[\w*-]*", MARK, text)


PART = 6
"""Characters of the beginning or end of a key that give it away."""


@lru_cache(maxsize=64)
def _escaped(secret: str) -> re.Pattern[str]:
    """Match each character as \\u0022 or \\x22, %22, &#34;, &#x22; or &quot;, as it is, and after a backslash."""
    spellings = (
        (
            rf"\\{{1,{DEEPEST}}}(?i:(?:u00|x){code:02x})",
            f"%(?i:{code:02x})",
            f"&#0*{code};",
            f"&#[xX]0*(?i:{code:02x});",
            f"&{codepoint2name.get(code, 'none')};",
            rf"\\{{,{DEEPEST}}}{re.escape(chr(code))}",
        )
        for code in map(ord, secret)
    )
    return re.compile("".join(f"(?:{'|'.join(ways)})" for ways in spellings))
