"""Emphasis and code within the texts of a document."""

import re

EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")


def plain(text: str) -> str:
    """Return the text without the marks of emphasis."""
    return EMPHASIS.sub(r"\1", text)
