"""Text for people without the characters that move a terminal's cursor, change its title or turn a line around."""

import re
import unicodedata

REPLACED = "\N{REPLACEMENT CHARACTER}"
"""Stands for a character that is not shown."""

_HIDDEN = re.compile(r"[^\n\t\x20-\x7e]")
_WHITE = str.maketrans("", "", "\n\t")


def printable(text: str) -> str:
    """Return a text in which control characters, signs of writing direction, half surrogate pairs and characters of
    private use are replaced; line breaks and tabs stay."""
    if text.translate(_WHITE).isprintable():
        return text
    return _HIDDEN.sub(lambda match: match[0] if is_printable(match[0]) else REPLACED, text)


def is_printable(char: str) -> bool:
    """Return whether a character can be shown; also true of spaces of any width, line breaks and tabs."""
    return char.isprintable() or char in "\n\t" or unicodedata.category(char) == "Zs"


def writable(text: str) -> str:
    """Return a text with question marks for lone surrogates, which no file and no provider accepts."""
    return text.encode("utf-8", "replace").decode()


def escaped_json(text: str) -> str:
    """Return JSON in which characters that are not printable stand in their escaped form, which means the same."""
    if text.translate(_WHITE).isprintable():
        return text
    return _HIDDEN.sub(lambda match: match[0] if is_printable(match[0]) else escape(match[0]), text)


def escape(char: str) -> str:
    """Return a character as JSON escapes it."""
    if char == "\x7f":
        return "\\u007f"
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2)
    )
