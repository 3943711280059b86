"""The error of a text that is not the wanted reply, and the kinds of it."""

from typing import Literal

Cause = Literal["cut_off", "too_long", "empty", "prose", "schema", "illegal", "overflow"]
"""Why an answer is unusable: it was cut off; has more characters than are read; is empty; has no object or part in it;
has a wrong value in a field; names a move that is not on the list; or never came, since the prompt was too long for the
model."""


class Unreadable(Exception):  # noqa: N818  # named for the text; callers ask the model again
    """A text that is not the wanted reply; the message is a sentence for the model."""

    def __init__(self, sentence: str, cause: Cause = "schema") -> None:
        super().__init__(sentence)
        self.cause = cause
